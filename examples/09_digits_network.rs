//! A neural network that reads handwritten digits: its loss is an array program, and so is the step that trains it.
//!
//! The network and its loss are written in a dozen lines, one image at a time; [`Adam`] makes the program of a step of it, with the gradient by
//! the weights, for a batch of images. It is compiled once and runs on the vector instructions and the cores of the machine; weights and
//! what Adam keeps of them stay where they lie.

use std::time::Instant;

use catadiff::array::Program;
use catadiff::array::trace::{Arr, F64, I64};
use catadiff::execute::Compiled;
use catadiff::interpret::{Scalar, Value};
use catadiff::solvers::{Adam, Optimiser};
use catadiff::{Elementary, Result};

const PIXELS: usize = 64;
const HIDDEN: usize = 24;
const BATCH: usize = 32;
const EPOCHS: usize = 6;

type Vector = Arr<F64>;
type Matrix = Arr<Arr<F64>>;
/// Weights and biases of two layers.
type Weights = (Matrix, Vector, Matrix, Vector);
type Numbers = (Vec<Vec<f64>>, Vec<f64>, Vec<Vec<f64>>, Vec<f64>);

/// A score for each digit.
fn network((first, first_bias, second, second_bias): Weights, image: Vector) -> Vector {
    let hidden = (first.matvec(image) + first_bias).map(Elementary::tanh);
    second.matvec(hidden) + second_bias
}

/// The mean of −ln P(label), where P is proportional to the exponentials of scores.
fn loss() -> Result<Program> {
    Program::trace_named(&["weights"], |weights: Weights, images: Matrix, labels: Arr<I64>| {
        let surprise = |image, label| {
            let scores = network(weights, image);
            let greatest = scores.max();
            (scores - greatest).map(Elementary::exp).sum().ln() + greatest - scores.index(label)
        };
        images.map2(labels, surprise).sum() / images.len().to_f64()
    })
}

fn reader() -> Result<Program> {
    Program::trace(|weights: Weights, images: Matrix| images.map(|image| network(weights, image).argmax()))
}

/// An image, with shades from 0 to 1, and the digit that it is of.
struct Digit {
    pixels: Vec<f64>,
    label: i64,
}

fn digits() -> Vec<Digit> {
    let lines = include_str!("data/digits.csv").lines();
    let digit = |line: &str| {
        let mut numbers: Vec<i64> = line.split(',').map(|n| n.parse().expect("the table is of integers")).collect();
        let label = numbers.pop().expect("the last number of a line is the label");
        Digit { pixels: numbers.iter().map(|n| *n as f64 / 16.0).collect(), label }
    };
    lines.map(digit).collect()
}

fn images(digits: &[&Digit]) -> Result<Value<f64>> {
    Value::reals(&[digits.len(), PIXELS], digits.iter().flat_map(|digit| digit.pixels.iter().copied()))
}

fn labels(digits: &[&Digit]) -> Result<Value<f64>> {
    Value::array(&[digits.len()], digits.iter().map(|digit| Scalar::I64(digit.label)).collect())
}

/// Random numbers from a seed (Marsaglia's xorshift).
struct Random(u64);

impl Random {
    fn next(&mut self) -> u64 {
        for shift in [13, -7, 17] {
            self.0 ^= if shift > 0 { self.0 << shift } else { self.0 >> -shift };
        }
        self.0
    }

    /// Between −1 and 1.
    fn number(&mut self) -> f64 {
        (self.next() >> 11) as f64 / (1_u64 << 52) as f64 - 1.0
    }

    fn shuffle<T>(&mut self, items: &mut [T]) {
        (1..items.len()).rev().for_each(|i| items.swap(i, (self.next() % (i as u64 + 1)) as usize));
    }
}

/// What the network takes each image for.
fn read(reader: &Compiled, weights: &Numbers, digits: &[&Digit]) -> Result<Vec<i64>> {
    reader.at((weights, images(digits)?))
}

fn main() -> Result<()> {
    let (adam, loss, reader) = (Adam::new(0.01), loss()?, reader()?.compile()?);
    let step = adam.step(&loss, "weights")?;
    println!("A step of training is a program of {} lines.\n", step.to_string().lines().count());

    let (all, mut random) = (digits(), Random(20_240_607));
    let mut digits: Vec<&Digit> = all.iter().collect();
    random.shuffle(&mut digits);
    let (test, train) = digits.split_at_mut(450);
    // Biases start at 0; a unit's weights at random, the smaller the more they are.
    let mut layer = |units: usize, inputs: usize| -> (Vec<Vec<f64>>, Vec<f64>) {
        let scale = (3.0 / inputs as f64).sqrt();
        ((0..units).map(|_| (0..inputs).map(|_| random.number() * scale).collect()).collect(), vec![0.0; units])
    };
    let ((first, first_bias), (second, second_bias)) = (layer(HIDDEN, PIXELS), layer(10, HIDDEN));
    let start: Vec<Value<f64>> = adam.start(&loss, "weights")?.at((first, first_bias, second, second_bias))?;
    let mut training = step.compile()?.repeated(start)?;

    let (mut accuracy, start) = (0.0, Instant::now());
    println!("epoch    loss   test accuracy      time");
    for epoch in 1..=EPOCHS {
        random.shuffle(train);
        let mut losses = 0.0;
        for batch in train.chunks(BATCH) {
            losses += training.step::<f64>((images(batch)?, labels(batch)?))? * batch.len() as f64;
        }
        let found = read(&reader, &training.state()?, test)?;
        let right = found.iter().zip(&*test).filter(|(n, digit)| **n == digit.label).count();
        accuracy = right as f64 / test.len() as f64;
        let (loss, seconds) = (losses / train.len() as f64, start.elapsed().as_secs_f64());
        println!("{epoch:5} {loss:7.4} {:13.2} % {seconds:7.1} s", 100.0 * accuracy);
    }
    assert!(accuracy > 0.95, "the network reads {accuracy} of the images it has not seen");

    let found = read(&reader, &training.state()?, test)?;
    if let Some((n, digit)) = found.iter().zip(&*test).find(|(n, digit)| **n != digit.label) {
        println!("\nThis {} it takes for {n}:\n", digit.label);
        let shade = |x: &f64| [" ", "░", "▒", "▓", "█"][(x * 4.0).round() as usize].repeat(2);
        digit.pixels.chunks(8).for_each(|row| println!("  {}", row.iter().map(shade).collect::<String>()));
    }
    Ok(())
}
