//! The code of a task.
#[path = "../tests/inputs/mod.rs"]
mod inputs;
fn main() -> catadiff::Result<()> {
    let a: Vec<String> = std::env::args().collect();
    let name = &inputs::inputs(&a[1])[a[3].parse::<usize>().unwrap()];
    let input = inputs::data(&format!("{}/{name}.json.gz", a[1]));
    let f = catadiff_gradbench::function(&a[1], &a[2]).unwrap();
    let t = (f.task)(&input)?;
    println!("{}", t.program);
    println!("{}", t.program.compile()?.explain());
    Ok(())
}
