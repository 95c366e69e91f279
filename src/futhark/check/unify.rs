//! What inference knows so far: unknown types with what is required of them, unknown sizes, and how they become known.
//!
//! Law: making two types equal never binds an unknown to what is not in scope where it was made; sizes of which nothing
//! is certain are left to be compared when the program runs (tests/language/check.rs).

use rustc_hash::{FxHashMap, FxHashSet};

use super::deep;
use super::sizes::{Polynomial, leaves, map_size};
use super::substitute::{map_locals, map_type, with_sizes};
use crate::futhark::core::{Holds, Local, Prim, Size, Type, TypeVar};
use crate::futhark::source::{Name, Span};
use crate::futhark::syntax::tree::TypeParamKind;

/// A set of scalar kinds.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Prims(pub(super) u16);

impl Prims {
    pub(super) fn of(keep: impl Fn(Prim) -> bool) -> Prims {
        let kept = Prim::ALL.into_iter().filter(|prim| keep(*prim));
        Prims(kept.fold(0, |set, prim| set | Prims::bit(prim)))
    }

    fn bit(prim: Prim) -> u16 {
        1 << prim as u16
    }

    pub(super) fn members(self) -> impl Iterator<Item = Prim> {
        Prim::ALL.into_iter().filter(move |prim| self.has(*prim))
    }

    pub(super) fn has(self, prim: Prim) -> bool {
        self.0 & Prims::bit(prim) != 0
    }

    /// The kind of a number of which nothing else is said.
    pub(super) fn default(self) -> Option<Prim> {
        [Prim::I32, Prim::F64].into_iter().find(|prim| self.has(*prim)).or_else(|| self.members().next())
    }
}

/// What is required of an unknown type.
#[derive(Debug, Clone)]
pub(super) enum Required {
    Nothing,
    OneOf(Prims),
    Fields(Vec<(Name, Type)>),
    Constructors(Vec<(Name, Vec<Type>)>),
}

impl Required {
    /// The types that are mentioned in it.
    pub(super) fn types(&self) -> Vec<&Type> {
        match self {
            Required::Nothing | Required::OneOf(_) => Vec::new(),
            Required::Fields(fields) => fields.iter().map(|(_, of)| of).collect(),
            Required::Constructors(constructors) => constructors.iter().flat_map(|(_, payload)| payload).collect(),
        }
    }

    /// The same, to be changed.
    pub(super) fn types_mut(&mut self) -> Vec<&mut Type> {
        match self {
            Required::Nothing | Required::OneOf(_) => Vec::new(),
            Required::Fields(fields) => fields.iter_mut().map(|(_, of)| of).collect(),
            Required::Constructors(constructors) => constructors.iter_mut().flat_map(|(_, payload)| payload).collect(),
        }
    }
}

/// An unknown type.
#[derive(Debug, Clone)]
pub(super) struct TypeCell {
    pub(super) level: u32,
    pub(super) required: Required,
    pub(super) value: Option<Type>,
    /// Whether a type with sizes that are known only from a value may stand here: it may in the place of `'~t` and of `'^t`, and may
    /// not in that of `'t`.
    pub(super) lifted: Option<bool>,
    pub(super) span: Span,
}

/// An unknown size.
#[derive(Debug, Clone)]
pub(super) struct SizeCell {
    pub(super) level: u32,
    pub(super) value: Option<Size>,
    /// Whether it is written as what is no term that sizes can be.
    pub(super) is_written: bool,
    pub(super) span: Span,
}

/// Why two types cannot be equal.
#[derive(Debug, Clone)]
pub(super) enum Clash {
    /// They differ.
    Types,
    /// These sizes in them differ.
    Sizes(Size, Size),
    /// One would contain itself.
    Infinite,
    /// It would be too large.
    Large,
    /// A field is missing.
    Field(Name),
    /// A constructor is missing.
    Constructor(Name),
}

