//! The comparisons of sizes that a program makes, separated from the statements that make them.
//!
//! Law: a run in which sizes do not agree is an error, also when the statement that would have found it is removed: its
//! comparison stays as a statement of its own, unless the sizes are equal in every run or a remaining statement
//! compares them. A comparison moves to the outermost body in which its sizes are visible, with the number of times
//! that it would have been made, of which it matters only whether it is 0; so it costs the same for any number of
//! elements. A comparison of the removed operator of a histogram moves as if some index were in bounds; that of one
//! that stays makes no other redundant (tests/transform/sizes.rs, laws: array_sizes).

use rustc_hash::FxHashMap;

use super::definitions::Facts;
use super::scopes::{Control, Exit, Scope, only};
use super::size_equalities::{Claim, Equal};
use crate::array::{
    Agree, Agreement, Atom, Body, Custom, Extent, Form, Hist, Lambda, Loop, Op, Prim, Program, Reduce, ScalarOp, Stm,
    Type, Var, deeper,
};

/// Which comparisons are written.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Written {
    /// All, so that what becomes of statements loses none.
    All,
    /// Those that are written already, and those of statements that go.
    Lost,
    /// Of these only those that no statement that stays makes as well.
    Needed,
}

/// The comparisons that are to be written, by body, in the order in which bodies are met.
pub(super) struct Plan {
    placed: Vec<Vec<(usize, Claim)>>,
    /// What they need, and what must stay since only it can compare what it compares.
    pub(super) roots: Vec<Atom>,
}

/// Finds what is to be compared by a program in which these variables are needed. What binds a variable from `again` on
/// has been executed before, and compares only what is said to be compared.
pub(super) fn plan(program: &Program, needed: &[bool], written: Written, again: Option<Var>) -> Plan {
    let mut reader = Reader {
        program,
        needed,
        again,
        facts: Facts::of_sizes(program.types.len()),
        fixed: FxHashMap::default(),
        bound: vec![(0, 0); program.types.len()],
        products: FxHashMap::default(),
        scopes: Vec::new(),
        roots: Vec::new(),
        custom: None,
    };
    for param in &program.function.params {
        reader.facts.bind(*param, program.type_of(*param), 0);
    }
    reader.body(&program.function.body, None, Control::Nothing, 0);
    reader.choose(written)
}

impl Plan {
    /// Writes the comparisons, in place of those that were there.
    pub(super) fn write(self, program: &mut Program) {
        let mut placed = self.placed.into_iter();
        write(&mut program.function.body, &mut placed, false);
    }
}

fn write(body: &mut Body, placed: &mut impl Iterator<Item = Vec<(usize, Claim)>>, closed: bool) {
    let here = placed.next().expect("each body has its comparisons");
    if here.is_empty() && !body.stms.iter().any(|stm| matches!(stm.op, Op::Agree(_))) {
        return deeper(|| {
            for stm in &mut body.stms {
                let inner = closed || matches!(stm.op, Op::Custom(_));
                stm.op.bodies_mut().for_each(|body| write(body, placed, inner));
            }
        });
    }
    let mut here = here.into_iter().peekable();
    let old = core::mem::take(&mut body.stms);
    body.stms.reserve(old.len());
    deeper(|| {
        for (at, mut stm) in old.into_iter().enumerate() {
            while let Some((_, claim)) = here.next_if(|(place, _)| *place <= at) {
                body.stms.push(claim.stm());
            }
            let inner = closed || matches!(stm.op, Op::Custom(_));
            stm.op.bodies_mut().for_each(|body| write(body, placed, inner));
            if closed || !matches!(stm.op, Op::Agree(_)) {
                body.stms.push(stm);
            }
        }
    });
    body.stms.extend(here.map(|(_, claim)| claim.stm()));
}

struct Reader<'p> {
    program: &'p Program,
    needed: &'p [bool],
    again: Option<Var>,
    facts: Facts,
    /// The sizes of variables that loops and operators bind again and again, and that stay the same.
    fixed: FxHashMap<(Var, usize), Extent>,
    /// The body that binds a variable, and the number of the statement after.
    bound: Vec<(usize, usize)>,
    /// The factors of numbers that are products.
    products: FxHashMap<Var, [Extent; 2]>,
    scopes: Vec<Scope<'p>>,
    roots: Vec<Atom>,
    /// The function with a derivative of its own that is being read: whether it is needed, and what it binds.
    custom: Option<(bool, Vec<Atom>)>,
}

impl<'p> Reader<'p> {
    fn has(&self, var: Var) -> bool {
        self.needed[var.0 as usize]
    }

