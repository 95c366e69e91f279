//! Entry points on numbers of other kinds: the array program of an entry point in any carrier.
//!
//! Law: on `f64` it is [`Elaborated::run`]; integers and truth values are what they are in every carrier
//! (tests/language/elaborate.rs).

use super::{Elaborated, boundary};
use crate::array::{Body, Op, deeper};
use crate::futhark::core::Prim;
use crate::futhark::meaning::Outcome;
use crate::futhark::values::Array;
use crate::interpret::{Compare, Limits, Value, run};

impl Elaborated {
    /// The parameters of the program: the name, kind and rank of each.
    pub fn parameters(&self) -> impl Iterator<Item = (&str, Prim, usize)> {
        self.params.iter().map(|(name, kind, rank)| (name.as_str(), *kind, *rank))
    }

    /// Arguments as values of array programs.
    ///
    /// # Errors
    /// If they are not those that the entry point takes.
    pub fn values(&self, arguments: &[Array]) -> Outcome<Vec<Value<f64>>> {
        self.arguments(arguments)
    }

    /// Adjoints of the results as values of array programs; a check has none.
    ///
    /// # Errors
    /// If an array has not as many elements as its sizes say.
    pub fn adjoints(&self, adjoints: &[Array]) -> Outcome<Vec<Value<f64>>> {
        let one = |adjoint: &Array| boundary::value(adjoint).map_err(|error| self.failed(&error));
        let checks = self.program.function.body.results.len() - self.results.len();
        let none = core::iter::repeat_n(Ok(Value::from(0_i64)), checks);
        adjoints.iter().map(one).chain(none).collect()
    }

    /// The results in a carrier; `lift` makes its numbers of the real ones among the arguments, in their order.
    ///
    /// ```
    /// use catadiff::carriers::Interval;
    /// use catadiff::futhark::check::{NoImports, check};
    /// use catadiff::futhark::elaborate::compile_entry;
    /// use catadiff::futhark::{syntax::parse, values::Array};
    /// use catadiff::interpret::{Limits, Scalar, Value};
    /// let text = "entry square (x: f64) = x * x";
    /// let (program, _) = check(&parse(text, 0).unwrap(), &mut NoImports).unwrap();
    /// let square = compile_entry(&program, "square")?;
    /// let near = |x: &f64| Interval::new(x - 0.5, x + 0.5);
    /// let results = square.run_on(&[Array::scalar(vec![2.0])], &Limits::default(), near)?;
    /// let [Value::Scalar(Scalar::F64(range))] = results[..] else { panic!("the result is a real") };
    /// assert_eq!((range.lo, range.hi), (2.25, 6.25));
    /// # Ok::<(), catadiff::futhark::source::Message>(())
    /// ```
    ///
    /// # Errors
    /// As for [`run`](Elaborated::run), and where the program asks what the carrier does not decide.
    pub fn run_on<C: Compare>(
        &self,
        arguments: &[Array],
        limits: &Limits,
        mut lift: impl FnMut(&f64) -> C,
    ) -> Outcome<Vec<Value<C>>> {
        let values: Vec<Value<C>> = self.arguments(arguments)?.iter().map(|value| value.map(&mut lift)).collect();
        let results = self.checked(run(&self.program, &values, limits));
        results.map_err(|message| self.located(arguments, message))
    }

    /// Whether there are functions in the program that have derivatives of their own, which carriers do not know of.
    #[must_use]
    pub fn has_own_derivatives(&self) -> bool {
        fn within(body: &Body) -> bool {
            let own = |op: &Op| matches!(op, Op::Custom(_)) || op.bodies().any(within);
            deeper(|| body.stms.iter().any(|stm| own(&stm.op)))
        }
        within(&self.program.function.body)
    }
}
