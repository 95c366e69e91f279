//! Pictures of plans: kernels and what they move, by formulas and by numbers; they need no device to be seen.

use catadiff::array::Program;
use catadiff::array::trace::{Arr, F64, I64, loop_for};
use catadiff::execute::gpu::{picture, plan};
use catadiff::interpret::Value;
use catadiff::{Elementary, Error, Result};
use catadiff_laws::{ArrayProgram, Verdict, drawings, for_all};

/// The lines of each box, outer boxes before those inside of them.
fn boxes(program: &Program, arguments: Option<&[Value<f64>]>) -> Result<Vec<String>> {
    let drawing = picture(program, arguments)?.expect("a GPU can run it");
    drawings::markup(&drawing.to_svg()).unwrap();
    let lines =
        |lines: &[catadiff::draw::Line]| lines.iter().map(|line| line.text.as_str()).collect::<Vec<_>>().join("; ");
    Ok(drawing.boxes.iter().map(|shape| lines(&shape.lines)).collect())
}

fn has(boxes: &[String], parts: &[&str]) {
    assert!(boxes.iter().any(|text| parts.iter().all(|part| text.contains(part))), "{parts:?} in {boxes:#?}");
}

fn k_means() -> Result<Program> {
    Program::trace_named(&["points", "centres"], |points: Arr<Arr<F64>>, centres: Arr<Arr<F64>>| {
        points.map(|p| centres.map(|c| (p - c).map(|d| d * d).sum()).min()).sum()
    })
}

#[test]
fn the_gradient_of_k_means_names_its_kernels_and_its_arrays() -> Result<()> {
    let gradient = k_means()?.grad("centres")?;
    let shown = boxes(&gradient, None)?;
    has(&shown, &["points; b0: [v0][v1]f64"]);
    has(&shown, &["centres; b1: [v3][v4]f64"]);
    has(&shown, &["return b2: [v3][v4]f64"]);
    for k in 0..plan(&gradient).unwrap().matches("kernel ").count() {
        has(&shown, &[&format!("kernel {k}; ")]);
    }
    has(&shown, &["lanes < v0", "reads b0: 8·v0·v1 bytes", "reads b1: 8·v3·v4 bytes", "writes b2: 8·v3·v4 bytes"]);
    // With sizes, numbers; and only what is run.
    let arguments = [Value::reals(&[100, 2], vec![0.5; 200])?, Value::reals(&[3, 2], vec![0.25; 6])?];
    let shown = boxes(&gradient, Some(&arguments))?;
    has(&shown, &["lanes < 100", "reads b0: 1600 bytes", "reads b1: 48 bytes"]);
    has(&shown, &["return b2: [3][2]f64", "bytes in all"]);
    assert!(!shown.iter().any(|text| text.starts_with("if ") || text.contains("·v")), "{shown:#?}");
    Ok(())
}

#[test]
fn loops_and_branches_are_boxes_around_their_kernels() -> Result<()> {
    let steps = Program::trace_named(&["x", "n"], |x: Arr<F64>, n: I64| {
        loop_for(n, x, |_, x: Arr<F64>| x.map(|y| y - x.sum().sin()))
    })?;
    let drawing = picture(&steps, None)?.expect("a GPU can run it");
    let shown = boxes(&steps, None)?;
    let of = |part: &str| {
        shown.iter().position(|text| text.starts_with(part)).unwrap_or_else(|| panic!("{part} in {shown:#?}"))
    };
    let inside = |mut shape: usize| {
        let mut around = Vec::new();
        while let Some(outer) = drawing.boxes[shape].inside {
            around.push(outer);
            shape = outer;
        }
        around
    };
    let (head, change) = (of("for "), of("exchange "));
    assert!(inside(change).contains(&head), "{shown:#?}");
    // In each iteration an array of the same size.
    has(&shown, &["writes b2: 8·v0 bytes"]);
    Ok(())
}

#[test]
fn arguments_of_other_types_are_refused() -> Result<()> {
    assert!(matches!(picture(&k_means()?, Some(&[])), Err(Error::Length { .. })));
    Ok(())
}

#[test]
fn random_programs_and_their_derivatives_are_drawn() -> Verdict {
    for_all(|random: ArrayProgram| {
        let program = random.program();
        for program in [program.vjp().expect("random programs have derivatives"), program] {
            if let Ok(Ok(drawing)) = picture(&program, None) {
                drawings::of_drawing(&drawing)?;
            }
        }
        Ok(())
    })
}
