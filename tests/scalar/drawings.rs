//! Pictures of terms and of array programs: the laws of where things are, on random ones, and examples.

use catadiff::Error;
use catadiff::array::{Program, Var};
use catadiff::draw::{MOST_NODES, Role, Tone};
use catadiff::term::Arena;
use catadiff_laws::{ArrayProgram, Formula, Verdict, drawings, for_all};
use num_traits::Zero;

#[test]
fn random_programs_and_their_derivatives_are_drawn() -> Verdict {
    for_all(|p: ArrayProgram| drawings::of_random(&p))
}

#[test]
fn random_formulas_are_drawn() -> Verdict {
    for_all(|f: Formula| {
        let arena = Arena::new();
        let term = f.run(&["x", "y<&\">", "z\u{1}"].map(|name| arena.variable(name)));
        drawings::markup(&term.to_svg().unwrap())
    })
}

#[test]
fn what_is_wrong_is_found() {
    let drawing = Program::parse("program (x: f64) { let y = sin(x) let z = mul(x, y) return z }").unwrap();
    let drawing = drawing.picture().drawing().unwrap();
    assert!(drawings::boxes(&drawing).is_ok() && drawings::edges(&drawing).is_ok());
    let mut moved = drawing.clone();
    moved.boxes[1].top = moved.boxes[0].top;
    moved.boxes[1].left = moved.boxes[0].left;
    assert!(drawings::boxes(&moved).is_err() && drawings::edges(&moved).is_err());
    let mut through = drawing.clone();
    let longest = through.edges.iter_mut().max_by_key(|edge| edge.points.len()).unwrap();
    let over = drawing.boxes[1].left + drawing.boxes[1].width / 2.0;
    longest.points[2..4].iter_mut().for_each(|point| point.0 = over);
    assert!(drawings::edges(&through).is_err());
    for wrong in
        ["<a><b></a></b>", "<a>&x;</a>", "<a x=1/>", "<a>", "<a/>text", "<a y=\"1\"x=\"2\"></a>", "<a>\u{1}</a>"]
    {
        assert!(drawings::markup(wrong).is_err(), "{wrong}");
    }
    assert!(drawings::markup("<a x=\"1\">a &amp; b<c/></a>\n").is_ok());
}

#[test]
fn functions_stand_inside_of_what_they_are_of() {
    let text = "program (xs: []f64, k: f64) {
      let v2: []f64 = map (xs) |x: f64| { let y = mul(x, k) let z = sin(y) return z }
      let v3: f64 = reduce (v2) from (0.0f64) |a: f64, b: f64| { let c = add(a, b) return c }
      return v3
    }";
    let program = Program::parse(text).unwrap();
    let drawing = program.picture().drawing().unwrap();
    let shown: Vec<(Role, Option<usize>, String)> = drawing
        .boxes
        .iter()
        .map(|shape| {
            let lines: Vec<&str> = shape.lines.iter().map(|line| line.text.as_str()).collect();
            (shape.role, shape.inside, lines.join(" | "))
        })
        .collect();
    let expected = [
        (Role::Input, None, "xs: []f64"),
        (Role::Input, None, "k: f64"),
        (Role::Step, None, "v5: []f64 | map (xs)"),
        (Role::Step, None, "v9: f64 | reduce (v5) from (0.0f64) by add"),
        (Role::Output, None, "return v9"),
        (Role::Frame, Some(2), ""),
        (Role::Outside, Some(5), "k"),
        (Role::Input, Some(5), "v2: f64 | each of xs"),
        (Role::Step, Some(5), "v3: f64 | mul(v2, k)"),
        (Role::Step, Some(5), "v4: f64 | sin(v3)"),
        (Role::Output, Some(5), "return v4"),
    ];
    assert_eq!(shown, expected.map(|(role, inside, lines)| (role, inside, lines.to_owned())));
    // What it is computed from stands higher, and a function takes what is around it.
    let edges: Vec<(usize, usize)> = drawing.edges.iter().map(|edge| (edge.from, edge.to)).collect();
    assert_eq!(edges, [(0, 2), (1, 2), (2, 3), (3, 4), (6, 8), (7, 8), (8, 9), (9, 10)]);
}

#[test]
fn large_programs_are_folded_or_refused() {
    // Functions in functions: the deepest are folded, until the rest has room.
    let inner: String = (0..200).map(|n| format!("let s{n} = sin(x) ")).collect();
    let deep = |body: &str| {
        format!("map (rows) |row: []f64| {{ let ys = map (row) |x: f64| {{ {body} return s0 }} return ys }}")
    };
    let text: String = (0..4).map(|n| format!("let r{n} = {} ", deep(&inner))).collect();
    let program = Program::parse(&format!("program (rows: [][]f64) {{ {text} return r0 }}")).unwrap();
    let drawing = program.picture().drawing().unwrap();
    assert!(drawing.boxes.iter().filter(|shape| shape.role != Role::Frame).count() <= MOST_NODES);
    let folded = drawing.boxes.iter().filter(|shape| shape.lines.iter().any(|line| line.text == "… 200 statements"));
    assert_eq!(folded.count(), 4);
    assert!(drawings::boxes(&drawing).is_ok() && drawings::edges(&drawing).is_ok());
    assert!(program.to_dot().matches("sin(").count() == 800);
    // A long straight line is refused.
    let line: String = (0..100_000).map(|n| format!("let s{} = sin(s{n})\n", n + 1)).collect();
    let long = Program::parse(&format!("program (s0: f64) {{ {line} return s100000 }}")).unwrap();
    assert!(matches!(long.to_svg(), Err(Error::TooLarge { limit: MOST_NODES, .. })));
    assert!(long.to_dot().lines().count() > 200_000 && long.to_latex().lines().count() > 100_000);
    // As many as there is room for, each used by all that follow, and many uses of one.
    let sums: String = (0..MOST_NODES - 2).map(|n| format!("let s{} = hypot(s{n}, s0)\n", n + 1)).collect();
    let wide = Program::parse(&format!("program (s0: f64) {{ {sums} return s{} }}", MOST_NODES - 2)).unwrap();
    assert!(drawings::boxes(&wide.picture().drawing().unwrap()).is_ok());
    let many = Program::parse(&format!("program (x: f64) {{ let xs = [{}] return xs }}", vec!["x"; 5000].join(", ")));
    assert!(matches!(many.unwrap().to_svg(), Err(Error::TooLarge { .. })));
}

#[test]
fn notes_stand_in_the_boxes_of_their_variables() {
    let program = Program::parse("program (x: f64) { let y = sin(x) return y }").unwrap();
    let mut picture = program.picture();
    picture.note(Var(0), Tone::Value, "= 0.5");
    picture.note(Var(1), Tone::Adjoint, "adjoint 1");
    let svg = picture.to_svg().unwrap();
    assert!(svg.contains("<text class=\"value\"") && svg.contains(">adjoint 1</text>"), "{svg}");
}

#[test]
fn terms_without_operations_and_empty_programs_are_drawn() -> Verdict {
    let arena = Arena::<&str>::new();
    drawings::markup(&arena.variable("x").to_svg().unwrap())?;
    drawings::markup(&catadiff::term::Term::<&str>::zero().to_svg().unwrap())?;
    for text in
        ["program () { return }", "program (x: f64) { return }", "program () { let n = iota(3i64) return 1i64 }"]
    {
        drawings::of_program(&Program::parse(text).unwrap())?;
    }
    Ok(())
}
