//! The verifier and the text form of array programs: random programs, each kind of broken invariant, and syntax errors.

use catadiff::array::{
    Atom, Body, Builder, Const, IntegerRow, Lambda, MAX_DEPTH, Map, Op, Prim, Program, ScalarOp, Stm, Type, Var, index,
};
use catadiff::primitives::{Primitive, f16};
use catadiff::{Error, Span};
use catadiff_laws::program_parts::Parts;
use catadiff_laws::{ArrayProgram, Verdict, arrays, for_all, program_parts};
use quickcheck::{Arbitrary, Gen};

const REAL: Type = Type::scalar(Prim::F64);
const REALS: Type = Type::array(Prim::F64, 1);

#[test]
fn random_programs_verify_and_broken_ones_are_refused() -> Verdict {
    for_all(|p: ArrayProgram| program_parts::refused(&p))
}

#[test]
fn statements_that_are_mixed_up_are_refused_or_run() -> Verdict {
    for_all(|p: ArrayProgram| program_parts::mixed_up(&p))
}

#[test]
fn random_programs_print_and_parse() -> Verdict {
    for_all(|p: ArrayProgram| arrays::text(&p))
}

#[test]
fn random_programs_use_every_operation() {
    let mut source = Gen::from_size_and_seed(12, 0);
    let all: String = (0..256).map(|_| ArrayProgram::arbitrary(&mut source).program().to_string()).collect();
    for operation in [
        "= add(",
        "= mul(",
        "= lt(",
        "= le(",
        "= eq(",
        "= sin(",
        "= mod(",
        "= f64(",
        "= i64(",
        "= iota(",
        "= replicate(",
        "= [",
        "= size[",
        "[v",
        "= slice",
        " with [",
        "= permute[",
        "= reshape(",
        "= concat(",
        "= reverse(",
        "= if",
        " for v",
        " while {",
        " while[",
        "strip_mine[",
        "binomial[",
        "= map",
        "adding (",
        "= reduce",
        "= scan",
        "= hist",
        "= scatter",
        "= accumulator(",
        "+=",
        "= array(",
        "= custom",
    ] {
        assert!(all.matches(operation).count() > 3, "`{operation}` is not drawn");
    }
    assert!(all.contains("\n        let"), "bodies nest");
}

/// A program of every operation and every kind of constant, in the form in which it prints.
const EVERYTHING: &str = include_str!("../data/everything.catadiff");

#[test]
fn the_text_of_everything() {
    let program = Program::parse(EVERYTHING).unwrap_or_else(|e| panic!("{e}"));
    assert_eq!(program.to_string(), EVERYTHING);
    assert_eq!(program.renumbered(), program);
}

#[test]
fn every_scalar_operation_has_a_text_of_its_own() {
    let of_reals = |row: &Primitive| Prim::ALL.map(|prim| (ScalarOp::Row(*row), prim));
    let reals = Primitive::ALL.iter().flat_map(of_reals).filter(|(_, prim)| prim.is_real());
    let of_integers = |row: &IntegerRow| Prim::ALL.map(|prim| (ScalarOp::Integer(*row), prim));
    let integers = IntegerRow::ALL.iter().flat_map(of_integers).filter(|(_, prim)| prim.is_integer());
    let others = [ScalarOp::Add, ScalarOp::Mul, ScalarOp::Equal, ScalarOp::Less, ScalarOp::LessOrEqual];
    let others = others.into_iter().flat_map(|op| Prim::ALL.map(|prim| (op, prim)));
    let converts = Prim::ALL.into_iter().flat_map(|to| Prim::ALL.map(|from| (ScalarOp::Convert(to), from)));
    let bits = Prim::ALL.into_iter().filter_map(|of| of.of_bits().map(|bits| (of, bits)));
    let bits = bits.map(|(of, bits)| [(ScalarOp::ToBits(of), of), (ScalarOp::FromBits(of), bits)]);
    let few = bits.flatten().chain([(ScalarOp::Not, Prim::Bool)]);
    for (op, prim) in reals.chain(integers).chain(others).chain(converts).chain(few) {
        let mut b = Builder::new();
        let operands: Vec<Atom> =
            (0..op.arity()).map(|n| b.parameter(format!("x{n}"), Type::scalar(prim)).into()).collect();
        let result = b.scalar(op, &operands);
        let program = b.finish(vec![result]).unwrap();
        assert_eq!(Program::parse(&program.to_string()), Ok(program), "{op:?} of {prim}");
    }
}

