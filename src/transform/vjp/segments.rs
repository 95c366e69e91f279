//! The general rule of `hist`: values are sorted by their bins, and each bin is a reduction of a segment.
//!
//! Law: what was in a bin comes before its values, so that `y = d ⊙ v₁ ⊙ … ⊙ vₘ`; with `lᵢ` and `rᵢ` what is to the
//! left and to the right in the segment, `v̄ᵢ += ∂(lᵢ ⊙ vᵢ ⊙ rᵢ)/∂vᵢ · ȳ` ("Reverse AD for a Functional Array
//! Language", *Differentiating General-Case Reduce-By-Index*). All `l` and all `r` are two segmented scans, in which
//! neutral elements are not combined with; values of no bin are segments of their own, whose adjoint is 0
//! (tests/transform/operators.rs).

use super::Reverse;
use super::arrays::read_within;
use super::combine::{Combined, exclusive};
use crate::array::{Atom, Const, IntegerRow, Lambda, Op, Prim, ScalarOp, Type, index, sorted};
use crate::optimise::operator::{Operator, recognise};
use crate::transform::copy::Copier;
use crate::transform::operator::applied;
use crate::transform::target::Target;

/// Sorted elements, each with whether it is the first or last of its segment.
#[derive(Clone, Copy)]
struct Ends {
    first: Atom,
    last: Atom,
}

impl Reverse<'_, '_> {
    /// The adjoints of destinations and of values.
    pub(super) fn hist_by_sorting(
        &mut self,
        it: &Combined,
        destinations: &[Atom],
        wanted: &[bool],
        indices: Atom,
        seeds: &[Option<Atom>],
    ) -> Vec<Option<Atom>> {
        let (target, k) = (self.target, seeds.len());
        let (bins, count) = (target.size(destinations[0], 0), target.size(indices, 0));
        let seed = |c: usize| seeds[c].unwrap_or_else(|| target.zeros_like(destinations[c]));
        let values = it.arrays.clone();
        let without: Vec<Atom> = (0..k).map(seed).chain(values.iter().map(|v| target.zeros_like(*v))).collect();
        self.where_any(it, &[bins, count], &without, |reverse| {
            let (order, ends, keys) = by_bins(reverse.target, bins, indices);
            let joined: Vec<Atom> =
                destinations.iter().zip(&values).map(|(d, v)| target.one(Op::Concat(vec![*d, *v]))).collect();
            let arrays = joined.iter().map(|all| target.map1(&[order], |i| target.at(*all, i))).collect();
            let either: Vec<bool> = wanted.iter().zip(&it.wanted).map(|(d, v)| *d || *v).collect();
            let segments = Combined { arrays, wanted: either, ..it.clone() };
            let row = |(seed, e): (&Option<Atom>, &Atom)| {
                let seed = (*seed)?;
                Some(target.map1(&[keys], |x| read_within(target, seed, x, || target.zeros_like(*e))))
            };
            let reaching: Vec<Option<Atom>> = seeds.iter().zip(&it.neutral).map(row).collect();
            let found = reverse.segments(&segments, ends, &reaching);
            // Back to where they were.
            let (mut of_destinations, mut of_values) = (vec![None; k], vec![None; k]);
            for (c, values) in found.into_iter().enumerate() {
                let Some(values) = values else { continue };
                let destination = target.zeros_like(joined[c]);
                let all = target.scattered(destination, order, values);
                of_destinations[c] = wanted[c].then(|| target.part(all, index(0), bins));
                of_values[c] = it.wanted[c].then(|| target.part(all, bins, count));
            }
            [of_destinations, of_values].concat()
        })
    }

