//! Optimisers: what one step of descent makes of parameters of a loss, as one program.
//!
//! A rule is a function of scalars: of an element of a parameter, of the derivative by it, and of the numbers that it keeps of that
//! element. [`Optimiser::step`] makes a program of it and of the loss's gradient, for parameters of any number, shape and precision.
//!
//! Law: a step is the rule on each element, whatever the nest of parameters is; steps in a loop of the program are steps one after
//! the other (tests/transform/optimisers.rs).

use core::panic::Location;

use crate::array::trace::{
    F16, F32, F64, Handle, I64, Id, ScalarHandle, converted, elementwise, handle, ids, inline, traced_of,
};
use crate::array::{Prim, Program, Type};
use crate::error::Result;
use crate::optimise::simplify;
use crate::primitives::Real;
use crate::transform::Wrt;

/// How far a step goes.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Rate {
    /// As far in every step.
    Constant(f64),
    /// As far as the parameter `rate` of the program says, which comes after the state and is a number of the loss's kind: for rates that
    /// change, and for derivatives by them.
    Given,
}

impl From<f64> for Rate {
    fn from(rate: f64) -> Self {
        Rate::Constant(rate)
    }
}

/// A rule by which the parameters of a loss are changed until it is small: [`Sgd`], [`Adam`], or one of your own.
///
/// ```
/// use catadiff::array::{Program, trace::{Arr, F64}};
/// use catadiff::interpret::Value;
/// use catadiff::solvers::{Adam, Optimiser};
/// let loss = Program::trace_named(&["line", "xs", "ys"], |line: (F64, F64), xs: Arr<F64>, ys: Arr<F64>| {
///     (xs * line.0 + line.1 - ys).map(|e| e * e).mean()
/// })?;
/// let data = ([0.0, 1.0, 2.0], [1.0, 3.0, 5.0]);
/// let adam = Adam::new(0.1);
/// let start: Vec<Value<f64>> = adam.start(&loss, "line")?.at((0.0, 0.0))?;
/// let mut training = adam.step(&loss, "line")?.compile()?.repeated(start)?;
/// for _ in 0..400 {
///     let _loss: f64 = training.step(data)?;
/// }
/// let (slope, offset): (f64, f64) = training.state()?;
/// assert!((slope - 2.0).abs() < 1e-3 && (offset - 1.0).abs() < 1e-3);
/// # Ok::<(), catadiff::Error>(())
/// ```
///
/// In a closure that is traced a step is called as every program is, in a [`loop_for`](crate::array::trace::loop_for) as well:
///
/// ```
/// use catadiff::array::{Program, trace::{Arr, F64, loop_for}};
/// use catadiff::solvers::{Optimiser, Sgd};
/// let loss = Program::trace(|x: Arr<F64>, at: Arr<F64>| (x - at).map(|d| d * d).sum())?;
/// let step = Sgd::new(0.05).momentum(0.5).step(&loss, 0)?;
/// let end = Program::trace(|at: Arr<F64>| {
///     loop_for(100, (at.zeros_like(), at.zeros_like()), |_, (x, velocity)| {
///         let (x, velocity, _): (Arr<F64>, Arr<F64>, F64) = step.call((x, velocity, at));
///         (x, velocity)
///     }).0
/// })?;
/// let found: Vec<f64> = end.at([1.0, -2.0])?;
/// assert!((found[0] - 1.0).abs() < 1e-6 && (found[1] + 2.0).abs() < 1e-6);
/// # Ok::<(), catadiff::Error>(())
/// ```
///
/// A rule of one's own says what it keeps, and where a step goes:
///
/// ```
/// use catadiff::{Elementary, Real};
/// use catadiff::array::{Program, trace::F64};
/// use catadiff::solvers::{Optimiser, Rate};
/// /// As far in each direction, whatever the slope.
/// struct Signs;
/// impl Optimiser for Signs {
///     fn rate(&self) -> Rate { Rate::Constant(0.25) }
///     fn kept(&self) -> &'static [&'static str] { &[] }
///     fn direction<R: Real>(&self, _: &[R], _: R, slope: R, _: &mut [R]) -> R { slope.signum() }
/// }
/// let step = Signs.step(&Program::trace(|x: F64| x * x)?, ..)?;
/// assert_eq!(step.at::<(f64, f64)>(3.0)?, (2.75, 9.0));
/// # Ok::<(), catadiff::Error>(())
/// ```
pub trait Optimiser {
    /// How far a step goes.
    fn rate(&self) -> Rate;

