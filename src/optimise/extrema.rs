//! Extrema and where they are, in one reduction.
//!
//! Reverse mode of a reduction by `min` asks where the least element is: it compares each element with the least one, and takes the least
//! of the places where they are equal. So the elements are used twice, and have to be kept. A reduction of pairs uses them once, and
//! what computes them can be a part of it.
//!
//! Law: the extremum and its place are those that two reductions find, of equal elements, of zeros of both signs and of NaN too: a
//! place is that of an element which is equal to the extremum of all (tests/transform/extrema.rs).

use super::operator::{Operator, recognise};
use super::rewriter::either;
use crate::array::{Atom, Body, Builder, IntegerRow, Lambda, Map, Op, Program, Reduce, ScalarOp, Stm, Type, Var};
use crate::array::{atoms_of, deeper};

/// Makes one of reductions that find an extremum and its place, if there are such.
pub(super) fn with_places(program: &mut Program) -> bool {
    let mut builder = Builder::extending(program);
    let changed = within(&mut builder, &mut program.function.body);
    program.types = builder.into_types();
    changed
}

fn within(builder: &mut Builder, body: &mut Body) -> bool {
    let mut changed = false;
    deeper(|| {
        for stm in &mut body.stms {
            for inner in stm.op.bodies_mut() {
                changed |= within(builder, inner);
            }
        }
    });
    let mut at = 0;
    while at < body.stms.len() {
        if let Some(found) = places(body, at) {
            body.stms[at] = found.together(builder, &body.stms[at]);
            // The later one first, or its number would be another.
            body.stms.remove(found.compares);
            body.stms.remove(found.least);
            at -= 2;
            changed = true;
        }
        at += 1;
    }
    changed
}

/// An extremum, where it is, and what of a body finds them.
struct Extremum {
    var: Var,
    by: ScalarOp,
    elements: Atom,
    neutral: Atom,
    /// The numbers of places, and that of none.
    places: Atom,
    none: Atom,
    commutative: bool,
    /// The statements that reduce and compare the elements.
    least: usize,
    compares: usize,
}

/// What the statement `at` finds the place of.
fn places(body: &Body, at: usize) -> Option<Extremum> {
    let stms = &body.stms[..at];
    let (_, least_place, places_of) = reduction(&body.stms[at])?;
    if least_place != ScalarOp::Integer(IntegerRow::Min) {
        return None;
    }
    let none = places_of.neutral[0];
    let compares = binder(stms, places_of.arrays[0])?;
    let Op::Map(map) = &stms[compares].op else { return None };
    let (element, place, compared) = where_equal(map, none)?;
    let least = binder(stms, compared)?;
    let (var, by, it) = reduction(&stms[least])?;
    let extremum = Extremum {
        var,
        by,
        elements: it.arrays[0],
        neutral: it.neutral[0],
        places: map.arrays[place],
        none,
        commutative: it.commutative && places_of.commutative,
        least,
        compares,
    };
    // Until the place is known, nothing else asks for the extremum; and for where it is found nothing ever does.
    let is_between = |k: usize| k > least && k < at && k != compares;
    let others = stms.iter().enumerate().filter(|(k, _)| is_between(*k));
    let asked = others.into_iter().any(|(_, stm)| mentions(&stm.op, var));
    let found = stms[compares].vars[0];
    let kept = body.stms.iter().enumerate().any(|(k, stm)| k != at && mentions(&stm.op, found))
        || body.results.contains(&Atom::Var(found));
    (map.arrays[element] == extremum.elements && !asked && !kept).then_some(extremum)
}

/// A reduction of one array by an extremum, and the variable that it binds.
fn reduction(stm: &Stm) -> Option<(Var, ScalarOp, &Reduce)> {
    match &stm.op {
        Op::Reduce(it) if it.arrays.len() == 1 => match recognise(&it.operator) {
            Operator::Extremum(by) => Some((stm.vars[0], by, it)),
            _ => None,
        },
        _ => None,
    }
}

fn binder(stms: &[Stm], atom: Atom) -> Option<usize> {
    let var = atom.var()?;
    stms.iter().rposition(|stm| stm.vars.contains(&var))
}

fn mentions(op: &Op, var: Var) -> bool {
    let mut found = false;
    atoms_of(op, &mut |a| found |= a == Atom::Var(var));
    found
}

/// Of a map that gives a place where an element is equal to something, and else `none`: which of its arrays has the elements, which
/// the places, and what is compared.
fn where_equal(map: &Map, none: Atom) -> Option<(usize, usize, Atom)> {
    let Body { stms, results } = &map.function.body;
    let ([compare, choose], [result]) = (&stms[..], &results[..]) else { return None };
    let (Op::Scalar(ScalarOp::Equal, sides), Op::If(condition, yes, no)) = (&compare.op, &choose.op) else {
        return None;
    };
    let is_plain = |body: &Body, of: Atom| body.stms.is_empty() && body.results[..] == [of];
    let param = |atom: Atom| map.function.params.iter().position(|param| Atom::Var(*param) == atom);
    let place = param(*yes.results.first()?)?;
    let element = param(sides[0])?;
    let fits = map.accumulators.is_empty()
        && *condition == Atom::Var(compare.vars[0])
        && *result == Atom::Var(choose.vars[0])
        && param(sides[1]).is_none()
        && is_plain(yes, Atom::Var(map.function.params[place]))
        && is_plain(no, none);
    fits.then_some((element, place, sides[1]))
}

impl Extremum {
    /// The reduction of pairs in the place of the one that finds the place.
    fn together(&self, builder: &mut Builder, stm: &Stm) -> Stm {
        let (real, integer) = (builder.type_of(self.var), builder.type_of(stm.vars[0]));
        let types: [Type; 4] = [real, integer, real, integer];
        let operator: Lambda = builder.lambda(&types, |builder, params| {
            let [x, at_x, y, at_y] = [0, 1, 2, 3].map(|k| Atom::Var(params[k]));
            let least = builder.scalar(self.by, &[x, y]);
            let places = [(x, at_x), (y, at_y)].map(|(x, at)| {
                let is_least = builder.scalar(ScalarOp::Equal, &[x, least]);
                either(builder, is_least, at, self.none)
            });
            vec![least, builder.scalar(IntegerRow::Min, &places)]
        });
        let (arrays, neutral) = (vec![self.elements, self.places], vec![self.neutral, self.none]);
        let reduce = Reduce { operator, neutral, arrays, commutative: self.commutative };
        Stm { vars: [self.var, stm.vars[0]].into_iter().collect(), op: Op::Reduce(Box::new(reduce)), span: stm.span }
    }
}

#[cfg(feature = "unstable")]
impl Program {
    /// The program with extrema and their places in one reduction each; none if there are no such.
    #[must_use]
    pub fn extrema_with_places(&self) -> Option<Program> {
        let mut program = self.clone();
        with_places(&mut program).then_some(program)
    }
}
