//! Maps over arrays that are made of others: each part is mapped by itself, into its place.
//!
//! Law: element by element it is the map over the joined array, which is nowhere in memory (tests/execute/parts.rs).

use rustc_hash::FxHashSet;

use super::code::Operand;
use super::emit::Emit;
use super::environment::Environment;
use super::liveness::{mentioned, mentioned_by};
use super::view::{Array, Bound, Form, View, lengthened};
use super::{Lowering, Step};
use crate::array::{Atom, Lambda, Map, Var};

/// Some elements that follow each other: from which on, how many, and what stands for the arrays meanwhile.
pub(super) struct Segment<'p> {
    start: Operand,
    count: Operand,
    with: Vec<(Var, Bound<'p>)>,
}

impl<'p> Lowering<'p> {
    /// The segments in which a map can go through its arrays, if one of them is made of others. What cannot be taken in
    /// segments is put into memory.
    pub(super) fn segments(&mut self, map: &'p Map) -> Step<Vec<Segment<'p>>> {
        let is_made = |array: &Array<'p>| matches!(array.form, Form::Parts(_));
        let made = map.arrays.iter().copied().find(|atom| is_made(&self.env.array(*atom)));
        let Some(made) = made else { return Ok(Vec::new()) };
        if map.accumulators.is_empty()
            && let Some(segments) = segments_of(&mut self.emit, &self.env, map, &self.env.array(made))
        {
            return Ok(segments);
        }
        for atom in &map.arrays {
            if let Atom::Var(var) = *atom
                && is_made(&self.env.array(*atom))
            {
                let settled = self.settled(self.env.atom(*atom))?;
                self.env.bind(var, settled);
            }
        }
        Ok(Vec::new())
    }

    /// Does something in each segment: how many elements it has, and the part of what is written that is its.
    pub(super) fn each_segment(
        &mut self,
        segments: Vec<Segment<'p>>,
        written: &[(View, Vec<Operand>)],
        mut inside: impl FnMut(&mut Self, Operand, &[(View, Vec<Operand>)]) -> Step<()>,
    ) -> Step<()> {
        for Segment { start, count, with } in segments {
            let before: Vec<_> = with.into_iter().map(|(var, to)| (var, self.env.swap(var, Some(to)))).collect();
            let mut part = Vec::new();
            for (view, sizes) in written {
                let sizes = lengthened(count, &sizes[1..]);
                part.push((view.from(&mut self.emit, start), sizes));
            }
            let done = inside(self, count, &part);
            before.into_iter().rev().for_each(|(var, to)| drop(self.env.swap(var, to)));
            done?;
        }
        Ok(())
    }
}

/// The segments, if everything that the map takes can be cut as an array is made.
fn segments_of<'p>(
    emit: &mut Emit<'p>,
    env: &Environment<'p>,
    map: &'p Map,
    made: &Array<'p>,
) -> Option<Vec<Segment<'p>>> {
    let layout = layout(made);
    let (mut segments, mut start) = (Vec::new(), Operand::int(0));
    for (k, (_, count)) in layout.iter().enumerate() {
        let mut free = FxHashSet::default();
        let mut segment = Segment { start, count: *count, with: Vec::new() };
        cut(emit, env, map, &layout, k, &mut segment, &mut free)?;
        // What is inside of the functions has to be all there, and so has what their arrays, and parts, are computed from.
        let mut all = FxHashSet::default();
        free.iter().for_each(|var| waiting_for(env, *var, &mut all));
        if segment.with.iter().any(|(var, _)| all.contains(var)) {
            return None;
        }
        segments.push(segment);
        start = emit.add(start, *count);
    }
    Some(segments)
}

/// What stands for the arrays of a map in a segment.
fn cut<'p>(
    emit: &mut Emit<'p>,
    env: &Environment<'p>,
    map: &'p Map,
    layout: &[(Bound<'p>, Operand)],
    k: usize,
    segment: &mut Segment<'p>,
    free: &mut FxHashSet<Var>,
) -> Option<()> {
    let Lambda { body, .. } = &map.function;
    free.extend(mentioned(&body.stms, &body.results));
    for atom in &map.arrays {
        let Atom::Var(var) = *atom else { return None };
        let array = env.array(*atom);
        let part = match array.form {
            Form::Parts(_) => {
                let parts = self::layout(&array);
                let alike = parts.len() == layout.len() && parts.iter().zip(layout).all(|(a, b)| a.1 == b.1);
                let (part, count) = parts.into_iter().nth(k).filter(|_| alike)?;
                match part {
                    Bound::Array(part) if part.sizes.len() == array.sizes.len() => {
                        if let Form::Pending(other, _) = part.form {
                            free.extend(mentioned_by(other));
                        }
                        part
                    }
                    row => {
                        let sizes = lengthened(count, row.sizes());
                        Array { prim: array.prim, sizes, form: Form::Replicate(Box::new(row)) }
                    }
                }
            }
            Form::Pending(other, _) => {
                cut(emit, env, other, layout, k, segment, free)?;
                let sizes = lengthened(segment.count, &array.sizes[1..]);
                Array { sizes, ..array }
            }
            Form::Memory(_) | Form::Iota(..) | Form::Replicate(_) => {
                array.elements_from(emit, [segment.start, segment.count, Operand::int(1)])?
            }
        };
        segment.with.push((var, Bound::Array(part)));
    }
    Some(())
}

/// A variable, and those that the elements of an array that waits are computed from.
fn waiting_for(env: &Environment<'_>, var: Var, all: &mut FxHashSet<Var>) {
    if !all.insert(var) {
        return;
    }
    if let Some(Bound::Array(Array { form: Form::Pending(map, _), .. })) = env.get(var) {
        mentioned_by(map).into_iter().for_each(|var| waiting_for(env, var, all));
    }
}

/// The arrays and rows that an array is made of, and how many elements each is.
fn layout<'p>(array: &Array<'p>) -> Vec<(Bound<'p>, Operand)> {
    let Form::Parts(parts) = &array.form else { panic!("this array is made of others") };
    let mut all = Vec::new();
    for part in parts {
        match part {
            Bound::Array(inner) if inner.sizes.len() == array.sizes.len() => match inner.form {
                Form::Parts(_) => all.extend(layout(inner)),
                Form::Memory(_) | Form::Iota(..) | Form::Replicate(_) | Form::Pending(..) => {
                    all.push((part.clone(), inner.sizes[0]));
                }
            },
            row => all.push((row.clone(), Operand::int(1))),
        }
    }
    all
}
