//! The comparisons of sizes that a program makes, separated from the statements that make them.
//!
//! Law: a run in which sizes do not agree is an error, also when the statement that would have found it is removed: its
//! comparison stays as a statement of its own, unless the sizes are equal in every run or a remaining statement
//! compares them. A comparison moves to the outermost body in which its sizes are visible, with the number of times
//! that it would have been made, of which it matters only whether it is 0; so it costs the same for any number of
//! elements. A comparison of the removed operator of a histogram moves as if some index were in bounds; that of one
//! that stays makes no other redundant (tests/transform/sizes.rs, laws: array_sizes).

use rustc_hash::FxHashMap;

use super::size_equalities::{Claim, Equal};
use crate::array::{
    Agree, Agreement, Atom, Body, Custom, Extent, Form, Lambda, Op, Prim, Program, ScalarOp, SizeTable, Stm, Type, Var,
    compared, deeper,
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
pub(super) fn plan(
    program: &Program,
    sizes: &SizeTable,
    needed: &[bool],
    written: Written,
    again: Option<Var>,
) -> Plan {
    let mut reader = Reader {
        program,
        sizes,
        needed,
        again,
        bound: vec![(0, 0); program.types.len()],
        products: FxHashMap::default(),
        scopes: Vec::new(),
        roots: Vec::new(),
        custom: None,
    };
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

/// A body, and what is compared in it.
struct Scope<'p> {
    parent: Option<usize>,
    /// What says how often it runs, if that is said by a statement that may go.
    control: Control<'p>,
    /// Whether it is the body of a function with a derivative of its own, in which nothing is written.
    closed: bool,
    claims: Vec<Claim>,
}

/// What says how often a body runs.
#[derive(Clone, Copy)]
enum Control<'p> {
    Nothing,
    /// These, and these.
    Atoms(&'p [Atom], &'p [Atom]),
    /// The results of the operator whose body it is.
    Vars(&'p [Var]),
}

/// This alone.
fn only(atom: &Atom) -> Control<'_> {
    Control::Atoms(core::slice::from_ref(atom), &[])
}

impl Control<'_> {
    /// Adds what says it to a list.
    fn add_to(self, roots: &mut Vec<Atom>) {
        match self {
            Control::Nothing => {}
            Control::Atoms(some, others) => roots.extend(some.iter().chain(others)),
            Control::Vars(vars) => roots.extend(vars.iter().copied().map(Atom::Var)),
        }
    }
}

/// How what is compared in a body can be compared around it.
#[derive(Clone, Copy)]
enum Exit {
    /// It runs so often.
    Times(Extent),
    /// It runs.
    Once,
    /// It may run or not.
    Never,
}

