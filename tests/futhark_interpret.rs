//! The interpreter of the core language on programs written in the core language itself.

use catadiff::futhark::core::{
    Constant, Defined, Definition, Entry, Expression, ExpressionKind, Instance, Lambda, Local, Loop, LoopForm,
    LoopPolicy, Pattern, PatternKind, Prim, Program, Scheme, Type,
};
use catadiff::futhark::interpreter::run;
use catadiff::futhark::values::Array;
use catadiff::interpret::Limits;

fn real() -> Type {
    Type::Prim(Prim::F64)
}

fn e(kind: ExpressionKind, of: Type) -> Expression {
    Expression { kind, of, span: Default::default() }
}

fn function(param: Type, result: Type) -> Type {
    Type::Function { param: Box::new(param), name: None, exists: vec![], result: Box::new(result) }
}

fn var(local: u32) -> Expression {
    e(ExpressionKind::Local(Local(local)), real())
}

fn lit(x: f64) -> Expression {
    e(ExpressionKind::Constant(Constant::Real(x)), real())
}

fn op(name: &str, operands: Vec<Expression>) -> Expression {
    e(ExpressionKind::Primitive(name.into(), Prim::F64, operands), real())
}

fn pattern(local: u32) -> Pattern {
    Pattern { kind: PatternKind::Local(Local(local)), of: real(), binds: vec![], span: Default::default() }
}

fn lambda(local: u32, body: Expression) -> Expression {
    let of = function(real(), body.of.clone());
    e(ExpressionKind::Lambda(Box::new(Lambda { param: pattern(local), body })), of)
}

fn apply(function: Expression, argument: Expression) -> Expression {
    let Type::Function { result, .. } = function.of.clone() else { panic!("a function is applied") };
    e(ExpressionKind::Apply { function: Box::new(function), argument: Box::new(argument) }, *result)
}

/// `(mode2 f x d).1` for functions of one number.
fn derivative(mode: &str, f: Expression, x: Expression) -> Expression {
    let pair = Type::tuple(vec![real(), real()]);
    let of = function(f.of.clone(), function(real(), function(real(), pair)));
    let instance = Instance { sizes: vec![], types: vec![real(), real()] };
    let call = apply(apply(apply(e(ExpressionKind::Intrinsic(mode.into(), instance), of), f), x), lit(1.0));
    e(ExpressionKind::Field(Box::new(call), "1".into()), real())
}

fn program(locals: u32, body: Expression) -> Program {
    let of = function(real(), body.of.clone());
    let result = body.of.clone();
    let scheme = Scheme { sizes: vec![], types: vec![], body: of };
    let body = lambda(0, body);
    Program {
        definitions: vec![Defined { name: "main".into(), span: Default::default(), scheme, body }],
        entries: vec![Entry {
            name: "main".into(),
            definition: Definition(0),
            params: vec![("x".into(), real())],
            result,
        }],
        locals: (0..locals).map(|local| format!("x{local}").into()).collect(),
    }
}

fn at(program: &Program, x: f64) -> f64 {
    let results = run(program, "main", &[Array::scalar(x)], Limits::default()).unwrap_or_else(|e| panic!("{e:?}"));
    let catadiff::futhark::values::Data::F64(values) = &results[0].data else { panic!("a number of double precision") };
    values[0]
}

const MODES: [&str; 2] = ["jvp2", "vjp2"];

#[test]
fn modes_nest_in_any_mix_without_confusion() {
    for outer in MODES {
        for inner in MODES {
            // d/dx (x · d/dy (x + y)) at 2 is 1, and 2 when confused ("Not-Quite-Supersonic AD", example 5).
            let inner = derivative(inner, lambda(2, op("add", vec![var(1), var(2)])), lit(3.0));
            let confusion = derivative(outer, lambda(1, op("mul", vec![var(1), inner])), var(0));
            assert_eq!(at(&program(3, confusion), 2.0), 1.0);
        }
    }
}

#[test]
fn third_derivatives_are_exact_in_all_mixes() {
    for first in MODES {
        for second in MODES {
            for third in MODES {
                // sin(x²)·x, whose third derivative is −(24x² sin x² − 6 cos x² + 8x⁴ cos x²) … by hand below.
                let square = op("mul", vec![var(3), var(3)]);
                let f = lambda(3, op("mul", vec![op("sin", vec![square]), var(3)]));
                let one = lambda(2, derivative(third, f, var(2)));
                let two = lambda(1, derivative(second, one, var(1)));
                let three = derivative(first, two, var(0));
                let x: f64 = 1.25;
                let (s, c) = (x * x).sin_cos();
                // f = x s, f' = s + 2x² c, f'' = 6x c − 4x³ s, f''' = 6c − 12x² s − 12x² s − 8x⁴ c.
                let expected = 6.0 * c - 24.0 * x * x * s - 8.0 * x.powi(4) * c;
                let found = at(&program(4, three), x);
                assert!((found - expected).abs() < 1e-12, "{first} {second} {third}: {found} for {expected}");
            }
        }
    }
}

#[test]
fn shared_values_are_visited_once() {
    // loop y = x for i < 20000 do (y + y) · 0.5: each step uses the last value twice, so a walk as a tree would have no end.
    let half = op("mul", vec![op("add", vec![var(2), var(2)]), lit(0.5)]);
    let body = e(
        ExpressionKind::Loop(Box::new(Loop {
            sizes: vec![],
            pattern: pattern(2),
            initial: var(1),
            form: LoopForm::For(
                Local(3),
                e(ExpressionKind::Constant(Constant::Integer(20_000)), Type::Prim(Prim::I64)),
            ),
            body: half,
            policy: LoopPolicy::default(),
        })),
        real(),
    );
    for mode in MODES {
        let p = program(4, derivative(mode, lambda(1, body.clone()), var(0)));
        assert_eq!(at(&p, 3.0), 1.0);
    }
}
