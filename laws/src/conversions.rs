//! Laws of conversions in texts of the front end: integers by their bits, and derivatives through what is rounded.
//!
//! Law: an integer that becomes one of another kind is what its bits say, which are stated here once more; a real that
//! becomes an integer and a real again is constant, so `jvp` is linear in its direction and the transpose of `vjp`, and
//! the interpreter, every executor, dual numbers and the tape say the same (tests/language/conversions.rs).

use catadiff::carriers::Dual;
use catadiff::execute::Executor;
use catadiff::futhark::check::{NoImports, check};
use catadiff::futhark::core::Program;
use catadiff::futhark::syntax::parse;
use catadiff::futhark::values::{Array, Data};
use catadiff::futhark::{elaborate, interpreter};
use catadiff::interpret::{Compare, Limits, Scalar};
use quickcheck::{Arbitrary, Gen};

use crate::executors::at_hand;
use crate::violation::{Verdict, Violation};

/// How many real variables a function has.
const VARIABLES: usize = 3;

/// Functions of three reals and an integer, in the text language, that round.
#[derive(Debug, Clone)]
pub struct RoundingFunctions(Vec<String>);

/// A point at which a function is evaluated: the reals and the integer, two directions of both, and the adjoint.
struct Place {
    x: Vec<f64>,
    n: i64,
    directions: [(Vec<f64>, i64); 2],
    adjoint: f64,
}

impl RoundingFunctions {
    /// This many functions, the same for the same seed.
    ///
    /// ```
    /// use catadiff_laws::conversions::{RoundingFunctions, are_linear};
    /// are_linear(&RoundingFunctions::drawn(2, 0))?;
    /// # Ok::<(), catadiff_laws::Violation>(())
    /// ```
    #[must_use]
    pub fn drawn(count: usize, seed: u64) -> Self {
        let mut source = Gen::from_size_and_seed(8, seed);
        RoundingFunctions((0..count).map(|_| real(&mut source, 4, 0)).collect())
    }

    /// The program that has them and their derivatives.
    fn text(&self) -> String {
        let functions = self.0.iter().enumerate().map(|(k, body)| {
            format!(
                "def f{k} (x: [3]f64) (n: i64): f64 = {body}\n\
                 entry value{k} (x: [3]f64) (n: i64) = f{k} x n\n\
                 entry push{k} (x: [3]f64) (n: i64) (d: [3]f64) (m: i64) = jvp (\\(x, n) -> f{k} x n) (x, n) (d, m)\n\
                 entry pull{k} (x: [3]f64) (n: i64) (y: f64) = vjp (\\x -> f{k} x n) x y\n"
            )
        });
        functions.collect()
    }
}

fn below(g: &mut Gen, count: usize) -> usize {
    usize::arbitrary(g) % count
}

/// A real, in the scope of this many variables of loops.
fn real(g: &mut Gen, fuel: u32, loops: usize) -> String {
    const KINDS: [&str; 8] = ["i8", "i16", "i32", "i64", "u8", "u16", "u32", "u64"];
    if fuel == 0 {
        return match below(g, 8) {
            0 => format!("{}.0", below(g, 4)),
            1 => format!("{}.5", below(g, 3)),
            2 => "f64.i64 n".into(),
            3 | 4 if loops > 0 => format!("y{}", below(g, loops)),
            _ => format!("x[{}]", below(g, VARIABLES)),
        };
    }
    let part = |g: &mut Gen| real(g, fuel - 1, loops);
    match below(g, 14) {
        0 | 1 => format!("({} + {})", part(g), part(g)),
        2 => format!("({} - {})", part(g), part(g)),
        3 | 4 => format!("({} * {})", part(g), part(g)),
        5 | 6 => {
            let kind = KINDS[below(g, 8)];
            format!("f64.{kind} ({kind}.f64 ({}))", part(g))
        }
        7 => format!("f64.i64 (i64.f64 ({}) + n)", part(g)),
        8 => format!("f64.i32 (2 * i32.f64 ({}) - i32.u8 (u8.f64 ({})))", part(g), part(g)),
        9 => format!("f64.bool (bool.f64 ({}) && {} < 1)", part(g), part(g)),
        10 => format!("f64.from_bits (f64.to_bits ({}))", part(g)),
        11 => format!("(let i = i64.f64 ({}) in x[i % 3] * {})", part(g), part(g)),
        12 => format!("(if {} < {} then {} else {})", part(g), part(g), part(g), part(g)),
        _ => {
            let (start, body) = (part(g), real(g, fuel - 1, loops + 1));
            format!("(loop y{loops} = {start} for i < 2 do f64.i64 i + ({body}) / 4)")
        }
    }
}

