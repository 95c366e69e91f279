//! Programs printed as C: compiled for several processors, with the sanitizers, and called from C as a user calls them.

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::Mutex;

use catadiff::array::trace::{Arr, F64, I64, iota, loop_while};
use catadiff::array::{Const, Prim, Program};
use catadiff::interpret::{Scalar, Value};
use catadiff::{Elementary, Error};

/// A folder of its own for a test.
pub(super) fn folder(name: &str) -> PathBuf {
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join("in_c").join(name);
    fs::create_dir_all(&folder).expect("a folder can be made among those of the build");
    folder
}

/// The compilers that there are.
pub(super) fn compilers() -> Vec<&'static str> {
    let is_there =
        |name: &&str| Command::new(name).arg("--version").output().is_ok_and(|output| output.status.success());
    let found: Vec<&str> = ["gcc", "clang", "cc"].into_iter().filter(is_there).collect();
    assert!(!found.is_empty(), "these tests need a C compiler");
    found.into_iter().take(2).collect()
}

/// Flags of compilers: for any processor, for this one, and to watch what the code does, and that accesses are where it says.
const FLAGS: [&[&str]; 4] = [
    &["-O1"],
    &["-O2", "-march=native"],
    &["-O1", "-DPROVE"],
    &["-O1", "-fsanitize=undefined,address", "-fno-sanitize-recover=all"],
];

/// Whether a compiler can link what these flags need, which is found out once; sanitizers may be a package of their own.
pub(super) fn links(compiler: &str, flags: &[&str]) -> bool {
    static KNOWN: Mutex<BTreeMap<String, bool>> = Mutex::new(BTreeMap::new());
    let mut known = KNOWN.lock().expect("no test fails here");
    *known.entry(format!("{compiler} {flags:?}")).or_insert_with(|| {
        let folder = folder("empty");
        fs::write(folder.join("empty.c"), "int main(void) { return 0; }\n").expect("files can be written");
        let mut command = Command::new(compiler);
        let output = command.args(flags).args(["empty.c", "-o", "empty"]).current_dir(folder).output();
        output.is_ok_and(|output| output.status.success())
    })
}

/// Whether this is the program that was compiled last under this name, on other arguments.
fn is_compiled(name: &str, source: &str) -> bool {
    static COMPILED: Mutex<BTreeMap<String, String>> = Mutex::new(BTreeMap::new());
    let last = COMPILED.lock().expect("no test fails here").insert(name.to_owned(), source.to_owned());
    last.as_deref() == Some(source)
}

/// A number as C reads it.
fn written(scalar: &Scalar<f64>) -> String {
    match (scalar.real(), scalar.exact().and_then(Const::integer)) {
        (Some(x), _) => format!("{x:?}"),
        (None, Some(n)) => n.to_string(),
        (None, None) => panic!("a number is a real or an integer"),
    }
}

