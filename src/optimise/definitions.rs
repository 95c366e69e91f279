//! What is known of the variables of a program: the operations that define them, the sizes of arrays, which are zero.
//!
//! Law: a fact is true in every run, also of arrays without elements, and a size given here is the size that the
//! interpreter finds; facts of a statement follow from those of its operands in one step, so that all are linear in the
//! program (tests/transform/simplify.rs, tests/transform/sizes.rs).

use core::ops::Range;
use smallvec::SmallVec;

use super::store_forwarding::Written;
use crate::array::{Atom, Const, Extent, Loop, Map, Op, Shape, SizeDomain, Stm, Type, Var, index, result_shape};

#[derive(Debug, Clone, Default)]
struct Known {
    /// The operation that defines it, if that has no body.
    op: Option<Box<Op>>,
    /// Where its sizes begin among those of all, and how many they are.
    extents: (u32, u32),
    /// How many bodies are around its definition.
    depth: u32,
    zero: bool,
}

/// The sizes of a value, as far as they are known.
type Sizes = SmallVec<[Option<Extent>; 2]>;

/// What is known of variables, by number.
#[derive(Debug, Default)]
pub(super) struct Facts {
    known: Vec<Known>,
    /// The sizes of all variables.
    extents: Vec<Extent>,
    /// Whether of operations only those are remembered that say a size.
    sizes_only: bool,
    pub(super) written: Written,
}

impl Facts {
    /// Room for this many variables.
    pub(super) fn with_capacity(variables: usize) -> Self {
        let (known, extents) = (Vec::with_capacity(variables), Vec::with_capacity(variables));
        Facts { known, extents, ..Facts::default() }
    }

    /// Room for this many variables, of which the operations need not be known.
    pub(super) fn of_sizes(variables: usize) -> Self {
        Facts { sizes_only: true, ..Facts::with_capacity(variables) }
    }

    /// Sets a variable whose sizes are those from here on.
    fn set(&mut self, var: Var, depth: usize, from: usize) {
        let at = var.0 as usize;
        if self.known.len() <= at {
            self.known.resize_with(at + 1, Known::default);
        }
        let number = |n: usize| u32::try_from(n).expect("a program has fewer than 2^32 sizes");
        let extents = (number(from), number(self.extents.len() - from));
        self.known[at] = Known { depth: number(depth), extents, op: None, zero: false };
    }

    /// A variable of which only the type is known.
    pub(super) fn bind(&mut self, var: Var, of: Type, depth: usize) {
        let from = self.extents.len();
        self.extents.extend((0..of.rank).map(|d| Extent::Of(var.into(), d)));
        self.set(var, depth, from);
    }

    /// A variable that is an element of an array.
    pub(super) fn bind_element(&mut self, var: Var, array: Atom, depth: usize) {
        let (from, of) = (self.extents.len(), self.range(array));
        self.extents.extend_from_within(of.start + 1..of.end);
        self.set(var, depth, from);
    }

    /// A variable with the sizes of another.
    pub(super) fn bind_like(&mut self, var: Var, like: Atom, depth: usize) {
        let (from, of) = (self.extents.len(), self.range(like));
        self.extents.extend_from_within(of);
        self.set(var, depth, from);
    }

    /// Where the sizes of an array are.
    fn range(&self, array: Atom) -> Range<usize> {
        match array {
            Atom::Var(var) => {
                let (from, count) = self.known[var.0 as usize].extents;
                from as usize..(from + count) as usize
            }
            Atom::Const(_) => 0..0,
        }
    }

    /// The parameters of the function of a map that is at this depth, when it is applied.
    pub(super) fn bind_map(&mut self, params: &[Var], arrays: &[Atom], accumulators: &[Atom], depth: usize) {
        let (elements, collectors) = params.split_at(arrays.len());
        elements.iter().zip(arrays).for_each(|(p, a)| self.bind_element(*p, *a, depth + 1));
        collectors.iter().zip(accumulators).for_each(|(p, a)| self.bind_like(*p, *a, depth + 1));
    }

    /// The operation that defines a variable, if it has no body.
    pub(super) fn op(&self, atom: Atom) -> Option<&Op> {
        let Atom::Var(var) = atom else { return None };
        self.known[var.0 as usize].op.as_deref()
    }

    /// The sizes of an array.
    pub(super) fn extents(&self, atom: Atom) -> &[Extent] {
        &self.extents[self.range(atom)]
    }

    /// The size that is this number.
    pub(super) fn extent(&self, number: Atom) -> Extent {
        match self.op(number) {
            Some(Op::Size(a, d)) => self.extents(*a)[*d],
            _ => Extent::Number(number),
        }
    }

    /// Records that an array has this size in a dimension; the size is visible where the array is.
    pub(super) fn refine(&mut self, var: Var, dimension: usize, extent: Extent) {
        let of = self.range(var.into());
        self.extents[of][dimension] = extent;
    }

    /// Whether a value is known to be zero. Neither sign of zero changes a sum, but for the sign of a zero sum.
    pub(super) fn is_zero(&self, atom: Atom) -> bool {
        match atom {
            Atom::Var(var) => self.known[var.0 as usize].zero,
            Atom::Const(c) => c == c.prim().zero(),
        }
    }

    /// How many bodies are around the definition of a value.
    pub(super) fn depth(&self, atom: Atom) -> usize {
        match atom {
            Atom::Var(var) => self.known[var.0 as usize].depth as usize,
            Atom::Const(_) => 0,
        }
    }

    /// Whether a value is visible in a body at this depth, from where it is used.
    pub(super) fn visible(&self, atom: Atom, depth: usize) -> bool {
        self.depth(atom) <= depth
    }

