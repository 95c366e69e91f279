//! The rule of `scan`.
//!
//! Law: `yᵢ = yᵢ₋₁ ⊙ aᵢ`, so the adjoints that reach `yᵢ` are the linear recurrence `gᵢ = ȳᵢ + Jᵢ₊₁ᵀ gᵢ₊₁` with
//! `Jᵢ₊₁ = ∂(yᵢ ⊙ aᵢ₊₁)/∂yᵢ`, and `āᵢ += ∂(yᵢ₋₁ ⊙ aᵢ)/∂aᵢ · gᵢ`. A recurrence is a scan of affine functions, here
//! from the right; for sums it is the suffix sum ("Reverse-mode AD of multi-reduce and scan in Futhark"). Operators on
//! arrays, and on many scalars, take the recurrence as a loop.

use super::Reverse;
use super::arrays::from_end;
use crate::array::{Atom, Lambda, Op, Reduce, ScalarOp, Type, Var, index};
use crate::transform::emit::Emit;
use crate::transform::operator::{Operator, recognise};

/// Affine functions of more scalars than this are more work than the parallel scan saves.
const COMPONENTS: usize = 4;

impl Reverse<'_, '_> {
    pub(super) fn scan(&mut self, vars: &[Var], it: &Reduce) {
        let target = self.target;
        let k = vars.len();
        if recognise(&it.operator) == Operator::Sums {
            for (var, array) in vars.iter().zip(&it.arrays) {
                if let (Some(seed), true) = (self.take(*var), self.active.atom(*array)) {
                    let sums = target.prefix_sums(target.one(Op::Reverse(seed)));
                    self.add(*array, target.one(Op::Reverse(sums)));
                }
            }
            return;
        }
        let prefixes: Vec<Atom> = vars.iter().map(|v| self.copier.atom((*v).into())).collect();
        let seeds: Vec<Atom> = vars.iter().map(|v| self.take_or_zero(*v)).collect();
        let (arrays, neutral) = (self.copier.atoms(&it.arrays), self.copier.atoms(&it.neutral));
        let wanted: Vec<usize> = (0..k).filter(|c| self.active.atom(it.arrays[*c])).collect();
        let size = target.size(arrays[0], 0);
        let function = &it.operator;
        let scalars = neutral.iter().all(|e| target.type_of(*e).rank == 0);
        let found = if scalars && k <= COMPONENTS {
            let reaching = self.recurrence(function, &prefixes, &arrays, &seeds, size);
            let inputs = [&[target.iota(size)], &arrays[..], &reaching].concat();
            self.each(&inputs, &[&function.body], &function.params, |reverse, x| {
                let (element, reaching) = x[1..].split_at(k);
                let left = reverse.before(&prefixes, &neutral, x[0]);
                let reaching: Vec<Option<Atom>> = reaching.iter().copied().map(Some).collect();
                let found = reverse.pullback(function, &[&left[..], element].concat(), &reaching);
                wanted.iter().map(|c| found[k + c].unwrap_or_else(|| target.zeros_like(element[*c]))).collect()
            })
        } else {
            let zeros = wanted.iter().map(|c| target.zeros_like(arrays[*c]));
            let initial: Vec<Atom> = neutral.iter().map(|e| target.zeros_like(*e)).chain(zeros).collect();
            let mut results =
                self.backwards(size, &initial, &[&function.body], &function.params, |reverse, j, carried| {
                    let i = from_end(target, size, j);
                    let (from_right, stores) = carried.split_at(k);
                    let reaching: Vec<Option<Atom>> = seeds
                        .iter()
                        .zip(from_right)
                        .map(|(seed, from_right)| Some(target.add(target.at(*seed, &[i]), *from_right)))
                        .collect();
                    let mut arguments = reverse.before(&prefixes, &neutral, i);
                    arguments.extend(arrays.iter().map(|a| target.at(*a, &[i])));
                    let found = reverse.pullback(function, &arguments, &reaching);
                    let zero = |c: usize| found[c].unwrap_or_else(|| target.zeros_like(arguments[c]));
                    let mut results: Vec<Atom> = (0..k).map(zero).collect();
                    for (c, store) in wanted.iter().zip(stores) {
                        results.push(target.one(Op::Update(*store, vec![i], zero(k + c))));
                    }
                    results
                });
            results.split_off(k)
        };
        for (c, adjoint) in wanted.iter().zip(found) {
            self.add(it.arrays[*c], adjoint);
        }
    }

