//! The programs of "Not-Quite-Supersonic AD" as array programs: its examples with its numbers, the case that takes its
//! reverse mode exponential time, the tests it discusses, and its benchmark.

use catadiff::Result;
use catadiff::array::Program;
use catadiff::carriers::{Counted, Counter};
use catadiff::interpret::{Compare, Value};

fn reals(values: &[Value<f64>]) -> Vec<f64> {
    values.iter().flat_map(|v| v.to_f64().unwrap()).collect()
}

fn at(program: &Program, arguments: &[f64]) -> Result<Vec<f64>> {
    let arguments: Vec<Value<f64>> = arguments.iter().map(|x| (*x).into()).collect();
    program.run(&arguments).map(|results| reals(&results))
}

/// The results in any carrier, for arguments that are scalars.
fn on<C: Compare>(program: &Program, arguments: &[C]) -> Vec<C> {
    let arguments: Vec<Value<C>> = arguments.iter().cloned().map(Value::real).collect();
    program.run(&arguments).unwrap().iter().flat_map(|v| v.to_reals().unwrap()).collect()
}

/// f(x, y) = (if x > 2 then x + 2 else −x, reduce (×) [x, y, x]).
fn example_1() -> Program {
    let text = "program (x: f64, y: f64) {
      let above = lt(2.0f64, x)
      let first = if above { let s = add(x, 2.0f64) return s } else { let n = neg(x) return n }
      let xs = [x, y, x]
      let second = reduce (xs) from (1.0f64) |a: f64, b: f64| { let c = mul(a, b) return c }
      return first, second
    }";
    Program::parse(text).unwrap()
}

mod examples {
    use super::{at, example_1, on};
    use catadiff::array::Program;
    use catadiff::array::trace::{Arr, F64, literal};
    use catadiff::{Result, record};

    /// Section 2.1 at (3, 2): results 5 and 18; by x 1 and 12, by y 0 and 9; and the other branch.
    #[test]
    fn example_1_forwards_and_in_reverse() -> Result<()> {
        let (f, jvp, vjp) = (example_1(), example_1().jvp()?, example_1().vjp()?);
        assert_eq!(at(&f, &[3.0, 2.0])?, [5.0, 18.0]);
        assert_eq!(at(&jvp, &[3.0, 2.0, 1.0, 0.0])?, [5.0, 18.0, 1.0, 12.0]);
        assert_eq!(at(&jvp, &[3.0, 2.0, 0.0, 1.0])?, [5.0, 18.0, 0.0, 9.0]);
        assert_eq!(at(&vjp, &[3.0, 2.0, 1.0, 0.0])?, [5.0, 18.0, 1.0, 0.0]);
        assert_eq!(at(&vjp, &[3.0, 2.0, 0.0, 1.0])?, [5.0, 18.0, 12.0, 9.0]);
        assert_eq!(at(&jvp, &[1.0, 2.0, 1.0, 0.0])?, [-1.0, 2.0, -1.0, 4.0]);
        Ok(())
    }

    /// Figures 1 and 2: the primitive operations that are left of f(3, 2), and the decision they depend on.
    #[test]
    fn the_trace_of_example_1() -> Result<()> {
        let trace = record(|x| on(&example_1(), x), &[3.0, 2.0])?;
        let arena = catadiff::term::Arena::exact();
        let terms: Vec<String> = trace.terms(&arena).iter().map(ToString::to_string).collect();
        assert_eq!(terms, ["x0 + 2", "x0 * x1 * x0"]);
        assert_eq!(trace.decisions(), 1);
        Ok(())
    }

    /// Example 2: two functions in one run of `jvp`, and all derivatives of one in one run of `vjp`.
    #[test]
    fn example_2() -> Result<()> {
        let f = Program::trace(|x: F64, y: F64| x * y + y)?;
        let g = Program::trace(|x: F64| x * x)?;
        let both = Program::trace(|x: F64, y: F64| (f.call::<F64>((x, y)), g.call::<F64>(x)))?;
        assert_eq!(at(&both.jvp()?, &[3.0, 2.0, 0.0, 1.0])?[2..], [4.0, 0.0]);
        assert_eq!(at(&f.jvp()?, &[3.0, 2.0, 1.0, 0.0])?[1..], [2.0]);
        assert_eq!(at(&f.vjp()?, &[3.0, 2.0, 1.0])?[1..], [2.0, 4.0]);
        Ok(())
    }

