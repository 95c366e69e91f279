//! Programs of whose arrays a part is used: what they compute is as it was, and fewer elements are.

use catadiff::array::trace::{Arr, F64, I64, literal, loop_for};
use catadiff::array::{Const, Program};
use catadiff::carriers::{Counted, Counter};
use catadiff::interpret::Value;
use catadiff::transform::Static;
use catadiff::{Elementary, Error};
use catadiff_laws::{Verdict, Violation, for_all, specialisation};
use quickcheck::{Arbitrary, Gen};

fn some(n: usize, shift: f64) -> Value<f64> {
    Value::reals(&[n], (0..n).map(|i| (1.7 * i as f64 + shift).sin() + 0.1).collect::<Vec<f64>>()).unwrap()
}

/// How many operations on reals a program performs, and what it gives.
fn counted(program: &Program, arguments: &[Value<f64>]) -> (u64, Vec<Value<f64>>) {
    let counter = Counter::new();
    let numbers: Vec<Value<Counted<'_, f64>>> = arguments.iter().map(|v| v.map(|x| counter.number(*x))).collect();
    program.run(&numbers).unwrap();
    (counter.total(), program.run(arguments).unwrap())
}

/// `y′ᵢ = xᵢ yᵢ₋₁` by the classical method of Runge and Kutta, in `s` steps.
fn solution(x: Arr<F64>, s: I64) -> Arr<F64> {
    let slope = |y: Arr<F64>| x * literal([1.0]).concat(y.take(y.len() - 1));
    let h = 2.0 / s.to_f64();
    loop_for(s, x.zeros_like(), |_, y| {
        let k1 = slope(y);
        let k2 = slope(y + k1 * (h / 2.0));
        let k3 = slope(y + k2 * (h / 2.0));
        let k4 = slope(y + k3 * h);
        y + (k1 + k2 * 2.0 + k3 * 2.0 + k4) * (h / 6.0)
    })
}

fn last_of_solution() -> Program {
    Program::trace_named(&["x", "s"], |x: Arr<F64>, s: I64| solution(x, s).last()).unwrap()
}

fn of_sizes(program: &Program, n: usize, s: i64) -> Program {
    program.specialise(&[Static::Sizes(vec![n]), Static::Value(Const::I64(s))]).unwrap()
}

#[test]
fn an_element_needs_four_more_in_each_step() {
    let program = last_of_solution();
    for (n, s) in [(1000, 10), (400, 40), (200, 20)] {
        let (special, x) = (of_sizes(&program, n, s), some(n, 0.3));
        let ((all, wanted), (few, found)) =
            (counted(&program, &[x.clone(), s.into()]), counted(&special, core::slice::from_ref(&x)));
        assert_eq!(found, wanted);
        // On average half of what the first step needs, of the elements that there are.
        let share = few as f64 / all as f64;
        let stated = 2.0 * s as f64 / n as f64;
        assert!(share <= 1.05 * stated, "{share} of the operations, where {stated} are stated");
        let ((all, wanted), (few, found)) = (
            counted(&program.grad("x").unwrap(), &[x.clone(), s.into()]),
            counted(&special.grad("x").unwrap(), core::slice::from_ref(&x)),
        );
        assert_eq!(found, wanted);
        let share = few as f64 / all as f64;
        assert!(share <= 1.3 * stated, "{share} of the gradient's operations, where {stated} are stated");
        assert_eq!(special.grad("x").unwrap().compile().unwrap().run(&[x]).unwrap(), wanted);
    }
}

#[test]
fn an_array_of_another_size_is_an_error() {
    let special = of_sizes(&last_of_solution(), 100, 4);
    for n in [99, 101] {
        assert!(matches!(special.run(&[some(n, 0.0)]).unwrap_err(), Error::Sizes { .. }));
        assert!(matches!(special.compile().unwrap().run(&[some(n, 0.0)]).unwrap_err(), Error::Sizes { .. }));
    }
}

/// Where each element needs all of them, or each iteration all that there is, nothing is omitted.
#[test]
fn what_is_all_used_stays() {
    for (n, s) in [(100, 50), (20, 2)] {
        let special = of_sizes(&last_of_solution(), n, s);
        let text = special.to_string();
        assert!(text.contains(&format!("replicate({n}i64, 0.0f64)")) || text.contains("replicate(v"), "{text}");
    }
    let mean = |x: Arr<F64>| loop_for(5, x, |_, x| x - x.sum() * 0.01).last();
    let program = Program::trace(mean).unwrap().specialise(&[Static::Sizes(vec![1000])]).unwrap();
    assert_eq!(counted(&program, &[some(1000, 0.5)]).0, counted(&Program::trace(mean).unwrap(), &[some(1000, 0.5)]).0);
}

#[test]
fn elements_of_maps_are_computed_where_they_are_used() {
    let program = Program::trace(|x: Arr<F64>, y: Arr<F64>| {
        let both = x.map(|x| x.exp()).concat(y.map(|y| y.sin()));
        (both.slice(90, 110).sum(), both.index(30))
    });
    let program = program.unwrap();
    let special = program.specialise(&[Static::Sizes(vec![100]), Static::Sizes(vec![100])]).unwrap();
    let arguments = [some(100, 0.1), some(100, 0.2)];
    let ((_, wanted), (few, found)) = (counted(&program, &arguments), counted(&special, &arguments));
    assert_eq!(found, wanted);
    // The last seventy elements of the one, the first ten of the other, and a sum of twenty.
    assert_eq!(few, 70 + 10 + 20);
}

