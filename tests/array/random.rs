//! Random numbers by keys: the bits of the cipher, what others make of the same keys, and what distributions are known for.

use catadiff::Result;
use catadiff::array::Program;
use catadiff::array::trace::{Arr, F64, I64, Key, loop_for};
use catadiff::interpret::{FromValues, ToValues};

/// What a program makes of arguments, interpreted and on lanes alike.
#[track_caller]
fn made<R: FromValues + PartialEq + core::fmt::Debug>(program: Result<Program>, arguments: impl ToValues + Copy) -> R {
    let program = program.unwrap();
    let interpreted: R = program.at(arguments).unwrap();
    assert_eq!(program.compile().unwrap().at::<R>(arguments).unwrap(), interpreted);
    interpreted
}

/// The test vectors that come with the authors' own implementation, Random123.
#[test]
fn blocks_are_those_of_threefry() {
    let cases: [([u32; 2], i64, (u32, u32)); 3] = [
        ([0, 0], 0, (0x6b20_0159, 0x99ba_4efe)),
        ([u32::MAX; 2], -1, (0x1cb9_96fc, 0xbb00_2be7)),
        ([0x1319_8a2e, 0x0370_7344], 0x243f_6a88_85a3_08d3_u64 as i64, (0xc492_3a9c, 0x483d_f7a0)),
    ];
    for (key, place, block) in cases {
        let found: (u32, u32) = made(Program::trace(|key: Key, n: I64| key.fold_in(n)), ((key[0], key[1]), place));
        assert_eq!(found, block);
    }
}

/// What JAX 0.10.2 makes of `jax.random.PRNGKey(42)`, with `jax_enable_x64`.
#[test]
fn numbers_are_those_of_jax() {
    let key = 42_i64;
    let split: (Vec<u32>, Vec<u32>) = made(Program::trace(|seed: I64| Key::new(seed).split_into(5)), key);
    let first = vec![1_832_780_943, 64_467_757, 2_465_931_498, 3_134_548_294, 2_954_079_971];
    let second = vec![270_669_613, 2_916_123_636, 255_383_827, 894_150_801, 3_276_725_750];
    assert_eq!(split, (first, second));
    let folded: (u32, u32) = made(Program::trace(|seed: I64| Key::new(seed).fold_in(7)), key);
    assert_eq!(folded, (2_547_012_911, 1_371_500_959));
    let bits: Vec<u32> = made(Program::trace(|seed: I64| Key::new(seed).bits(4)), key);
    assert_eq!(bits, [2_098_992_034, 2_919_706_841, 2_646_866_425, 2_409_546_199]);
    let bits: Vec<u64> = made(Program::trace(|seed: I64| Key::new(seed).bits64(3)), key);
    assert_eq!(bits, [7_871_734_211_187_709_741, 276_886_910_877_598_708, 10_591_095_138_341_673_235]);
    let uniform: Vec<f64> = made(Program::trace(|seed: I64| Key::new(seed).uniform(4)), key);
    assert_eq!(uniform, [0.4267275666499091, 0.015010069515314584, 0.5741444178995352, 0.7298188969046309]);
    let uniform: Vec<f32> = made(Program::trace(|seed: I64| Key::new(seed).uniform_f32(4)), key);
    assert_eq!(uniform, [0.488_709_57, 0.679_797_2, 0.616_271_5, 0.561_016_1]);
    let heads: Vec<bool> = made(Program::trace(|seed: I64| Key::new(seed).bernoulli(0.3, 12)), key);
    assert_eq!(heads.iter().map(|head| u8::from(*head)).collect::<Vec<_>>(), [0, 1, 0, 0, 0, 0, 0, 0, 1, 1, 1, 1]);
    let integers: Vec<i64> = made(Program::trace(|seed: I64| Key::new(seed).randint(8, -3, 11)), key);
    assert_eq!(integers, [10, -1, 6, 2, 2, 7, 3, 8]);
    let wide = |seed: I64| Key::new(seed).randint(3, -(1_i64 << 62), 1_i64 << 62);
    let integers: Vec<i64> = made(Program::trace(wide), key);
    assert_eq!(integers, [-145_378_591_231_461_835, -3_741_815_450_302_687_554, -3_506_958_169_482_507_113]);
    let of_long_seeds: Vec<u32> = made(Program::trace(|seed: I64| Key::new(seed).bits(2)), 1_234_567_890_123_i64);
    assert_eq!(of_long_seeds, [3_905_333_399, 4_183_480_650]);
    let near = |program, expected: [f64; 4]| {
        let found: Vec<f64> = Program::at(&program, key).unwrap();
        found.iter().zip(expected).for_each(|(x, y)| assert!((x - y).abs() < 1e-14, "{x} {y}"));
    };
    let exponential = Program::trace(|seed: I64| Key::new(seed).exponential(4)).unwrap();
    near(exponential, [0.5563942243855916, 0.015123860720489336, 0.8536549993431988, 1.30866279263241]);
    let gumbel = Program::trace(|seed: I64| Key::new(seed).gumbel(4)).unwrap();
    near(gumbel, [0.16062720630382138, -1.4348544993307841, 0.5890136500161952, 1.1553132453508888]);
}