#[test]
fn constants_and_names_survive_to_the_last_bit() {
    let payload = f64::from_bits(0x7ff8_0000_0000_1234);
    let constants = [
        Const::F64(payload),
        Const::F64(-f64::NAN),
        Const::F64(f64::NAN),
        Const::F64(-0.0),
        Const::F64(5e-324),
        Const::F64(f64::MAX),
        Const::F64(f64::NEG_INFINITY),
        Const::F32(f32::NAN),
        Const::F32(f32::from_bits(0xffc0_0001)),
        Const::F32(f32::INFINITY),
        Const::F32(0.1),
        Const::F16(f16::NAN),
        Const::F16(f16::from_bits(0xfe01)),
        Const::F16(f16::from_bits(0x7c01)),
        Const::F16(f16::NEG_INFINITY),
        Const::F16(f16::from_f64(0.1)),
        Const::F16(f16::from_bits(1)),
        Const::I64(i64::MIN),
        Const::I32(i32::MIN),
        Const::I16(i16::MIN),
        Const::I8(i8::MIN),
        Const::U64(u64::MAX),
        Const::U32(u32::MAX),
        Const::U16(u16::MAX),
        Const::U8(u8::MAX),
        Const::Bool(true),
    ];
    let mut b = Builder::new();
    for name in ["size", "v3", "v3", "", "two words", "quote \" and \\ and\nline", "π", "x'", "x'", "f64", "v"] {
        b.parameter(name, REAL);
    }
    let program = b.finish(constants.map(Atom::Const).to_vec()).unwrap();
    assert_eq!(Program::parse(&program.to_string()), Ok(program.clone()), "{program}");
    assert!(
        program.to_string().starts_with("program (v0 \"size\": f64, v1 \"v3\": f64, v2 \"v3\": f64, v3 \"\": f64, ")
    );
}

/// The same text, shorter to write: types and layout are free, and names may be used again in other bodies.
#[test]
fn what_is_written_by_hand() {
    let program = Program::parse(
        "program (xs: []f64) { // squares and their negatives
           let a = map (xs) |x: f64| { let y = mul(x, x) return y }
           let b = map (a) |x: f64| { let y = neg(x) return y } return a, b }",
    );
    let program = program.unwrap_or_else(|e| panic!("{e}"));
    assert_eq!(program.function().body.results, [Atom::Var(Var(3)), Atom::Var(Var(6))]);
}

#[test]
fn mistakes_are_pointed_at() {
    for (text, at, message) in [
        ("", 0, "expected `program`"),
        ("program (", 9, "expected a name"),
        ("program (x: f65) { return }", 12, "expected a type, such as `[]f64`"),
        ("program (x: f64, x: f64) { return }", 17, "there are two parameters `x`"),
        ("program (map: f64) { return }", 9, "`map` has a meaning of its own and cannot be a name"),
        ("program (v1 \"\\q\": f64) { return }", 12, "an escape in this string has no meaning"),
        ("program (v1 \"x: f64) { return }", 12, "this string has no end"),
        ("program () { return 1 }", 20, "a number says its kind, as in `1.5f64` or `3i64`"),
        ("program () { return 3000000000i32 }", 20, "this number is not one of its kind"),
        ("program () { return 1e999f64 }", 20, "this number is not one of its kind"),
        ("program () { return 1.5i64 }", 20, "this number is not one of its kind"),
        ("program () { return i64.inf }", 24, "expected `inf`, `nan` or `bits` of a kind of reals"),
        ("program () { return } x", 22, "expected the end"),
        ("program () { let = iota(1i64) return }", 17, "expected a name"),
        ("program () { let x = iota(1i64), return }", 31, "expected `let` or `return`"),
        ("program () { let x = jota(1i64) return }", 21, "there is no function `jota` of integers"),
        ("program () { let x = sin(1i64) return }", 21, "there is no function `sin` of integers"),
        ("program () { let x = powi(1.0f64) return }", 21, "there is no function `powi` of reals"),
        ("program () { let x = powi[99999999999](1.0f64) return }", 21, "there is no function `powi` of reals"),
        ("program () { let x = sin(1.0f64, 2.0f64) return }", 21, "`sin` does not take operands of types (f64, f64)"),
        ("program () { let x = size[-1](y) return }", 26, "this integer is out of its range"),
        ("program () { let x, y = iota(1i64) return }", 24, "2 names are bound to 1 results"),
        ("program () { let x: []f64 = iota(1i64) return }", 17, "`x` is a []i64, not a []f64"),
        ("program () { let x = return return }", 21, "expected an operation, not `return`"),
        ("program (x: f64) { let y = x return }", 29, "expected `[` or `with`"),
        ("program (x: []f64) { let y = map (x) |a| { return a } return }", 38, "the type of `a` is to be said here"),
        ("program (x: []f64) { let y = map (x) |a: f64| { return a } return a }", 66, "there is no variable `a` here"),
        ("program () { § }", 13, "no word starts with `§`"),
    ] {
        let Err(Error::Syntax { message: found, offset, .. }) = Program::parse(text) else {
            panic!("not refused: {text}\n{:?}", Program::parse(text));
        };
        assert_eq!((offset, found.as_str()), (at, message), "{text}");
    }
}

