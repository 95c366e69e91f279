//! Derivatives of array programs without rounding, in a finite field, and by the tape of the scalar layer.

use std::cell::Cell;

use catadiff::array::Program;
use catadiff::interpret::{Scalar, Value};
use catadiff::primitives::Elementary;
use catadiff_laws::array_exact::{Residue, polynomial};
use catadiff_laws::{ArrayProgram, Verdict, array_exact, array_tape, for_all};

#[test]
fn derivatives_and_their_derivatives() -> Verdict {
    for_all(|p: ArrayProgram| array_exact::of_random(&p))
}

#[test]
fn batched() -> Verdict {
    for_all(|p: ArrayProgram| array_exact::batched(&p))
}

#[test]
fn reverse_mode_by_the_tape() -> Verdict {
    for_all(|p: ArrayProgram| array_tape::reverse(&p))
}

/// Finite doubles are dyadic fractions, so the field has them, and knows their sums and products exactly.
#[test]
fn constants_are_residues() {
    let residue = Residue::constant;
    assert_eq!(residue(0.375) * residue(8.0), Residue::new(3));
    assert_eq!(residue(0.1) * Residue::new(1 << 55), Residue::new(3_602_879_701_896_397));
    assert_eq!(residue(-2.5) + residue(2.5), Residue::new(0));
    assert_eq!(residue(f64::from_bits(1)) / residue(f64::from_bits(1)), Residue::new(1));
    assert_eq!(Residue::new(1) / Residue::new(3) * Residue::new(3), Residue::new(1));
}

/// Nothing but `+ − ×` of reals is left, and enough of it that the laws speak of derivatives.
#[test]
fn random_programs_become_polynomials() {
    let depends = Cell::new(0);
    let verdict = for_all(|random: ArrayProgram| {
        let program = polynomial(&random.program());
        assert_eq!(program.verify(), Ok(()));
        for name in ["sin(", "tanh(", "min(v", "hypot(", "inf"] {
            let text = program.to_string();
            let rows = text
                .lines()
                .filter(|line| line.contains(name) && ![": i", ": u"].iter().any(|of| line.contains(of)))
                .count();
            assert_eq!(rows, 0, "{text}");
        }
        let arguments: Vec<Value<f64>> = random.arguments();
        let Ok(vjp) = program.vjp_wrt(..) else { return Ok(()) };
        let ones = |v: &Value<f64>| {
            let one = |x: &Scalar<f64>| match x.prim() {
                real if real.is_real() => Scalar::constant(real.one(), |x| x),
                other => Scalar::constant(other.zero(), |x| x),
            };
            Value::array(v.sizes(), v.elements().iter().map(one).collect()).unwrap()
        };
        let results = program.run(&arguments).unwrap();
        let adjoints: Vec<Value<f64>> = results.iter().map(ones).collect();
        let found = vjp.run(&[&arguments[..], &adjoints].concat()).unwrap();
        let adjoints = found[results.len()..].iter().flat_map(|v| v.elements().to_vec());
        let other = adjoints.into_iter().any(|x| x != Scalar::F64(0.0) && x != Scalar::F64(1.0));
        depends.set(depends.get() + usize::from(other));
        Ok(())
    });
    assert!(verdict.is_ok());
    assert!(depends.get() >= 64, "only {} of the programs have derivatives other than 0 and 1", depends.get());
}

