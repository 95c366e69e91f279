//! What executors make of programs before they are code: programs that verify, pass by pass.

use catadiff::Result;
use catadiff::array::Program;
use catadiff::array::trace::{Arr, F64, iota, literal};
use catadiff_laws::executors::at_hand;
use catadiff_laws::{ArrayProgram, for_all};

/// The passes whose outcome is a program, which is read as one.
fn of_programs(program: &Program) -> Result<Vec<&'static str>> {
    let mut names = Vec::new();
    for executor in at_hand() {
        for (name, text) in program.compile_on(executor)?.explained_passes() {
            if text.starts_with("program (") {
                Program::parse(&text)?;
                if !names.contains(&name) {
                    names.push(name);
                }
            }
        }
    }
    Ok(names)
}

#[test]
fn each_pass_over_programs_leaves_one_that_verifies() -> Result<()> {
    let program = Program::trace(|x: Arr<F64>| {
        let places = iota(10).map(|k| iota(4).map(|j| (k * k + j) % 5));
        let few = literal([x.index(0), x.index(1)]).map(|y| y * y).sum();
        places.map(|row| x.gather(row).sum() * few)
    })?;
    assert_eq!(of_programs(&program)?, ["scalar replacement", "constant evaluation"]);
    let verdict = for_all(|p: ArrayProgram| {
        of_programs(&p.program()).expect("what a pass leaves is a program");
        Ok(())
    });
    assert!(verdict.is_ok());
    Ok(())
}