    /// What is kept of each element of a parameter from step to step, by what it is called. At first it is 0.
    fn kept(&self) -> &'static [&'static str];

    /// Whether the rule depends on how many steps there were: then the state ends with their number, `step`.
    fn counts(&self) -> bool {
        false
    }

    /// What the rule takes that is the same for all elements, in the step of this number, counted from 1.
    fn factors<R: Real>(&self, step: R) -> Vec<R> {
        let _ = step;
        Vec::new()
    }

    /// The direction of a step away from the element `x` of a parameter, with the derivative `slope` of the loss by it and
    /// what is kept of it, which is changed. The element becomes `x − rate · direction`.
    fn direction<R: Real>(&self, factors: &[R], x: R, slope: R, kept: &mut [R]) -> R;

    /// The program of a step. It takes the parameters by which the loss is made small, in the order in which they are
    /// [named](Wrt); the state; the rate, if it is [given](Rate::Given); and then the loss's other parameters. Its results are the
    /// parameters after the step, the state after it, and the loss before it.
    ///
    /// The state is, for each thing that is [kept](Optimiser::kept), one of the shape of each parameter, and the number of steps where
    /// they are [counted](Optimiser::counts). Results come in the order of the first parameters, as
    /// [`Compiled::repeated`](crate::execute::Compiled::repeated), loops in traces and `Compiled::repeat` on GPUs take them.
    ///
    /// # Errors
    /// Those of [`Program::value_and_grad`].
    #[track_caller]
    fn step(&self, loss: &Program, wrt: impl Into<Wrt>) -> Result<Program> {
        let of_step = Step::new(self, loss, wrt.into())?;
        let slopes = loss.value_and_grad(Wrt::Positions(of_step.by.clone()))?;
        let program = traced_of(of_step.parameters(), |given| of_step.results(&slopes, given));
        Ok(simplify(program?))
    }

    /// The program that takes the parameters by which the loss is made small, and gives them and the state before the first
    /// [step](Optimiser::step).
    ///
    /// # Errors
    /// [`Error::Parameter`](crate::Error::Parameter) and [`Error::Empty`](crate::Error::Empty) for parameters that cannot be
    /// differentiated by.
    #[track_caller]
    fn start(&self, loss: &Program, wrt: impl Into<Wrt>) -> Result<Program> {
        let of_step = Step::new(self, loss, wrt.into())?;
        let program = traced_of(of_step.changed.clone(), |given| {
            let at = Location::caller();
            let mut state = given.to_vec();
            for _ in self.kept() {
                for (x, (_, of)) in given.iter().zip(&of_step.changed) {
                    let zero = |_: &[Id]| {
                        vec![match of.prim {
                            Prim::F32 => zero::<F32>(),
                            Prim::F16 => zero::<F16>(),
                            _ => zero::<F64>(),
                        }]
                    };
                    state.extend(elementwise(at, &[*x], *of, &zero)?);
                }
            }
            state.extend(self.counts().then(|| I64::from(0)).into_iter().flat_map(ids));
            Some(state)
        });
        Ok(simplify(program?))
    }
}

fn zero<R: Real + ScalarHandle>() -> Id {
    R::constant(0.0).ids()
}

/// The parts of a program that is a step.
struct Step<'s, O: ?Sized> {
    optimiser: &'s O,
    loss: &'s Program,
    /// The positions of the parameters that are changed, and what they are.
    by: Vec<usize>,
    changed: Vec<(String, Type)>,
    /// The kind of the loss.
    kind: Prim,
}

impl<'s, O: Optimiser + ?Sized> Step<'s, O> {
    fn new(optimiser: &'s O, loss: &'s Program, wrt: Wrt) -> Result<Self> {
        let by = wrt.resolve(loss)?;
        let changed = by.iter().map(|k| parameter(loss, *k)).collect();
        let kind = loss.function().body.results.first().map_or(Prim::F64, |a| loss.atom_type(*a).prim);
        Ok(Step { optimiser, loss, by, changed, kind })
    }

    /// The positions of the loss's other parameters.
    fn others(&self) -> impl Iterator<Item = usize> {
        (0..self.loss.names().len()).filter(|k| !self.by.contains(k))
    }

