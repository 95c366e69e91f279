//! Sorting, against Rust's stable sort.

use catadiff::Result;
use catadiff::array::Program;
use catadiff::array::trace::{Arr, F16, F32, F64, I8, I16, I32, I64, U8, U16, U32, U64};
use catadiff::primitives::f16;

use super::Made::OfMore;
use super::{draw, has, of_lists, of_matrices, value};

fn ordered(x: &[f64], down: bool) -> Vec<usize> {
    let mut order: Vec<usize> = (0..x.len()).collect();
    let by = |i: &usize, j: &usize| {
        let (i, j) = if down { (*j, *i) } else { (*i, *j) };
        x[i].partial_cmp(&x[j]).expect("both are numbers")
    };
    order.sort_by(|i, j| match (x[*i].is_nan(), x[*j].is_nan()) {
        (false, false) => by(i, j),
        (i, j) => i.cmp(&j),
    });
    order
}

#[test]
fn sorting() -> Result<()> {
    let sorted = |x: &[f64], down: bool| ordered(x, down).into_iter().map(|i| x[i]).collect::<Vec<_>>();
    of_lists("sort", OfMore, Program::trace(|x: Arr<F64>| x.sort()), |x| sorted(x, false));
    of_lists("sort_descending", OfMore, Program::trace(|x: Arr<F64>| x.sort_descending()), |x| sorted(x, true));
    of_matrices("sort of rows", OfMore, Program::trace(|x: Arr<Arr<F64>>| x.map(|row| row.sort())), |x| {
        x.iter().map(|row| sorted(row, false)).collect::<Vec<_>>()
    });
    let best = [0_usize, 1, 3].map(|k| {
        let x = [1.0, 5.0, -2.0, 5.0];
        let at = &ordered(&x, true)[..k];
        let values: Vec<f64> = at.iter().map(|i| x[*i]).collect();
        (
            vec![value(x), (k as i64).into()],
            vec![value(values), value(at.iter().map(|i| *i as i64).collect::<Vec<_>>())],
        )
    });
    has("top_k", OfMore, Program::trace(|x: Arr<F64>, k: I64| x.top_k(k)), best);
    let many = Program::trace(|x: Arr<F64>, k: I64| x.top_k(k))?.run(&[value([1.0]), 2_i64.into()]);
    assert!(many.is_err(), "there are not as many");

    let (zero, nan, far) = (0.0_f64, f64::NAN, f64::INFINITY);
    let special = [nan, 1.0, -zero, zero, -1e-310, 5e-324, -far, far, -nan, -zero, -1.0, 1e300, -1e300, f64::MIN, nan];
    let order = Program::trace(|x: Arr<F64>| (x.argsort(), x.argsort_descending()))?;
    let (up, down): (Vec<i64>, Vec<i64>) = order.at(special)?;
    let expected = |down: bool| ordered(&special, down).into_iter().map(|i| i as i64).collect::<Vec<_>>();
    assert_eq!((up, down), (expected(false), expected(true)));
    Ok(())
}

/// The order of numbers of every kind is that of Rust's stable sort, and elements are as many as are worth lanes.
#[test]
fn orders_of_numbers_of_every_kind() -> Result<()> {
    macro_rules! kinds {
        ($($Kind:ident($Number:ident): $of:expr;)+) => {$({
            let ends = [-1.0, 1.0].map($of);
            let drawn: Vec<$Number> = ends.into_iter().chain((0..60).map(|_| $of(draw()))).chain(ends).collect();
            let program = Program::trace(|x: Arr<$Kind>| (x.argsort(), x.argsort_descending(), x.sort()))?;
            let found: (Vec<i64>, Vec<i64>, Vec<$Number>) = program.compile()?.at(&drawn[..])?;
            assert_eq!(found, program.at(&drawn[..])?);
            let mut order: Vec<i64> = (0..drawn.len() as i64).collect();
            let compare = |i: i64, j: i64| drawn[i as usize].partial_cmp(&drawn[j as usize]).expect("both are numbers");
            order.sort_by(|i, j| compare(*i, *j));
            assert_eq!((&found.0, &found.2), (&order, &order.iter().map(|i| drawn[*i as usize]).collect()));
            order.sort();
            order.sort_by(|i, j| compare(*j, *i));
            assert_eq!(found.1, order);
        })+};
    }
    kinds! {
        I8(i8): |x: f64| (x * 128.0) as i8; I16(i16): |x: f64| (x * 9.0) as i16;
        I32(i32): |x: f64| (x * 1e9) as i32; I64(i64): |x: f64| (x * 1e18) as i64;
        U8(u8): |x: f64| (x * 256.0) as u8; U16(u16): |x: f64| (x * 9.0) as u16;
        U32(u32): |x: f64| (x * 4e9) as u32; U64(u64): |x: f64| (x * 1.8e19) as u64;
        F16(f16): f16::from_f64; F32(f32): |x: f64| x as f32; F64(f64): |x: f64| (x * 20.0).round();
    }
    Ok(())
}
