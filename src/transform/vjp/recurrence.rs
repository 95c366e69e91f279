//! Linear recurrences of adjoints, solved by a scan from the right.
//!
//! Law: `gᵢ = ȳᵢ + Jᵢ₊₁ᵀ gᵢ₊₁`, where `Jᵢ = ∂(lᵢ ⊙ aᵢ)/∂lᵢ`, is solved with as much work as the scan itself times a
//! constant (tests/transform/operators.rs, laws: array_reductions).
//!
//! There are two ways, and neither requires that the initial value of `⊙` is neutral:
//!
//! - Affine functions `x ↦ c + A x` compose associatively, and have a neutral element whatever `⊙` is. Of the matrices
//!   only those entries are carried that can be other than 0, and of entries that are always equal but one, so that
//!   `A = c·1` is one number, and a product of matrices one matrix for all its rows ("Reverse-mode AD of multi-reduce and
//!   scan in Futhark").
//! - Otherwise elements are combined with the operator itself, and adjoints are pulled through what was combined; no
//!   matrix is needed ("Parallelism-preserving automatic differentiation for second-order array languages").
//!
//! Where only the last `ȳᵢ` is not 0, as of a reduction, `gᵢ = Jᵢ₊₁ᵀ ⋯ Jₙ₋₁ᵀ ȳ` needs products of matrices alone, and the
//! second way is `gᵢ = ∂(lᵢ₊₁ ⊙ rᵢ)/∂lᵢ₊₁ᵀ ȳ`, where `rᵢ = aᵢ₊₁ ⊙ ⋯ ⊙ aₙ₋₁` begins with the last element.

use rustc_hash::FxHashMap;

use super::Reverse;
use super::combine::{Combined, exclusive, flipped};
use crate::array::{Atom, IntegerRow, Lambda, Op, Prim, ScalarOp, Type, index, statements};
use crate::transform::emit::Emit;
use crate::transform::operator::applied;
use crate::transform::target::Target;

const HAS_DIMENSION: &str = "a recurrence has a dimension";

/// The matrices of a recurrence, and arrays of those entries that differ.
struct Matrices {
    prim: Prim,
    dimension: usize,
    /// For each entry, row by row, what it always is or which array has it.
    entries: Vec<Entry>,
    /// For each array an entry that it has.
    representatives: Vec<usize>,
    arrays: Vec<Atom>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Entry {
    Zero,
    One,
    Array(usize),
}

impl Reverse<'_, '_> {
    /// The adjoints that reach each prefix, from those of the results, `seeds`.
    pub(super) fn recurrence(
        &mut self,
        it: &Combined,
        lefts: &[Atom],
        prefixes: &[Atom],
        seeds: &[Option<Atom>],
        size: Atom,
    ) -> Vec<Option<Atom>> {
        let (felt, matrices) = self.steps(it, lefts, seeds);
        let first: Vec<Atom> =
            felt.iter().map(|c| seeds[*c].unwrap_or_else(|| self.target.zeros_like(prefixes[*c]))).collect();
        let found = match matrices {
            Some(matrices) => matrices.affine(self.target, &first, size),
            None if felt.is_empty() => Vec::new(),
            None => self.lifted(it, prefixes, &felt, &first, size),
        };
        let mut reaching = seeds.to_vec();
        felt.iter().zip(found).for_each(|(c, found)| reaching[*c] = Some(found));
        reaching
    }