/// A program of C that calls the function with these arguments and writes what it leaves: as numbers, one a line.
fn caller(program: &Program, arguments: &[Value<f64>], ranks: &[usize], kinds: &[Prim], name: &str) -> String {
    let c_type = |prim: Prim| match prim {
        Prim::F64 | Prim::F16 => "double",
        Prim::F32 => "float",
        Prim::Bool | Prim::U8 => "uint8_t",
        Prim::I64 => "int64_t",
        Prim::I32 => "int32_t",
        Prim::I16 => "int16_t",
        Prim::I8 => "int8_t",
        Prim::U64 => "uint64_t",
        Prim::U32 => "uint32_t",
        Prim::U16 => "uint16_t",
        other => panic!("{other:?} is not written"),
    };
    let (mut text, mut given, mut sized) = (String::new(), Vec::new(), Vec::new());
    for (k, (argument, param)) in arguments.iter().zip(&program.function().params).enumerate() {
        let prim = program.type_of(*param).prim;
        let elements: Vec<String> = argument.elements().iter().map(written).collect();
        if argument.sizes().is_empty() {
            given.push(elements[0].clone());
            sized.push(elements[0].clone());
        } else {
            let elements = if elements.is_empty() { "0".to_owned() } else { elements.join(", ") };
            text.push_str(&format!("static const {} a{k}[] = {{{elements}}};\n", c_type(prim)));
            given.push(format!("a{k}"));
            given.extend(argument.sizes().iter().map(usize::to_string));
            sized.extend(argument.sizes().iter().map(usize::to_string));
        }
    }
    let (mut before, mut after) = (String::new(), String::new());
    for (k, (rank, prim)) in ranks.iter().zip(kinds).enumerate() {
        let kind = c_type(*prim);
        if *rank == 0 {
            before.push_str(&format!("    {kind} r{k};\n"));
            given.push(format!("&r{k}"));
            after.push_str(&format!("    printf(\"%.17g\\n\", (double)r{k});\n"));
        } else {
            before.push_str(&format!("    static {kind} r{k}[4096]; int64_t s{k}[{rank}];\n"));
            given.extend([format!("r{k}"), "4096".to_owned(), format!("s{k}")]);
            let count: Vec<String> = (0..*rank).map(|d| format!("s{k}[{d}]")).collect();
            let count = count.join(" * ");
            after.push_str(&format!(
                "    for (int64_t i = 0; i < {count}; i++) printf(\"%.17g\\n\", (double)r{k}[i]);\n"
            ));
        }
    }
    let (given, sized) = (given.join(", "), sized.join(", "));
    format!(
        "#include \"{name}.h\"\n#include <stdio.h>\n#include <stdlib.h>\n{text}\nint main(void)\n{{\n{before}    \
        int64_t bytes = {name}_workspace({sized});\n    void *workspace = aligned_alloc(64, (size_t)(bytes + 63) / 64 * 64 + 64);\n    \
        int64_t few = 0;\n    int none = {name}({given}, NULL, &few);\n    \
        if (few > 0 && none != CATADIFF_MEMORY && none != CATADIFF_WRONG) return 90;\n    \
        int status = {name}({given}, workspace, &bytes);\n    if (status == 0) {{\n{after}    }}\n    free(workspace);\n    return status;\n}}\n"
    )
}

/// What calls of the printed function print or return, by every compiler with all flags; they agree.
fn called(program: &Program, name: &str, arguments: &[Value<f64>]) -> Result<Vec<f64>, i32> {
    let folder = folder(name);
    let c = program.to_c(name).expect("the program can be printed");
    let is_compiled = is_compiled(name, &c.source);
    fs::write(folder.join(format!("{name}.c")), c.source).expect("files can be written");
    fs::write(folder.join(format!("{name}.h")), c.header).expect("files can be written");
    let results: Vec<_> = program.function().body.results.iter().map(|atom| program.atom_type(*atom)).collect();
    let (ranks, kinds): (Vec<usize>, Vec<Prim>) = results.iter().map(|of| (of.rank, of.prim)).unzip();
    fs::write(folder.join("caller.c"), caller(program, arguments, &ranks, &kinds, name)).expect("files can be written");
    let mut found: Option<Result<Vec<f64>, i32>> = None;
    for (k, compiler) in compilers().into_iter().enumerate() {
        for (j, flags) in FLAGS.iter().enumerate() {
            if !links(compiler, flags) {
                assert!(j > 0, "{compiler} makes programs");
                println!("SKIPPED: {compiler} {flags:?}");
                continue;
            }
            let (compiled, run) = (format!("{name}_{k}_{j}.o"), folder.join(format!("run_{k}_{j}")));
            let compile = |what: &[&str]| {
                let strict = ["-std=c11", "-Wall", "-Wextra", "-Werror", "-ffp-contract=off"];
                let output = Command::new(compiler).args(strict).args(*flags).args(what).current_dir(&folder).output();
                let output = output.expect("the compiler runs");
                let said = String::from_utf8_lossy(&output.stderr);
                assert!(output.status.success(), "{compiler} {flags:?} on {name}: {said}");
            };
            if !is_compiled {
                compile(&["-c", &format!("{name}.c"), "-o", &compiled]);
            }
            compile(&["caller.c", &compiled, "-o", run.to_str().expect("a path that was written here")]);
            let output = Command::new(&run).output().expect("what is compiled runs");
            let said = String::from_utf8_lossy(&output.stderr).into_owned();
            assert!(said.is_empty(), "{compiler} {flags:?} on {name}: {said}");
            let outcome = match output.status.code() {
                Some(0) => {
                    let text = String::from_utf8_lossy(&output.stdout).into_owned();
                    Ok(text.lines().map(|line| line.parse().expect("a number a line")).collect::<Vec<f64>>())
                }
                code => Err(code.expect("nothing kills it")),
            };
            match (&found, &outcome) {
                (Some(Ok(before)), Ok(now)) => close(name, now, before),
                (Some(before), now) => assert_eq!(before, now, "{compiler} {flags:?} on {name}"),
                (None, _) => found = Some(outcome),
            }
        }
    }
    found.expect("there is a compiler")
}

