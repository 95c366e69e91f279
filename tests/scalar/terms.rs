//! Terms: sharing and depth cost nothing, text reads back, listings travel, users' rules mean the same everywhere.
use catadiff::carriers::{Accumulate, Cayley, Counter, Dual, Hom, Sparse};
use catadiff::prelude::*;
use catadiff::primitives::Primitive;
use catadiff::term::{Arena, Line, Listing, Pure, Term, parse};
use catadiff::{Error, Rule, Scalar};
use quickcheck::{Gen, QuickCheck, TestResult};

/// A term over `x`, `y`, `z` that any bytes describe: each three bytes make a node of earlier ones.
fn term_from<'a>(arena: &'a Arena<String>, bytes: &[u8]) -> Term<'a, String> {
    let mut terms: Vec<Term<'a, String>> = ["x", "y", "z"].iter().map(|v| arena.variable((*v).to_owned())).collect();
    terms.extend([0.0, 1.0, -2.0, 0.5, 3.0].map(Term::constant));
    for chunk in bytes.chunks_exact(4) {
        let [a, b, c] = [chunk[0], chunk[1], chunk[2]].map(|i| terms[i as usize % terms.len()]);
        terms.push(match chunk[3] {
            0..=50 => a + b,
            51..=100 => a * b,
            101 => a.powi(3),
            102 => a.powi(-2),
            row => {
                let row = Primitive::ALL[row as usize % Primitive::ALL.len()];
                row.apply(&[a, b, c][..row.arity()])
            }
        });
    }
    *terms.last().expect("there are variables")
}

#[test]
fn printed_terms_read_back() {
    fn property(bytes: Vec<u8>) -> TestResult {
        for arena in [Arena::new(), Arena::lawless()] {
            let term = term_from(&arena, &bytes);
            let text = term.to_string();
            let again = parse(&arena, &text).unwrap_or_else(|error| panic!("{text}\n{error}"));
            if !arena.is_empty() && !again.same(&term) {
                // Without laws the parser's way to build what was printed may differ (`1 / x` is a quotient);
                // its text may not.
                if again.to_string() != text {
                    return TestResult::error(format!("{text}\nreads back as\n{again}"));
                }
            }
        }
        TestResult::passed()
    }
    QuickCheck::new().tests(2000).rng(Gen::new(160)).quickcheck(property as fn(Vec<u8>) -> TestResult);
}

#[test]
fn all_nans_are_one_literal() {
    // `0/0` and the constant differ in a sign that no text shows.
    for arena in [Arena::<&str>::new(), Arena::lawless()] {
        let y = arena.variable("y");
        let [a, b] = [f64::NAN, -f64::NAN].map(|nan| Term::constant(nan) + y);
        assert!(a.same(&b));
    }
}

#[test]
fn lawful_terms_mean_what_lawless_ones_mean() {
    fn property(bytes: Vec<u8>, x: i8, y: i8, z: i8) -> TestResult {
        let point = |v: &String| {
            f64::from(match v.as_str() {
                "x" => x,
                "y" => y,
                _ => z,
            }) / 16.0
        };
        let (lawful, lawless) = (Arena::new(), Arena::lawless());
        let (a, b): (f64, f64) = (term_from(&lawful, &bytes).eval(point), term_from(&lawless, &bytes).eval(point));
        // A strong zero and a folded sum may remove a NaN or an infinity, and rounding may differ where signs moved.
        if !b.is_finite() || !a.is_finite() || b.abs() > 1e6 {
            return TestResult::discard();
        }
        TestResult::from_bool((a - b).abs() <= 1e-6 * b.abs().max(1.0) || near_jump(&lawless, &bytes))
    }
    /// Steps turn a rounding difference into a whole one; such terms are compared elsewhere.
    fn near_jump(arena: &Arena<String>, bytes: &[u8]) -> bool {
        let text = term_from(arena, bytes).to_string();
        ["floor", "ceil", "round", "signum", "ge(", "select", "atan2", "tan(", "digamma", "lgamma", "polygamma"]
            .iter()
            .any(|step| text.contains(step))
    }
    QuickCheck::new().tests(2000).rng(Gen::new(60)).quickcheck(property as fn(Vec<u8>, i8, i8, i8) -> TestResult);
}

