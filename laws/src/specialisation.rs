//! Laws of specialised programs: for the arguments that they are for they are the program, and for others they are errors.
//!
//! Law: `p.specialise(known)` gives for arguments of which this is known what `p` gives, on the reference interpreter and on lanes; where a
//! size is another it gives an error. So do programs whose results are parts of the arrays that others give, of which no more needs to be
//! computed (tests/array/specialise.rs).

use catadiff::array::{Atom, Op, Program, Range, Stm, Type, index};
use catadiff::execute::Lanes;
use catadiff::interpret::{Scalar, Value, run};
use catadiff::transform::Static;

use crate::array_programs::ArrayProgram;
use crate::array_values::{LIMITS, all_close, violation};
use crate::executors::same_if_supported;
use crate::program_parts::{changed, fresh};
use crate::violation::Verdict;

/// Lanes add in another order, and simplified programs do not say the sign of zeros.
const REORDERED: f64 = 1e-9;

/// What is known of arguments: the sizes of arrays, and every other scalar that is an integer or a truth value, with the arguments that are left.
fn known(arguments: &[Value<f64>]) -> (Vec<Static>, Vec<Value<f64>>) {
    let (mut known, mut left) = (Vec::new(), Vec::new());
    for (k, argument) in arguments.iter().enumerate() {
        match (argument.sizes(), argument.elements()) {
            ([], [scalar]) => match Scalar::exact(scalar).filter(|_| k % 2 == 0) {
                Some(value) => known.push(Static::Value(value)),
                None => {
                    known.push(Static::Unknown);
                    left.push(argument.clone());
                }
            },
            (sizes, _) => {
                known.push(Static::Sizes(sizes.to_vec()));
                left.push(argument.clone());
            }
        }
    }
    (known, left)
}

/// Other sizes than those of an array.
fn longer(value: &Value<f64>) -> Option<Value<f64>> {
    let mut sizes = value.sizes().to_vec();
    let first = *value.elements().first()?;
    *sizes.first_mut()? += 1;
    let rows = sizes.iter().product();
    Value::array(&sizes, vec![first; rows]).ok()
}

/// A specialised program is the program.
///
/// # Errors
/// The violation.
pub fn is_the_program(random: &ArrayProgram) -> Verdict {
    of_program(&random.program(), &random.arguments())
}

/// The same of a program whose results are a part of each array that a random program gives: its last element, or the second half of it.
///
/// # Errors
/// The violation.
pub fn parts_are_of_the_program(random: &ArrayProgram) -> Verdict {
    let (program, arguments) = (random.program(), random.arguments());
    let Ok(results) = run(&program, &arguments, &LIMITS) else { return Ok(()) };
    let parts = changed(&program, |(types, _, function)| {
        for (k, (result, value)) in function.body.results.iter_mut().zip(&results).enumerate() {
            let Some(size) = value.sizes().first().filter(|size| **size > 0) else { continue };
            let at = |n: usize| index(i64::try_from(n).expect("random arrays are short"));
            let Atom::Var(whole) = *result else { continue };
            let of = types[whole.0 as usize];
            let (op, of) = if k % 2 == 0 {
                (Op::Index(*result, vec![at(size - 1)]), Type { rank: of.rank - 1, ..of })
            } else {
                let range = Range { start: at(size / 2), count: at(size - size / 2), step: index(1) };
                (Op::Slice(*result, vec![range]), of)
            };
            let part = fresh(types, of);
            function.body.stms.push(Stm::new([part], op));
            *result = part.into();
        }
    });
    of_program(&parts.expect("a part of an array is well typed"), &arguments)
}

/// The same of a program for these arguments.
///
/// # Errors
/// The violation.
pub fn of_program(program: &Program, arguments: &[Value<f64>]) -> Verdict {
    let wrong = |law: &str, program: &Program, found: String, wanted: String| {
        Err(violation(law, program, arguments, found, wanted))
    };
    let (known, left) = known(arguments);
    let special = match program.specialise(&known) {
        Ok(special) => special,
        Err(error) => return wrong("p.specialise(known)", program, error.to_string(), "a program".to_owned()),
    };
    if let Err(error) = special.verify() {
        return wrong("p.specialise(known) verifies", &special, error.to_string(), "Ok(())".to_owned());
    }
    if special.simplified() != special {
        return wrong("p.specialise(known) is simple", &special, special.simplified().to_string(), special.to_string());
    }
    let (wanted, found) = (run(program, arguments, &LIMITS), run(&special, &left, &LIMITS));
    if let Ok(wanted) = &wanted
        && !found.as_ref().is_ok_and(|found| all_close(found, wanted, REORDERED))
    {
        return wrong("p.specialise(known) = p", &special, format!("{found:?}"), format!("{wanted:?}"));
    }
    same_if_supported(&Lanes, &special, &left)?;
    for (k, other) in left.iter().enumerate().filter_map(|(k, value)| Some((k, longer(value)?))) {
        let mut left = left.clone();
        left[k] = other;
        if let Ok(found) = run(&special, &left, &LIMITS) {
            return wrong("p.specialise(known) on other sizes", &special, format!("{found:?}"), "an error".to_owned());
        }
        same_if_supported(&Lanes, &special, &left)?;
    }
    Ok(())
}
