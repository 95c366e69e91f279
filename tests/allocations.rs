//! What has run once allocates nothing when it runs again: compiled programs on arguments of the same sizes, and
//! recordings in a workspace that is kept. Verbs of forward mode allocate their arguments once, and their results.

#![allow(unsafe_code, reason = "an allocator is unsafe to write")]

use std::alloc::{GlobalAlloc, Layout, System};
use std::cell::Cell;

use catadiff::array::Program;
use catadiff::array::trace::{Arr, F64, I64, literal, loop_for};
use catadiff::derivative::Workspace;
use catadiff::execute::{Flat, RunReport};
use catadiff::interpret::{Control, Value};
use catadiff::solvers::{Adam, Optimiser};
use catadiff::typenum::U8;
use catadiff::{
    Decide, Elementary, Forward, Result, Reverse, Rule, Scalar, Strategy, VectorForward, diff, grad, jvp, record,
};

thread_local! {
    /// How often this thread has asked for memory.
    static ASKED: Cell<usize> = const { Cell::new(0) };
}

/// The system's allocator, counting.
struct Counting;

// SAFETY: every call is handed to the system's allocator unchanged; counting does not allocate.
unsafe impl GlobalAlloc for Counting {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        ASKED.set(ASKED.get() + 1);
        // SAFETY: the caller's promise, passed on.
        unsafe { System.alloc(layout) }
    }

    unsafe fn realloc(&self, at: *mut u8, layout: Layout, size: usize) -> *mut u8 {
        ASKED.set(ASKED.get() + 1);
        // SAFETY: the caller's promise, passed on.
        unsafe { System.realloc(at, layout, size) }
    }

    unsafe fn dealloc(&self, at: *mut u8, layout: Layout) {
        // SAFETY: the caller's promise, passed on.
        unsafe { System.dealloc(at, layout) }
    }
}

#[global_allocator]
static ALLOCATOR: Counting = Counting;

fn reals(sizes: &[usize]) -> Result<Flat> {
    let count: usize = sizes.iter().product();
    Flat::reals(sizes, (0..count).map(|k| (k % 17) as f64 / 16.0 - 0.5).collect())
}

#[test]
fn runs_after_the_first_allocate_nothing() -> Result<()> {
    let softmax = Program::trace(|x: Arr<F64>| {
        let m = x.max();
        (x - m).map(Elementary::exp).sum().ln() + m
    })?;
    let clusters = Program::trace(|points: Arr<Arr<F64>>, centres: Arr<Arr<F64>>| {
        points.map(|p| centres.map(|c| (p - c).map(|d| d * d).sum()).min()).sum()
    })?;
    let steps = Program::trace(|x: Arr<F64>, s: I64| {
        let slope = |y: Arr<F64>| x * literal([1.0]).concat(y.take(y.len() - 1));
        loop_for(s, x.zeros_like(), |_, y| y + slope(y + slope(y) * 0.5) * 0.1).last()
    })?;
    let tables = Program::trace(|x: Arr<F64>| {
        let places = literal([3_i64, 1, 2, 0]).map(|k| k * 2);
        x.gather(places).sum()
    })?;
    let programs = [
        (softmax.clone(), vec![reals(&[1000])?]),
        (softmax.grad(0)?, vec![reals(&[1000])?]),
        (clusters.clone(), vec![reals(&[100, 3])?, reals(&[5, 3])?]),
        (clusters.grad(1)?, vec![reals(&[100, 3])?, reals(&[5, 3])?]),
        (steps.clone(), vec![reals(&[300])?, Flat::integers(&[], vec![7])?]),
        (steps.grad(0)?, vec![reals(&[300])?, Flat::integers(&[], vec![7])?]),
        (tables.grad(0)?, vec![reals(&[8])?]),
    ];
    for (program, arguments) in programs {
        let compiled = program.compile()?;
        let mut results = Vec::new();
        // The first run makes all there is: a later one writes where the results of the one before are.
        compiled.run_into(&arguments, &mut results)?;
        let (before, expected) = (ASKED.get(), results.clone());
        let cloned = ASKED.get() - before;
        assert!(cloned > 0, "allocations are counted");
        let before = ASKED.get();
        for _ in 0..5 {
            let (done, report) = compiled.run_into_reported(&arguments, &mut results, Control::default());
            assert_eq!((done, report), (Ok(()), RunReport::Bare));
        }
        assert_eq!(ASKED.get() - before, 0, "{program}");
        assert_eq!(results, expected, "{program}");
    }
    Ok(())
}