#[test]
fn listings_travel() {
    fn property(bytes: Vec<u8>) -> bool {
        let (here, there) = (Arena::new(), Arena::new());
        let term = term_from(&here, &bytes);
        let listing = term.listing().unwrap();
        let sent = there.read_listing(&listing).unwrap();
        // The lines may come in another order there, but what comes back is the very same term.
        here.read_listing(&listing).unwrap().same(&term)
            && here.read_listing(&sent.listing().unwrap()).unwrap().same(&term)
    }
    QuickCheck::new().tests(500).rng(Gen::new(160)).quickcheck(property as fn(Vec<u8>) -> bool);

    let arena = Arena::<&str>::new();
    let forward = Listing { lines: vec![Line::Plus(0, 1)] };
    assert!(matches!(arena.read_listing(&forward), Err(Error::Length { .. })));
    let few = Listing { lines: vec![Line::Constant(1.0), Line::Primitive(Primitive::Hypot, vec![0])] };
    assert!(matches!(arena.read_listing(&few), Err(Error::Length { expected: 2, found: 1, .. })));
    assert!(matches!(arena.read_listing(&Listing { lines: vec![] }), Err(Error::Empty { .. })));
}

#[test]
fn a_million_operations_neither_overflow_nor_blow_up() {
    let arena = Arena::<usize>::new();
    let x = arena.variable(0);
    let mut chain = x;
    for _ in 0..500_000 {
        chain = (chain * 0.999 + x).sin();
    }
    let value: f64 = chain.eval(|_| 0.3);
    assert!(value.is_finite());
    let derivative = chain.derivative(&0);
    assert!(derivative.size() < 6 * chain.size(), "{} for {}", derivative.size(), chain.size());
    assert!(chain.to_string().len() < 100 * chain.size());
    let forward = Dual::<f64>::eval(&chain, |_| Dual { value: 0.3, tangent: 1.0 });
    let close = |g: f64| (g - forward.tangent).abs() <= 1e-9 * forward.tangent.abs();
    assert!(close(Dual::<f64, Accumulate<'_, f64>>::eval(&chain, |v| Dual::variable(0.3, *v)).tangent.abs(1)[0]));
    let hom = Dual::<f64, Hom<'_, f64, Sparse<usize, f64>>>::eval(&chain, |v| Dual::variable(0.3, *v));
    assert!(close(*hom.tangent.abs().get(&0).unwrap()));
    let cayley = Dual::<f64, Cayley<'_, f64, Sparse<usize, f64>>>::eval(&chain, |v| Dual::variable(0.3, *v));
    assert!(close(*cayley.tangent.abs().get(&0).unwrap()));
    assert!(close(derivative.eval(|_| 0.3)));
}

#[test]
fn shared_parts_cost_once_in_every_carrier() {
    let arena = Arena::<char, Pure>::new();
    let mut power = arena.variable('x');
    for _ in 0..60 {
        power = power * power + arena.variable('y');
    }
    // Were any of these to visit a node once per path, there would be 2⁶⁰ of them.
    const P: u64 = 1_000_000_007;
    let mut sum = arena.variable('x');
    for _ in 0..60 {
        sum = sum + sum;
    }
    let gradient = |d: Option<&u64>| *d.unwrap() % P;
    let sparse = Dual::<u64, Sparse<char, u64>>::eval(&sum, |v| Dual::variable(1, *v));
    assert_eq!(gradient(sparse.tangent.get(&'x')), (1 << 60) % P);
    let hom = Dual::<u64, Hom<'_, u64, Sparse<char, u64>>>::eval(&sum, |v| Dual::variable(1, *v));
    assert_eq!(gradient(hom.tangent.abs().get(&'x')), (1 << 60) % P);
    // A backpropagator is a function: calling it again gives the same again.
    assert_eq!(gradient(hom.tangent.abs().get(&'x')), (1 << 60) % P);
    let cayley = Dual::<u64, Cayley<'_, u64, Sparse<char, u64>>>::eval(&sum, |v| Dual::variable(1, *v));
    assert_eq!(gradient(cayley.tangent.abs().get(&'x')), (1 << 60) % P);
    let accumulate = Dual::<u64, Accumulate<'_, u64>>::eval(&sum, |_| Dual::variable(1, 0));
    assert_eq!(accumulate.tangent.abs(1), [1 << 60]);
    let value: f64 = power.eval(|_| 0.1);
    assert!(value.is_finite());
}

/// `x²·y + k`, with its partials by hand.
#[derive(Clone)]
struct Shifted(f64);

impl Rule<2> for Shifted {
    fn name(&self) -> &'static str {
        "shifted"
    }
    fn value(&self, [x, y]: [f64; 2]) -> f64 {
        x * x * y + self.0
    }
    fn partial<S: Scalar>(&self, argument: usize, [x, y]: [S; 2], _: S) -> S {
        if argument == 0 { (x + x) * y } else { x * x }
    }
}

/// The sum of five, a rule of more arguments than any row.
#[derive(Clone)]
struct Five;

impl Rule<5> for Five {
    fn name(&self) -> &'static str {
        "five"
    }
    fn value(&self, x: [f64; 5]) -> f64 {
        x.iter().sum()
    }
    fn partial<S: Scalar>(&self, _: usize, _: [S; 5], _: S) -> S {
        S::one()
    }
}

