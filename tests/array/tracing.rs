//! Traces of array programs: the laws on random programs, and what is decided, refused and kept.

use catadiff::array::Program;
use catadiff::array::trace::{Arr, F64, stop_gradient};
use catadiff::carriers::Dual;
use catadiff::interpret::{Limits, Value};
use catadiff::term::Arena;
use catadiff::tracing::{Keep, Trace, trace};
use catadiff::{Elementary, Error, Result};
use catadiff_laws::{ArrayProgram, Verdict, for_all, tracing};

#[test]
fn random_programs() -> Verdict {
    for_all(|p: ArrayProgram| tracing::of_random(&p))
}

/// All laws of one program.
fn lawful(program: &Program, at: &[Value<f64>], elsewhere: &[&[Value<f64>]]) {
    program.run(at).unwrap();
    tracing::computes_the_same(program, at).unwrap();
    tracing::is_its_own_trace(program, at).unwrap();
    tracing::is_straight(program, at).unwrap();
    tracing::reverse_modes_agree(program, at).unwrap();
    tracing::probed(program, at).unwrap();
    elsewhere.iter().for_each(|elsewhere| tracing::replays_or_refuses(program, at, elsewhere).unwrap());
}

fn parsed(text: &str) -> Program {
    Program::parse(text).unwrap()
}

fn text(trace: &Trace) -> String {
    trace.program().to_string()
}

/// A loop whose length, branches and indices all depend on the arguments.
fn winding() -> Program {
    parsed(
        "program (xs: []f64, n: i64, k: i64, up: bool) {
          let total = loop (sum = 0.0f64) for i < n {
            let j = mod(i, k)
            let x = xs[j]
            let small = lt(x, 1.0f64)
            let y = if small { let e = exp(x) return e } else { let l = ln(x) return l }
            let next = add(sum, y)
            return next
          }
          let result = if up { let t = mul(total, 2.0f64) return t } else { return total }
          return result
        }",
    )
}

fn winding_at(xs: &[f64], n: i64, k: i64, up: bool) -> [Value<f64>; 4] {
    [Value::new(xs).unwrap(), n.into(), k.into(), up.into()]
}

#[test]
fn decisions_are_remembered_and_refused() {
    let (program, at) = (winding(), winding_at(&[0.5, 2.0, 3.0], 3, 2, true));
    let same = winding_at(&[0.25, 7.0, -1.0], 3, 2, true);
    let (fewer, other) = (winding_at(&[0.5, 2.0, 3.0], 2, 2, true), winding_at(&[0.5, 0.2, 3.0], 3, 2, true));
    let (index, down) = (winding_at(&[0.5, 2.0, 0.25], 3, 3, true), winding_at(&[0.5, 2.0, 3.0], 3, 2, false));
    let longer = winding_at(&[0.5, 2.0, 3.0, 4.0], 3, 2, true);
    lawful(&program, &at, &[&same, &fewer, &other, &index, &down, &longer]);

    let [scalars, kept] = [Keep::Scalars, Keep::Arrays].map(|keep| program.traced(&at, keep).unwrap());
    for trace in [&scalars, &kept] {
        assert_eq!(trace.run(&same), program.run(&same));
        for changed in [&fewer, &other, &down] {
            assert!(matches!(trace.run(changed), Err(Error::BranchChanged { .. })), "{changed:?}");
        }
    }
    // Where arrays are kept so are indices, and sizes do not matter; a scalar has no place but its own.
    for free in [&index, &longer] {
        assert!(matches!(scalars.run(free), Err(Error::BranchChanged { .. })), "{free:?}");
        assert_eq!(kept.run(free), program.run(free));
    }
    assert_eq!(
        kept.decisions(),
        ["n: 3", "lt(v5, 1.0f64): true", "lt(v10, 1.0f64): false", "lt(v15, 1.0f64): true", "up: true"]
    );
    let refused = kept.run(&other).unwrap_err();
    assert_eq!(
        refused.to_string(),
        "decision 2 (recorded as `lt(v10, 1.0f64): false`) comes out otherwise at this point: record the program again here"
    );
}