fn close(name: &str, found: &[f64], expected: &[f64]) {
    assert_eq!(found.len(), expected.len(), "{name}");
    for (found, expected) in found.iter().zip(expected) {
        let bound = 1e-12 * (1.0 + expected.abs());
        assert!(
            (found - expected).abs() <= bound || found.to_bits() == expected.to_bits(),
            "{name}: {found} {expected}"
        );
    }
}

/// The results of the interpreter as numbers in a row.
fn interpreted(program: &Program, arguments: &[Value<f64>]) -> Vec<f64> {
    let results = program.run(arguments).expect("the interpreter runs it");
    let number = |scalar: &Scalar<f64>| written(scalar).parse().expect("what is written is a number");
    results.iter().flat_map(Value::elements).map(number).collect()
}

pub(crate) fn agrees(program: &Program, name: &str, arguments: &[Value<f64>]) {
    let found = called(program, name, arguments).unwrap_or_else(|status| panic!("{name} returns {status}"));
    close(name, &found, &interpreted(program, arguments));
}

fn cost() -> Program {
    Program::trace_named(&["points", "centres"], |points: Arr<Arr<F64>>, centres: Arr<Arr<F64>>| {
        points.map(|p| centres.map(|c| (p - c).map(|d| d * d).sum()).min()).sum()
    })
    .expect("it is a program")
}

fn rows(n: usize, d: usize) -> Value<f64> {
    let row = |i: usize| (0..d).map(|j| ((i * 7 + j * 13) % 29) as f64 / 4.0).collect::<Vec<_>>();
    Value::new((0..n).map(row).collect::<Vec<_>>()).expect("rows are of one length")
}

const SIZES: [(usize, usize); 3] = [(37, 5), (3, 20), (1, 1)];

#[test]
fn functions_of_matrices_are_called_from_c() {
    SIZES.into_iter().for_each(|(n, k)| agrees(&cost(), "cost", &[rows(n, 3), rows(k, 3)]));
}

#[test]
fn derivatives_are_called_from_c() {
    let grad = cost().grad(1).unwrap();
    SIZES.into_iter().for_each(|(n, k)| agrees(&grad, "cost_grad", &[rows(n, 3), rows(k, 3)]));
}

