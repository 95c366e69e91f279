//! The sizes of variables: with its kind, the type of an array.
//!
//! Law: a size that is given here is the one that every run without an error finds, also of arrays without elements; it is
//! visible wherever the variable is. What a statement says of its variables follows from what is known of its operands in one
//! step, so that all of it is linear in the program (laws: array_sizes::sizes_hold, tests/transform/sizes.rs).
//!
//! A size of a variable is a constant or an integer in scope ([`Extent::Number`]), a size of another variable in scope, or
//! one of its own ([`Extent::Of`]): that of a parameter, or one that only the run of its statement finds.

use core::ops::Range;
use rustc_hash::FxHashMap;
use smallvec::SmallVec;

use super::agree::Extent;
use super::build::index;
use super::iteration::Form;
use super::operation::{Loop, Map, Op};
use super::program::{Atom, Program, Stm, Var};
use super::shape::{Shape, SizeDomain, result_shape};
use super::types::Type;

/// Where the sizes of a variable are, and where it is visible.
#[derive(Debug, Clone, Copy, Default)]
struct Known {
    from: u32,
    rank: u32,
    /// How many bodies are around its definition.
    depth: u32,
}

/// The sizes of a value, as far as they are known.
type Found = SmallVec<[Option<Extent>; 2]>;

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
        let (from, of) = (self.extents.len(), self.range(array));
        self.extents.extend_from_within(of.start + 1..of.end);
        self.set(var, depth, from);
    }

    /// A variable with the sizes of another.
    pub(crate) fn bind_like(&mut self, var: Var, like: Atom, depth: usize) {
        let (from, of) = (self.extents.len(), self.range(like));
        self.extents.extend_from_within(of);
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

    /// The parameters of the function of a map that is at this depth, when it is applied.
    fn bind_map(&mut self, params: &[Var], map: &Map, depth: usize) {
        let (elements, collectors) = params.split_at(map.arrays.len());
        elements.iter().zip(&map.arrays).for_each(|(p, a)| self.bind_element(*p, *a, depth + 1));
        collectors.iter().zip(&map.accumulators).for_each(|(p, a)| self.bind_like(*p, *a, depth + 1));
    }

    /// The variables that the bodies of an operation bind. What a loop carries, and what an operator has combined so far, may
    /// have any sizes.
    pub(crate) fn bind_params(&mut self, op: &Op, type_of: impl Fn(Var) -> Type, depth: usize) {
        let mut plain: SmallVec<[Var; 8]> = SmallVec::new();
        let mut elements = |params: &[Var], arrays: &mut dyn Iterator<Item = &Atom>| {
            params.iter().zip(arrays).for_each(|(param, array)| self.bind_element(*param, *array, depth + 1));
        };
        match op {
            Op::Map(map) => self.bind_map(&map.function.params, map, depth),
            Op::Loop(it) => {
                plain.extend(it.params.iter().map(|(param, _)| *param));
                if let Form::For(i, _) = &it.form {
                    plain.push(*i);
                }
            }
            Op::Reduce(it) | Op::Scan(it) => {
                let (left, right) = it.operator.params.split_at(it.arrays.len());
                plain.extend_from_slice(left);
                elements(right, &mut it.arrays.iter());
            }
            // What is in a bin keeps its sizes.
            Op::Hist(it) => elements(&it.operator.params, &mut it.destinations.iter().chain(&it.values)),
            Op::Custom(it) => {
                let arguments = it.function.params.iter().zip(&it.arguments);
                arguments.for_each(|(param, argument)| self.bind_like(*param, *argument, depth + 1));
                plain.extend_from_slice(&it.pullback.params);
            }
            _ => {}
        }
        plain.into_iter().for_each(|var| self.bind(var, type_of(var), depth + 1));
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
        if let Op::Scalar(..) = stm.op {
            return self.set(vars[0], depth, self.extents.len());
        }
        vars.iter().for_each(|v| self.bind(*v, type_of(*v), depth));
        let found: Found = match &stm.op {
            Op::Map(map) => return self.learn_map(vars, map, depth),
            Op::Loop(it) => return self.learn_loop(vars, it, depth),
            Op::If(_, yes, no) => {
                for ((var, yes), no) in vars.iter().zip(&yes.results).zip(&no.results) {
                    for d in 0..self.of(*yes).len() {
                        let [yes, no] = [yes, no].map(|a| self.of(*a)[d]);
                        if yes == no {
                            self.refine(*var, d, yes, depth);
                        }
                    }
                }
                return;
            }
            Op::Scan(it) => return vars.iter().zip(&it.arrays).for_each(|(v, a)| self.bind_like(*v, *a, depth)),
            Op::Hist(it) => return vars.iter().zip(&it.destinations).for_each(|(v, a)| self.bind_like(*v, *a, depth)),
            Op::Reduce(_) | Op::Custom(_) | Op::Agree(_) => return,
            Op::Size(array, dimension) => {
                self.numbers.insert(vars[0], self.of(*array)[*dimension]);
                return;
            }
            op => result_shape(op, &mut &*self).map_or_else(Found::new, |shape| shape.sizes),
        };
        for (d, extent) in found.into_iter().enumerate() {
            if let Some(extent) = extent {
                self.refine(vars[0], d, extent, depth);
            }
        }
    }

    fn learn_map(&mut self, vars: &[Var], map: &Map, depth: usize) {
        let length = self.of(map.arrays[0])[0];
        let values = vars.len() - map.accumulators.len();
        for (var, result) in vars[..values].iter().zip(&map.function.body.results) {
            self.refine(*var, 0, length, depth);
            for (d, at) in self.range(*result).enumerate() {
                self.refine(*var, d + 1, self.extents[at], depth);
            }
        }
        vars[values..].iter().zip(&map.accumulators).for_each(|(v, a)| self.bind_like(*v, *a, depth));
    }

    /// A loop variable has the sizes it started with if an iteration keeps them.
    fn learn_loop(&mut self, vars: &[Var], it: &Loop, depth: usize) {
        for ((var, (param, initial)), after) in vars.iter().zip(&it.params).zip(&it.body.results) {
            for d in 0..self.of(*initial).len() {
                if self.of(*after)[d] == Extent::Of((*param).into(), d) {
                    self.refine(*var, d, self.of(*initial)[d], depth);
                }
            }
        }
    }
}

/// Sizes are those of arrays that are in scope, and numbers.
impl SizeDomain for &SizeTable {
    type Size = Extent;

    fn shape(&mut self, atom: Atom) -> Shape<Extent> {
        let sizes = self.of(atom).iter().copied().map(Some).collect();
        Shape { sizes, number: Some(self.number(atom)) }
    }

    fn constant(&mut self, n: usize) -> Extent {
        Extent::Number(index(i64::try_from(n).expect("a list is shorter than 2^63")))
    }

    fn sum(&mut self, _: Extent, _: Extent) -> Option<Extent> {
        None
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