#[test]
fn users_rules_take_part_in_every_strategy_and_order() {
    fn f<R: Real>(x: &[R]) -> R {
        Five.of([x[0], x[1], x[0], x[1], Shifted(1.0).of([x[0], x[1]])]) + Shifted(2.0).of([x[1], x[0]])
    }
    // 2x + 2y + x²y + 1 + y²x + 2
    let expected = [2.0 + 2.0 * 3.0 * 5.0 + 25.0, 2.0 + 9.0 + 2.0 * 5.0 * 3.0];
    let at = [3.0, 5.0];
    assert_eq!(Forward::grad(|x| f(x), &at).unwrap(), expected);
    assert_eq!(Reverse::grad(|x| f(x), &at).unwrap(), expected);
    assert_eq!(SparseForward::grad(|x| f(x), &at).unwrap(), expected);
    assert_eq!(Downward::grad(|x| f(x), &at).unwrap(), expected);
    assert_eq!(CayleyReverse::grad(|x| f(x), &at).unwrap(), expected);
    assert_eq!(MutableReverse::grad(|x| f(x), &at).unwrap(), expected);
    assert_eq!(Symbolic::grad(|x| f(x), &at).unwrap(), expected);
    assert_eq!(hessian(|x| f(x), &at).unwrap(), [[10.0, 16.0], [16.0, 6.0]]);
    assert_eq!(Symbolic::jacobian(|x| Symbolic::grad(|y| f(y), x).unwrap(), &at).unwrap(), [[10.0, 16.0], [16.0, 6.0]]);
    let arena = Arena::<&str>::new();
    let (x, y) = (arena.variable("x"), arena.variable("y"));
    let applied = Shifted(0.5).of([x, y]);
    assert_eq!(applied.to_string(), "shifted(x, y)");
    assert!(matches!(applied.listing(), Err(Error::UnknownName { name, .. }) if name == "shifted"));
    // Into another arena it goes with its rule.
    let other = Arena::<&str>::new();
    let brought = other.variable("z") + applied;
    assert_eq!(brought.eval(|v| if *v == "z" { 0.0 } else { 2.0 }), 8.5);
}

#[test]
fn terms_of_two_arenas_meet() {
    let (a, b) = (Arena::<&str>::new(), Arena::<&str>::new());
    let sum = a.variable("x") * 2.0 + b.variable("y").sin();
    assert_eq!(sum.to_string(), "2 * x + sin(y)");
    assert_eq!(sum.variables(), ["x", "y"]);
}