/// What a trace is refused for comes before what its statements meet at arguments that they are not made for.
#[test]
fn a_changed_decision_is_not_another_error() {
    let guarded = parsed(
        "program (xs: []f64, i: i64) {
          let n = size[0](xs)
          let inside = lt(i, n)
          let x = if inside { let x = xs[i] return x } else { return 0.0f64 }
          return x
        }",
    );
    let at = [Value::new([1.0, 2.0]).unwrap(), 1_i64.into()];
    let kept = guarded.traced(&at, Keep::Arrays).unwrap();
    let beyond = kept.run(&[Value::new([1.0, 2.0]).unwrap(), 7_i64.into()]);
    assert!(matches!(beyond, Err(Error::BranchChanged { at: 0, .. })), "{beyond:?}");
    let other_size = guarded.traced(&at, Keep::Scalars).unwrap().run(&[Value::new([1.0]).unwrap(), 1_i64.into()]);
    assert!(
        matches!(&other_size, Err(Error::BranchChanged { at: 0, decision }) if decision == "the sizes of xs: [2]"),
        "{other_size:?}"
    );
}

/// In a function, what depends on an element stays, and what does not is decided around it.
#[test]
fn functions_keep_what_depends_on_an_element() {
    let program = parsed(
        "program (rows: [][]f64, x: f64) {
          let sums = map (rows) |row: []f64| {
            let n = size[0](row)
            let sum = loop (s = 0.0f64) for i < n {
              let y = row[i]
              let negative = lt(y, 0.0f64)
              let z = if negative { let m = neg(y) return m } else { return y }
              let next = add(s, z)
              return next
            }
            let twice = mul(x, 2.0f64)
            let large = lt(1.0f64, twice)
            let result = if large { let r = mul(sum, x) return r } else { return sum }
            return result
          }
          return sums
        }",
    );
    let at = |rows: [[f64; 2]; 2], x: f64| [Value::new(rows).unwrap(), x.into()];
    let (here, same, other) =
        (at([[1.0, -2.0], [3.0, 4.0]], 2.0), at([[-1.0, 2.0], [3.0, -4.0]], 3.0), at([[1.0, 2.0]; 2], 0.25));
    let longer = [Value::new([[1.0, -1.0, 2.0]]).unwrap(), 2.0.into()];
    lawful(&program, &here, &[&same, &other, &longer]);
    let kept = program.traced(&here, Keep::Arrays).unwrap();
    assert_eq!(kept.decisions(), ["size[1](rows): 2", "lt(1.0f64, v17): true"]);
    assert_eq!(kept.run(&same), program.run(&same));
    for changed in [&other[..], &longer] {
        assert!(matches!(kept.run(changed), Err(Error::BranchChanged { .. })));
    }
    assert_eq!(
        text(&kept),
        "\
program (rows: [][]f64, x: f64) {
  let v14: []f64 = map (rows) |v2: []f64| {
    let v3: f64 = v2[0i64]
    let v4: bool = lt(v3, 0.0f64)
    let v6: f64 = if v4 {
      let v5: f64 = neg(v3)
      return v5
    } else {
      return v3
    }
    let v7: f64 = add(0.0f64, v6)
    let v8: f64 = v2[1i64]
    let v9: bool = lt(v8, 0.0f64)
    let v11: f64 = if v9 {
      let v10: f64 = neg(v8)
      return v10
    } else {
      return v8
    }
    let v12: f64 = add(v7, v11)
    let v13: f64 = mul(v12, x)
    return v13
  }
  return v14
}
"
    );
}

/// A loop of a function is written out as far as it is known to go, and goes on from there.
#[test]
fn loops_of_functions_are_written_out_as_far_as_known() {
    let program = parsed(
        "program (xs: []f64) {
          let ys = map (xs) |x: f64| {
            let i, y = loop (i = 0i64, y = 1.0f64) while {
              let early = lt(i, 2i64)
              let more = if early { return true } else { let m = lt(y, 20.0f64) return m }
              return more
            } {
              let j = add(i, 1i64)
              let z = mul(y, x)
              return j, z
            }
            return y
          }
          return ys
        }",
    );
    let at = [Value::new([2.0, 3.0, 5.0]).unwrap()];
    lawful(&program, &at, &[&[Value::new([7.0, 1.5]).unwrap()], &[Value::new([0.0; 0]).unwrap()]]);
    let kept = program.traced(&at, Keep::Arrays).unwrap();
    assert_eq!(kept.decisions(), [""; 0], "{}", text(&kept));
    // Two iterations, and the loop from where they leave off.
    assert!(text(&kept).contains("= 2i64, "), "{}", text(&kept));
    assert_eq!(kept.run(&at).unwrap()[0].to_string(), "[32, 27, 25]");
}