fn place(g: &mut Gen) -> Place {
    let quarter = |g: &mut Gen| (below(g, 33) as f64 - 16.0) / 4.0 + 0.125;
    let reals = |g: &mut Gen| (0..VARIABLES).map(|_| quarter(g)).collect::<Vec<_>>();
    let integer = |g: &mut Gen| below(g, 7) as i64 - 3;
    Place {
        x: reals(g),
        n: integer(g),
        directions: [(reals(g), integer(g)), (reals(g), integer(g))],
        adjoint: quarter(g),
    }
}

fn reals(x: &[f64]) -> Array {
    Array { shape: vec![x.len()], data: Data::F64(x.to_vec()) }
}

fn numbers(arrays: &[Array]) -> Vec<f64> {
    let of = |array: &Array| if let Data::F64(x) = &array.data { x.clone() } else { Vec::new() };
    arrays.iter().flat_map(of).collect()
}

/// A meaning of programs.
type Way<'w> = &'w dyn Fn(&str, &[Array]) -> Vec<f64>;

fn near(a: f64, b: f64, size: f64) -> bool {
    a == b || a.is_nan() && b.is_nan() || (a - b).abs() <= 1e-9 * (1.0 + size)
}

fn broken(law: &str, text: &str, at: &Place, left: f64, right: f64) -> Verdict {
    let instances = vec![
        ("f x n".into(), text.to_owned()),
        ("x".into(), format!("{:?}", at.x)),
        ("n".into(), at.n.to_string()),
        ("directions".into(), format!("{:?}", at.directions)),
        ("adjoint".into(), at.adjoint.to_string()),
    ];
    Err(Violation { law: law.into(), instances, left: left.to_string(), right: right.to_string() })
}

/// `jvp` is linear in its direction, the transpose of `vjp`, and the same in every meaning and carrier.
///
/// # Errors
/// The violation.
///
/// # Panics
/// If a function is not one of the language.
pub fn are_linear(functions: &RoundingFunctions) -> Verdict {
    let text = functions.text();
    let (program, _) = check(&parse(&text, 0).expect("it is read"), &mut NoImports).expect("it is checked");
    let mut source = Gen::from_size_and_seed(8, 1);
    functions.0.iter().enumerate().try_for_each(|(k, body)| function_is_linear(&program, k, body, &place(&mut source)))
}