    /// The adjoints that reach each prefix, where these, `seeds`, are those of the last prefix, and others have none. Of
    /// arrays of arrays there is a last prefix.
    pub(super) fn starting_at_last(
        &mut self,
        it: &Combined,
        lefts: &[Atom],
        prefixes: &[Atom],
        seeds: &[Option<Atom>],
        size: Atom,
    ) -> Vec<Option<Atom>> {
        let target = self.target;
        let (felt, matrices) = self.steps(it, lefts, seeds);
        let last: Vec<Atom> =
            felt.iter().map(|c| seeds[*c].unwrap_or_else(|| target.zeros_like(it.neutral[*c]))).collect();
        let found = match matrices {
            Some(matrices) => matrices.products(target, &last, size),
            None if felt.is_empty() => Vec::new(),
            None => self.suffixes(it, prefixes, &felt, &last, size),
        };
        let mut reaching: Vec<Option<Atom>> = vec![None; seeds.len()];
        felt.iter().zip(found).for_each(|(c, found)| reaching[*c] = Some(found));
        for (c, seed) in seeds.iter().enumerate().filter(|(c, _)| !felt.contains(c)) {
            let fewer = fewer(target, size);
            let alone = |seed| with_last(target, target.one(Op::Replicate(fewer, target.zeros_like(seed))), seed, size);
            reaching[c] = seed.map(alone);
        }
        reaching
    }

    /// The components of left operands that matter and that adjoints reach from the seeds, so that the adjoints of others are
    /// the seeds; and the matrices of these if they are the way of less work.
    fn steps(&mut self, it: &Combined, lefts: &[Atom], seeds: &[Option<Atom>]) -> (Vec<usize>, Option<Matrices>) {
        let mut felt: Vec<usize> = (0..seeds.len()).filter(|c| self.active.var(it.operator.params[*c])).collect();
        let mut matrices = self.matrices(it, lefts, &felt);
        if let Some(all) = &matrices {
            let seeded: Vec<bool> = felt.iter().map(|c| seeds[*c].is_some()).collect();
            let reached = all.reached(seeded);
            if reached.contains(&false) {
                felt = felt.into_iter().zip(reached).filter(|(_, reached)| *reached).map(|(c, _)| c).collect();
                matrices = self.matrices(it, lefts, &felt);
            }
        }
        (felt, matrices.filter(|matrices| matrices.work() <= lifted_work(&it.operator)))
    }

    /// The transposed Jacobians of the operator by its left operands, if these are scalars of one kind.
    fn matrices(&mut self, it: &Combined, lefts: &[Atom], felt: &[usize]) -> Option<Matrices> {
        let (target, d) = (self.target, felt.len());
        let of = target.type_of(*it.neutral.get(*felt.first()?)?);
        if of.rank > 0 || felt.iter().any(|c| target.type_of(it.neutral[*c]) != of) {
            return None;
        }
        let (mut entries, mut representatives) = (Vec::new(), Vec::new());
        let inputs = [lefts, &it.arrays].concat();
        // Entries that are operands as they are need no map.
        let mut operands = Vec::new();
        let mut arrays = target.map(&inputs, |x| {
            let unit = |c: usize| -> Vec<Option<Atom>> {
                (0..lefts.len()).map(|n| (n == c).then(|| of.prim.one().into())).collect()
            };
            let columns: Vec<Vec<Option<Atom>>> =
                self.apart(|reverse| felt.iter().map(|c| reverse.pullback(&it.operator, x, &unit(*c))).collect());
            let atoms: Vec<Atom> =
                (0..d * d).map(|at| columns[at % d][felt[at / d]].unwrap_or(of.prim.zero().into())).collect();
            (entries, representatives) = classes(&atoms, d, of.prim);
            let entries: Vec<Atom> = representatives.iter().map(|at| atoms[*at]).collect();
            operands = entries.iter().map(|a| x.iter().position(|x| x == a)).collect();
            entries
        });
        for (array, operand) in arrays.iter_mut().zip(operands) {
            *array = operand.map_or(*array, |n: usize| inputs[n]);
        }
        Some(Matrices { prim: of.prim, dimension: d, entries, representatives, arrays })
    }

