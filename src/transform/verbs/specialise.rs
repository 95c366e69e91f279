//! Programs for arguments of which something is known before they run.
//!
//! Law: a specialised program gives what the program gives for the arguments it is for, and an error for arrays of other sizes
//! (tests/array/specialise.rs).

use super::super::copy::Copier;
use super::super::target::Target;
use crate::array::{Agree, Agreement, Atom, Const, Extent, Op, Program, Type, index};
use crate::error::{Error, Result};
use crate::interpret::{ToValues, Value};
use crate::optimise::simplify;

/// What is known of an argument before a program runs, for [`Program::specialise`].
#[derive(Debug, Clone, PartialEq, Default)]
pub enum Static {
    /// Nothing.
    #[default]
    Unknown,
    /// The sizes of an array.
    Sizes(Vec<usize>),
    /// A scalar, in every run.
    Value(Const),
}

impl Static {
    /// What is known of an argument of these sizes: the sizes of an array, and nothing of a scalar, which has none.
    ///
    /// ```
    /// use catadiff::transform::Static;
    /// assert_eq!(Static::of_sizes(&[2, 3]), Static::Sizes(vec![2, 3]));
    /// assert_eq!(Static::of_sizes(&[]), Static::Unknown);
    /// ```
    #[must_use]
    pub fn of_sizes(sizes: &[usize]) -> Self {
        if sizes.is_empty() { Static::Unknown } else { Static::Sizes(sizes.to_vec()) }
    }
}

impl Program {
    /// The program for arguments of which this is known, one for each parameter. It takes no argument where the value is known, and arrays of
    /// the sizes that are known alone.
    ///
    /// A program is compiled for any sizes, unless it is specialised: then loops over few elements are written out, small arrays are in
    /// registers, and what depends on sizes alone is decided beforehand. That pays where arrays have a few columns: points of three
    /// coordinates, cameras of eleven numbers.
    ///
    /// It is specialised before or after derivatives are taken; before, where a part of an array is all that is used of it. Of a program for
    /// known sizes it is known which elements of other arrays that part needs, also through the iterations of a loop. The others are
    /// not computed, and have no part in derivatives.
    ///
    /// ```
    /// use catadiff::array::{Const, Program, trace::{Arr, F64, I64, loop_for}};
    /// use catadiff::transform::Static;
    /// let power = Program::trace(|xs: Arr<F64>, n: I64| {
    ///     xs.map(|x| loop_for(n, F64::from(1.0), |_, y| y * x)).sum()
    /// })?;
    /// let cubes = power.specialise(&[Static::Sizes(vec![2]), Static::Value(Const::I64(3))])?.compile()?;
    /// assert_eq!(cubes.at::<f64>(([2.0, 3.0],))?, 35.0);
    /// let error = cubes.at::<f64>(([1.0, 2.0, 3.0],)).unwrap_err();
    /// assert!(error.to_string().contains("the size of a value and the size that is wanted"), "{error}");
    /// # Ok::<(), catadiff::Error>(())
    /// ```
    ///
    /// # Errors
    /// [`Error::Length`] for a list of another length than that of the parameters, and [`Error::Argument`] with the parameter's name where
    /// what is known is not of its type.
    pub fn specialise(&self, known: &[Static]) -> Result<Program> {
        Error::lengths("the list of what is known", self.names().len(), known.len())?;
        let target = Target::of(self.types.len());
        let mut params = Vec::new();
        for ((param, name), known) in self.function.params.iter().zip(&self.names).zip(known) {
            let of = self.type_of(*param);
            let wrong = |found: String| {
                Err(Error::Argument { name: name.clone(), expected: format!("what is known of {of}"), found })
            };
            match known {
                Static::Value(value) if Type::scalar(value.prim()) == of => params.push(Atom::Const(*value)),
                Static::Value(value) => return wrong(format!("a value of type {}", value.prim())),
                Static::Sizes(sizes) if sizes.len() != of.rank || of.rank == 0 => {
                    return wrong(format!("{} sizes", sizes.len()));
                }
                Static::Sizes(_) | Static::Unknown => params.push(target.parameter(name.clone(), of)),
            }
        }
        for (param, known) in params.iter().zip(known) {
            let Static::Sizes(sizes) = known else { continue };
            for (dimension, size) in sizes.iter().enumerate() {
                let Ok(size) = i64::try_from(*size) else {
                    return Err(Error::TooLarge { what: "a size", limit: i64::MAX as usize });
                };
                let [first, second] =
                    [Extent::Of(*param, dimension), Extent::Number(index(size))].map(|extent| vec![extent]);
                target.emit(Op::Agree(Box::new(Agree { what: Agreement::Wanted, first, second, times: Vec::new() })));
            }
        }
        let mut copier = Copier::given(self, &target, &params);
        copier.stms(&self.function.body.stms);
        let results = copier.atoms(&self.function.body.results);
        drop(copier);
        Ok(simplify(target.finish(results)))
    }

    /// The program for arrays of the sizes that these arguments have, as [`specialise`](Program::specialise) has it; scalars may be others.
    ///
    /// ```
    /// use catadiff::array::{Program, trace::{Arr, F64}};
    /// let norm = Program::trace(|x: Arr<F64>| x.dot(x))?;
    /// let in_the_plane = norm.specialise_like(([0.0, 0.0],))?;
    /// assert_eq!(in_the_plane.at::<f64>(([3.0, 4.0],))?, 25.0);
    /// # Ok::<(), catadiff::Error>(())
    /// ```
    ///
    /// # Errors
    /// Those of [`specialise`](Program::specialise), and of arguments that are no arrays.
    pub fn specialise_like(&self, arguments: impl ToValues) -> Result<Program> {
        let known = |argument: &Value<f64>| Static::of_sizes(argument.sizes());
        self.specialise(&arguments.to_values()?.iter().map(known).collect::<Vec<_>>())
    }
}