/// All that is known of types, sizes and variables.
#[derive(Debug, Clone, Default)]
pub(super) struct Unifier {
    pub(super) types: Vec<TypeCell>,
    pub(super) sizes: Vec<SizeCell>,
    /// How deep the functions, branches and loops around are.
    pub(super) level: u32,
    /// The name of each variable.
    pub(super) locals: Vec<Name>,
    /// How many type parameters there are.
    pub(super) type_variables: u32,
    /// The depth at which each variable is bound.
    pub(super) local_levels: Vec<u32>,
    /// Variables of which it is known that they are this size.
    pub(super) alias: FxHashMap<Local, Size>,
    /// Variables in the place of which stands this size.
    pub(super) eliminated: FxHashMap<Local, Size>,
    /// Variables that stand for one or the other of these sizes.
    pub(super) choices: FxHashMap<Local, Vec<Size>>,
    /// Variables that stand for sizes that have no terms of their own.
    pub(super) soft: FxHashSet<Local>,
    /// Sizes that are written nowhere of parameters with a type: they are what they have to be.
    pub(super) implicit: FxHashSet<Local>,
    /// Sizes that are known only from a value.
    pub(super) existential: FxHashSet<Local>,
    /// What type parameters that are written may stand for, by their numbers.
    pub(super) lifted: FxHashMap<u32, TypeParamKind>,
    /// The depth at which type parameters that are written are bound.
    pub(super) type_levels: FxHashMap<u32, u32>,
    /// Types that stand for type parameters that take no functions, with their names and where they do.
    pub(super) instances: Vec<(Type, TypeVar, Span)>,
    /// The sizes that functions are used at, and where.
    pub(super) used_at: Vec<(u32, Span)>,
    /// Types of the results of branches and loops, which are no functions and have none in them.
    pub(super) chosen: Vec<Type>,
    /// Whether there are [hidden](HIDDEN) sizes.
    pub(super) hides: bool,
    /// Equations of sizes that may be solved when more is known.
    pub(super) deferred: Vec<(Size, Size)>,
}

type Unified = Result<bool, Clash>;

impl Unifier {
    pub(super) fn unknown(&mut self, required: Required, span: Span) -> Type {
        self.types.push(TypeCell { level: self.level, required, value: None, lifted: None, span });
        Type::Unknown(u32::try_from(self.types.len() - 1).expect("fewer than 2^32 unknowns"))
    }

    pub(super) fn unknown_size(&mut self, span: Span) -> Size {
        self.sizes.push(SizeCell { level: self.level, value: None, is_written: false, span });
        Size::Unknown(u32::try_from(self.sizes.len() - 1).expect("fewer than 2^32 unknowns"))
    }

    /// The type, its outermost form known if it is known at all.
    pub(super) fn head(&self, of: &Type) -> Type {
        self.known(of).clone()
    }

    pub(super) fn known<'t>(&'t self, of: &'t Type) -> &'t Type {
        let mut of = of;
        while let Type::Unknown(unknown) = of {
            match &self.types[*unknown as usize].value {
                Some(value) => of = value,
                None => break,
            }
        }
        of
    }

    /// The size with all that is known put in.
    pub(super) fn resolve_size(&self, size: &Size) -> Size {
        map_size(size, &mut |leaf| self.known_size(leaf))
    }

    /// What is known to stand in the place of a variable of a size.
    fn known_size(&self, leaf: &Size) -> Option<Size> {
        let value = match leaf {
            Size::Unknown(unknown) => self.sizes[*unknown as usize].value.as_ref(),
            Size::Local(local) => self.eliminated.get(local),
            _ => None,
        };
        value.map(|value| self.resolve_size(value))
    }

    /// The type with all that is known put in, if it is small.
    pub(super) fn resolve(&self, of: &Type) -> Type {
        if self.is_small(of) { self.resolved(of) } else { of.clone() }
    }

