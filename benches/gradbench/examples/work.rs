//! The table of work: what each function of the benchmark performs, and its reverse derivative relative to it.

#[path = "../tests/inputs/mod.rs"]
mod inputs;

use catadiff::Result;
use catadiff_gradbench::{FUNCTIONS, Task, Work};
use inputs::{data, inputs};

fn row(name: &str, work: Work, of: Work) {
    let Work { additions, multiplications, rows, comparisons } = work;
    let (total, ratio) = (work.total(), work.total() as f64 / of.total() as f64);
    println!("{name:34} {additions:>11} {multiplications:>11} {rows:>11} {comparisons:>11} {total:>11} {ratio:>6.2}");
}

fn main() -> Result<()> {
    println!("{:34} {:>11} {:>11} {:>11} {:>11} {:>11} {:>6}", "", "+", "×", "rows", "tests", "all", "ratio");
    for functions in FUNCTIONS.chunk_by(|f, g| f.module == g.module) {
        let module = functions[0].module;
        for name in inputs(module) {
            let input = data(&format!("{module}/{name}.json.gz"));
            let tasks = functions.iter().map(|f| (f.task)(&input)).collect::<Result<Vec<_>>>()?;
            let work = |task: &Task| Ok(Work::of(&task.program, &task.values())?.0);
            let works = tasks.iter().map(work).collect::<Result<Vec<_>>>()?;
            for (f, work) in functions.iter().zip(&works) {
                row(&format!("{module} {} {name}", f.name), *work, works[0]);
            }
            let (reverse, seeded) = tasks[0].reverse()?;
            row(&format!("  vjp of {}, by all inputs", functions[0].name), Work::of(&reverse, &seeded)?.0, works[0]);
        }
    }
    Ok(())
}
