//! Arrays melted: the interpreter is run on scalars that have names, and every scalar operation is a statement.
//!
//! Law: tracing is evaluation: a [`Named`] scalar computes what the interpreter computes and records that it did;
//! arrays, functions and control flow are the interpreter's and leave no statement behind, and the tests of named
//! scalars are the decisions ("Maintaining parallelism in reverse-mode automatic differentiation on functional parallel
//! array languages", *Basic Tracing*, and *Array Tracing* where arrays are traced away)
//! (laws: tracing::computes_the_same).

use core::cell::RefCell;
use rustc_hash::FxHashMap;

use super::probe::notice;
use super::record::{Outcome, Record, Recorded};
use crate::array::{
    Atom, Body, Const, Custom, Foreign, Op, Prim, Program, Rebuild, ScalarOp, Stm, Type, Var, deeper, index, text,
};
use crate::error::{Result, Span};
use crate::interpret::{Arithmetic, Limits, Machine, Scalar, Step, VERIFIED, Value, apply, kinds, plain};

/// A scalar with the name of the step that computed it. Integers and truth values without one are constants.
#[derive(Debug, Clone)]
pub(super) struct Named {
    pub(super) value: Scalar<f64>,
    pub(super) prim: Prim,
    pub(super) atom: Atom,
}

impl Named {
    pub(super) fn of(scalar: &Scalar<Named>) -> Self {
        match (scalar.real(), scalar.exact()) {
            (Some(named), _) => named.clone(),
            (None, constant) => known(constant.expect("what is no real is an integer or a truth value")),
        }
    }
}

/// What has a name is a real to the machine, whatever it is.
fn named(named: Named) -> Scalar<Named> {
    Scalar::F64(named)
}

/// What a constant is, which has itself for a name.
fn known(constant: Const) -> Named {
    Named { value: f64::constant(constant), prim: constant.prim(), atom: constant.into() }
}

impl Arithmetic for Named {
    type Log = Record;

    fn constant(constant: Const) -> Scalar<Named> {
        Scalar::constant(constant, |_| known(constant))
    }

    fn apply(record: &Record, op: ScalarOp, operands: &[Scalar<Named>]) -> Step<Scalar<Named>> {
        let operands: Vec<Named> = operands.iter().map(Named::of).collect();
        let values: Vec<Scalar<f64>> = operands.iter().map(|x| x.value).collect();
        let value = apply(op, &values)?;
        let constants = operands.iter().all(|x| matches!(x.atom, Atom::Const(_)));
        if let Some(value) = value.exact().filter(|_| constants) {
            return Ok(Self::constant(value));
        }
        let prims: Vec<Prim> = operands.iter().map(|x| x.prim).collect();
        let prim = op.result(&prims).expect(VERIFIED);
        let atoms = operands.iter().map(|x| x.atom).collect();
        let atom = record.one(Op::Scalar(op, atoms));
        Ok(named(Named { value, prim, atom }))
    }

    fn truth(record: &Record, scalar: &Scalar<Named>) -> bool {
        let named = Named::of(scalar);
        let Scalar::Bool(truth) = named.value else { panic!("{VERIFIED}") };
        record.decide(named.atom, Outcome::Value(Const::Bool(truth)));
        truth
    }

    fn index(record: &Record, scalar: &Scalar<Named>) -> i64 {
        let named = Named::of(scalar);
        let Scalar::I64(n) = named.value else { panic!("{VERIFIED}") };
        record.decide(named.atom, Outcome::Value(Const::I64(n)));
        n
    }

    fn is_index(scalar: &Scalar<Named>) -> bool {
        matches!(Named::of(scalar).value, Scalar::I64(_))
    }

    fn span(record: &Record, span: Span) -> Span {
        record.span(span)
    }

    fn bound(record: &Record, var: Var, value: Value<Named>) -> Value<Named> {
        notice(record, var, value)
    }

    fn foreign(
        machine: &Machine<'_, Named>,
        it: &Foreign,
        arguments: Vec<Value<Named>>,
        like: &[Value<Named>],
    ) -> Step<Vec<Value<Named>>> {
        foreign(machine, it, &arguments, like)
    }

    /// A function with derivatives of its own is one step, lest its derivatives be lost.
    fn custom(
        machine: &mut Machine<'_, Named>,
        it: &Custom,
        arguments: &[Value<Named>],
    ) -> Step<Option<Vec<Value<Named>>>> {
        if machine.log.is_muted() {
            return Ok(None);
        }
        let program = machine.program();
        let atoms = it.arguments.iter().zip(arguments).map(|(a, x)| assemble(&machine.log, program.atom_type(*a), x));
        let arguments_named = atoms.collect();
        let mut copy = Closed { machine, names: RefCell::default() };
        let (function, pullback) = (copy.lambda(&it.function), copy.lambda(&it.pullback));
        let types: Vec<Type> = it.function.body.results.iter().map(|a| program.atom_type(*a)).collect();
        let custom = Custom { function, pullback, arguments: arguments_named };

        machine.log.mute(true);
        let results = machine.apply(&it.function, arguments.to_vec());
        machine.log.mute(false);

        let vars = machine.log.add(Op::Custom(Box::new(custom)));
        let named = |(value, (var, of)): (Value<Named>, (Var, &Type))| {
            let atom = Atom::Var(var);
            for (dimension, size) in value.sizes().iter().enumerate() {
                let size = i64::try_from(*size).unwrap_or(i64::MAX);
                let asked = machine.log.one(Op::Size(atom, dimension));
                machine.log.decide(asked, Outcome::Value(Const::I64(size)));
            }
            let elements = value.elements().iter().map(|x| Named::of(x).value).collect();
            take_apart(&machine.log, atom, *of, value.sizes(), elements)
        };
        Ok(Some(results?.into_iter().zip(vars.into_iter().zip(&types)).map(named).collect()))
    }
}

