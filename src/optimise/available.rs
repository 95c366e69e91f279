//! Which values are the same: each variable has a class, and two of one class are equal in every run.
//!
//! Law: classes are equal only if values are. A class is an operation with the classes of its operands; the parameters
//! of a combinator's function are classed by what they stand for, so that the same function written twice has results
//! of one class. All maps over one array in one scope are over one *space*: their parameters for it are the same "any
//! element", and an array that such a map gives is remembered as the elements it was made of
//! (tests/transform/simplify.rs, laws: simplification).

use rustc_hash::FxHashMap;
use smallvec::SmallVec;

use super::hash_cons::Same;
use crate::array::{Atom, Const, Key, Op, ScalarOp, Var};

/// A class of values that are known to be equal.
pub(super) type Class = u32;

/// The classes of operands or of results.
pub(super) type Classes = SmallVec<[Class; 8]>;

/// The kind of a class: all of it but the operands.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub(super) enum Kind {
    /// An operation without bodies.
    Operation(Key),
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
    /// All results of the bodies of a scope.
    Results,
    /// One of them, by its position.
    Result,
    /// One of two values.
    Branch,
}

/// A value that can be used, with the number of bodies around its definition.
#[derive(Debug, Clone, Copy)]
struct Held {
    var: Var,
    depth: u32,
    /// The function in which it can be used.
    within: Class,
}

/// A position as part of a class.
pub(super) fn position(k: usize) -> Class {
    Class::try_from(k).expect("a list is shorter than 2^32")
}

#[derive(Debug, Default)]
pub(super) struct Repeated {
    /// The classes of operations on classes.
    known: Same<Kind>,
    constants: FxHashMap<Const, Class>,
    next: Class,
    /// The class of each variable.
    classes: Vec<Class>,
    /// The value of each class that can be used.
    held: Vec<Option<Held>>,
    /// The function that mentions nothing from outside, around this.
    within: Class,
    /// The classes of what became usable in each open body, and what of them was there before.
    opened: Vec<Vec<(Class, Option<Held>)>>,
    announced: Vec<(Var, Class)>,
    /// The scopes around.
    scopes: Vec<Class>,
    spaces: FxHashMap<(Class, Class), Class>,
    mapped: FxHashMap<Class, (Class, Class)>,
    /// The classes of operands, while they are listed.
    operands: Vec<Class>,
}

impl Repeated {
    /// Room for the classes of this many variables.
    pub(super) fn new(variables: usize) -> Self {
        let known = Same::with_capacity(variables);
        let (classes, held) = (Vec::with_capacity(variables), Vec::with_capacity(variables));
        Repeated { known, classes, held, opened: vec![Vec::new()], scopes: vec![0], next: 1, ..Repeated::default() }
    }

    /// Enters a function that can use no value from here, and returns the class of the scope that it left.
    pub(super) fn within(&mut self) -> Class {
        let scope = self.unique();
        self.scopes.push(scope);
        core::mem::replace(&mut self.within, scope)
    }

    /// Leaves the function again.
    pub(super) fn without(&mut self, before: Class) {
        self.scopes.pop();
        self.within = before;
    }

    /// A class of its own.
    pub(super) fn unique(&mut self) -> Class {
        self.next += 1;
        self.next - 1
    }

    /// The class of an operation on these classes.
    pub(super) fn class(&mut self, kind: Kind, operands: &[Class]) -> Class {
        let next = &mut self.next;
        self.known.number(kind, operands, || {
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

    pub(super) fn all(&mut self, atoms: &[Atom]) -> Classes {
        atoms.iter().map(|a| self.of(*a)).collect()
    }

    /// Says of which class a variable is, which is bound so deep.
    pub(super) fn set(&mut self, var: Var, class: Class, depth: usize) {
        let at = var.0 as usize;
        if self.classes.len() <= at {
            self.classes.resize(at + 1, 0);
        }
        self.classes[at] = class;
        if self.held(class).is_none() {
            let k = class as usize;
            if self.held.len() <= k {
                self.held.resize(k + 1, None);
            }
            let before = self.held[k].replace(Held { var, depth: position(depth), within: self.within });
            // What is usable in the outermost body stays so.
            if depth > 0 {
                self.opened[depth].push((class, before));
            }
        }
    }

    /// The value of a class that can be used here, and how deep it is bound.
    pub(super) fn held(&self, class: Class) -> Option<(Atom, usize)> {
        let held = (*self.held.get(class as usize)?)?;
        (held.within == self.within).then(|| (held.var.into(), held.depth as usize))
    }

    /// The value of a class, if there is one, is not to be used from here on.
    pub(super) fn forget(&mut self, class: Class) {
        if self.held(class).is_some() {
            self.held[class as usize] = None;
        }
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
        for (class, before) in self.opened.pop().expect("a body is open").into_iter().rev() {
            self.held[class as usize] = before;
        }
    }

    /// A scope in the one around, with what makes it.
    pub(super) fn scope(&mut self, kind: Kind, operands: &[Class]) -> Class {
        self.class_within(kind, self.current(), operands)
    }

    /// The class of these classes in a scope.
    pub(super) fn class_within(&mut self, kind: Kind, scope: Class, operands: &[Class]) -> Class {
        let all: Classes = core::iter::once(scope).chain(operands.iter().copied()).collect();
        self.class(kind, &all)
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
        self.known.find(Kind::Mapped, &[space, element])
    }

    /// The class of the result of an operation without bodies, and whether nothing was of it before. What has an effect on an
    /// accumulator is its own.
    pub(super) fn operation(&mut self, op: &Op) -> (Class, bool) {
        let before = self.next;
        let class = self.of_operation(op);
        (class, class >= before)
    }

    fn of_operation(&mut self, op: &Op) -> Class {
        let mut operands = core::mem::take(&mut self.operands);
        operands.clear();
        op.atoms(|a| operands.push(self.of(a)));
        op.numbers(|n| operands.push(position(n)));
        if let Op::Scalar(ScalarOp::Add | ScalarOp::Mul, _) = op {
            operands.sort_unstable();
        }
        let class = match op.key() {
            Some(key) => self.class(Kind::Operation(key), &operands),
            None => self.unique(),
        };
        self.operands = operands;
        class
    }
}
