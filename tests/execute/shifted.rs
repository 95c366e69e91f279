//! Loops that load each other's elements some lanes away: as one loop they give the same bits, whatever the distances, and are as the
//! interpreter has them.

use catadiff::array::Program;
use catadiff::array::trace::{Arr, F64, I64, iota, literal, loop_for};
use catadiff::execute::Native;
use catadiff::interpret::Value;
use catadiff_laws::executors;

use crate::in_c::agrees;

const PASS: &str = "fusion of loops at a distance";

fn numbers(n: usize) -> Value<f64> {
    Value::new((0..n).map(|k| ((k * 7919 + 13) % 1009) as f64 / 504.5 - 1.0).collect::<Vec<_>>()).expect("reals")
}

fn integers(n: usize) -> Value<f64> {
    Value::new((0..n).map(|k| (k * 7919 + 13) as i64 % 1009 - 500).collect::<Vec<_>>()).expect("integers")
}

/// The elements that are `by` places on; 3 where there is none.
fn moved(xs: Arr<I64>, by: i64) -> Arr<I64> {
    let ends = iota(by.abs()).map(|_| I64::from(3));
    if by > 0 { xs.drop(by).concat(ends) } else { ends.concat(xs.take(xs.len() + by)) }
}

/// Stages of the method of Runge and Kutta, in which the derivative of a component is a product with the one before.
fn stages() -> Program {
    Program::trace(|x: Arr<F64>, s: I64| {
        let rate = |y: Arr<F64>| x * literal([1.0]).concat(y.take(y.len() - 1));
        loop_for(s, x.zeros_like(), |_, y| {
            let k1 = rate(y);
            let k2 = rate(y + k1 * 0.05);
            let k3 = rate(y + k2 * 0.05);
            y + (k1 + k2 * 2.0 + k3) * 0.1
        })
    })
    .expect("it is a program")
}

/// A chain of arrays of integers, which no order of operations changes, each of some before it at distances that a number says; two of
/// them are results.
fn chain(seed: u64) -> Program {
    Program::trace(move |x: Arr<I64>| {
        let mut state = seed;
        let mut next = |n: usize| {
            state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
            (state >> 33) as usize % n
        };
        let mut all = vec![x];
        for k in 0..4 + seed as i64 % 4 {
            let mut sum = x * (k + 2);
            for _ in 0..=next(2) {
                let from = all[next(all.len())];
                sum += moved(from, next(7) as i64 - 3) * all[all.len() - 1 - next(2).min(all.len() - 1)];
            }
            all.push(sum);
        }
        (all[all.len() - 1], all[2])
    })
    .expect("it is a program")
}

/// The results of the program for any sizes, and of that for these, in which loops are fused as often as said.
fn both(program: &Program, arguments: &[Value<f64>]) -> bool {
    let here = program.specialise_like(arguments).expect("the arguments are its");
    executors::same(&Native, &here, arguments).unwrap_or_else(|e| panic!("{e}\n{here}"));
    let compiled = here.compile_native().expect("it is compiled");
    let bits = |program: &catadiff::execute::Compiled| {
        let results = program.run(arguments).expect("it runs");
        let elements = results.iter().flat_map(Value::elements);
        elements.map(|x| format!("{x:?}")).collect::<Vec<_>>()
    };
    assert_eq!(bits(&program.compile_native().expect("it is compiled")), bits(&compiled), "{here}");
    let passes = compiled.explained_passes();
    let (_, code) = passes.iter().find(|(name, _)| *name == PASS).expect("the pass is one of those for C");
    code.contains("earlier-by-")
}

#[test]
fn stages_are_one_loop() {
    let program = stages();
    for n in [65, 72, 100, 1000] {
        assert_eq!(both(&program, &[numbers(n), 7_i64.into()]), n >= 72);
    }
    let gradient = Program::trace(move |x: Arr<F64>, s: I64| {
        let y: Arr<F64> = program.call((x, s));
        y.map(|y| y * y).sum()
    });
    let gradient = gradient.and_then(|sum| sum.grad(0)).expect("it has a derivative");
    assert!(both(&gradient, &[numbers(200), 3_i64.into()]));
}

#[test]
fn chains_at_any_distance_are_as_they_were() {
    let fused = (0..16).filter(|seed| both(&chain(*seed), &[integers(120 + *seed as usize)]));
    let fused = fused.count();
    assert!(fused >= 8, "{fused} of 16 are fused");
}

#[test]
fn other_compilers_and_sanitizers_see_the_same() {
    let arguments = [numbers(131), 3_i64.into()];
    agrees(&stages().specialise_like(&arguments).unwrap(), "stages", &arguments);
}

/// Parts begin in the middle of a loop.
#[cfg(feature = "rayon")]
#[test]
fn parts_compute_what_lanes_before_them_have() {
    let arguments = [numbers(150_001), 2_i64.into()];
    let compiled = stages().specialise_like(&arguments).unwrap().compile_native().unwrap();
    let on = |threads: usize| {
        let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
        pool.install(|| compiled.run(&arguments).unwrap())
    };
    let alone = on(1);
    assert_eq!(alone, on(3));
    assert_eq!(alone, stages().compile_native().unwrap().run(&arguments).unwrap());
}