#[test]
fn mistakes_in_formulas_are_shown() {
    let arena = Arena::<String>::new();
    for (text, wanted) in [
        ("", "expected a number, a name or `(`\n  \n  ^"),
        ("1 +", "expected a number, a name or `(`\n  1 +\n     ^"),
        ("(x", "expected `)`\n  (x\n    ^"),
        ("x y", "expected an operator or the end of the formula\n  x y\n    ^"),
        ("hypot(x)", "`hypot` takes 2 arguments, not 1\n  hypot(x)\n  ^"),
        ("polygamma(x)", "expected an integer, the parameter of the function\n  polygamma(x)\n            ^"),
        ("polygamma(-1, x)", "the parameter of `polygamma` is out of its range\n  polygamma(-1, x)\n  ^"),
        ("x^99999999999", "an integer power fits in 32 bits\n  x^99999999999\n    ^"),
        ("t = x; t = y; t", "`t` already has a value\n  t = x; t = y; t\n        ^"),
        ("ü + ∂", "expected a number, a name or `(`\n  ü + ∂\n      ^"),
    ] {
        assert_eq!(parse(&arena, text).unwrap_err().to_string(), wanted, "for {text:?}");
    }
    assert!(
        parse(&arena, "foo(x)").unwrap_err().to_string().starts_with("there is no function `foo`: there are neg, sub")
    );
    let deep = "(".repeat(100_000);
    assert!(parse(&arena, &deep).unwrap_err().to_string().starts_with("formulas nest at most"));
}

#[test]
fn any_text_is_read_or_refused() {
    fn property(text: String, picks: Vec<u8>) -> bool {
        let arena = Arena::<String>::new();
        let _ = parse(&arena, &text);
        let pieces =
            ["x", "1", "1e", ".5", "+", "-", "*", "/", "^", "(", ")", ",", "=", ";", "sin(", "powi(", " ", "é"];
        let _ = parse(&arena, &picks.iter().map(|p| pieces[*p as usize % pieces.len()]).collect::<String>());
        true
    }
    QuickCheck::new().tests(3000).quickcheck(property as fn(String, Vec<u8>) -> bool);
}

/// A number that any bytes describe, by operations that round, overflow and decide.
fn number_from<R: Decide>(x: &[R], bytes: &[u8]) -> R {
    let mut numbers = x.to_vec();
    numbers.extend([0.0, -0.0, 1.0, -1.0, 1e200, 1e-200, 0.1].map(R::constant));
    for chunk in bytes.chunks_exact(4) {
        let [a, b, c] = [chunk[0], chunk[1], chunk[2]].map(|i| numbers[i as usize % numbers.len()]);
        numbers.push(match chunk[3] {
            0..=40 => a + b,
            41..=100 => a * b,
            101..=110 => a - b,
            111..=120 => a / b,
            121..=130 => a.recip(),
            131..=140 => -a,
            141..=150 => a.powi(i32::from(chunk[2] % 3)),
            151..=160 => a.select(b, c),
            161..=180 => {
                if a < b {
                    a
                } else {
                    c
                }
            }
            row => {
                let row = Primitive::ALL[row as usize % Primitive::ALL.len()];
                row.apply(&[a, b, c][..row.arity()])
            }
        });
    }
    *numbers.last().expect("there are variables")
}

#[test]
fn a_program_run_where_it_was_recorded_answers_the_very_same() {
    fn bits(x: f64) -> u64 {
        if x.is_nan() { f64::NAN.to_bits() } else { x.to_bits() }
    }
    fn property(bytes: Vec<u8>, picks: (u8, u8, u8)) -> bool {
        let at = [picks.0, picks.1, picks.2]
            .map(|pick| [0.0, -0.0, 1e-300, -1e-300, 1e300, 0.1, -0.3, 1.0, -1.0, 7.0][pick as usize % 10]);
        let double = record(|x| vec![number_from(x, &bytes)], &at).unwrap().run(&at).unwrap();
        // At single precision literals must not fold in double.
        let narrow = at.map(|x: f64| x.clamp(-1e38, 1e38) as f32);
        let single = record(|x| vec![number_from(x, &bytes), x[0]], &narrow).unwrap();
        let counter = Counter::new();
        let direct = number_from(&narrow.map(|x| counter.number(x)), &bytes).value;
        bits(double[0]) == bits(number_from(&at, &bytes))
            && bits(f64::from(single.run(&narrow).unwrap()[0])) == bits(f64::from(direct))
    }
    QuickCheck::new().tests(1000).rng(Gen::new(100)).quickcheck(property as fn(Vec<u8>, (u8, u8, u8)) -> bool);

    fn scaled<R: Decide>(x: &[R]) -> Vec<R> {
        let y = R::constant(1e200) * (R::constant(1e200) * x[0]);
        vec![if y < 1e150 { y } else { -y }]
    }
    let program = record(|x| scaled(x), &[1e-300]).unwrap();
    assert_eq!(program.run(&[1e-300]).unwrap(), scaled(&[1e-300]));
    assert_eq!(program.decisions(), 1);
}