    /// The adjoints that reach each prefix, from those of the results, `seeds`.
    fn recurrence(
        &mut self,
        function: &Lambda,
        prefixes: &[Atom],
        arrays: &[Atom],
        seeds: &[Atom],
        size: Atom,
    ) -> Vec<Atom> {
        let (target, k) = (self.target, seeds.len());
        let types: Vec<Type> = seeds.iter().map(|s| target.type_of(*s).element()).collect();
        let zero = |c: usize| Atom::Const(types[c].prim.zero());
        let one = |c: usize| Atom::Const(types[c].prim.one());
        // For each position the matrix that takes the adjoint of the next prefix to this one's: row by row.
        let numbers = target.iota(size);
        let last = target.indices(ScalarOp::Add, size, index(-1));
        let inputs = [&[numbers], prefixes].concat();
        let matrices = target.map(&inputs, |x| {
            let (i, prefix) = (x[0], &x[1..]);
            let is_last = target.scalar(ScalarOp::Equal, &[i, last]);
            let nothing = || (0..k * k).map(|at| zero(at / k)).collect();
            let transposed = || {
                let next = target.indices(ScalarOp::Add, i, index(1));
                let element: Vec<Atom> = arrays.iter().map(|a| target.at(*a, &[next])).collect();
                let arguments = [prefix, &element[..]].concat();
                let column = |reverse: &mut Self, c: usize| {
                    let unit: Vec<Option<Atom>> = (0..k).map(|d| (c == d).then(|| one(c))).collect();
                    reverse.pullback(function, &arguments, &unit)
                };
                let columns: Vec<_> = self.apart(|reverse| (0..k).map(|c| column(reverse, c)).collect());
                (0..k * k).map(|at| columns[at % k][at / k].unwrap_or_else(|| zero(at / k))).collect()
            };
            target.choose(is_last, nothing, transposed)
        });

        let backwards = |a: &Atom| target.one(Op::Reverse(*a));
        let elements: Vec<Atom> = seeds.iter().chain(&matrices).map(backwards).collect();
        let mut neutral: Vec<Atom> = (0..k).map(zero).collect();
        neutral.extend((0..k * k).map(|at| if at / k == at % k { one(at / k) } else { zero(at / k) }));
        let entries: Vec<Type> = (0..k).chain((0..k * k).map(|at| at / k)).map(|c| types[c]).collect();
        let operator = target.lambda(&[&entries[..], &entries].concat(), |x| {
            // First the function of the later element, `x ↦ c₁ + A₁ x`, then that of the earlier.
            let number = |a: &Atom| Emit::operand(target, *a);
            let x: Vec<Emit<'_>> = x.iter().map(number).collect();
            let (first, second) = x.split_at(k + k * k);
            let ((c1, a1), (c2, a2)) = (first.split_at(k), second.split_at(k));
            let mut results: Vec<Emit<'_>> =
                (0..k).map(|r| (0..k).fold(c2[r], |sum, m| sum + a2[r * k + m] * c1[m])).collect();
            for (r, c) in (0..k * k).map(|at| (at / k, at % k)) {
                results.push((0..k).map(|m| a2[r * k + m] * a1[m * k + c]).reduce(|a, b| a + b).expect("k is not 0"));
            }
            results.iter().zip(&entries).map(|(x, of)| x.atom(of.prim)).collect()
        });
        let scan = Reduce { operator, neutral, arrays: elements, commutative: false };
        let solved = target.emit(Op::Scan(Box::new(scan)));
        solved[..k].iter().map(backwards).collect()
    }
}
