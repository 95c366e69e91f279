//! The table of work: what each function of the benchmark performs, and its reverse derivative relative to it.

#[path = "../tests/inputs/mod.rs"]
mod inputs;

use catadiff::Result;
use catadiff_gradbench::{FUNCTIONS, Function, Work};
use inputs::data;

/// An input for each module, of those in the tests' data.
const INPUTS: &[(&str, &str)] = &[
    ("kmeans", "k10_n1000_d8"),
    ("lse", "n10000"),
    ("llsq", "n1024_m128"),
    ("det", "l5"),
    ("det", "l7"),
    ("ode", "n1000_s100"),
    ("particle", "w0"),
    ("saddle", "s11"),
];

fn row(name: &str, work: Work, of: Work) {
    let Work { additions, multiplications, rows, comparisons } = work;
    let (total, ratio) = (work.total(), work.total() as f64 / of.total() as f64);
    println!("{name:34} {additions:>11} {multiplications:>11} {rows:>11} {comparisons:>11} {total:>11} {ratio:>6.2}");
}

fn main() -> Result<()> {
    println!("{:34} {:>11} {:>11} {:>11} {:>11} {:>11} {:>6}", "", "+", "×", "rows", "tests", "all", "ratio");
    for (module, name) in INPUTS {
        let input = data(&format!("{module}/{name}.json.gz"));
        let functions: Vec<&Function> = FUNCTIONS.iter().filter(|f| f.module == *module).collect();
        let tasks = functions.iter().map(|f| (f.task)(&input)).collect::<Result<Vec<_>>>()?;
        let works =
            tasks.iter().map(|task| Ok(Work::of(&task.program, &task.inputs)?.0)).collect::<Result<Vec<_>>>()?;
        for (f, work) in functions.iter().zip(&works) {
            row(&format!("{module} {} {name}", f.name), *work, works[0]);
        }
        let (reverse, inputs) = tasks[0].reverse()?;
        row(&format!("  vjp of {}, by all inputs", functions[0].name), Work::of(&reverse, &inputs)?.0, works[0]);
    }
    Ok(())
}
