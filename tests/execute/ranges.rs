//! Which accesses are inside of their arrays for sure, and which checks and choices are decided before a run.

use catadiff::Elementary;
use catadiff::array::Program;
use catadiff::array::trace::{Arr, F64, I64, if_, iota, literal, loop_for};
use catadiff::interpret::Value;
use catadiff_laws::executors::same;

/// How many accesses there are in the code of a program, and how many of them are inside for sure; and how many checks are left.
#[derive(Debug, PartialEq, Eq)]
struct Found {
    accesses: usize,
    inside: usize,
    checks: usize,
}

fn found(program: &Program) -> Found {
    let code = program.compile().expect("it is compiled").explain();
    let is_code =
        |line: &&str| !["alloc", "output", "input", "constant", "product"].iter().any(|word| line.starts_with(word));
    let lines: Vec<&str> = code.lines().map(|line| line.trim_start()).filter(is_code).collect();
    let count = |holds: &dyn Fn(&str) -> bool| lines.iter().filter(|line| holds(line)).count();
    Found {
        accesses: count(&|line| line.contains('[')),
        inside: count(&|line| line.contains("]!")),
        checks: count(&|line| line.starts_with("check ")),
    }
}

/// All accesses are inside, and this many checks are left.
#[track_caller]
fn all_inside(program: &Program, checks: usize) {
    let Found { accesses, inside, checks: left } = found(program);
    assert!(accesses > 0 && accesses == inside, "{inside} of {accesses}\n{}", program.compile().unwrap().explain());
    assert_eq!(left, checks, "{}", program.compile().unwrap().explain());
}

/// This many accesses may be outside.
#[track_caller]
fn outside(program: &Program, count: usize) {
    let Found { accesses, inside, .. } = found(program);
    assert_eq!(accesses - inside, count, "{}", program.compile().unwrap().explain());
}

#[test]
fn loops_are_inside_of_what_they_go_over() {
    all_inside(&Program::trace(|xs: Arr<F64>| xs.map(|x| x.sin())).unwrap(), 0);
    all_inside(&Program::trace(|xs: Arr<F64>| xs.map(|x| x * x).sum()).unwrap(), 0);
    // Of two arrays it is checked that they have one length.
    all_inside(&Program::trace(|xs: Arr<F64>, ys: Arr<F64>| xs.map2(ys, |x, y| x * y)).unwrap(), 1);
    all_inside(&Program::trace(|rows: Arr<Arr<F64>>| rows.map(|row| row.map(|x| x * x).sum())).unwrap(), 0);
    let normal = Program::trace(|rows: Arr<Arr<F64>>| {
        rows.map(|row| {
            let all = row.sum();
            row.map(|x| x / all)
        })
    });
    // That the result has no more than 2^31 elements.
    all_inside(&normal.unwrap(), 1);
}

#[test]
fn products_of_sizes_bound_what_is_stored_row_by_row() {
    let outer = Program::trace(|xs: Arr<F64>, ys: Arr<F64>| xs.map(|x| ys.map(|y| x * y))).unwrap();
    all_inside(&outer, 1);
    let cube = Program::trace(|xs: Arr<F64>| xs.map(|x| xs.map(|y| xs.map(|z| x * y * z)))).unwrap();
    all_inside(&cube, 1);
}

#[test]
fn neighbours_are_inside_where_the_index_is() {
    let stencil = Program::trace(|xs: Arr<F64>| {
        let n = xs.len();
        iota(n - 2).map(|i| xs.index(i) - xs.index(i + 1) * 2.0 + xs.index(i + 2))
    });
    // That there are two at least.
    all_inside(&stencil.unwrap(), 1);
    let clamped = Program::trace(|xs: Arr<F64>| {
        let n = xs.len();
        iota(n).map(|i| xs.index((i + 1).min(n - 1)) - xs.index((i - 1).max(0)))
    });
    all_inside(&clamped.unwrap(), 0);
    let around = Program::trace(|xs: Arr<F64>| {
        let n = xs.len();
        iota(n).map(|i| xs.index((i + 1) % n))
    });
    all_inside(&around.unwrap(), 1);
}

#[test]
fn an_index_that_was_checked_is_inside() {
    // The check is made in each lane, and the load after it is not.
    let gather = Program::trace(|xs: Arr<F64>, at: Arr<I64>| at.map(|k| xs.index(k) * 2.0)).unwrap();
    all_inside(&gather, 1);
    // A row of a matrix, at an index that is known at run time alone.
    let row =
        Program::trace(|rows: Arr<Arr<F64>>, at: Arr<I64>| at.map(|k| rows.index(k).map(|x| x * x).sum())).unwrap();
    all_inside(&row, 1);
    // What is checked twice is checked once.
    let twice = Program::trace(|xs: Arr<F64>, k: I64| xs.index(k) + xs.map(|x| x * xs.index(k)).sum()).unwrap();
    assert_eq!(found(&twice).checks, 1);
    // Scatters leave out what is outside, and are masked.
    let scattered =
        Program::trace(|rows: Arr<Arr<F64>>, at: Arr<I64>, by: Arr<Arr<F64>>| rows.scatter(at, by)).unwrap();
    all_inside(&scattered, 3);
}

