//! Structures of numbers: every strategy gives the gradient the shape of the parameters.
//!
//! Law: flattening, differentiating and rebuilding is differentiating by structure.

use catadiff::derivative::{Structure, StructuredStrategy, grad_of, value_and_grad_of};
use catadiff::prelude::*;
use catadiff::{Error, structure};
use generic_array::typenum::{U1, U3};

/// Written by hand, with a field that is no number.
#[derive(Debug, Clone, PartialEq)]
struct Params<T> {
    w: Vec<T>,
    b: T,
    power: i32,
}

impl<S: Base> Structure for Params<S> {
    type Scalar = S;
    type Of<T> = Params<T>;
    fn map_numbers<T>(&self, f: &mut impl FnMut(S) -> T) -> Params<T> {
        Params { w: self.w.map_numbers(f), b: self.b.map_numbers(f), power: self.power }
    }
}

structure! {
    /// Written by the macro, and holding structures in turn.
    #[derive(Debug, Clone, PartialEq)]
    pub struct Network<T> {
        /// Layers of different widths.
        pub layers: Vec<Params<T>>,
        pair: ([T; 2], T),
    }
}

fn network() -> Network<f64> {
    Network {
        layers: vec![
            Params { w: vec![0.5, 1.5], b: 2.0, power: 2 },
            Params { w: vec![], b: -1.0, power: 3 },
            Params { w: vec![0.25], b: 3.0, power: 1 },
        ],
        pair: ([1.0, -2.0], 0.75),
    }
}

fn loss<R: Real>(n: &Network<R>) -> R {
    let of_layers = |p: &Params<R>| p.w.iter().map(|w| (*w * p.b).sin()).sum::<R>() + p.b.powi(p.power);
    n.layers.iter().map(of_layers).product::<R>() * n.pair.0[0] + n.pair.0[1].exp() * n.pair.1
}

#[test]
fn every_strategy_agrees_with_the_flat_verbs() {
    let at = network();
    let flat = grad(|x| loss(&at.rebuild(x.to_vec()).unwrap()), &at.flatten()).unwrap();
    let (value, reverse) = value_and_grad_of(|n| loss(&n), &at).unwrap();
    assert_eq!(value, loss(&at));
    assert_eq!(reverse.flatten(), flat);
    assert_eq!(reverse.layers[1].power, 3, "what is no number stays");
    let others = [
        Forward::grad_of(|n| loss(&n), &at).unwrap(),
        VectorForward::<U1>::grad_of(|n| loss(&n), &at).unwrap(),
        VectorForward::<U3>::grad_of(|n| loss(&n), &at).unwrap(),
        Reverse::grad_of(|n| loss(&n), &at).unwrap(),
        SparseForward::grad_of(|n| loss(&n), &at).unwrap(),
        Downward::grad_of(|n| loss(&n), &at).unwrap(),
        CayleyReverse::grad_of(|n| loss(&n), &at).unwrap(),
        MutableReverse::grad_of(|n| loss(&n), &at).unwrap(),
        Symbolic::grad_of(|n| loss(&n), &at).unwrap(),
    ];
    for other in others {
        for (a, b) in other.flatten().iter().zip(&flat) {
            assert!((a - b).abs() <= 1e-14 * b.abs().max(1.0), "{a} against {b}");
        }
    }
}

#[test]
fn closures_infer_without_annotations() {
    let params = Params { w: vec![2.0, 3.0], b: 5.0, power: 0 };
    let gradient = grad_of(|p| p.w[0] * p.b, &params).unwrap();
    assert_eq!(gradient, Params { w: vec![5.0, 0.0], b: 2.0, power: 0 });
    let gradient = grad_of(|p| p.w.iter().map(|w| *w * 2.0).sum(), &params).unwrap();
    assert_eq!(gradient.w, [2.0, 2.0]);
    assert_eq!(grad_of(|p| p.0 * p.1[0] * p.1[1], &(2.0_f32, [3.0, 5.0])).unwrap(), (15.0, [10.0, 6.0]));
    assert_eq!(grad_of(|p| p.0 * p.1 * p.2 * p.3, &(1.0, 2.0, 3.0, 4.0)).unwrap(), (24.0, 12.0, 8.0, 6.0));
    // A function that returns what it captured has derivative 0.
    assert_eq!(grad_of(|_| Reverse::lift(1.0), &[1.0, 2.0]).unwrap(), [0.0, 0.0]);
}

#[test]
fn structures_nest_in_other_differentiations() {
    // d/ds of the first component of ∇(s·a²·b) at (a, b) = (s, 3), that is d/ds 6s² = 12s.
    let slope =
        diff(|s| grad_of(|p| Reverse::lift(s) * p.0 * p.0 * p.1[0], &(s, [Forward::lift(3.0)])).unwrap().0, 2.0);
    assert_eq!(slope.unwrap(), 24.0);
}

#[test]
fn bad_input_is_an_error() {
    let nothing: Vec<f64> = vec![];
    assert_eq!(grad_of(|p| p.iter().copied().sum(), &nothing), Err(Error::Empty { what: "the point" }));
    let at = (1.0, vec![2.0, f64::NAN]);
    assert!(matches!(grad_of(|p| p.0, &at), Err(Error::NotFinite { index: 2, .. })));
    let short = [1.0, 2.0, 3.0].rebuild(vec!['a', 'b']);
    assert!(matches!(short, Err(Error::Length { expected: 3, found: 2, .. })), "{short:?}");
    assert_eq!((1.0, [2.0]).rebuild(vec!['a', 'b']), Ok(('a', ['b'])));
}