    /// Examples 3 and 4: y·x·x + (2 + 2) at (3, 2) is 22, its derivatives are 12 and 9.
    #[test]
    fn examples_3_and_4() -> Result<()> {
        let f = Program::trace(|x: F64, y: F64| y * x * x + (F64::from(2.0) + 2.0))?;
        assert_eq!(at(&f.jvp()?, &[3.0, 2.0, 1.0, 0.0])?, [22.0, 12.0]);
        assert_eq!(at(&f.vjp()?, &[3.0, 2.0, 1.0])?, [22.0, 12.0, 9.0]);
        Ok(())
    }

    /// Example 5: the derivative of x + y by y is 1, inside a derivative by x, in all mixes of the modes; also when x
    /// comes to the inner function from outside a `map`.
    #[test]
    fn example_5_no_confusion() -> Result<()> {
        let sum = Program::trace(|x: F64, y: F64| x + y)?;
        for inner in [sum.jvp_wrt(1)?, sum.vjp_wrt(1)?] {
            let slope = Program::trace(|x: F64| inner.call::<(F64, F64)>((x, 3.0, 1.0)).1)?;
            let mapped = Program::trace(|x: F64| {
                let slopes: Arr<F64> = literal([3.0, 4.0]).map(|y| inner.call::<(F64, F64)>((x, y, 1.0)).1);
                slopes.sum()
            })?;
            for (program, expected) in [(slope, 1.0), (mapped, 2.0)] {
                assert_eq!(at(&program.jvp()?, &[2.0, 1.0])?, [expected, 0.0]);
                assert_eq!(at(&program.vjp()?, &[2.0, 1.0])?, [expected, 0.0]);
            }
        }
        Ok(())
    }

    /// Section 3.3: any depth, any mix. Σ (kx)⁵ over k = 1, 2 is 33 x⁵; its fifth derivative is 33 · 5!.
    #[test]
    fn derivatives_of_the_fifth_order_in_all_mixes() -> Result<()> {
        let f = Program::trace(|x: F64| (literal([1.0, 2.0]) * x).map(|t| t * t * t * t * t).sum())?;
        let forward = |p: &Program| {
            let jvp = p.jvp()?;
            Program::trace(|x: F64| jvp.call::<(F64, F64)>((x, 1.0)).1)
        };
        let reverse = |p: &Program| {
            let vjp = p.vjp()?;
            Program::trace(|x: F64| vjp.call::<(F64, F64)>((x, 1.0)).1)
        };
        for mix in 0..32 {
            let mut program = f.clone();
            for (order, expected) in
                [33.0 * 5.0 * 16.0, 33.0 * 20.0 * 8.0, 33.0 * 60.0 * 4.0, 33.0 * 240.0, 33.0 * 120.0]
                    .into_iter()
                    .enumerate()
            {
                program = if mix >> order & 1 == 0 { forward(&program)? } else { reverse(&program)? };
                assert_eq!(at(&program, &[2.0])?, [expected], "mix {mix:05b}, order {}", order + 1);
            }
        }
        Ok(())
    }
}

/// The operations on reals that a run performs.
fn operations(program: &Program, arguments: &[Value<f64>]) -> u64 {
    let counter = Counter::new();
    let counted: Vec<Value<Counted<'_, f64>>> = arguments.iter().map(|v| v.map(|x| counter.number(*x))).collect();
    program.run(&counted).unwrap();
    counter.total()
}

mod exponential {
    use super::{operations, reals};
    use catadiff::Result;
    use catadiff::array::Program;
    use catadiff::array::trace::{F64, I64, loop_for};
    use catadiff::carriers::Tape;
    use catadiff::interpret::Value;

    /// Section 3.2, last paragraphs: every operand of an operation is the result of the one before. Its `deriveTape` goes
    /// through the operands as through a tree, 2ⁿ leaves for n operations.
    fn squares() -> Program {
        Program::trace(|x: F64, n: I64| loop_for(n, x, |_, x| x * x)).unwrap()
    }

    /// Section 4.2, caveat 2: the sum of every value in the loop.
    fn sums() -> Program {
        Program::trace(|x: F64, n: I64| loop_for(n, (x, 0.0), |_, (x, s)| (x * 0.5 + x * 0.5, s + x)).1).unwrap()
    }

