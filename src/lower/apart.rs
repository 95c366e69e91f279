//! Arrays of a few elements taken apart: where their sizes are known, each element is a value of its own, so that loops over
//! a few numbers, such as descents and steps through time, are scalar code.
//!
//! Law: the program computes what it did, element by element and from the left. An array that something else needs as a
//! whole is still made.

use rustc_hash::{FxHashMap, FxHashSet};

use crate::array::{
    Agree, Atom, Body, Builder, Const, Extent, Form, Lambda, Loop, Map, Op, Prim, Program, Range, Rebuild, Reduce,
    ScalarOp, Stm, Type, Var, bodies, deeper, index,
};

/// The most elements of an array that is taken apart.
const ELEMENTS: usize = 8;

/// The most statements that a function becomes which is written out for each element.
const STATEMENTS: usize = 400;

/// The program with its small arrays taken apart, if it has any.
pub(crate) fn apart(program: &Program) -> Option<Program> {
    let mut writer = Writer {
        builder: Builder::new(),
        types: &program.types,
        values: FxHashMap::default(),
        parts: FxHashMap::default(),
        whole: FxHashSet::default(),
        found: false,
    };
    for (param, name) in program.function.params.iter().zip(&program.names) {
        let var = writer.builder.parameter(name.clone(), program.type_of(*param));
        writer.values.insert(*param, var.into());
    }
    let results = writer.inline(&program.function.body);
    let found = writer.found;
    let program = writer.builder.finish(results);
    found.then(|| program.simplified())
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
    /// Variables of loops of the source that do not keep their sizes, or sizes that are known.
    whole: FxHashSet<Var>,
    /// Whether elements were used.
    found: bool,
}

/// A value's sizes, outermost first.
type Shape = Vec<usize>;

fn number(atom: Atom) -> Option<usize> {
    if let Atom::Const(Const::I64(n)) = atom { usize::try_from(n).ok() } else { None }
}

