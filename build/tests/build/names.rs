//! Names that Rust or C has other uses for.

use catadiff::array::Program;
use catadiff_build::{Error, Module};

use crate::harness::{PLAIN, ran};

#[test]
fn parameters_with_the_names_of_other_things_are_called_otherwise() {
    let text = "program (match \"match\": f64, b \"workspace\": f64, c \"result\": []f64, d \"x'\": f64, e \"x_\": f64, g \"double\": f64, h \"größe\": f64, k \"bytes\": []f64, l \"None\": []f64) {
        let s = add(match, b) let t = add(s, d) let u = add(t, e) let v = add(u, g) let w = add(v, h)
        let ys = map (c, k, l) |x: f64, y: f64, z: f64| { let p = mul(w, x) let q = mul(p, y) let r = mul(q, z) return r }
        return ys, w
    }";
    let program = Program::parse(text).unwrap_or_else(|error| panic!("{error}"));
    let module = Module::new("m").function("add", &program).function("checked", &program).function("exp", &program);
    let main = "
fn main() -> Result<(), m::Error> {
    for function in [m::add, m::checked, m::exp] {
        let (ys, w) = function(1.0, 2.0, &[1.0, 2.0], 3.0, 4.0, 5.0, 6.0, &[1.0, 1.0], &[1.0, 10.0])?;
        println!(\"{ys:?} {w}\");
    }
    Ok(())
}
";
    assert_eq!(ran("names", &module, main, PLAIN).unwrap(), "[21.0, 420.0] 21\n".repeat(3));
}

#[test]
fn names_that_cannot_be_are_refused() {
    let square = Program::parse("program (x: f64) { let y = mul(x, x) return y }").unwrap();
    let said = |module: Module| module.generate().unwrap_err();
    for (module, expected) in [
        (
            Module::new("two words").function("f", &square),
            "the module `two words`: it is no identifier of Rust; choose another one",
        ),
        (Module::new("m").function("loop", &square), "the function `loop`: it is a word of Rust; choose another one"),
        (
            Module::new("m").function("2nd", &square),
            "the function `2nd`: it is no identifier of Rust; choose another one",
        ),
        (
            Module::new("m").function("größe", &square),
            "the function `größe`: it is no identifier of Rust; choose another one",
        ),
        (
            Module::new("m").function("f", &square).function("f_into", &square),
            "the function `f_into`: `f_into` is in the module already; choose another one",
        ),
    ] {
        let error = said(module);
        assert!(matches!(error, Error::Name { .. }));
        assert_eq!(error.to_string(), expected);
    }
    assert_eq!(said(Module::new("m")).to_string(), "the module `m` has no functions: add one by `Module::function`");
}
