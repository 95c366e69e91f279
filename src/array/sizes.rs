//! The sizes of variables: with its kind, the type of an array.
//!
//! Law: a size that is given here is the one that every run without an error finds, also of arrays without elements; it is
//! visible wherever the variable is. What a statement says of its variables follows from what is known of its operands in one
//! step, so that all of it is linear in the program (laws: array_sizes::sizes_hold, tests/transform/sizes.rs).
//!
//! A size of a variable is a constant or an integer in scope ([`Extent::Number`]), a size of another variable in scope, or
//! one of its own ([`Extent::Of`]): that of a parameter, or one that only the run of its statement finds.

use core::convert::Infallible;
use core::ops::Range;
use rustc_hash::FxHashMap;

use super::agree::{Agreement, Extent};
use super::build::index;
use super::operation::{Agree, Loop, Map, Op};
use super::program::{Atom, Body, Lambda, Program, Stm, Var};
use super::scalar::ScalarOp;
use super::shape::Shape;
use super::types::Type;
use super::typing::{self, Results, Typing};
use super::visit::params;

/// Where the sizes of a variable are, and where it is visible.
#[derive(Debug, Clone, Copy, Default)]
struct Known {
    from: u32,
    rank: u32,
    /// How many bodies are around its definition.
    depth: u32,
}

/// The sizes of the variables of a program.
///
/// ```
/// use catadiff::array::{Extent, Program};
/// let program = Program::parse(
///     "program (xs: []f64, ys: []f64, n: i64) {
///        let squares = map (xs, ys) |x: f64, y: f64| { let xy = mul(x, y) return xy }
///        let all = iota(n)
///        return squares, all
///      }",
/// )?;
/// let sizes = program.sizes();
/// let [xs, ys, n] = program.function().params[..] else { panic!("three parameters") };
/// let [squares, all] = program.function().body.results[..] else { panic!("two results") };
/// // The result of the map is as long as its first array, and the other is compared with that.
/// assert_eq!(sizes.of(squares), [Extent::Of(xs.into(), 0)]);
/// assert_eq!(sizes.of(all), [Extent::Number(n.into())]);
/// // A parameter has sizes of its own.
/// assert_eq!(sizes.of(ys), [Extent::Of(ys.into(), 0)]);
/// # Ok::<(), catadiff::Error>(())
/// ```
#[derive(Debug, Clone, Default)]
pub struct SizeTable {
    known: Vec<Known>,
    /// The sizes of all variables.
    extents: Vec<Extent>,
    /// The sizes that integers are.
    numbers: FxHashMap<Var, Extent>,
}

impl SizeTable {
    /// The sizes of a value, outermost first; those of a scalar are none.
    ///
    /// # Panics
    /// If the program has no such variable.
    #[must_use]
    pub fn of(&self, value: impl Into<Atom>) -> &[Extent] {
        &self.extents[self.range(value.into())]
    }

    /// Whether a loop may change the sizes of a variable: some are its own, and iterations give it another value.
    pub(crate) fn may_change(&self, it: &Loop, variable: usize) -> bool {
        let var = it.params[variable].0;
        self.of(var).iter().any(|size| size.atom() == var.into()) && it.body.results[variable] != var.into()
    }

    /// The size that an integer is: of an array, if that is what it was found as, or else the number itself.
    #[must_use]
    pub fn number(&self, number: Atom) -> Extent {
        let size = if let Atom::Var(var) = number { self.numbers.get(&var).copied() } else { None };
        size.unwrap_or(Extent::Number(number))
    }

    /// The size as the types of its variables have it.
    pub(crate) fn resolve(&self, extent: Extent) -> Extent {
        match extent {
            Extent::Number(number) => self.number(number),
            Extent::Of(array, dimension) => self.of(array)[dimension],
        }
    }

    /// Whether a variable has been learnt of.
    #[cfg(feature = "mpi")]
    pub(crate) fn knows(&self, var: Var) -> bool {
        (var.0 as usize) < self.known.len()
    }

    /// Room for this many variables.
    pub(crate) fn with_capacity(variables: usize) -> Self {
        let (known, extents) = (Vec::with_capacity(variables), Vec::with_capacity(variables));
        SizeTable { known, extents, numbers: FxHashMap::default() }
    }

    /// Sets a variable whose sizes are those from here on.
    fn set(&mut self, var: Var, depth: usize, from: usize) {
        let at = var.0 as usize;
        if self.known.len() <= at {
            self.known.resize(at + 1, Known::default());
        }
        let number = |n: usize| u32::try_from(n).expect("a program has fewer than 2^32 sizes");
        self.known[at] = Known { from: number(from), rank: number(self.extents.len() - from), depth: number(depth) };
    }