    fn needs(&self, stm: &Stm) -> bool {
        match &self.custom {
            Some((needed, _)) => *needed,
            None => stm.vars.iter().any(|v| self.has(*v)),
        }
    }

    /// The size, with what `fixed` has for it substituted.
    fn resolve(&self, mut extent: Extent) -> Extent {
        while let Extent::Of(Atom::Var(var), dimension) = extent
            && let Some(fixed) = self.fixed.get(&(var, dimension))
        {
            extent = *fixed;
        }
        extent
    }

    /// The size as it is known.
    fn told(&self, extent: Extent) -> Extent {
        self.resolve(match extent {
            Extent::Number(number) => self.facts.extent(number),
            Extent::Of(array, dimension) => self.facts.extents(array)[dimension],
        })
    }

    fn sizes(&self, array: Atom) -> Vec<Extent> {
        self.facts.extents(array).iter().map(|e| self.resolve(*e)).collect()
    }

    fn length(&self, array: Atom) -> Extent {
        self.resolve(self.facts.extents(array)[0])
    }

    fn body(&mut self, body: &'p Body, parent: Option<usize>, control: Control<'p>, depth: usize) -> usize {
        let scope = self.scopes.len();
        self.scopes.push(Scope { parent, control, closed: self.custom.is_some(), claims: Vec::new() });
        deeper(|| body.stms.iter().enumerate().for_each(|(at, stm)| self.stm(scope, at, stm, depth)));
        scope
    }

    fn stm(&mut self, scope: usize, at: usize, stm: &'p Stm, depth: usize) {
        if let Op::Scalar(..) = stm.op {
            return self.define(scope, at, stm, depth);
        }
        self.bind(&stm.op, depth);
        let inner = |reader: &mut Self, body: &'p Body, control: Control<'p>, exit: Exit| {
            (reader.body(body, Some(scope), control, depth + 1), exit)
        };
        let inside: Vec<(usize, Exit)> = match &stm.op {
            Op::If(condition, yes, no) => {
                [yes, no].into_iter().map(|body| inner(self, body, only(condition), Exit::Never)).collect()
            }
            Op::Loop(it) => match &it.form {
                Form::For(_, bound) => {
                    let times = Exit::Times(self.facts.extent(*bound));
                    vec![inner(self, &it.body, only(bound), times)]
                }
                Form::While { condition, bound } => {
                    let control = Control::Atoms(bound.as_slice(), &condition.results);
                    let asked = inner(self, condition, control, Exit::Once);
                    vec![asked, inner(self, &it.body, control, Exit::Never)]
                }
            },
            Op::Map(map) => {
                let times = Exit::Times(self.length(map.arrays[0]));
                vec![inner(self, &map.function.body, only(&map.arrays[0]), times)]
            }
            Op::Reduce(it) | Op::Scan(it) => {
                let times = Exit::Times(self.length(it.arrays[0]));
                vec![inner(self, &it.operator.body, Control::Vars(&stm.vars), times)]
            }
            Op::Hist(it) => {
                let times = Exit::Times(self.length(it.indices));
                let (from, exit) = inner(self, &it.operator.body, Control::Vars(&stm.vars), times);
                // What it compares while it stays says nothing, since no index may be in bounds.
                self.scopes[from].claims.retain(|claim| !claim.stays);
                vec![(from, exit)]
            }
            Op::Custom(it) => self.custom(stm, it, scope, depth),
            _ => Vec::new(),
        };
        // Twice, since one variable may have the sizes of another.
        (0..2).for_each(|_| self.fix(&stm.op));
        for (from, exit) in inside {
            self.leave(from, exit, scope, depth);
        }
        self.define(scope, at, stm, depth);
        self.compare(scope, stm, depth);
    }

    /// Learns of the variables of a statement.
    fn define(&mut self, scope: usize, at: usize, stm: &Stm, depth: usize) {
        let program = self.program;
        self.facts.learn(stm, |var| program.type_of(var), depth);
        self.refine(stm, depth);
        stm.vars.iter().for_each(|v| self.bound[v.0 as usize] = (scope, at + 1));
    }

