//! Maps over joined arrays, scans whose first element is another, and loops in order that are one: no detour through memory,
//! and the results of the reference interpreter.

use catadiff::array::Program;
use catadiff::array::trace::{Arr, F64, I64, hist, iota, literal};
use catadiff::interpret::Value;
use catadiff::{Elementary, Result};

use crate::{prepared, same};

/// Lengths at the ends of blocks, and large enough that a loop is shared out.
const LENGTHS: [usize; 8] = [1, 2, 7, 8, 9, 127, 129, 1025];
/// More than are done between two looks at the limits.
const LONG: usize = 70_001;

fn numbers(count: usize) -> Vec<f64> {
    (0..count).map(|k| (k * 7919 % 1013) as f64 / 506.5 - 1.0).collect()
}

fn shifted(y: Arr<F64>) -> Arr<F64> {
    literal([1.0]).concat(y.take(y.len() - 1))
}

#[test]
fn a_map_over_joined_arrays_is_one_of_each_part() -> Result<()> {
    let slopes = Program::trace(|x: Arr<F64>, y: Arr<F64>| x * shifted(y))?;
    let explained = slopes.compile()?.explain();
    assert_eq!(explained.matches("alloc").count(), 1, "{explained}");
    let programs = [
        slopes,
        // What the map takes besides is computed where it is wanted.
        Program::trace(|x: Arr<F64>, y: Arr<F64>| (x * 2.0).map2(shifted(y.map(|y| y.sin())), |x, y| x - y))?,
        // Parts of parts, and parts that are joined in the same places, and in others.
        Program::trace(|x: Arr<F64>, y: Arr<F64>| x.concat(shifted(y)).map2(y.concat(x), |a, b| a - b * 2.0))?,
        Program::trace(|x: Arr<F64>, y: Arr<F64>| x.concat(y).map2(shifted(y.concat(x)), |a, b| a - b * 2.0))?,
        // A part that the map needs as a whole as well.
        Program::trace(|x: Arr<F64>, y: Arr<F64>| x.map2(shifted(y), |a, b| a * x.index(0) + b * y.last()))?,
        // The numbers of elements, which a part has others of.
        Program::trace(|x: Arr<F64>, y: Arr<F64>| iota(x.len()).map2(shifted(y), |k, b| b * k.to_f64()).concat(x))?,
        // Several results, one of which is used again.
        Program::trace(|x: Arr<F64>, y: Arr<F64>| {
            let (a, b): (Arr<F64>, Arr<F64>) = x.map2(shifted(y), |x, y| (x * y, x + y)).unzip();
            (a.map2(b, |a, b| a - b), b)
        })?,
    ];
    for (k, program) in programs.iter().enumerate() {
        for n in LENGTHS.into_iter().chain((k == 0).then_some(LONG)) {
            let (x, y) = (Value::new(numbers(n))?, Value::new(numbers(n + 5)[5..].to_vec())?);
            same(program, &[x.clone(), y.clone()]);
            if n < 200 && k < 5 {
                let sum = |x: Arr<F64>, y: Arr<F64>| program.call::<Arr<F64>>((x, y)).map(|z| z * z).sum();
                for wrt in 0..2 {
                    same(&Program::trace(sum)?.grad(wrt)?, &[x.clone(), y.clone()]);
                }
            }
        }
    }
    Ok(())
}

#[test]
fn joined_rows_are_mapped_in_parts() -> Result<()> {
    let program = Program::trace(|a: Arr<Arr<F64>>, b: Arr<Arr<F64>>, w: Arr<F64>| {
        a.concat(b).map2(w, |row, w| row.map(|x| x * w).sum())
    })?;
    let rows = Program::trace(|a: Arr<Arr<F64>>, b: Arr<Arr<F64>>, w: Arr<F64>| {
        a.concat(b).map2(w, |row, w| row.map(|x| x * w))
    })?;
    for (n, m) in [(0, 3), (1, 1), (2, 40), (129, 1), (300, 17)] {
        let (a, b) = (Value::reals(&[n, 3], numbers(3 * n))?, Value::reals(&[m, 3], numbers(3 * m))?);
        let w = Value::new(numbers(n + m))?;
        same(&program, &[a.clone(), b.clone(), w.clone()]);
        same(&rows, &[a, b, w]);
    }
    Ok(())
}

#[test]
fn bins_in_order_are_added_to_in_place() -> Result<()> {
    let program = Program::trace(|bins: Arr<F64>, x: Arr<F64>, drop: I64| {
        let values = x.map(|x| x * 3.0).take(bins.len() - drop);
        let all = hist(bins.len(), 0.0, iota(values.len()), values, |a, b| a + b);
        all.map2(bins, |a, b| a + b)
    })?;
    for n in LENGTHS {
        for drop in [0, 1, n as i64] {
            same(&program, &[Value::new(numbers(n))?, Value::new(numbers(n))?, drop.into()]);
        }
    }
    same(&program, &[Value::new(numbers(LONG))?, Value::new(numbers(LONG))?, 1_i64.into()]);
    Ok(())
}

/// The powers of numbers, and what is made of them.
fn powers(x: Arr<F64>, t: F64) -> Arr<F64> {
    x.fill(t).with(0, 1.0).scan(1.0, |a, b| a * b)
}