    /// The recurrence from its last adjoint, pulled back through all that is combined after each prefix.
    fn suffixes(&mut self, it: &Combined, prefixes: &[Atom], felt: &[usize], last: &[Atom], size: Atom) -> Vec<Atom> {
        let (target, k) = (self.target, prefixes.len());
        let fewer = fewer(target, size);
        let end = |(array, e): (&Atom, &Atom)| target.at(target.with_front(*e, *array), &[size]);
        let end: Vec<Atom> = it.arrays.iter().zip(&it.neutral).map(end).collect();
        let before = it.arrays.iter().map(|a| target.reversed(target.part(*a, index(0), fewer))).collect();
        let operator = flipped(&mut self.copier, &it.operator);
        let suffixes = target.scan(operator, end.clone(), before);
        let rights = exclusive(target, &suffixes, &end, fewer).into_iter().map(|a| target.reversed(a));
        let inputs: Vec<Atom> = prefixes.iter().map(|p| target.part(*p, index(0), fewer)).chain(rights).collect();
        let mut seeds = vec![None; k];
        felt.iter().zip(last).for_each(|(c, seed)| seeds[*c] = Some(*seed));
        let found = target.map(&inputs, |x| {
            let found = self.apart(|reverse| reverse.pullback(&it.operator, x, &seeds));
            felt.iter().map(|c| found[*c].unwrap_or_else(|| target.zeros_like(x[*c]))).collect()
        });
        found.into_iter().zip(last).map(|(found, last)| with_last(target, found, *last, size)).collect()
    }

    /// The recurrence as a scan of elements with the adjoints that reach them.
    fn lifted(&mut self, it: &Combined, prefixes: &[Atom], felt: &[usize], seeds: &[Atom], size: Atom) -> Vec<Atom> {
        let (target, k, d) = (self.target, prefixes.len(), felt.len());
        // Up to each prefix, what is combined with it next, and the adjoint.
        let next: Vec<Atom> =
            it.arrays.iter().zip(&it.neutral).map(|(array, e)| target.shifted(*array, *e, size)).collect();
        let arrays: Vec<Atom> = prefixes.iter().chain(&next).chain(seeds).map(|a| target.reversed(*a)).collect();
        let zeros = felt.iter().map(|c| target.zeros_like(it.neutral[*c]));
        let neutral: Vec<Atom> = it.neutral.iter().chain(&it.neutral).copied().chain(zeros).collect();
        let types: Vec<Type> = arrays.iter().map(|a| target.type_of(*a).element()).collect();
        let operator = target.lambda(&[&types[..], &types].concat(), |x| {
            let (later, earlier) = x.split_at(2 * k + d);
            let mut reaching = vec![None; k];
            felt.iter().zip(&later[2 * k..]).for_each(|(c, adjoint)| reaching[*c] = Some(*adjoint));
            let pulled = self.apart(|reverse| reverse.pullback(&it.operator, &earlier[..2 * k], &reaching));
            let combined = applied(&mut self.copier, &it.operator, &earlier[k..2 * k], &later[k..2 * k]);
            let sum = |(c, adjoint): (&usize, &Atom)| pulled[*c].map_or(*adjoint, |p| target.add(*adjoint, p));
            let adjoints = felt.iter().zip(&earlier[2 * k..]).map(sum);
            earlier[..k].iter().copied().chain(combined).chain(adjoints).collect()
        });
        let solved = target.scan(operator, neutral, arrays);
        solved[2 * k..].iter().map(|a| target.reversed(*a)).collect()
    }
}

/// The array with one element more at the end, cut to a size.
fn with_last(target: &Target, array: Atom, last: Atom, size: Atom) -> Atom {
    target.part(target.with_back(array, last), index(0), size)
}

/// How many elements have something to their right.
fn fewer(target: &Target, size: Atom) -> Atom {
    target.indices(IntegerRow::Max, target.indices(ScalarOp::Add, size, index(-1)), index(0))
}

impl Matrices {
    /// The recurrence as a scan of affine functions.
    fn affine(&self, target: &Target, seeds: &[Atom], size: Atom) -> Vec<Atom> {
        let d = self.dimension;
        let zero: Atom = self.prim.zero().into();
        // The matrix that takes the adjoint of one prefix to that of the one before it.
        let backwards: Vec<Atom> = self.arrays.iter().map(|a| target.reversed(*a)).collect();
        let steps = exclusive(target, &backwards, &vec![zero; backwards.len()], size);
        let elements: Vec<Atom> = seeds.iter().map(|s| target.reversed(*s)).chain(steps).collect();
        let neutral: Vec<Atom> = core::iter::repeat_n(zero, d).chain(self.identity()).collect();
        let operator = target.lambda(&vec![Type::scalar(self.prim); 2 * elements.len()], |x| {
            let ((c1, a1), (c2, a2)) = halves(target, x, d);
            let vector = self.applied(&a2, &c1).into_iter().zip(c2).map(|(x, c)| c + x);
            vector.chain(self.product(&a1, &a2)).map(|x| x.atom(self.prim)).collect()
        });
        let solved = target.scan(operator, neutral, elements);
        solved[..d].iter().map(|a| target.reversed(*a)).collect()
    }

