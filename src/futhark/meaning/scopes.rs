//! Where variables live and where they are used last, found before evaluation.
//!
//! A *unit* is what has a frame of its own: a definition, a chain of lambdas `\x -> \y -> …`, or a local polymorphic
//! definition. A variable has a slot in the frame of the unit that binds it; other units capture it.
//!
//! Law: a use is called last only if no evaluation of the same frame can come to another use of the value: not after
//! it, not in another iteration of a loop around it, not in a function made before it. So the value can be taken away
//! there (tests/language/interpret.rs).

use rustc_hash::{FxHashMap, FxHashSet};

use crate::futhark::core::sizes::leaves;
use crate::futhark::core::{
    Expression, ExpressionKind, Instance, Local, LoopForm, Pattern, PatternKind, Program, Size, Type,
};

/// What has a frame of its own.
#[derive(Debug)]
pub(super) struct Unit<'p> {
    /// Its parameters, one for each lambda of the chain.
    pub(super) params: Vec<&'p Pattern>,
    /// What is evaluated in the frame.
    pub(super) body: &'p Expression,
    /// Its number.
    pub(super) number: u32,
    /// How many slots a frame has.
    pub(super) slots: usize,
    /// The variables of other units that it mentions, in order.
    pub(super) captures: Vec<Local>,
    /// Whether it is a function that calls itself.
    pub(super) recursive: bool,
}

/// Where a variable lives.
#[derive(Debug, Clone, Copy)]
pub(super) struct Place {
    /// The unit that binds it.
    pub(super) unit: u32,
    /// Its slot.
    pub(super) slot: u32,
    /// In how many loops of the unit it is bound.
    loops: u32,
    /// Whether it is ever mentioned.
    pub(super) used: bool,
}

/// What is known of all variables of a program.
#[derive(Debug, Default)]
pub(super) struct Scopes<'p> {
    /// By whether they are lambdas, and the address of the lambda that begins the unit, or of the expression of a definition.
    units: FxHashMap<(bool, usize), Unit<'p>>,
    places: Vec<Place>,
    /// The addresses of uses that are last.
    last: FxHashSet<usize>,
    /// The constants that are sizes, by their variables.
    constants: FxHashMap<Local, usize>,
}

fn address(expression: &Expression) -> usize {
    core::ptr::from_ref(expression) as usize
}

/// Programs may be nested as deeply as the checker allows.
pub(super) fn deep<T>(work: impl FnOnce() -> T) -> T {
    stacker::maybe_grow(512 << 10, 8 << 20, work)
}

impl<'p> Scopes<'p> {
    /// Finds them.
    pub(super) fn of(program: &'p Program) -> Self {
        let nowhere = Place { unit: u32::MAX, slot: 0, loops: 0, used: false };
        let mut scopes = Scopes { places: vec![nowhere; program.locals.len()], ..Scopes::default() };
        let mut walk = Walk {
            program,
            scopes: &mut scopes,
            definition: 0,
            recursive: false,
            unit: 0,
            next: 0,
            slots: 0,
            loops: 0,
        };
        for (place, definition) in program.definitions.iter().enumerate() {
            walk.scopes.constants.extend(definition.size.map(|size| (size, place)));
            (walk.definition, walk.recursive) = (place, false);
            walk.unit(&definition.body, &definition.scheme.sizes, Vec::new(), &definition.body);
            if walk.recursive
                && let Some(unit) = walk.scopes.units.get_mut(&(true, address(&definition.body)))
            {
                unit.recursive = true;
            }
        }
        // The sizes of arguments from outside are compared, whether the body mentions them or not.
        for entry in &program.entries {
            let sizes = program.definition(entry.definition).map(|it| &it.scheme.sizes);
            for local in sizes.into_iter().flatten() {
                if let Some(place) = scopes.places.get_mut(local.0 as usize) {
                    place.used = true;
                }
            }
        }
        scopes
    }

    /// The unit of the lambdas that begin here.
    pub(super) fn lambda(&self, expression: &Expression) -> Option<&Unit<'p>> {
        self.units.get(&(true, address(expression)))
    }

    /// The unit of a definition, at the top or polymorphic, with this expression.
    pub(super) fn definition(&self, expression: &Expression) -> Option<&Unit<'p>> {
        self.units.get(&(false, address(expression)))
    }

    /// Where a variable lives.
    pub(super) fn place(&self, local: Local) -> Option<Place> {
        self.places.get(local.0 as usize).copied()
    }

    /// The place of the definition that is the constant with this variable.
    pub(super) fn constant(&self, local: Local) -> Option<usize> {
        self.constants.get(&local).copied()
    }

    /// Whether this use is the last.
    pub(super) fn is_last(&self, expression: &Expression) -> bool {
        self.last.contains(&address(expression))
    }
}