#[test]
fn functions_are_called_from_c() {
    let softmax = Program::trace(|xs: Arr<F64>| {
        let most = xs.max();
        let terms = xs.map(|x| (x - most).exp());
        let all = terms.sum();
        terms.map(|t| t / all)
    })
    .unwrap();
    let xs = Value::new((0..103).map(|k| (f64::from(k) * 0.37).sin() * 5.0).collect::<Vec<_>>()).unwrap();
    agrees(&softmax, "softmax", core::slice::from_ref(&xs));
    let scans = Program::trace(|xs: Arr<F64>| (xs.scan(0.0, |a, b| a + b), xs.scan(1.0, |a, b| a * b * 0.5))).unwrap();
    agrees(&scans, "scans", core::slice::from_ref(&xs));
    let halving = Program::trace(|x: F64| loop_while(x, |x| x.ge(1.0), |x| x * 0.5)).unwrap();
    agrees(&halving, "halving", &[1000.0.into()]);
    let counted = Program::trace(|n: I64| iota(n).map(|k| k * k).sum()).unwrap();
    agrees(&counted, "counted", &[100_i64.into()]);
}

#[test]
fn all_kinds_of_numbers_are_called_from_c() {
    for (kind, values) in
        [("i32", "[1, -5, 2147483647]"), ("u8", "[1, 255, 7]"), ("i16", "[1, -32768, 9]"), ("u64", "[1, 2, 3]")]
    {
        let text = format!(
            "program (xs: []{kind}) {{
                let ys: []{kind} = map (xs) |x: {kind}| {{
                    let y: {kind} = mul(x, x)
                    let z: {kind} = add(y, x)
                    return z
                }}
                let small: []bool = map (xs) |a: {kind}| {{
                    let b: bool = lt(a, 8{kind})
                    return b
                }}
                return ys, small
            }}"
        );
        let program = Program::parse(&text).unwrap();
        let numbers: Vec<i64> = values.trim_matches(['[', ']']).split(", ").map(|n| n.parse().unwrap()).collect();
        let kind = Prim::named(kind).unwrap();
        let elements = numbers.iter().map(|n| Scalar::constant(Const::wrapped((*n).into(), kind), |x| x));
        let argument = Value::array(&[3], elements.collect()).unwrap();
        agrees(&program, &format!("kinds_{}", kind.name()), &[argument]);
    }
    let singles = Program::parse(
        "program (xs: []f32) {
            let ys: []f32 = map (xs) |x: f32| {
                let y: f32 = exp(x)
                return y
            }
            return ys
        }",
    )
    .unwrap();
    let elements = (0..21).map(|k| Scalar::F32(f64::from(k as f32 * 0.3)));
    agrees(&singles, "singles", &[Value::array(&[21], elements.collect()).unwrap()]);
}

/// What is wrong with arguments is a status, and nothing is written outside of what the caller gives.
#[test]
fn mistakes_are_statuses() {
    let pick = Program::trace(|xs: Arr<F64>, i: I64| xs.index(i) * 2.0).unwrap();
    let xs = Value::new([1.0, 2.0]).unwrap();
    assert_eq!(called(&pick, "pick", &[xs.clone(), 1_i64.into()]), Ok(vec![4.0]));
    assert_eq!(called(&pick, "pick", &[xs.clone(), 2_i64.into()]), Err(3));
    assert_eq!(called(&pick, "pick", &[xs.clone(), (-1_i64).into()]), Err(3));
    let sums = Program::trace(|xs: Arr<F64>, ys: Arr<F64>| xs.map2(ys, |x, y| x + y)).unwrap();
    assert_eq!(called(&sums, "sums", &[xs.clone(), Value::new([1.0; 3]).unwrap()]), Err(3));
    let many = Program::trace(|n: I64| iota(n).map(|k| k.to_f64())).unwrap();
    assert_eq!(called(&many, "many", &[4097_i64.into()]), Err(2));
}

