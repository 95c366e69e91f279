//! The types of an operation's results, from those of its operands; or why it has none.
//!
//! Law: one function says what is well typed. The builder uses it to type what it adds, the verifier to check what is
//! there, so the two cannot disagree (tests/array/text.rs, laws: arrays).

use core::fmt;
use smallvec::{SmallVec, smallvec};

use super::agree::Extent;
use super::iteration::Form;
use super::operation::{Custom, Foreign, Loop, Map, Op};
use super::program::{Atom, Body, Lambda, Program};
use super::scalar::ScalarOp;
use super::types::{Prim, Type};
use super::typing::{self, Known, Typing};

/// Why an operation is not well typed, in words.
pub type Reason = String;

/// The types of the results of an operation, of which most have one.
pub type Types = SmallVec<[Type; 2]>;

pub(super) const INDEX: Type = Type::scalar(Prim::I64);
pub(super) const TRUTH: Type = Type::scalar(Prim::Bool);

/// The types of the results of an operation.
///
/// # Errors
/// What is wrong, and what would be right.
pub fn result_types(program: &Program, op: &Op) -> Result<Types, Reason> {
    typing::results(op, &mut Checks(program))
}

/// Of a size it is known that there is one.
impl Known for Type {
    type Size = ();

    fn scalar(kind: Prim) -> Self {
        Type::scalar(kind)
    }

    fn sizes(&self) -> SmallVec<[(); 2]> {
        smallvec![(); self.rank]
    }

    fn with(&self, sizes: impl IntoIterator<Item = ()>) -> Self {
        Type { rank: sizes.into_iter().count(), ..*self }
    }

    fn inner(self, leading: usize) -> Self {
        Type { rank: self.rank - leading, ..self }
    }

    fn arrayed(self, (): ()) -> Self {
        Type { rank: self.rank + 1, ..self }
    }

    fn accumulating(self, accumulator: bool) -> Self {
        Type { accumulator, ..self }
    }
}

/// The types of the variables of a program, and what is checked of them.
pub(crate) struct Checks<'p>(&'p Program);

impl Typing for Checks<'_> {
    type Value = Type;
    type Wrong = Reason;

    fn of(&mut self, atom: Atom) -> Type {
        self.0.atom_type(atom)
    }

    fn size(&mut self, _: Atom) {}

    fn constant(&mut self, _: usize) {}

    fn sum(&mut self, (): (), (): ()) {}

    fn number(&mut self, (): ()) -> Type {
        INDEX
    }

    fn scalar(&mut self, op: ScalarOp, operands: &[Atom]) -> Result<Type, Reason> {
        of_scalar(self.0, op, operands)
    }

    fn apply(&mut self, function: &Lambda, arguments: Types) -> Result<Types, Reason> {
        self.parameters("the function", function, &arguments)?;
        Ok(self.results(&function.body))
    }

    fn branches(&mut self, yes: &Body, no: &Body) -> Result<Types, Reason> {
        let (yes, no) = (self.results(yes), self.results(no));
        same("the branches", &yes, &no).map(|()| yes)
    }

    fn repeat(&mut self, it: &Loop) -> Result<Types, Reason> {
        let types: Types = it.params.iter().map(|(param, _)| self.0.type_of(*param)).collect();
        let initial: Types = it.params.iter().map(|(_, a)| self.0.atom_type(*a)).collect();
        same("the loop variables and their first values", &types, &initial)?;
        match &it.form {
            Form::For(i, bound) => {
                self.expect("the loop index", (*i).into(), INDEX)?;
                self.expect("the bound", *bound, INDEX)?;
            }
            Form::While { condition, bound } => {
                same("the loop's condition and a truth value", &self.results(condition), &[TRUTH])?;
                bound.map_or(Ok(()), |bound| self.expect("the bound", bound, INDEX))?;
            }
        }
        same("the loop's results and its variables", &self.results(&it.body), &types)?;
        Ok(types)
    }

    fn combined(&mut self, neutral: Atom) -> Type {
        self.0.atom_type(neutral)
    }

    fn check<T>(&mut self, check: impl FnOnce(&Checks<'_>) -> Result<T, Reason>) -> Result<(), Reason> {
        check(self).map(drop)
    }

    fn fits(&mut self, what: &str, atom: Atom, wanted: &Type) -> Result<(), Reason> {
        self.expect(what, atom, *wanted)
    }
}

