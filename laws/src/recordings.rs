//! Recordings: a replay is a run, in every mode, and what is stored and read is what was recorded.
//!
//! Law: where every decision comes out as it did, a recording has the values of its function to the last bit,
//! and the derivatives that every strategy finds by running it, exactly on whole numbers; where one does not, it
//! refuses, and it refuses nowhere else ("Automatic Differentiation", *Graph-based AD*, without its trap)
//! (tests/laws/instances.rs).

use catadiff::carriers::{Dual, Recorded};
use catadiff::primitives::{Primitive, Rule, Scalar};
use catadiff::term::{Rules, Storable};
use catadiff::{
    Base, Decide, Error, Forward, Numbers, Recording, Reverse, Strategy, Symbolic, VectorForward, hvp, jvp, record,
};
use generic_array::typenum::U4;
use quickcheck::{Arbitrary, Gen};

use crate::approx::{Bound, Same, VARIABLES};
use crate::law;
use crate::runner::for_all;
use crate::violation::{Verdict, Violation};

/// What two orders of the same sums may differ by, in units of rounding of the largest number on the way.
const ROUNDING: f64 = 256.0;
/// Values beyond this are taken back, and whole numbers up to it have exact products and sums of products.
const MAX_VALUE: f64 = 64.0;

/// A random function with branches, constants, a user's rule, long sums, sums of products, and repeated forms that a
/// recording fuses.
#[derive(Debug, Clone, PartialEq)]
pub struct Function {
    steps: Vec<[u8; 4]>,
    /// What is repeated, in functions of whole numbers.
    form: Form,
    /// Whether it makes whole numbers of whole numbers only, in its derivatives too.
    whole: bool,
}

/// Operations that are done again and again on other numbers, with values that nothing, one operation, one operation twice,
/// several operations or a result needs.
#[derive(Debug, Clone, PartialEq)]
struct Form {
    steps: Vec<[u8; 3]>,
    times: u8,
    /// The values that are results too.
    kept: Vec<u8>,
}

impl Form {
    /// The sum of its results, and the values that are kept. All are small whole numbers, whatever `x` is, with derivatives
    /// that are not 0.
    fn on<R: Decide>(&self, x: &[R]) -> (R, Vec<R>) {
        let start = |k: usize| {
            let x = x[k % x.len()];
            // The row is for an operation that is not fused, and for no two starts that are the same.
            let value = R::constant((k % 3) as f64 - 1.0);
            (x - x.stop_gradient() + value).max(-2.0 - k as f64)
        };
        let (mut sum, mut made) = (R::zero(), x.to_vec());
        for k in 0..usize::from(self.times) {
            let mut values = vec![R::constant(-1.0), start(0), start(k)];
            for [operation, a, b] in &self.steps {
                let recent = |k: &u8| values[values.len() - 1 - usize::from(*k) % values.len().min(4)];
                let (a, b) = (recent(a), recent(b));
                values.push(match operation % 8 {
                    0 => a + b,
                    1 => a - b,
                    2 => a * b,
                    3 => -a,
                    4 => Doubled.of([a, b]),
                    5 => a.max(b),
                    6 => a * a,
                    _ => a + a,
                });
            }
            sum += values[values.len() - 1];
            made.extend(values);
        }
        (sum, self.kept.iter().map(|k| made[usize::from(*k) % made.len()]).collect())
    }
}

/// The product of two numbers with twice the second: a rule whose partials are whole.
#[derive(Debug, Clone)]
pub struct Doubled;

impl Rule<2> for Doubled {
    fn name(&self) -> &'static str {
        "doubled product"
    }
    fn value(&self, [x, y]: [f64; 2]) -> f64 {
        2.0 * x * y
    }
    fn partial<S: Scalar>(&self, argument: usize, [x, y]: [S; 2], _: S) -> S {
        S::constant(2.0) * if argument == 0 { y } else { x }
    }
}

impl Function {
    /// Its results.
    pub fn on<R: Decide>(&self, x: &[R]) -> Vec<R> {
        let mut values = x.to_vec();
        for [operation, a, b, c] in &self.steps {
            let at = |k: &u8| values[usize::from(*k) % values.len()];
            let (a, b, c) = (at(a), at(b), at(c));
            let value = match operation % 12 {
                0 => a + b,
                1 => a - b,
                2 => a * b,
                3 => -a,
                4 => Doubled.of([a, b]),
                5 => a * R::constant(3.0) + R::constant(1.0),
                6 if a < b => a * c,
                6 => c,
                7 => a.max(b).select(c, b),
                8 => values.iter().copied().sum(),
                9 => values.iter().zip(&values[1..]).fold(c, |sum, (x, y)| sum + *x * *y),
                10 => a.abs().min(b.floor()),
                _ if self.whole => a.stop_gradient() * b,
                _ => {
                    let row = Primitive::ALL[usize::from(operation / 12) % Primitive::ALL.len()];
                    let inside = |(x, (low, high)): (R, &(f64, f64))| {
                        x.sigmoid() * R::constant(0.9 * (high - low)) + R::constant(low + 0.05 * (high - low))
                    };
                    let x: Vec<R> = [a, b, c].into_iter().zip(row.smooth()).map(inside).collect();
                    row.apply(&x)
                }
            };
            // What is too large is forgotten, by a decision like any other.
            values.push(if value.abs() < MAX_VALUE { value } else { a });
        }
        let [last, middle] = [values[values.len() - 1], values[values.len() / 2]];
        if !self.whole {
            return vec![last, middle];
        }
        let (sum, kept) = self.form.on(x);
        [last + sum, middle].into_iter().chain(kept).collect()
    }
}