    #[test]
    fn reverse_mode_is_linear() -> Result<()> {
        for (name, program) in [("squares", squares()), ("sums", sums())] {
            let vjp = program.vjp_wrt(0)?;
            let count = |n: i64| {
                let (x, n): (Value<f64>, Value<f64>) = (1.0.into(), n.into());
                (operations(&program, &[x.clone(), n.clone()]), operations(&vjp, &[x, n, 1.0.into()]))
            };
            let counts = [10, 20, 40, 80, 160].map(|n| (n, count(n)));
            for (n, (primal, reverse)) in counts {
                println!("{name}, n = {n}: {primal} operations, vjp {reverse}; a tree has 2^{n} leaves");
                assert!(reverse <= 3 * primal);
            }
            // Twice the length adds as much again as the last doubling, twice.
            for steps in counts.windows(3) {
                let [shorter, middle, longer] = [0, 1, 2].map(|k| steps[k].1.1);
                assert_eq!(longer - middle, 2 * (middle - shorter), "{name}: the work of vjp is linear");
            }
        }
        let gradient = squares().vjp_wrt(0)?.run(&[1.0.into(), 60_i64.into(), 1.0.into()])?;
        assert_eq!(reals(&gradient), [1.0, 2.0_f64.powi(60)]);
        Ok(())
    }

    /// The same by the thesis's own way, a computation graph: the tape holds each node once.
    #[test]
    fn the_tape_is_linear() -> Result<()> {
        for n in [30_i64, 60] {
            let (mut tape, mut gradient) = (Tape::new(), [0.0]);
            let value = tape.value_and_grad(
                |x| squares().run(&[Value::real(x[0]), n.into()]).unwrap()[0].to_reals().unwrap()[0],
                &[1.0],
                &mut gradient,
            )?;
            assert_eq!((value, gradient), (1.0, [2.0_f64.powi(n as i32)]));
            assert!(tape.len() as i64 <= n + 1, "{} nodes for {n} operations", tape.len());
        }
        Ok(())
    }
}

/// Section 4.1: the tests that its implementation does not pass, and section 3.4 on conversions.
mod correctness {
    use super::at;
    use catadiff::array::Program;
    use catadiff::array::trace::{Arr, F64, I64, iota};
    use catadiff::interpret::Value;
    use catadiff::{Elementary, Result};

    /// cmp0: the compiler's test wants 1 for the derivative of `a == b` where they are equal; the thesis has 0, as we do.
    #[test]
    fn comparisons_have_the_derivative_0() -> Result<()> {
        let equal = Program::parse("program (a: f64, b: f64) { let c = eq(a, b) let x = f64(c) return x }")?;
        assert_eq!(at(&equal.jvp()?, &[2.0, 2.0, 1.0, 0.0])?, [1.0, 0.0]);
        assert_eq!(at(&equal.vjp()?, &[2.0, 2.0, 1.0])?, [1.0, 0.0, 0.0]);
        Ok(())
    }

    /// iota0: the sum of `iota n` does not change with n by any derivative: sizes are not differentiated by.
    #[test]
    fn sizes_have_the_derivative_0() -> Result<()> {
        let sum = Program::trace(|n: I64| iota(n).sum())?;
        assert_eq!(sum.jvp()?.run::<f64>(&[5_i64.into(), 1_i64.into()])?, [10_i64.into(), 0_i64.into()]);
        assert_eq!(sum.vjp()?.run::<f64>(&[5_i64.into(), 1_i64.into()])?, [10_i64.into(), 0_i64.into()]);
        Ok(())
    }

    /// reducebyindex5, as the thesis argues it: a parameter that comes through `reduce_by_index` has the derivative 1.
    #[test]
    fn what_comes_through_a_histogram_has_the_derivative_1() -> Result<()> {
        let through = Program::trace(|bins: Arr<F64>, at: Arr<I64>, values: Arr<F64>| {
            bins.reduce_by_index(f64::NEG_INFINITY, at, values, |a, b| a.max(b))
        })?;
        let arguments =
            [Value::new([0.0, 5.0, 1.0])?, Value::new([0_i64, 1, 0, 7])?, Value::new([3.0, 4.0, 2.0, 9.0])?];
        let found = through.vjp_wrt(..)?.run(&[&arguments[..], &[Value::new([1.0; 3])?]].concat())?;
        assert_eq!(found[0].to_string(), "[3, 5, 1]");
        assert_eq!(found[1].to_string(), "[0, 1, 1]", "the bins whose content is left");
        assert_eq!(found[2].to_string(), "[1, 0, 0, 0]", "the values that are found");
        Ok(())
    }

