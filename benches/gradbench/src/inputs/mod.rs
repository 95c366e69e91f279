//! Inputs of the benchmark, made by their sizes.
//!
//! Law: an input is a function of its module, its sizes and the seed. The numbers are drawn as the benchmark draws
//! them, with another generator; those of `ba`, `particle` and `saddle`, which it does not draw, are its own.

mod hand;
mod random;

use catadiff::{Error, Result};
use serde_json::{Value as Json, json};

use crate::{known_module, other};
use hand::tracking;
use random::{Random, rows};

/// What an input is to be, such as `d=64`, and a number that looks random whenever one is wanted.
struct Wishes {
    given: Vec<(String, String)>,
    known: Vec<String>,
    random: Random,
}

impl Wishes {
    fn new(settings: &[String]) -> Result<Self> {
        let pair = |setting: &String| match setting.split_once('=') {
            Some((key, value)) => Ok((key.to_owned(), value.to_owned())),
            None => Err(unfit(setting, "KEY=VALUE", "a word alone")),
        };
        let given = settings.iter().map(pair).collect::<Result<_>>()?;
        let mut wishes = Wishes { given, known: Vec::new(), random: Random::new(0) };
        wishes.random = Random::new(wishes.setting("seed", "a number", Some(31337))?);
        Ok(wishes)
    }

    /// The setting of this name; the last one, if there are several.
    fn setting<T: std::str::FromStr>(&mut self, name: &str, expected: &str, default: Option<T>) -> Result<T> {
        self.known.push(name.to_owned());
        match self.given.iter().rev().find(|(key, _)| key == name) {
            Some((_, value)) => value.parse().map_err(|_| unfit(name, expected, &format!("`{value}`"))),
            None => default.ok_or_else(|| unfit(name, expected, "not given")),
        }
    }

    /// A size, at least one and small enough to be counted.
    fn size(&mut self, name: &str) -> Result<usize> {
        let size: usize = self.setting(name, "a number, at least one", None)?;
        if (1..=MAX_SIZE).contains(&size) {
            return Ok(size);
        }
        Err(unfit(name, &format!("a number from 1 to {MAX_SIZE}"), &size.to_string()))
    }

    fn real(&mut self, name: &str, default: f64) -> Result<f64> {
        self.setting(name, "a number", Some(default))
    }

    /// Whatever else was asked for is not known.
    fn no_others(&self) -> Result<()> {
        match self.given.iter().find(|(key, _)| !self.known.contains(key)) {
            Some((key, _)) => Err(other("setting", key, self.known.iter().map(String::as_str))),
            None => Ok(()),
        }
    }
}

/// No size of the benchmark is larger.
const MAX_SIZE: usize = 100_000_000;

fn unfit(name: &str, expected: &str, found: &str) -> Error {
    Error::Argument { name: name.to_owned(), expected: expected.to_owned(), found: found.to_owned() }
}

fn gmm(wishes: &mut Wishes) -> Result<Json> {
    let [d, k, n] = [wishes.size("d")?, wishes.size("k")?, wishes.size("n")?];
    let (m, gamma) = (wishes.setting("m", "an integer", Some(0_i64))?, wishes.real("gamma", 1.0)?);
    let random = &mut wishes.random;
    Ok(json!({
        "d": d, "k": k, "n": n, "m": m, "gamma": gamma,
        "alpha": random.normals(k),
        "mu": rows(k, |_| random.uniforms(d)),
        "q": rows(k, |_| random.normals(d)),
        "l": rows(k, |_| random.normals(d * (d - 1) / 2)),
        "x": rows(n, |_| random.normals(d)),
    }))
}

fn ba(wishes: &mut Wishes) -> Result<Json> {
    Ok(json!({
        "n": wishes.size("n")?, "m": wishes.size("m")?, "p": wishes.size("p")?,
        "cam": [
            -0.758453, -1.109613, -0.845551, 34.556073, 39.676747, 53.881673, 419.194514, 5.864426, -8.51887, 0.087812,
            0.002739,
        ],
        "x": [7.203245, 0.001144, 3.023326],
        "w": 0.417022,
        "feat": [271.760969, 834.209256],
    }))
}

fn ht(wishes: &mut Wishes) -> Result<Json> {
    let expected = "`simple` or `complicated`";
    let kind: String = wishes.setting("kind", expected, None)?;
    let in_triangles = match kind.as_str() {
        "simple" => false,
        "complicated" => true,
        other => return Err(unfit("kind", expected, &format!("`{other}`"))),
    };
    let [vertices, points] = [wishes.size("v")?, wishes.size("c")?];
    Ok(tracking(&mut wishes.random, vertices, points, in_triangles))
}

