//! Entry points of files: what they import, what they check, and that their derivatives check it too.

use catadiff_build::{Function, Futhark, Module};

use crate::harness::{PLAIN, folder, ran};

const LIBRARY: &str = "def third (xs: []f64) = xs[2]\n";

const TEXT: &str = "\
import \"library\"

type point = {x: f64, y: f64}

entry loss [n] (xs: [n]f64) (weights: [n]f64): f64 =
  let first = third xs
  let picked = map (\\i -> xs[(i * 2) % n] * weights[i]) (iota n)
  in assert (first > 0) (f64.sum (map (\\x -> x * x * x) picked))

entry moved (p: point) (by: f64): point = {x = p.x + by, y = p.y * by}
";

fn opened() -> Futhark {
    let folder = folder("checks_text");
    std::fs::write(folder.join("library.fut"), LIBRARY).unwrap();
    std::fs::write(folder.join("text.fut"), TEXT).unwrap();
    Futhark::open(folder.join("text.fut")).unwrap()
}

#[test]
fn entry_points_and_their_derivatives_check_what_the_text_says() {
    let file = opened();
    assert_eq!(file.entries().collect::<Vec<_>>(), ["loss", "moved"]);
    let loss = file.entry("loss").unwrap();
    assert_eq!(loss.signature(), "(xs: []f64, weights: []f64) -> f64");
    let all: [(&str, Function); 7] = [
        ("loss", loss.clone()),
        ("gradient", loss.grad("xs").unwrap()),
        ("value_and_gradient", loss.value_and_grad("xs").unwrap()),
        ("jvp", loss.jvp_wrt("xs").unwrap()),
        ("vjp", loss.vjp_wrt("xs").unwrap()),
        ("hvp", loss.hvp("xs").unwrap()),
        ("hessian", loss.hessian("xs").unwrap()),
    ];
    let mut module = Module::new("m").function("moved", file.entry("moved").unwrap());
    let mut main = "
fn main() -> Result<(), m::Error> {
    let (xs, ones) = ([1.0, 2.0, 3.0], [1.0, 2.0, 1.0]);
    // 1 + (2·3)³ + 2³, by x0, x1 and x2.
    assert_eq!(m::loss(&xs, &ones)?, 225.0);
    assert_eq!(m::gradient(&xs, &ones)?, [3.0, 12.0, 216.0]);
    assert_eq!(m::value_and_gradient(&xs, &ones)?, (225.0, vec![3.0, 12.0, 216.0]));
    assert_eq!(m::jvp(&xs, &ones, &[1.0, 1.0, 0.0])?, (225.0, 15.0));
    assert_eq!(m::vjp(&xs, &ones, 2.0)?, (225.0, vec![6.0, 24.0, 432.0]));
    assert_eq!(m::hvp(&xs, &ones, &[0.0, 1.0, 0.0])?, [0.0, 12.0, 0.0]);
    assert_eq!(m::hessian(&xs, &ones)?.elements(), [6.0, 0.0, 0.0, 0.0, 12.0, 0.0, 0.0, 0.0, 144.0]);
    assert_eq!(m::moved(1.0, 2.0, 3.0)?, (4.0, 6.0));
"
    .to_owned();
    let tangents = |name: &str| match name {
        "jvp" | "hvp" => ", &[1.0, 1.0, 1.0][..xs.len()]",
        "vjp" => ", 1.0",
        _ => "",
    };
    for (name, function) in &all {
        module = module.function(*name, function);
        main.push_str(&format!(
            "    for (xs, weights) in [(&[1.0, 2.0][..], &[1.0, 1.0][..]), (&[1.0, 2.0, -3.0], &[1.0; 3]), (&[1.0, 2.0, 3.0], &[1.0; 2])] {{\n        \
            println!(\"{{}}\", m::{name}(xs, weights{}).map(|_| ()).unwrap_err());\n    }}\n",
            tangents(name)
        ));
    }
    main.push_str("    Ok(())\n}\n");
    let printed = ran("checks", &module, &main, PLAIN).unwrap();
    let lines: Vec<&str> = printed.lines().collect();
    assert_eq!(lines.len(), 3 * all.len(), "{printed}");
    for ((name, _), said) in all.iter().zip(lines.chunks(3)) {
        assert!(said.iter().all(|line| line.starts_with(&format!("`{name}`"))), "{said:?}");
        // What is always done is an error of the program itself.
        assert!(said[0].contains("an index is in no array"), "{said:?}");
        assert!(said[1].ends_with("text.fut:8:13"), "{said:?}");
        assert!(said[2].contains("weights"), "{said:?}");
    }
}
