//! Tracing: which program each closure is, and what closures cannot do.

use std::cell::{Cell, RefCell};
use std::panic::{AssertUnwindSafe, catch_unwind};

use catadiff::array::trace::{
    Arr, Bool, F16, F32, F64, Handle, I32, I64, custom, hist, if_, iota, literal, loop_for, loop_for_with, loop_while,
    loop_while_with, replicate, stop_gradient, tabulate, tabulate2d,
};
use catadiff::array::{Atom, Body, Const, Form, Op, Policy, Program};
use catadiff::primitives::{Rule, f16};
use catadiff::{Elementary, Error, Mistake, Real, Scalar, Semiring};

/// The nesting of a program in words, such as `map(mul; reduce(add))`: what each statement is, and what is inside it.
fn outline(program: &Program) -> String {
    assert_eq!(program.verify(), Ok(()));
    inside(&program.function().body)
}

fn inside(body: &Body) -> String {
    body.stms.iter().map(|stm| statement(&stm.op)).collect::<Vec<_>>().join("; ")
}

fn within(name: &str, bodies: &[&Body]) -> String {
    format!("{name}({})", bodies.iter().map(|body| inside(body)).collect::<Vec<_>>().join(" | "))
}

fn statement(op: &Op) -> String {
    match op {
        Op::Scalar(op, _) => format!("{op:?}").to_lowercase(),
        Op::If(_, yes, no) => within("if", &[yes, no]),
        Op::Loop(it) => match &it.form {
            Form::For(..) => within("for", &[&it.body]),
            Form::While { condition, .. } => within("while", &[condition, &it.body]),
        },
        Op::Map(it) => within("map", &[&it.function.body]),
        Op::Reduce(it) => within("reduce", &[&it.operator.body]),
        Op::Scan(it) => within("scan", &[&it.operator.body]),
        Op::Hist(it) => within("hist", &[&it.operator.body]),
        Op::Custom(it) => within("custom", &[&it.function.body, &it.pullback.body]),
        other => {
            let name = format!("{other:?}");
            name.split(['(', ' ']).next().unwrap_or_default().to_lowercase()
        }
    }
}

/// The types of the parameters and of the results.
fn signature(program: &Program) -> String {
    let params = program.function().params.iter().map(|var| program.type_of(*var).to_string());
    let results = program.function().body.results.iter().map(|atom| program.atom_type(*atom).to_string());
    format!("{} -> {}", params.collect::<Vec<_>>().join(", "), results.collect::<Vec<_>>().join(", "))
}

