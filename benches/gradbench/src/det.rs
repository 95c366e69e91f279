//! `det`: the determinant by minors, expanded along the first row and so on: every product of the `ℓ!` is made.
//!
//! Law: `det A = Σⱼ (−1)ʲ a₀ⱼ det Mⱼ`, with `Mⱼ` without row 0 and column `j`. A minor of size `k` has the last `k` rows,
//! and the columns left by an ordered choice; the minors of one size, `ℓ! / k!` of them, are one array, which simplification leaves out where
//! they are many and small. The program shares none with another choice of the same columns: the benchmark wants the cost of the recursion.

use catadiff::Result;
use catadiff::array::Program;
use catadiff::array::trace::{Arr, F64, I64, iota, literal};
use catadiff::execute::Flat;
use serde_json::Value as Json;

use crate::json::{integer, reals};
use crate::{Task, missing};

/// The determinant of matrices of `ell` rows, given row by row. The program is of length `O(ell)`.
pub(crate) fn objective(ell: usize) -> Result<Program> {
    let program = Program::trace_named(&["A"], |a: Arr<F64>| {
        let rows = a.unflatten(ell, ell);
        let mut columns = vec![literal([iota(ell)])];
        for k in (1..ell).rev() {
            columns.push(columns[columns.len() - 1].map(|left| without_each(left, k)).flatten());
        }
        let mut minors = columns[ell - 1].map(|left| rows.index2(ell - 1, left.first()));
        for k in 2..=ell {
            let (row, columns) = (rows.index(ell - k), columns[ell - k]);
            let signs = literal(&SIGNS.repeat(k.div_ceil(2))[..k]);
            minors =
                columns.map2(minors.unflatten(columns.len(), k), |left, minors| (signs * row.gather(left)).dot(minors));
        }
        minors.first()
    })?;
    Ok(program.simplified())
}

const SIGNS: [f64; 2] = [1.0, -1.0];

/// The lists of `k` of these `k + 1` columns, the first without the first, and so on.
fn without_each(columns: Arr<I64>, k: usize) -> Arr<Arr<I64>> {
    iota(k + 1).map(|gone| iota(k).map(|j| columns.index(j + j.ge(gone).to_i64())))
}

fn parts(input: &Json) -> Result<(Program, Vec<Flat>)> {
    let ell = integer(input, "ell")?;
    let size = usize::try_from(ell).ok().filter(|ell| (1..=12).contains(ell));
    let ell = size.ok_or_else(|| missing("ell", "a size from 1 to 12", &input["ell"]))?;
    Ok((objective(ell)?, vec![reals(input, "A", 1)?]))
}

pub(crate) fn primal(input: &Json) -> Result<Task> {
    let (program, inputs) = parts(input)?;
    Task::value(program, inputs)
}

pub(crate) fn gradient(input: &Json) -> Result<Task> {
    let (program, inputs) = parts(input)?;
    Task::gradient(&program, inputs)
}
