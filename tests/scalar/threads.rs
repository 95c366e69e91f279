//! What can be sent to another thread is known to the compiler, and said here.
use catadiff::carriers::{Dual, Record, Tape};
use catadiff::derivative::{Linear, Pullback};
use catadiff::prelude::*;
use catadiff::{Error, Recording};
use std::thread;

fn sent<T: Send>() {}
fn shared<T: Sync>() {}

#[test]
fn recordings_and_their_derivatives_travel() {
    sent::<Tape<f64>>();
    sent::<Recording<f64>>();
    sent::<Dual<f64>>();
    sent::<Error>();
    sent::<Record<f64>>();
    shared::<Record<f64>>();
    shared::<Pullback<f64>>();
    shared::<Linear<f64>>();
}

#[test]
fn one_pullback_serves_many_threads() {
    let (_, pullback) = vjp(|x| vec![x[0] * x[1], x[0] + x[1]], &[3.0, 4.0]).unwrap();
    let gradients: Vec<Vec<f64>> = thread::scope(|scope| {
        let calls: Vec<_> = (0..4)
            .map(|k| {
                let pullback = &pullback;
                scope.spawn(move || pullback.call(&[f64::from(k), 1.0]).unwrap())
            })
            .collect();
        calls.into_iter().map(|call| call.join().unwrap()).collect()
    });
    assert_eq!(gradients, [[1.0, 1.0], [5.0, 4.0], [9.0, 7.0], [13.0, 10.0]]);
}

#[test]
fn a_program_is_recorded_here_and_replayed_there() {
    let program = record(|x| vec![x[0].exp() * x[1]], &[0.0, 2.0]).unwrap();
    let gradient = thread::spawn(move || program.grad::<Reverse>(&[0.0, 3.0]).unwrap()).join().unwrap();
    assert_eq!(gradient, [3.0, 1.0]);
}