struct Reader<'p> {
    program: &'p Program,
    sizes: &'p SizeTable,
    needed: &'p [bool],
    again: Option<Var>,
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

    fn body(&mut self, body: &'p Body, parent: Option<usize>, control: Control<'p>, depth: usize) -> usize {
        let scope = self.scopes.len();
        self.scopes.push(Scope { parent, control, closed: self.custom.is_some(), claims: Vec::new() });
        deeper(|| body.stms.iter().enumerate().for_each(|(at, stm)| self.stm(scope, at, stm, depth)));
        scope
    }

    fn stm(&mut self, scope: usize, at: usize, stm: &'p Stm, depth: usize) {
        if let Op::Scalar(..) = stm.op {
            return self.define(scope, at, stm);
        }
        let inner = |reader: &mut Self, body: &'p Body, control: Control<'p>, exit: Exit| {
            (reader.body(body, Some(scope), control, depth + 1), exit)
        };
        let inside: Vec<(usize, Exit)> = match &stm.op {
            Op::If(condition, yes, no) => {
                [yes, no].into_iter().map(|body| inner(self, body, only(condition), Exit::Never)).collect()
            }
            Op::Loop(it) => match &it.form {
                Form::For(_, bound) => {
                    let times = Exit::Times(self.sizes.number(*bound));
                    vec![inner(self, &it.body, only(bound), times)]
                }
                Form::While { condition, bound } => {
                    let control = Control::Atoms(bound.as_slice(), &condition.results);
                    let asked = inner(self, condition, control, Exit::Once);
                    vec![asked, inner(self, &it.body, control, Exit::Never)]
                }
            },
            Op::Map(map) => {
                let times = Exit::Times(self.sizes.of(map.arrays[0])[0]);
                vec![inner(self, &map.function.body, only(&map.arrays[0]), times)]
            }
            Op::Reduce(it) | Op::Scan(it) => {
                let times = Exit::Times(self.sizes.of(it.arrays[0])[0]);
                vec![inner(self, &it.operator.body, Control::Vars(&stm.vars), times)]
            }
            Op::Hist(it) => {
                let times = Exit::Times(self.sizes.of(it.indices)[0]);
                let (from, exit) = inner(self, &it.operator.body, Control::Vars(&stm.vars), times);
                // What it compares while it stays says nothing, since no index may be in bounds.
                self.scopes[from].claims.retain(|claim| !claim.stays);
                vec![(from, exit)]
            }
            Op::Custom(it) => self.custom(stm, it, scope, depth),
            _ => Vec::new(),
        };
        for (from, exit) in inside {
            self.leave(from, exit, scope, depth);
        }
        self.define(scope, at, stm);
        self.compare(scope, stm, depth);
    }

    /// Records where the variables of a statement are bound, and whether one is a product.
    fn define(&mut self, scope: usize, at: usize, stm: &Stm) {
        if let Op::Scalar(ScalarOp::Mul, x) = &stm.op
            && self.program.type_of(stm.vars[0]) == Type::scalar(Prim::I64)
        {
            self.products.insert(stm.vars[0], [x[0], x[1]].map(|factor| self.sizes.number(factor)));
        }
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

    /// Takes comparisons out of a body where that can be.
    fn leave(&mut self, from: usize, exit: Exit, to: usize, depth: usize) {
        if matches!(exit, Exit::Never) {
            return;
        }
        for mut claim in core::mem::take(&mut self.scopes[from].claims) {
            if claim.agree.extents().all(|extent| self.sizes.visible(extent.atom(), depth)) {
                if let Exit::Times(times) = exit {
                    claim.agree.times.push(times);
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
        let kept = |k: usize| match &stm.op {
            Op::Map(map) => self.custom.is_some() || self.has(map.function.params[k]),
            Op::Reduce(it) | Op::Scan(it) => self.combines(stm, &it.operator, k),
            Op::Hist(it) => self.combines(stm, &it.operator, k),
            _ => true,
        };
        let found = compared(&stm.op, self.sizes, kept);
        let stays = match stm.op {
            Op::Agree(_) => self.custom.as_ref().is_some_and(|(needed, _)| *needed),
            _ => self.needs(stm),
        };
        let claim = |(agree, kept)| Claim { agree, span: stm.span, stays: stays && kept };
        self.scopes[scope].claims.extend(found.into_iter().map(claim));
        self.rows(scope, stm, depth);
    }

    /// Whether a component of an operator is needed.
    fn combines(&self, stm: &Stm, operator: &Lambda, k: usize) -> bool {
        let of = [stm.vars[k], operator.params[k], operator.params[stm.vars.len() + k]];
        self.custom.is_some() || of.into_iter().any(|v| self.has(v))
    }

    /// Rows whose sizes may differ are compared by what makes them, which therefore stays.
    fn rows(&mut self, scope: usize, stm: &Stm, depth: usize) {
        let results = match &stm.op {
            Op::Map(map) => &map.function.body.results[..stm.vars.len() - map.accumulators.len()],
            Op::Scan(it) => &it.operator.body.results[..],
            _ => return,
        };
        for (var, result) in stm.vars.iter().zip(results) {
            if !self.sizes.all_visible(*result, depth) {
                match &self.custom {
                    Some((_, vars)) => self.roots.extend(vars),
                    None => {
                        self.roots.push((*var).into());
                        self.keep(scope);
                    }
                }
            }
        }
    }

    /// Keeps what says how often a body runs, and those around it.
    fn keep(&mut self, scope: usize) {
        let mut around = Some(scope);
        while let Some(scope) = around {
            self.scopes[scope].control.add_to(&mut self.roots);
            around = self.scopes[scope].parent;
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
        let is_parameter = |var: Var| self.program.function.params.contains(&var);
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
            let is_accumulator = |e: &Extent| self.program.atom_type(e.atom()).accumulator;
            let claims = claims.into_iter().filter(|claim| !claim.agree.extents().any(is_accumulator));
            // What an argument's size is said to be stays written, whoever compares the two as well: that is where it is read.
            let is_said = |claim: &Claim| {
                let of = claim.agree.known_size().and_then(|(size, _)| size.atom().var());
                !claim.stays && claim.agree.what == Agreement::Wanted && of.is_some_and(&is_parameter)
            };
            let (said, claims): (Vec<Claim>, Vec<Claim>) = claims.partition(is_said);
            let mut wanted: Vec<Claim> = Vec::new();
            let mut here = Vec::new();
            let mut write = |mut claim: Claim, equal: &mut Equal| {
                if let Some(agree) = equal.needs(&self.products, claim.agree) {
                    equal.learn(&self.products, &agree);
                    claim.agree = agree;
                    // As early as can be, so that it keeps no array longer than what uses it.
                    here.push((self.place(scope, &claim.agree), claim));
                }
            };
            said.into_iter().for_each(|claim| write(claim, &mut equal));
            for claim in claims {
                match (claim.stays, written) {
                    (false, _) | (true, Written::All) => wanted.push(claim),
                    (true, Written::Needed) => equal.learn(&self.products, &claim.agree),
                    (true, Written::Lost) => {}
                }
            }
            // What is always compared comes first: it tells of sizes that say how often the others are.
            wanted.sort_by_key(|claim| !claim.agree.times.is_empty());
            wanted.into_iter().for_each(|claim| write(claim, &mut equal));
            here.sort_by_key(|(at, _)| *at);
            here.iter().for_each(|(_, claim)| self.roots.extend(claim.agree.extents().map(Extent::atom)));
            if !here.is_empty() {
                self.keep(scope);
            }
            // Where it cannot be written, the function stays as it is.
            placed.push(if closed { Vec::new() } else { here });
            of.push(known.len());
            known.push(equal);
        }
        Plan { placed, roots: self.roots }
    }
}
