//! Scalar replacement: an array of a few elements whose sizes are known becomes one scalar per element, so that loops
//! over a few numbers, such as descents and steps through time, are scalar code.
//!
//! Law: the program computes what it did, element by element and from the left. An array that something else needs as a
//! whole is still made (tests/execute/small.rs).

mod operations;

use rustc_hash::{FxHashMap, FxHashSet};

use crate::array::{
    Agree, Atom, Body, Builder, Const, Extent, Form, Lambda, Loop, Map, Op, Operands, Prim, Program, Rebuild, Reduce,
    ScalarOp, SizeTable, Stm, Type, Var, deeper, has_bodies, statements, sweep,
};
use crate::optimise::fold::fold;

/// The most elements of an array that is replaced by scalars.
const ELEMENTS: usize = 8;

/// The most statements that a function becomes which is written out for each element.
const MAX_STATEMENTS_EACH: usize = 400;

/// The most statements that all functions together become.
const MAX_STATEMENTS: usize = 1 << 15;

/// The program with its small arrays replaced by scalars, if it has any.
pub(crate) fn replaced(program: &Program) -> Option<Program> {
    let mut writer = Writer {
        builder: Builder::new(),
        types: &program.types,
        values: FxHashMap::default(),
        parts: FxHashMap::default(),
        known: program.sizes_without_comparisons(),
        sizes: FxHashMap::default(),
        whole: FxHashSet::default(),
        seen: vec![FxHashMap::default()],
        room: MAX_STATEMENTS,
        found: false,
    };
    for (param, name) in program.function.params.iter().zip(&program.names) {
        let var = writer.builder.parameter(name.clone(), program.type_of(*param));
        writer.values.insert(*param, var.into());
    }
    let results = writer.inline(&program.function.body);
    let (found, parts) = (writer.found, writer.parts);
    let mut apart = writer.builder.unsimplified(results);
    if !found {
        return None;
    }
    // Scalars, and arrays of which the elements are known, cannot fail.
    let may_fail = |stm: &Stm| match &stm.op {
        Op::Scalar(ScalarOp::Integer(_), _) | Op::Agree(_) => true,
        Op::Scalar(..) => false,
        _ => has_bodies(&stm.op) || !stm.vars.iter().all(|var| parts.contains_key(var)),
    };
    sweep(&mut apart.function.body, &mut FxHashSet::default(), &may_fail);
    // What is simplified does not execute what is not needed, so that errors may be missed: it is not for us to choose that.
    let is_simple = program.simplified() == *program;
    Some(if is_simple { apart.simplified() } else { apart })
}

/// A program that is read, and the one that is written.
struct Writer<'p> {
    builder: Builder,
    /// The types of the variables of the source.
    types: &'p [Type],
    /// What the variables of the source stand for.
    values: FxHashMap<Var, Atom>,
    /// The elements of arrays that are written.
    parts: FxHashMap<Var, Vec<Atom>>,
    /// The sizes of the variables of the source.
    known: SizeTable,
    /// The sizes of arrays that are written, as far as they are numbers.
    sizes: FxHashMap<Var, Dims>,
    /// Variables of loops of the source that iterations do not leave as scalars.
    whole: FxHashSet<Var>,
    /// The scalars that are written in each body that is open.
    seen: Vec<FxHashMap<(ScalarOp, Operands), Atom>>,
    /// How many statements may still be written out for elements.
    room: usize,
    /// Whether elements were used.
    found: bool,
}

/// A value's sizes, outermost first.
type Shape = Vec<usize>;

/// The sizes that are known, outermost first.
type Dims = Vec<Option<usize>>;

fn number(atom: Atom) -> Option<usize> {
    usize::try_from(atom.as_int()?).ok()
}