/// A function of Rust is one step.
fn foreign(
    machine: &Machine<'_, Named>,
    it: &Foreign,
    arguments: &[Value<Named>],
    like: &[Value<Named>],
) -> Step<Vec<Value<Named>>> {
    let (program, record) = (machine.program(), &machine.log);
    let value = |value: &Value<Named>| {
        let elements = value.elements().iter().map(|x| Named::of(x).value).collect();
        Value::array(value.sizes(), elements).expect("an array has as many elements as its sizes say")
    };
    let kinds = kinds(program, it, like);
    let results = plain(it, arguments.iter().map(value).collect(), &kinds)?;
    let assembled = |atoms: &[Atom], values: &[Value<Named>]| -> Vec<Atom> {
        atoms.iter().zip(values).map(|(a, x)| assemble(record, program.atom_type(*a), x)).collect()
    };
    let (arguments, like) = (assembled(&it.arguments, arguments), assembled(&it.like, like));
    let vars = record.add(Op::Foreign(Box::new(Foreign { function: it.function.clone(), arguments, like })));
    let named = |(value, (var, atom)): (Value<f64>, (Var, &Atom))| {
        take_apart(record, var.into(), program.atom_type(*atom), value.sizes(), value.elements().to_vec())
    };
    Ok(results.into_iter().zip(vars.into_iter().zip(&it.like)).map(named).collect())
}

/// The scalars of a variable, each with a name.
fn take_apart(record: &Record, atom: Atom, of: Type, sizes: &[usize], elements: Vec<Scalar<f64>>) -> Value<Named> {
    let mut at = vec![0; sizes.len()];
    let named = elements.into_iter().map(|value| {
        let element = match sizes {
            [] => atom,
            _ => record.one(Op::Index(atom, at.iter().map(|i| index(*i)).collect())),
        };
        // The last dimension runs fastest.
        for (i, size) in at.iter_mut().zip(sizes).rev() {
            *i += 1;
            if *i < *size as i64 {
                break;
            }
            *i = 0;
        }
        named(Named { value, prim: of.prim, atom: element })
    });
    Value::array(sizes, named.collect()).expect("an array has as many elements as its sizes say")
}

/// A value as an operand: an array is put together of its scalars.
fn assemble(record: &Record, of: Type, value: &Value<Named>) -> Atom {
    let atoms: Vec<Atom> = value.elements().iter().map(|x| Named::of(x).atom).collect();
    let list = match (of.rank, atoms.is_empty()) {
        (0, _) => return atoms[0],
        (_, true) => record.one(Op::Replicate(index(0), of.prim.zero().into())),
        (_, false) => record.one(Op::Elements(atoms)),
    };
    if of.rank == 1 {
        return list;
    }
    let sizes = value.sizes().iter().map(|n| index(i64::try_from(*n).unwrap_or(i64::MAX))).collect();
    record.one(Op::Reshape(list, sizes))
}

/// The straight line of scalar operations that the program performs on these arguments, which fit it, in this record.
pub(super) fn scalarize(
    record: Record,
    program: &Program,
    arguments: &[Value<f64>],
    limits: &Limits,
) -> Result<Recorded> {
    let of_params = program.function.params.iter().map(|p| program.type_of(*p));
    let params = record.parameters(program);
    let arrays = params.iter().zip(arguments).filter(|(_, value)| !value.sizes().is_empty());
    arrays.for_each(|(param, value)| record.decide((*param).into(), Outcome::of(value)));
    let named =
        params.iter().zip(of_params).zip(arguments).map(|((param, of), value)| {
            take_apart(&record, (*param).into(), of, value.sizes(), value.elements().to_vec())
        });
    let named = named.collect();
    let mut machine = Machine::new(program, limits, record);
    let results = machine
        .apply(&program.function, named)
        .map_err(|fault| fault.within(Span::UNKNOWN, || text::signature(program)))?;
    let record = machine.log;
    let of_results = program.function.body.results.iter().map(|a| program.atom_type(*a));
    let results = of_results.zip(&results).map(|(of, value)| assemble(&record, of, value)).collect();
    Ok(record.finish(results))
}

/// Copies of functions in which variables from outside are the names of their values.
struct Closed<'m, 'p> {
    machine: &'m Machine<'p, Named>,
    names: RefCell<FxHashMap<Var, Atom>>,
}

impl Closed<'_, '_> {
    fn renamed(&self, vars: &[Var]) -> Vec<Var> {
        let bind = |var: &Var| {
            let fresh = self.machine.log.fresh(self.machine.program().type_of(*var));
            self.names.borrow_mut().insert(*var, fresh.into());
            fresh
        };
        vars.iter().map(bind).collect()
    }
}

impl Rebuild for Closed<'_, '_> {
    fn atom(&self, atom: Atom) -> Atom {
        let Atom::Var(var) = atom else { return atom };
        if let Some(name) = self.names.borrow().get(&var) {
            return *name;
        }
        // A variable from outside: its value is put together once, before the function.
        let name = assemble(&self.machine.log, self.machine.program().type_of(var), &self.machine.get(atom));
        self.names.borrow_mut().insert(var, name);
        name
    }

    fn body(&mut self, body: &Body) -> Body {
        let stms = body.stms.iter().map(|stm| {
            let op = self.op(&stm.op);
            Stm { vars: self.renamed(&stm.vars).into(), op, span: stm.span }
        });
        let stms = deeper(|| stms.collect());
        Body { stms, results: self.atoms(&body.results) }
    }

    fn bind(&mut self, var: Var) -> Var {
        self.renamed(&[var])[0]
    }
}