fn lstm(wishes: &mut Wishes) -> Result<Json> {
    let [l, c] = [wishes.size("l")?, wishes.size("c")?];
    let b = wishes.setting("b", "a number of bits", Some(14))?;
    let random = &mut wishes.random;
    Ok(json!({
        "main_params": rows(2 * l, |_| random.uniforms(4 * b)),
        "extra_params": rows(3, |_| random.uniforms(b)),
        "state": rows(2 * l, |_| random.uniforms(b)),
        "sequence": rows(c, |_| (0..b).map(|_| random.below(2) as f64).collect::<Vec<_>>()),
    }))
}

fn kmeans(wishes: &mut Wishes) -> Result<Json> {
    let [k, n, d] = [wishes.size("k")?, wishes.size("n")?, wishes.size("d")?];
    if k > n {
        return Err(unfit("k", "no more clusters than points", &k.to_string()));
    }
    let random = &mut wishes.random;
    let points: Vec<Vec<f64>> = (0..n).map(|_| random.uniforms(d)).collect();
    // As many of the points, each as likely as another (Fisher and Yates), so that no cluster is empty.
    let mut order: Vec<usize> = (0..n).collect();
    for i in 0..k {
        order.swap(i, i + random.below(n - i));
    }
    let centroids = rows(k, |i| points[order[i]].clone());
    Ok(json!({ "points": points, "centroids": centroids }))
}

fn vector(wishes: &mut Wishes, size: &str) -> Result<Vec<f64>> {
    let n = wishes.size(size)?;
    Ok(wishes.random.uniforms(n))
}

fn llsq(wishes: &mut Wishes) -> Result<Json> {
    Ok(json!({ "x": vector(wishes, "m")?, "n": wishes.size("n")? }))
}

fn det(wishes: &mut Wishes) -> Result<Json> {
    let ell = wishes.size("ell")?;
    Ok(json!({ "A": wishes.random.uniforms(ell * ell), "ell": ell }))
}

/// How a module's inputs are made, and their sizes: the small one that its programs are tried on, and the benchmark's.
struct Module {
    name: &'static str,
    make: fn(&mut Wishes) -> Result<Json>,
    example: &'static str,
    sizes: fn() -> Vec<String>,
}

const MODULES: &[Module] = &[
    Module { name: "hello", make: |wishes| Ok(wishes.real("x", 1.0)?.into()), example: "", sizes: || one("x=1") },
    Module { name: "gmm", make: gmm, example: "d=2 k=2 n=2", sizes: mixtures },
    Module { name: "ba", make: ba, example: "n=1 m=1 p=1", sizes: adjustments },
    Module { name: "ht", make: ht, example: "kind=complicated v=4 c=2", sizes: hands },
    Module {
        name: "lstm",
        make: lstm,
        example: "l=2 c=3",
        sizes: || crossed(&[2, 4, 6], &[1024, 4096, 8192], |l, c| format!("l={l} c={c}")),
    },
    Module { name: "kmeans", make: kmeans, example: "k=2 n=3 d=2", sizes: clusters },
    Module {
        name: "lse",
        make: |wishes| Ok(json!({ "x": vector(wishes, "n")? })),
        example: "n=3",
        sizes: || (0..10).map(|k| format!("n={}", 2500 << k)).collect(),
    },
    Module {
        name: "llsq",
        make: llsq,
        example: "m=3 n=4",
        sizes: || [16, 64, 256, 1024, 4096, 16392].map(|n| format!("m=128 n={n}")).into(),
    },
    Module { name: "det", make: det, example: "ell=5", sizes: || (5..=11).map(|ell| format!("ell={ell}")).collect() },
    Module {
        name: "ode",
        make: |wishes| Ok(json!({ "x": vector(wishes, "n")?, "s": wishes.size("s")? })),
        example: "n=2 s=1",
        sizes: || crossed(&[1000, 10_000, 100_000], &[1, 10, 100], |n, s| format!("n={n} s={s}")),
    },
    Module {
        name: "particle",
        make: |wishes| Ok(json!({ "w": wishes.real("w", 0.0)? })),
        example: "",
        sizes: || one("w=0"),
    },
    Module { name: "saddle", make: |_| Ok(json!({ "start": [1.0, 1.0] })), example: "", sizes: || one("") },
];