#[test]
fn decisions_are_told_in_short() {
    fn long<R: Decide>(x: &[R]) -> Vec<R> {
        let mut sum = x[0] * 0.0;
        for n in 0..1000 {
            sum = (sum + x[0] * f64::from(n)).sin();
        }
        vec![if sum > -2.0 { sum } else { x[0] }]
    }
    let program = record(|x| long(x), &[1.0]).unwrap();
    let message = program.run(&[f64::NAN]).unwrap_err().to_string();
    assert!(message.chars().count() < 220 && message.contains("… > -2: true`"), "{message}");
    assert!(!message.contains('\n'));
}

/// One type, a rule of one argument and another of two.
#[derive(Clone)]
struct Overloaded;

impl Rule<1> for Overloaded {
    fn name(&self) -> &'static str {
        "cos"
    }
    fn value(&self, [x]: [f64; 1]) -> f64 {
        x + 1.0
    }
    fn partial<S: Scalar>(&self, _: usize, _: [S; 1], _: S) -> S {
        S::one()
    }
}

impl Rule<2> for Overloaded {
    fn name(&self) -> &'static str {
        "overloaded"
    }
    fn value(&self, [x, y]: [f64; 2]) -> f64 {
        x * y
    }
    fn partial<S: Scalar>(&self, argument: usize, x: [S; 2], _: S) -> S {
        x[1 - argument]
    }
}

#[test]
fn rules_are_told_apart() {
    let arena = Arena::<String>::new();
    let (x, y) = (arena.variable("x".into()), arena.variable("y".into()));
    let [one, two] = [Overloaded.of([x]), Overloaded.of([x, y])];
    assert_eq!((one + two).eval(|v| if v == "x" { 3.0 } else { 5.0 }), 19.0);
    assert!(Overloaded.of([x]).same(&one) && Overloaded.of([x, y]).same(&two));
    // A rule named like a row is not read back as the row.
    assert_eq!(one.to_string(), "user.cos(x)");
    assert!(parse(&arena, "user.cos(x)").is_err());
    assert_eq!(two.to_string(), "overloaded(x, y)");
    // Rules with content are never taken for one another, but each is itself wherever it goes.
    let shifted = Shifted(1.0).of([x, y]);
    assert!(!shifted.same(&Shifted(1.0).of([x, y])));
    let other = Arena::<String>::new();
    let z = other.variable("z".into());
    assert!((z + shifted).same(&(z + shifted)));
    let back = other.variable("x".into()) + shifted;
    assert!(back.substitute(|v| other.variable(v.clone())).same(&back));
}

/// Constants that a word has no room for, where none of what is put in has an arena, and where some has.
#[test]
fn substituted_constants_of_any_size() {
    let arena = Arena::<char, Pure>::new();
    let (x, y) = (arena.variable('x'), arena.variable('y'));
    let term = x * x * x * x + x * y;
    let large = Term::literal(1 << 40);
    let alone = term.substitute(|v| if *v == 'x' { large } else { Term::literal(u64::MAX) + Term::zero() });
    assert!(alone.variables().is_empty());
    let two = 2.0_f64;
    assert_eq!(alone.eval(|_| 0.0), two.powi(160) + two.powi(40) * two.powi(64));
    let other = Arena::<char, Pure>::new();
    let with = term.substitute(|v| if *v == 'x' { large } else { other.variable('z') });
    assert_eq!(with.variables(), ['z']);
    assert_eq!(with.eval(|_| 3.0), two.powi(160) + two.powi(40) * 3.0);
}