    /// The adjoints of elements that are reduced by segments, from the adjoint of the segment of each.
    fn segments(&mut self, it: &Combined, ends: Ends, seeds: &[Option<Atom>]) -> Vec<Option<Atom>> {
        let (target, k) = (self.target, seeds.len());
        let size = target.size(ends.first, 0);
        let kind = recognise(&it.operator);
        if let Operator::Elementwise(inner) = kind {
            return self
                .columns(it, inner, seeds, &[], |reverse, column, seeds, _| reverse.segments(column, ends, seeds));
        }
        let upto = segmented(&mut self.copier, it, ends.first, &it.arrays, false);
        let lefts = exclusive(target, &upto, &it.neutral, size);
        let reaching: Vec<Option<Atom>> = if let (Operator::Product, [Some(seed)]) = (&kind, seeds) {
            // The product of the adjoint of the segment and of all that is behind an element.
            let next = target.shifted(it.arrays[0], it.neutral[0], size);
            let factors =
                target.map1(&[ends.last, *seed, next], |x| target.choose(x[0], || vec![x[1]], || vec![x[2]])[0]);
            segmented(&mut self.copier, it, ends.last, &[factors], true).into_iter().map(Some).collect()
        } else {
            let suffixes = segmented(&mut self.copier, it, ends.last, &it.arrays, true);
            let rights: Vec<Atom> =
                suffixes.iter().zip(&it.neutral).map(|(s, e)| target.shifted(*s, *e, size)).collect();
            let given: Vec<Atom> = seeds.iter().flatten().copied().collect();
            let inputs = [&[ends.last], &upto[..], &rights, &given].concat();
            let found = target.map(&inputs, |x| {
                let (operands, given) = x[1..].split_at(2 * k);
                let mut given = given.iter().copied();
                let seeds: Vec<Option<Atom>> = seeds.iter().map(|s| s.and_then(|_| given.next())).collect();
                let zero = |c: usize| target.zeros_like(operands[c]);
                target.choose(
                    x[0],
                    || (0..k).map(|c| seeds[c].unwrap_or_else(|| zero(c))).collect(),
                    || {
                        let found = self.apart(|reverse| reverse.pullback(&it.operator, operands, &seeds));
                        (0..k).map(|c| found[c].unwrap_or_else(|| zero(c))).collect()
                    },
                )
            });
            found.into_iter().map(Some).collect()
        };
        self.elements(it, &lefts, &reaching, Some(ends.first))
    }
}

/// What is combined in each segment up to each element, from the left or from the right.
fn segmented(copier: &mut Copier<'_, '_>, it: &Combined, starts: Atom, arrays: &[Atom], from_right: bool) -> Vec<Atom> {
    let target = copier.target;
    let order = |array: Atom| if from_right { target.reversed(array) } else { array };
    let inputs: Vec<Atom> = core::iter::once(starts).chain(arrays.iter().copied()).map(order).collect();
    let no = Atom::Const(Const::Bool(false));
    let operator = restarting(copier, &it.operator, from_right);
    let neutral = [&[no], &it.neutral[..]].concat();
    target.scan(operator, neutral, inputs)[1..].iter().map(|a| order(*a)).collect()
}

/// An operator that forgets what is to the left where a truth value says that a segment starts; or, if flipped, what is
/// to the right, and takes its operands from right to left.
fn restarting(copier: &mut Copier<'_, '_>, operator: &Lambda, flipped: bool) -> Lambda {
    let k = operator.params.len() / 2;
    let types = operator.params[..k].iter().map(|p| copier.source.type_of(*p));
    let side: Vec<Type> = core::iter::once(Type::scalar(Prim::Bool)).chain(types).collect();
    let target = copier.target;
    target.lambda(&[&side[..], &side].concat(), |x| {
        let ((started, left), (starts, right)) = ((x[0], &x[1..=k]), (x[k + 1], &x[k + 2..]));
        let any = target.scalar(ScalarOp::Add, &[started, starts]);
        let (first, second) = if flipped { (right, left) } else { (left, right) };
        let combined = target.choose(starts, || right.to_vec(), || applied(copier, operator, first, second));
        [&[any], &combined[..]].concat()
    })
}

/// The order of destinations and then values by bins, where segments end, and the bins in this order.
fn by_bins(target: &Target, bins: Atom, indices: Atom) -> (Atom, Ends, Atom) {
    let of_values =
        target.map1(&[indices], |x| target.choose(target.within(x[0], bins), || vec![x[0]], || vec![bins])[0]);
    let all = target.one(Op::Concat(vec![target.iota(bins), of_values]));
    let size = target.size(all, 0);
    // The bin of none is one more.
    let zeros = target.scalar(ScalarOp::Integer(IntegerRow::LeadingZeros), &[bins]);
    let bits = target.scalar(ScalarOp::Integer(IntegerRow::Sub), &[index(i64::BITS.into()), zeros]);
    let [keys, order] = target.write(|builder| sorted(builder, all, bits));
    let before = target.part(target.with_front(index(-1), keys), index(0), size);
    let after = target.shifted(keys, index(-1), size);
    let ends = |neighbours: Atom| {
        target.map1(&[keys, neighbours], |x| {
            let changes = target.scalar(ScalarOp::Not, &[target.scalar(ScalarOp::Equal, x)]);
            let outside = target.scalar(ScalarOp::Equal, &[x[0], bins]);
            target.scalar(ScalarOp::Add, &[changes, outside])
        })
    };
    (order, Ends { first: ends(before), last: ends(after) }, keys)
}