/// Sizes that are none are what is wrong, too.
#[test]
fn negative_sizes_are_wrong() {
    let folder = folder("negative");
    let sums = Program::trace_named(&["xs"], |xs: Arr<F64>| xs.map(|x| x * 2.0).sum()).unwrap();
    let c = sums.to_c("sums").unwrap();
    fs::write(folder.join("sums.c"), c.source).unwrap();
    fs::write(folder.join("sums.h"), c.header).unwrap();
    let caller = "#include \"sums.h\"\n#include <stddef.h>\nint main(void) { double x = 1, r; int64_t bytes = 0; \
        return sums(&x, -1, &r, NULL, &bytes) == CATADIFF_WRONG ? 0 : 1; }\n";
    fs::write(folder.join("caller.c"), caller).unwrap();
    let mut command = Command::new(compilers()[0]);
    let made = command.args(["-O1", "-o", "run", "caller.c", "sums.c"]).current_dir(&folder).status().unwrap();
    assert!(made.success());
    assert_eq!(Command::new(folder.join("run")).status().unwrap().code(), Some(0));
}

#[test]
fn names_that_c_has_not_are_refused() {
    for name in ["", "2d", "a-b", "int", "run", "any", "W", "load_f64", "addi_w", "int64_t", "prix_fixé"] {
        let error = cost().to_c(name).unwrap_err();
        assert!(matches!(error, Error::Argument { .. }), "{name}: {error}");
    }
    let (xs, k) = (Value::new([1.0, 2.0, 4.0]).unwrap(), Value::from(1_i64));
    // Names of what functions of the file have for themselves are free.
    let plain = Program::trace_named(&["at", "k"], |xs: Arr<F64>, k: I64| xs.map(|x| x * xs.index(k)).sum()).unwrap();
    assert!(plain.to_c("first").unwrap().header.contains("int first(const double *at, int64_t at_size0, int64_t k, "));
    agrees(&plain, "first", &[xs.clone(), k.clone()]);
    for names in
        [["in", "v1"], ["n", "v2"], ["sizes0", "bytes"], ["constant0", "context"], ["result", "arg0"], ["b0", "n0"]]
    {
        let own = Program::trace_named(&names, |xs: Arr<F64>, k: I64| xs.map(|x| x * xs.index(k)).sum()).unwrap();
        agrees(&own, "own", &[xs.clone(), k.clone()]);
    }
    let odd = Program::trace_named(&["int", "W"], |x: F64, y: F64| x + y).unwrap();
    let c = odd.to_c("odd").unwrap();
    assert!(c.header.contains("int odd(double arg0, double arg1, double *result, "), "{}", c.header);
}

/// Numbers of all three precisions as bits and back, among doubles and by themselves.
#[test]
fn bits_are_those_of_the_kind() {
    for (kind, bits) in [("f64", "u64"), ("f32", "u32"), ("f16", "u16")] {
        for also in ["", "let d: []f64 = map (xs) |w: KIND| {\n let v: f64 = f64(w)\n return v\n }"] {
            let results = if also.is_empty() || kind == "f64" { "ns, ys" } else { "ns, ys, d" };
            let text = format!(
                "program (xs: []KIND) {{
                    let ns: []BITS = map (xs) |x: KIND| {{
                        let n: BITS = bits_of_KIND(x)
                        return n
                    }}
                    let ys: []KIND = map (ns) |m: BITS| {{
                        let y: KIND = KIND_of_bits(m)
                        return y
                    }}
                    {}
                    return {results}
                }}",
                if kind == "f64" { "" } else { also }
            );
            let program = Program::parse(&text.replace("KIND", kind).replace("BITS", bits)).unwrap();
            let numbers =
                [0.0, -0.0, 1.0, -1.5, 65504.0, 6.103515625e-05, 5.960464477539063e-08, -0.0999755859375, 1024.0];
            let kind = Prim::named(kind).unwrap();
            let elements = numbers.iter().map(|x| Scalar::constant(Const::rounded(*x, kind), |x| x));
            let argument = Value::array(&[numbers.len()], elements.collect()).unwrap();
            agrees(&program, &format!("bits_{}_{}", kind.name(), results.len()), &[argument]);
        }
    }
}
