//! Checkpointing of loops: every scheme gives the same derivatives, and takes what it is said to take.

use catadiff::array::{Policy, Program};
use catadiff::interpret::{Limits, Value, measure, run};
use catadiff::{Error, Result};
use catadiff_laws::checkpointing::{
    Stop, advances, agree, agree_at_random, budgets_agree, costs, executed, executions, repeated, second_order,
};
use catadiff_laws::{ArrayProgram, Verdict, for_all};

const STOPS: [Stop; 3] = [Stop::For, Stop::While, Stop::Bounded];

/// The logistic map, whose parameter is part of the state.
fn logistic() -> Program {
    let source = "program (x: f64, r: f64) {
        let q = mul(x, -1.0f64) let p = add(q, 1.0f64) let y = mul(x, p) let z = mul(r, y) return z, r }";
    Program::parse(source).unwrap()
}

/// Two scalars that mix.
fn mixing() -> Program {
    let source = "program (x: f64, y: f64) {
        let p = mul(x, y) let q = mul(p, 0.5f64) let s = add(x, q) let t = sin(s) return t, x }";
    Program::parse(source).unwrap()
}

/// A step of Lorenz' equations, three scalars.
fn lorenz() -> Program {
    let source = "program (x: f64, y: f64, z: f64) {
        let mx = mul(x, -0.1f64) let my = mul(y, 0.1f64) let dx = add(mx, my) let nx = add(x, dx)
        let xz = mul(x, z) let a = mul(xz, -0.01f64) let b = mul(x, 0.28f64) let c = add(a, b) let e = mul(y, 0.99f64) let ny = add(c, e)
        let xy = mul(x, y) let f = mul(xy, 0.01f64) let g = mul(z, 0.973f64) let nz = add(f, g)
        return nx, ny, nz }";
    Program::parse(source).unwrap()
}

/// The ring of integers.
fn integers() -> Program {
    let source = "program (x: i64, y: i64) {
        let p = mul(x, y) let q = add(p, 3i64) let s = mul(q, q) return s, x }";
    Program::parse(source).unwrap()
}

fn elements(program: &Program, arguments: &[Value<f64>]) -> Result<u64> {
    Ok(measure(program, arguments, &Limits::default())?.1.elements)
}

#[test]
fn schemes_agree_on_random_programs() -> Verdict {
    for_all(|p: ArrayProgram| agree_at_random(&p))
}

#[test]
fn schemes_agree_on_loops_of_all_lengths() -> Verdict {
    for (n, stop) in [0_i64, 1, 2, 3, 7, 20, 45].into_iter().flat_map(|n| STOPS.map(|stop| (n, stop))) {
        let of = |step: &Program| repeated(step, stop, Policy::KeepAll).unwrap();
        agree(&of(&logistic()), &[0.3.into(), 3.7.into(), n.into()])?;
        agree(&of(&mixing()), &[0.3.into(), 0.7.into(), n.into()])?;
        agree(&of(&integers()), &[2_i64.into(), 5_i64.into(), n.into()])?;
    }
    Ok(())
}

#[test]
fn schemes_cost_what_they_say() -> Verdict {
    let policies = [
        Policy::KeepAll,
        Policy::StripMine(2),
        Policy::StripMine(3),
        Policy::StripMine(4),
        Policy::Binomial(1),
        Policy::Binomial(2),
        Policy::Binomial(3),
        Policy::Binomial(6),
    ];
    for policy in policies {
        costs(&mixing(), &[0.3.into(), 0.7.into()], [0, 1, 2, 5, 16, 27, 28, 60], Stop::For, policy)?;
        for stop in STOPS {
            costs(&logistic(), &[0.3.into(), 3.7.into()], [13], stop, policy)?;
        }
    }
    Ok(())
}

/// The formula of the optimum against its definition: a state is kept somewhere, the part after it is reversed with one
/// place less, and then the part before it.
#[test]
fn binomial_schedules_are_optimal() -> Verdict {
    let mut best = vec![vec![0_u64; 61]; 7];
    for c in 1..=6 {
        for n in 2..=60_usize {
            let alone = (n * (n - 1) / 2) as u64;
            let splits = (1..n).filter(|_| c > 1).map(|m| m as u64 + best[c - 1][n - m] + best[c][m]);
            best[c][n] = splits.chain([alone]).min().unwrap();
        }
        for (n, best) in best[c].iter().enumerate() {
            assert_eq!(advances(n as u64, c as u64), *best, "{n} iterations, {c} states");
        }
        costs(&logistic(), &[0.3.into(), 3.7.into()], 1..=60, Stop::For, Policy::Binomial(c as u32))?;
    }
    Ok(())
}

