//! The type of every operation, in one place: the kinds, ranks and sizes of its results, and the sizes that it compares.
//!
//! Law: what is known of results follows from what is known of operands in one way, whatever is known: their types while programs
//! are built and verified, their sizes as terms where they are rewritten, as operands of code where they are lowered, as
//! numbers where they are interpreted (laws: array_sizes::sizes_hold, tests/array/text.rs, tests/transform/sizes.rs).

use core::slice::from_ref;
use smallvec::{SmallVec, smallvec};

use super::agree::{Agreement, Extent};
use super::infer::{Checks, INDEX, Reason, TRUTH};
use super::operation::{Agree, Hist, Loop, Map, Op, Operands, Scatter};
use super::program::{Atom, Body, Lambda};
use super::scalar::ScalarOp;
use super::types::{Prim, Type};

/// What is known of a value: its type, or its sizes.
pub(crate) trait Known: Clone {
    /// What is known of a size.
    type Size: Clone;

    /// A scalar of this kind.
    fn scalar(kind: Prim) -> Self;

    /// The sizes, outermost first.
    fn sizes(&self) -> SmallVec<[Self::Size; 2]>;

    /// An array of the same elements and of these sizes.
    fn with(&self, sizes: impl IntoIterator<Item = Self::Size>) -> Self;

    /// The same as an accumulator, or as an array.
    fn accumulating(self, accumulator: bool) -> Self;

    /// What an index into that count of leading dimensions leaves.
    fn inner(self, leading: usize) -> Self;

    /// An array of this length of these.
    fn arrayed(self, length: Self::Size) -> Self;
}

/// What is known of a size in a domain.
type SizeIn<D> = <<D as Typing>::Value as Known>::Size;

/// What is known of the results of an operation, of which most have one.
pub(crate) type Results<D> = SmallVec<[<D as Typing>::Value; 2]>;

/// What is known of values, and how it goes through the bodies of operations.
pub(crate) trait Typing {
    /// What is known of a value.
    type Value: Known;
    /// Why there is nothing to be known.
    type Wrong;

    /// What is known of an operand.
    fn of(&mut self, atom: Atom) -> Self::Value;

    /// The size that an integer is.
    fn size(&mut self, number: Atom) -> SizeIn<Self>;

    /// The size that is this number.
    fn constant(&mut self, n: usize) -> SizeIn<Self>;

    /// The size of two arrays, one after the other.
    fn sum(&mut self, a: SizeIn<Self>, b: SizeIn<Self>) -> SizeIn<Self>;

    /// An integer that is this size.
    fn number(&mut self, size: SizeIn<Self>) -> Self::Value;

    /// What is known of the result of a scalar operation.
    fn scalar(&mut self, op: ScalarOp, operands: &[Atom]) -> Result<Self::Value, Self::Wrong>;

    /// What is known of the results of a function, from what is known of its arguments.
    fn apply(&mut self, function: &Lambda, arguments: Results<Self>) -> Result<Results<Self>, Self::Wrong>;

    /// What is known of the results of a map's function.
    fn rows(&mut self, map: &Map) -> Result<Results<Self>, Self::Wrong> {
        let mut arguments: Results<Self> = map.arrays.iter().map(|a| self.of(*a).inner(1)).collect();
        arguments.extend(map.accumulators.iter().map(|a| self.of(*a)));
        self.apply(&map.function, arguments)
    }

    /// What is known of the results of one of two bodies.
    fn branches(&mut self, yes: &Body, no: &Body) -> Result<Results<Self>, Self::Wrong>;

    /// What is known of the variables of a loop before and after each iteration.
    fn repeat(&mut self, it: &Loop) -> Result<Results<Self>, Self::Wrong>;

    /// What is known of what an operator combines, from its neutral element.
    fn combined(&mut self, neutral: Atom) -> Self::Value;