    pub(super) fn resolved(&self, of: &Type) -> Type {
        let wanted = if self.eliminated.is_empty() { Holds::UNKNOWNS } else { Holds::UNKNOWNS | Holds::SIZES };
        if !of.holds(wanted) {
            return of.clone();
        }
        deep(|| {
            map_type(of, wanted, &mut |leaf| self.known_size(leaf), &mut |variable| match variable {
                Type::Unknown(unknown) => {
                    let value = self.types[*unknown as usize].value.as_ref()?;
                    Some(if value.holds(wanted) { self.resolved(value) } else { value.clone() })
                }
                _ => None,
            })
        })
    }

    /// A type with sizes in the places of variables that may be in what is known of it.
    pub(super) fn at_sizes(&self, of: &Type, sizes: &FxHashMap<Local, Size>) -> Type {
        if sizes.is_empty() { of.clone() } else { with_sizes(&self.resolve(of), sizes) }
    }

    /// A type with new variables, of the same names, in the places of these.
    pub(super) fn renamed(&mut self, of: &Type, sizes: &[Local]) -> (Type, Vec<Local>) {
        if sizes.is_empty() {
            return (of.clone(), Vec::new());
        }
        let own: Vec<Local> = sizes.iter().map(|size| self.local(&self.locals[size.0 as usize].clone())).collect();
        self.existential.extend(&own);
        for (size, own) in sizes.iter().zip(&own) {
            self.stands_for(*own, [Size::Local(*size)]);
        }
        let renamed = sizes.iter().copied().zip(own.iter().copied().map(Size::Local)).collect();
        (with_sizes(&self.resolve(of), &renamed), own)
    }

    /// The normal form of a size.
    pub(super) fn normal(&self, size: &Size) -> Polynomial {
        Polynomial::of(&self.expand(size, 64))
    }

    fn expand(&self, size: &Size, fuel: u32) -> Size {
        map_size(size, &mut |leaf| {
            let value = match leaf {
                Size::Unknown(unknown) => self.sizes[*unknown as usize].value.as_ref(),
                Size::Local(local) => self.alias.get(local),
                _ => None,
            };
            value.filter(|_| fuel > 0).map(|value| self.expand(value, fuel - 1))
        })
    }

    /// Whether two sizes are surely equal.
    pub(super) fn same_size(&self, a: &Size, b: &Size) -> bool {
        a == b || self.normal(a) == self.normal(b)
    }

    /// Makes two types equal; returns whether sizes remain to be compared when the program runs.
    pub(super) fn unify(&mut self, a: &Type, b: &Type) -> Unified {
        match (self.known(a), self.known(b)) {
            (Type::Prim(a), Type::Prim(b)) if a == b => Ok(false),
            (Type::Unknown(a), Type::Unknown(b)) if a == b => Ok(false),
            (a, b) => {
                let (a, b) = (a.clone(), b.clone());
                deep(|| self.unify_heads(a, b))
            }
        }
    }

    fn unify_heads(&mut self, a: Type, b: Type) -> Unified {
        match (a, b) {
            (Type::Unknown(u), b) => self.bind(u, b),
            (a, Type::Unknown(v)) => self.bind(v, a),
            (Type::Var(a), Type::Var(b)) if a.id == b.id => Ok(false),
            (Type::Accumulator(a), Type::Accumulator(b)) => self.unify(&a, &b),
            (Type::Array(n, a), Type::Array(m, b)) => {
                let elements = self.unify(&a, &b)?;
                Ok(self.unify_size(&n, &m)? | elements)
            }
            (Type::Record(a), Type::Record(b)) => {
                if a.len() != b.len() || a.iter().zip(&b).any(|((x, _), (y, _))| x != y) {
                    return Err(Clash::Types);
                }
                a.iter().zip(&b).try_fold(false, |left, ((_, a), (_, b))| Ok(self.unify(a, b)? | left))
            }
            (Type::Sum(a), Type::Sum(b)) => {
                let mut pairs = a.iter().zip(&b);
                if a.len() != b.len() || pairs.any(|((x, p), (y, q))| x != y || p.len() != q.len()) {
                    return Err(Clash::Types);
                }
                let pairs = a.iter().flat_map(|(_, p)| p).zip(b.iter().flat_map(|(_, q)| q));
                pairs.collect::<Vec<_>>().into_iter().try_fold(false, |left, (a, b)| Ok(self.unify(a, b)? | left))
            }
            (Type::Function(a), Type::Function(b)) => {
                let params = self.unify(&a.param, &b.param)?;
                // The same names for the same things, so that what is known only within is seen to be equal.
                let exists = b.exists.iter().copied().zip(a.exists.iter().copied());
                let renamed: FxHashMap<Local, Local> = exists.chain(b.name.zip(a.name)).collect();
                if renamed.is_empty() {
                    return Ok(self.unify(&a.result, &b.result)? | params);
                }
                let own = |local| renamed.get(&local).map(|own| Size::Local(*own));
                let result = map_locals(&self.resolve(&b.result), &mut { own });
                Ok(self.unify(&a.result, &result)? | params)
            }
            _ => Err(Clash::Types),
        }
    }

