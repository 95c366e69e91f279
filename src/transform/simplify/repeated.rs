//! Which values are the same: each variable has a class, and two of one class are equal in every run.
//!
//! Law: classes are equal only if values are. A class is an operation with the classes of its operands; the parameters of
//! a combinator's function are classed by what they stand for, so that the same function written twice has results of
//! one class. All maps over one array in one scope are over one *space*: their parameters for it are the same "any
//! element", and an array that such a map gives is remembered as the elements it was made of.

use rustc_hash::FxHashMap;

use crate::array::{Atom, Const, Op, ScalarOp, Var};

/// A class of values that are known to be equal.
pub(super) type Class = u32;

/// What makes a class, apart from its operands.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub(super) enum Kind {
    Scalar(ScalarOp),
    Iota,
    Replicate,
    Elements,
    Size,
    Index,
    Slice,
    Update,
    Permute,
    Reshape,
    Concat,
    Reverse,
    Scatter,
    /// A scope: the bodies of a combinator with these operands, in the scope around.
    Reduce,
    Scan,
    Hist,
    For,
    While,
    /// A parameter of a scope, by its position.
    Param,
    /// An element of an array, in a space.
    Element,
    /// The array of a value's elements, over a space.
    Mapped,
    /// A result of a scope, by its position, and all results of its bodies.
    Result,
    /// One of two values.
    Branch,
}

/// The values that could be used around a body that uses none of them.
pub(super) struct Enclosed {
    held: FxHashMap<Class, (Atom, usize)>,
}

/// What makes a class. Few operands are kept in place, since almost all operations have few.
#[derive(Debug, PartialEq, Eq, Hash)]
struct Key {
    kind: Kind,
    count: usize,
    few: [Class; FEW],
    more: Vec<Class>,
}

const FEW: usize = 4;

impl Key {
    fn new(kind: Kind, operands: &[Class]) -> Self {
        let (first, more) = operands.split_at(operands.len().min(FEW));
        let mut few = [0; FEW];
        few[..first.len()].copy_from_slice(first);
        Key { kind, count: operands.len(), few, more: more.to_vec() }
    }
}

#[derive(Debug, Default)]
pub(super) struct Repeated {
    numbers: FxHashMap<Key, Class>,
    constants: FxHashMap<Const, Class>,
    next: Class,
    /// The class of each variable.
    classes: Vec<Class>,
    /// The values that can be used here, with the number of bodies around their definition.
    held: FxHashMap<Class, (Atom, usize)>,
    /// What became usable in each open body.
    opened: Vec<Vec<Class>>,
    announced: Vec<(Var, Class)>,
    /// The scopes around.
    scopes: Vec<Class>,
    spaces: FxHashMap<(Class, Class), Class>,
    mapped: FxHashMap<Class, (Class, Class)>,
}

impl Repeated {
    pub(super) fn new() -> Self {
        Repeated { opened: vec![Vec::new()], scopes: vec![0], next: 1, ..Repeated::default() }
    }

    /// The same classes, of which no value can be used; to be followed by what is bound from here on.
    pub(super) fn within(&mut self) -> Enclosed {
        let scope = self.unique();
        self.scopes.push(scope);
        Enclosed { held: core::mem::take(&mut self.held) }
    }

    pub(super) fn without(&mut self, before: Enclosed) {
        self.scopes.pop();
        self.held = before.held;
    }

    /// A class of its own.
    pub(super) fn unique(&mut self) -> Class {
        self.next += 1;
        self.next - 1
    }

    /// The class of an operation on these classes.
    pub(super) fn class(&mut self, kind: Kind, operands: &[Class]) -> Class {
        let next = &mut self.next;
        *self.numbers.entry(Key::new(kind, operands)).or_insert_with(|| {
            *next += 1;
            *next - 1
        })
    }

    pub(super) fn of(&mut self, atom: Atom) -> Class {
        match atom {
            Atom::Var(var) => self.classes[var.0 as usize],
            Atom::Const(constant) => {
                let next = &mut self.next;
                *self.constants.entry(constant).or_insert_with(|| {
                    *next += 1;
                    *next - 1
                })
            }
        }
    }

    pub(super) fn all(&mut self, atoms: &[Atom]) -> Vec<Class> {
        atoms.iter().map(|a| self.of(*a)).collect()
    }

    /// Says of which class a variable is, which is bound so deep.
    pub(super) fn set(&mut self, var: Var, class: Class, depth: usize) {
        let at = var.0 as usize;
        if self.classes.len() <= at {
            self.classes.resize(at + 1, 0);
        }
        self.classes[at] = class;
        self.held.entry(class).or_insert_with(|| {
            self.opened[depth].push(class);
            (var.into(), depth)
        });
    }