    /// The recurrence from its last adjoint, by products of the matrices after each prefix.
    fn products(&self, target: &Target, last: &[Atom], size: Atom) -> Vec<Atom> {
        let d = self.dimension;
        if self.arrays.is_empty() {
            return last.iter().map(|g| target.one(Op::Replicate(size, *g))).collect();
        }
        let neutral = self.identity();
        // A number commutes with numbers, so that the adjoint may be the first of the factors.
        let first = if d == 1 { last } else { &neutral };
        let backwards: Vec<Atom> = self.arrays.iter().map(|a| target.reversed(*a)).collect();
        let arrays = exclusive(target, &backwards, first, size);
        let operator = target.lambda(&vec![Type::scalar(self.prim); 2 * arrays.len()], |x| {
            let ((_, a1), (_, a2)) = halves(target, x, 0);
            self.product(&a1, &a2).into_iter().map(|x| x.atom(self.prim)).collect()
        });
        let found = target.scan(operator, neutral.clone(), arrays).into_iter().map(|a| target.reversed(a));
        let found: Vec<Atom> = found.collect();
        if d == 1 {
            return found;
        }
        target.map(&found, |x| {
            let operands = |atoms: &[Atom]| atoms.iter().map(|a| Emit::operand(target, *a)).collect::<Vec<_>>();
            self.applied(&operands(x), &operands(last)).into_iter().map(|x| x.atom(self.prim)).collect()
        })
    }

    /// Of each array the entry of the matrix that leaves vectors as they are.
    fn identity(&self) -> Vec<Atom> {
        let (d, prim) = (self.dimension, self.prim);
        let entry = |at: &usize| Atom::from(if at / d == at % d { prim.one() } else { prim.zero() });
        self.representatives.iter().map(entry).collect()
    }

    /// A matrix times a vector.
    fn applied<'t>(&self, matrix: &[Emit<'t>], vector: &[Emit<'t>]) -> Vec<Emit<'t>> {
        let d = self.dimension;
        let term = |r: usize, m: usize| self.entry(matrix, r * d + m) * vector[m];
        let row = |r: usize| (0..d).map(|m| term(r, m)).reduce(|a, b| a + b);
        (0..d).map(|r| row(r).expect(HAS_DIMENSION)).collect()
    }

    /// Of each array the entry of the matrix that is `first` and then `second`.
    fn product<'t>(&self, first: &[Emit<'t>], second: &[Emit<'t>]) -> Vec<Emit<'t>> {
        let d = self.dimension;
        let entry = |at: &usize| {
            let term = |m: usize| self.entry(second, at / d * d + m) * self.entry(first, m * d + at % d);
            (0..d).map(term).reduce(|a, b| a + b).expect(HAS_DIMENSION)
        };
        self.representatives.iter().map(entry).collect()
    }

    /// An entry of the matrix whose arrays have these elements.
    fn entry<'t>(&self, elements: &[Emit<'t>], at: usize) -> Emit<'t> {
        match self.entries[at] {
            Entry::Zero => Emit::Known(0.0),
            Entry::One => Emit::Known(1.0),
            Entry::Array(n) => elements[n],
        }
    }

    /// The components that adjoints reach from these.
    fn reached(&self, mut reached: Vec<bool>) -> Vec<bool> {
        // Entries are those of all products of the matrices, so one step is enough.
        let d = self.dimension;
        let from = reached.clone();
        for at in (0..d * d).filter(|at| self.entries[*at] != Entry::Zero) {
            reached[at / d] |= from[at % d];
        }
        reached
    }

    /// How many operations that is.
    fn work(&self) -> usize {
        let d = self.dimension;
        let present = |at: usize| usize::from(self.entries[at] != Entry::Zero);
        let vector: usize = (0..d * d).map(|at| 2 * present(at)).sum();
        let terms = |at: &usize| (0..d).map(|m| present(at / d * d + m) * present(m * d + at % d)).sum::<usize>();
        vector + self.representatives.iter().map(|at| 2 * terms(at)).sum::<usize>()
    }
}

