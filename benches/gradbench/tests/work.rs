//! The cheap gradient principle: a reverse derivative performs at most four times the operations of its program.

mod inputs;

use catadiff::array::Program;
use catadiff_gradbench::{FUNCTIONS, Work, function};
use inputs::{data, inputs};

/// The work of a function's program, and of its derivative by all inputs, which is one `vjp`.
fn works(module: &str, name: &str, input: &str) -> [Work; 2] {
    let input = data(&format!("{module}/{input}.json.gz"));
    let task = (function(module, name).expect("a function of the benchmark").task)(&input).expect("a task");
    let (reverse, seeded) = task.reverse().expect("a derivative");
    [(&task.program, &task.inputs), (&reverse, &seeded)]
        .map(|(program, inputs)| Work::of(program, inputs).expect("results").0)
}

/// These are descents, whose steps have derivatives in them already: loops in loops, executed again at every level.
const DESCENTS: [&str; 2] = ["particle", "saddle"];

#[test]
fn gradients_are_cheap() {
    let mut modules: Vec<&str> = FUNCTIONS.iter().map(|f| f.module).filter(|m| !DESCENTS.contains(m)).collect();
    modules.dedup();
    for module in modules {
        let objective = FUNCTIONS.iter().find(|f| f.module == module).expect("a function of the module");
        let input = &inputs(module)[0];
        let [primal, reverse] = works(module, objective.name, input);
        let ratio = reverse.total() as f64 / primal.total() as f64;
        println!("{module} {input}: {} operations, its vjp {ratio:.2} times as many", primal.total());
        assert!(ratio <= 4.0, "{module} {input}: {ratio} times the work");
    }
}

#[test]
fn operations_are_counted_where_they_are_performed() {
    let program = Program::parse(
        "program (xs: []f64, n: i64) {
           let y = mul(2.0f64, 3.0f64)
           let m = mul(n, n)
           let zs = map (xs) |x: f64| { let c = lt(x, y) let e = exp(x) let z = sub(e, y) return z }
           let s = reduce (zs) from (0.0f64) |a: f64, b: f64| { let c = add(a, b) return c }
           return s, m
         }",
    )
    .expect("a program");
    let xs = catadiff::interpret::Value::new([1.0, 2.0, 3.0]).expect("an array");
    let inputs = [xs, 3_i64.into()];
    let (work, results) = Work::of(&program, &inputs).expect("results");
    assert_eq!(work, Work { additions: 3, multiplications: 1, rows: 6, comparisons: 3 });
    assert_eq!(results, program.run(&inputs).expect("results"), "counting changes no value");
}

/// Every ordered choice of columns is made, once: `D(k) = k (D(k − 1) + 3)` products and sums, and none shared.
#[test]
fn the_determinant_costs_what_the_recursion_does() {
    let [five, seven] = ["l5", "l7"].map(|input| works("det", "primal", input)[0].total());
    let expected = |ell: u64| (2..=ell).fold(0, |minors, k| k * (minors + 3));
    assert_eq!([five, seven], [expected(5), expected(7)]);
}
