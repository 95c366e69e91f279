//! Arrays of a few elements, of known sizes, which become scalars before they run: on lanes as in the interpreter.

use catadiff::array::Program;
use catadiff::array::trace::{Arr, F64, I64, hist, if_, iota, literal, loop_for, loop_while, replicate};
use catadiff::interpret::Value;
use catadiff::{Elementary, Result};

use crate::same;

type Vector = Arr<F64>;

/// The program and its derivatives, at points of two numbers.
fn all_same(program: &Program) -> Result<()> {
    for [x, y] in [[0.5, -1.25], [3.0, 0.0], [-0.0, 2.0], [f64::INFINITY, 1.0], [f64::NAN, 1.0]] {
        same(program, &[x.into(), y.into()]);
        same(&program.jvp()?, &[x.into(), y.into(), 1.0.into(), 0.5.into()]);
        let adjoint = [x.into(), y.into(), 1.0.into()];
        same(&program.vjp()?, &adjoint);
        same(&program.vjp()?.simplified().jvp_wrt([0])?, &[&adjoint[..], &[1.0.into()]].concat());
    }
    Ok(())
}

#[test]
fn every_way_to_make_them() -> Result<()> {
    all_same(&Program::trace(|x: F64, y: F64| {
        let v = literal([x, y, x * y]);
        let moved = v.reverse().with(1, y.sin()).take(2).concat(v.drop(1));
        let table = literal([moved.take(2), moved.drop(2)]);
        let turned = table.transpose().map(|row| row.scan(0.0, |a, b| a + b));
        let counted = iota(3).map(|i| v.index(i) * i.to_f64());
        let copies = replicate(2, literal([x, 1.0.into()])).flatten();
        turned.flatten().concat(counted).concat(copies).map(|x| x * x).sum() + table.index(1).index(0) + v.max()
    })?)
}

/// Elements of arrays of any length, at a few places that are known or not.
#[test]
fn few_places_are_read_and_added_to_one_by_one() -> Result<()> {
    let program = Program::trace(|v: Vector, i: I64, j: I64| {
        let picked = literal([i, j, i]).map(|k| v.index(k) * v.index(k));
        picked.index(0) * picked.index(1) + picked.index(2)
    })?;
    let vjp = program.vjp()?;
    for [i, j] in [[0_i64, 1], [2, 2], [1, 3], [-1, 0]] {
        let arguments = [Value::new(vec![0.5, -2.0, 3.0])?, i.into(), j.into()];
        same(&program, &arguments);
        same(&vjp, &[&arguments[..], &[1.5.into()]].concat());
    }
    Ok(())
}

/// Whatever moves elements moves names of scalars.
#[test]
fn what_only_moves_is_no_code() -> Result<()> {
    let moves: [fn(Vector) -> Vector; 8] = [
        |v| v.reverse(),
        |v| v.take(2),
        |v| v.drop(1),
        |v| v.concat(v),
        |v| v.with(1, v.index(0)),
        |v| v.unflatten(1, 3).flatten(),
        |v| literal([v, v.reverse()]).transpose().index(1),
        |v| v.slice(1, 3),
    ];
    for moved in moves {
        let program = Program::trace(|x: F64, y: F64| {
            let last = loop_for(5, literal([x, y, x * y]), |_, v: Vector| {
                let w = moved(v);
                w.take(2).map2(v.drop(1), |a, b| a * 0.5 + b).concat(literal([w.index(0)]))
            });
            last.index(0) - last.index(1) * last.index(2)
        })?;
        all_same(&program)?;
        let code = program.compile()?.explain();
        assert!(!code.contains("lanes") && !code.contains('['), "{code}");
    }
    Ok(())
}

#[test]
fn loops_over_them_are_scalar_code() -> Result<()> {
    let pendulum = Program::trace(|angle: F64, speed: F64| {
        let state = loop_for(7, literal([angle, speed]), |_, s: Vector| {
            let slope = literal([s.index(1), -s.index(0).sin()]);
            s + slope * 0.1
        });
        state.dot(state)
    })?;
    all_same(&pendulum)?;
    let code = pendulum.compile()?.explain();
    assert!(!code.contains("lanes") && !code.contains('['), "{code}");
    // A loop that asks, with branches that give arrays.
    all_same(&Program::trace(|x: F64, y: F64| {
        let going = |(v, n): (Vector, I64)| n.lt(9) & v.dot(v).lt(40.0);
        let (v, _) = loop_while((literal([x, y]), 0), going, |(v, n)| {
            let turned = if_(v.index(0).lt(v.index(1)), || v.reverse() * 1.5, || literal([v.index(1), 1.0.into()]));
            (turned, n + 1)
        });
        v.index(0) - v.index(1)
    })?)
}

