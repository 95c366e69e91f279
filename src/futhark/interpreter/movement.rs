//! Operations that move elements: parts of arrays, ranges, copies, other orders.
//!
//! Law: elements go where they go with all that they carry; what is out of bounds is an error that names the index and the size
//! (tests/language/interpret.rs).

use super::Interpreter;
use super::array::{Array, Builder, Data, shape_of, shown};
use super::scalar::{CHECKED, Scalar};
use crate::array::{Const, IntegerRow, ScalarOp};
use crate::futhark::core::Prim;
use crate::futhark::meaning::{Leaf, Movement, Outcome, RangeKind, Scalars, Section};
use crate::futhark::source::{Message, Span};
use crate::interpret::{count, count_of_part, lines, strides};

/// The places of a dimension that a section takes.
struct Taken {
    start: i128,
    step: i128,
    count: usize,
}

fn bounds(at: Span, text: String) -> Message {
    Message::error("bounds", at, text)
}

/// An index as a place.
fn place(at: Span, index: i128, size: usize) -> Outcome<usize> {
    usize::try_from(index).ok().filter(|index| *index < size).ok_or_else(|| {
        let hint = if size == 0 { "the array is empty".into() } else { format!("indices go from 0 to {}", size - 1) };
        bounds(at, format!("the index {index} is out of bounds of an array of size {size}")).hint(hint)
    })
}

fn slice(at: Span, size: usize, start: Option<i128>, end: Option<i128>, step: Option<i128>) -> Outcome<Taken> {
    let (n, step) = (size as i128, step.unwrap_or(1));
    let (start, end) =
        if step > 0 { (start.unwrap_or(0), end.unwrap_or(n)) } else { (start.unwrap_or(n - 1), end.unwrap_or(-1)) };
    let wrong = || bounds(at, format!("the slice {start}:{end}:{step} is out of bounds of an array of size {size}"));
    let inside = match step.signum() {
        1 => 0 <= start && start <= end && end <= n,
        -1 => -1 <= end && end <= start && start < n.max(0),
        _ => return Err(wrong().hint("the step of a slice is not 0")),
    };
    if !inside {
        return Err(wrong().hint(format!("a slice lies within 0:{size}, and goes the way of its step")));
    }
    let distance = (end - start) / step + i128::from((end - start) % step != 0);
    Ok(Taken { start, step, count: distance as usize })
}

impl Movement for Interpreter {
    fn size(&self, array: &Data, dimension: usize) -> Data {
        let size = array.shape().get(dimension).expect(CHECKED);
        self.constant(Const::I64(*size as i64))
    }

    fn array(&self, at: Span, elements: Vec<Data>, element: &Leaf<Data>) -> Outcome<Data> {
        let mut builder = Builder::new(&self.meter, at, element.kind, elements.len())?;
        elements.iter().try_for_each(|element| builder.push(at, element))?;
        Ok(builder.finish(|| shape_of(element)))
    }

    fn range(
        &self,
        at: Span,
        kind: Prim,
        start: &Data,
        second: Option<&Data>,
        end: &Data,
        how: RangeKind,
    ) -> Outcome<Data> {
        let (from, to) = (start.integer(), end.integer());
        let step = second.map(|second| second.integer() - from);
        let (step, way) = match how {
            RangeKind::Inclusive => (step.unwrap_or(1), 0_i128),
            RangeKind::Upto => (step.unwrap_or(1), 1),
            RangeKind::Downto => (step.unwrap_or(-1), -1),
        };
        // How far the last place that is allowed is away, in the direction of the steps.
        let last = (to - from) * step.signum() - way.abs();
        let least = -way.abs();
        if step == 0 || way * step < 0 || last < least {
            let text = format!("the range from {from} to {to} by {step} has no end");
            return Err(Message::error("range", at, text).hint("a range goes from its start towards its end"));
        }
        let count = usize::try_from(last.div_euclid(step.abs()) + 1).unwrap_or(usize::MAX);
        let hold = self.meter.claim(at, kind, Some(count))?;
        let mut elements = Vec::with_capacity(count);
        let first = start.scalar();
        for i in 0..count {
            let distance = Const::wrapped(step.wrapping_mul(i as i128), kind).into();
            elements.push(self.engine.apply(at, ScalarOp::Add, &[first.clone(), distance])?);
        }
        Ok(Data::Array(Array::noted(vec![count], elements, hold)))
    }

