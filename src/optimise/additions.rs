//! What is added to accumulators, added where it is made: executors then make no array of it.
//!
//! Law: nothing is computed twice, and of what is added to one accumulator the order is that of the program. Instead of an array of
//! arrays no more than numbers are kept for each of its rows, and what is only added stays one map (tests/execute/products.rs, laws:
//! executors).

use rustc_hash::FxHashSet;

use super::rewriter::{give, uses};
use crate::array::{Atom, Body, Builder, Map, Op, Program, Stm, Type, Var, atoms_of, needed};

/// Moves additions to the maps whose results they add, which give nothing else then, if there are any to move.
pub(super) fn additions(program: &mut Program) -> bool {
    if !program.types.iter().any(|of| of.accumulator) {
        return false;
    }
    let mut it = Additions { uses: uses(program), builder: Builder::extending(program), changed: false };
    it.body(&mut program.function.body);
    program.types = it.builder.into_types();
    it.changed
}

struct Additions {
    /// How often variables are used.
    uses: Vec<usize>,
    builder: Builder,
    changed: bool,
}

impl Additions {
    fn body(&mut self, body: &mut Body) {
        body.stms.iter_mut().flat_map(|stm| stm.op.bodies_mut()).for_each(|inside| self.body(inside));
        let mut k = 0;
        while k < body.stms.len() {
            if let Op::Accumulate(_, _, Atom::Var(value)) = body.stms[k].op
                && self.uses[value.0 as usize] == 1
                && let Some(mut at) = body.stms[..k].iter().rposition(|stm| stm.vars.contains(&value))
                && matches!(&body.stms[at].op, Op::Map(map) if map.accumulators.is_empty())
            {
                let is_of_rows = self.builder.type_of(value).rank > 1;
                if is_of_rows && !self.is_only_added(body, at) && separate(&mut self.builder, body, at, value) {
                    (self.changed, at, k) = (true, at + 1, k + 1);
                }
                self.closer(body, at, k);
            }
            k += 1;
        }
    }

    /// Whether all that a map gives is added to accumulators: then it is one loop as it is.
    fn is_only_added(&self, body: &Body, map: usize) -> bool {
        let adds = |var: &Var| {
            let is_added = |stm: &Stm| matches!(stm.op, Op::Accumulate(_, _, Atom::Var(value)) if value == *var);
            self.uses.get(var.0 as usize) == Some(&1) && body.stms[map + 1..].iter().any(is_added)
        };
        body.stms[map].vars.iter().all(adds)
    }

    /// Moves an addition to right behind the map, and behind other additions there.
    fn closer(&mut self, body: &mut Body, map: usize, from: usize) {
        let adds =
            |stm: &Stm| matches!(stm.op, Op::Accumulate(_, _, Atom::Var(var)) if body.stms[map].vars.contains(&var));
        let to = map + 1 + body.stms[map + 1..from].iter().take_while(|stm| adds(stm)).count();
        let mut mentioned = FxHashSet::default();
        atoms_of(&body.stms[from].op, &mut |atom| mentioned.extend(atom.var()));
        if to < from && !body.stms[to..from].iter().flat_map(|stm| &stm.vars).any(|var| mentioned.contains(var)) {
            body.stms[to..=from].rotate_right(1);
            self.changed = true;
        }
    }
}

/// Makes two of a map, if what it computes for one result and for others are numbers: the first gives these too, and the second that
/// result, of them. Says whether it has.
fn separate(builder: &mut Builder, body: &mut Body, at: usize, result: Var) -> bool {
    let Stm { vars, op: Op::Map(map), span } = &mut body.stms[at] else { return false };
    let k = vars.iter().position(|var| *var == result).expect("a result of the map");
    let inside = &map.function.body;
    let others: Vec<Atom> =
        inside.results.iter().enumerate().filter(|(other, _)| *other != k).map(|(_, a)| *a).collect();
    let (of_others, of_it) = (needed(&inside.stms, &others).0, needed(&inside.stms, &[inside.results[k]]).0);
    let both = || inside.stms.iter().zip(of_it.iter().zip(&of_others));
    let own: Vec<Stm> = both().filter(|(_, (it, other))| **it && !**other).map(|(stm, _)| stm.clone()).collect();
    let mut mentioned: FxHashSet<Var> = FxHashSet::default();
    own.iter().for_each(|stm| atoms_of(&stm.op, &mut |atom| mentioned.extend(atom.var())));
    let shared = both().filter(|(_, (it, other))| **it && **other).flat_map(|(stm, _)| &stm.vars);
    let numbers: Vec<Var> = shared.copied().filter(|var| mentioned.contains(var)).collect();
    if others.is_empty() || own.is_empty() || numbers.iter().any(|var| builder.type_of(*var).rank > 0) {
        return false;
    }
    let params = map.function.params.iter().zip(&map.arrays).filter(|(param, _)| mentioned.contains(param));
    let (params, mut arrays): (Vec<Var>, Vec<Atom>) = params.map(|(param, array)| (*param, *array)).unzip();
    if params.is_empty() && numbers.is_empty() {
        return false;
    }
    let span = *span;
    vars.remove(k);
    let value = map.function.body.results.remove(k);
    for number in &numbers {
        let known = map.function.body.results.iter().position(|known| *known == Atom::Var(*number));
        let array = match known {
            Some(known) => vars[known],
            None => give(builder, vars, map, Atom::Var(*number)),
        };
        arrays.push(array.into());
    }
    let old = || params.iter().chain(&numbers);
    let types: Vec<Type> = old().map(|var| builder.type_of(*var)).collect();
    let function = builder.lambda(&types, |b, x| {
        let values = old().zip(x).map(|(old, new)| (*old, (*new).into())).collect();
        b.copied(Body { stms: own, results: vec![value] }, values)
    });
    let op = Op::Map(Box::new(Map { function, arrays, accumulators: Vec::new() }));
    body.stms.insert(at + 1, Stm { vars: [result].into_iter().collect(), op, span });
    true
}
