//! Laws of sizes: those that a program is said to have are found when it runs, and what does not fit is an error of every
//! derivative.
//!
//! Law: where sizes in a run of `p` do not agree, and that is its error, the same arguments are an error of every
//! program made of `p`; and so is a tangent or an adjoint that has not the sizes of what it belongs to. Where there is no
//! error, every variable has the sizes of the table `p.sizes()` (tests/transform/sizes.rs).

use catadiff::Error;
use catadiff::array::{Agree, Agreement, Atom, Body, Extent, Op, Prim, Program, SizeTable, Stm, Type, Var};
use catadiff::interpret::{Scalar, Value, run};

use crate::array_programs::ArrayProgram;
use crate::array_values::{LIMITS, violation};
use crate::program_parts::changed;
use crate::violation::Verdict;

/// A program made of another, and how many arguments come after those of the other: none, tangents, or adjoints.
pub(crate) type Derived = (&'static str, catadiff::Result<Program>, Extra);

#[derive(Clone, Copy)]
pub(crate) enum Extra {
    Nothing,
    Tangents,
    Adjoints,
}

/// Programs that compute, of a program, at least what it computes, in one way or another.
pub(crate) fn derived(program: &Program) -> Vec<Derived> {
    let simplified = program.simplified();
    let mut all = vec![
        ("p.jvp()", program.jvp(), Extra::Tangents),
        ("p.simplified().jvp()", simplified.jvp(), Extra::Tangents),
        ("p.vjp()", program.vjp(), Extra::Adjoints),
        ("p.simplified().vjp()", simplified.vjp(), Extra::Adjoints),
        ("p.simplified()", Ok(simplified), Extra::Nothing),
    ];
    let is_real = |atom: &&catadiff::array::Atom| program.atom_type(**atom).prim == Prim::F64;
    let results = &program.function().body.results;
    for k in 0..results.len() {
        if results.get(k).filter(is_real).is_some_and(|atom| program.atom_type(*atom).rank == 0) {
            let gradient = program.only(&[k]).and_then(|p| p.grad(..));
            let hvp = gradient.clone().and_then(|p| p.jvp());
            all.push(("p.only([k]).grad(..)", gradient, Extra::Nothing));
            all.push(("p.only([k]).grad(..).jvp()", hvp, Extra::Tangents));
        }
    }
    all
}

/// Arguments that fit but for one size.
fn misfits(random: &ArrayProgram) -> Vec<Vec<Value<f64>>> {
    let fitting = random.arguments();
    let (rows, columns) = (fitting[0].sizes()[0], fitting[2].sizes()[1]);
    let mut all = Vec::new();
    for size in [rows + 1, rows + 3, rows.saturating_sub(1)] {
        for k in 0..4 {
            let mut lengths = [rows; 4];
            lengths[k] = size;
            all.push(random.arguments_of(lengths, columns));
        }
    }
    all.extend([columns + 1, columns.saturating_sub(1)].map(|columns| random.arguments_of([rows; 4], columns)));
    all
}

/// Where the sizes of one argument do not fit, what is made of a program is an error as the program is; and every error of
/// a run says where it is.
///
/// # Errors
/// The violation.
pub(crate) fn misfits_stay(
    random: &ArrayProgram,
    program: &Program,
    derived: &[Derived],
    says_where: impl Fn(&Error) -> bool,
) -> Verdict {
    let Ok(results) = run(program, &random.arguments(), &LIMITS) else { return Ok(()) };
    let placed = |name: &str, made: &Program, arguments: &[Value<f64>], error: &Error| {
        if says_where(error) {
            return Ok(());
        }
        let law = format!("an error of {name} names a place of p");
        Err(violation(&law, program, arguments, format!("{error:?}\n{made}"), "a place"))
    };
    for (k, arguments) in misfits(random).into_iter().enumerate() {
        let itself = run(program, &arguments, &LIMITS).err();
        itself.iter().try_for_each(|error| placed("p", program, &arguments, error))?;
        let is_wrong = matches!(itself, Some(Error::Sizes { .. }));
        // Some of the others are enough to ask.
        if !is_wrong && k % 4 > 0 {
            continue;
        }
        for (name, made, extra) in derived {
            let Ok(made) = made else { continue };
            let more = match extra {
                Extra::Nothing => Vec::new(),
                Extra::Tangents => arguments.clone(),
                Extra::Adjoints => results.clone(),
            };
            match run(made, &[&arguments[..], &more].concat(), &LIMITS) {
                Err(error) => placed(name, made, &arguments, &error)?,
                Ok(found) if is_wrong => {
                    let law = format!("{name} is an error where sizes in p do not agree");
                    return Err(violation(&law, program, &arguments, format!("{found:?}\n{made}"), "Err(…)"));
                }
                Ok(_) => {}
            }
        }
    }
    Ok(())
}

/// Values with one size too large by one.
fn too_large(values: &[Value<f64>]) -> Vec<Vec<Value<f64>>> {
    let mut all = Vec::new();
    for (k, value) in values.iter().enumerate() {
        for dimension in 0..value.sizes().len() {
            let mut sizes = value.sizes().to_vec();
            sizes[dimension] += 1;
            let zero = match value.elements().first() {
                Some(element) => Scalar::constant(element.prim().zero(), |x| x),
                None => continue,
            };
            let elements = vec![zero; sizes.iter().product()];
            let mut changed = values.to_vec();
            changed[k] = Value::array(&sizes, elements).expect("as many elements as sizes say");
            all.push(changed);
        }
    }
    all
}

/// A tangent or an adjoint of another size than what it belongs to is an error, whether anything depends on it or not.
///
/// # Errors
/// The violation.
pub fn seeds_fit(random: &ArrayProgram) -> Verdict {
    let (program, arguments) = (random.program(), random.arguments());
    let Ok(results) = run(&program, &arguments, &LIMITS) else { return Ok(()) };
    for (law, derived, seeds) in [
        ("a tangent of another size is an error", program.jvp(), &arguments),
        ("an adjoint of another size is an error", program.vjp(), &results),
    ] {
        let Ok(derived) = derived else { continue };
        for seeds in too_large(seeds) {
            let all = [&arguments[..], &seeds].concat();
            let found = run(&derived, &all, &LIMITS);
            if !matches!(found, Err(Error::Sizes { .. })) {
                return Err(violation(law, &program, &all, format!("{found:?}\n{derived}"), "Err(Sizes …)"));
            }
        }
    }
    Ok(())
}

/// The sizes of `p.sizes()` are those that a run finds: the program still runs when it compares every variable with them.
/// So do its derivatives, at tangents and adjoints that are the arguments and the results.
///
/// # Errors
/// The violation.
pub fn sizes_hold(program: &Program, arguments: &[Value<f64>]) -> Verdict {
    let Ok(results) = run(program, arguments, &LIMITS) else { return Ok(()) };
    have_their_sizes("p", program, arguments)?;
    for (name, derivative, seeds) in [("p.jvp()", program.jvp(), arguments), ("p.vjp()", program.vjp(), &results)] {
        if let Ok(derivative) = derivative {
            have_their_sizes(name, &derivative, &[arguments, seeds].concat())?;
        }
    }
    Ok(())
}

fn have_their_sizes(name: &str, program: &Program, arguments: &[Value<f64>]) -> Verdict {
    if run(program, arguments, &LIMITS).is_err() {
        return Ok(());
    }
    let sizes = program.sizes();
    let compared = changed(program, |(types, _, function)| {
        compare_all(&function.params, &mut function.body, &sizes, types);
    });
    let error = match &compared {
        Ok(compared) => run(compared, arguments, &LIMITS).err(),
        Err(error) => Some(error.clone()),
    };
    let Some(error) = error else { return Ok(()) };
    let compared = compared.map_or_else(|_| String::new(), |compared| compared.to_string());
    let law = format!("what {name} binds has the sizes of its table");
    Err(violation(&law, program, arguments, format!("{error}\n{compared}"), "Ok(…)"))
}

/// Compares each variable of a body with its sizes right after what binds it, its parameters or a statement. What
/// accumulates cannot be compared.
fn compare_all(params: &[Var], body: &mut Body, sizes: &SizeTable, types: &[Type]) {
    let accumulates = |atom: Atom| matches!(atom, Atom::Var(var) if types[var.0 as usize].accumulator);
    let compare = |stms: &mut Vec<Stm>, vars: &[Var]| {
        for var in vars.iter().map(|var| Atom::Var(*var)).filter(|var| !accumulates(*var)) {
            for (dimension, size) in sizes.of(var).iter().enumerate().filter(|(_, size)| !accumulates(size.atom())) {
                let (first, second) = (vec![Extent::Of(var, dimension)], vec![*size]);
                let agree = Agree { what: Agreement::Wanted, first, second, times: Vec::new() };
                stms.push(Stm::new([], Op::Agree(Box::new(agree))));
            }
        }
    };
    let around = core::mem::take(&mut body.stms);
    compare(&mut body.stms, params);
    for mut stm in around {
        let params = params_of(&stm.op);
        stm.op.bodies_mut().zip(params).for_each(|(inner, params)| compare_all(&params, inner, sizes, types));
        let vars = stm.vars.clone();
        body.stms.push(stm);
        compare(&mut body.stms, &vars);
    }
}

/// What is bound around each body of an operation, in their order.
fn params_of(op: &Op) -> Vec<Vec<Var>> {
    match op {
        Op::If(..) => vec![Vec::new(); 2],
        Op::Map(it) => vec![it.function.params.clone()],
        Op::Reduce(it) | Op::Scan(it) => vec![it.operator.params.clone()],
        Op::Hist(it) => vec![it.operator.params.clone()],
        Op::Custom(it) => vec![it.function.params.clone(), it.pullback.params.clone()],
        Op::Loop(it) => vec![it.params.iter().map(|(param, _)| *param).collect(); op.bodies().count()],
        _ => Vec::new(),
    }
}