macro_rules! traces {
    ($($(#[$attribute:meta])* $name:ident: $closure:expr => $signature:literal, $outline:literal;)+) => {$(
        $(#[$attribute])*
        #[test]
        fn $name() {
            let program = Program::trace($closure).expect("the closure describes a program");
            assert_eq!((signature(&program).as_str(), outline(&program).as_str()), ($signature, $outline));
        }
    )+};
}

fn sq<R: Real>(x: R) -> R {
    x * x
}

fn horner<S: Semiring>(coefficients: [S; 3], x: S) -> S {
    coefficients.into_iter().fold(S::zero(), |sum, c| sum * x.clone() + c)
}

traces! {
    k_means: |points: Arr<Arr<F64>>, centres: Arr<Arr<F64>>| {
        points.map(|p| centres.map(|c| (p - c).map(sq).sum()).min()).sum()
    } => "[][]f64, [][]f64 -> f64",
        "map(map(map(row(sub)); map(mul); reduce(add)); reduce(row(min))); reduce(add)";

    generic_functions_of_a_semiring: |x: F64, n: I64| (horner([1.0.into(), x, x], x), horner([n, 2.into(), n], n))
        => "f64, i64 -> f64, i64", "mul; add; mul; add; mul; add; mul; add; mul; add; mul; add";
    singles: |x: F32| (x.sin() * 2.0, 1.0 / x, x.to_f64())
        => "f32 -> f32, f32, f64", "row(sin); mul; row(div); convert(f64)";
    integers: |m: I64, n: I32| ((m + 1) / 2 % m, 7 - n * 3, (m & 1) | m << 2, m.to_i32().max(n).pow(2))
        => "i64, i32 -> i64, i32, i64, i32",
        "add; integer(div); integer(mod); mul; integer(sub); integer(and); integer(shl); integer(or); convert(i32); \
         integer(max); integer(pow)";
    comparisons: |x: F64, n: I32, b: Bool| (x.lt(0.0) & n.ge(3) | !b ^ x.ne(x), x.eq(x), x.gt(1.0), x.le(2.0))
        => "f64, i32, bool -> bool, bool, bool, bool",
        "less; lessorequal; mul; not; equal; not; equal; not; add; equal; less; lessorequal";

    map2: |x: Arr<F64>, y: Arr<I64>| x.map2(y, |x, n| x * n.to_f64())
        => "[]f64, []i64 -> []f64", "map(convert(f64); mul)";
    map3: |x: Arr<F64>, y: Arr<F64>, z: Arr<F64>| x.map3(y, z, |x, y, z| x * y + z)
        => "[]f64, []f64, []f64 -> []f64", "map(mul; add)";
    zip_and_unzip: |x: Arr<F64>, y: Arr<I64>| { let (y, x) = x.zip(y).map(|(x, n)| (n, x + 1.0)).unzip(); (x, y) }
        => "[]f64, []i64 -> []f64, []i64", "map(add)";
    reduce: |x: Arr<(F64, F64)>| x.reduce((1.0, 0.0), |(a, b), (c, d)| (a * c, b * c + d))
        => "[]f64, []f64 -> f64, f64", "reduce(mul; mul; add)";
    scan: |x: Arr<F64>| x.scan(0.0, |x, y| x + y) => "[]f64 -> []f64", "scan(add)";
    scatter: |x: Arr<(F64, Arr<I64>)>, i: Arr<I64>, v: Arr<(F64, Arr<I64>)>| x.scatter(i, v)
        => "[]f64, [][]i64, []i64, []f64, [][]i64 -> []f64, [][]i64", "scatter; scatter";
    histogram: |i: Arr<I64>, v: Arr<(F64, I64)>| hist(10, (0.0, 0), i, v, |(x, m), (y, n)| (x + y, m + n))
        => "[]i64, []f64, []i64 -> []f64, []i64", "replicate; replicate; hist(add; add)";
    reduce_by_index: |x: Arr<F64>, i: Arr<I64>| x.reduce_by_index(f64::NEG_INFINITY, i, x, |x, y| x.max(y))
        => "[]f64, []i64 -> []f64", "hist(row(max))";
    gather: |x: Arr<Arr<F64>>, i: Arr<I64>| x.gather(i) => "[][]f64, []i64 -> [][]f64", "map(index)";
    tabulated: |n: I64| (tabulate(n, |i| i * i), tabulate2d(n, 3, |i, j| (i + j).to_f64()), iota(4_usize))
        => "i64 -> []i64, [][]f64, []i64", "iota; map(mul); iota; iota; map(map(add; convert(f64))); iota";
    replicated: |n: I64, x: Arr<F64>| (replicate(n, x), replicate(3, (1.0, true)), x.fill(2.0))
        => "i64, []f64 -> [][]f64, []f64, []bool, []f64", "replicate; replicate; replicate; size; replicate";
    shapes: |x: Arr<Arr<F64>>| (x.transpose(), x.flatten(), x.flatten().unflatten(2, 3), x.reshape([1, 2, 3]))
        => "[][]f64 -> [][]f64, []f64, [][]f64, [][][]f64",
        "permute; size; size; mul; reshape; size; size; mul; reshape; reshape; reshape";
    flattening_keeps_inner_dimensions: |x: Arr<Arr<Arr<(F64, I64)>>>| x.flatten().unflatten(2, 3).permute([1, 0])
        => "[][][]f64, [][][]i64 -> [][][]f64, [][][]i64",
        "size; size; mul; size; reshape; size; reshape; size; reshape; size; reshape; permute; permute";
    parts: |x: Arr<Arr<F64>>, i: I64| (x.index(i).index(0), x.index2(i, i), x.first(), x.last(), x.len())
        => "[][]f64, i64 -> f64, f64, []f64, []f64, i64",
        "index; index; index; index; size; integer(sub); index; size";
    slices: |x: Arr<F64>, n: I64| (x.take(n), x.drop(n), x.slice(1, n), x.range(n, 3, -1), x.reverse().concat(x))
        => "[]f64, i64 -> []f64, []f64, []f64, []f64, []f64",
        "slice; size; integer(sub); slice; integer(sub); slice; slice; reverse; concat";
    updates: |x: Arr<Arr<F64>>, y: Arr<(F64, Bool)>| (x.with2(0, 1, 2.0), x.with(0, x.last()), y.with(3, (1.0, true)))
        => "[][]f64, []f64, []bool -> [][]f64, [][]f64, []f64, []bool",
        "update; size; integer(sub); index; update; update; update";
    diagonal: |x: Arr<Arr<F64>>| x.diagonal() => "[][]f64 -> []f64", "size; size; integer(min); iota; map(index)";

    rows_are_added_by_columns: |x: Arr<Arr<F64>>| x.sum()
        => "[][]f64 -> []f64", "size; replicate; reduce(map(add))";
    extrema: |x: Arr<F64>, n: Arr<I32>| (x.max(), x.product(), n.min(), n.max(), n.sum())
        => "[]f64, []i32 -> f64, f64, i32, i32, i32",
        "reduce(row(max)); reduce(mul); reduce(integer(min)); reduce(integer(max)); reduce(add)";
    first_least: |n: Arr<I64>| n.argmin()
        => "[]i64 -> i64", "size; iota; reduce(less; equal; less; mul; add; if( | ))";
    dot: |x: Arr<F64>, y: Arr<F64>| x.dot(y) => "[]f64, []f64 -> f64", "map(mul); reduce(add)";
    matmul: |x: Arr<Arr<F64>>, y: Arr<Arr<F64>>| x.matmul(y)
        => "[][]f64, [][]f64 -> [][]f64", "permute; map(map(map(mul); reduce(add)))";
    matvec: |x: Arr<Arr<F64>>, y: Arr<F64>| x.matvec(y)
        => "[][]f64, []f64 -> []f64", "map(map(mul); reduce(add))";
    quantifiers: |b: Arr<Bool>| (b.all(), b.any()) => "[]bool -> bool, bool", "reduce(mul); reduce(add)";
    broadcasting: |x: Arr<Arr<F64>>, s: F64| 2.0 * x - (s / x) * s + 1.0
        => "[][]f64, f64 -> [][]f64",
        "map(map(mul)); map(map(row(div))); map(map(mul)); map(map(row(sub))); map(map(add))";
    broadcasting_integers: |x: Arr<I64>, y: Arr<I32>, n: I64| (-((x % 3 + n) & x), 1 - y)
        => "[]i64, []i32, i64 -> []i64, []i32",
        "map(integer(mod)); map(add); map(integer(and)); map(integer(neg)); map(integer(sub))";
    halves: |x: F16| (x.sin() * 2.0, 1.0 / x, x.to_f64(), F16::from(f16::from_f64(1.0)) + 2048.0)
        => "f16 -> f16, f16, f64, f16", "row(sin); mul; row(div); convert(f64)";
    broadcasting_singles: |x: Arr<F32>, s: F32| x * 0.5 + s => "[]f32, f32 -> []f32", "map(mul); map(add)";
    assignment: |x: Arr<F64>, n: I64| { let (mut x, mut n) = (x, n); x += 1.0; x *= x; n -= 1; n <<= n; (x, n) }
        => "[]f64, i64 -> []f64, i64", "map(add); map(mul); integer(sub); integer(shl)";
    zeros: |x: Arr<Arr<F64>>| x.zeros_like() => "[][]f64 -> [][]f64", "size; size; replicate; replicate";

    conditional: |x: F64| if_(x.gt(0.0), || (x.ln(), true), || (0.0, false))
        => "f64 -> f64, bool", "less; if(row(ln) | )";
    counted: |x: F64, n: I64| loop_for(n, (1.0, 0), |i, (y, m)| (y * x, m + i))
        => "f64, i64 -> f64, i64", "for(mul; add)";
    newton: |a: F64| loop_while(a, |x| (x * x - a).abs().gt(1e-12), |x| (x + a / x) * 0.5)
        => "f64 -> f64", "while(mul; row(sub); row(abs); less | row(div); add; mul)";
    constant_to_derivatives: |x: Arr<Arr<F64>>, y: (F64, I64)| (x.stop_gradient(), stop_gradient(y))
        => "[][]f64, f64, i64 -> [][]f64, f64, i64", "map(map(row(stopgradient))); row(stopgradient)";
    own_derivative: |x: F64, y: F64| custom((x, y), |(x, y)| x * y, |(x, y), z| (z * y, z * x + 0.0))
        => "f64, f64 -> f64", "custom(mul | mul; mul; add)";
    literals: |x: Arr<F64>| (x + literal(&[1.0, 2.0]), literal(vec![[1, 2], [3, 4]]), literal([true]))
        => "[]f64 -> []f64, [][]i64, []bool", "elements; map(add); elements; elements; elements; elements";
    literals_without_elements: |n: I64| (literal::<&[f64]>(&[]), literal::<&[[i64; 2]]>(&[]), n)
        => "i64 -> []f64, [][]i64, i64", "replicate; replicate; replicate";
    results_may_be_constants: |_: F64| (1.5, 2, true) => "f64 -> f64, i64, bool", "";
    eight_parameters: |a: F64, b: F64, c: F64, d: F64, e: F64, f: F64, g: F64, h: F64| a + b + c + d + e + f + g + h
        => "f64, f64, f64, f64, f64, f64, f64, f64 -> f64", "add; add; add; add; add; add; add";
}

#[test]
fn constants_are_folded_as_machine_numbers_are() {
    let program = Program::trace(|_: F64| {
        let two = F64::from(2.0);
        (two.sqrt() * two + 1.0, I64::from(-7) / 2, I64::from(-7) % 2, I64::from(1) / 0)
    });
    let body = program.expect("a program").into_parts().2.body;
    let constant = |c| Atom::Const(c);
    let expected = [Const::F64(2.0_f64.sqrt() * 2.0 + 1.0), Const::I64(-4), Const::I64(1)].map(constant);
    assert_eq!(body.results[..3], expected);
    assert_eq!(inside(&body), "integer(div)", "what has no value stays, for the program to answer the error");
    assert_eq!(F64::from(3.0).powi(2).as_constant(), Some(9.0), "outside every trace, too");
}

#[test]
fn loops_carry_their_policy_and_bound() {
    let program = Program::trace(|x: F64, n: I64| {
        let y = loop_for_with(Policy::Binomial(8), n, x, |_, x| x.sin());
        loop_while_with(Policy::StripMine(2), n, y, |y| y.lt(9.0), |y| y + 1.0)
    })
    .expect("a program");
    let policies = program.function().body.stms.iter().map(|stm| match &stm.op {
        Op::Loop(it) => (it.policy, matches!(it.form, Form::While { bound: Some(Atom::Var(_)), .. })),
        other => panic!("{other:?}"),
    });
    assert_eq!(policies.collect::<Vec<_>>(), [(Policy::Binomial(8), false), (Policy::StripMine(2), true)]);
}

#[test]
fn reductions_say_whether_they_commute() {
    let program =
        Program::trace(|x: Arr<F64>| (x.sum(), x.reduce(0.0, |x, y| x + y), x.reduce_commutative(1.0, |x, y| x * y)));
    let body = program.expect("a program").into_parts().2.body;
    let commute = body.stms.iter().map(|stm| matches!(&stm.op, Op::Reduce(it) if it.commutative));
    assert_eq!(commute.collect::<Vec<_>>(), [true, false, true]);
}

#[test]
fn parameters_are_named() {
    let named = |names: &[&str]| {
        Program::trace_named(names, |x: Arr<(F64, I64)>, _: F64| x.len()).expect("a program").names().to_vec()
    };
    assert_eq!(named(&[]), ["x0.0", "x0.1", "x1"]);
    assert_eq!(named(&["pairs", "y"]), ["pairs.0", "pairs.1", "y"]);
    let many = Program::trace_named(&["a", "b"], |x: F64| x);
    assert_eq!(many.unwrap_err(), Error::Length { what: "the list of names of parameters", expected: 1, found: 2 });
}

#[test]
fn closures_are_called_once() {
    let calls = Cell::new(0);
    let count = || calls.set(calls.get() + 1);
    Program::trace(|x: Arr<F64>, n: I64| {
        let y = x.map(|x| {
            count();
            loop_for(n, x, |_, x| {
                count();
                if_(x.gt(0.0), || x, || -x)
            })
        });
        y.reduce(0.0, |x, y| {
            count();
            x + y
        })
    })
    .expect("a program");
    assert_eq!(calls.get(), 3);
}

/// The mistakes of a closure that describes no program.
#[track_caller]
fn mistakes(trace: catadiff::Result<Program>) -> Vec<Mistake> {
    match trace {
        Err(Error::Trace { mistakes }) => mistakes,
        other => panic!("a mistake was expected: {other:?}"),
    }
}

#[test]
fn handles_do_not_escape_from_closures() {
    macro_rules! escapes {
        ($($closure:expr;)+) => {$(
            let found = mistakes(Program::trace($closure));
            assert!(matches!(found[..], [Mistake::Escaped { at }] if at.file() == file!()), "{found:?}");
        )+};
    }
    let out: Cell<Option<F64>> = Cell::new(None);
    let keep = |x: F64| {
        out.set(Some(x));
        x
    };
    let kept = || out.get().expect("a handle was kept");
    escapes! {
        // Into the closure around, as an operand, or as a result.
        |x: Arr<F64>| { let _ = x.map(|x| keep(x + 1.0)); kept() * 2.0 };
        |x: Arr<F64>| { let _ = x.map(keep); kept() };
        // Into a closure beside.
        |x: Arr<F64>| { let _ = x.map(keep); x.map(|x| x + kept()) };
        // From a branch, a loop's body, its condition, an operator, a derivative.
        |x: F64| { let _ = if_(x.gt(0.0), || keep(x.exp()), || x); kept() };
        |x: F64| if_(x.gt(0.0), || keep(x.exp()), kept);
        |x: F64| { let _ = loop_for(3, x, |_, x| keep(x + 1.0)); kept() };
        |x: F64| loop_while(x, |x| keep(x + 1.0).lt(3.0), |_| kept());
        |x: Arr<F64>| { let _ = x.scan(0.0, |x, y| keep(x + y)); kept() };
        |x: F64| custom(x, |x| keep(x.sin()), |_, z| z * kept());
    }
}

#[test]
fn handles_do_not_leave_their_trace() {
    let out: Cell<Option<F64>> = Cell::new(None);
    let keep = |x: F64| {
        out.set(Some(x));
        x
    };
    Program::trace(keep).expect("a program");
    let foreign = out.get().expect("a handle was kept");
    // Outside every trace it has no meaning, and nothing comes of it.
    let _ = foreign + 1.0;
    let used = mistakes(Program::trace(|x: F64| x + foreign));
    assert!(matches!(used[..], [Mistake::Foreign { at }] if at.file() == file!() && at.line() == line!() - 1));
    let returned = mistakes(Program::trace(|_: F64| foreign));
    assert!(matches!(returned[..], [Mistake::Foreign { .. }]));
    let made_outside = foreign.sin();
    assert!(matches!(mistakes(Program::trace(|x: F64| x + made_outside))[..], [Mistake::Foreign { .. }]));
    // On another thread neither: numbers of traces are not shared.
    let elsewhere = std::thread::spawn(move || Program::trace(|x: F64| x + foreign)).join().expect("no panic");
    assert!(matches!(mistakes(elsewhere)[..], [Mistake::Foreign { .. }]));
}

#[test]
fn traces_nest() {
    let inner: RefCell<Vec<catadiff::Result<Program>>> = RefCell::new(Vec::new());
    let outer = Program::trace(|x: Arr<F64>| {
        x.map(|y| {
            let z = y.sin();
            inner.borrow_mut().push(Program::trace(|y: F64| y.cos()));
            inner.borrow_mut().push(Program::trace(|x: F64| x * z));
            z + y
        })
    });
    assert_eq!(outline(&outer.expect("the inner mistake is not the outer's")), "map(row(sin); add)");
    let [good, bad]: [_; 2] = inner.into_inner().try_into().expect("two traces");
    assert_eq!(outline(&good.expect("a program")), "row(cos)");
    assert!(matches!(mistakes(bad)[..], [Mistake::Foreign { .. }]));
}

#[test]
fn a_handle_of_the_inner_trace_is_foreign_to_the_outer() {
    let outer = Program::trace(|x: F64| {
        let out = Cell::new(None);
        Program::trace(|y: F64| {
            out.set(Some(y));
            y
        })
        .expect("a program");
        x + out.get().expect("a handle was kept")
    });
    assert!(matches!(mistakes(outer)[..], [Mistake::Foreign { .. }]));
}

#[test]
fn panics_leave_nothing_behind() {
    let through = catch_unwind(|| Program::trace(|x: Arr<F64>| x.map(|x| if true { panic!("user's") } else { x })));
    assert!(through.is_err());
    // No trace is in progress: an operation on a handle of it makes nothing.
    assert_eq!(F64::from(1.0).sin().as_constant(), Some(1.0_f64.sin()));
    let after = Program::trace(|x: F64| x.sin()).expect("a program");
    assert_eq!(outline(&after), "row(sin)");

    // A panic that is caught within the trace takes what its closure had built with it, and no more.
    let caught = Program::trace(|x: Arr<F64>| {
        let y = x + 1.0;
        let fails = || x.map(|x| x.sin() * loop_for(3, x, |_, x: F64| if true { panic!("user's") } else { x }));
        assert!(catch_unwind(AssertUnwindSafe(fails)).is_err());
        y * 2.0
    });
    assert_eq!(outline(&caught.expect("a program")), "map(add); map(mul)");
}

#[test]
fn rules_are_opaque_to_programs() {
    #[derive(Clone)]
    struct Twice;
    impl Rule<1> for Twice {
        fn name(&self) -> &'static str {
            "twice"
        }
        fn value(&self, [x]: [f64; 1]) -> f64 {
            x + x
        }
        fn partial<S: Scalar>(&self, _: usize, _: [S; 1], _: S) -> S {
            S::one() + S::one()
        }
    }
    let twice = Program::trace(|x: Arr<F64>| x.map(|x| Twice.of([x]) + 1.0)).expect("a program");
    assert!(outline(&twice).contains("foreign"), "{}", outline(&twice));
    // Of constants a rule has a value, like any function.
    let known = Program::trace(|x: F64| x + Twice.of([F64::from(1.5)])).expect("a program");
    assert_eq!(outline(&known), "add");
}

#[test]
fn closures_nest_no_deeper_than_programs_may() {
    fn nest(x: F64, depth: usize) -> F64 {
        if depth == 0 { x } else { if_(x.gt(0.0), || nest(x, depth - 1), || x) }
    }
    assert!(Program::trace(|x: F64| nest(x, 100)).is_ok());
    let deep = Program::trace(|x: F64| nest(x, 1000));
    assert!(matches!(deep, Err(Error::IllTyped { .. })));
}

#[test]
fn every_mistake_is_told_once() {
    let out: Cell<Option<F64>> = Cell::new(None);
    let trace = Program::trace(|x: Arr<F64>, n: I32| {
        let _ = x.map(|x| {
            out.set(Some(x));
            x
        });
        let escaped = out.get().expect("a handle was kept") * 2.0;
        // What follows from a mistake is none of its own.
        let after = (escaped + 1.0).sin();
        (after, n + 5_000_000_000, x.size(1), x.permute([1, 0]))
    });
    let error = trace.clone().expect_err("mistakes").to_string();
    let found = mistakes(trace);
    assert!(
        matches!(
            found[..],
            [Mistake::Escaped { .. }, Mistake::IllTyped { .. }, Mistake::IllTyped { .. }, Mistake::IllTyped { .. }]
        ),
        "{found:?}"
    );
    assert!(error.contains("5000000000 is not an `i32`") && error.contains("no dimension 1"), "{error}");
}

#[test]
fn mistakes_inside_whole_array_operators_are_placed_in_the_users_closure() {
    let out: Cell<Option<F64>> = Cell::new(None);
    Program::trace(|x: F64| {
        out.set(Some(x));
        x
    })
    .expect("a program");
    let foreign = out.get().expect("a handle was kept");
    let line = line!() + 1;
    let found = mistakes(Program::trace(|x: Arr<Arr<F64>>| x * foreign));
    assert!(matches!(found[..], [Mistake::Foreign { at }] if (at.file(), at.line()) == (file!(), line)), "{found:?}");
}

#[test]
fn handles_are_small_and_of_any_thread() {
    fn ok<T: Copy + Send + Sync + 'static>() {}
    ok::<F64>();
    ok::<Arr<(F64, Arr<I64>)>>();
    fn parts<H: Handle>() -> usize {
        let mut n = 0;
        H::types(&mut |_| n += 1);
        n
    }
    assert_eq!(parts::<Arr<(F64, Arr<(Bool, I32)>, F32)>>(), 4);
}