#[test]
fn steps_of_an_optimiser_allocate_nothing() -> Result<()> {
    let loss = Program::trace(|w: Arr<Arr<F64>>, b: Arr<F64>, x: Arr<F64>| {
        (w.matvec(x) + b).map(|y| (y - 1.0) * (y - 1.0)).sum()
    })?;
    let adam = Adam::new(0.01);
    let start: Vec<Value<f64>> = adam.start(&loss, [0, 1])?.at((vec![[0.25; 30]; 20], [0.5; 20]))?;
    let mut training = adam.step(&loss, [0, 1])?.compile()?.repeated(start)?;
    // Two, since results and arguments change places.
    let first: f64 = training.step([0.125; 30])?;
    // And many, where loops become code of the processor once they have run for a while.
    for _ in 0..if cfg!(feature = "jit") { 5000 } else { 1 } {
        training.advance()?;
    }
    let before = ASKED.get();
    for _ in 0..50 {
        training.advance()?;
    }
    assert_eq!(ASKED.get() - before, 0);
    assert!(training.left()[0].as_reals().expect("the loss is real")[0] < first / 2.0);
    Ok(())
}

/// The cube, as a rule of one's own.
#[derive(Clone)]
struct Cube;

impl Rule<1> for Cube {
    fn name(&self) -> &'static str {
        "cube"
    }
    fn value(&self, [x]: [f64; 1]) -> f64 {
        x * x * x
    }
    fn partial<S: Scalar>(&self, _: usize, [x]: [S; 1], _: S) -> S {
        S::constant(3.0) * x * x
    }
}

#[test]
fn replays_after_the_first_allocate_nothing() -> Result<()> {
    fn f<R: Decide>(x: &[R]) -> R {
        let sum: R = x.windows(2).map(|x| (x[0] * x[1]).sin() / (x[0] * x[0] + 1.0)).sum();
        if sum < 1e9 { Cube.of([sum]) + x[0].max(x[1]).powf(x[2]) } else { sum }
    }
    let mut x: Vec<f64> = (0..50).map(|k| 1.0 + f64::from(k) / 50.0).collect();
    let program = record(|x| vec![f(x)], &x)?;
    let (mut workspace, mut gradient, mut results) = (Workspace::new(), vec![0.0; 50], [0.0]);
    program.value_and_grad_into(&mut workspace, &x, &mut gradient)?;
    let before = ASKED.get();
    for step in 0..10_000 {
        x[step % 50] += 1e-4;
        program.value_and_grad_into(&mut workspace, &x, &mut gradient)?;
        program.run_into(&mut workspace, &x, &mut results)?;
    }
    assert_eq!(ASKED.get() - before, 0);
    let expected = grad(|x| f(x), &x)?;
    assert!(gradient.iter().zip(&expected).all(|(a, b)| (a - b).abs() <= 1e-12 * (1.0 + b.abs())));
    // What the program keeps itself leaves the result alone to allocate.
    program.grad::<Reverse>(&x)?;
    let before = ASKED.get();
    program.grad::<Reverse>(&x)?;
    assert_eq!(ASKED.get() - before, 1);
    Ok(())
}

/// How often it asks for memory.
fn asked<T>(f: impl FnOnce() -> T) -> usize {
    let before = ASKED.get();
    std::hint::black_box(f());
    ASKED.get() - before
}

#[test]
fn forward_mode_allocates_arguments_once() {
    fn f<R: Decide>(x: &[R]) -> R {
        x.windows(2).map(|x| (x[0] * x[1]).sin()).sum()
    }
    for n in [1, 8, 9, 100] {
        let x: Vec<f64> = (0..n).map(|k| f64::from(k) / 50.0).collect();
        // The arguments and the gradient, however many runs there are.
        assert_eq!(asked(|| Forward::grad(|x| f(x), &x)), 2, "{n} variables");
        assert_eq!(asked(|| VectorForward::<U8>::grad(|x| f(x), &x)), 2, "{n} variables, eight at a time");
        // The arguments and the tangents; the values are where the function has put its results.
        assert_eq!(asked(|| jvp(|x| x.to_vec(), &x, &x)), 1 + 1 + 1, "{n} variables along a direction");
        // The arguments, the values, the rows and a list of them, and what the function allocates in each run.
        assert_eq!(asked(|| Forward::jacobian(|x| vec![f(x); 3], &x)), 1 + 1 + 3 + 1 + x.len(), "{n} variables");
    }
    assert_eq!(asked(|| diff(|x| x * x, 3.0)), 0);
}
