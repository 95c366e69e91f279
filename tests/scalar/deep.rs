//! Functional tangents on large maps and wide numbers: they answer, in unoptimised programs as well.
//!
//! Law: how deep the closures are nested, and how large a node of a map is, does not decide whether a gradient comes.

use catadiff::prelude::*;
use catadiff::typenum::U32;

/// More nested calls than a stack of the usual size has room for.
const TERMS: usize = 50_000;

fn sum<R: Real>(x: &[R]) -> R {
    x.iter().sum()
}

#[test]
fn upserts_into_a_map_of_many_variables() {
    assert_eq!(CayleyReverse::grad(|x| sum(x), &vec![1.0; TERMS]).unwrap(), vec![1.0; TERMS]);
}

#[test]
fn unions_of_maps_of_many_variables() {
    assert_eq!(Downward::grad(|x| sum(x), &vec![1.0; TERMS]).unwrap(), vec![1.0; TERMS]);
}

/// Numbers of 264 bytes in maps of 200, a thousand additions deep.
#[test]
fn wide_numbers_in_maps() {
    fn chain<R: Real>(x: &[R]) -> R {
        (0..1000).fold(x[0] * x[0], |y, k| y + x[k % x.len()])
    }
    let x = vec![2.0; 200];
    let hessian = VectorForward::<U32>::jacobian(|x| Downward::grad(|y| chain(y), x).unwrap(), &x).unwrap();
    assert_eq!(hessian.len(), 200);
    for (i, row) in hessian.iter().enumerate() {
        for (j, entry) in row.iter().enumerate() {
            assert_eq!(*entry, if (i, j) == (0, 0) { 2.0 } else { 0.0 });
        }
    }
}
