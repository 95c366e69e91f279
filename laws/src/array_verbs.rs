//! Laws of the verbs on array programs: Jacobians by columns, by rows and by colours, and Hessians.
//!
//! Law: `p.jacfwd(..)` is `p.jacrev(..)`, and times a tangent it is `p.jvp(..)`; the sparse Jacobian is the dense one;
//! a Hessian is symmetric, times a direction it is `p.hvp(..)`, and the sparse one is the dense one
//! (tests/array/verbs.rs).

use catadiff::Error;
use catadiff::array::{Prim, Program, Type};
use catadiff::derivative::SparseMatrix;
use catadiff::interpret::{Limits, Value, run};

use crate::array_programs::ArrayProgram;
use crate::array_values::{close, finite, reals, same_sizes, uniform, violation, widened};
use crate::violation::{Verdict, Violation};

/// Random programs can be long; those beyond these limits are passed over.
const LIMITS: Limits = Limits { steps: 20_000_000, elements: 20_000_000 };

/// A program all of whose results are real, with arguments.
struct Point {
    program: Program,
    arguments: Vec<Value<f64>>,
    /// The positions of real parameters.
    by: Vec<usize>,
    /// The number of elements of each result.
    lengths: Vec<usize>,
}

/// The values of a derivative, if it exists, can be computed within the limits, and is finite.
type Found = Result<Option<Vec<Value<f64>>>, Violation>;

impl Point {
    /// The program with only its results of type `f64`; of a given rank, only the first. There is none where results are
    /// infinite or NaN, since so may be anything of a derivative.
    fn new(random: &ArrayProgram, rank: Option<usize>) -> Option<Self> {
        let (program, arguments) = (widened(&random.program()), random.arguments());
        let results = program.function().body.results.iter().map(|a| program.atom_type(*a));
        let fits = |of: Type| of.prim == Prim::F64 && rank.is_none_or(|rank| of.rank == rank);
        let mut real: Vec<usize> = results.enumerate().filter(|(_, of)| fits(*of)).map(|(k, _)| k).collect();
        if rank.is_some() {
            real.truncate(1);
        }
        if real.is_empty() {
            return None;
        }
        let is_real = |k: &usize| program.type_of(program.function().params[*k]).prim.is_real();
        let by = (0..arguments.len()).filter(is_real).collect();
        let program = program.only(&real).expect("these results are there");
        let results = run(&program, &arguments, &LIMITS).ok().filter(|results| finite(results))?;
        let lengths = results.iter().map(|value| value.elements().len()).collect();
        Some(Point { program, arguments, by, lengths })
    }

    fn fails(&self, law: &str, left: impl ToString, right: impl ToString) -> Violation {
        violation(law, &self.program, &self.arguments, left, right)
    }

    /// The results of a derivative at the arguments and these.
    fn derived(&self, law: &str, by: catadiff::Result<Program>, more: &[Value<f64>]) -> Found {
        let derived = match by {
            Ok(derived) => derived,
            Err(Error::NotDifferentiable { .. }) => return Ok(None),
            Err(error) => return Err(self.fails(law, error, "Ok(…)")),
        };
        if let Err(error) = derived.verify() {
            return Err(self.fails(law, format!("{error}\n{derived}"), "a program that verifies"));
        }
        match run(&derived, &[&self.arguments[..], more].concat(), &LIMITS) {
            Ok(results) if finite(&results) => Ok(Some(results)),
            Ok(_) | Err(Error::Budget { .. }) => Ok(None),
            Err(error) => Err(self.fails(law, format!("{error}\n{derived}"), "Ok(…)")),
        }
    }

    /// The entries of a sparse derivative, row by row, if there is one: not of programs that decide on what they are
    /// differentiated by.
    fn compressed(&self, found: catadiff::Result<SparseMatrix<f64>>) -> Result<Option<Vec<f64>>, Violation> {
        match found {
            Ok(found) => Ok(Some(found.to_dense().concat())),
            Err(Error::Undecided { .. } | Error::NotDifferentiable { .. } | Error::Empty { .. }) => Ok(None),
            Err(error) => Err(self.fails("a sparse derivative is there", error, "Ok(…)")),
        }
    }

    fn close(&self, law: &str, left: &[f64], right: &[f64]) -> Verdict {
        if close(left, right) { Ok(()) } else { Err(self.fails(law, format!("{left:?}"), format!("{right:?}"))) }
    }

