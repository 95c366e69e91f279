//! A neural network that reads handwritten digits: its loss is an array program, and so is the gradient that trains it.
//!
//! The network and its loss are written in a dozen lines, one image at a time; `value_and_grad` makes the program of the
//! loss and its gradient by the weights, for a batch of images. Adam is a few lines of Rust. The programs are
//! compiled: they run on the vector instructions and the cores of the machine.

use std::time::Instant;

use catadiff::array::Program;
use catadiff::array::trace::{Arr, F64, I64};
use catadiff::execute::Compiled;
use catadiff::interpret::{Scalar, Value};
use catadiff::{Elementary, Result};

const PIXELS: usize = 64;
const HIDDEN: usize = 24;
const DIGITS: usize = 10;
const BATCH: usize = 32;
const EPOCHS: usize = 6;

type Vector = Arr<F64>;
type Matrix = Arr<Arr<F64>>;
/// Weights and biases of two layers.
type Weights = (Matrix, Vector, Matrix, Vector);

/// A score for each digit.
fn network((first, first_bias, second, second_bias): Weights, image: Vector) -> Vector {
    let hidden = (first.matvec(image) + first_bias).map(Elementary::tanh);
    second.matvec(hidden) + second_bias
}

/// The mean of −ln P(label), where P is proportional to the exponentials of scores.
fn loss() -> Result<Program> {
    Program::trace(|weights: Weights, images: Matrix, labels: Arr<I64>| {
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

/// An array of weights, and what Adam knows of its gradients: their means, and those of their squares.
struct Adam {
    sizes: Vec<usize>,
    weights: Vec<f64>,
    means: Vec<f64>,
    squares: Vec<f64>,
}

impl Adam {
    fn new(sizes: &[usize], random: &mut Random) -> Self {
        let (n, inputs) = (sizes.iter().product(), if let [_, inputs] = sizes { *inputs } else { 1 });
        // Biases start at 0; a unit's weights at random, the smaller the more they are.
        let scale = if sizes.len() == 1 { 0.0 } else { (3.0 / inputs as f64).sqrt() };
        let weights = (0..n).map(|_| random.number() * scale).collect();
        Adam { sizes: sizes.to_vec(), weights, means: vec![0.0; n], squares: vec![0.0; n] }
    }

    fn value(&self) -> Result<Value<f64>> {
        Value::reals(&self.sizes, self.weights.iter().copied())
    }

    fn step(&mut self, gradient: &[f64], step: i32) {
        let (fade, fade_squares) = (0.9_f64, 0.999_f64);
        for (k, g) in gradient.iter().enumerate() {
            self.means[k] += (1.0 - fade) * (g - self.means[k]);
            self.squares[k] += (1.0 - fade_squares) * (g * g - self.squares[k]);
            let mean = self.means[k] / (1.0 - fade.powi(step));
            let square = self.squares[k] / (1.0 - fade_squares.powi(step));
            self.weights[k] -= 0.01 * mean / (square.sqrt() + 1e-8);
        }
    }
}

fn values(network: &[Adam]) -> Result<Vec<Value<f64>>> {
    network.iter().map(Adam::value).collect()
}

/// What the network takes each image for.
fn read(reader: &Compiled, network: &[Adam], digits: &[&Digit]) -> Result<Vec<i64>> {
    let found = reader.run(&[values(network)?, vec![images(digits)?]].concat())?;
    let label = |x: &Scalar<f64>| if let Scalar::I64(n) = x { *n } else { panic!("labels are integers") };
    Ok(found[0].elements().iter().map(label).collect())
}

fn main() -> Result<()> {
    // The weights are the first four parameters; images and labels are given.
    let gradient = loss()?.value_and_grad([0, 1, 2, 3])?;
    println!("The gradient is a program of {} lines.\n", gradient.to_string().lines().count());
    let (gradient, reader) = (gradient.compile()?, reader()?.compile()?);

    let (all, mut random) = (digits(), Random(20_240_607));
    let mut digits: Vec<&Digit> = all.iter().collect();
    random.shuffle(&mut digits);
    let (test, train) = digits.split_at_mut(450);
    let shapes: [&[usize]; 4] = [&[HIDDEN, PIXELS], &[HIDDEN], &[DIGITS, HIDDEN], &[DIGITS]];
    let mut network = shapes.map(|sizes| Adam::new(sizes, &mut random));

    let (mut step, mut accuracy, start) = (0, 0.0, Instant::now());
    println!("epoch    loss   test accuracy      time");
    for epoch in 1..=EPOCHS {
        random.shuffle(train);
        let mut losses = 0.0;
        for batch in train.chunks(BATCH) {
            let found = gradient.run(&[values(&network)?, vec![images(batch)?, labels(batch)?]].concat())?;
            let numbers = |value: &Value<f64>| value.to_f64().expect("weights are reals");
            losses += numbers(&found[0])[0] * batch.len() as f64;
            step += 1;
            network.iter_mut().zip(&found[1..]).for_each(|(layer, g)| layer.step(&numbers(g), step));
        }
        let right = read(&reader, &network, test)?.iter().zip(&*test).filter(|(n, digit)| **n == digit.label).count();
        accuracy = right as f64 / test.len() as f64;
        let (loss, seconds) = (losses / train.len() as f64, start.elapsed().as_secs_f64());
        println!("{epoch:5} {loss:7.4} {:13.2} % {seconds:7.1} s", 100.0 * accuracy);
    }
    assert!(accuracy > 0.95, "the network reads {accuracy} of the images it has not seen");

    let found = read(&reader, &network, test)?;
    if let Some((n, digit)) = found.iter().zip(&*test).find(|(n, digit)| **n != digit.label) {
        println!("\nThis {} it takes for {n}:\n", digit.label);
        let shade = |x: &f64| [" ", "░", "▒", "▓", "█"][(x * 4.0).round() as usize].repeat(2);
        digit.pixels.chunks(8).for_each(|row| println!("  {}", row.iter().map(shade).collect::<String>()));
    }
    Ok(())
}