impl Checks<'_> {
    fn types(&self, atoms: &[Atom]) -> Types {
        atoms.iter().map(|a| self.0.atom_type(*a)).collect()
    }

    /// The types of a body's results.
    fn results(&self, body: &Body) -> Types {
        self.types(&body.results)
    }

    pub(super) fn expect(&self, what: &str, atom: Atom, wanted: Type) -> Result<(), Reason> {
        let found = self.0.atom_type(atom);
        if found == wanted { Ok(()) } else { Err(format!("{what} is of type {found}, where {wanted} is needed")) }
    }

    /// A size that is a number, or that an array has.
    pub(super) fn extent(&self, extent: &Extent) -> Result<(), Reason> {
        let t = self.0.atom_type(extent.atom());
        match extent {
            Extent::Number(number) => self.expect("a size", *number, INDEX),
            Extent::Of(_, dimension) if *dimension < t.rank => Ok(()),
            Extent::Of(_, dimension) => Err(format!("{t} has no dimension {dimension}")),
        }
    }

    pub(super) fn indexed(&self, array: Atom, indices: &[Atom]) -> Result<(), Reason> {
        let t = self.0.atom_type(array).accumulating(false);
        if t.rank < indices.len() {
            return Err(format!("{t} has too few dimensions for {} indices", indices.len()));
        }
        indices.iter().try_for_each(|index| self.expect("an index", *index, INDEX))
    }

    pub(super) fn order(&self, array: Atom, order: &[usize]) -> Result<(), Reason> {
        let (t, mut sorted) = (self.0.atom_type(array), order.to_vec());
        sorted.sort_unstable();
        if sorted.into_iter().eq(0..t.rank) {
            return Ok(());
        }
        Err(format!("{order:?} is not an order of the {} dimensions of {t}", t.rank))
    }

    /// The type of what is not an accumulator.
    pub(super) fn value(&self, what: &str, atom: Atom) -> Result<Type, Reason> {
        let t = self.0.atom_type(atom);
        if t.accumulator { Err(format!("{what} is an accumulator, which can only be added to")) } else { Ok(t) }
    }

    pub(super) fn array(&self, what: &str, atom: Atom) -> Result<Type, Reason> {
        match self.value(what, atom)? {
            t @ Type { rank: 0, .. } => Err(format!("{what} is the scalar {t}, not an array")),
            t => Ok(t),
        }
    }

    pub(super) fn accumulator(&self, atom: Atom) -> Result<Type, Reason> {
        let t = self.0.atom_type(atom);
        if t.accumulator { Ok(t) } else { Err(format!("{t} is not an accumulator")) }
    }

    /// The results of the function of a map: rows, and the accumulators that it is given.
    pub(super) fn rows(&self, map: &Map) -> Result<(), Reason> {
        let results = &map.function.body.results;
        let values = results.len().checked_sub(map.accumulators.len());
        let (values, out) = results.split_at(values.ok_or("a map's function gives its accumulators back")?);
        same("the accumulators in and out", &self.types(&map.accumulators), &self.types(out))?;
        values.iter().try_for_each(|a| self.value("a map's result", *a).map(drop))
    }

    pub(super) fn bins(&self, destinations: &[Atom], values: &[Atom]) -> Result<(), Reason> {
        same("the destinations' elements and the values", &self.elements(destinations)?, &self.elements(values)?)
    }

    pub(super) fn pullback(&self, it: &Custom) -> Result<(), Reason> {
        let (arguments, out) = (self.types(&it.arguments), self.results(&it.function.body));
        self.parameters("the pullback", &it.pullback, &[&arguments[..], &out, &out].concat())?;
        same("the pullback's results and the arguments", &self.results(&it.pullback.body), &arguments)
    }

    /// No accumulators go into a function of Rust; into a rule, as many reals as it takes, of the kind of its value.
    pub(super) fn foreign(&self, it: &Foreign) -> Result<(), Reason> {
        let (arguments, like) = (self.types(&it.arguments), self.types(&it.like));
        if arguments.iter().chain(&like).any(|of| of.accumulator) {
            return Err(format!("the function `{}` of Rust takes no accumulator", it.function.name()));
        }
        let Some(rule) = it.function.as_rule() else { return Ok(()) };
        let fits = |of: &Type| of.rank == 0 && of.prim.is_real() && of == &like[0];
        if like.len() == 1 && arguments.len() == rule.arity() && arguments.iter().chain(&like).all(fits) {
            return Ok(());
        }
        Err(format!(
            "the rule `{}` takes {} reals of the kind of its value, and has {} for {}",
            rule.name(),
            rule.arity(),
            list(&arguments),
            list(&like)
        ))
    }

    /// An operator on the elements of arrays, with its neutral elements.
    pub(super) fn operator(&self, operator: &Lambda, neutral: &[Atom], arrays: &[Atom]) -> Result<(), Reason> {
        let types = &self.elements(arrays)?[..];
        if types.is_empty() {
            return Err("an operator combines at least one array".into());
        }
        same("the neutral elements and the elements", &self.types(neutral), types)?;
        self.parameters("the operator", operator, &[types, types].concat())?;
        same("the operator's results and its operands", &self.results(&operator.body), types)
    }

    fn parameters(&self, what: &str, function: &Lambda, wanted: &[Type]) -> Result<(), Reason> {
        let found: Types = function.params.iter().map(|p| self.0.type_of(*p)).collect();
        same(format_args!("{what}'s parameters and arguments"), &found, wanted)
    }

    pub(super) fn elements(&self, arrays: &[Atom]) -> Result<Types, Reason> {
        arrays.iter().map(|a| self.array("an operand of a combinator", *a).map(Type::element)).collect()
    }
}

/// The type of the result of a scalar operation.
pub(super) fn of_scalar(program: &Program, op: ScalarOp, operands: &[Atom]) -> Result<Type, Reason> {
    // None has more than three, and there are many of them.
    let (mut kinds, mut scalars) = ([Prim::Bool; 3], operands.len() <= 3);
    for (kind, a) in kinds.iter_mut().zip(operands) {
        let t = program.atom_type(*a);
        *kind = t.prim;
        scalars &= t.rank == 0 && !t.accumulator;
    }
    match scalars.then(|| op.result(&kinds[..operands.len()])) {
        Some(Some(prim)) => Ok(Type::scalar(prim)),
        Some(None) | None => {
            let types: Types = operands.iter().map(|a| program.atom_type(*a)).collect();
            Err(format!("`{op}` does not take operands of types {}", list(&types)))
        }
    }
}

fn same(what: impl fmt::Display, a: &[Type], b: &[Type]) -> Result<(), Reason> {
    if a == b { Ok(()) } else { Err(format!("{what} have types {} and {}", list(a), list(b))) }
}

fn list(types: &[Type]) -> String {
    let texts: Vec<String> = types.iter().map(Type::to_string).collect();
    format!("({})", texts.join(", "))
}