fn one(size: &str) -> Vec<String> {
    vec![size.to_owned()]
}

fn crossed<A: Copy, B: Copy>(first: &[A], second: &[B], size: impl Fn(A, B) -> String) -> Vec<String> {
    first.iter().flat_map(|a| second.iter().map(|b| size(*a, *b)).collect::<Vec<_>>()).collect()
}

fn mixtures() -> Vec<String> {
    let of = |n| crossed(&[2, 10, 20, 32, 64], &[5, 10, 25, 50, 100], |d, k| format!("d={d} k={k} n={n}"));
    [of(1000), of(10_000)].concat()
}

fn clusters() -> Vec<String> {
    let of = |d| crossed(&[10, 100, 1000], &[1000, 10_000], |k, n| format!("k={k} n={n} d={d}"));
    [of(8), of(16)].concat()
}

fn hands() -> Vec<String> {
    let points = [100, 192, 200, 400, 800, 1600, 3200, 6400, 12_800, 25_600, 51_200, 100_000];
    let of = |kind| crossed(&[544, 10_000], &points, |v, c| format!("kind={kind} v={v} c={c}"));
    [of("simple"), of("complicated")].concat()
}

/// Cameras, points and observations of the benchmark's problems.
const PROBLEMS: [[usize; 3]; 19] = [
    [49, 7776, 31_843],
    [21, 11_315, 36_455],
    [161, 48_126, 182_072],
    [372, 47_423, 204_472],
    [257, 65_132, 225_911],
    [539, 65_220, 277_273],
    [93, 61_203, 287_451],
    [88, 64_298, 383_937],
    [810, 88_814, 393_775],
    [1197, 126_327, 563_734],
    [1723, 156_502, 678_718],
    [253, 163_691, 899_155],
    [245, 198_739, 1_091_386],
    [356, 226_730, 1_255_268],
    [1102, 780_462, 4_052_340],
    [1544, 942_409, 4_750_193],
    [1778, 993_923, 5_001_946],
    [1936, 649_673, 5_213_733],
    [13_682, 4_456_117, 2_987_644],
];

fn adjustments() -> Vec<String> {
    PROBLEMS.map(|[n, m, p]| format!("n={n} m={m} p={p}")).into()
}

fn module(name: &str) -> Result<&'static Module> {
    known_module(name)?;
    Ok(MODULES.iter().find(|module| module.name == name).expect("every module of the benchmark has inputs"))
}

/// An input of the sizes that these settings ask for, such as `d=64`, `k=25` and `n=1000` for `gmm`; with `seed=1` other
/// numbers, and with `min_runs=5` and `min_seconds=0.5` a wish to be run so often.
///
/// ```
/// use catadiff_gradbench::inputs::input;
/// let input = input("lse", &["n=3".to_owned(), "min_runs=2".to_owned()])?;
/// assert_eq!(input["x"].as_array().map(Vec::len), Some(3));
/// assert_eq!(input["min_runs"], 2);
/// # Ok::<(), catadiff::Error>(())
/// ```
///
/// # Errors
/// [`Error::Argument`] if there is no such module or setting, or a size is missing or is none.
pub fn input(name: &str, settings: &[String]) -> Result<Json> {
    let module = module(name)?;
    let mut wishes = Wishes::new(settings)?;
    let runs: u64 = wishes.setting("min_runs", "a number of runs", Some(1))?;
    let seconds: f64 = wishes.setting("min_seconds", "a time in seconds", Some(1.0))?;
    let mut input = (module.make)(&mut wishes)?;
    wishes.no_others()?;
    if let Some(fields) = input.as_object_mut() {
        fields.insert("min_runs".to_owned(), runs.into());
        fields.insert("min_seconds".to_owned(), seconds.into());
    }
    Ok(input)
}

/// The sizes that the benchmark asks of a module, each as what follows `input`: the module and its settings.
///
/// # Errors
/// [`Error::Argument`] if there is no such module.
pub fn sizes(name: &str) -> Result<Vec<String>> {
    let sizes = (module(name)?.sizes)();
    Ok(sizes.into_iter().map(|size| format!("{name} {size}").trim_end().to_owned()).collect())
}

/// The smallest input that has the programs of its module.
pub(crate) fn example(name: &str) -> Result<Json> {
    let settings: Vec<String> = module(name)?.example.split_whitespace().map(str::to_owned).collect();
    input(name, &settings)
}