/// Goes through a unit, first forwards to give places, then backwards to find the last uses.
struct Walk<'s, 'p> {
    program: &'p Program,
    scopes: &'s mut Scopes<'p>,
    /// The place of the definition that we are in, and whether it has mentioned itself.
    definition: usize,
    recursive: bool,
    /// The unit that we are in.
    unit: u32,
    /// The number of the next unit.
    next: u32,
    slots: u32,
    loops: u32,
}

/// Variables that are used later.
type Live = FxHashSet<Local>;

impl<'p> Walk<'_, 'p> {
    /// Finds all about a unit, and returns the variables of others that it mentions.
    fn unit(
        &mut self,
        key: &'p Expression,
        bound: &[Local],
        params: Vec<&'p Pattern>,
        body: &'p Expression,
    ) -> Vec<Local> {
        let around = (self.unit, self.slots, self.loops);
        let params_given = !params.is_empty();
        (self.unit, self.slots, self.loops) = (self.next, 0, 0);
        self.next += 1;
        bound.iter().for_each(|local| self.bind(*local));
        params.iter().for_each(|param| self.bind_pattern(param));
        let mut live = Live::default();
        self.walk(body, &mut live);
        params.iter().for_each(|param| self.pattern_sizes(param, &mut live));
        let mut captures: Vec<Local> = live.into_iter().filter(|local| self.place(*local).unit != self.unit).collect();
        captures.sort_unstable();
        let (number, slots, captures_of) = (self.unit, self.slots as usize, captures.clone());
        let unit = Unit { params, body, number, slots, captures: captures_of, recursive: false };
        self.scopes.units.insert((params_given, address(key)), unit);
        (self.unit, self.slots, self.loops) = around;
        captures
    }

    fn place(&self, local: Local) -> Place {
        let nowhere = Place { unit: u32::MAX, slot: 0, loops: 0, used: false };
        self.scopes.places.get(local.0 as usize).copied().unwrap_or(nowhere)
    }

    fn bind(&mut self, local: Local) {
        let place = Place { unit: self.unit, slot: self.slots, loops: self.loops, used: false };
        self.slots += 1;
        if let Some(at) = self.scopes.places.get_mut(local.0 as usize) {
            *at = place;
        }
    }

    fn bind_pattern(&mut self, pattern: &Pattern) {
        pattern.binds.iter().for_each(|local| self.bind(*local));
        if let PatternKind::Local(local) = &pattern.kind {
            self.bind(*local);
        }
        pattern.children().into_iter().for_each(|part| self.bind_pattern(part));
    }

    /// A use of a variable, which is the last if none is known later, and the value is made again before the next.
    fn touch(&mut self, local: Local, at: Option<&Expression>, live: &mut Live) {
        let place = self.place(local);
        if let Some(place) = self.scopes.places.get_mut(local.0 as usize) {
            place.used = true;
        }
        let fresh = live.insert(local);
        if let Some(at) = at.filter(|_| fresh && place.unit == self.unit && place.loops == self.loops) {
            self.scopes.last.insert(address(at));
        }
    }

    fn size(&mut self, size: &Size, live: &mut Live) {
        leaves(size, &mut |leaf| {
            // Constants and hidden sizes are bound nowhere.
            if let Size::Local(local) = leaf
                && self.place(*local).unit != u32::MAX
            {
                self.touch(*local, None, live);
            }
        });
    }

    fn sizes(&mut self, of: &Type, live: &mut Live) {
        match of {
            // The sizes of functions are needed where their results are made.
            Type::Function(_) => return,
            Type::Array(size, _) => self.size(size, live),
            Type::Prim(_) | Type::Var(_) | Type::Unknown(_) | Type::Record(_) | Type::Sum(_) | Type::Accumulator(_) => {
            }
        }
        of.children().for_each(|of| self.sizes(of, live));
    }

    fn pattern_sizes(&mut self, pattern: &Pattern, live: &mut Live) {
        if !pattern.binds.is_empty() {
            self.sizes(&pattern.of, live);
        }
        pattern.children().into_iter().for_each(|part| self.pattern_sizes(part, live));
    }

    fn instance(&mut self, instance: &Instance, live: &mut Live) {
        instance.sizes.iter().for_each(|size| self.size(size, live));
        instance.types.iter().for_each(|of| self.sizes(of, live));
    }

    fn all(&mut self, parts: impl IntoIterator<Item = &'p Expression>, live: &mut Live) {
        let parts: Vec<&Expression> = parts.into_iter().collect();
        parts.into_iter().rev().for_each(|part| self.walk(part, live));
    }

    /// Goes through an expression, last part first. What is bound in it is bound on the way in.
    fn walk(&mut self, expression: &'p Expression, live: &mut Live) {
        deep(|| self.walk_within(expression, live));
    }

    fn walk_within(&mut self, expression: &'p Expression, live: &mut Live) {
        match &expression.kind {
            ExpressionKind::Local(local) => self.touch(*local, Some(expression), live),
            ExpressionKind::LocalInstance(local, instance) => {
                self.touch(*local, None, live);
                self.instance(instance, live);
            }
            ExpressionKind::Definition(definition, instance) => {
                self.recursive |= self.program.place(*definition) == Some(self.definition);
                self.instance(instance, live);
            }
            ExpressionKind::Intrinsic(_, instance) => self.instance(instance, live),
            ExpressionKind::Size(size) => self.size(size, live),
            ExpressionKind::RecordUpdate(record, _, value) => self.all([&**value, &**record], live),
            ExpressionKind::Update(..) => {
                // The array is evaluated after what it is indexed by and what is written, so that its use can be the last.
                let mut parts: Vec<&Expression> = expression.children().collect();
                parts.rotate_left(1);
                self.all(parts, live);
            }
            ExpressionKind::Constructor(..)
            | ExpressionKind::Array(_)
            | ExpressionKind::Coerce(_)
            | ExpressionKind::Hole => {
                self.sizes(&expression.of, live);
                self.all(expression.children(), live);
            }
            ExpressionKind::Equal(first, _) => {
                self.sizes(&first.of, live);
                self.all(expression.children(), live);
            }
            ExpressionKind::Constant(_)
            | ExpressionKind::Record(_)
            | ExpressionKind::Field(..)
            | ExpressionKind::Range(_)
            | ExpressionKind::Index(..)
            | ExpressionKind::Primitive(..)
            | ExpressionKind::Convert(_)
            | ExpressionKind::Apply { .. }
            | ExpressionKind::Assert(..) => self.all(expression.children(), live),
            ExpressionKind::Lambda(_) => {
                let (mut params, mut body) = (Vec::new(), expression);
                while let ExpressionKind::Lambda(lambda) = &body.kind {
                    params.push(&lambda.param);
                    body = &lambda.body;
                }
                let captures = self.unit(expression, &[], params, body);
                captures.into_iter().for_each(|local| self.touch(local, None, live));
            }
            ExpressionKind::Let(pattern, value, body) => {
                self.bind_pattern(pattern);
                self.walk(body, live);
                self.pattern_sizes(pattern, live);
                self.walk(value, live);
            }
            ExpressionKind::LetPolymorphic(local, scheme, value, body) => {
                self.bind(*local);
                self.walk(body, live);
                let captures = self.unit(value, &scheme.sizes, Vec::new(), value);
                captures.into_iter().for_each(|local| self.touch(local, None, live));
            }
            ExpressionKind::If(condition, yes, no) => {
                let mut other = live.clone();
                self.walk(yes, live);
                self.walk(no, &mut other);
                live.extend(other);
                self.walk(condition, live);
            }
            ExpressionKind::Match(value, cases) => {
                let after = live.clone();
                for (pattern, body) in cases {
                    let mut other = after.clone();
                    self.bind_pattern(pattern);
                    self.walk(body, &mut other);
                    self.pattern_sizes(pattern, &mut other);
                    live.extend(other);
                }
                self.walk(value, live);
            }
            ExpressionKind::Loop(it) => {
                self.loops += 1;
                it.sizes.iter().for_each(|local| self.bind(*local));
                self.bind_pattern(&it.pattern);
                match &it.form {
                    LoopForm::For(local, _) => self.bind(*local),
                    LoopForm::In(pattern, _) => self.bind_pattern(pattern),
                    LoopForm::While(_) => {}
                }
                self.walk(&it.body, live);
                if let LoopForm::While(condition) = &it.form {
                    self.walk(condition, live);
                }
                self.sizes(&it.pattern.of, live);
                self.loops -= 1;
                match &it.form {
                    LoopForm::For(_, bound) => self.walk(bound, live),
                    LoopForm::In(_, array) => self.walk(array, live),
                    LoopForm::While(_) => {}
                }
                if let Some(bound) = &it.policy.bound {
                    self.walk(bound, live);
                }
                self.walk(&it.initial, live);
            }
        }
    }
}
