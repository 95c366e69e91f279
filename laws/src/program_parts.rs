//! Programs by their parts: what does not verify is refused where a program is made of them, and nothing else is.
//!
//! Law: `Program::new` of the parts of a program is the program; of parts with one of the verifier's invariants broken
//! it is an error that names a statement; and what it takes of parts that were mixed up runs, on every executor as
//! interpreted (tests/array/text.rs).

use core::cell::RefCell;

use catadiff::array::{Atom, Body, Lambda, MAX_DEPTH, Op, Program, Stm, Type, Var};
use catadiff::{Error, Result};

use crate::array_programs::ArrayProgram;
use crate::array_values::violation;
use crate::executors::{Tally, at_hand, counted};
use crate::violation::Verdict;

/// The types of the variables of a program, the names of its parameters, and its function.
pub type Parts = (Vec<Type>, Vec<String>, Lambda);

/// The program with its parts changed.
///
/// # Errors
/// [`Error::IllTyped`] if it does not verify.
pub fn changed(program: &Program, change: impl FnOnce(&mut Parts)) -> Result<Program> {
    let mut parts = program.clone().into_parts();
    change(&mut parts);
    let (types, names, function) = parts;
    Program::new(types, names, function)
}

/// A new variable among these.
pub fn fresh(types: &mut Vec<Type>, of: Type) -> Var {
    types.push(of);
    Var(u32::try_from(types.len() - 1).expect("there are few variables"))
}

/// The first statement that binds variables.
fn binding(function: &mut Lambda) -> Option<&mut Stm> {
    function.body.stms.iter_mut().find(|stm| !stm.vars.is_empty())
}

/// An invariant, and parts that break it, unless the program has nothing that it is about.
type Breach = (&'static str, fn(&mut Parts) -> Option<()>);

/// A breach of every invariant that programs of any kind can break.
const BREACHES: [Breach; 12] = [
    ("every variable has a type", |(types, ..)| types.pop().map(drop)),
    ("a result has a type", |(types, _, function)| {
        let none = Var(u32::try_from(types.len()).expect("there are few variables"));
        function.body.results.push(none.into());
        Some(())
    }),
    ("each parameter has a name", |(_, names, _)| names.pop().map(drop)),
    ("a parameter is bound once", |(_, names, function)| {
        function.params.push(*function.params.first()?);
        names.push("again".into());
        Some(())
    }),
    ("a variable is bound by one statement", |(.., function)| {
        let stm = binding(function)?.clone();
        function.body.stms.push(stm);
        Some(())
    }),
    ("a variable is used after it is bound", |(types, _, function)| {
        let of = types[function.params.first()?.0 as usize];
        let [one, other] = [(); 2].map(|()| fresh(types, of));
        function.body.stms.push(Stm::new([one], Op::Copy(other.into())));
        Some(())
    }),
    ("a variable is used within the body that binds it", |(.., function)| {
        let mut bodies = function.body.stms.iter().flat_map(|stm| stm.op.bodies());
        let inside = *bodies.find_map(|body| body.stms.iter().find_map(|stm| stm.vars.first()))?;
        function.body.results.push(inside.into());
        Some(())
    }),
    ("a variable is of the type of what binds it", |(types, _, function)| {
        types[binding(function)?.vars[0].0 as usize].rank += 1;
        Some(())
    }),
    ("a statement binds as many variables as there are results", |(types, _, function)| {
        let stm = binding(function)?;
        let of = types[stm.vars[0].0 as usize];
        stm.vars.push(fresh(types, of));
        Some(())
    }),
    ("parameters are no accumulators", |(types, _, function)| {
        types[function.params.first()?.0 as usize].accumulator = true;
        Some(())
    }),
    ("accumulators are used", |(types, _, function)| {
        let array = *function.params.iter().find(|param| {
            let of = types[param.0 as usize];
            of.rank > 0 && of.prim.is_real()
        })?;
        let of = Type { accumulator: true, ..types[array.0 as usize] };
        let lost = fresh(types, of);
        function.body.stms.push(Stm::new([lost], Op::ToAccumulator(array.into())));
        Some(())
    }),
    ("bodies nest at most so deep", |(.., function)| {
        let empty = || Box::new(Body::default());
        for _ in 0..=MAX_DEPTH {
            let inside = core::mem::take(&mut function.body.stms);
            let results = core::mem::take(&mut function.body.results);
            let branch = Box::new(Body { stms: inside, results });
            let condition = Atom::Const(catadiff::array::Const::Bool(true));
            function.body.stms = vec![Stm::new([], Op::If(condition, branch, empty()))];
        }
        Some(())
    }),
];

/// The parts of a program make the program, and with an invariant broken they make none.
///
/// # Errors
/// The violation.
pub fn refused(random: &ArrayProgram) -> Verdict {
    let program = random.program();
    let wrong =
        |law: &str, found: String, wanted: &str| Err(violation(law, &program, &random.arguments(), found, wanted));
    let again = changed(&program, |_| ());
    if again.as_ref() != Ok(&program) {
        return wrong("Program::new(parts of p) = p", format!("{again:?}"), "p");
    }
    for (invariant, breach) in BREACHES {
        let mut is_broken = false;
        let made = changed(&program, |parts| is_broken = breach(parts).is_some());
        let is_refused = matches!(&made, Err(Error::IllTyped { statement, .. }) if !statement.is_empty());
        if is_broken && !is_refused {
            let law = format!("Program::new refuses what breaks `{invariant}`");
            return wrong(
                &law,
                made.map_or_else(|e| e.to_string(), |made| made.to_string()),
                "an error with the statement",
            );
        }
    }
    Ok(())
}

/// How many statements away from each other two are that are mixed up.
const MAX_DISTANCE: usize = 3;

/// Statements that bind the variables of others make a program that runs, or none.
///
/// # Errors
/// The violation.
pub fn mixed_up(random: &ArrayProgram) -> Verdict {
    let program = random.program();
    let (count, tally) = (program.function().body.stms.len(), RefCell::new(Tally::default()));
    for (one, other) in
        (0..count).flat_map(|one| (one + 1..count.min(one + MAX_DISTANCE)).map(move |other| (one, other)))
    {
        let mixed = changed(&program, |(.., function)| {
            let (before, after) = function.body.stms.split_at_mut(other);
            core::mem::swap(&mut before[one].vars, &mut after[0].vars);
        });
        if let Ok(mixed) = mixed {
            at_hand().into_iter().try_for_each(|on| counted(on, &mixed, &random.arguments(), &tally))?;
        }
    }
    Ok(())
}