#[test]
fn many_rules_with_content_take_linear_time() {
    let arena = Arena::<&str>::new();
    let (x, y) = (arena.variable("x"), arena.variable("y"));
    let mut sum = x;
    for n in 0..20_000 {
        sum += Shifted(f64::from(n)).of([x, y]);
    }
    let other = Arena::<&str>::new();
    let brought = other.variable("x") + sum;
    assert_eq!(brought.eval(|v| if *v == "x" { 0.0 } else { 1.0 }), 20_000.0 * 19_999.0 / 2.0);
}

#[test]
fn names_for_shared_parts_are_new() {
    for (names, prefix) in [(["x", "y"], "t1 = "), (["t1", "t2"], "s1 = "), (["tau", "s3"], "u1 = ")] {
        let arena = Arena::<String>::new();
        let [mut a, b] = names.map(|name| arena.variable(name.to_owned()));
        for _ in 0..12 {
            a = (a + b) * (a + b).sin();
        }
        let text = a.to_string();
        assert!(text.starts_with(prefix), "{text}");
        assert!(parse(&arena, &text).unwrap().same(&a), "{text}");
        assert!(a.to_latex().contains(&format!("{}_{{1}} &= ", &prefix[..1])));
    }
}

#[test]
fn latex_is_unambiguous() {
    let arena = Arena::<String>::new();
    for (text, wanted) in [
        ("sin(x)^2", r"{\left(\sin x\right)}^{2}"),
        ("exp(x)^2", r"{\left(e^{x}\right)}^{2}"),
        ("exp(x)^y", r"{\left(e^{x}\right)}^{y}"),
        ("(x^2)^3", r"{\left({x}^{2}\right)}^{3}"),
        ("sin(cos(x))", r"\sin \cos x"),
        ("x_1 * beta_max", r"x_{1} \cdot beta_{max}"),
        ("x_1^2", r"{x_{1}}^{2}"),
        ("a_b_c + _u + v_", r"\mathrm{a\_b\_c} + \mathrm{\_u} + \mathrm{v\_}"),
    ] {
        assert_eq!(parse(&arena, text).unwrap().to_latex(), wanted, "for {text}");
    }
    let odd = Arena::<&str>::new();
    assert_eq!(odd.variable("50%{&}").to_latex(), r"\mathrm{50\%\{\&\}}");
}

#[test]
fn listings_refer_to_no_line_past_counting() {
    let arena = Arena::<&str>::new();
    let far = Listing { lines: vec![Line::Constant(1.0), Line::Plus(usize::MAX, 0)] };
    assert!(matches!(arena.read_listing(&far), Err(Error::Length { expected: usize::MAX, found: 1, .. })));
}

#[test]
fn free_literals_are_never_wrong() {
    let arena = Arena::<char, Pure>::new();
    let x = arena.variable('x');
    let large = Term::literal(u64::MAX);
    // In an arena, what does not fit stays separate.
    let sum = (x + large) * large;
    assert_eq!(sum.eval(|_| 0.0), (u64::MAX as f64).powi(2));
    let alone = std::panic::catch_unwind(|| Term::<char, Pure>::literal(u64::MAX) + Term::literal(1));
    assert!(alone.is_err());
}

#[test]
fn long_lines_are_shown_around_the_mistake() {
    let arena = Arena::<String>::new();
    let long = format!("{} +) {}", "x + ".repeat(10_000), "+ y".repeat(10_000));
    let message = parse(&arena, &long).unwrap_err().to_string();
    let lines: Vec<_> = message.lines().collect();
    assert_eq!(lines.len(), 3);
    assert!(lines[1].chars().count() < 70 && lines[1].contains("x +  +) "), "{message}");
    let under = lines[1].chars().nth(lines[2].chars().count() - 1);
    assert_eq!((under, lines[2].trim()), (Some('+'), "^"), "{message}");
    for (text, part) in [("x ** 2", "a power is written `^`"), ("log(x)", "there are ln, log2 and log10")] {
        assert!(parse(&arena, text).unwrap_err().to_string().contains(part));
    }
}
