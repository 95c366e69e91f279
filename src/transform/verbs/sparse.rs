//! Sparse Jacobians and Hessians of programs: the pattern by interpretation, its colours as directions of one derivative.
//!
//! Law: the sparse derivative is the dense one, with its rows and columns numbered as elements follow each other; it
//! costs one direction per colour (Curtis, Powell and Reid; Coleman and Moré for symmetric matrices)
//! (laws: array_verbs::sparse).

use std::sync::Arc;

use num_traits::One;

use super::Wrt;
use super::reach::Reach;
use crate::array::{Body, Op, Program, Var};
use crate::carriers::Support;
use crate::derivative::{Colouring, Compression, Pattern, SparseMatrix, choose, standing_alone};
use crate::error::{Error, Result};
use crate::interpret::{FromValues, Scalar, ToValues, Value};

/// A sparse Jacobian or Hessian of a program of which everything but the values is known: the pattern, the colouring, and the
/// program that computes all columns, or rows, of a colour as one.
///
/// The rows are the elements of all results in order, and the columns those of all the parameters that are differentiated by,
/// in the order in which they were said. The other parameters keep the values that they were prepared with: a
/// number of theirs that is 0 can make an entry vanish.
///
/// ```
/// use catadiff::array::{Program, trace::{Arr, F64}};
/// let slopes = Program::trace(|x: Arr<F64>| {
///     let n = x.len();
///     x.drop(1).map2(x.take(n - 1), |b, a| (b - a) * b)
/// })?;
/// let prepared = slopes.prepare_jacobian(.., [0.0; 100])?;
/// assert_eq!(prepared.colouring().count(), 2); // two directions for a hundred columns
/// let (values, jacobian): (Vec<f64>, _) = prepared.values_at([3.0; 100])?;
/// assert_eq!((values[7], jacobian.get(7, 7), jacobian.get(7, 8)), (0.0, -3.0, 3.0));
/// # Ok::<(), catadiff::Error>(())
/// ```
///
/// It is interpreted; [`compile`](SparseDerivative::compile) makes it run on the vector instructions and cores of the machine.
#[derive(Debug)]
pub struct SparseDerivative {
    /// From the parameters and directions to the results and the derivatives in these.
    program: Program,
    arguments: Vec<Value<f64>>,
    by: Vec<usize>,
    /// What the program takes behind the parameters.
    directions: Vec<Value<f64>>,
    pattern: Arc<Pattern>,
    compression: Compression,
    colouring: Colouring,
    /// For each entry, its place among the compressed columns or rows, which come one after the other.
    places: Vec<usize>,
}

/// What a program is on variables.
struct Outline {
    pattern: Pattern,
    arguments: Vec<Value<f64>>,
    parameters: Vec<Vec<usize>>,
    results: Vec<Vec<usize>>,
}

impl Outline {
    fn of(program: &Program, by: &[usize], arguments: Vec<Value<f64>>) -> Result<Self> {
        Error::lengths("the list of arguments", program.function.params.len(), arguments.len())?;
        let mut columns = 0..;
        let mut variable = || Reach::variable(columns.next().expect("there are fewer elements than numbers"));
        let reaching = reaching(&arguments, by, &mut variable);
        let results = program.run(&reaching)?;
        let columns = columns.start;
        if columns == 0 {
            return Err(Error::Empty { what: "what is differentiated by" });
        }
        let pattern = if has_custom(&program.function.body) {
            pulled_pattern(program, by, &arguments, &results)?
        } else {
            Pattern::new(columns, supports(&results))?
        };
        let parameters = by.iter().map(|k| arguments[*k].sizes().to_vec()).collect();
        let results = results.iter().map(|value| value.sizes().to_vec()).collect();
        Ok(Outline { pattern, arguments, parameters, results })
    }
}

/// The arguments with other numbers for the reals that are differentiated by.
fn reaching(arguments: &[Value<f64>], by: &[usize], number: &mut dyn FnMut() -> Reach) -> Vec<Value<Reach>> {
    let mut reaching: Vec<Value<Reach>> = arguments.iter().map(|a| a.map(|x| Reach::Known(*x))).collect();
    by.iter().for_each(|k| reaching[*k] = arguments[*k].map(|_| number()));
    reaching
}

/// The variables that each of the numbers depends on.
fn supports(values: &[Value<Reach>]) -> impl Iterator<Item = Vec<usize>> {
    values.iter().flat_map(Value::elements).map(|element| match element.real() {
        Some(x) => x.clone().support().iter().copied().collect(),
        None => Vec::new(),
    })
}