    /// Checks types, where they are not known to be right.
    fn check<T>(&mut self, _: impl FnOnce(&Checks<'_>) -> Result<T, Reason>) -> Result<(), Self::Wrong> {
        Ok(())
    }

    /// Checks that an operand is of the same type as another value.
    fn fits(&mut self, _what: &str, _: Atom, _wanted: &Self::Value) -> Result<(), Self::Wrong> {
        Ok(())
    }

    /// Whether it is of interest what is compared.
    fn compares(&self) -> bool {
        false
    }

    /// Sizes whose products are compared, and whether that is for an array which is kept.
    fn compare(&mut self, _: Agreement, _first: &[SizeIn<Self>], _second: &[SizeIn<Self>], _kept: bool) {}

    /// What an assertion compares.
    fn assertion(&mut self, _: &Agree) {}

    /// Whether this one of an operation's arrays is kept.
    fn kept(&self, _: usize) -> bool {
        true
    }

    /// What is known of operands.
    fn all(&mut self, atoms: &[Atom]) -> Results<Self> {
        atoms.iter().map(|a| self.of(*a)).collect()
    }

    fn length(&mut self, what: &str, number: Atom) -> Result<SizeIn<Self>, Self::Wrong> {
        self.check(|c| c.expect(what, number, INDEX))?;
        Ok(self.size(number))
    }

    fn value(&mut self, what: &str, atom: Atom) -> Result<Self::Value, Self::Wrong> {
        self.check(|c| c.value(what, atom))?;
        Ok(self.of(atom))
    }

    fn array(&mut self, what: &str, atom: Atom) -> Result<Self::Value, Self::Wrong> {
        self.check(|c| c.array(what, atom))?;
        Ok(self.of(atom))
    }

    fn accumulator(&mut self, atom: Atom) -> Result<Self::Value, Self::Wrong> {
        self.check(|c| c.accumulator(atom))?;
        Ok(self.of(atom))
    }

    /// What indices leave of an array or an accumulator.
    fn indexed(&mut self, array: Atom, indices: &[Atom]) -> Result<Self::Value, Self::Wrong> {
        self.check(|c| c.indexed(array, indices))?;
        Ok(self.of(array).inner(indices.len()).accumulating(false))
    }

    /// Checks that an operand is of the same type as another value, and compares their sizes from a dimension on.
    fn fit(
        &mut self,
        what: &str,
        atom: Atom,
        wanted: &Self::Value,
        (why, from): (Agreement, usize),
    ) -> Result<(), Self::Wrong> {
        self.fits(what, atom, wanted)?;
        let wanted = if self.compares() { wanted.sizes() } else { SmallVec::new() };
        // Scalars have no sizes, and a list may have many.
        if wanted.len() <= from {
            return Ok(());
        }
        for (wanted, found) in wanted.iter().zip(&self.of(atom).sizes()).skip(from) {
            self.compare(why, from_ref(wanted), from_ref(found), true);
        }
        Ok(())
    }

    /// Arrays of a combinator, whose lengths are compared with that of the first which is kept.
    fn arrays(&mut self, why: Agreement, arrays: &[Atom]) -> Result<(), Self::Wrong> {
        self.check(|c| c.elements(arrays))?;
        if self.compares()
            && let Some(first) = arrays.get(self.first_kept(arrays.len()))
        {
            let first = self.of(*first).sizes();
            for (k, array) in arrays.iter().enumerate() {
                let sizes = self.of(*array).sizes();
                self.compare(why, &first[..1], &sizes[..1], self.kept(k));
            }
        }
        Ok(())
    }

    fn first_kept(&self, count: usize) -> usize {
        (0..count).find(|k| self.kept(*k)).unwrap_or(0)
    }
}

/// What is known of the results of an operation.
pub(crate) fn results<D: Typing>(op: &Op, d: &mut D) -> Result<Results<D>, D::Wrong> {
    let result = match op {
        Op::Scalar(op, operands) => d.scalar(*op, operands)?,
        Op::Copy(a) => d.of(*a),
        Op::Iota(n) => {
            let length = d.length("the length", *n)?;
            D::Value::scalar(Prim::I64).arrayed(length)
        }
        Op::Replicate(n, a) => {
            let count = d.length("the number of copies", *n)?;
            d.value("what is replicated", *a)?.arrayed(count)
        }
        Op::Elements(atoms) => {
            d.check(|_| {
                atoms.first().ok_or("an array of elements has at least one: its type would be unknown".into())
            })?;
            let (first, count) = (d.of(atoms[0]), d.constant(atoms.len()));
            atoms.iter().try_for_each(|a| d.fit("an element", *a, &first, (Agreement::Rows, 0)))?;
            d.value("an element", atoms[0])?.arrayed(count)
        }
        Op::Size(a, dimension) => {
            d.check(|c| c.extent(&Extent::Of(*a, *dimension)))?;
            let size = d.of(*a).sizes()[*dimension].clone();
            d.number(size)
        }
        Op::Index(a, indices) => {
            d.value("what is indexed", *a)?;
            d.indexed(*a, indices)?
        }
        Op::Slice(a, ranges) => {
            let array = d.value("what is sliced", *a)?;
            let inner = d.indexed(*a, &ranges.iter().map(|r| r.start).collect::<Operands>())?;
            let mut sizes: SmallVec<[_; 2]> = SmallVec::new();
            for range in ranges {
                sizes.push(d.length("a range", range.count)?);
                d.length("a range", range.step)?;
            }
            array.with(sizes.into_iter().chain(inner.sizes()))
        }
        Op::Update(a, indices, new) => {
            let array = d.value("what is updated", *a)?;
            let old = d.indexed(*a, indices)?;
            d.fit("the new value", *new, &old, (Agreement::Updated, 0))?;
            array
        }
        Op::Permute(a, order) => {
            let array = d.value("what is permuted", *a)?;
            d.check(|c| c.order(*a, order))?;
            array.with(order.iter().map(|d| array.sizes()[*d].clone()))
        }
        Op::Reshape(a, sizes) => {
            let array = d.array("what is reshaped", *a)?;
            let sizes = sizes.iter().map(|n| d.length("a size", *n)).collect::<Result<SmallVec<[_; 2]>, _>>()?;
            d.check(|_| sizes.first().ok_or("an array is reshaped to at least one dimension".into()))?;
            d.compare(Agreement::Reshaped, &array.sizes(), &sizes, true);
            array.with(sizes)
        }
        Op::Concat(atoms) => {
            d.check(|_| atoms.first().ok_or("at least one array is concatenated".into()))?;
            let first = d.array("what is concatenated", atoms[0])?;
            let mut length = first.sizes()[0].clone();
            for a in &atoms[1..] {
                d.fit("what is concatenated", *a, &first, (Agreement::Concatenated, 1))?;
                let more = d.of(*a).sizes()[0].clone();
                length = d.sum(length, more);
            }
            first.inner(1).arrayed(length)
        }
        Op::Reverse(a) => d.array("what is reversed", *a)?,
        Op::If(condition, yes, no) => {
            d.check(|c| c.expect("the condition", *condition, TRUTH))?;
            return d.branches(yes, no);
        }
        Op::Loop(it) => return d.repeat(it),
        Op::Map(map) => {
            d.check(|_| map.arrays.first().ok_or("a map has at least one array: its length would be unknown".into()))?;
            d.arrays(Agreement::Mapped, &map.arrays)?;
            for a in &map.accumulators {
                d.accumulator(*a)?;
            }
            let rows = d.rows(map)?;
            d.check(|c| c.rows(map))?;
            let length = &d.of(map.arrays[0]).sizes()[0];
            let values = rows.len() - map.accumulators.len();
            let mut results: Results<D> =
                rows.into_iter().take(values).map(|row| row.arrayed(length.clone())).collect();
            results.extend(map.accumulators.iter().map(|a| d.of(*a)));
            return Ok(results);
        }
        Op::Reduce(it) => {
            d.arrays(Agreement::Reduced, &it.arrays)?;
            d.check(|c| c.operator(&it.operator, &it.neutral, &it.arrays))?;
            return Ok(it.neutral.iter().map(|neutral| d.combined(*neutral)).collect());
        }
        Op::Scan(it) => {
            d.arrays(Agreement::Scanned, &it.arrays)?;
            d.check(|c| c.operator(&it.operator, &it.neutral, &it.arrays))?;
            return Ok(d.all(&it.arrays));
        }
        Op::Hist(it) => {
            let Hist { destinations, values, indices, neutral, operator } = &**it;
            d.arrays(Agreement::Values, values)?;
            d.arrays(Agreement::Bins, destinations)?;
            d.check(|c| c.operator(operator, neutral, values))?;
            d.check(|c| c.expect("the indices", *indices, Type::array(Prim::I64, 1)))?;
            d.check(|c| c.bins(destinations, values))?;
            let first = values[d.first_kept(values.len())];
            let [indices, lengths] = [*indices, first].map(|a| d.of(a).sizes());
            d.compare(Agreement::Indices, &indices, &lengths[..1], true);
            return Ok(d.all(destinations));
        }
        Op::Scatter(it) => {
            let Scatter { destination, indices, values } = **it;
            let array = d.array("the destination", destination)?;
            d.check(|c| c.expect("the indices", indices, Type::array(Prim::I64, 1)))?;
            let [indices, lengths] = [d.of(indices), d.of(values)].map(|of| of.sizes());
            d.compare(Agreement::Indices, &indices, lengths.get(..1).unwrap_or_default(), true);
            d.fit("the values", values, &array, (Agreement::Scattered, 1))?;
            array
        }
        Op::ToAccumulator(a) => d.array("what becomes an accumulator", *a)?.accumulating(true),
        Op::Accumulate(a, indices, new) => {
            let array = d.accumulator(*a)?;
            let old = d.indexed(*a, indices)?;
            d.fit("what is added", *new, &old, (Agreement::Added, 0))?;
            array
        }
        Op::FromAccumulator(a) => d.accumulator(*a)?.accumulating(false),
        Op::Custom(it) => {
            let arguments = d.all(&it.arguments);
            let out = d.apply(&it.function, arguments)?;
            d.check(|c| c.pullback(it))?;
            return Ok(out);
        }
        Op::Foreign(it) => {
            d.check(|c| c.foreign(it))?;
            return Ok(d.all(&it.like));
        }
        Op::Agree(it) => {
            d.check(|c| it.extents().try_for_each(|extent| c.extent(extent)))?;
            d.assertion(it);
            return Ok(Results::<D>::new());
        }
    };
    Ok(smallvec![result])
}