/// It is not known that what is in a map over nothing would end.
#[test]
fn what_may_not_run_keeps_its_loops() {
    let program = parsed(
        "program (xs: []f64, n: i64) {
          let ys = map (xs) |x: f64| {
            let y = loop (y = x) while { let more = lt(0i64, n) return more } { let z = mul(y, 2.0f64) return z }
            return y
          }
          return ys
        }",
    );
    let at = [Value::new([0.0; 0]).unwrap(), 1_i64.into()];
    lawful(
        &program,
        &at,
        &[&[Value::new([0.0; 0]).unwrap(), 0_i64.into()], &[Value::new([1.0]).unwrap(), 0_i64.into()]],
    );
    // Where it does run, it does not end, and the limit says so.
    let endless = trace(
        &program,
        &[Value::new([1.0]).unwrap(), 1_i64.into()],
        Keep::Arrays,
        &Limits { steps: 1000, elements: 1000 },
    );
    assert!(matches!(endless, Err(Error::Budget { .. })), "{endless:?}");
}

/// A function with a derivative of its own is a step of its own, whatever is kept.
#[test]
fn derivatives_of_ones_own_are_kept() -> Result<()> {
    let centred = Program::trace(|xs: Arr<F64>| {
        let mean = stop_gradient(xs.sum() / xs.len().to_f64());
        xs.map(|x| (x - mean) * (x - mean)).sum()
    })?;
    let at = [Value::new([1.0, 2.0, 6.0])?];
    lawful(&centred, &at, &[]);
    // 2·(x − 3) for each, where the mean stands still.
    for keep in [Keep::Scalars, Keep::Arrays] {
        let (_, gradient) = centred.traced(&at, keep)?.reverse(&at, &[1.0.into()])?;
        assert_eq!(gradient, [Value::new([-4.0, -2.0, 6.0])?]);
    }
    // Of arrays, in a loop, with a pullback that mentions what was changed since, and a result that is not used.
    let lying = parsed(
        "program (xs: []f64, y: f64) {
          let zs = xs with [0i64] = 5.0f64
          let qs = zs with [1i64] = 7.0f64
          let s = loop (s = 0.0f64) for i < 3i64 {
            let as, b = custom (xs, s) |us: []f64, u: f64| {
              let vs = map (us) |v: f64| { let w = mul(v, u) let z = add(w, y) return z }
              return vs, u
            } pullback |us: []f64, u: f64, vs: []f64, v: f64, avs: []f64, au: f64| {
              let a = zs[0i64]
              let ws = map (avs) |v: f64| { let w = mul(v, a) let z = add(w, y) return z }
              let first = avs[1i64]
              return ws, first
            }
            let t = as[1i64]
            let next = add(t, s)
            return next
          }
          let q = qs[0i64]
          let result = add(s, q)
          return result
        }",
    );
    lawful(&lying, &[Value::new([1.0, 2.0, 3.0])?, 2.0.into()], &[]);
    Ok(())
}

#[test]
fn what_cannot_be_reversed_is_an_error() -> Result<()> {
    let sum = Program::trace(|xs: Arr<F64>| xs.sum())?;
    let at = [Value::new([1.0, 2.0])?];
    for keep in [Keep::Scalars, Keep::Arrays] {
        let trace = sum.traced(&at, keep)?;
        let reverse = |adjoints: &[Value<f64>]| trace.reverse(&at, adjoints).unwrap_err().to_string();
        assert_eq!(reverse(&[]), "the list of adjoints has the length 0 where 1 is needed");
        let wrong = "the argument `adjoint_0` is [2]f64 where f64 is needed";
        assert_eq!(reverse(&[Value::new([1.0, 2.0])?]), wrong);
        assert_eq!(reverse(&[true.into()]), "the argument `adjoint_0` is bool where f64 is needed");
    }
    let elsewhere = sum.traced(&at, Keep::Scalars)?.reverse(&[Value::new([1.0])?], &[1.0.into()]);
    assert!(matches!(elsewhere, Err(Error::BranchChanged { .. })));
    Ok(())
}

/// Reals are differentiated; the adjoints of other arguments are zeros of their kind, whatever those of the results.
#[test]
fn only_reals_have_adjoints() -> Result<()> {
    let program = parsed(
        "program (x: f64, ns: []i64, b: bool) {
          let n = ns[0i64]
          let r = f64(n)
          let p = mul(x, r)
          let m = i64(x)
          let k = mul(m, n)
          return p, k, b
        }",
    );
    let at = [2.5.into(), Value::new([3_i64, 4])?, true.into()];
    for keep in [Keep::Scalars, Keep::Arrays] {
        let (results, adjoints) = program.traced(&at, keep)?.reverse(&at, &[1.0.into(), 7_i64.into(), true.into()])?;
        assert_eq!(results, [7.5.into(), 6_i64.into(), true.into()]);
        assert_eq!(adjoints, [3.0.into(), Value::new([0_i64, 0])?, false.into()]);
    }
    Ok(())
}