    /// The bodies of a function with a derivative of its own. The pullback is not executed where it stands.
    fn custom(&mut self, stm: &'p Stm, it: &'p Custom, scope: usize, depth: usize) -> Vec<(usize, Exit)> {
        let around = self.custom.take();
        let vars: Vec<Atom> = stm.vars.iter().copied().map(Atom::Var).collect();
        self.custom = Some(around.clone().unwrap_or_else(|| (stm.vars.iter().any(|v| self.has(*v)), vars)));
        let function = self.body(&it.function.body, Some(scope), Control::Vars(&stm.vars), depth + 1);
        let roots = self.roots.len();
        let pullback = self.scopes.len();
        self.body(&it.pullback.body, Some(scope), Control::Nothing, depth + 1);
        self.roots.truncate(roots);
        self.scopes[pullback..].iter_mut().for_each(|scope| scope.claims.clear());
        self.custom = around;
        vec![(function, Exit::Once)]
    }

    /// Learns of the variables that the bodies of an operation bind.
    fn bind(&mut self, op: &Op, depth: usize) {
        let mut plain: Vec<Var> = Vec::new();
        let mut elements: Vec<(Var, Atom)> = Vec::new();
        let zip = |params: &[Var], arrays: &[Atom]| params.iter().copied().zip(arrays.iter().copied()).collect();
        match op {
            Op::Map(map) => self.facts.bind_map(&map.function.params, &map.arrays, &map.accumulators, depth),
            Op::Loop(it) => {
                plain.extend(it.params.iter().map(|(param, _)| *param));
                if let Form::For(i, _) = &it.form {
                    plain.push(*i);
                }
            }
            Op::Reduce(it) | Op::Scan(it) => {
                let (left, right) = it.operator.params.split_at(it.arrays.len());
                plain.extend(left);
                elements = zip(right, &it.arrays);
            }
            // What is in a bin keeps its sizes.
            Op::Hist(it) => elements = zip(&it.operator.params, &[&it.destinations[..], &it.values].concat()),
            Op::Custom(it) => {
                for (param, argument) in it.function.params.iter().zip(&it.arguments) {
                    self.facts.bind_like(*param, *argument, depth + 1);
                }
                plain.extend(&it.pullback.params);
            }
            _ => {}
        }
        plain.into_iter().for_each(|var| self.facts.bind(var, self.program.type_of(var), depth + 1));
        elements.into_iter().for_each(|(var, array)| self.facts.bind_element(var, array, depth + 1));
    }

    /// Finds which variables of a loop or operator have the sizes they start with each time.
    fn fix(&mut self, op: &Op) {
        let pairs: Vec<(Var, Atom, Atom)> = match op {
            Op::Loop(it) => {
                let Loop { params, body, .. } = &**it;
                params.iter().zip(&body.results).map(|((param, first), after)| (*param, *first, *after)).collect()
            }
            Op::Reduce(it) | Op::Scan(it) => {
                let (Reduce { neutral, .. }, Lambda { params, body }) = (&**it, &it.operator);
                let starts = params.iter().zip(neutral);
                starts.zip(&body.results).map(|((param, first), after)| (*param, *first, *after)).collect()
            }
            _ => return,
        };
        for (param, first, after) in pairs {
            let sizes = self.sizes(first).into_iter().zip(self.sizes(after));
            for (dimension, (first, after)) in sizes.enumerate() {
                if after == Extent::Of(param.into(), dimension) && first != after {
                    self.fixed.insert((param, dimension), first);
                } else if after == first {
                    self.fixed.entry((param, dimension)).or_insert(first);
                }
            }
        }
    }

    /// Gives the variables of a statement the sizes that are known after what is inside of it.
    fn refine(&mut self, stm: &Stm, depth: usize) {
        for (k, var) in stm.vars.iter().enumerate() {
            let (from, of) = match &stm.op {
                Op::Scalar(ScalarOp::Mul, x) if self.program.type_of(*var) == Type::scalar(Prim::I64) => {
                    let factors = [self.facts.extent(x[0]), self.facts.extent(x[1])];
                    self.products.insert(*var, factors);
                    continue;
                }
                Op::Map(map) if k + map.accumulators.len() < stm.vars.len() => {
                    let result = map.function.body.results[k];
                    (1, [result, result])
                }
                Op::If(_, yes, no) => (0, [yes.results[k], no.results[k]]),
                Op::Loop(it) => (0, [it.params[k].1, it.body.results[k]]),
                Op::Reduce(it) => (0, [it.neutral[k], it.operator.body.results[k]]),
                Op::Custom(it) => (0, [it.function.body.results[k]; 2]),
                _ => continue,
            };
            for dimension in 0..self.facts.extents(of[0]).len() {
                let [one, other] = of.map(|a| self.resolve(self.facts.extents(a)[dimension]));
                if one == other {
                    self.refine_size(*var, from + dimension, one, depth);
                }
            }
        }
    }