/// A loop over two arrays, in which elements go to neighbours, and a part of what it leaves.
#[derive(Debug, Clone)]
struct Stencil {
    length: usize,
    iterations: i64,
    steps: Vec<u8>,
    from: usize,
    count: usize,
}

impl Arbitrary for Stencil {
    fn arbitrary(g: &mut Gen) -> Self {
        let length = 80 + usize::from(u8::arbitrary(g) % 100);
        let steps = (0..1 + u8::arbitrary(g) % 6).map(|_| u8::arbitrary(g)).collect();
        let from = usize::from(u16::arbitrary(g)) % length;
        let count = 1 + usize::from(u8::arbitrary(g)) % 20.min(length - from);
        Stencil { length, iterations: 1 + i64::from(u8::arbitrary(g) % 12), steps, from, count }
    }

    fn shrink(&self) -> Box<dyn Iterator<Item = Self>> {
        let it = self.clone();
        let fewer = it.steps.shrink().filter(|steps| !steps.is_empty());
        let shorter = (1..it.iterations).map({
            let it = self.clone();
            move |iterations| Stencil { iterations, ..it.clone() }
        });
        Box::new(fewer.map(move |steps| Stencil { steps, ..it.clone() }).chain(shorter))
    }
}

impl Stencil {
    fn step(kind: u8, i: I64, x: Arr<F64>, now: Arr<F64>, other: Arr<F64>) -> (Arr<F64>, Arr<F64>) {
        let n = now.len();
        match kind % 9 {
            0 => (literal([0.5]).concat(now.take(n - 1)), other),
            1 => (now.drop(2).concat(literal([0.25, 0.75])), other),
            2 => (now * x, other),
            3 => (other, now + other),
            4 => (now.drop(n - 3).concat(now.take(n - 3)), other),
            5 => (now.map(|v| v.sin()), now),
            6 => (now * 0.5 + other.drop(1).concat(other.take(1)), other),
            7 => (now + i.to_f64(), other),
            _ => ((now.drop(1) - now.take(n - 1)).concat(x.take(1)), other),
        }
    }

    fn program(&self) -> Program {
        let traced = Program::trace_named(&["x", "y"], |x: Arr<F64>, y: Arr<F64>| {
            let (one, other) = loop_for(self.iterations, (x, y), |i, (now, other)| {
                self.steps.iter().fold((now, other), |(now, other), kind| Stencil::step(*kind, i, x, now, other))
            });
            let [from, count] = [self.from, self.count].map(|n| n as i64);
            (one.slice(from, from + count), other.index(from))
        });
        traced.unwrap()
    }

    fn arguments(&self) -> Vec<Value<f64>> {
        vec![some(self.length, 0.1), some(self.length, 0.7)]
    }
}

#[test]
fn parts_of_stencils_are_as_they_were() -> Verdict {
    for_all(|it: Stencil| specialisation::of_program(&it.program(), &it.arguments()))
}

/// Derivatives of what is left are those of all.
#[test]
fn derivatives_of_parts_of_stencils_are_as_they_were() -> Verdict {
    for_all(|it: Stencil| {
        let known = [Static::Sizes(vec![it.length]), Static::Sizes(vec![it.length])];
        let (program, special) = (it.program(), it.program().specialise(&known).unwrap());
        let seeds = [some(it.count, 0.4), Value::from(0.5)];
        let arguments: Vec<Value<f64>> = it.arguments().into_iter().chain(seeds).collect();
        let [wanted, found] = [&program, &special].map(|p| p.vjp().unwrap().run(&arguments).unwrap());
        let near = |(a, b): (&Value<f64>, &Value<f64>)| {
            let all = a.to_reals().unwrap().into_iter().zip(b.to_reals().unwrap());
            a.sizes() == b.sizes() && all.into_iter().all(|(a, b)| (a - b).abs() <= 1e-9 * (1.0 + a.abs()))
        };
        if wanted.len() == found.len() && wanted.iter().zip(&found).all(near) {
            return Ok(());
        }
        Err(Violation {
            law: "vjp(p.specialise(known)) = vjp(p)".to_owned(),
            instances: vec![("p".to_owned(), format!("{it:?}"))],
            left: format!("{found:?}"),
            right: format!("{wanted:?}"),
        })
    })
}

/// How many of the stencils compute fewer elements.
#[test]
fn most_stencils_compute_less() {
    let mut source = Gen::from_size_and_seed(12, 1);
    let fewer = (0..60).filter(|_| {
        let it = Stencil::arbitrary(&mut source);
        let known = [Static::Sizes(vec![it.length]), Static::Sizes(vec![it.length])];
        let (program, special) = (it.program(), it.program().specialise(&known).unwrap());
        counted(&special, &it.arguments()).0 * 2 < counted(&program, &it.arguments()).0
    });
    let fewer = fewer.count();
    assert!(fewer >= 20, "{fewer} of 60 perform less than half of the operations");
}