impl Same for Function {
    fn same(&self, other: &Self, _: Bound) -> bool {
        self == other
    }
    fn show(&self) -> String {
        format!("{self:?}")
    }
}

/// A list with one element less, in every way.
fn shorter<T: Clone + 'static>(list: &[T]) -> impl Iterator<Item = Vec<T>> + 'static {
    let list = list.to_vec();
    (0..list.len()).rev().map(move |gone| [&list[..gone], &list[gone + 1..]].concat())
}

/// Operations with their operands.
fn drawn<const N: usize>(g: &mut Gen, most: usize) -> Vec<[u8; N]> {
    let many = usize::arbitrary(g) % (most + 1);
    (0..many).map(|_| core::array::from_fn(|_| u8::arbitrary(g))).collect()
}

impl Arbitrary for Form {
    fn arbitrary(g: &mut Gen) -> Self {
        Form { steps: drawn(g, 5), times: u8::arbitrary(g) % 24, kept: drawn(g, 3).into_iter().map(|[k]| k).collect() }
    }
    fn shrink(&self) -> Box<dyn Iterator<Item = Self>> {
        let [of_steps, of_kept, of_times] = [self; 3].map(Form::clone);
        let steps = shorter(&self.steps).map(move |steps| Form { steps, ..of_steps.clone() });
        let kept = shorter(&self.kept).map(move |kept| Form { kept, ..of_kept.clone() });
        Box::new(steps.chain(kept).chain(self.times.shrink().map(move |times| Form { times, ..of_times.clone() })))
    }
}

impl Arbitrary for Function {
    fn arbitrary(g: &mut Gen) -> Self {
        Function { steps: drawn(g, 39), form: Form::arbitrary(g), whole: bool::arbitrary(g) }
    }
    fn shrink(&self) -> Box<dyn Iterator<Item = Self>> {
        let [of_steps, of_form] = [self; 2].map(Function::clone);
        let steps = shorter(&self.steps).map(move |steps| Function { steps, ..of_steps.clone() });
        Box::new(steps.chain(self.form.shrink().map(move |form| Function { form, ..of_form.clone() })))
    }
}

type Point = [f64; VARIABLES];

fn answer<T>(function: &Function, found: catadiff::Result<T>) -> Result<T, Violation> {
    found.map_err(|error| Violation {
        law: "a recording answers".to_owned(),
        instances: vec![("function".to_owned(), function.show())],
        left: error.to_string(),
        right: "an answer".to_owned(),
    })
}

/// A replay at a point where the decisions come out as they did is a run, in every mode.
pub fn replays(f: &Function, program: &Recording, x: &Point, v: &Point) -> Verdict {
    let bits = |values: Vec<f64>| values.into_iter().map(f64::to_bits).collect::<Vec<_>>();
    let values = answer(f, program.run(x))?;
    law!("the values are those of the function", [f, x], bits(values.clone()), bits(f.on(&x[..])), Bound::EXACT)?;
    let fresh = answer(f, Forward::jacobian(|x| f.on(x), x))?;
    let (_, second) = answer(f, hvp(|x| f.on(x)[0], x, v))?;
    let slopes = || fresh.iter().flatten().chain(&second);
    let scale = slopes().chain(x).map(|x| x.abs()).fold(MAX_VALUE * MAX_VALUE, f64::max);
    // Whole numbers this small are added and multiplied without rounding.
    let exact = f.whole && scale < 1e15 && x.iter().chain(v).all(|x| x.fract() == 0.0);
    let bound = if exact { Bound::EXACT } else { Bound::ulps(ROUNDING).at_scale(scale) };
    let by = |law: &str, found: catadiff::Result<Vec<Vec<f64>>>, wanted: &Vec<Vec<f64>>| {
        let (found, law) = (answer(f, found)?, format!("{law}, replayed, is that of a run"));
        law!(law, [f, x], found, wanted.clone(), bound)
    };
    by("the Jacobian by Reverse", program.jacobian::<Reverse>(x), &fresh)?;
    by("the Jacobian by Forward", program.jacobian::<Forward>(x), &fresh)?;
    by("the Jacobian by Vector", program.jacobian::<VectorForward<U4>>(x), &fresh)?;
    by("the Jacobian by Symbolic", program.jacobian::<Symbolic>(x), &fresh)?;
    let gradient = vec![fresh[0].clone()];
    by("the gradient by Reverse", program.grad::<Reverse>(x).map(|g| vec![g]), &gradient)?;
    by("the gradient by Vector", program.grad::<VectorForward<U4>>(x).map(|g| vec![g]), &gradient)?;
    let (pushed, along) = (answer(f, program.jvp(x, v))?.1, answer(f, jvp(|x| f.on(x), x, v))?.1);
    law!("jvp, replayed, is that of a run", [f, x, v], pushed, along.clone(), bound)?;
    by("hvp", program.hvp(x, v).map(|(gradient, product)| vec![gradient, product]), &vec![fresh[0].clone(), second])
}