fn function_is_linear(program: &Program, k: usize, body: &str, at: &Place) -> Verdict {
    const RUNS: &str = "a function that rounds has a value";
    let limits = Limits::default();
    let compiled = |entry: &str| elaborate::compile_entry(program, entry).expect("it is compiled");
    let interpreted =
        |entry: &str, given: &[Array]| numbers(&interpreter::run(program, entry, given, limits).expect(RUNS));
    let on = &|executor: &dyn Executor, entry: &str, given: &[Array]| {
        numbers(&compiled(entry).compile_on(executor).expect(RUNS).run(given).expect(RUNS))
    };
    let executed: Vec<_> = at_hand()
        .into_iter()
        .map(|executor| (executor.name(), move |entry: &str, given: &[Array]| on(executor, entry, given)))
        .collect();
    let ways = executed.iter().map(|(name, way)| (*name, way as Way<'_>));
    let ways = core::iter::once(("interpreter", &interpreted as Way<'_>)).chain(ways);
    let [(d, m), (e, l)] = &at.directions;
    let sum: Vec<f64> = d.iter().zip(e).map(|(d, e)| d + 2.0 * e).collect();
    let point = || vec![reals(&at.x), Array::scalar(vec![at.n])];
    let push = |way: Way<'_>, d: &[f64], m: i64| {
        let given = [point(), vec![reals(d), Array::scalar(vec![m])]].concat();
        way(&format!("push{k}"), &given)[0]
    };
    let mut known: Option<[Vec<f64>; 3]> = None;
    for (name, way) in ways {
        let value = way(&format!("value{k}"), &point());
        let pushed = [push(way, d, *m), push(way, e, *l), push(way, &sum, m + 2 * l)];
        let along = push(way, d, 0);
        let pulled = way(&format!("pull{k}"), &[point(), vec![Array::scalar(vec![at.adjoint])]].concat());
        let size: f64 = pushed.iter().chain(&pulled).map(|x| x.abs()).sum();
        if !near(pushed[0] + 2.0 * pushed[1], pushed[2], size) {
            return broken(&format!("jvp f x is linear: {name}"), body, at, pushed[0] + 2.0 * pushed[1], pushed[2]);
        }
        let back: f64 = pulled.iter().zip(d).map(|(x, d)| x * d).sum();
        if !near(at.adjoint * along, back, 8.0 * size) {
            return broken(&format!("⟨jvp f x d, y⟩ = ⟨d, vjp f x y⟩: {name}"), body, at, at.adjoint * along, back);
        }
        let found = [value, [&pushed[..], &[along]].concat(), pulled];
        for (one, other) in known.get_or_insert_with(|| found.clone()).iter().flatten().zip(found.iter().flatten()) {
            if !near(*one, *other, size) {
                return broken(&format!("the interpreter is the {name}"), body, at, *one, *other);
            }
        }
    }
    let [_, pushed, pulled] = known.expect("there are meanings");
    of_carriers(program, k, body, at, pushed[3], &pulled)
}

/// The same of dual numbers and of the tape, by the reals alone.
fn of_carriers(program: &Program, k: usize, body: &str, at: &Place, along: f64, pulled: &[f64]) -> Verdict {
    let elaborated = elaborate::compile_entry(program, &format!("value{k}")).expect("it is compiled");
    let given = [reals(&at.x), Array::scalar(vec![at.n])];
    let mut tangents = at.directions[0].0.iter();
    let lift = |x: &f64| Dual { value: *x, tangent: tangents.next().copied().unwrap_or(0.0) };
    let found = elaborated.run_on(&given, &Limits::default(), lift).expect("it has a value");
    let dual = found[0].elements()[0].real().expect("the result is real");
    if !near(dual.tangent, along, along.abs()) {
        return broken("jvp = the tangent of dual numbers", body, at, along, dual.tangent);
    }
    let on_tape = catadiff::vjp(|x| on_numbers(&elaborated, &given, x), &at.x).expect("it has a value").1;
    let found = on_tape.call(&[at.adjoint]).expect("it has one result");
    for (one, other) in pulled.iter().zip(&found) {
        if !near(*one, *other, one.abs()) {
            return broken("vjp = the adjoint on the tape", body, at, *one, *other);
        }
    }
    Ok(())
}

fn on_numbers<C: Compare>(elaborated: &elaborate::Elaborated, given: &[Array], x: &[C]) -> Vec<C> {
    let mut numbers = x.iter().cloned();
    let lift = |value: &f64| numbers.next().unwrap_or_else(|| C::constant(*value));
    let found = elaborated.run_on(given, &Limits::default(), lift).expect("it has a value");
    let real = |scalar: &Scalar<C>| scalar.real().cloned();
    found.iter().flat_map(|value| value.elements().iter().filter_map(real).collect::<Vec<_>>()).collect()
}

/// A kind of integer: its name, its bits, and whether it has a sign.
const KINDS: [(&str, u32, bool); 8] = [
    ("i8", 8, true),
    ("i16", 16, true),
    ("i32", 32, true),
    ("i64", 64, true),
    ("u8", 8, false),
    ("u16", 16, false),
    ("u32", 32, false),
    ("u64", 64, false),
];

/// The integer of a kind that has the lowest of these bits.
fn of_bits(bits: u128, (_, width, signed): (&str, u32, bool)) -> i128 {
    let low = (bits & ((1 << width) - 1)) as i128;
    if signed && low >> (width - 1) == 1 { low - (1 << width) } else { low }
}

fn integers(kind: &str, values: &[i128]) -> Data {
    match kind {
        "i8" => Data::I8(values.iter().map(|n| *n as i8).collect()),
        "i16" => Data::I16(values.iter().map(|n| *n as i16).collect()),
        "i32" => Data::I32(values.iter().map(|n| *n as i32).collect()),
        "i64" => Data::I64(values.iter().map(|n| *n as i64).collect()),
        "u8" => Data::U8(values.iter().map(|n| *n as u8).collect()),
        "u16" => Data::U16(values.iter().map(|n| *n as u16).collect()),
        "u32" => Data::U32(values.iter().map(|n| *n as u32).collect()),
        _ => Data::U64(values.iter().map(|n| *n as u64).collect()),
    }
}

/// An integer that becomes one of a kind without a sign has zeros before its bits; one of a kind with a sign that becomes another has
/// its sign there. Bits that do not fit are lost. A conversion has the derivative 1.
///
/// # Errors
/// The violation.
///
/// # Panics
/// If the conversions are not those of the language.
pub fn integers_go_by_their_bits(seed: u64) -> Verdict {
    let pairs = || KINDS.iter().flat_map(|from| KINDS.iter().map(move |to| (*from, *to)));
    let text: String = pairs()
        .map(|((from, ..), (to, ..))| {
            format!(
                "entry {from}_{to} [n] (x: [n]{from}) = \
                 unzip3 (map (\\x -> ({to}.{from} x, jvp {to}.{from} x 1, {to}.{from} (vjp {to}.{from} x 1))) x)\n"
            )
        })
        .collect();
    let (program, _) = check(&parse(&text, 0).expect("it is read"), &mut NoImports).expect("it is checked");
    let mut source = Gen::from_size_and_seed(8, seed);
    for (from, to) in pairs() {
        let bits: Vec<u128> = (0..12)
            .map(|k| match k {
                0 => 0,
                1 => u128::MAX,
                2 => 1 << (from.1 - 1),
                3 => (1 << (from.1 - 1)) - 1,
                _ => u64::arbitrary(&mut source).into(),
            })
            .collect();
        let values: Vec<i128> = bits.iter().map(|bits| of_bits(*bits, from)).collect();
        let wanted: Vec<i128> = bits
            .iter()
            .zip(&values)
            .map(|(bits, value)| {
                // What stands before the bits of the integer: its sign if both kinds have one, and else zeros.
                let before = if from.2 && to.2 && *value < 0 { u128::MAX << from.1 } else { 0 };
                of_bits(before | bits & ((1 << from.1) - 1), to)
            })
            .collect();
        let given = [Array { shape: vec![values.len()], data: integers(from.0, &values) }];
        let entry = format!("{}_{}", from.0, to.0);
        let on = |executor: &dyn Executor| {
            let elaborated = elaborate::compile_entry(&program, &entry).expect("it is compiled");
            elaborated.compile_on(executor).and_then(|ready| ready.run(&given))
        };
        let interpreted = interpreter::run(&program, &entry, &given, Limits::default());
        let ways = core::iter::once(interpreted).chain(at_hand().into_iter().map(&on));
        let ones = integers(to.0, &vec![1; values.len()]);
        let wanted = [integers(to.0, &wanted), ones.clone(), ones];
        for found in ways {
            let found: Vec<Data> = found.expect("it has a value").into_iter().map(|array| array.data).collect();
            if found != wanted {
                let instances = vec![("x".into(), format!("{values:?}"))];
                let law = format!("{}.{} x has the bits of x, and the derivative 1", to.0, from.0);
                return Err(Violation { law, instances, left: format!("{found:?}"), right: format!("{wanted:?}") });
            }
        }
    }
    Ok(())
}