/// The error of a pullback is that of the reverse pass.
#[test]
fn errors_of_pullbacks_come_back() -> Result<()> {
    let failing = parsed(
        "program (x: f64, n: i64) {
          let y = custom (x) |u: f64| { return u } pullback |u: f64, v: f64, a: f64| {
            let d = div(1i64, n)
            let e = f64(d)
            let p = mul(a, e)
            return p
          }
          return y
        }",
    );
    let at = [2.0.into(), 0_i64.into()];
    for keep in [Keep::Scalars, Keep::Arrays] {
        let failed = failing.traced(&at, keep)?.reverse(&at, &[1.0.into()]);
        assert!(matches!(&failed, Err(Error::NoValue { operation, .. }) if operation == "div(1, 0)"), "{failed:?}");
    }
    Ok(())
}

/// A trace runs in any carrier, and melts into terms.
#[test]
fn traces_run_in_every_carrier() -> Result<()> {
    let norm = Program::trace(|xs: Arr<F64>| xs.map(|x| x * x).sum().sqrt())?;
    let at = [Value::new([3.0, 4.0])?];
    for keep in [Keep::Scalars, Keep::Arrays] {
        let trace = norm.traced(&at, keep)?;
        let along = [at[0].map(|x| Dual { value: *x, tangent: 1.0 })];
        let Some(found) = trace.run(&along)?[0].to_reals() else { panic!("a real") };
        assert_eq!(found[0].value, 5.0);
        assert!((found[0].tangent - 1.4).abs() < 1e-15);
        let arena = Arena::new();
        assert_eq!(trace.terms(&arena, &at)?[0].to_string(), "sqrt(x0 * x0 + x1 * x1)");
    }
    Ok(())
}

/// A long loop is a long trace, and no deeper than any; its length is that of what was executed.
#[test]
fn long_loops_are_long_traces() -> Result<()> {
    let power = parsed(
        "program (x: f64, n: i64) {
          let y = loop (y = 1.0f64) for i < n { let s = sin(y) let z = mul(s, x) return z }
          return y
        }",
    );
    let n = 20_000;
    let at = [0.99.into(), n.into()];
    for keep in [Keep::Scalars, Keep::Arrays] {
        assert_eq!(power.traced(&at, keep)?.program().function().body.stms.len() as i64, 2 * n);
    }
    let scalars = power.traced(&at, Keep::Scalars)?;
    let (value, gradient) = scalars.reverse(&at, &[1.0.into()])?;
    let vjp = power.vjp()?.run(&[0.99.into(), n.into(), 1.0.into()])?;
    assert_eq!(value[0], vjp[0]);
    let [found, expected] = [&gradient[0], &vjp[1]].map(|x| x.to_f64().unwrap()[0]);
    assert!((found / expected - 1.0).abs() < 1e-10, "{found} and {expected}");
    Ok(())
}

/// Prints how the time of tracing grows with the length of a loop: ten times the iterations, about ten times the time.
#[test]
#[ignore = "a measurement: cargo test --release --test array tracing:: growth -- --ignored --nocapture"]
fn growth() -> Result<()> {
    let power = parsed(
        "program (xs: []f64, x: f64, n: i64) {
          let ys, y = loop (ys = xs, y = 1.0f64) for i < n {
            let s = sin(y)
            let z = mul(s, x)
            let low = lt(z, 0.5f64)
            let w = if low { let w = add(z, 0.5f64) return w } else { return z }
            let zs = ys with [0i64] = w
            return zs, w
          }
          return ys, y
        }",
    );
    // The least of three, since other work only ever adds.
    let least = |work: &dyn Fn()| {
        let times = (0..3).map(|_| {
            let start = std::time::Instant::now();
            work();
            start.elapsed()
        });
        times.min().unwrap_or_default()
    };
    for keep in [Keep::Scalars, Keep::Arrays] {
        for n in [1_000_i64, 10_000, 100_000] {
            let at = [Value::new([0.0; 8])?, 0.99.into(), n.into()];
            let adjoints = [Value::new([0.0; 8])?, 1.0.into()];
            let trace = power.traced(&at, keep)?;
            let steps = trace.program().function().body.stms.len();
            let traced = least(&|| drop(power.traced(&at, keep)));
            let ran = least(&|| drop(trace.run(&at)));
            let reversed = least(&|| drop(trace.reverse(&at, &adjoints)));
            println!("{keep:?}, {n}: {steps} steps, traced in {traced:?}, run in {ran:?}, reversed in {reversed:?}");
        }
    }
    Ok(())
}
