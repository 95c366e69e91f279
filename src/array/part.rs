//! What operations are made of: operands, variables that are bound for bodies, bodies, and what is none of these.
//!
//! Law: a walk meets every part once, in the order of the declaration, operands before the bodies after them;
//! rebuilding with parts that stand for themselves is the identity. No walk enters a body by itself
//! (laws: arrays::text).

use smallvec::SmallVec;

use super::agree::{Agreement, Extent};
use super::iteration::{Form, Policy};
use super::operation::{Loop, Map, Op, Range, Reduce, Role};
use super::program::{Atom, Body, Lambda, Var};
use super::scalar::ScalarOp;

/// A part of an operation, or an operation.
pub(crate) trait Part {
    /// Meets what is in the part; operands are of this role, unless the part says more.
    fn walk<'o>(&'o self, role: Role, walk: &mut impl Walk<'o>);

    /// Meets what is in the part, to be changed.
    fn walk_mut<'o>(&'o mut self, walk: &mut impl WalkMut<'o>);

    /// The part made of what its parts become.
    fn rebuild(&self, with: &mut impl Rebuild) -> Self;
}

/// What a walk does with what it meets.
pub(crate) trait Walk<'o> {
    /// An operand.
    fn operand(&mut self, _atom: &'o Atom, _role: Role) {}

    /// A variable that is bound for a body.
    fn binder(&mut self, _var: Var) {}

    /// A body.
    fn body(&mut self, _body: &'o Body) {}

    /// A function: its parameters are bound for its body.
    fn function(&mut self, function: &'o Lambda) {
        function.params.iter().for_each(|param| self.binder(*param));
        self.body(&function.body);
    }

    /// A number that is part of the program, such as that of a dimension.
    fn number(&mut self, _number: usize) {}
}

/// What a walk does with what it meets, and may change.
pub(crate) trait WalkMut<'o> {
    /// An operand.
    fn operand(&mut self, _atom: &'o mut Atom) {}

    /// A variable that is bound for a body.
    fn binder(&mut self, _var: &'o mut Var) {}

    /// A body.
    fn body(&mut self, _body: &'o mut Body) {}
}

/// What the parts of an operation become.
pub(crate) trait Rebuild {
    /// What an operand becomes.
    fn atom(&self, atom: Atom) -> Atom;

    /// What a variable becomes that is bound for a body.
    fn bind(&mut self, var: Var) -> Var;

    /// What a body becomes.
    fn body(&mut self, body: &Body) -> Body;

    /// What a function becomes.
    fn lambda(&mut self, lambda: &Lambda) -> Lambda {
        let params = lambda.params.iter().map(|param| self.bind(*param)).collect();
        Lambda { params, body: self.body(&lambda.body) }
    }

    /// What a loop becomes.
    fn of_loop(&mut self, it: &Loop) -> Loop
    where
        Self: Sized,
    {
        it.rebuild(self)
    }

    /// What a map becomes.
    fn of_map(&mut self, map: &Map) -> Map
    where
        Self: Sized,
    {
        map.rebuild(self)
    }

    /// What a reduction or a scan becomes.
    fn of_reduce(&mut self, it: &Reduce) -> Reduce
    where
        Self: Sized,
    {
        it.rebuild(self)
    }

    /// What operands become.
    fn atoms(&self, atoms: &[Atom]) -> Vec<Atom> {
        atoms.iter().map(|a| self.atom(*a)).collect()
    }

    /// What an operation becomes.
    fn op(&mut self, op: &Op) -> Op
    where
        Self: Sized,
    {
        match op {
            Op::Loop(it) => Op::Loop(Box::new(self.of_loop(it))),
            Op::Map(map) => Op::Map(Box::new(self.of_map(map))),
            Op::Reduce(it) => Op::Reduce(Box::new(self.of_reduce(it))),
            Op::Scan(it) => Op::Scan(Box::new(self.of_reduce(it))),
            op => op.rebuild(self),
        }
    }
}

impl Part for Atom {
    fn walk<'o>(&'o self, role: Role, walk: &mut impl Walk<'o>) {
        walk.operand(self, role);
    }

    fn walk_mut<'o>(&'o mut self, walk: &mut impl WalkMut<'o>) {
        walk.operand(self);
    }

    fn rebuild(&self, with: &mut impl Rebuild) -> Self {
        with.atom(*self)
    }
}

impl Part for Body {
    fn walk<'o>(&'o self, _: Role, walk: &mut impl Walk<'o>) {
        walk.body(self);
    }

    fn walk_mut<'o>(&'o mut self, walk: &mut impl WalkMut<'o>) {
        walk.body(self);
    }

    fn rebuild(&self, with: &mut impl Rebuild) -> Self {
        with.body(self)
    }
}

impl Part for Lambda {
    fn walk<'o>(&'o self, _: Role, walk: &mut impl Walk<'o>) {
        walk.function(self);
    }

    fn walk_mut<'o>(&'o mut self, walk: &mut impl WalkMut<'o>) {
        self.params.iter_mut().for_each(|param| walk.binder(param));
        walk.body(&mut self.body);
    }

    fn rebuild(&self, with: &mut impl Rebuild) -> Self {
        with.lambda(self)
    }
}