    fn bind(&mut self, unknown: u32, to: Type) -> Unified {
        let cell = self.types[unknown as usize].clone();
        let mut left = false;
        match (&cell.required, &to) {
            (Required::Nothing, _) => {}
            (_, Type::Unknown(other)) => left |= self.require(*other, cell.required.clone())?,
            (Required::OneOf(prims), Type::Prim(prim)) if prims.has(*prim) => {}
            (Required::Fields(wanted), Type::Record(fields)) => {
                for (name, of) in wanted {
                    let Some((_, field)) = fields.iter().find(|(field, _)| field == name) else {
                        return Err(Clash::Field(name.clone()));
                    };
                    left |= self.unify(of, field)?;
                }
            }
            (Required::Constructors(wanted), Type::Sum(constructors)) => {
                for (name, payload) in wanted {
                    let found = constructors.iter().find(|(constructor, _)| constructor == name);
                    let Some((_, fields)) = found.filter(|(_, fields)| fields.len() == payload.len()) else {
                        return Err(Clash::Constructor(name.clone()));
                    };
                    for (of, field) in payload.iter().zip(fields) {
                        left |= self.unify(of, field)?;
                    }
                }
            }
            (Required::OneOf(_) | Required::Fields(_) | Required::Constructors(_), _) => return Err(Clash::Types),
        }
        if let Type::Unknown(other) = &to {
            let other = &mut self.types[*other as usize].lifted;
            *other = match (cell.lifted, *other) {
                (Some(false), _) | (_, Some(false)) => Some(false),
                (one, another) => one.or(another),
            };
        }
        let to = self.fit(unknown, cell.level, &to, &mut left)?;
        // What was required may have made it known by now.
        match &self.types[unknown as usize].value {
            Some(value) => {
                let value = value.clone();
                Ok(self.unify(&value, &to)? | left)
            }
            None => {
                self.types[unknown as usize].value = Some(to);
                Ok(left)
            }
        }
    }

    /// Requires one more constructor, or that it is the same as one that is required already.
    fn require_constructor(
        &mut self,
        required: &mut Vec<(Name, Vec<Type>)>,
        name: Name,
        payload: Vec<Type>,
    ) -> Unified {
        let Some((_, known)) = required.iter().find(|(constructor, _)| *constructor == name) else {
            required.push((name, payload));
            return Ok(false);
        };
        if known.len() != payload.len() {
            return Err(Clash::Constructor(name));
        }
        known.iter().zip(&payload).try_fold(false, |left, (a, b)| Ok(self.unify(a, b)? | left))
    }