    fn section(&self, at: Span, array: Data, sections: &[Section<Data>]) -> Outcome<Data> {
        let mut array = array.into_array();
        // Indices into leading dimensions give a view.
        let mut rest = sections;
        while let Some((Section::At(index), others)) = rest.split_first() {
            let Some(size) = array.sizes().first() else { panic!("{CHECKED}") };
            rest = others;
            match array.row(place(at, index.integer(), *size)?) {
                Data::Array(part) | Data::Accumulator(part, _) => array = part,
                scalar @ Data::Scalar(_) => return Ok(scalar),
            }
        }
        if rest.is_empty() {
            return Ok(Data::Array(array));
        }
        let (shape, taken) = taken_by(at, &array, rest)?;
        if let [Taken { start, step: 1, count }] = taken[..] {
            return Ok(Data::Array(array.rows(start as usize, count)));
        }
        let hold = array.note().more(at, count(&shape))?;
        let (start, sizes, strides) = stretches(&array, &taken);
        Ok(Data::Array(array.rearranged(start, &sizes, &strides, hold).reshaped(shape)))
    }

    fn update(&self, at: Span, array: Data, sections: &[Section<Data>], value: Data) -> Outcome<Data> {
        let array = array.into_array();
        let (shape, taken) = taken_by(at, &array, sections)?;
        if shape != value.shape() {
            let text =
                format!("a part of shape {} is replaced by a value of shape {}", shown(&shape), shown(value.shape()));
            return Err(Message::error("size", at, text).hint("the shapes are the same"));
        }
        if count(&shape) == Some(0) {
            return Ok(Data::Array(array));
        }
        if taken.iter().all(|taken| taken.count == 1) || taken.len() == 1 && taken[0].step == 1 {
            // A stretch: nothing but the last dimension mentioned has more than one place.
            let inner = count_of_part(&array.sizes()[taken.len()..]);
            let start =
                taken.iter().zip(array.sizes()).fold(0, |place, (taken, size)| place * size + taken.start as usize);
            let (start, values) = (start * inner, value.elements());
            let put = |elements: &mut [Scalar]| elements[start..][..values.len()].clone_from_slice(values);
            return array.changed(at, put).map(Data::Array);
        }
        let (start, sizes, strides) = stretches(&array, &taken);
        let (length, stride, starts) = lines(start, &sizes, &strides);
        let places = starts.iter().flat_map(|start| (0..length as isize).map(move |i| (start + i * stride) as usize));
        let values = places.zip(value.elements());
        let put = |elements: &mut [Scalar]| values.for_each(|(place, value)| elements[place] = value.clone());
        array.changed(at, put).map(Data::Array)
    }

    fn iota(&self, at: Span, count: &Data) -> Outcome<Data> {
        let backward = count.scalar().backward();
        let count = size_from(at, count)?;
        let hold = self.meter.claim(at, Prim::I64, Some(count))?;
        let mut elements: Vec<Scalar> = (0..count as i64).map(|i| Const::I64(i).into()).collect();
        // By the language, the adjoint of the size is the sum of those of the elements, though their tangents are 0.
        if let Some(backward) = backward {
            let none = self.engine.apply(at, IntegerRow::Sub.into(), &[backward, Const::I64(count as i64).into()])?;
            for element in &mut elements {
                *element = self.engine.apply(at, ScalarOp::Add, &[element.clone(), none.clone()])?;
            }
        }
        Ok(Data::Array(Array::noted(vec![count], elements, hold)))
    }

    fn replicate(&self, at: Span, count: &Data, value: Data) -> Outcome<Data> {
        self.replicated(at, size_from(at, count)?, &value)
    }

    fn concat(&self, at: Span, first: Data, second: Data) -> Outcome<Data> {
        concatenated(at, &first.into_array(), &second.into_array())
    }

    fn reverse(&self, at: Span, array: Data) -> Outcome<Data> {
        let array = array.into_array();
        Ok(Data::Array(array.reversed(array.room(at)?)))
    }

    fn rotate(&self, at: Span, by: &Data, array: Data) -> Outcome<Data> {
        let array = array.into_array();
        let size = array.len();
        let by = if size == 0 { 0 } else { by.integer().rem_euclid(size as i128) as usize };
        concatenated(at, &array.rows(by, size - by), &array.rows(0, by))
    }