/// The figures of `papers/checkpointing.md`.
#[test]
fn the_table_of_the_page() -> Verdict {
    let policies = [
        (Policy::KeepAll, "2.00", "2.00"),
        (Policy::StripMine(2), "3.00", "3.00"),
        (Policy::StripMine(3), "4.00", "4.00"),
        (Policy::Binomial(5), "7.29", "12.29"),
        (Policy::Binomial(10), "4.64", "6.76"),
        (Policy::Binomial(20), "3.75", "4.80"),
    ];
    for (policy, of_1000, of_10000) in policies {
        costs(&mixing(), &[0.3.into(), 0.7.into()], [1000], Stop::For, policy)?;
        let found = [1_000_u32, 10_000]
            .map(|n| format!("{:.2}", executions(n.into(), 2, Stop::For, policy) as f64 / f64::from(n)));
        assert_eq!(found, [of_1000, of_10000]);
    }
    Ok(())
}

/// States of 100 elements: what is kept is states, besides what one iteration takes.
#[test]
fn states_of_arrays() -> Result<()> {
    let step = Program::parse(
        "program (xs: []f64) {
            let ys = map (xs) |x: f64| { let y = sin(x) return y } return ys }",
    )?;
    let room = |n: i64, policy: Policy| {
        let vjp = repeated(&step, Stop::For, policy)?.vjp()?;
        elements(&vjp, &[Value::new([0.5; 100])?, n.into(), Value::new([1.0; 100])?])
    };
    let (all, few) = (room(256, Policy::KeepAll)?, room(256, Policy::Binomial(4))?);
    let mined = room(256, Policy::StripMine(2))?;
    println!("all states {all}, two levels {mined}, 4 states {few}");
    assert!((256 * 100..256 * 100 + 600).contains(&all), "{all}");
    assert!((32 * 100..32 * 100 + 800).contains(&mined), "{mined}");
    assert!((4 * 100..4 * 100 + 900).contains(&few), "{few}");
    Ok(())
}

/// The least limits with which a program runs are what it took.
#[test]
fn usage_is_the_least_limit() -> Result<()> {
    let vjp = repeated(&mixing(), Stop::For, Policy::StripMine(2))?.vjp()?;
    let arguments = [0.3.into(), 0.7.into(), 50_i64.into(), 1.0.into(), 1.0.into()];
    let usage = |limits: Limits| measure(&vjp, &arguments, &limits).map(|(_, usage)| usage);
    let found = usage(Limits::default())?;
    let (steps, elements) = (found.steps, found.elements);
    assert_eq!(usage(Limits { steps, elements })?, found);
    assert!(matches!(usage(Limits { steps: steps - 1, elements }), Err(Error::Budget { what: "steps", .. })));
    assert!(matches!(usage(Limits { steps, elements: elements - 1 }), Err(Error::Budget { what: "elements", .. })));
    Ok(())
}

/// A loop in a loop and one beside them, each of scalars, under all budgets.
#[test]
fn budgets_are_shared() -> Result<()> {
    let program = Program::parse(
        "program (x: f64) {
            let a = loop (a: f64 = x) for i < 40i64 {
                let b = loop (b: f64 = a) for j < 30i64 { let s = sin(b) let t = add(s, a) return t }
                let c = cos(b) return c }
            let d = loop (d: f64 = a) for k < 20i64 { let s = sin(d) return s }
            return d }",
    )?;
    let (arguments, seeded) = ([0.3.into()], [0.3.into(), 1.0.into()]);
    let derivative = program.vjp()?.run(&seeded)?;
    let mut steps = u64::MAX;
    for budget in [6, 7, 8, 12, 20, 40, 60, 89, 90, 1000] {
        let vjp = program.checkpointed(&arguments, budget)?.vjp()?;
        let (found, usage) = measure(&vjp, &seeded, &Limits::default())?;
        println!("{budget}: {} elements, {} steps", usage.elements, usage.steps);
        assert_eq!(found, derivative, "{budget}");
        assert!(usage.elements <= budget, "{} elements, and the budget is {budget}", usage.elements);
        assert!(usage.elements * 3 >= budget.min(90) * 2, "{} elements of {budget} are used", usage.elements);
        assert!(usage.steps <= steps, "more room, {budget}, takes more steps");
        steps = usage.steps;
    }
    assert_eq!(program.checkpointed(&arguments, 5), Err(Error::Checkpoints { allowed: 5, least: 6 }));
    assert_eq!(program.checkpointed(&arguments, 90)?, program);
    Ok(())
}