    /// The value of a class that can be used here, and how deep it is bound.
    pub(super) fn held(&self, class: Class) -> Option<(Atom, usize)> {
        self.held.get(&class).copied()
    }

    /// The value of a class, if there is one, is not to be used from here on.
    pub(super) fn forget(&mut self, class: Class) {
        self.held.remove(&class);
    }

    pub(super) fn depth(&self) -> usize {
        self.opened.len() - 1
    }

    /// Parameters of the body that is opened next.
    pub(super) fn announce(&mut self, params: &[(Var, Class)]) {
        self.announced.extend(params);
    }

    pub(super) fn open(&mut self) {
        self.opened.push(Vec::new());
        for (var, class) in core::mem::take(&mut self.announced) {
            self.set(var, class, self.depth());
        }
    }

    pub(super) fn close(&mut self) {
        for class in self.opened.pop().expect("a body is open") {
            self.held.remove(&class);
        }
    }

    /// A scope in the one around, with what makes it.
    pub(super) fn scope(&mut self, kind: Kind, operands: &[Class]) -> Class {
        let around = self.current();
        self.class(kind, &[&[around], operands].concat())
    }

    pub(super) fn enter(&mut self, scope: Class) {
        self.scopes.push(scope);
    }

    /// The scope that is open.
    pub(super) fn current(&self) -> Class {
        *self.scopes.last().expect("a scope is open")
    }

    pub(super) fn leave(&mut self) {
        self.scopes.pop();
    }

    /// The space of maps over arrays of these classes, in the scope around.
    pub(super) fn space(&mut self, arrays: &[Class]) -> Class {
        let around = self.current();
        let known = arrays.iter().find_map(|a| self.spaces.get(&(around, *a)).copied());
        let space = known.unwrap_or_else(|| self.unique());
        arrays.iter().for_each(|a| {
            self.spaces.entry((around, *a)).or_insert(space);
        });
        space
    }

    /// Any element of an array, in a space.
    pub(super) fn element(&mut self, space: Class, array: Class) -> Class {
        match self.mapped.get(&array) {
            Some((of, element)) if *of == space => *element,
            _ => self.class(Kind::Element, &[space, array]),
        }
    }

    /// The array of these elements, over a space in the scope around.
    pub(super) fn array(&mut self, space: Class, element: Class) -> Class {
        let around = self.current();
        let array = self.class(Kind::Mapped, &[space, element]);
        self.mapped.insert(array, (space, element));
        self.spaces.entry((around, array)).or_insert(space);
        array
    }

    /// The array of these elements, if one was made.
    pub(super) fn made(&self, space: Class, element: Class) -> Option<Class> {
        self.numbers.get(&Key::new(Kind::Mapped, &[space, element])).copied()
    }

    /// The class of the result of an operation without bodies. What has an effect on an accumulator is its own.
    pub(super) fn operation(&mut self, op: &Op) -> Class {
        let mut operands = Vec::with_capacity(FEW);
        op.atoms(|a| operands.push(self.of(a)));
        let number = |n: usize| Class::try_from(n).expect("a program has fewer than 2^32 variables");
        let kind = match op {
            Op::Scalar(scalar, _) => {
                if matches!(scalar, ScalarOp::Add | ScalarOp::Mul) {
                    operands.sort_unstable();
                }
                Kind::Scalar(*scalar)
            }
            Op::Iota(_) => Kind::Iota,
            Op::Replicate(..) => Kind::Replicate,
            Op::Elements(_) => Kind::Elements,
            Op::Size(_, dimension) => {
                operands.push(number(*dimension));
                Kind::Size
            }
            Op::Index(..) => Kind::Index,
            Op::Slice(..) => Kind::Slice,
            Op::Update(..) => Kind::Update,
            Op::Permute(_, order) => {
                operands.extend(order.iter().copied().map(number));
                Kind::Permute
            }
            Op::Reshape(..) => Kind::Reshape,
            Op::Concat(_) => Kind::Concat,
            Op::Reverse(_) => Kind::Reverse,
            Op::Scatter(_) => Kind::Scatter,
            Op::Copy(_) | Op::ToAccumulator(_) | Op::Accumulate(..) | Op::FromAccumulator(_) => return self.unique(),
            Op::If(..) | Op::Loop(_) | Op::Map(_) | Op::Reduce(_) => panic!("an operation without bodies"),
            Op::Scan(_) | Op::Hist(_) | Op::Custom(_) => panic!("an operation without bodies"),
        };
        self.class(kind, &operands)
    }
}