    /// Forwards the tangent is converted as the value is, in reverse the adjoint is converted back. A real that becomes an
    /// integer and goes on as a real is constant between two integers, and its derivative is 0.
    #[test]
    fn conversions() -> Result<()> {
        let text = "program (x: f32) { let y = f64(x) let z = mul(y, y) let w = f32(z) return w }";
        let square = Program::parse(text)?;
        assert_eq!(at(&square.jvp()?, &[3.0, 1.0])?, [9.0, 6.0]);
        assert_eq!(at(&square.vjp()?, &[3.0, 1.0])?, [9.0, 6.0]);
        let rounded = Program::parse("program (x: f64) { let n = i64(x) let y = f64(n) let z = mul(y, x) return z }")?;
        assert_eq!(at(&rounded.jvp()?, &[2.5, 1.0])?, [5.0, 2.0]);
        assert_eq!(at(&rounded.vjp()?, &[2.5, 1.0])?, [5.0, 2.0]);
        Ok(())
    }
}

/// Section 4.2: a loop of mixed operations, branches and a reduction, at x = 3.
mod benchmark {
    use catadiff::array::Program;
    use catadiff::array::trace::{F32, I64, if_, literal, loop_for};
    use catadiff::carriers::{Counter, Dual};
    use catadiff::interpret::Value;
    use catadiff::{Elementary, Result};

    /// Of the reduction, from x, the first operand is x, as in a fold from the left: 10 x².
    fn f() -> Program {
        Program::trace(|x: F32, n: I64| {
            loop_for(n, x, |_, x| {
                let s = (x * 10.0).to_i32() % 4;
                let small = |yes: fn(F32) -> F32| yes(x);
                if_(
                    x.gt(100.0),
                    || {
                        if_(
                            s.eq(0),
                            || small(|x| x.sin() + 1.0),
                            || {
                                if_(
                                    s.eq(1),
                                    || small(|x| x.cos() + 1.0),
                                    || if_(s.eq(2), || x.ln_1p(), || if_(s.eq(3), || x.sqrt(), || x / 13.0)),
                                )
                            },
                        )
                    },
                    || {
                        if_(
                            s.eq(0),
                            || x + 10.0,
                            || {
                                if_(
                                    s.eq(1),
                                    || x.powf(3.0),
                                    || {
                                        let product =
                                            || literal([F32::from(2.0), x, F32::from(5.0)]).reduce(x, |a, b| a * b);
                                        if_(s.eq(2), || (x / 10.0).exp(), || if_(s.eq(3), product, || x * 1.3))
                                    },
                                )
                            },
                        )
                    },
                )
            })
        })
        .unwrap()
    }

    fn run(program: &Program, n: i64, seeds: usize) -> (Vec<f32>, u64) {
        let counter = Counter::new();
        let number = |x: f32| Value::real(counter.number(x));
        let arguments: Vec<_> = [number(3.0), n.into()].into_iter().chain((0..seeds).map(|_| number(1.0))).collect();
        let results = program.run(&arguments).unwrap();
        (results.iter().flat_map(|v| v.to_reals().unwrap()).map(|x| x.value).collect(), counter.total())
    }

    /// Both modes, and interpretation on dual numbers, in single precision.
    #[test]
    fn the_modes_agree() -> Result<()> {
        let (f, jvp, vjp) = (f(), f().jvp_wrt(0)?, f().vjp_wrt(0)?);
        for n in [1, 2, 5, 10, 20, 40, 80] {
            let (pushed, pulled) = (run(&jvp, n, 1).0, run(&vjp, n, 1).0);
            let dual = f.run(&[Value::real(Dual { value: 3.0_f32, tangent: 1.0 }), n.into()])?;
            let dual = dual[0].to_reals().unwrap()[0];
            println!("n = {n}: f(3) = {}, slope {}", dual.value, dual.tangent);
            assert_eq!([pushed[0], pulled[0]], [dual.value; 2], "derivatives do not change the values");
            for slope in [pushed[1], pulled[1]] {
                assert!((slope - dual.tangent).abs() <= 1e-4 * dual.tangent.abs(), "{slope} and {}", dual.tangent);
            }
        }
        Ok(())
    }

    /// Figure 4, with operations in place of seconds.
    #[test]
    fn the_work_of_the_modes() -> Result<()> {
        let (f, n) = (f(), 100_000);
        let (_, primal) = run(&f, n, 0);
        let (_, forward) = run(&f.jvp_wrt(0)?, n, 1);
        let (_, reverse) = run(&f.vjp_wrt(0)?, n, 1);
        let [by_jvp, by_vjp] = [forward, reverse].map(|of| of as f64 / primal as f64);
        println!("n = {n}: {primal} operations; jvp {forward}, {by_jvp:.2}; vjp {reverse}, {by_vjp:.2}");
        assert!(by_jvp <= 2.63 && by_vjp <= 2.10, "no more than the thesis's factors of time");
        Ok(())
    }
}