    fn refine_size(&mut self, var: Var, dimension: usize, extent: Extent, depth: usize) {
        if self.facts.told(extent, depth) {
            self.facts.refine(var, dimension, extent);
        }
    }

    /// Takes comparisons out of a body where that can be.
    fn leave(&mut self, from: usize, exit: Exit, to: usize, depth: usize) {
        if matches!(exit, Exit::Never) {
            return;
        }
        for mut claim in core::mem::take(&mut self.scopes[from].claims) {
            claim.agree.extents_mut().for_each(|extent| *extent = self.resolve(*extent));
            if claim.agree.extents().all(|extent| self.facts.told(*extent, depth)) {
                if let Exit::Times(times) = exit {
                    claim.agree.times.push(self.resolve(times));
                }
                self.scopes[to].claims.push(claim);
            } else {
                self.scopes[from].claims.push(claim);
            }
        }
    }

    /// What a statement compares itself.
    fn compare(&mut self, scope: usize, stm: &Stm, depth: usize) {
        if let (Some(again), Some(var)) = (self.again, stm.vars.first())
            && *var >= again
        {
            return;
        }
        let stays = self.needs(stm);
        // What is the same needs no comparison, and most sizes are.
        let mut found: Vec<(bool, Agreement, Vec<Extent>, Vec<Extent>)> = Vec::new();
        let row = |a: Atom, from: usize| self.sizes(a).split_off(from);
        // The lengths of arrays of which some may be removed.
        let lengths = |what: Agreement, arrays: &[Atom], kept: &dyn Fn(usize) -> bool| {
            let first = (0..arrays.len()).find(|k| kept(*k)).unwrap_or(0);
            let length = self.length(arrays[first]);
            let others = (0..arrays.len()).map(|k| (k, self.length(arrays[k]))).filter(|(_, other)| *other != length);
            others.map(|(k, other)| (stays && kept(k), what, vec![length], vec![other])).collect::<Vec<_>>()
        };
        let mut each = |what: Agreement, first: Vec<Extent>, second: Vec<Extent>| {
            let differ = first.into_iter().zip(second).filter(|(a, b)| a != b);
            found.extend(differ.map(|(a, b)| (stays, what, vec![a], vec![b])));
        };
        match &stm.op {
            Op::Map(map) => {
                let kept = |k: usize| self.custom.is_some() || self.has(map.function.params[k]);
                found = lengths(Agreement::Mapped, &map.arrays, &kept);
            }
            Op::Reduce(it) => found = lengths(Agreement::Reduced, &it.arrays, &|k| self.combines(stm, &it.operator, k)),
            Op::Scan(it) => found = lengths(Agreement::Scanned, &it.arrays, &|k| self.combines(stm, &it.operator, k)),
            Op::Hist(it) => {
                let Hist { operator, destinations, values, indices, .. } = &**it;
                let kept = |k| self.combines(stm, operator, k);
                found = lengths(Agreement::Values, values, &kept);
                found.extend(lengths(Agreement::Bins, destinations, &kept));
                let first = (0..values.len()).find(|k| kept(*k)).unwrap_or(0);
                found.push((stays, Agreement::Indices, row(*indices, 0), vec![self.length(values[first])]));
            }
            Op::Scatter(it) => {
                found.push((stays, Agreement::Indices, row(it.indices, 0), vec![self.length(it.values)]));
                let rows = [it.destination, it.values].map(|a| row(a, 1));
                let [first, second] = rows;
                found.extend(
                    first.into_iter().zip(second).map(|(a, b)| (stays, Agreement::Scattered, vec![a], vec![b])),
                );
            }
            Op::Update(a, indices, new) => each(Agreement::Updated, row(*a, indices.len()), row(*new, 0)),
            Op::Accumulate(a, indices, new) => each(Agreement::Added, row(*a, indices.len()), row(*new, 0)),
            Op::Reshape(a, sizes) => {
                let wanted = sizes.iter().map(|n| self.resolve(self.facts.extent(*n))).collect();
                found.push((stays, Agreement::Reshaped, row(*a, 0), wanted));
            }
            Op::Elements(atoms) => atoms[1..].iter().for_each(|a| each(Agreement::Rows, row(atoms[0], 0), row(*a, 0))),
            Op::Concat(atoms) => {
                atoms[1..].iter().for_each(|a| each(Agreement::Concatenated, row(atoms[0], 1), row(*a, 1)));
            }
            Op::Agree(it) => {
                let stays = self.custom.as_ref().is_some_and(|(needed, _)| *needed);
                let mut agree = (**it).clone();
                agree.extents_mut().for_each(|extent| *extent = self.told(*extent));
                return self.scopes[scope].claims.push(Claim { agree, span: stm.span, stays });
            }
            Op::Scalar(..) | Op::Copy(_) | Op::Iota(_) | Op::Replicate(..) | Op::Size(..) | Op::Index(..) => {}
            Op::Slice(..) | Op::Permute(..) | Op::Reverse(_) | Op::If(..) | Op::Loop(_) => {}
            Op::ToAccumulator(_) | Op::FromAccumulator(_) | Op::Custom(_) => {}
        }
        self.scopes[scope].claims.extend(found.into_iter().map(|(stays, what, first, second)| Claim {
            agree: Agree { what, first, second, times: Vec::new() },
            span: stm.span,
            stays,
        }));
        self.rows(stm, depth);
    }