#[test]
fn text_that_is_cut_or_changed_is_refused_or_read() {
    // Whatever the text, there is an answer.
    for (end, _) in EVERYTHING.char_indices() {
        assert!(Program::parse(&EVERYTHING[..end]).is_err() || EVERYTHING[end..].trim().is_empty());
        for word in ["(", "}", "v2", "1i64", "if", "[", "\"", ""] {
            let next = EVERYTHING[end..].chars().next().map_or(0, char::len_utf8);
            if end % 7 == 0 {
                drop(Program::parse(&format!("{}{word}{}", &EVERYTHING[..end], &EVERYTHING[end + next..])));
            }
        }
    }
}

/// A program whose bodies nest this deep.
fn nested(depth: usize) -> Result<Program, Error> {
    let mut b = Builder::new();
    let x = b.parameter("x", REAL);
    (1..depth).for_each(|_| b.open_body());
    let mut result = Atom::Var(x);
    for _ in 1..depth {
        let no = b.body(|_| vec![x.into()]);
        let yes = b.close_body(vec![result]);
        result = b.one(Op::If(Const::Bool(true).into(), Box::new(yes), Box::new(no)));
    }
    b.finish(vec![result])
}

#[test]
fn nesting_is_bounded() {
    let deepest = nested(MAX_DEPTH).unwrap();
    assert_eq!(deepest.verify(), Ok(()));
    assert_eq!(Program::parse(&deepest.to_string()), Ok(deepest.renumbered()));
    assert_eq!(deepest.run(&[2.0.into()]), Ok(vec![2.0.into()]));
    let refused = nested(MAX_DEPTH + 1).unwrap_err();
    assert!(
        matches!(&refused, Error::IllTyped { reason, .. } if reason == "bodies nest at most 200 deep"),
        "{refused}"
    );
    let text = "program () ".to_owned() + &"{ let x = if true ".repeat(100_000);
    assert!(
        matches!(Program::parse(&text), Err(Error::Syntax { message, .. }) if message == "bodies nest at most 200 deep")
    );
}

/// A program with parameters `x: f64` and `xs: []f64`, numbered 0 and 1, of these statements and variables.
fn program(types: &[Type], stms: Vec<Stm>, results: Vec<Atom>) -> Parts {
    let function = Lambda { params: vec![Var(0), Var(1)], body: Body { stms, results } };
    ([&[REAL, REALS], types].concat(), vec!["x".into(), "xs".into()], function)
}

fn stm(vars: &[u32], op: Op) -> Stm {
    Stm::new(vars.iter().map(|v| Var(*v)), op)
}

fn v(n: u32) -> Atom {
    Atom::Var(Var(n))
}