/// Whether a function in here has derivatives of its own.
fn has_custom(body: &Body) -> bool {
    let inside = |op: &Op| op.bodies().any(has_custom);
    body.stms.iter().any(|stm| matches!(stm.op, Op::Custom(_)) || inside(&stm.op))
}

/// The pattern where derivatives need not follow from values: that of the adjoints that are pulled back, as they
/// depend on the adjoints of results.
fn pulled_pattern(
    program: &Program,
    by: &[usize],
    arguments: &[Value<f64>],
    results: &[Value<Reach>],
) -> Result<Pattern> {
    let mut rows = 0..;
    let mut variable = |_: &Reach| Reach::variable(rows.next().expect("there are fewer elements than numbers"));
    let mut all = reaching(arguments, by, &mut || Reach::Depends(Support::one()));
    all.extend(results.iter().map(|value| value.map(&mut variable)));
    let pulled = program.pulled(by)?.run(&all)?;
    Ok(Pattern::new(rows.start, supports(&pulled[results.len()..]))?.transpose())
}

/// The directions of all colours, in the kinds that a program takes behind `given` parameters and in these sizes: those of parameters for
/// columns, of results for rows.
fn directions(
    program: &Program,
    given: usize,
    colouring: &Colouring,
    sizes: Vec<Vec<usize>>,
) -> Result<Vec<Value<f64>>> {
    let (count, mut colours) = (colouring.count(), colouring.colours());
    let of = |(sizes, taken): (Vec<usize>, &Var)| {
        let (prim, size) = (program.type_of(*taken).prim, sizes.iter().product());
        let (here, rest) = colours.split_at(size);
        colours = rest;
        let entry = move |is_of: bool| Scalar::of_real(prim, if is_of { 1.0 } else { 0.0 });
        let unit = |colour: usize| here.iter().map(move |of| entry(*of == colour));
        Value::array(&[&[count], &sizes[..]].concat(), (0..count).flat_map(unit).collect())
    };
    sizes.into_iter().zip(&program.function.params[given..]).map(of).collect()
}

impl SparseDerivative {
    fn jacobian(program: &Program, by: Vec<usize>, arguments: Vec<Value<f64>>) -> Result<Self> {
        let Outline { pattern, arguments, parameters, results } = Outline::of(program, &by, arguments)?;
        let (compression, colouring) = choose(&pattern);
        let (derivative, sizes) = match compression {
            Compression::Columns => (program.pushed(&by)?, parameters),
            Compression::Rows => (program.pulled(&by)?, results),
        };
        let colours = colouring.colours();
        let place = |(row, column): (usize, usize)| match compression {
            Compression::Columns => colours[column] * pattern.rows() + row,
            Compression::Rows => colours[row] * pattern.columns() + column,
        };
        let places = pattern.iter().map(place).collect();
        let (program, pattern) = (program.many(&derivative)?, Arc::new(pattern));
        let directions = directions(&program, arguments.len(), &colouring, sizes)?;
        Ok(SparseDerivative { program, arguments, by, directions, pattern, compression, colouring, places })
    }

    fn hessian(gradient: &Program, by: Vec<usize>, arguments: Vec<Value<f64>>) -> Result<Self> {
        let Outline { pattern, arguments, parameters: sizes, .. } = Outline::of(gradient, &by, arguments)?;
        // A rule may say of one mixed derivative only that it is zero; the other is zero with it, but computed.
        let pattern = pattern.symmetric()?;
        let colouring = Colouring::star(&pattern)?;
        let alone = standing_alone(&pattern, &colouring).into_iter();
        let places = alone.map(|(row, colour)| colour * pattern.rows() + row).collect();
        let (program, pattern) = (gradient.many(&gradient.pushed(&by)?)?, Arc::new(pattern));
        let directions = directions(&program, arguments.len(), &colouring, sizes)?;
        let compression = Compression::Columns;
        Ok(SparseDerivative { program, arguments, by, directions, pattern, compression, colouring, places })
    }

    /// Where the matrix can be nonzero.
    #[must_use]
    pub fn pattern(&self) -> &Pattern {
        &self.pattern
    }

    /// What is computed together.
    #[must_use]
    pub fn compression(&self) -> Compression {
        self.compression
    }

    /// The colours of the columns or of the rows.
    #[must_use]
    pub fn colouring(&self) -> &Colouring {
        &self.colouring
    }