/// A loop that asks has room for as many states as its bound says, or else for some before it is known how many there are.
#[test]
fn budgets_of_loops_that_ask() -> Result<()> {
    for (bound, budget, policy) in
        [("", 512, ""), ("", 511, "binomial[255] "), ("", 9, "binomial[4] "), ("[1000i64]", 20, "binomial[10] ")]
    {
        let source = format!(
            "program (x: f64) {{
                let y = loop (y: f64 = x) while{bound} {{ let c = lt(y, 1000.0f64) return c }} {{
                    let z = mul(y, 2.0f64) let e = mul(z, y) let s = sqrt(e) let t = mul(s, 1.4142135623730951f64) return t }}
                return y }}"
        );
        let program = Program::parse(&source)?;
        let planned = program.checkpointed(&[1.0.into()], budget)?;
        assert!(planned.to_string().contains(&format!("loop {policy}(")), "{budget}: {planned}");
        let used = elements(&planned.vjp()?, &[1.0.into(), 1.0.into()])?;
        assert!(used <= budget, "{used} elements, and the budget is {budget}");
    }
    Ok(())
}

/// A budget for states of 100 elements, besides which there is what one iteration takes.
#[test]
fn a_budget_for_arrays() -> Result<()> {
    let step = Program::parse(
        "program (xs: []f64) {
            let ys = map (xs) |x: f64| { let y = sin(x) return y } return ys }",
    )?;
    let program = repeated(&step, Stop::For, Policy::KeepAll)?;
    let (xs, n) = (Value::new([0.5; 100])?, 256_i64.into());
    let vjp = program.checkpointed(&[xs.clone(), n], 1000)?.vjp()?;
    let used = elements(&vjp, &[xs.clone(), 256_i64.into(), xs])?;
    assert!((909..909 + 600).contains(&used), "9 states of 101 elements, and {used} in all");
    Ok(())
}

/// A loop that asks runs on where its bound ends: that is an error in every scheme.
#[test]
fn bounds_are_checked() -> Result<()> {
    for policy in ["", "strip_mine[2] ", "binomial[2] "] {
        let program = Program::parse(&format!(
            "program (x: f64) {{
                let y = loop {policy}(y: f64 = x) while[3i64] {{ let c = lt(y, 100.0f64) return c }} {{
                    let z = mul(y, y) return z }}
                return y }}"
        ))?;
        let vjp = program.vjp()?;
        assert!(vjp.run(&[5.0.into(), 1.0.into()]).is_ok());
        assert!(matches!(vjp.run(&[1.0.into(), 1.0.into()]), Err(Error::LoopBound { bound: 3, .. })), "{policy}");
    }
    Ok(())
}

/// A nest of a loop without end has none either, and more levels than halve the largest number are not written.
#[test]
fn nests_of_many_iterations_and_of_many_levels() -> Result<()> {
    let written = |levels: u32| {
        Program::parse(&format!(
            "program (x: f64, n: i64) {{
                let y = loop strip_mine[{levels}] (y: f64 = x) for i < n {{ let z = sin(y) return z }}
                return y }}"
        ))
    };
    let looping = |levels| written(levels)?.vjp();
    for levels in [2, 3] {
        let limits = Limits { steps: 10_000, ..Limits::default() };
        let endless = run(&looping(levels)?, &[1.0.into(), i64::MAX.into(), 1.0.into()], &limits);
        assert!(matches!(endless, Err(Error::Budget { .. })), "{endless:?}");
    }
    let value = |levels, n: i64| looping(levels)?.run(&[0.5.into(), n.into(), 1.0.into()]);
    for n in [9, 1, 0, -1, i64::MIN] {
        assert_eq!(value(u32::MAX, n)?, value(1, n)?);
    }
    // Nor are they counted one by one where the report says what is kept.
    let many = written(u32::MAX)?.checkpointed(&[0.5.into(), 9_i64.into()], 1000)?.vjp()?;
    assert_eq!(many.run(&[0.5.into(), 9_i64.into(), 1.0.into()])?, value(1, 9)?);
    Ok(())
}

/// Derivatives of derivatives: the same in every scheme, and in as little room.
#[test]
fn derivatives_of_derivatives() -> Verdict {
    for policy in
        [Policy::KeepAll, Policy::StripMine(2), Policy::StripMine(3), Policy::Binomial(3), Policy::Binomial(5)]
    {
        for n in [0, 1, 9, 80] {
            second_order(&mixing(), &[0.3.into(), 0.7.into()], n, Stop::For, policy)?;
            second_order(&lorenz(), &[1.0.into(), 0.7.into(), 20.0.into()], n, Stop::For, policy)?;
        }
    }
    Ok(())
}

