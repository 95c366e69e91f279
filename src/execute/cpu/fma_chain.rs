//! Sums of products that stay in a register of the processor until they are added up.
//!
//! Law: it is the multiply-adds one after the other, each rounded once (tests/execute/products.rs).

use super::instruction::{Chain, Reg};
use super::real::Real;
use super::state::State;
use super::vector::{Source, lanes, one_by_one};

/// Adds up.
#[inline(always)]
pub(super) fn run<R: Real<G>, const G: usize>(state: &State<R, G>, it: &Chain) {
    match it.products[..] {
        [a, b] => sum(state, it, [a, b]),
        [a, b, c] => sum(state, it, [a, b, c]),
        [a, b, c, d] => sum(state, it, [a, b, c, d]),
        [a, b, c, d, e] => sum(state, it, [a, b, c, d, e]),
        [a, b, c, d, e, f] => sum(state, it, [a, b, c, d, e, f]),
        _ => panic!("a sum has from two to six products"),
    }
}

#[inline(always)]
fn sum<const N: usize, R: Real<G>, const G: usize>(state: &State<R, G>, it: &Chain, products: [[Reg; 2]; N]) {
    let start = state.real(it.start);
    let (mut x, mut y, mut signs) = ([start; N], [start; N], [R::default(); N]);
    for k in 0..N {
        (x[k], y[k]) = (state.real(products[k][0]), state.real(products[k][1]));
        signs[k] = if it.minus >> k & 1 == 1 { -R::ONE } else { R::ONE };
    }
    for (k, to) in state.real_block(it.to).iter().enumerate() {
        let mut sum = start.group(k);
        for n in 0..N {
            let (a, b, sign) = (x[n].group(k), y[n].group(k), signs[n]);
            sum = lanes(|i| a[i].times_sign(sign).mul_add(b[i], sum[i]));
        }
        to.write(sum);
        one_by_one();
    }
}