    fn is_given(&self) -> bool {
        self.optimiser.rate() == Rate::Given
    }

    fn parameters(&self) -> Vec<(String, Type)> {
        let mut all = self.changed.clone();
        for kept in self.optimiser.kept() {
            all.extend(self.changed.iter().map(|(name, of)| (format!("{kept}.{name}"), *of)));
        }
        all.extend(self.optimiser.counts().then(|| ("step".to_owned(), Type::scalar(Prim::I64))));
        all.extend(self.is_given().then(|| ("rate".to_owned(), Type::scalar(self.kind))));
        all.extend(self.others().map(|k| parameter(self.loss, k)));
        all
    }

    /// The results, of the gradient of the loss and what is given.
    #[track_caller]
    fn results(&self, slopes: &Program, given: &[Id]) -> Option<Vec<Id>> {
        let (count, kept) = (self.changed.len(), self.optimiser.kept().len());
        let (changed, rest) = given.split_at(count);
        let (state, rest) = rest.split_at(kept * count);
        let (step, rest) = rest.split_at(self.optimiser.counts().into());
        let (rate, others) = rest.split_at(self.is_given().into());
        let mut arguments = vec![None; given.len()];
        let at = self.by.iter().zip(changed).map(|(k, x)| (*k, *x)).chain(self.others().zip(others.iter().copied()));
        at.for_each(|(k, id)| arguments[k] = Some(id));
        let arguments: Vec<Id> = arguments.into_iter().flatten().collect();
        let mut types = vec![Type::scalar(self.kind)];
        types.extend(self.changed.iter().map(|(_, of)| *of));
        let found = inline(slopes, &arguments, &types)?;
        let step = step.first().map(|k| handle::<I64>(Some(vec![*k])) + 1);
        let mut columns = vec![Vec::new(); 1 + kept];
        for (k, (_, of)) in self.changed.iter().enumerate() {
            let mut arrays = vec![changed[k], found[k + 1]];
            arrays.extend((0..kept).map(|n| state[n * count + k]));
            let rate = rate.first().map(|id| converted(*id, self.kind, of.prim));
            let moved = match of.prim {
                Prim::F32 => self.moved(step.map(I64::to_f32), rate.map(F32::of), &arrays, *of),
                Prim::F16 => self.moved(step.map(I64::to_f16), rate.map(F16::of), &arrays, *of),
                _ => self.moved(step.map(I64::to_f64), rate.map(F64::of), &arrays, *of),
            };
            columns.iter_mut().zip(moved?).for_each(|(column, id)| column.push(id));
        }
        let step = step.map_or_else(Vec::new, ids);
        Some([columns.concat(), step, vec![found[0]]].concat())
    }

    /// A parameter after the step, and what is kept of it.
    #[track_caller]
    fn moved<R: Real + ScalarHandle>(
        &self,
        step: Option<R>,
        rate: Option<R>,
        arrays: &[Id],
        of: Type,
    ) -> Option<Vec<Id>> {
        let factors = self.optimiser.factors(step.unwrap_or(R::constant(1.0)));
        let rate = match self.optimiser.rate() {
            Rate::Constant(rate) => R::constant(rate),
            Rate::Given => rate?,
        };
        let scalars = |x: &[Id]| {
            let mut numbers: Vec<R> = x.iter().map(|id| R::of(*id)).collect();
            let (x, slope) = (numbers[0], numbers[1]);
            let direction = self.optimiser.direction(&factors, x, slope, &mut numbers[2..]);
            let mut after = vec![(x - rate * direction).ids()];
            after.extend(numbers[2..].iter().map(|x| x.ids()));
            after
        };
        elementwise(Location::caller(), arrays, of, &scalars)
    }
}

fn parameter(of: &Program, k: usize) -> (String, Type) {
    (of.names()[k].clone(), of.type_of(of.function().params[k]))
}