    /// A tangent for each real parameter.
    fn tangents(&self) -> Vec<Value<f64>> {
        let mut draw = uniform(7);
        self.by.iter().map(|k| self.arguments[*k].map(|_| draw())).collect()
    }

    /// The blocks of a Jacobian, result by result, as one matrix with `rows` rows for each, row by row.
    fn matrix(&self, blocks: &[Value<f64>], rows: &[usize]) -> Vec<Vec<f64>> {
        let mut matrix = Vec::new();
        for (blocks, rows) in blocks.chunks(self.by.len()).zip(rows) {
            let blocks: Vec<Vec<f64>> = blocks.iter().map(|b| b.to_reals().expect("derivatives are real")).collect();
            let row = |i: usize| {
                let part = |b: &Vec<f64>| b[b.len() / rows * i..b.len() / rows * (i + 1)].to_vec();
                blocks.iter().flat_map(part).collect()
            };
            matrix.extend((0..*rows).map(row).collect::<Vec<Vec<f64>>>());
        }
        matrix
    }
}

fn times(matrix: &[Vec<f64>], vector: &[f64]) -> Vec<f64> {
    matrix.iter().map(|row| row.iter().zip(vector).map(|(a, x)| a * x).sum()).collect()
}

/// Jacobians by columns and by rows are one, and times a tangent they are forward mode.
///
/// # Errors
/// The violation.
pub fn jacobians(random: &ArrayProgram) -> Verdict {
    let Some(point) = Point::new(random, None) else { return Ok(()) };
    let law = "p.jacfwd(..) = p.jacrev(..)";
    let Some(columns) = point.derived(law, point.program.jacfwd(..), &[])? else { return Ok(()) };
    let Some(rows) = point.derived(law, point.program.jacrev(..), &[])? else { return Ok(()) };
    let sizes = |values: &[Value<f64>]| values.iter().map(|v| v.sizes().to_vec()).collect::<Vec<_>>();
    if columns.len() != rows.len() || !columns.iter().zip(&rows).all(|(a, b)| same_sizes(a, b)) {
        return Err(point.fails(law, format!("{:?}", sizes(&columns)), format!("{:?}", sizes(&rows))));
    }
    point.close(law, &reals(&columns), &reals(&rows))?;

    let (law, tangents) = ("J t = p.jvp(..) along t", point.tangents());
    let Some(mut pushed) = point.derived(law, point.program.jvp_wrt(..), &tangents)? else { return Ok(()) };
    let pushed = pushed.split_off(pushed.len() / 2);
    let product = times(&point.matrix(&columns, &point.lengths), &reals(&tangents));
    point.close(law, &product, &reals(&pushed))
}

/// The sparse Jacobian is the dense one, of programs that do not decide on what they are differentiated by.
///
/// # Errors
/// The violation.
pub fn sparse(random: &ArrayProgram) -> Verdict {
    let Some(point) = Point::new(random, None) else { return Ok(()) };
    let law = "the sparse Jacobian is the dense one";
    let found = point.compressed(point.program.sparse_jacobian(.., &point.arguments))?;
    let Some(found) = found else { return Ok(()) };
    let Some(dense) = point.derived(law, point.program.jacobian(..), &[])? else { return Ok(()) };
    let dense = point.matrix(&dense, &point.lengths).concat();
    point.close(law, &found, &dense)
}

/// The Hessian of a scalar is symmetric, and times a direction it is `hvp`.
///
/// # Errors
/// The violation.
pub fn hessians(random: &ArrayProgram) -> Verdict {
    let Some(point) = Point::new(random, Some(0)) else { return Ok(()) };
    let law = "a Hessian is symmetric";
    let Some(hessian) = point.derived(law, point.program.hessian(..), &[])? else { return Ok(()) };
    let lengths: Vec<usize> = point.by.iter().map(|k| point.arguments[*k].elements().len()).collect();
    let hessian = point.matrix(&hessian, &lengths);
    let transposed: Vec<f64> = (0..hessian.len()).flat_map(|j| hessian.iter().map(move |row| row[j])).collect();
    point.close(law, &hessian.concat(), &transposed)?;
    if let Some(found) = point.compressed(point.program.sparse_hessian(.., &point.arguments))? {
        point.close("the sparse Hessian is the dense one", &found, &hessian.concat())?;
    }

    let (law, tangents) = ("H t = p.hvp(..) along t", point.tangents());
    let Some(along) = point.derived(law, point.program.hvp(..), &tangents)? else { return Ok(()) };
    point.close(law, &times(&hessian, &reals(&tangents)), &reals(&along))
}
