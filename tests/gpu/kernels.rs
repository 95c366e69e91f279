//! The text of kernels: of random programs and their derivatives it is WGSL, which needs no device to be seen.

use catadiff::array::{
    Program,
    trace::{Arr, F64},
};
use catadiff::execute::gpu::{check, kernels};
use catadiff::{Elementary, Result};
use catadiff_laws::{ArrayProgram, Verdict, for_all};

/// The kernels of a program are WGSL.
fn are_wgsl(program: &Program) -> usize {
    let Ok(kernels) = kernels(program) else { return 0 };
    for kernel in &kernels {
        check(kernel).unwrap_or_else(|error| panic!("{error}\n{kernel}\nof {program}"));
    }
    kernels.len()
}

#[test]
fn kernels_of_random_programs_and_their_derivatives_are_wgsl() -> Verdict {
    for_all(|random: ArrayProgram| {
        let program = random.program();
        are_wgsl(&program);
        for derivative in [program.jvp(), program.vjp()] {
            are_wgsl(&derivative.expect("random programs have derivatives"));
        }
        Ok(())
    })
}

#[test]
fn a_kernel_has_the_functions_that_it_calls_and_no_other() -> Result<()> {
    let program = Program::trace(|x: Arr<F64>| x.map(|x| x.abs()))?;
    let text = kernels(&program).unwrap().join("");
    assert!(text.contains("fn abs_f64(") && !text.contains("fn exp_f64("), "{text}");
    let named = |text: &str| text.matches("fn main(").count();
    assert_eq!(named(&text), 1);
    Ok(())
}

#[test]
fn operations_on_constants_are_no_constants_of_the_compiler() -> Result<()> {
    // Which it would refuse, of infinity.
    let program = "program (xs: []f32) {
        let c: f32 = div(1.0f32, 0.0f32)
        let d: f16 = exp(100.0f16)
        let ys: []f32 = map (xs) |x: f32| { let y: f32 = add(x, c) return y }
        return ys, d
    }";
    assert!(are_wgsl(&Program::parse(program)?) > 0);
    Ok(())
}

#[test]
fn what_is_no_kernel_is_an_error() {
    assert!(check("fn main() -> f32 { return 1u; }").unwrap_err().contains("f32"));
}