    /// The program that is run: it takes the parameters, and directions of all colours at once.
    #[must_use]
    pub fn program(&self) -> &Program {
        &self.program
    }

    /// The matrix where the parameters that are differentiated by have these values; they keep their sizes.
    ///
    /// # Errors
    /// [`Error::Length`] if there are more or fewer, or the sizes are others, and as for [`Program::at`].
    pub fn at(&self, arguments: impl ToValues) -> Result<SparseMatrix<f64>> {
        Ok(self.evaluated(&arguments.to_values()?, |all| self.program.run(all))?.1)
    }

    /// The results, which for a Hessian are the gradients, and the matrix.
    ///
    /// # Errors
    /// As for [`at`](SparseDerivative::at), and [`Error::Mismatch`] if the results are of another type.
    pub fn values_at<R: FromValues>(&self, arguments: impl ToValues) -> Result<(R, SparseMatrix<f64>)> {
        let (results, matrix) = self.evaluated(&arguments.to_values()?, |all| self.program.run(all))?;
        Ok((R::from_values(results)?, matrix))
    }

    /// The results and the matrix, with [the program](SparseDerivative::program) run by this.
    pub(crate) fn evaluated(
        &self,
        values: &[Value<f64>],
        run: impl FnOnce(&[Value<f64>]) -> Result<Vec<Value<f64>>>,
    ) -> Result<(Vec<Value<f64>>, SparseMatrix<f64>)> {
        Error::lengths("the list of arguments to differentiate by", self.by.len(), values.len())?;
        let mut arguments = self.arguments.clone();
        for (k, value) in self.by.iter().zip(values) {
            let (expected, found) = (arguments[*k].sizes(), value.sizes());
            Error::lengths("the list of sizes of an argument", expected.len(), found.len())?;
            let same =
                |(expected, found): (&usize, &usize)| Error::lengths("a dimension of an argument", *expected, *found);
            expected.iter().zip(found).try_for_each(same)?;
            arguments[*k] = value.clone();
        }
        arguments.extend(self.directions.iter().cloned());
        let mut results = run(&arguments)?;
        let compressed = results.split_off(results.len() - self.derivatives());
        let lines = self.lines(&compressed);
        let values = self.places.iter().map(|place| lines[*place]).collect();
        Ok((results, SparseMatrix { pattern: Arc::clone(&self.pattern), values }))
    }

    /// How many results of [the program](SparseDerivative::program) are derivatives; they are the last ones.
    #[must_use]
    pub fn derivatives(&self) -> usize {
        match self.compression {
            Compression::Columns => self.program.function.body.results.len() / 2,
            Compression::Rows => self.by.len(),
        }
    }

    /// For each entry of the matrix its place among the derivatives that [the program](SparseDerivative::program) gives, of which all
    /// of one colour come before those of the next.
    #[must_use]
    pub fn places(&self) -> &[usize] {
        &self.places
    }

    /// For each colour the direction that is 1 where it is and 0 elsewhere, in the shapes of what directions are of: what
    /// [the program](SparseDerivative::program) takes behind its parameters.
    #[must_use]
    pub fn directions(&self) -> &[Value<f64>] {
        &self.directions
    }

    /// The derivatives in the directions of each colour, one colour after the other.
    fn lines(&self, derivatives: &[Value<f64>]) -> Vec<f64> {
        let count = self.colouring.count();
        if count == 0 {
            // Without results there are no rows to colour.
            return Vec::new();
        }
        let reals: Vec<Vec<f64>> =
            derivatives.iter().map(|value| value.to_reals().expect("derivatives of reals are real")).collect();
        let of_colour = |colour: usize| {
            reals.iter().flat_map(move |reals| {
                let size = reals.len() / count;
                &reals[colour * size..(colour + 1) * size]
            })
        };
        (0..count).flat_map(of_colour).copied().collect()
    }
}