    /// A variable of which only the type is known.
    pub(crate) fn bind(&mut self, var: Var, of: Type, depth: usize) {
        let from = self.extents.len();
        self.extents.extend((0..of.rank).map(|d| Extent::Of(var.into(), d)));
        self.set(var, depth, from);
    }

    /// A variable that is an element of an array.
    pub(crate) fn bind_element(&mut self, var: Var, array: Atom, depth: usize) {
        self.bind_inner(var, array, 1, depth);
    }

    /// A variable with the sizes of another.
    pub(crate) fn bind_like(&mut self, var: Var, like: Atom, depth: usize) {
        self.bind_inner(var, like, 0, depth);
    }

    fn bind_inner(&mut self, var: Var, array: Atom, leading: usize, depth: usize) {
        let (from, of) = (self.extents.len(), self.range(array));
        self.extents.extend_from_within(of.start + leading..of.end);
        self.set(var, depth, from);
    }

    /// Where the sizes of an array are.
    fn range(&self, array: Atom) -> Range<usize> {
        match array {
            Atom::Var(var) => {
                let Known { from, rank, .. } = self.known[var.0 as usize];
                from as usize..(from + rank) as usize
            }
            Atom::Const(_) => 0..0,
        }
    }

    /// The variables that the bodies of an operation bind. What a loop carries, and what an operator has combined so far, may
    /// have any sizes.
    pub(crate) fn bind_params(&mut self, op: &Op, type_of: impl Fn(Var) -> Type, depth: usize) {
        params(op).for_each(|var| self.bind(var, type_of(var), depth + 1));
        let (mut elements, mut alike): ([&[Atom]; 2], &[Atom]) = ([&[]; 2], &[]);
        let params = match op {
            Op::Map(map) => {
                (elements[0], alike) = (&map.arrays, &map.accumulators);
                &map.function.params[..]
            }
            Op::Reduce(it) | Op::Scan(it) => {
                elements[0] = &it.arrays;
                &it.operator.params[it.arrays.len()..]
            }
            // What is in a bin keeps its sizes.
            Op::Hist(it) => {
                elements = [&it.destinations, &it.values];
                &it.operator.params[..]
            }
            Op::Custom(it) => {
                alike = &it.arguments;
                &it.function.params[..]
            }
            _ => return,
        };
        let elements = elements.into_iter().flatten().map(|a| (*a, 1));
        for (param, (array, leading)) in params.iter().zip(elements.chain(alike.iter().map(|a| (*a, 0)))) {
            self.bind_inner(*param, array, leading, depth + 1);
        }
    }

    /// How many bodies are around the definition of a value.
    pub(crate) fn depth(&self, atom: Atom) -> usize {
        match atom {
            Atom::Var(var) => self.known[var.0 as usize].depth as usize,
            Atom::Const(_) => 0,
        }
    }

    /// Whether a value is visible in a body at this depth, from where it is used.
    pub(crate) fn visible(&self, atom: Atom, depth: usize) -> bool {
        self.depth(atom) <= depth
    }

    /// Whether all sizes of a value are visible there.
    pub(crate) fn all_visible(&self, atom: Atom, depth: usize) -> bool {
        self.of(atom).iter().all(|extent| self.visible(extent.atom(), depth))
    }

    /// Gives a variable this size, if it is visible at this depth.
    pub(crate) fn refine(&mut self, var: Var, dimension: usize, extent: Extent, depth: usize) {
        if self.visible(extent.atom(), depth) {
            let of = self.range(var.into());
            self.extents[of][dimension] = extent;
        }
    }

    /// Learns what a statement says of its variables, after what is inside of it.
    pub(crate) fn learn(&mut self, stm: &Stm, type_of: impl Fn(Var) -> Type, depth: usize) {
        let vars = &stm.vars;
        vars.iter().for_each(|var| self.bind(*var, type_of(*var), depth));
        if let Op::Size(array, dimension) = &stm.op {
            self.numbers.insert(vars[0], self.of(*array)[*dimension]);
        }
        // Scalars have no sizes, and most statements make nothing else.
        if vars.iter().all(|var| self.of(*var).is_empty()) {
            return;
        }
        let Ok(found) = typing::results(&stm.op, &mut Terms { sizes: self, comparisons: None });
        for (var, shape) in vars.iter().zip(found) {
            for (d, extent) in shape.sizes.into_iter().enumerate() {
                extent.into_iter().for_each(|extent| self.refine(*var, d, extent, depth));
            }
        }
    }
}