    /// Whether a size is visible in a body at this depth.
    pub(super) fn told(&self, extent: Extent, depth: usize) -> bool {
        self.visible(extent.atom(), depth)
    }

    /// Whether all sizes of a value are visible there.
    pub(super) fn shape_told(&self, atom: Atom, depth: usize) -> bool {
        self.extents(atom).iter().all(|e| self.told(*e, depth))
    }

    /// Learns what a statement says of its variables, after what is inside of it.
    pub(super) fn learn(&mut self, stm: &Stm, type_of: impl Fn(Var) -> Type, depth: usize) {
        let vars = &stm.vars;
        if let Op::Scalar(..) = stm.op {
            return self.set(vars[0], depth, self.extents.len());
        }
        vars.iter().for_each(|v| self.bind(*v, type_of(*v), depth));
        match &stm.op {
            Op::Map(map) => return self.learn_map(vars, map, depth),
            Op::Loop(it) => return self.learn_loop(vars, it, depth),
            Op::If(_, yes, no) => {
                for (k, var) in vars.iter().enumerate() {
                    let (yes, no) = (self.extents(yes.results[k]).to_vec(), self.extents(no.results[k]).to_vec());
                    let both = yes.into_iter().zip(no).map(|(a, b)| if a == b { Some(a) } else { None }).collect();
                    self.sizes(*var, both, depth);
                }
                return;
            }
            Op::Scan(it) => return vars.iter().zip(&it.arrays).for_each(|(v, a)| self.bind_like(*v, *a, depth)),
            Op::Hist(it) => return vars.iter().zip(&it.destinations).for_each(|(v, a)| self.bind_like(*v, *a, depth)),
            // No rule asks how a scalar was computed.
            Op::Scalar(..) | Op::Reduce(_) | Op::Custom(_) | Op::Agree(_) => return,
            _ => {}
        }
        if let Op::Update(array, at, value) = &stm.op {
            self.written.learn(vars[0], *array, at, *value);
        }
        let known = result_shape(&stm.op, &mut &*self).map_or_else(Sizes::new, |shape| shape.sizes);
        let zero = self.zero_of(&stm.op);
        self.sizes(vars[0], known, depth);
        let says_size = matches!(stm.op, Op::Size(..));
        let of = &mut self.known[vars[0].0 as usize];
        of.zero = zero;
        of.op = (says_size || !self.sizes_only).then(|| Box::new(stm.op.clone()));
    }

    /// Gives a variable those of these sizes that are known and visible at this depth.
    fn sizes(&mut self, var: Var, known: Sizes, depth: usize) {
        for (d, extent) in known.into_iter().enumerate() {
            if let Some(extent) = extent {
                self.size(var, d, extent, depth);
            }
        }
    }

    /// Gives a variable this size, if it is visible at this depth.
    fn size(&mut self, var: Var, dimension: usize, extent: Extent, depth: usize) {
        if self.told(extent, depth) {
            self.refine(var, dimension, extent);
        }
    }

    fn learn_map(&mut self, vars: &[Var], map: &Map, depth: usize) {
        let length = self.extents(map.arrays[0])[0];
        let values = vars.len() - map.accumulators.len();
        for (var, result) in vars[..values].iter().zip(&map.function.body.results) {
            self.size(*var, 0, length, depth);
            for (d, at) in self.range(*result).enumerate() {
                self.size(*var, d + 1, self.extents[at], depth);
            }
        }
        vars[values..].iter().zip(&map.accumulators).for_each(|(v, a)| self.bind_like(*v, *a, depth));
    }

    /// A loop variable has the sizes it started with if an iteration keeps them.
    fn learn_loop(&mut self, vars: &[Var], it: &Loop, depth: usize) {
        for (k, (var, (param, initial))) in vars.iter().zip(&it.params).enumerate() {
            let kept = |d: usize, after: &Extent| *after == Extent::Of((*param).into(), d);
            let (before, after) = (self.extents(*initial).to_vec(), self.extents(it.body.results[k]));
            let known = before.iter().enumerate().map(|(d, e)| kept(d, &after[d]).then_some(*e)).collect();
            self.sizes(*var, known, depth);
        }
    }

    fn zero_of(&self, op: &Op) -> bool {
        match op {
            Op::Replicate(_, a) | Op::Copy(a) | Op::Reverse(a) | Op::Permute(a, _) => self.is_zero(*a),
            Op::Reshape(a, _) | Op::Index(a, _) | Op::Slice(a, _) => self.is_zero(*a),
            _ => false,
        }
    }

    /// The value that an array is copies of, if it is known to be.
    pub(super) fn copied(&self, array: Atom) -> Option<Atom> {
        if let Some(Op::Replicate(_, value)) = self.op(array) { Some(*value) } else { None }
    }

    /// The constant that an operand is.
    pub(super) fn number(atom: Atom) -> Option<i64> {
        if let Atom::Const(Const::I64(n)) = atom { Some(n) } else { None }
    }
}

/// Sizes are those of arrays that are in scope, and numbers.
impl SizeDomain for &Facts {
    type Size = Extent;

    fn shape(&mut self, atom: Atom) -> Shape<Extent> {
        let sizes = self.extents(atom).iter().copied().map(Some).collect();
        Shape { sizes, number: Some(self.extent(atom)) }
    }

    fn constant(&mut self, n: usize) -> Extent {
        Extent::Number(index(i64::try_from(n).expect("a list is shorter than 2^63")))
    }

    fn sum(&mut self, _: Extent, _: Extent) -> Option<Extent> {
        None
    }
}
