//! Batching, many directions at once, and what checkpointing costs.

use catadiff::array::Program;
use catadiff::interpret::{Limits, Value, run};
use catadiff::{Error, Result};

const SOURCE: &str = "program (xs: []f64, k: f64) {
    let ys = map (xs) |x: f64| { let p = mul(x, k) let y = sin(p) return y }
    let s = reduce (ys) from (0.0f64) |a: f64, b: f64| { let c = add(a, b) return c }
    return s, ys }";

fn texts(values: &[Value<f64>]) -> Vec<String> {
    values.iter().map(ToString::to_string).collect()
}

#[test]
fn vmap_is_map() -> Result<()> {
    let program = Program::parse(SOURCE)?;
    let rows = [[0.3, 0.4], [1.5, -0.2], [0.0, 2.0]];
    let many = program.vmap(&[true, false])?;
    many.verify()?;
    let found = many.run(&[Value::new(rows)?, 0.7.into()])?;
    let one = |row: [f64; 2]| program.run(&[Value::new(row)?, 0.7.into()]);
    let (sums, lists) = rows
        .into_iter()
        .map(|row| Ok((one(row)?[0].clone(), one(row)?[1].clone())))
        .collect::<Result<(Vec<_>, Vec<_>)>>()?;
    assert_eq!(found, [Value::rows(sums)?, Value::rows(lists)?]);
    assert!(matches!(program.vmap(&[false, false]), Err(Error::Empty { .. })));
    assert!(matches!(program.vmap(&[true]), Err(Error::Length { .. })));
    Ok(())
}

#[test]
fn many_directions_share_one_primal() -> Result<()> {
    let program = Program::parse(SOURCE)?;
    let (xs, k) = (Value::new([0.3, 0.4])?, Value::from(0.7));
    let (jmp, mjp) = (program.jmp()?, program.mjp()?);
    jmp.verify()?;
    mjp.verify()?;
    let tangents = [Value::new([[1.0, 0.0], [0.0, 1.0], [0.5, 0.5]])?, Value::new([0.0, 1.0, 2.0])?];
    let pushed = jmp.run(&[&[xs.clone(), k.clone()][..], &tangents].concat())?;
    assert_eq!(texts(&pushed[..2]), texts(&program.run(&[xs.clone(), k.clone()])?));
    let one = program.jvp()?.run(&[xs.clone(), k.clone(), Value::new([0.5, 0.5])?, 2.0.into()])?;
    assert_eq!(pushed[2].elements()[2], one[2].elements()[0]);
    assert_eq!(&pushed[3].elements()[4..], one[3].elements());
    let pulled = mjp.run(&[xs.clone(), k.clone(), Value::new([1.0, 0.0])?, Value::new([[0.0, 0.0], [3.0, 4.0]])?])?;
    let one = program.vjp()?.run(&[xs, k, 0.0.into(), Value::new([3.0, 4.0])?])?;
    assert_eq!(&pulled[2].elements()[2..], one[2].elements());
    assert_eq!(pulled[3].elements()[1], one[3].elements()[0]);
    Ok(())
}

/// The least room, in elements, and the least number of steps, with which a program runs.
fn needs(program: &Program, arguments: &[Value<f64>]) -> (u64, u64) {
    let least = |fits: &dyn Fn(u64) -> bool| {
        let (mut low, mut high) = (0, 1 << 24);
        while low + 1 < high {
            let middle = (low + high) / 2;
            if fits(middle) { high = middle } else { low = middle }
        }
        high
    };
    let elements = least(&|n| run(program, arguments, &Limits { elements: n, steps: u64::MAX }).is_ok());
    let steps = least(&|n| run(program, arguments, &Limits { steps: n, elements: u64::MAX }).is_ok());
    (elements, steps)
}

#[test]
fn checkpoints_trade_steps_for_room() -> Result<()> {
    let of = |policy: &str| {
        let source = format!(
            "program (xs: []f64) {{
                let ys = loop {policy} (ys: []f64 = xs) for i < 256i64 {{
                    let zs = map (ys) |y: f64| {{ let z = sin(y) return z }} return zs }}
                return ys }}"
        );
        let vjp = Program::parse(&source)?.vjp()?;
        let arguments = [Value::new([0.5; 8])?, Value::new([1.0; 8])?];
        Ok((vjp.run(&arguments)?[1].clone(), needs(&vjp, &arguments)))
    };
    let all = of("")?;
    let found: Vec<_> = ["strip_mine[2]", "strip_mine[4]", "binomial[4]"].into_iter().map(of).collect::<Result<_>>()?;
    for (name, (gradient, (room, steps))) in ["two levels", "four levels", "binomial"].into_iter().zip(&found) {
        println!("{name}: {room} elements in {steps} steps; all states: {:?}", all.1);
        assert_eq!(gradient, &all.0, "{name}");
        assert!(room * 4 < all.1.0, "{name} needs {room} elements where all states need {}", all.1.0);
        // Each level runs the primal once more, and a binomial schedule of 4 states at most 6 times over 256 iterations.
        assert!(*steps < 6 * all.1.1, "{name} takes {steps} steps where keeping all takes {}", all.1.1);
    }
    Ok(())
}