    /// Requires more of an unknown type.
    fn require(&mut self, unknown: u32, more: Required) -> Unified {
        let before = self.types[unknown as usize].required.clone();
        let mut left = false;
        let mut both = match (before, more) {
            (Required::Nothing, other) | (other, Required::Nothing) => other,
            (Required::OneOf(a), Required::OneOf(b)) if a.0 & b.0 != 0 => Required::OneOf(Prims(a.0 & b.0)),
            (Required::Fields(mut a), Required::Fields(b)) => {
                for (name, of) in b {
                    match a.iter().find(|(field, _)| *field == name) {
                        Some((_, field)) => left |= self.unify(&field.clone(), &of)?,
                        None => a.push((name, of)),
                    }
                }
                Required::Fields(a)
            }
            (Required::Constructors(mut a), Required::Constructors(b)) => {
                for (name, payload) in b {
                    left |= self.require_constructor(&mut a, name, payload)?;
                }
                Required::Constructors(a)
            }
            (Required::OneOf(_) | Required::Fields(_) | Required::Constructors(_), _) => return Err(Clash::Types),
        };
        let level = self.types[unknown as usize].level;
        for of in both.types_mut() {
            *of = self.fit(unknown, level, of, &mut left)?;
        }
        let cell = &mut self.types[unknown as usize];
        match (&cell.value, &both) {
            (None, Required::OneOf(prims)) if prims.members().count() == 1 => {
                cell.value = prims.default().map(Type::Prim);
            }
            _ => {}
        }
        cell.required = both;
        Ok(left)
    }

    /// Makes two sizes equal; returns whether that remains to be compared when the program runs.
    pub(super) fn unify_size(&mut self, a: &Size, b: &Size) -> Unified {
        let (a, b) = (self.resolve_size(a), self.resolve_size(b));
        if a == b {
            return Ok(false);
        }
        // Of an unknown and what is another variable, or a number, there is no more to find out.
        if let (Size::Unknown(unknown), other) | (other, Size::Unknown(unknown)) = (&a, &b) {
            let is_plain = match other {
                Size::Constant(_) | Size::Unknown(_) => true,
                Size::Local(local) => !self.alias.contains_key(local),
                _ => false,
            };
            if is_plain && self.assign(*unknown, other) {
                return Ok(false);
            }
        }
        let Some(difference) = self.normal(&a).plus(&self.normal(&b), -1) else { return Ok(true) };
        match difference.as_constant() {
            Some(0) => return Ok(false),
            Some(_) => return Err(Clash::Sizes(a, b)),
            None => {}
        }
        match (&a, &b) {
            (Size::Unknown(u), other) | (other, Size::Unknown(u)) if self.assign(*u, other) => return Ok(false),
            (Size::Product(x, y), Size::Product(z, w)) | (Size::Sum(x, y), Size::Sum(z, w)) => {
                let mut unknowns = Vec::new();
                difference.unknowns(&mut unknowns);
                if !unknowns.is_empty() {
                    let first = self.unify_size(x, z);
                    let second = self.unify_size(y, w);
                    if let (Ok(false), Ok(false)) = (first, second) {
                        return Ok(false);
                    }
                }
            }
            _ => {}
        }
        let Some(difference) = self.normal(&a).plus(&self.normal(&b), -1) else { return Ok(true) };
        let mut unknowns = Vec::new();
        difference.unknowns(&mut unknowns);
        if let [unknown] = unknowns[..]
            && let Some(solution) = difference.solve(unknown)
            && self.assign(unknown, &solution)
        {
            return Ok(false);
        }
        if !unknowns.is_empty() {
            self.deferred.push((a, b));
        }
        Ok(true)
    }

    /// Gives an unknown size its value, if that is in scope where the unknown was made.
    fn assign(&mut self, unknown: u32, value: &Size) -> bool {
        let level = self.sizes[unknown as usize].level;
        let mut inside = false;
        leaves(value, &mut |leaf| inside |= *leaf == Size::Unknown(unknown));
        let exposed = self.expose(value, level).or_else(|| self.expose(&self.normal(value).to_size()?, level));
        let Some(value) = exposed.filter(|_| !inside) else { return false };
        self.shallow(&value, level);
        self.sizes[unknown as usize].value = Some(value);
        true
    }

    /// Tries the equations again that could not be solved before.
    pub(super) fn retry(&mut self) {
        loop {
            let before = std::mem::take(&mut self.deferred);
            let count = before.len();
            for (a, b) in before {
                // What is certainly different is found where the value is compared.
                let _ = self.unify_size(&a, &b);
            }
            if self.deferred.len() >= count {
                return;
            }
        }
    }
}