/// Numbers of an affine function: its vector, and then its matrix.
type Affine<'t> = (Vec<Emit<'t>>, Vec<Emit<'t>>);

/// The operands of an operator on affine functions of this dimension.
fn halves<'t>(target: &'t Target, x: &[Atom], dimension: usize) -> (Affine<'t>, Affine<'t>) {
    let of = |half: &[Atom]| {
        let mut vector: Vec<Emit<'_>> = half.iter().map(|a| Emit::operand(target, *a)).collect();
        let matrix = vector.split_off(dimension);
        (vector, matrix)
    };
    let (first, second) = x.split_at(x.len() / 2);
    (of(first), of(second))
}

/// About how many operations a step takes where no matrices are used.
fn lifted_work(operator: &Lambda) -> usize {
    3 * statements(&operator.body) + operator.params.len()
}

/// What is known of the entries of products of matrices with these entries; those that are not always 0 or 1 fall into
/// classes of equals, of which one entry each is answered too.
///
/// Classes are refined until they are kept by products: entries of one class are then sums of the same products.
fn classes(atoms: &[Atom], d: usize, prim: Prim) -> (Vec<Entry>, Vec<usize>) {
    let (zero, one) = (Atom::from(prim.zero()), Atom::from(prim.one()));
    let is_diagonal = |at: usize| at / d == at % d;
    let mut present: Vec<bool> = (0..d * d).map(|at| is_diagonal(at) || atoms[at] != zero).collect();
    for m in 0..d {
        for at in 0..d * d {
            present[at] |= present[at / d * d + m] && present[m * d + at % d];
        }
    }
    let alone = |r: usize| (0..d).all(|m| m == r || !(present[r * d + m] && present[m * d + r]));
    let fixed = |at: usize| match present[at] {
        false => Some(Entry::Zero),
        true if is_diagonal(at) && atoms[at] == one && alone(at / d) => Some(Entry::One),
        true => None,
    };
    let numbered = |keys: Vec<String>| -> (Vec<Entry>, Vec<usize>) {
        let (mut representatives, mut known) = (Vec::new(), FxHashMap::default());
        let entries = (0..d * d).map(|at| {
            fixed(at).unwrap_or_else(|| {
                Entry::Array(*known.entry(&keys[at]).or_insert_with(|| {
                    representatives.push(at);
                    representatives.len() - 1
                }))
            })
        });
        (entries.collect(), representatives)
    };
    let first = (0..d * d).map(|at| format!("{} {:?}", is_diagonal(at), atoms[at])).collect();
    let (mut entries, mut representatives) = numbered(first);
    loop {
        let refined = (0..d * d).map(|at| {
            let mut terms: Vec<(Entry, Entry)> =
                (0..d).map(|m| (entries[at / d * d + m], entries[m * d + at % d])).collect();
            terms.retain(|(a, b)| *a != Entry::Zero && *b != Entry::Zero);
            terms.sort_unstable();
            format!("{:?} {terms:?}", entries[at])
        });
        let (finer, of_finer) = numbered(refined.collect());
        if of_finer.len() == representatives.len() {
            return (entries, representatives);
        }
        (entries, representatives) = (finer, of_finer);
    }
}