/// Of what is added to one array something is differentiated by, and something that is added before and within is not.
#[test]
fn accumulators_are_active_as_a_whole() {
    let text = "program (x: []f64, y: []f64, to: [][]f64) {
       let a: acc [][]f64 = accumulator(to)
       let rows: acc [][]f64 = map (x) adding (a) |x1: f64, b: acc [][]f64| {
         let elements: acc [][]f64 = map (x) adding (b) |x2: f64, c: acc [][]f64| {
           let d: acc [][]f64 = c with [0i64, 0i64] += x2
           return d
         }
         let e: acc [][]f64 = elements with [1i64] += y
         return e
       }
       let result = array(rows)
       return result
     }";
    let program = Program::parse(text).unwrap();
    let reals = |sizes: &[usize], x: &[f64]| Value::reals(sizes, x.to_vec()).unwrap();
    let arguments = [reals(&[2], &[1.0, 2.0]), reals(&[2], &[3.0, 4.0]), reals(&[2, 2], &[0.0; 4])];
    let pushed = program.jvp_wrt([1]).unwrap().run(&[&arguments[..], &[reals(&[2], &[0.5, 1.0])]].concat()).unwrap();
    assert_eq!(pushed, [reals(&[2, 2], &[6.0, 0.0, 6.0, 8.0]), reals(&[2, 2], &[0.0, 0.0, 1.0, 2.0])]);
    let adjoint = reals(&[2, 2], &[1.0, 2.0, 3.0, 4.0]);
    let pulled = program.vjp_wrt([1]).unwrap().run(&[&arguments[..], &[adjoint]].concat()).unwrap();
    assert_eq!(pulled[1], reals(&[2], &[6.0, 8.0]));
    let residues = arguments.map(|value| value.map(|x| Residue::constant(x + 1.5)));
    assert_eq!(array_exact::second_order_at(&program, &residues), Ok(()));
}

/// A pullback may start a reduction and a scan from the adjoint that it gets.
#[test]
fn pullbacks_may_start_from_adjoints() {
    let product = "|a: f64, b: f64| { let c = mul(a, b) return c }";
    let text = format!(
        "program (x: f64, y: f64) {{
           let s = custom (x) |a: f64| {{
             let xs = [2.0f64, 3.0f64] let p = reduce (xs) from (a) {product} let q = mul(p, 6.0f64) return q
           }} pullback |a: f64, result: f64, adjoint: f64| {{
             let xs = [2.0f64, 3.0f64] let p = scan (xs) from (adjoint) {product} let q = p[1i64]
             let r = reduce (xs) from (q) {product} return r
           }}
           let t = mul(s, s) let u = mul(t, y)
           return u
         }}"
    );
    let program = Program::parse(&text).unwrap();
    let residues = [5, 7].map(|n| Value::Scalar(Scalar::F64(Residue::new(n))));
    assert_eq!(array_exact::second_order_at(&program, &residues), Ok(()));
}

/// A cubic whose pullback is that of a square: each law finds it out.
#[test]
fn wrong_derivatives_are_found() {
    let cubes = |factor: &str| {
        let text = format!(
            "program (xs: []f64) {{
               let ys = map (xs) |x: f64| {{
                 let y = custom (x) |a: f64| {{
                   let b = mul(a, a) let c = mul(b, a) return c
                 }} pullback |a: f64, result: f64, adjoint: f64| {{
                   let b = mul(a, a) let c = mul(b, {factor}f64) let d = mul(c, adjoint) return d
                 }}
                 return y
               }}
               let p = reduce (ys) from (1.0f64) |a: f64, b: f64| {{ let c = mul(a, b) return c }}
               return p
             }}"
        );
        Program::parse(&text).unwrap()
    };
    let residues = [Value::reals(&[3], [2, 0, 5].map(Residue::new)).unwrap()];
    let reals = [Value::reals(&[3], [2.0, 0.5, 5.0]).unwrap()];
    assert_eq!(array_exact::first_order_at(&cubes("3.0"), &residues), Ok(()));
    assert_eq!(array_exact::second_order_at(&cubes("3.0"), &residues), Ok(()));
    assert_eq!(array_tape::at(&cubes("3.0"), &reals), Ok(()));
    let residues = [Value::reals(&[3], [2, 7, 5].map(Residue::new)).unwrap()];
    assert!(array_exact::first_order_at(&cubes("2.0"), &residues).is_err());
    assert!(array_exact::second_order_at(&cubes("2.0"), &residues).is_err());
    assert!(array_tape::at(&cubes("2.0"), &reals).is_err());
    // So small an error that floats would have to let it pass.
    assert!(array_exact::first_order_at(&cubes("3.000000000001"), &residues).is_err());
    assert_eq!(array_tape::at(&cubes("3.000000000001"), &reals), Ok(()));
}