/// Which of an operation's arrays are kept, and what it compares.
pub(super) type Comparisons<'s> = (&'s dyn Fn(usize) -> bool, &'s mut Vec<(Agree, bool)>);

/// Sizes as terms: those that arrays in scope have, and numbers; and comparisons, if these are of interest.
pub(super) struct Terms<'s> {
    pub(super) sizes: &'s SizeTable,
    pub(super) comparisons: Option<Comparisons<'s>>,
}

impl Typing for Terms<'_> {
    type Value = Shape<Extent>;
    type Wrong = Infallible;

    fn of(&mut self, atom: Atom) -> Shape<Extent> {
        Shape::array(self.sizes.of(atom).iter().copied().map(Some))
    }

    fn size(&mut self, number: Atom) -> Option<Extent> {
        Some(self.sizes.number(number))
    }

    fn constant(&mut self, n: usize) -> Option<Extent> {
        Some(Extent::Number(index(i64::try_from(n).expect("a list is shorter than 2^63"))))
    }

    fn sum(&mut self, _: Option<Extent>, _: Option<Extent>) -> Option<Extent> {
        None
    }

    fn number(&mut self, size: Option<Extent>) -> Shape<Extent> {
        Shape::scalar(size)
    }

    fn scalar(&mut self, _: ScalarOp, _: &[Atom]) -> Result<Shape<Extent>, Infallible> {
        Ok(Shape::scalar(None))
    }

    fn rows(&mut self, map: &Map) -> Result<Results<Self>, Infallible> {
        self.apply(&map.function, Results::<Self>::new())
    }

    fn apply(&mut self, function: &Lambda, _: Results<Self>) -> Result<Results<Self>, Infallible> {
        // Nobody learns the accumulators that a rewritten function gives back.
        let learnt = |a: &Atom| matches!(a, Atom::Var(var) if (var.0 as usize) < self.sizes.known.len());
        let none = || Shape::scalar(None);
        Ok(function.body.results.iter().map(|a| if learnt(a) { self.of(*a) } else { none() }).collect())
    }

    fn branches(&mut self, yes: &Body, no: &Body) -> Result<Results<Self>, Infallible> {
        Ok(yes.results.iter().zip(&no.results).map(|(yes, no)| self.of(*yes).or(&self.of(*no))).collect())
    }

    /// A loop variable has the sizes it started with if an iteration keeps them.
    fn repeat(&mut self, it: &Loop) -> Result<Results<Self>, Infallible> {
        let variables = it.params.iter().zip(&it.body.results);
        Ok(variables
            .map(|((param, initial), after)| {
                let sizes = self.sizes.of(*initial).iter().zip(self.sizes.of(*after)).enumerate();
                Shape::array(
                    sizes.map(|(d, (at_first, after))| (*after == Extent::Of((*param).into(), d)).then_some(*at_first)),
                )
            })
            .collect())
    }

    /// What an operator combines may have any sizes.
    fn combined(&mut self, neutral: Atom) -> Shape<Extent> {
        Shape::array(self.sizes.of(neutral).iter().map(|_| None))
    }

    fn compares(&self) -> bool {
        self.comparisons.is_some()
    }

    fn compare(&mut self, what: Agreement, first: &[Option<Extent>], second: &[Option<Extent>], kept: bool) {
        if let Some((_, found)) = &mut self.comparisons
            && first != second
        {
            let [first, second] =
                [first, second].map(|sizes| sizes.iter().map(|size| size.expect("a size of an operand")).collect());
            found.push((Agree { what, first, second, times: Vec::new() }, kept));
        }
    }

    fn assertion(&mut self, it: &Agree) {
        if let Some((_, found)) = &mut self.comparisons {
            let mut agree = it.clone();
            agree.extents_mut().for_each(|extent| *extent = self.sizes.resolve(*extent));
            found.push((agree, true));
        }
    }

    fn kept(&self, array: usize) -> bool {
        self.comparisons.as_ref().is_none_or(|(kept, _)| kept(array))
    }
}

impl Program {
    /// The sizes of all variables: what follows from the operations, and from the sizes that they and assertions compare.
    #[must_use]
    pub fn sizes(&self) -> SizeTable {
        super::size_inference::sizes(self, true, &mut [])
    }

    /// The sizes of all variables that follow from the operations alone: no comparison is needed for them.
    pub(crate) fn sizes_without_comparisons(&self) -> SizeTable {
        super::size_inference::sizes(self, false, &mut [])
    }
}