impl Program {
    /// The Jacobian at these arguments as a sparse matrix. For many points, [prepare](Program::prepare_jacobian) it.
    ///
    /// A program that compares real numbers is refused: its pattern depends on the point. The scalar verb of the same name takes
    /// it there, as a function that runs the program:
    ///
    /// ```
    /// use catadiff::array::{Program, trace::{Arr, F64}};
    /// use catadiff::{interpret::Value, prelude::*};
    /// let relu = Program::trace(|x: Arr<F64>| x.map(|x| x.max(0.0)))?;
    /// let jacobian = sparse_jacobian(
    ///     |x| relu.run(&[Value::reals(&[x.len()], x.iter().copied()).unwrap()]).unwrap()[0].to_reals().unwrap(),
    ///     &[1.0, -2.0, 3.0],
    /// )?;
    /// assert_eq!(jacobian.iter().collect::<Vec<_>>(), [(0, 0, 1.0), (1, 1, 0.0), (2, 2, 1.0)]);
    /// # Ok::<(), catadiff::Error>(())
    /// ```
    ///
    /// ```
    /// use catadiff::{Elementary, array::{Program, trace::{Arr, F64}}};
    /// let f = Program::trace_named(&["a", "x"], |a: Arr<F64>, x: Arr<F64>| (a * x).map(Elementary::exp))?;
    /// let jacobian = f.sparse_jacobian("x", (&[1.0, 0.0, 2.0], &[0.0; 3]))?;
    /// assert_eq!(jacobian.iter().collect::<Vec<_>>(), [(0, 0, 1.0), (2, 2, 2.0)]);
    /// # Ok::<(), catadiff::Error>(())
    /// ```
    ///
    /// # Errors
    /// As for [`prepare_jacobian`](Program::prepare_jacobian).
    pub fn sparse_jacobian(&self, wrt: impl Into<Wrt>, arguments: impl ToValues) -> Result<SparseMatrix<f64>> {
        self.prepare_jacobian(wrt, arguments)?.itself()
    }

    /// The Hessian of the one result at these arguments as a sparse matrix. For many points,
    /// [prepare](Program::prepare_hessian) it.
    ///
    /// ```
    /// use catadiff::{Elementary, array::{Program, trace::{Arr, F64}}};
    /// // A chain of springs whose force is not linear.
    /// let energy = Program::trace(|x: Arr<F64>| {
    ///     let n = x.len();
    ///     x.drop(1).map2(x.take(n - 1), |b, a| (b - a).powi(4)).sum()
    /// })?;
    /// let hessian = energy.sparse_hessian(.., (0..500).map(f64::from).collect::<Vec<_>>())?;
    /// assert_eq!((hessian.get(7, 7), hessian.get(7, 8), hessian.values.len()), (24.0, -12.0, 1498));
    /// # Ok::<(), catadiff::Error>(())
    /// ```
    ///
    /// # Errors
    /// As for [`prepare_hessian`](Program::prepare_hessian).
    pub fn sparse_hessian(&self, wrt: impl Into<Wrt>, arguments: impl ToValues) -> Result<SparseMatrix<f64>> {
        self.prepare_hessian(wrt, arguments)?.itself()
    }

    /// Finds the pattern of the Jacobian, and a colouring of its columns or of its rows, whichever needs fewer colours.
    ///
    /// The program is interpreted on sets of variables, so the pattern holds for all values of the parameters that are
    /// differentiated by. A program that decides on these has no such pattern, and is refused; at a point it is a
    /// [recorded](crate::SparseJacobian) function, as in `sparse_jacobian(|x| program.run(…), &x)`.
    ///
    /// # Errors
    /// [`Error::Undecided`] if a decision depends on what is differentiated by, [`Error::Empty`] if that has no
    /// elements, and as for [`jacobian`](Program::jacobian) and [`at`](Program::at).
    pub fn prepare_jacobian(&self, wrt: impl Into<Wrt>, arguments: impl ToValues) -> Result<SparseDerivative> {
        let by = wrt.into().resolve(self)?;
        self.real_results()?;
        SparseDerivative::jacobian(self, by, arguments.to_values()?)
    }

    /// Finds the pattern of the Hessian of the one result, and a star colouring of it, in the same way.
    ///
    /// # Errors
    /// [`Error::Undecided`] if a decision of the gradient depends on what is differentiated by, [`Error::Empty`] if that
    /// has no elements, and as for [`grad`](Program::grad) and [`at`](Program::at).
    pub fn prepare_hessian(&self, wrt: impl Into<Wrt>, arguments: impl ToValues) -> Result<SparseDerivative> {
        let by = wrt.into().resolve(self)?;
        SparseDerivative::hessian(&self.gradient(&by)?, by, arguments.to_values()?)
    }
}

impl SparseDerivative {
    /// The matrix at the arguments that it was prepared with.
    fn itself(&self) -> Result<SparseMatrix<f64>> {
        let values: Vec<Value<f64>> = self.by.iter().map(|k| self.arguments[*k].clone()).collect();
        self.at(values)
    }
}
