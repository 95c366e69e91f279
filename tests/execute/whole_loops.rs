//! Loops that lanes do by one instruction, and such that are nearly so: as in the interpreter, and as short as they are said to be.

use catadiff::Result;
use catadiff::array::Program;
use catadiff::array::trace::{Arr, F64, I64, iota, literal, loop_for};
use catadiff::execute::Lanes;
use catadiff_laws::executors;

use crate::loops::array;
use crate::same;

type Vector = Arr<F64>;
type Matrix = Arr<Vector>;

/// All products of two of these: elements, their differences and their sum.
#[test]
fn products_and_squares_are_summed_up() -> Result<()> {
    let factors = |a: F64, b: F64| [a, b, a - b, b - a, a + b];
    for (f, g) in (0..25).map(|k| (k / 5, k % 5)) {
        let sums = Program::trace(|table: Matrix, by: Vector| {
            table.transpose().map(|column| column.map2(by, |a, b| factors(a, b)[f] * factors(a, b)[g]).sum())
        })?;
        for [n, k] in [[1, 1], [17, 3], [130, 5]] {
            same(&sums, &[array(&[k, n], 1), array(&[k], 2)]);
        }
    }
    Ok(())
}

/// By what the next power is the one before it: what stays the same in the loop, and what does not.
#[test]
fn powers_are_by_what_stays_the_same() -> Result<()> {
    for which in 0..8 {
        let sums = Program::trace(|xs: Vector, ts: Vector, c: F64| {
            ts.map(|t| {
                loop_for(xs.len(), (c, t), |i, (sum, power): (F64, F64)| {
                    let x = xs.index(i);
                    let next = if which < 4 { sum + x * power } else { power * x + sum };
                    let by = [t, c, x, sum, next, power, t + c, F64::from(-0.5)][which];
                    (next, if which % 2 == 0 { power * by } else { by * power })
                })
            })
        })?;
        for (n, k) in [(1, 3), (9, 0), (33, 1), (130, 7)] {
            same(&sums, &[array(&[k], 3), array(&[n], 4), 0.75.into()]);
        }
    }
    Ok(())
}

/// Powers of each lane, in rows, in columns, in a part of a row, and beside their sum.
fn powers() -> Result<Vec<Program>> {
    let row = |x: F64, n: I64, from: F64| {
        let none = iota(n).map(|_| F64::from(0.0));
        loop_for(n, (from, none), |i, (power, row): (F64, Vector)| {
            let row = row.with(i, power);
            (power * x, row)
        })
    };
    Ok(vec![
        Program::trace(|xs: Vector, n: I64| xs.map(|x| row(x, n, x).1))?,
        Program::trace(|xs: Vector, n: I64| xs.map(|x| row(x, n, 1.0.into()).1).transpose())?,
        Program::trace(|xs: Vector, n: I64| {
            xs.map(|x| {
                let none = iota(n + 2).map(|_| x);
                loop_for(n, (x, none), |i, (power, row): (F64, Vector)| (power * x, row.with(i + 1, power))).1
            })
        })?,
        Program::trace(|xs: Vector, n: I64| {
            let none = iota(n).map(|_| xs);
            let columns = loop_for(n, (xs, none), |i, (powers, columns): (Vector, Matrix)| {
                let columns = columns.with(i, powers);
                (powers.map2(xs, |power, x| power * x), columns)
            });
            columns.1
        })?,
        Program::trace(|xs: Vector, n: I64| {
            let sums = xs.map(|x| loop_for(n, (x * 0.0, x), |i, (sum, power)| (sum + i.to_f64() * power, power * x)));
            sums.unzip().0
        })?,
    ])
}

/// Loops of products, squares and powers take one step where others take one for each iteration.
#[test]
fn loops_in_registers_are_one_step() -> Result<()> {
    let powers = |by: Vector, x: F64| by.fill(x).with(0, 1.0).scan(1.0, |a, b| a * b);
    let sums = Program::trace(|_: Matrix, by: Vector, xs: Vector| xs.map(|x| by.dot(powers(by, x))))?;
    let squares =
        Program::trace(|_: Matrix, by: Vector, xs: Vector| xs.map(|x| by.dot(powers(by, x))).map(|y| y * y).sum())?;
    let dots = Program::trace(|t: Matrix, by: Vector, _: Vector| t.transpose().map(|column| column.dot(by)))?;
    let distances =
        Program::trace(|t: Matrix, by: Vector, _: Vector| t.transpose().map(|x| (x - by).map(|d| d * d).sum()))?;
    // A gradient begins with zeros, of which each is a lane.
    for (program, zeros) in [(dots, 0), (distances, 0), (sums, 0), (squares.grad(1)?, 1)] {
        let arguments = |n: usize| [array(&[n, 20], 5), array(&[n], 6), array(&[20], 7)];
        let steps = |n: usize| executors::keeps_to_limits(&Lanes, &program, &arguments(n));
        let [few, many] = [5, 500].map(|n| steps(n).unwrap_or_else(|e| panic!("{e}\n{program}")));
        // Loops over lanes may have some blocks more.
        assert!(many < few + 10 + 495 * zeros, "{few} and {many} steps of {program}");
    }
    Ok(())
}