impl Writer<'_> {
    /// Says what variables of the source stand for, which have their sizes.
    fn set(&mut self, vars: &[Var], values: impl IntoIterator<Item = Atom>) {
        for (var, value) in vars.iter().zip(values) {
            // It may be known from another iteration, in which its own sizes were others.
            self.values.remove(var);
            let sizes: Dims = self.known.of(*var).iter().map(|size| self.size(size)).collect();
            if sizes.iter().any(Option::is_some) {
                self.sizes.extend(value.var().map(|written| (written, sizes)));
            }
            self.values.insert(*var, value);
        }
    }

    /// A size of the source, if it is a number.
    fn size(&self, size: &Extent) -> Option<usize> {
        match size {
            Extent::Number(n) => number(self.atom(*n)),
            Extent::Of(array, dimension) => self.dims(*self.values.get(&array.var()?)?)[*dimension],
        }
    }

    /// The elements of an array that is replaced by scalars.
    fn elements(&self, array: Atom) -> Option<&Vec<Atom>> {
        if let Atom::Var(var) = array { self.parts.get(&var) } else { None }
    }

    /// Writes statements into the open body, and returns the results.
    fn inline(&mut self, body: &Body) -> Vec<Atom> {
        deeper(|| body.stms.iter().for_each(|stm| self.stm(stm)));
        self.atoms(&body.results)
    }

    fn stm(&mut self, stm: &Stm) {
        let values = match &stm.op {
            Op::If(condition, yes, no) => Some(self.branches(self.atom(*condition), yes, no)),
            Op::Loop(it) => Some(self.iterated(it)),
            Op::Map(map) => self.for_each(map),
            Op::Reduce(it) => self.folded(it).map(|all| all.last().expect("an array has an element").clone()),
            Op::Scan(it) => self.folded(it).map(|all| {
                let prefixes = |k: usize| Op::Elements(all.iter().map(|x| x[k]).collect());
                (0..it.neutral.len()).map(|k| self.written(prefixes(k))).collect()
            }),
            Op::Agree(it) if self.agrees(it) => return,
            Op::Scalar(op, operands) => {
                let operands = operands.iter().map(|x| self.atom(*x)).collect();
                Some(vec![self.scalar(*op, operands)])
            }
            Op::Hist(_) | Op::Custom(_) | Op::Foreign(_) | Op::Agree(_) => None,
            _ => {
                let op = self.op(&stm.op);
                Some(vec![self.written(op)])
            }
        };
        let values = values.unwrap_or_else(|| {
            let op = self.op(&stm.op);
            self.builder.emit(op).into_iter().map(Atom::Var).collect()
        });
        self.set(&stm.vars, values);
    }

    /// The value of a scalar operation, which is written once.
    fn scalar(&mut self, op: ScalarOp, operands: Operands) -> Atom {
        if let Some(known) = fold(op, &operands) {
            return known;
        }
        let key = (op, operands);
        if let Some(known) = self.seen.iter().rev().find_map(|seen| seen.get(&key)) {
            return *known;
        }
        let value = self.builder.scalar(op, &key.1);
        self.seen.last_mut().expect("a body is open").insert(key, value);
        value
    }

    /// Whether sizes that are compared are known to agree.
    fn agrees(&self, it: &Agree) -> bool {
        // What is beyond all numbers is the product of no array's sizes.
        let product = |sizes: &[Extent]| sizes.iter().try_fold(1_usize, |n, size| n.checked_mul(self.size(size)?));
        product(&it.first).is_some_and(|first| product(&it.second) == Some(first))
    }

    /// The elements of arrays of one length, one array after the other, and the length, if the function is small enough
    /// to be written out for each.
    fn columns(&mut self, arrays: &[Atom], function: &Lambda) -> Option<(Vec<Vec<Atom>>, usize)> {
        let columns: Vec<Vec<Atom>> =
            arrays.iter().map(|a| self.elements(self.atom(*a)).cloned()).collect::<Option<_>>()?;
        let count = columns[0].len();
        let needs = count * statements(&function.body);
        let fits = needs <= MAX_STATEMENTS_EACH.min(self.room) && columns.iter().all(|c| c.len() == count);
        self.room -= if fits { needs } else { 0 };
        fits.then_some((columns, count))
    }

    fn for_each(&mut self, map: &Map) -> Option<Vec<Atom>> {
        let (columns, count) = self.columns(&map.arrays, &map.function)?;
        self.found = true;
        let mut collectors = self.atoms(&map.accumulators);
        let (elements, accumulators) = map.function.params.split_at(columns.len());
        let mut rows = Vec::new();
        for k in 0..count {
            self.set(elements, columns.iter().map(|column| column[k]));
            self.set(accumulators, collectors);
            let mut results = self.inline(&map.function.body);
            collectors = results.split_off(results.len() - accumulators.len());
            rows.push(results);
        }
        let arrays = (0..rows[0].len()).map(|k| Op::Elements(rows.iter().map(|row| row[k]).collect()));
        Some(arrays.collect::<Vec<_>>().into_iter().map(|op| self.written(op)).chain(collectors).collect())
    }

    /// What is folded up to each element.
    fn folded(&mut self, it: &Reduce) -> Option<Vec<Vec<Atom>>> {
        let (columns, count) = self.columns(&it.arrays, &it.operator)?;
        self.found = true;
        let (left, right) = it.operator.params.split_at(columns.len());
        let mut all: Vec<Vec<Atom>> = Vec::new();
        for k in 0..count {
            let so_far = all.last().cloned().unwrap_or_else(|| self.atoms(&it.neutral));
            self.set(left, so_far);
            self.set(right, columns.iter().map(|column| column[k]));
            all.push(self.inline(&it.operator.body));
        }
        Some(all)
    }

    /// The results of a body, those of these sizes as their scalars.
    fn spread(&self, results: &[Atom], shapes: &[Option<Shape>]) -> Vec<Atom> {
        let mut spread = Vec::new();
        for (result, shape) in results.iter().zip(shapes) {
            match shape {
                Some(_) => self.leaves(*result, &mut spread),
                None => spread.push(*result),
            }
        }
        spread
    }

    /// The values of these sizes, of scalars one after the other.
    fn gathered(&mut self, shapes: &[Option<Shape>], mut from: &[Atom]) -> Vec<Atom> {
        let mut next = |shape: &Option<Shape>| {
            let count = shape.as_ref().map_or(1, |shape| shape.iter().product());
            let (of, rest) = from.split_at(count);
            from = rest;
            shape.as_ref().map_or(of[0], |shape| self.of_leaves(shape, of))
        };
        shapes.iter().map(&mut next).collect()
    }

    /// What is written inside, as a body, and the sizes of its results.
    fn measured(&mut self, inside: impl FnOnce(&mut Self) -> Vec<Atom>) -> (Body, Vec<Option<Shape>>) {
        self.builder.open_body();
        self.seen.push(FxHashMap::default());
        let results = inside(self);
        self.seen.pop();
        let shapes = results.iter().map(|result| self.shape(*result)).collect();
        (self.builder.close_body(results), shapes)
    }

    fn branches(&mut self, condition: Atom, yes: &Body, no: &Body) -> Vec<Atom> {
        if let Atom::Const(Const::Bool(holds)) = condition {
            return self.inline(if holds { yes } else { no });
        }
        let (mut yes, of_yes) = self.measured(|this| this.inline(yes));
        let (mut no, of_no) = self.measured(|this| this.inline(no));
        let both = |(yes, no): (Option<Shape>, Option<Shape>)| yes.filter(|yes| Some(yes) == no.as_ref());
        let shapes: Vec<Option<Shape>> = of_yes.into_iter().zip(of_no).map(both).collect();
        yes.results = self.spread(&yes.results, &shapes);
        no.results = self.spread(&no.results, &shapes);
        let vars = self.builder.emit(Op::If(condition, Box::new(yes), Box::new(no)));
        let values: Vec<Atom> = vars.into_iter().map(Atom::Var).collect();
        self.gathered(&shapes, &values)
    }

    /// Variables of a loop are replaced by scalars if they begin as such and every iteration leaves them so.
    fn iterated(&mut self, it: &Loop) -> Vec<Atom> {
        let (params, initial): (Vec<Var>, Vec<Atom>) = it.params.iter().map(|(p, a)| (*p, self.atom(*a))).unzip();
        loop {
            let shape = |(param, initial): (&Var, &Atom)| {
                self.shape(*initial).filter(|shape| shape.is_empty() || !self.whole.contains(param))
            };
            let shapes: Vec<Option<Shape>> = params.iter().zip(&initial).map(shape).collect();
            let starts = self.spread(&initial, &shapes);
            let fresh: Vec<Var> = starts.iter().map(|a| self.builder.fresh(self.builder.type_of(*a))).collect();
            let atoms: Vec<Atom> = fresh.iter().copied().map(Atom::Var).collect();
            let enter = |this: &mut Self| {
                let values = this.gathered(&shapes, &atoms);
                this.set(&params, values);
            };
            let form = match &it.form {
                Form::For(i, bound) => {
                    let (bound, var) = (self.atom(*bound), self.builder.fresh(Type::scalar(Prim::I64)));
                    self.set(&[*i], [var.into()]);
                    Form::For(var, bound)
                }
                Form::While { condition, bound } => {
                    let bound = bound.map(|bound| self.atom(bound));
                    let (asked, _) = self.measured(|this| {
                        enter(this);
                        this.inline(condition)
                    });
                    Form::While { condition: asked, bound }
                }
            };
            let (mut body, after) = self.measured(|this| {
                enter(this);
                this.inline(&it.body)
            });
            let changes = |k: &usize| shapes[*k].is_some() && shapes[*k] != after[*k];
            let whole: Vec<Var> = (0..params.len()).filter(changes).map(|k| params[k]).collect();
            if !whole.is_empty() {
                // What was written goes with the body.
                self.whole.extend(whole);
                continue;
            }
            body.results = self.spread(&body.results, &shapes);
            let params = fresh.into_iter().zip(starts).collect();
            let op = Op::Loop(Box::new(Loop { params, form, body, policy: it.policy }));
            let values: Vec<Atom> = self.builder.emit(op).into_iter().map(Atom::Var).collect();
            return self.gathered(&shapes, &values);
        }
    }
}

impl Rebuild for Writer<'_> {
    fn atom(&self, atom: Atom) -> Atom {
        match atom {
            Atom::Var(var) => self.values[&var],
            Atom::Const(_) => atom,
        }
    }

    fn body(&mut self, body: &Body) -> Body {
        self.measured(|this| this.inline(body)).0
    }

    fn bind(&mut self, var: Var) -> Var {
        let fresh = self.builder.fresh(self.types[var.0 as usize]);
        self.set(&[var], [fresh.into()]);
        fresh
    }

    fn of_loop(&mut self, _: &Loop) -> Loop {
        panic!("loops are rebuilt with the variables that they have apart")
    }
}