/// The variables of a loop: what they are at first comes before all of them.
impl Part for Vec<(Var, Atom)> {
    fn walk<'o>(&'o self, role: Role, walk: &mut impl Walk<'o>) {
        self.iter().for_each(|(_, initial)| walk.operand(initial, role));
        self.iter().for_each(|(param, _)| walk.binder(*param));
    }

    fn walk_mut<'o>(&'o mut self, walk: &mut impl WalkMut<'o>) {
        let (params, initial): (Vec<_>, Vec<_>) = self.iter_mut().map(|(param, initial)| (param, initial)).unzip();
        initial.into_iter().for_each(|initial| walk.operand(initial));
        params.into_iter().for_each(|param| walk.binder(param));
    }

    fn rebuild(&self, with: &mut impl Rebuild) -> Self {
        let initial: Vec<Atom> = self.iter().map(|(_, initial)| with.atom(*initial)).collect();
        self.iter().map(|(param, _)| with.bind(*param)).zip(initial).collect()
    }
}

impl Part for Form {
    fn walk<'o>(&'o self, _: Role, walk: &mut impl Walk<'o>) {
        match self {
            Form::For(i, bound) => {
                walk.operand(bound, Role::Condition);
                walk.binder(*i);
            }
            Form::While { condition, bound } => {
                bound.iter().for_each(|bound| walk.operand(bound, Role::Condition));
                walk.body(condition);
            }
        }
    }

    fn walk_mut<'o>(&'o mut self, walk: &mut impl WalkMut<'o>) {
        match self {
            Form::For(i, bound) => {
                walk.operand(bound);
                walk.binder(i);
            }
            Form::While { condition, bound } => {
                bound.iter_mut().for_each(|bound| walk.operand(bound));
                walk.body(condition);
            }
        }
    }

    fn rebuild(&self, with: &mut impl Rebuild) -> Self {
        match self {
            Form::For(i, bound) => {
                let bound = with.atom(*bound);
                Form::For(with.bind(*i), bound)
            }
            Form::While { condition, bound } => {
                let bound = bound.map(|bound| with.atom(bound));
                Form::While { condition: with.body(condition), bound }
            }
        }
    }
}

impl Part for Extent {
    fn walk<'o>(&'o self, role: Role, walk: &mut impl Walk<'o>) {
        match self {
            Extent::Number(atom) | Extent::Of(atom, _) => walk.operand(atom, role),
        }
    }

    fn walk_mut<'o>(&'o mut self, walk: &mut impl WalkMut<'o>) {
        walk.operand(self.atom_mut());
    }

    fn rebuild(&self, with: &mut impl Rebuild) -> Self {
        match self {
            Extent::Number(atom) => Extent::Number(with.atom(*atom)),
            Extent::Of(array, dimension) => Extent::Of(with.atom(*array), *dimension),
        }
    }
}

impl<P: Part> Part for Box<P> {
    fn walk<'o>(&'o self, role: Role, walk: &mut impl Walk<'o>) {
        (**self).walk(role, walk);
    }

    fn walk_mut<'o>(&'o mut self, walk: &mut impl WalkMut<'o>) {
        (**self).walk_mut(walk);
    }

    fn rebuild(&self, with: &mut impl Rebuild) -> Self {
        Box::new((**self).rebuild(with))
    }
}

/// Lists meet each of their parts.
macro_rules! lists {
    ($($List:ty;)+) => {$(
        impl Part for $List {
            fn walk<'o>(&'o self, role: Role, walk: &mut impl Walk<'o>) {
                self.iter().for_each(|part| part.walk(role, walk));
            }

            fn walk_mut<'o>(&'o mut self, walk: &mut impl WalkMut<'o>) {
                self.iter_mut().for_each(|part| part.walk_mut(walk));
            }

            fn rebuild(&self, with: &mut impl Rebuild) -> Self {
                self.iter().map(|part| part.rebuild(with)).collect()
            }
        }
    )+};
}
lists! {
    Vec<Atom>;
    Vec<Extent>;
    Vec<Range>;
    Vec<usize>;
    SmallVec<[Atom; 2]>;
}

/// Parts in which there is nothing to be met.
macro_rules! plain {
    ($($Plain:ty),+) => {$(
        impl Part for $Plain {
            fn walk<'o>(&'o self, _: Role, _: &mut impl Walk<'o>) {}
            fn walk_mut<'o>(&'o mut self, _: &mut impl WalkMut<'o>) {}
            fn rebuild(&self, _: &mut impl Rebuild) -> Self {
                *self
            }
        }
    )+};
}
plain!(bool, ScalarOp, Policy, Agreement);

impl Part for usize {
    fn walk<'o>(&'o self, _: Role, walk: &mut impl Walk<'o>) {
        walk.number(*self);
    }

    fn walk_mut<'o>(&'o mut self, _: &mut impl WalkMut<'o>) {}

    fn rebuild(&self, _: &mut impl Rebuild) -> Self {
        *self
    }
}