/// Stochastic gradient descent, with momentum and Nesterov's way if wanted.
///
/// With the momentum `μ` it keeps a `velocity`: `v ← μ v + g`, and the direction is `v`, or `g + μ v` for Nesterov ("On the importance
/// of initialization and momentum in deep learning", Sutskever, Martens, Dahl and Hinton 2013, section 2, written so that the rate is
/// no part of the velocity).
///
/// ```
/// use catadiff::array::{Program, trace::F64};
/// use catadiff::solvers::{Optimiser, Sgd};
/// let loss = Program::trace(|x: F64| x * x)?;
/// assert_eq!(Sgd::new(0.25).step(&loss, ..)?.at::<(f64, f64)>(3.0)?, (1.5, 9.0));
/// let with_momentum = Sgd::new(0.25).momentum(0.5).step(&loss, ..)?;
/// assert_eq!(with_momentum.names(), ["x0", "velocity.x0"]);
/// assert_eq!(with_momentum.at::<(f64, f64, f64)>((3.0, 2.0))?, (1.25, 7.0, 9.0));
/// # Ok::<(), catadiff::Error>(())
/// ```
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Sgd {
    rate: Rate,
    momentum: f64,
    nesterov: bool,
}

impl Sgd {
    /// Plain descent at this rate.
    pub fn new(rate: impl Into<Rate>) -> Self {
        Sgd { rate: rate.into(), momentum: 0.0, nesterov: false }
    }

    /// With this momentum; 0 for none, of which nothing is kept.
    #[must_use]
    pub fn momentum(self, momentum: f64) -> Self {
        Sgd { momentum, ..self }
    }

    /// With the derivative where momentum leads to.
    #[must_use]
    pub fn nesterov(self) -> Self {
        Sgd { nesterov: true, ..self }
    }
}

impl Optimiser for Sgd {
    fn rate(&self) -> Rate {
        self.rate
    }

    fn kept(&self) -> &'static [&'static str] {
        if self.momentum == 0.0 { &[] } else { &["velocity"] }
    }

    fn direction<R: Real>(&self, _: &[R], _: R, slope: R, kept: &mut [R]) -> R {
        let [velocity] = kept else { return slope };
        *velocity = *velocity * self.momentum + slope;
        if self.nesterov { slope + *velocity * self.momentum } else { *velocity }
    }
}

/// Adam ("Adam: a method for stochastic optimization", Kingma and Ba 2015, algorithm 1), with the decay of AdamW if wanted ("Decoupled
/// weight decay regularization", Loshchilov and Hutter 2019, algorithm 2).
///
/// It keeps the `mean` of derivatives and that of their squares, `square`, and counts steps. Where a parameter is of `f16`, squares of those
/// below 10⁻⁴ are 0 there: keep parameters as `f32`, and convert them in the loss. Derivatives through steps are not finite where that of the loss was 0 in all of them: √0 has none.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Adam {
    rate: Rate,
    betas: (f64, f64),
    epsilon: f64,
    decay: f64,
}

impl Adam {
    /// At this rate, with β₁ = 0.9, β₂ = 0.999, ε = 10⁻⁸ and no decay.
    pub fn new(rate: impl Into<Rate>) -> Self {
        Adam { rate: rate.into(), betas: (0.9, 0.999), epsilon: 1e-8, decay: 0.0 }
    }

    /// With these parts of the means that stay in each step, β₁ and β₂.
    #[must_use]
    pub fn betas(self, first: f64, second: f64) -> Self {
        Adam { betas: (first, second), ..self }
    }

    /// With this number added to the root of the mean square.
    #[must_use]
    pub fn epsilon(self, epsilon: f64) -> Self {
        Adam { epsilon, ..self }
    }

    /// AdamW: with this part of the parameter, times the rate, taken away in each step.
    #[must_use]
    pub fn decay(self, decay: f64) -> Self {
        Adam { decay, ..self }
    }
}

impl Optimiser for Adam {
    fn rate(&self) -> Rate {
        self.rate
    }

    fn kept(&self) -> &'static [&'static str] {
        &["mean", "square"]
    }

    fn counts(&self) -> bool {
        true
    }

    fn factors<R: Real>(&self, step: R) -> Vec<R> {
        // 1 − βᵏ, without what cancels.
        let part = |beta: f64| -(step * R::constant(beta).ln()).exp_m1();
        vec![part(self.betas.0), part(self.betas.1)]
    }

    fn direction<R: Real>(&self, factors: &[R], x: R, slope: R, kept: &mut [R]) -> R {
        let (first, second) = self.betas;
        kept[0] = kept[0] * first + slope * (1.0 - first);
        kept[1] = kept[1] * second + slope * slope * (1.0 - second);
        let direction = kept[0] / factors[0] / ((kept[1] / factors[1]).sqrt() + self.epsilon);
        if self.decay == 0.0 { direction } else { direction + x * self.decay }
    }
}