/// The text of a recording with operations that nothing needs, on operands from all over.
fn with_idle(text: &str) -> String {
    let results = text.find("\nresults").unwrap_or(text.len());
    // Two lines come before the operations.
    let many = text[..results].lines().count().saturating_sub(2);
    let idle = (0..many).map(|k| match k % 4 {
        0 => format!("\nrule {k} {} : doubled product", k / 2),
        1 => format!("\nplus {k} {}", many - k),
        2 => format!("\ntimes {k} {k}"),
        _ => format!("\nplus {} {}", many + k - 1, k),
    });
    format!("{}{}{}", &text[..results], idle.collect::<String>(), &text[results..])
}

/// A recording refuses exactly where another would be made.
pub fn refuses(f: &Function, [x, y]: [&Point; 2]) -> Verdict {
    let program = answer(f, record(|x| f.on(x), x))?;
    let (text, other) = (answer(f, program.to_text())?, answer(f, record(|x| f.on(x), y).and_then(|p| p.to_text()))?);
    let refused = matches!(program.run(y), Err(Error::BranchChanged { .. }));
    law!("a replay is refused where the recording would be another", [f, x, y], refused, text != other, Bound::EXACT)
}

/// What is read from the text of a recording is the recording, over any numbers, with a number from outside too; and
/// reading it over other numbers is an error that says so.
pub fn is_stored<S>(f: &Function, x: &[S], outside: S) -> Verdict
where
    S: Base + Storable,
    for<'b> Recorded<'b, S>: Decide,
{
    let rules = Rules::new().with(Doubled);
    let recorded = record(
        |x| {
            let (mut results, outside) = (f.on(x), Symbolic::lift(outside));
            results.extend([outside, results[0] * outside]);
            results
        },
        x,
    );
    let program = answer(f, recorded)?;
    let text = answer(f, program.to_text())?;
    let read = answer(f, Recording::<S>::from_text(&text, &rules))?;
    let again = answer(f, read.to_text())?;
    law!("what is read is what was written", [f], again, text.clone(), Bound::EXACT)?;
    // What is shown of a number tells it from all others, but for the NaNs.
    let shown = |p: &Recording<S>| Ok(format!("{:?} {:?}", p.run(x)?, p.jacobian::<Reverse>(x)?));
    let idle = answer(f, Recording::<S>::from_text(&with_idle(&text), &rules))?;
    let [read, idle, kept] = [&read, &idle, &program].map(|p| answer(f, shown(p)));
    let kept = kept?;
    law!("what is read computes the same", [f], read?, kept.clone(), Bound::EXACT)?;
    law!("what nothing needs changes nothing", [f], idle?, kept, Bound::EXACT)?;
    fn refused<T: Base + Storable>(text: &str, rules: &Rules) -> (String, bool) {
        (T::kind(), matches!(Recording::<T>::from_text(text, rules), Err(Error::Mismatch { .. })))
    }
    for (kind, refused) in [refused::<f32>, refused::<f64>, refused::<Dual<f64>>].map(|by| by(&text, &rules)) {
        law!("it is refused as one over other numbers", [f, kind], refused, kind != S::kind(), Bound::EXACT)?;
    }
    Ok(())
}

/// Whether recordings are their functions, on random functions at random points.
///
/// ```
/// catadiff_laws::recordings::check()?;
/// # Ok::<(), catadiff_laws::Violation>(())
/// ```
pub fn check() -> Verdict {
    for_all(|(f, points): (Function, (u64, u64))| {
        let point = |seed: u64| -> Point {
            // Multiples of 1/4 for any function, whole numbers for one that keeps them.
            core::array::from_fn(|k| {
                let drawn = f64::from((seed >> (8 * k)) as u8 % 13) - 6.0;
                if f.whole { drawn } else { drawn / 4.0 + 0.1 }
            })
        };
        let [x, y, v] = [points.0, points.1, points.0 ^ (points.1 >> 3)].map(point);
        let program = answer(&f, record(|x| f.on(x), &x))?;
        replays(&f, &program, &x, &v)?;
        refuses(&f, [&x, &y])?;
        let any = [points.0 ^ points.1, points.1].map(f64::from_bits);
        is_stored(&f, &x, any[0])?;
        is_stored(&f, &x.map(|x| x as f32), f32::from_bits(points.0 as u32))?;
        is_stored(&f, &x.map(Dual::lift), Dual { value: any[0], tangent: any[1] })?;
        if program.run(&y).is_ok() { replays(&f, &program, &y, &v) } else { Ok(()) }
    })
}