    fn transpose(&self, at: Span, array: Data) -> Outcome<Data> {
        let array = array.into_array();
        let order: Vec<usize> = [1, 0].into_iter().chain(2..array.sizes().len()).collect();
        Ok(Data::Array(array.permuted(&order, array.room(at)?)))
    }

    fn reshape(&self, at: Span, array: Data, leading: usize, sizes: &[Data]) -> Outcome<Data> {
        let array = array.into_array();
        let sizes: Vec<usize> = sizes.iter().map(|size| size_from(at, size)).collect::<Outcome<_>>()?;
        let (before, inner) = array.sizes().split_at(leading);
        let (wanted, found) = (count(&sizes), count_of_part(before));
        if wanted != Some(found) {
            let text =
                format!("an array of shape {} has {found} places, not those of {}", shown(before), shown(&sizes));
            return Err(Message::error("size", at, text).hint("the products of the sizes are the same"));
        }
        let mut shape = sizes;
        shape.extend(inner);
        Ok(Data::Array(array.reshaped(shape)))
    }

    fn filter(&self, at: Span, flags: &Data, arrays: Vec<Data>) -> Outcome<Vec<Data>> {
        let kept = |array: Data| {
            let array = array.into_array();
            let mut builder = Builder::new(&self.meter, at, array.note().kind(), 0)?;
            for (row, flag) in flags.elements().iter().enumerate() {
                if flag.truth() {
                    builder.push(at, &array.row(row))?;
                }
            }
            Ok(builder.finish(|| array.row_sizes().to_vec()))
        };
        arrays.into_iter().map(kept).collect()
    }
}

impl Interpreter {
    pub(super) fn replicated(&self, at: Span, times: usize, value: &Data) -> Outcome<Data> {
        let mut shape = vec![times];
        shape.extend(value.shape());
        let hold = self.meter.claim(at, value.kind(), count(&shape))?;
        Ok(Data::Array(Array::filled(shape, value.elements(), hold)))
    }
}

/// A size that is not negative.
fn size_from(at: Span, data: &Data) -> Outcome<usize> {
    let count = data.integer();
    usize::try_from(count).map_err(|_| {
        Message::error("range", at, format!("an array cannot have {count} elements")).hint("sizes are not negative")
    })
}

/// The shape of a part of an array, and the places of its elements; a stretch is said by its start.
fn taken_by(at: Span, array: &Array, sections: &[Section<Data>]) -> Outcome<(Vec<usize>, Vec<Taken>)> {
    let mut shape = Vec::new();
    let mut all = Vec::new();
    for (section, size) in sections.iter().zip(array.sizes()) {
        all.push(match section {
            Section::At(index) => Taken { start: place(at, index.integer(), *size)? as i128, step: 1, count: 1 },
            Section::Slice(start, end, step) => {
                let part = |part: &Option<Data>| part.as_ref().map(Data::integer);
                let taken = slice(at, *size, part(start), part(end), part(step))?;
                shape.push(taken.count);
                taken
            }
        });
    }
    shape.extend(&array.sizes()[sections.len().min(array.sizes().len())..]);
    Ok((shape, all))
}

/// One array after the other.
fn concatenated(at: Span, first: &Array, second: &Array) -> Outcome<Data> {
    let (inner, other) = (&first.sizes()[1..], &second.sizes()[1..]);
    let (n, m) = (first.sizes()[0], second.sizes()[0]);
    if inner != other && n != 0 && m != 0 {
        let text = format!("arrays with elements of shapes {} and {} are put together", shown(inner), shown(other));
        return Err(Message::error("size", at, text).hint("the shapes are the same"));
    }
    let mut shape = if n == 0 { second.sizes().to_vec() } else { first.sizes().to_vec() };
    shape[0] = n + m;
    let hold = first.note().more(at, count(&shape))?;
    Ok(Data::Array(Array::noted(shape, [first.elements(), second.elements()].concat(), hold)))
}

/// Where the elements lie that sections of the leading dimensions take: the first, and sizes and strides.
fn stretches(array: &Array, taken: &[Taken]) -> (isize, Vec<usize>, Vec<isize>) {
    let (mut start, mut sizes, mut strides) = (0, array.sizes().to_vec(), strides(array.sizes()));
    for (dimension, taken) in taken.iter().enumerate() {
        start += taken.start as isize * strides[dimension];
        sizes[dimension] = taken.count;
        // A step is long only where there is none.
        strides[dimension] = strides[dimension].wrapping_mul(taken.step as isize);
    }
    (start, sizes, strides)
}