/// A step on many numbers, of whose states few have room where it is not known how often it is repeated.
fn waves() -> Program {
    let source = "program (xs: []f64) {
        let ys = map (xs) |x: f64| { let y = sin(x) return y } return ys }";
    Program::parse(source).unwrap()
}

/// A loop whose end is not known is run once, and in return; what has no room is run once more, and nothing else.
#[test]
fn loops_that_ask_run_again_what_has_no_room() -> Verdict {
    let wave: Value<f64> = Value::new([0.7; 1000]).unwrap();
    let places = Policy::places(1001);
    assert_eq!(places, 4);
    for n in [0, 1, places - 1, places, places + 1, 3 * places] {
        for stop in STOPS {
            let found = executed(&waves(), std::slice::from_ref(&wave), n, stop, Policy::KeepAll).unwrap();
            assert_eq!(found, executions(n, 1000, stop, Policy::KeepAll), "{n} iterations, {stop:?}");
            if [1, places + 1].contains(&n) {
                agree(&repeated(&waves(), stop, Policy::KeepAll).unwrap(), &[wave.clone(), (n as i64).into()])?;
            }
        }
        let vjp = repeated(&waves(), Stop::While, Policy::KeepAll).unwrap().vjp().unwrap();
        let held = elements(&vjp, &[wave.clone(), (n as i64).into(), wave.clone()]).unwrap();
        let states = n.max(places) * 1000;
        assert!((states..states + 7000).contains(&held), "{n} iterations: {held} elements");
    }
    let places = Policy::places(3);
    let ns = [0, 1, places - 1, places, places + 1, 3 * places];
    costs(&logistic(), &[0.3.into(), 3.7.into()], ns, Stop::While, Policy::KeepAll)?;
    for n in [1, places, 3 * places] {
        second_order(&mixing(), &[0.3.into(), 0.7.into()], n, Stop::While, Policy::KeepAll)?;
    }
    Ok(())
}

#[test]
fn budgets_agree_on_random_programs() -> Verdict {
    for_all(|p: ArrayProgram| budgets_agree(&p))
}

/// A loop that doubles a vector and takes half of it again, in turn: `n` iterations of which every `k`-th doubles it.
fn breathing(n: i64, k: i64) -> Result<Program> {
    Program::parse(&format!(
        "program (xs: []f64) {{
            let first = size[0](xs)
            let ys = loop (ys: []f64 = xs) for i < {n}i64 {{
                let turn = rem(i, {k}i64)
                let grows = eq(turn, 0i64)
                let ys = if grows {{ let more = concat(ys, xs) return more }} else {{
                    let half = slice ys[0i64 : first : 1i64]
                    let zs = map (half, xs) |y: f64, x: f64| {{ let s = sin(y) let p = mul(s, x) return p }}
                    return zs }}
                return ys }}
            let total = reduce (ys) from (0.0f64) |a: f64, b: f64| {{ let c = add(a, b) return c }}
            return total }}"
    ))
}

/// States of an array that changes its size are kept one after the other; few in binomial order have no room beside each
/// other, unless it is one alone, and say so.
#[test]
fn states_that_change_their_size() -> Result<()> {
    let xs: Value<f64> = Value::new([0.3, 0.7])?;
    let near = |a: f64, b: f64| (a - b).abs() <= 1e-12 * b.abs();
    for (n, k) in [(4, 2), (5, 2), (6, 3), (7, 3)] {
        let program = breathing(n, k)?;
        let slope = |direction: [f64; 2]| program.jvp()?.at::<(f64, f64)>(([0.3, 0.7], direction));
        let expected = [slope([1.0, 0.0])?.1, slope([0.0, 1.0])?.1];
        for policy in [Policy::KeepAll, Policy::StripMine(2), Policy::Binomial(1), Policy::Recompute] {
            let gradient: [f64; 2] = program.with_policy(policy).grad(..)?.at([0.3, 0.7])?;
            let is_right = gradient.iter().zip(expected).all(|(g, e)| near(*g, e));
            assert!(is_right, "{policy:?}: {gradient:?} instead of {expected:?}");
        }
        for policy in [Policy::Binomial(2), Policy::Binomial(3)] {
            let found = program.with_policy(policy).grad(..)?.run(std::slice::from_ref(&xs));
            assert!(matches!(found, Err(Error::Sizes { first: 2, second: 4, .. })), "{policy:?}: {found:?}");
        }
    }
    Ok(())
}
