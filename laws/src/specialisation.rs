//! Laws of specialised programs: for the arguments that they are for they are the program, and for others they are errors.
//!
//! Law: `p.specialise(known)` gives for arguments of which this is known what `p` gives, on the reference interpreter and on lanes; where a
//! size is another it gives an error (tests/array/specialise.rs).

use catadiff::array::Program;
use catadiff::execute::Lanes;
use catadiff::interpret::{Scalar, Value, run};
use catadiff::transform::Static;

use crate::array_programs::ArrayProgram;
use crate::array_values::{LIMITS, all_close, violation};
use crate::executors::same_if_supported;
use crate::violation::Verdict;

/// Lanes add in another order, and simplified programs do not say the sign of zeros.
const REORDERED: f64 = 1e-9;

/// What is known of arguments: the sizes of arrays, and every other scalar that is an integer or a truth value, with the arguments that are left.
fn known(arguments: &[Value<f64>]) -> (Vec<Static>, Vec<Value<f64>>) {
    let (mut known, mut left) = (Vec::new(), Vec::new());
    for (k, argument) in arguments.iter().enumerate() {
        match (argument.sizes(), argument.elements()) {
            ([], [scalar]) => match Scalar::exact(scalar).filter(|_| k % 2 == 0) {
                Some(value) => known.push(Static::Value(value)),
                None => {
                    known.push(Static::Unknown);
                    left.push(argument.clone());
                }
            },
            (sizes, _) => {
                known.push(Static::Sizes(sizes.to_vec()));
                left.push(argument.clone());
            }
        }
    }
    (known, left)
}

/// Other sizes than those of an array.
fn longer(value: &Value<f64>) -> Option<Value<f64>> {
    let mut sizes = value.sizes().to_vec();
    let first = *value.elements().first()?;
    *sizes.first_mut()? += 1;
    let rows = sizes.iter().product();
    Value::array(&sizes, vec![first; rows]).ok()
}

/// A specialised program is the program.
///
/// # Errors
/// The violation.
pub fn is_the_program(random: &ArrayProgram) -> Verdict {
    let (program, arguments) = (random.program(), random.arguments());
    let wrong = |law: &str, program: &Program, found: String, wanted: String| {
        Err(violation(law, program, &arguments, found, wanted))
    };
    let (known, left) = known(&arguments);
    let special = match program.specialise(&known) {
        Ok(special) => special,
        Err(error) => return wrong("p.specialise(known)", &program, error.to_string(), "a program".to_owned()),
    };
    if let Err(error) = special.verify() {
        return wrong("p.specialise(known) verifies", &special, error.to_string(), "Ok(())".to_owned());
    }
    let (wanted, found) = (run(&program, &arguments, &LIMITS), run(&special, &left, &LIMITS));
    if let Ok(wanted) = &wanted
        && !found.as_ref().is_ok_and(|found| all_close(found, wanted, REORDERED))
    {
        return wrong("p.specialise(known) = p", &special, format!("{found:?}"), format!("{wanted:?}"));
    }
    same_if_supported(&Lanes, &special, &left)?;
    for (k, other) in left.iter().enumerate().filter_map(|(k, value)| Some((k, longer(value)?))) {
        let mut left = left.clone();
        left[k] = other;
        if let Ok(found) = run(&special, &left, &LIMITS) {
            return wrong("p.specialise(known) on other sizes", &special, format!("{found:?}"), "an error".to_owned());
        }
        same_if_supported(&Lanes, &special, &left)?;
    }
    Ok(())
}
