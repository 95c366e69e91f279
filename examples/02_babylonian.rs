//! The Babylonian square root of the Julia lecture: differentiate an algorithm, not a formula, and plot the result.
//!
//! `babysqrt` is a loop that has never heard of derivatives. Run on dual numbers it yields one all the same, and
//! the derivative converges with the value. The plot (value, analytic derivative, derivative by dual numbers) is the
//! lecture's; it goes to `out/babylonian.svg`, or to the path given as argument.

use std::error::Error;
use std::path::PathBuf;

use catadiff::prelude::*;
use plotters::prelude::{
    BLACK, BLUE, ChartBuilder, Color, DashedLineSeries, GREEN, IntoDrawingArea, LineSeries, PathElement, RED,
    SVGBackend, WHITE,
};

/// Heron's iteration for the square root, `steps` times from `(1 + x)/2`.
fn babysqrt<R: Real>(x: R, steps: usize) -> R {
    let mut t = (x + 1.0) / 2.0;
    for _ in 0..steps {
        t = (t + x / t) / 2.0;
    }
    t
}

/// The derivative, by running the loop on dual numbers.
fn forward(x: f64) -> f64 {
    diff(|x| babysqrt(x, 10), x).expect("a finite point")
}

/// The derivative as a formula, of the value that the loop finds.
fn analytic(x: f64) -> f64 {
    1.0 / (2.0 * babysqrt(x, 10))
}

fn main() -> Result<(), Box<dyn Error>> {
    // The figures of the lecture.
    println!("forward_diff(babysqrt, 2) = {}", forward(2.0));
    println!("1 / (2 babysqrt(2))       = {}", analytic(2.0));
    assert_eq!(forward(2.0), 0.353_553_390_593_273_73);
    assert_eq!(analytic(2.0), 0.353_553_390_593_273_8);

    // Value and derivative converge together, and each step doubles the digits of both.
    println!("\nsteps  error of the value  error of the derivative");
    for steps in 0..6 {
        let (value, slope) = value_and_diff(|x| babysqrt(x, steps), 2.0)?;
        let errors = [value / 2.0_f64.sqrt() - 1.0, slope * 2.0 * 2.0_f64.sqrt() - 1.0];
        println!("{steps:5}  {:18.1e}  {:23.1e}", errors[0], errors[1]);
        assert!(steps < 5 || errors.iter().all(|error| error.abs() < 1e-14));
    }

    // The same function in reverse mode, and twice differentiated.
    let reverse = grad(|x| babysqrt(x[0], 10), &[2.0])?[0];
    let second = diff(|x| diff(|y| babysqrt(y, 10), x).expect("a finite point"), 2.0)?;
    println!("\nin reverse mode {reverse}, and the second derivative {second}");
    assert!((reverse - forward(2.0)).abs() < 1e-16 && (second + 0.25 / 2.0_f64.sqrt() / 2.0).abs() < 1e-15);

    let to: PathBuf = std::env::args_os().nth(1).map_or_else(|| "out/babylonian.svg".into(), PathBuf::from);
    if let Some(folder) = to.parent() {
        std::fs::create_dir_all(folder)?;
    }
    plot(&to)?;
    println!("plotted to {}", to.display());

    let worst = grid(0.1).map(|x| (forward(x) - 0.5 / x.sqrt()).abs()).fold(0.0, f64::max);
    println!("largest difference to 1/(2√x) on [0.1, 2]: {worst:.1e}");
    assert!(worst < 1e-14);
    Ok(())
}

/// The points `from`, `from + 0.01`, … up to 2.
fn grid(from: f64) -> impl Iterator<Item = f64> {
    (0..).map(move |k| from + 0.01 * f64::from(k)).take_while(|x| *x < 2.005)
}

fn plot(to: &PathBuf) -> Result<(), Box<dyn Error>> {
    let area = SVGBackend::new(to, (720, 480)).into_drawing_area();
    area.fill(&WHITE)?;
    let mut chart = ChartBuilder::on(&area)
        .margin(16)
        .x_label_area_size(32)
        .y_label_area_size(40)
        .build_cartesian_2d(0.0..2.0, 0.0..1.6)?;
    chart.configure_mesh().x_desc("x").light_line_style(WHITE).draw()?;

    let along = |f: fn(f64) -> f64, from| grid(from).map(move |x| (x, f(x))).collect::<Vec<_>>();
    let value: fn(f64) -> f64 = |x| babysqrt(x, 10);
    chart
        .draw_series(LineSeries::new(along(value, 0.0), BLUE.stroke_width(3)))?
        .label("f(x) = babysqrt(x)")
        .legend(|(x, y)| PathElement::new([(x, y), (x + 24, y)], BLUE.stroke_width(3)));
    chart
        .draw_series(LineSeries::new(along(analytic, 0.1), GREEN.stroke_width(5)))?
        .label("f′ = 1/(2 babysqrt(x))")
        .legend(|(x, y)| PathElement::new([(x, y), (x + 24, y)], GREEN.stroke_width(5)));
    chart
        .draw_series(DashedLineSeries::new(along(forward, 0.1), 9, 9, RED.stroke_width(2)))?
        .label("f′ by dual numbers")
        .legend(|(x, y)| PathElement::new([(x, y), (x + 24, y)], RED.stroke_width(2)));
    chart.configure_series_labels().background_style(WHITE).border_style(BLACK).draw()?;
    area.present()?;
    Ok(())
}