    /// Whether a component of an operator is needed.
    fn combines(&self, stm: &Stm, operator: &Lambda, k: usize) -> bool {
        let of = [stm.vars[k], operator.params[k], operator.params[stm.vars.len() + k]];
        self.custom.is_some() || of.into_iter().any(|v| self.has(v))
    }

    /// Rows whose sizes may differ are compared by what makes them, which therefore stays.
    fn rows(&mut self, stm: &Stm, depth: usize) {
        let results = match &stm.op {
            Op::Map(map) => &map.function.body.results[..stm.vars.len() - map.accumulators.len()],
            Op::Scan(it) => &it.operator.body.results[..],
            _ => return,
        };
        for (var, result) in stm.vars.iter().zip(results) {
            if !self.sizes(*result).iter().all(|extent| self.facts.told(*extent, depth)) {
                match &self.custom {
                    Some((_, vars)) => self.roots.extend(vars),
                    None => self.roots.push((*var).into()),
                }
            }
        }
    }

    /// The number of the statement in a body before which all is known that a comparison needs.
    fn place(&self, scope: usize, agree: &Agree) -> usize {
        let of = |extent: &Extent| match extent.atom() {
            Atom::Var(var) => Some(self.bound[var.0 as usize]).filter(|(body, _)| *body == scope),
            Atom::Const(_) => None,
        };
        agree.extents().filter_map(of).map(|(_, after)| after).max().unwrap_or(0)
    }

    /// Chooses what is written, from the outside in.
    fn choose(mut self, written: Written) -> Plan {
        let mut placed: Vec<Vec<(usize, Claim)>> = Vec::new();
        // What is known in each body, of which those share it that compare nothing.
        let (mut known, mut of): (Vec<Equal>, Vec<usize>) = (vec![Equal::default()], Vec::new());
        for scope in 0..self.scopes.len() {
            let Scope { parent, closed, claims, .. } = &mut self.scopes[scope];
            let (closed, claims) = (*closed, core::mem::take(claims));
            let around = parent.map_or(0, |parent| of[parent]);
            if claims.is_empty() {
                of.push(around);
                placed.push(Vec::new());
                continue;
            }
            let mut equal = known[around].clone();
            let mut wanted: Vec<Claim> = Vec::new();
            for mut claim in claims {
                claim.agree.extents_mut().for_each(|extent| *extent = self.resolve(*extent));
                let is_accumulator = |e: &Extent| self.program.atom_type(e.atom()).accumulator;
                if claim.agree.extents().any(is_accumulator) {
                    continue;
                }
                match (claim.stays, written) {
                    (false, _) | (true, Written::All) => wanted.push(claim),
                    (true, Written::Needed) => equal.learn(&self.products, &claim.agree),
                    (true, Written::Lost) => {}
                }
            }
            let mut here = Vec::new();
            for mut claim in wanted {
                if let Some(agree) = equal.needs(&self.products, claim.agree) {
                    equal.learn(&self.products, &agree);
                    claim.agree = agree;
                    // As early as can be, so that it keeps no array longer than what uses it.
                    here.push((self.place(scope, &claim.agree), claim));
                }
            }
            here.sort_by_key(|(at, _)| *at);
            here.iter().for_each(|(_, claim)| self.roots.extend(claim.agree.extents().map(Extent::atom)));
            if !here.is_empty() {
                let mut around = Some(scope);
                while let Some(scope) = around {
                    self.scopes[scope].control.add_to(&mut self.roots);
                    around = self.scopes[scope].parent;
                }
            }
            // Where it cannot be written, the function stays as it is.
            placed.push(if closed { Vec::new() } else { here });
            of.push(known.len());
            known.push(equal);
        }
        Plan { placed, roots: self.roots }
    }
}
