//! The reference interpreter: golden programs, corner cases, errors, limits, and the carriers it runs on.

use catadiff_laws::{ArrayProgram, Verdict, arrays, for_all};

mod random {
    use super::{ArrayProgram, Verdict, arrays, for_all};

    #[test]
    fn programs_run() -> Verdict {
        for_all(|p: ArrayProgram| arrays::runs(&p))
    }

    #[test]
    fn what_does_not_fit_is_an_error() -> Verdict {
        for_all(|p: ArrayProgram| arrays::misfits(&p))
    }

    #[test]
    fn duals_carry_the_values() -> Verdict {
        for_all(|p: ArrayProgram| arrays::values_of_duals(&p))
    }
}