#[test]
fn powers_are_kept() -> Result<()> {
    for program in powers()? {
        let vjp = program.vjp()?;
        for lanes in [0, 1, 8, 9, 33, 129] {
            for n in [0_i64, 1, 2, 9] {
                let arguments = [array(&[lanes], 5), n.into()];
                same(&program, &arguments);
                let adjoint = program.run(&arguments)?.remove(0);
                same(&vjp, &[&arguments[..], &[adjoint]].concat());
            }
        }
    }
    Ok(())
}

/// Rows are changed where they are, whatever the other states start from: a run takes some steps more for each iteration more,
/// and so does its derivative, which goes through them thrice, and of the last program copies the adjoint once as it begins; a copy takes
/// as many as a row has elements, 20.
#[test]
fn rows_are_kept_without_copies() -> Result<()> {
    for (program, copies) in powers()?.into_iter().zip([0, 0, 0, 1]) {
        let vjp = program.vjp()?;
        let taken = |n: usize| -> Result<[u64; 2]> {
            let arguments = [array(&[20], 5), (n as i64).into()];
            let adjoint = program.run(&arguments)?.remove(0);
            let with_adjoint = [&arguments[..], &[adjoint]].concat();
            let steps = [(&program, &arguments[..]), (&vjp, &with_adjoint)]
                .map(|(program, arguments)| executors::keeps_to_limits(&Lanes, program, arguments));
            Ok(steps.map(|steps| steps.unwrap_or_else(|e| panic!("{e}\n{program}"))))
        };
        let (few, many) = (taken(50)?, taken(200)?);
        for k in 0..2 {
            assert!(
                many[k] - few[k] <= 150 * (4 + (3 + 20 * copies) * k as u64) + 20,
                "{few:?} and {many:?} steps of {program}"
            );
        }
    }
    Ok(())
}

/// Lanes at a distance of one, two or three elements, in rows of as many: their products with a vector, and copies of them.
#[test]
fn lanes_are_apart() -> Result<()> {
    for apart in 1..=3 {
        for which in 0..apart {
            let columns = move |table: Matrix, n: I64| {
                table.map(|row| row.unflatten(n, apart)).permute([2, 0, 1]).index(which).transpose()
            };
            let programs = [
                Program::trace(|t: Matrix, n: I64, by: Vector| columns(t, n).map(|line: Vector| line.dot(by)))?,
                Program::trace(|t: Matrix, n: I64, by: Vector| columns(t, n).map(|line: Vector| (line * by).max()))?,
                Program::trace(|t: Matrix, n: I64, by: Vector| (columns(t, n), by))?,
                Program::trace(|t: Matrix, n: I64, by: Vector| {
                    columns(t, n).map(|line: Vector| (line - by).map(|x| x * x).sum())
                })?,
            ];
            for program in &programs {
                for [k, n] in [[1, 1], [3, 8], [9, 17], [5, 130]] {
                    let n_apart = n * usize::try_from(apart).expect("it is positive");
                    let arguments = [array(&[k, n_apart], 6), (n as i64).into(), array(&[k], 7)];
                    same(program, &arguments);
                    let adjoints = program.run(&arguments)?;
                    same(&program.vjp_wrt([0, 2])?, &[&arguments[..], &adjoints].concat());
                }
            }
        }
    }
    Ok(())
}

/// What is put into a part of an array leaves the rest as it is, also where the last lanes do not fill a group.
#[test]
fn rows_end_where_their_part_does() -> Result<()> {
    let three = |x: F64, y: F64| literal([x, y, x * y]);
    let programs = [
        Program::trace(|t: Arr<Matrix>, x: Vector| t.with(0, x.map(|x| three(x, x + 1.0))))?,
        Program::trace(|t: Arr<Matrix>, x: Vector| t.with(1, x.map(|x| three(x, x + 1.0))))?,
        Program::trace(|t: Arr<Matrix>, x: Vector| x.map(|x| three(x, x + 1.0)).concat(t.index(0)))?,
        Program::trace(|t: Arr<Matrix>, x: Vector| {
            let last = x.map(|x| three(x, x - 1.0));
            let sum = last.map(|row| row.sum()).sum();
            (x.map(|x| three(x, sum)).concat(last), t.len())
        })?,
        Program::trace(|t: Arr<Matrix>, x: Vector| {
            loop_for(t.len(), t, |i, t| t.with(t.len() - 1 - i, x.map(|x| three(x, i.to_f64()))))
        })?,
    ];
    for program in &programs {
        for n in [1, 5, 8, 13, 129] {
            same(program, &[array(&[3, n, 3], 8), array(&[n], 9)]);
        }
    }
    Ok(())
}