/// Each invariant, broken.
#[test]
fn the_verifier_finds_each_kind_of_mistake() {
    let acc = Type { accumulator: true, ..REALS };
    let to = |n| stm(&[n], Op::ToAccumulator(v(1)));
    let back = |n, of| stm(&[n], Op::FromAccumulator(v(of)));
    let add = |of| Op::Accumulate(v(of), vec![index(0)], v(0));
    let twice = |body: Body| {
        let function = Lambda { params: vec![Var(3)], body };
        Op::Map(Box::new(Map { function, arrays: vec![v(1)], accumulators: Vec::new() }))
    };
    let copies = |stms: Vec<Stm>, result| Body { stms, results: vec![result] };
    let yes = || Const::Bool(true).into();
    let cases: Vec<(Parts, &str, &str)> = vec![
        (program(&[], vec![], vec![v(9)]), "v9 has no type", "return v9"),
        (program(&[REAL], vec![], vec![v(2)]), "v2 is used before it is bound", "return v2"),
        (
            program(&[REAL], vec![stm(&[2], Op::Copy(v(2)))], vec![]),
            "v2 is used before it is bound",
            "let v2: f64 = copy(v2)",
        ),
        (program(&[], vec![stm(&[0], Op::Copy(v(0)))], vec![]), "x is bound twice", "let x: f64 = copy(x)"),
        (
            program(&[REALS, REAL], vec![stm(&[2], twice(copies(vec![], v(3))))], vec![v(3)]),
            "v3 is used outside of the body that binds it",
            "return v3",
        ),
        (
            program(&[REALS], vec![stm(&[2], Op::Copy(v(0)))], vec![]),
            "v2 is of type []f64 and bound to a f64",
            "let v2: []f64 = copy(x)",
        ),
        (
            program(&[REAL, REAL], vec![stm(&[2, 3], Op::Copy(v(0)))], vec![]),
            "2 variables are bound to 1 results",
            "let v2: f64, v3: f64 = copy(x)",
        ),
        (
            program(&[REAL], vec![stm(&[2], Op::Scalar(ScalarOp::Add, [v(0), v(1)].into()))], vec![]),
            "`add` does not take operands of types (f64, []f64)",
            "let v2: f64 = add(x, xs)",
        ),
        (
            program(&[acc, REALS], vec![to(2), back(3, 2), stm(&[4], Op::Copy(v(2)))], vec![]),
            "the accumulator v2 is used twice",
            "let v4: ? = copy(v2)",
        ),
        (
            program(&[acc], vec![to(2)], vec![]),
            "the accumulator v2 is not used: what is added to it would be lost",
            "return",
        ),
        (program(&[acc], vec![to(2)], vec![v(2)]), "a result of the program is an accumulator", SIGNATURE),
        (
            program(
                &[acc, REAL, acc, REALS],
                vec![to(2), stm(&[5], twice(copies(vec![stm(&[4], add(2))], v(0))))],
                vec![],
            ),
            "the accumulator v2 is used in a body that may run many times: give it as a parameter",
            "let v4: acc []f64 = v2 with [0i64] += x",
        ),
        (
            program(
                &[acc, acc, acc],
                vec![
                    to(2),
                    stm(&[3], add(2)),
                    stm(&[4], Op::If(yes(), Box::new(copies(vec![], v(3))), Box::new(copies(vec![], v(3))))),
                    stm(&[5], Op::Size(v(4), 0)),
                ],
                vec![],
            ),
            "an accumulator can only be added to, passed on, or become an array again",
            "let v5: ? = size[0](v4)",
        ),
        (
            program(
                &[acc, REAL, REALS],
                vec![
                    to(2),
                    stm(&[3], Op::If(yes(), Box::new(copies(vec![back(4, 2)], v(0))), Box::new(copies(vec![], v(0))))),
                ],
                vec![],
            ),
            "the accumulator v2 is used in one branch only",
            "let v3: f64 = if true { … } else { … }",
        ),
        (
            (vec![REAL, REALS], vec![], program(&[], vec![], vec![]).2),
            "the program has 2 parameters and 0 names",
            "program (v0: f64, v1: []f64) { … }",
        ),
        (
            (vec![acc, REALS], vec!["x".into(), "xs".into()], program(&[], vec![], vec![]).2),
            "a parameter of the program is an accumulator",
            "program (x: acc []f64, xs: []f64) { … }",
        ),
    ];
    for ((types, names, function), reason, statement) in cases {
        let expected = Error::IllTyped { statement: statement.into(), span: Span::UNKNOWN, reason: reason.into() };
        assert_eq!(Program::new(types, names, function), Err(expected));
    }
}

const SIGNATURE: &str = "program (x: f64, xs: []f64) { … }";

#[test]
fn branches_that_both_use_an_accumulator_verify() {
    let program = Program::parse(
        "program (xs: []f64, c: bool) {
           let a = accumulator(xs)
           let b = if c { let d = a with [0i64] += 1.0f64 return d } else { return a }
           let s, e = loop (i = 0i64, l = b) while { let m = lt(i, 3i64) return m } {
             let k = add(i, 1i64)
             let n = l with [i] += 2.0f64
             return k, n
           }
           let r = array(e)
           return r
         }",
    );
    let results = program.and_then(|p| p.run(&[catadiff::interpret::Value::new([0.0, 0.0])?, true.into()]));
    assert_eq!(results.unwrap()[0].to_string(), "[3, 2]");
}

#[test]
fn bits_go_both_ways_with_derivatives() {
    let program = Program::parse(
        "program (x: f64, y: f32, h: f16) {
      let b = bits_of_f64(x)
      let z = f64_of_bits(b)
      let c = bits_of_f32(y)
      let w = f32_of_bits(c)
      let d = bits_of_f16(h)
      let v = f16_of_bits(d)
      return b, z, c, w, d, v
    }",
    )
    .unwrap();
    let run = |program: Program, arguments: &[f64]| {
        let arguments: Vec<_> = arguments.iter().map(|x| catadiff::interpret::Value::real(*x)).collect();
        program.run(&arguments).unwrap().iter().map(ToString::to_string).collect::<Vec<_>>()
    };
    let bits = (1.5_f64.to_bits() as i64).to_string();
    let expected = [&bits, "1.5", &0.5_f32.to_bits().to_string(), "0.5", &0x3400.to_string(), "0.25"];
    assert_eq!(run(program.clone(), &[1.5, 0.5, 0.25]), expected);
    let tangents = run(program.jvp().unwrap(), &[1.5, 0.5, 0.25, 1.0, 2.0, 3.0]);
    assert_eq!(tangents[6], 1.0_f64.to_bits().to_string());
    assert_eq!(tangents[8], 2.0_f32.to_bits().to_string());
    assert_eq!(tangents[10], 0x4200.to_string());
}