#[test]
fn tables_that_are_always_the_same_bound_what_they_index() {
    let permuted = Program::trace(|xs: Arr<F64>| {
        let table = iota(20).map(|k| (k * 7) % 20);
        let twenty = literal([0.0; 20]).map2(xs, |zero, x| zero + x);
        table.map(|k| twenty.index(k))
    });
    all_inside(&permuted.unwrap(), 1);
}

#[test]
fn what_loops_carry_keeps_its_length() {
    let smoothed = Program::trace(|xs: Arr<F64>, times: I64| {
        let n = xs.len();
        loop_for(times, xs, |_, xs| iota(n).map(|i| (xs.index(i) + xs.index((i + 1).min(n - 1))) * 0.5))
    });
    let smoothed = smoothed.unwrap();
    outside(&smoothed, 0);
    let xs = Value::new((0..37).map(f64::from).collect::<Vec<_>>()).unwrap();
    for times in [0_i64, 1, 2, 5] {
        same(&catadiff::execute::Lanes, &smoothed, &[xs.clone(), times.into()]).unwrap();
    }
}

/// What may be outside is not said to be inside.
#[test]
fn what_nothing_bounds_is_looked_at() {
    // An index that is not looked at before: lanes without the condition load there as well.
    let maybe = Program::trace(|xs: Arr<F64>, at: Arr<I64>| {
        at.map(|k| if_(k.ge(0) & k.lt(xs.len()), || xs.index(k.max(0)) * 2.0, || xs.index(0)))
    });
    let maybe = maybe.unwrap();
    assert!(found(&maybe).inside < found(&maybe).accesses, "{}", maybe.compile().unwrap().explain());
    // A sum of sizes may be beyond 64 bits, if nothing says what they are.
    let wrapped = Program::trace(|xs: Arr<F64>, a: I64, b: I64| {
        let n = a * b;
        iota(n).map(|i| i.to_f64()).sum() + xs.index((a * b).min(xs.len() - 1).max(0))
    });
    let wrapped = wrapped.unwrap();
    for (a, b) in [(3, 4), (0, 5)] {
        let xs = Value::new([1.0, 2.0]).unwrap();
        same(&catadiff::execute::Lanes, &wrapped, &[xs, Value::from(a as i64), Value::from(b as i64)]).unwrap();
    }
}

/// What was found under one condition is not taken for found under another, of which as much is known.
#[test]
fn what_is_found_holds_where_it_was_found() {
    let twice = Program::trace(|xs: Arr<F64>, a: I64, b: I64| {
        let n = xs.len();
        let asked = |by: f64| {
            if_(a.lt(n + 1), move || xs.map(move |x| x.sin() * by).sum(), move || xs.map(move |x| x.cos() * by).sum())
        };
        let first = if_(a.lt(n), || asked(1.0), || xs.map(|x| x.exp()).sum());
        first + if_(b.lt(n), || asked(2.0), || xs.map(|x| x.exp() * 2.0).sum())
    });
    let twice = twice.unwrap();
    // Of the four choices the one that follows from another is gone. Those of forms of loops ask for `lessorequal`.
    let code = twice.compile().unwrap().explain();
    let asked = code.lines().filter_map(|line| line.trim_start().split_once(" = less(")).map(|(value, _)| value);
    let chosen = asked.filter(|value| code.lines().any(|line| line.trim_start() == format!("if {value}"))).count();
    assert_eq!(chosen, 3, "{code}");
    for (a, b) in [(0, 0), (0, 9), (9, 0), (9, 9)] {
        let xs = Value::new([0.5, 1.0]).unwrap();
        same(&catadiff::execute::Lanes, &twice, &[xs, Value::from(a as i64), Value::from(b as i64)]).unwrap();
    }
}

/// Of two forms of a loop, one for many rows and one for few, the one that the size does not ask for is not there.
#[test]
fn known_sizes_leave_one_form_of_a_loop() {
    let of = |rows: i64| {
        let program = Program::trace(move |xs: Arr<F64>| iota(rows).map(|i| xs.map(|x| x * i.to_f64()))).unwrap();
        program.compile().unwrap().explain()
    };
    for rows in [3, 1000] {
        let code = of(rows);
        assert!(!code.contains("if "), "{code}");
    }
    let any = Program::trace(|xs: Arr<F64>, n: I64| iota(n).map(|i| xs.map(|x| x * i.to_f64()))).unwrap();
    assert!(any.compile().unwrap().explain().contains("if "));
}