#[test]
fn powers_are_in_no_memory() -> Result<()> {
    let values = Program::trace(|x: Arr<F64>, ts: Arr<F64>| ts.map(|t| x.dot(powers(x, t))))?;
    let explained = values.compile()?.explain();
    let lanes = explained.split("lanes").nth(1).unwrap_or_default();
    assert!(!lanes.split("else").next().unwrap_or_default().contains("alloc"), "{explained}");
    let squares = Program::trace(|x: Arr<F64>, ts: Arr<F64>| ts.map(|t| x.dot(powers(x, t))).map(|r| r * r).sum())?;
    let gradient = squares.grad(0)?;
    // What each point adds is added up as it goes: there is no matrix of powers.
    let explained = gradient.compile()?.explain();
    let lanes = explained.split("else").next().unwrap_or_default();
    assert!(lanes.contains(" += ") && !lanes.contains("+ lane·v"), "{explained}");
    let both = Program::trace(|x: Arr<F64>, ts: Arr<F64>| {
        ts.map(|t| {
            let p = powers(x, t);
            (x.dot(p), p.map(|p| p * 2.0).sum(), p.max())
        })
        .unzip()
    })?;
    for n in [1, 2, 8, 130] {
        for m in [1, 15, 16, 129].into_iter().chain((n == 2).then_some(700)) {
            let (x, ts) = (Value::new(numbers(n))?, Value::new(numbers(m))?);
            for program in [&values, &squares, &gradient, &both] {
                same(program, &[x.clone(), ts.clone()]);
            }
        }
    }
    // There is no first element.
    let none = [Value::new(Vec::<f64>::new())?, Value::new(numbers(20))?];
    let (found, expected) = (values.compile()?.run(&none), values.run(&none));
    assert_eq!(found.unwrap_err().to_string(), expected.unwrap_err().to_string());
    // Alone, and so large that it is done in blocks.
    let alone = Program::trace(|x: Arr<F64>, t: F64| powers(x, t))?;
    for n in [1, 5, 16_384, 17_000] {
        same(&alone, &[Value::new(numbers(n))?, 0.999.into()]);
    }
    Ok(())
}

#[test]
fn what_is_gathered_by_numbers_that_are_known_is_not_looked_at_again() -> Result<()> {
    let program = Program::trace(|x: Arr<F64>, y: Arr<F64>| {
        let places = iota(40).map(|k| iota(3).map(|j| (k * 3 + j) % 7));
        let x = x.unflatten(7, 1).flatten();
        places.map2(y, |places, y| x.gather(places).map(|x| x * y).sum())
    })?;
    let explained = program.compile()?.explain();
    assert!(!explained.contains("check 0 <="), "{explained}");
    let gradient = Program::trace(|x: Arr<F64>, y: Arr<F64>| program.call::<Arr<F64>>((x, y)).map(|z| z * z).sum())?;
    let arguments = [Value::new(numbers(7))?, Value::new(numbers(40))?];
    same(&program, &arguments);
    same(&gradient.grad(0)?, &arguments);
    Ok(())
}

/// The size of a row is what a reduction comes to, not what it starts from.
#[test]
fn rows_as_long_as_a_reduction_says() -> Result<()> {
    let program = Program::parse(
        "program (lengths: [][]i64) {
           let rows = map (lengths) |row: []i64| {
             let n = reduce (row) from (1i64) |a: i64, b: i64| { let c = max(a, b) return c }
             let ones = replicate(n, 1.0f64)
             return ones
           }
           return rows
         }",
    )?;
    let program = prepared(&program);
    for count in [1, 5, 40] {
        let lengths = vec![vec![2_i64, 3, 1]; count];
        program.same(&[Value::new(lengths)?]).unwrap_or_else(|e| panic!("{count} rows: {e}"));
    }
    Ok(())
}

/// What a part is computed from is an array of the map as well, which goes through that at other places.
#[test]
fn a_part_waits_for_what_the_map_goes_through() {
    let slope = Program::trace(|x: Arr<F64>, y: Arr<F64>| {
        let p = x * y;
        x * literal([1.0]).concat(p.take(p.len() - 1))
    });
    let twice = Program::trace(|x: Arr<F64>, y: Arr<F64>| {
        let q = (x * y + 0.5) * y;
        let p = q.drop(1);
        y * (x * p.concat(literal([3.0])))
    });
    for program in [slope.unwrap(), twice.unwrap()] {
        let given = [vec![1.0, 2.0, 3.0, 4.0, 5.0], vec![0.5, 0.25, 4.0, -2.0, 8.0]];
        same(&program, &given.map(|xs| Value::new(xs).expect("a list")));
    }
}

/// A comparison of a size that only what one of the results is computed of has is made with that result, and not with the others.
#[test]
fn comparisons_go_with_the_results_that_they_are_about() -> Result<()> {
    let reduce = |of: &str, operation: &str, neutral: &str| {
        format!(
            "reduce commutative ({of}) from ({neutral}f64) |a: f64, b: f64| {{ let c: f64 = {operation}(a, b) return c }}"
        )
    };
    let program = Program::parse(&format!(
        "program (xss: [][]f64, ys: []f64, m: i64) {{
           let us: []f64, vs: []f64 = map (xss) |xs: []f64| {{
             let both: []f64 = concat(xs, ys)
             let () = agree wanted (size[0](both)) = (m)
             let u: f64 = {}
             let v: f64 = {}
             return u, v
           }}
           let v: f64 = {}
           let u: f64 = {}
           return u, v
         }}",
        reduce("both", "add", "0.0"),
        reduce("xs", "mul", "1.0"),
        // The one that the comparison is not about is computed first.
        reduce("vs", "mul", "1.0"),
        reduce("us", "add", "0.0"),
    ))?;
    for (n, m) in [(3, 5_i64), (3, 6), (0, 5), (40, 5)] {
        let rows: Vec<f64> = numbers(3 * n);
        same(&program, &[Value::reals(&[n, 3], rows)?, Value::reals(&[2], numbers(2))?, Value::from(m)]);
    }
    Ok(())
}