#[test]
fn sizes_that_change_or_are_not_known_stay_whole() -> Result<()> {
    let grows = Program::trace(|x: F64, y: F64| {
        loop_for(3, literal([x, y]), |i, v: Vector| v.concat(literal([v.sum() * i.to_f64()]))).sum()
    })?;
    same(&grows, &[0.5.into(), 2.0.into()]);
    same(&grows.vjp()?, &[0.5.into(), 2.0.into(), 1.0.into()]);
    // One state keeps its size in the loop inside only.
    let mixed = Program::trace(|x: F64, y: F64, n: I64| {
        let (v, w) = loop_for(n, (literal([x, y]), literal([x, y])), |i, (v, w): (Vector, Vector)| {
            let inner = loop_for(2, w.take(2), |_, w: Vector| w.reverse() * 0.5 + v);
            (inner, w.concat(literal([i.to_f64()])))
        });
        v.sum() + w.sum()
    })?;
    for n in [0_i64, 1, 4] {
        same(&mixed, &[0.5.into(), 2.0.into(), n.into()]);
        same(&mixed.vjp()?, &[0.5.into(), 2.0.into(), n.into(), 1.0.into()]);
    }
    // Elements are chosen when the program runs, and what is out of bounds is an error as before.
    let chosen = Program::trace(|x: F64, y: F64, i: I64| {
        let v = literal([x, y]).with(i, 7.0);
        v.index(i) + v.index(0) + literal([x, y]).index(i)
    })?;
    for i in [-1_i64, 0, 1, 2] {
        same(&chosen, &[0.5.into(), 2.0.into(), i.into()]);
        same(&chosen.vjp()?, &[0.5.into(), 2.0.into(), i.into(), 1.0.into()]);
    }
    let beyond = Program::trace(|x: F64, y: F64| literal([x, y]).index(2))?;
    same(&beyond, &[0.5.into(), 2.0.into()]);
    // Arrays with rows of unknown length.
    let rows = Program::trace(|x: Vector, y: Vector| literal([x, y, x]).map(|row| row.map(|a| a * a).sum()).max())?;
    for n in [1, 5, 40] {
        let arguments = [Value::new(vec![0.25; n])?, Value::new(vec![-0.5; n])?];
        same(&rows, &arguments);
        same(&rows.vjp()?, &[&arguments[..], &[1.0.into()]].concat());
    }
    same(&rows, &[Value::new(vec![0.25; 2])?, Value::new(vec![0.5; 3])?]);
    Ok(())
}

#[test]
fn scattered_counted_and_empty() -> Result<()> {
    let program = Program::trace(|x: F64, y: F64| {
        let v = literal([x, y, x + y]);
        let to = literal([2, 0, 5]);
        let written = literal([x, x, x]).scatter(to, v);
        let counted = hist(2, 0.0, literal([1, 1, 0]), v, |a, b| a + b);
        let none = v.take(0);
        written.concat(counted).concat(none).concat(replicate(0, x)).dot(v.concat(v.take(2))) + none.sum()
    })?;
    all_same(&program)
}

/// Written out for each element of each array, this would be a quarter of a million sums.
#[test]
fn what_would_be_long_is_not_written_out() -> Result<()> {
    fn nest(depth: usize, x: F64) -> F64 {
        let xs = literal([1, 2, 3, 4, 5, 6, 7, 8].map(|k| x * f64::from(k)));
        if depth == 0 { xs.sum() } else { xs.map(move |x| nest(depth - 1, x) * 0.1).sum() }
    }
    let program = Program::trace(|x: F64| nest(4, x))?;
    let lines = program.compile()?.explain().lines().count();
    assert!(lines < 20_000, "{lines}");
    same(&program, &[0.5.into()]);
    Ok(())
}

/// More operations than there are slots for, of all kinds that scalar code has, in a loop that carries their results.
#[test]
fn long_scalar_code() -> Result<()> {
    let program = Program::trace(|x: F64, n: I64| {
        let (a, b, k) = loop_for(n, (x, x * 0.5, n), |i, (mut a, mut b, mut k): (F64, F64, I64)| {
            for step in 0..150 {
                let larger = a.lt(b) & (k + step).lt(500);
                (a, b) = (b - a * 0.01, if_(larger, || a / (b * b + 1.0), || (a * a + 0.5).sqrt() + b.abs() * 0.25));
                k += i;
                if step % 40 == 0 {
                    a += k.to_f64() * 1e-6;
                }
            }
            (a, b, k)
        });
        (a, b, k, a * b)
    })?;
    for n in [0_i64, 1, 2, 5] {
        for x in [0.25, -3.0, f64::NAN, f64::NEG_INFINITY] {
            same(&program, &[x.into(), n.into()]);
        }
    }
    Ok(())
}

/// What inner branches find goes through the outer ones; some of it is looked at on the way, and states change places.
#[test]
fn branches_inside_of_branches() -> Result<()> {
    let program = Program::trace(|x: F64, y: F64| {
        let (v, w, k) = loop_for(12, (x, y, 0), |i, (v, w, k): (F64, F64, I64)| {
            if_(
                v.lt(w),
                || {
                    let (a, b, n) = if_(
                        (v * w).lt(1.0),
                        || if_(k.lt(5), || (w, v + 1.0, k + 2), || (v * 0.5, w, k - i)),
                        || (v - w, w - v, k),
                    );
                    (b + a, a, n)
                },
                || if_(i.lt(6), || (w, v, k + 1), || if_(w.lt(0.0), || (v, -w, k), || (w * 0.5, v * 0.25, i))),
            )
        });
        v - w * k.to_f64()
    })?;
    let code = program.compile()?.explained_passes();
    let pass = code.iter().position(|(name, _)| *name == "forwarding of branch results").expect("there is this pass");
    let [before, after] = [pass - 1, pass].map(|pass: usize| code[pass].1.matches(":=").count());
    assert!(after < before, "{before} and {after}");
    all_same(&program)
}