/// Moments of many samples, each within five standard errors of what it is known to be.
#[test]
fn samples_are_of_their_distributions() {
    let moments = |xs: Arr<F64>| {
        let mean = |xs: Arr<F64>| xs.sum() / xs.len().to_f64();
        (mean(xs), mean(xs * xs), mean(xs * xs * xs * xs))
    };
    let n = 20_000;
    let all = Program::trace(move |seed: I64| {
        let keys = Key::new(seed).split_into(5);
        let singles = keys.index(3).normal_f32(n).map(|x| x.to_f64());
        (
            moments(keys.index(0).uniform(n)),
            moments(keys.index(1).normal(n)),
            moments(keys.index(2).exponential(n)),
            moments(singles),
            moments(keys.index(4).randint(n, 0, 2).map(|x| x.to_f64())),
        )
    });
    type Moments = (f64, f64, f64);
    let all: (Moments, Moments, Moments, Moments, Moments) = all.unwrap().compile().unwrap().at(11_i64).unwrap();
    // The first, second, fourth and eighth moment.
    let known = [
        [1.0 / 2.0, 1.0 / 3.0, 1.0 / 5.0, 1.0 / 9.0],
        [0.0, 1.0, 3.0, 105.0],
        [1.0, 2.0, 24.0, 40_320.0],
        [0.0, 1.0, 3.0, 105.0],
        [0.5, 0.5, 0.5, 0.5],
    ];
    for ((first, second, fourth), known) in [all.0, all.1, all.2, all.3, all.4].into_iter().zip(known) {
        let near = |found: f64, expected: f64, square: f64| {
            let error = ((square - expected * expected) / f64::from(n)).sqrt();
            assert!((found - expected).abs() <= 5.0 * error, "{found} where {expected} ± {error} is known");
        };
        near(first, known[0], known[1]);
        near(second, known[1], known[2]);
        near(fourth, known[2], known[3]);
    }
}

/// Each of the six orders of three, about as often as the others, and each integer once.
#[test]
fn permutations_are_of_all_orders() {
    let many = Program::trace(|seed: I64| {
        Key::new(seed).split_into(600).map(|key| {
            let order = key.permutation(3);
            order.index(0) * 9 + order.index(1) * 3 + order.index(2)
        })
    });
    let orders: Vec<i64> = made(many, 1);
    for order in [5, 7, 11, 15, 19, 21] {
        let count = orders.iter().filter(|found| **found == order).count();
        // Five standard deviations about a hundred.
        assert!((55..=145).contains(&count), "{order}: {count}");
    }
    let mut all: Vec<i64> = made(Program::trace(|seed: I64| Key::new(seed).permutation(1000)), 1);
    assert_ne!(all[..10], [0, 1, 2, 3, 4, 5, 6, 7, 8, 9]);
    all.sort_unstable();
    assert_eq!(all, (0..1000).collect::<Vec<i64>>());
}

#[test]
fn edges() {
    let empty: (Vec<f64>, Vec<u32>) =
        made(Program::trace(|seed: I64| (Key::new(seed).normal(0), Key::new(seed).bits(0))), 1);
    assert_eq!(empty, (vec![], vec![]));
    let none_between: Vec<i64> = made(Program::trace(|seed: I64| Key::new(seed).randint(3, 5, 5)), 1);
    assert_eq!(none_between, [5, 5, 5]);
    let never_always: (Vec<bool>, Vec<bool>) =
        made(Program::trace(|seed: I64| (Key::new(seed).bernoulli(0.0, 50), Key::new(seed).bernoulli(1.0, 50))), 1);
    assert_eq!(never_always, (vec![false; 50], vec![true; 50]));
    let fewer = Program::trace(|n: I64| Key::new(0).uniform(n)).unwrap().at::<Vec<f64>>(-1).unwrap_err();
    assert!(fewer.to_string().starts_with("a size is -1"), "{fewer}");
}

/// A walk whose steps are drawn in a loop, from keys that are folded with its number.
#[test]
fn keys_go_through_loops_and_derivatives_past_them() {
    let walk = Program::trace_named(&["x", "pull", "key"], |x: F64, pull: F64, key: Key| {
        loop_for(20, x, |k, x| x - pull * x + key.fold_in(k).normal(1).index(0))
    });
    let walk = walk.unwrap();
    let at = (2.0, 0.25, (3_u32, 5_u32));
    let (by_x, by_pull): (f64, f64) = walk.grad(["x", "pull"]).unwrap().at(at).unwrap();
    assert!((by_x - 0.75_f64.powi(20)).abs() < 1e-15);
    let moved = |by: f64| walk.at::<f64>((2.0, 0.25 + by, at.2)).unwrap();
    let quotient = (moved(1e-6) - moved(-1e-6)) / 2e-6;
    assert!((by_pull - quotient).abs() < 1e-7, "{by_pull} {quotient}");
    let refused = walk.grad("key").unwrap_err().to_string();
    assert!(refused.starts_with("cannot differentiate with respect to `key.0`: it is of type u32"), "{refused}");
}
