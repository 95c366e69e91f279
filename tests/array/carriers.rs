//! The reference interpreter in every carrier: derivatives of array programs by the scalar layer, terms, bounds, costs.

use catadiff::array::Program;
use catadiff::carriers::{Both, Counter, Dual, Interval, NanLog, Support};
use catadiff::interpret::{Compare, Test, Value};
use catadiff::prelude::*;
use catadiff::term::Arena;
use catadiff_laws::{ArrayProgram, Verdict, arrays, for_all};

#[test]
fn random_programs_melt_into_terms() -> Verdict {
    for_all(|p: ArrayProgram| arrays::terms(&p))
}

/// The k-means cost: for each point the squared distance to the nearest centre, summed.
const K_MEANS: &str = "
    program (points: [][]f64, centres: [][]f64) {
      let nearest = map (points) |p: []f64| {
        let all = map (centres) |c: []f64| {
          let squares = map (p, c) |x: f64, y: f64| { let d = sub(x, y) let s = mul(d, d) return s }
          let sum = reduce (squares) from (0.0f64) |a: f64, b: f64| { let s = add(a, b) return s }
          return sum
        }
        let least = reduce (all) from (f64.inf) |a: f64, b: f64| { let m = min(a, b) return m }
        return least
      }
      let cost = reduce (nearest) from (0.0f64) |a: f64, b: f64| { let s = add(a, b) return s }
      return cost
    }";
const POINTS: [f64; 8] = [0.0, 0.0, 1.0, 1.0, 8.0, 8.0, 9.0, 7.0];
const CENTRES: [f64; 4] = [0.0, 1.0, 9.0, 9.0];

/// The cost in any carrier, as a function of the centres.
fn cost<C: Compare>(program: &Program, centres: &[C]) -> C {
    let points = Value::reals(&[4, 2], POINTS.map(C::constant)).unwrap();
    let results = program.run(&[points, Value::reals(&[2, 2], centres.to_vec()).unwrap()]).unwrap();
    results[0].to_reals().unwrap().remove(0)
}

#[test]
fn derivatives_of_k_means() {
    let program = Program::parse(K_MEANS).unwrap();
    // By hand: 1 + 1 + 2 + 4, and twice the sum of the distances to the points that are nearest.
    assert_eq!(cost(&program, &CENTRES), 8.0);
    let gradient = [-2.0, 2.0, 2.0, 6.0];
    assert_eq!(grad(|c| cost(&program, c), &CENTRES).unwrap(), gradient);
    assert_eq!(Forward::grad(|c| cost(&program, c), &CENTRES).unwrap(), gradient);
    // Each centre is the nearest of two points, so the Hessian is 4 on the diagonal: Newton's step lands on the means.
    let hessian = hessian(|c| cost(&program, c), &CENTRES).unwrap();
    let step: Vec<f64> = (0..4).map(|i| CENTRES[i] - gradient[i] / hessian[i][i]).collect();
    assert_eq!(step, [0.5, 0.5, 8.5, 7.5]);
    assert_eq!(grad(|c| cost(&program, c), &step).unwrap(), [0.0; 4]);
    // In single precision.
    assert_eq!(cost(&program, &CENTRES.map(|x| x as f32)), 8.0_f32);
    // Along one direction, by hand-made duals.
    let moved = CENTRES.map(|value| Dual { value, tangent: 1.0 });
    assert_eq!(cost(&program, &moved).tangent, gradient.iter().sum::<f64>());
}

#[test]
fn k_means_as_a_term() {
    let program = Program::parse(K_MEANS).unwrap();
    let arena = Arena::<usize>::new();
    let variables: Vec<_> = (0..4).map(|n| arena.variable(n)).collect();
    // `min` is a row of the table and no decision, so nothing is left of arrays, and nothing is decided.
    let term = cost(&program, &variables);
    assert_eq!(term.eval(|n| CENTRES[*n]), 8.0);
    assert!(term.to_string().contains("min("));
    // The trace of the trace is itself.
    assert_eq!(term.eval(|n| variables[*n]).to_string(), term.to_string());
}

/// Newton's method for the square root, until it is near enough: a loop that decides on reals.
const SQUARE_ROOT: &str = "
    program (x: f64) {
      let y = loop (y = x) while {
        let z = mul(y, y)
        let d = sub(z, x)
        let far = lt(1.0e-12f64, d)
        return far
      } {
        let q = div(x, y)
        let s = add(y, q)
        let h = mul(s, 0.5f64)
        return h
      }
      return y
    }";

fn root<C: Compare>(program: &Program, x: C) -> catadiff::Result<C> {
    Ok(program.run(&[Value::real(x)])?[0].to_reals().unwrap().remove(0))
}