impl Writer<'_> {
    fn set(&mut self, vars: &[Var], values: impl IntoIterator<Item = Atom>) {
        self.values.extend(vars.iter().copied().zip(values));
    }

    /// The elements of an array that is taken apart.
    fn elements(&self, array: Atom) -> Option<&Vec<Atom>> {
        if let Atom::Var(var) = array { self.parts.get(&var) } else { None }
    }

    /// The sizes of a value that is taken apart; of a scalar there are none.
    fn shape(&self, atom: Atom) -> Option<Shape> {
        let of = self.builder.type_of(atom);
        if of.accumulator {
            return None;
        }
        let mut shape = Shape::new();
        let mut at = atom;
        for _ in 0..of.rank {
            let parts = self.elements(at)?;
            shape.push(parts.len());
            at = parts[0];
        }
        Some(shape)
    }

    /// The scalars that a value consists of.
    fn leaves(&self, atom: Atom, into: &mut Vec<Atom>) {
        match self.elements(atom) {
            Some(parts) => parts.iter().for_each(|part| self.leaves(*part, into)),
            None => into.push(atom),
        }
    }

    /// The value of these sizes that consists of these scalars.
    fn of_leaves(&mut self, shape: &[usize], leaves: &[Atom]) -> Atom {
        let Some((count, rest)) = shape.split_first() else { return leaves[0] };
        let parts = leaves.chunks(leaves.len() / count).map(|part| self.of_leaves(rest, part)).collect();
        self.written(Op::Elements(parts))
    }

    /// Writes an operation without bodies; its value may be known without.
    fn written(&mut self, op: Op) -> Atom {
        if let Some(known) = self.known(&op) {
            self.found = true;
            return known;
        }
        let value = self.builder.one(op.clone());
        let Atom::Var(var) = value else { panic!("what is written is a variable") };
        if let Some(parts) = self.parts_of(&op)
            && (1..=ELEMENTS).contains(&self.size_of(&parts))
        {
            self.parts.insert(var, parts);
        }
        value
    }

    /// How many scalars these elements are; of what is not taken apart, more than is taken apart.
    fn size_of(&self, parts: &[Atom]) -> usize {
        let size = |part: &Atom| self.shape(*part).map_or(ELEMENTS + 1, |shape| shape.iter().product());
        parts.iter().map(size).sum()
    }

    /// An element or a size that is there already.
    fn known(&mut self, op: &Op) -> Option<Atom> {
        match op {
            Op::Copy(a) => Some(*a),
            Op::Size(a, dimension) => {
                let shape = self.shape(*a)?;
                Some(index(i64::try_from(shape[*dimension]).expect("a small array has few elements")))
            }
            Op::Index(a, indices) => {
                let element = *self.elements(*a)?.get(number(indices[0])?)?;
                Some(
                    if let [_, rest @ ..] = &indices[..]
                        && !rest.is_empty()
                    {
                        self.written(Op::Index(element, rest.to_vec()))
                    } else {
                        element
                    },
                )
            }
            _ => None,
        }
    }

    /// The elements of what an operation without bodies makes, if they are known.
    fn parts_of(&mut self, op: &Op) -> Option<Vec<Atom>> {
        let few = |n: Atom| number(n).filter(|n| *n <= ELEMENTS);
        match op {
            Op::Elements(atoms) => Some(atoms.clone()),
            Op::Iota(n) => few(*n).map(|n| (0..n as i64).map(index).collect()),
            Op::Replicate(n, a) => few(*n).map(|n| vec![*a; n]),
            Op::Reverse(a) => self.elements(*a).map(|parts| parts.iter().rev().copied().collect()),
            Op::Concat(arrays) => {
                arrays.iter().map(|a| self.elements(*a).cloned()).collect::<Option<Vec<_>>>().map(|all| all.concat())
            }
            Op::ToAccumulator(a) | Op::FromAccumulator(a) => self.elements(*a).cloned(),
            Op::Slice(a, ranges) => {
                let Range { start, count, step } = *ranges.first()?;
                let (start, count, Atom::Const(Const::I64(step))) = (number(start)?, number(count)?, step) else {
                    return None;
                };
                let at = |k: usize| usize::try_from(start as i64 + k as i64 * step).ok();
                let parts = self.elements(*a)?;
                let picked: Vec<Atom> =
                    (0..count).map(|k| at(k).and_then(|at| parts.get(at).copied())).collect::<Option<_>>()?;
                if ranges.len() == 1 {
                    return Some(picked);
                }
                Some(picked.into_iter().map(|row| self.written(Op::Slice(row, ranges[1..].to_vec()))).collect())
            }
            Op::Update(a, indices, value) => {
                let mut parts = self.elements(*a)?.clone();
                let part = parts.get_mut(number(*indices.first()?)?)?;
                *part = match &indices[1..] {
                    [] => *value,
                    rest => self.written(Op::Update(*part, rest.to_vec(), *value)),
                };
                Some(parts)
            }
            Op::Accumulate(a, indices, value) => {
                let parts = self.elements(*a)?.clone();
                self.added(parts, indices, *value)
            }
            Op::Permute(a, order) if order[..] == [1, 0] => {
                let rows: Vec<Vec<Atom>> =
                    self.elements(*a)?.iter().map(|row| self.elements(*row).cloned()).collect::<Option<_>>()?;
                let column = |k: usize| Op::Elements(rows.iter().map(|row| row[k]).collect());
                Some((0..rows[0].len()).map(column).map(|column| self.written(column)).collect())
            }
            Op::Reshape(a, sizes) => {
                let shape: Shape = sizes.iter().map(|n| number(*n)).collect::<Option<_>>()?;
                let mut leaves = Vec::new();
                self.shape(*a)?;
                self.leaves(*a, &mut leaves);
                if shape.iter().product::<usize>() != leaves.len() {
                    return None;
                }
                let each = leaves.len() / shape[0];
                Some(leaves.chunks(each).map(|part| self.of_leaves(&shape[1..], part)).collect())
            }
            _ => None,
        }
    }

    /// These elements, with a value added to what is at an index.
    fn added(&mut self, mut parts: Vec<Atom>, indices: &[Atom], value: Atom) -> Option<Vec<Atom>> {
        let Some((first, rest)) = indices.split_first() else {
            let values = self.elements(value)?.clone();
            for (part, value) in parts.iter_mut().zip(values) {
                *part = self.plus(*part, &[], value)?;
            }
            return Some(parts);
        };
        let Atom::Const(Const::I64(at)) = *first else { return None };
        // What is out of bounds adds nothing.
        if let Some(part) = usize::try_from(at).ok().and_then(|at| parts.get_mut(at)) {
            *part = self.plus(*part, rest, value)?;
        }
        Some(parts)
    }

    fn plus(&mut self, element: Atom, indices: &[Atom], value: Atom) -> Option<Atom> {
        if self.builder.type_of(element).rank == 0 {
            return Some(self.builder.scalar(ScalarOp::Add, &[element, value]));
        }
        let parts = self.elements(element)?.clone();
        let parts = self.added(parts, indices, value)?;
        Some(self.written(Op::Elements(parts)))
    }

    /// Writes statements into the open body, and answers the results.
    fn inline(&mut self, body: &Body) -> Vec<Atom> {
        deeper(|| body.stms.iter().for_each(|stm| self.stm(stm)));
        self.atoms(&body.results)
    }

    fn stm(&mut self, stm: &Stm) {
        let values = match &stm.op {
            Op::If(condition, yes, no) => self.branches(self.atom(*condition), yes, no),
            Op::Loop(it) => self.iterated(it),
            Op::Map(map) => self.for_each(map),
            Op::Reduce(it) => self.folded(it).map(|all| all.last().expect("an array has an element").clone()),
            Op::Scan(it) => self.folded(it).map(|all| {
                let prefixes = |k: usize| Op::Elements(all.iter().map(|x| x[k]).collect());
                (0..it.neutral.len()).map(|k| self.written(prefixes(k))).collect()
            }),
            Op::Agree(it) if self.agrees(it) => return,
            Op::Scalar(..) | Op::Hist(_) | Op::Custom(_) | Op::Agree(_) => None,
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

    /// Whether sizes that are compared are known to agree.
    fn agrees(&self, it: &Agree) -> bool {
        let size = |extent: &Extent| match extent {
            Extent::Number(n) => number(self.atom(*n)),
            Extent::Of(array, dimension) => self.shape(self.atom(*array)).map(|shape| shape[*dimension]),
        };
        let product = |sizes: &[Extent]| sizes.iter().map(size).product::<Option<usize>>();
        product(&it.first).is_some_and(|first| product(&it.second) == Some(first))
    }

    /// The elements of arrays of one length, one array after the other, and the length, if a function of so many statements is
    /// to be written out for each.
    fn columns(&self, arrays: &[Atom], function: &Lambda) -> Option<(Vec<Vec<Atom>>, usize)> {
        let columns: Vec<Vec<Atom>> =
            arrays.iter().map(|a| self.elements(self.atom(*a)).cloned()).collect::<Option<_>>()?;
        let count = columns[0].len();
        let fits = count * statements(&function.body) <= STATEMENTS && columns.iter().all(|c| c.len() == count);
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

    /// What is written inside, as a body, whose results are still to be set.
    fn open<T>(&mut self, inside: impl FnOnce(&mut Self) -> T) -> (Body, T) {
        self.builder.open_body();
        let value = inside(self);
        (self.builder.close_body(Vec::new()), value)
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
        let mut values = Vec::new();
        for shape in shapes {
            let count = shape.as_ref().map_or(1, |shape| shape.iter().product());
            let (of, rest) = from.split_at(count);
            values.push(match shape {
                Some(shape) => self.of_leaves(shape, of),
                None => of[0],
            });
            from = rest;
        }
        values
    }

    fn branches(&mut self, condition: Atom, yes: &Body, no: &Body) -> Option<Vec<Atom>> {
        let of = |this: &mut Self, body: &Body| {
            let results = this.inline(body);
            let shapes: Vec<_> = results.iter().map(|result| this.shape(*result)).collect();
            (results, shapes)
        };
        let (mut yes, (yes_results, yes_shapes)) = self.open(|this| of(this, yes));
        let (mut no, (no_results, no_shapes)) = self.open(|this| of(this, no));
        let shapes: Vec<Option<Shape>> =
            yes_shapes.into_iter().zip(no_shapes).map(|(yes, no)| yes.filter(|yes| Some(yes) == no.as_ref())).collect();
        yes.results = self.spread(&yes_results, &shapes);
        no.results = self.spread(&no_results, &shapes);
        let vars = self.builder.emit(Op::If(condition, Box::new(yes), Box::new(no)));
        let values: Vec<Atom> = vars.into_iter().map(Atom::Var).collect();
        Some(self.gathered(&shapes, &values))
    }

    /// Variables of a loop are taken apart if they begin so and every iteration leaves them so.
    fn iterated(&mut self, it: &Loop) -> Option<Vec<Atom>> {
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
                    let (mut asked, results) = self.open(|this| {
                        enter(this);
                        this.inline(condition)
                    });
                    asked.results = results;
                    Form::While { condition: asked, bound }
                }
            };
            let (mut body, (results, after)) = self.open(|this| {
                enter(this);
                let results = this.inline(&it.body);
                let after: Vec<_> = results.iter().map(|result| this.shape(*result)).collect();
                (results, after)
            });
            let changed: Vec<Var> = (params.iter().zip(&shapes).zip(&after))
                .filter(|((_, before), after)| before.is_some() && before != after)
                .map(|((param, _), _)| *param)
                .collect();
            if !changed.is_empty() {
                // What was written goes with the body.
                self.whole.extend(changed);
                continue;
            }
            body.results = self.spread(&results, &shapes);
            let params = fresh.into_iter().zip(starts).collect();
            let op = Op::Loop(Box::new(Loop { params, form, body, policy: it.policy }));
            let values: Vec<Atom> = self.builder.emit(op).into_iter().map(Atom::Var).collect();
            return Some(self.gathered(&shapes, &values));
        }
    }
}

/// The statements of a body, those inside of others too.
fn statements(body: &Body) -> usize {
    let inside = |stm: &Stm| bodies(&stm.op).map(statements).sum::<usize>();
    deeper(|| body.stms.iter().map(|stm| 1 + inside(stm)).sum())
}

impl Rebuild for Writer<'_> {
    fn atom(&self, atom: Atom) -> Atom {
        match atom {
            Atom::Var(var) => self.values[&var],
            Atom::Const(_) => atom,
        }
    }

    fn body(&mut self, body: &Body) -> Body {
        let (mut written, results) = self.open(|this| this.inline(body));
        written.results = results;
        written
    }

    fn lambda(&mut self, lambda: &Lambda) -> Lambda {
        let types: Vec<Type> = lambda.params.iter().map(|param| self.types[param.0 as usize]).collect();
        let params: Vec<Var> = types.into_iter().map(|of| self.builder.fresh(of)).collect();
        self.set(&lambda.params, params.iter().copied().map(Atom::Var));
        Lambda { params, body: self.body(&lambda.body) }
    }

    fn of_loop(&mut self, _: &Loop) -> Op {
        panic!("loops are rebuilt with the variables that they have apart")
    }
}
