//! Batching, and many directions at once.

use catadiff::array::Program;
use catadiff::interpret::Value;
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