#[test]
fn decisions_on_reals() {
    let program = Program::parse(SQUARE_ROOT).unwrap();
    assert!((root(&program, 2.0).unwrap() - 2.0_f64.sqrt()).abs() < 1e-12);
    let slope = diff(|x| root(&program, x).unwrap(), 4.0).unwrap();
    assert!((slope - 0.25).abs() < 1e-6, "{slope}");

    // Terms cannot decide, and say so; recorded numbers keep what they decided.
    let arena = Arena::<&str>::new();
    let refused = root(&program, arena.variable("x")).unwrap_err().to_string();
    assert!(refused.contains("without a definite value") && refused.contains("let v4: bool = lt("), "{refused}");
    assert_eq!(
        root(&program, catadiff::term::Term::<&str>::constant(4.0)).unwrap().as_literal(),
        root(&program, 4.0).ok()
    );
    let recorded = record(|x| vec![root(&program, x[0]).unwrap()], &[2.0]).unwrap();
    assert_eq!(recorded.run(&[2.0]).unwrap(), [root(&program, 2.0).unwrap()]);
    assert_eq!(recorded.run(&[2.1]).unwrap(), [root(&program, 2.1).unwrap()]);
    assert!(matches!(recorded.run(&[1e9]), Err(catadiff::Error::BranchChanged { .. })));

    // An interval decides where its order is certain.
    let certain = Interval::new(3.0, 4.0).compare(&Interval::new(5.0, 6.0), Test::Less);
    let uncertain = Interval::new(3.0, 5.0).compare(&Interval::new(4.0, 6.0), Test::Less);
    assert_eq!((certain, uncertain), (Some(true), None));
    assert!(matches!(root(&program, Interval::new(1.0, 4.0)), Err(catadiff::Error::Undecided { .. })));
    assert_eq!(Support::variable(0).compare(&Support::variable(1), Test::Equal), None);
    assert_eq!(f64::NAN.compare(&1.0, Test::LessOrEqual), Some(false));
}

#[test]
fn rounding_to_integers_is_a_decision() {
    let program =
        Program::parse("program (x: f64) { let i = i64(x) let f = f64(i) let y = mul(f, x) return y }").unwrap();
    let staircase = |x: f64| root(&program, x).unwrap();
    for (at, stays, leaves) in
        [(2.5, [2.0, 2.9], [1.9, 3.0]), (-2.5, [-2.0, -2.9], [-1.9, -3.0]), (0.5, [-0.9, 0.9], [-1.0, 1.0])]
    {
        let recorded = record(|x| vec![root(&program, x[0]).unwrap()], &[at]).unwrap();
        for x in stays {
            assert_eq!(recorded.run(&[x]), Ok(vec![staircase(x)]));
        }
        for x in leaves {
            assert!(matches!(recorded.run(&[x]), Err(catadiff::Error::BranchChanged { .. })), "{at} → {x}");
        }
    }
    // An interval with a value is that number; another has no integer.
    assert!(matches!(root(&program, Interval::new(2.1, 2.2)), Err(catadiff::Error::Undecided { .. })));
    assert!(root(&program, Interval::point(2.5)).unwrap().contains(5.0));
}

#[test]
fn bounds_costs_and_origins() {
    let program = Program::parse(K_MEANS).unwrap();
    let around = CENTRES.map(|x| Interval::new(x - 0.5, x + 0.5));
    assert!(cost(&program, &around).contains(8.0));

    let counter = Counter::new();
    let centres: Vec<_> = CENTRES.iter().map(|x| counter.number(*x)).collect();
    assert_eq!(cost(&program, &centres).value, 8.0);
    // Per point and centre two differences, two squares and two sums; per point two minima; and four sums.
    assert_eq!((counter.primitives(), counter.multiplications(), counter.additions()), (16 + 8, 16, 16 + 4));

    let log = NanLog::new();
    let centres: Vec<_> = CENTRES.iter().map(|x| log.input(*x)).collect();
    assert_eq!(cost(&program, &centres).value, 8.0);
    let root =
        Program::parse("program (xs: []f64) { let ys = map (xs) |x: f64| { let y = sqrt(x) return y } return ys }")
            .unwrap();
    let broken = root.run(&[Value::reals(&[2], [1.0, -1.0].map(|x| log.input(x))).unwrap()]).unwrap();
    let fault = broken[0].to_reals().unwrap()[1].origin().unwrap();
    assert_eq!((fault.name, fault.arguments), ("sqrt", vec![-1.0]));

    // Which inputs does each result depend on? The pattern of a banded matrix, with the value that decides beside it.
    let band = Program::parse(
        "program (xs: []f64) {
           let n = size[0](xs)
           let is = iota(n)
           let ys = map (is) |i: i64| {
             let first = eq(i, 0i64)
             let j = i64(first)
             let k = sub(i, 1i64)
             let l = add(k, j)
             let a = xs[i]
             let b = xs[l]
             let c = mul(a, b)
             return c
           }
           return ys
         }",
    );
    let inputs = (0..3).map(|n| Both { first: n as f64, second: Support::variable(n) });
    let results = band.unwrap().run(&[Value::reals(&[3], inputs).unwrap()]).unwrap();
    let pattern: Vec<Vec<usize>> =
        results[0].to_reals().unwrap().iter().map(|y| y.second.iter().copied().collect()).collect();
    assert_eq!(pattern, [vec![0], vec![0, 1], vec![1, 2]]);
}
