//! The talk's table of complexities, measured: what each step of "Forwards and in reverse" costs as programs grow.
//!
//! A program of `n` operations on `v` variables is differentiated at every step of the talk. Operations are counted,
//! not estimated: additions and multiplications by the carrier `Counted`, comparisons of keys by keys that count, and
//! slots of arrays where they are made. The exponents of growth are fitted to the counts, printed beside the talk's,
//! and asserted; times are printed only. The curves go to `out/complexity.svg`, or to the path given as argument.

use std::cell::Cell;
use std::cmp::Ordering;
use std::error::Error;
use std::path::PathBuf;
use std::time::Instant;

use catadiff::carriers::{Accumulate, Cayley, Counted, Counter, Dense, Dual, Hom, Sparse, Tape};
use catadiff::prelude::*;
use catadiff::term::Arena;
use catadiff::typenum::{U4, U16, U64, U256};
use catadiff::{Kronecker, Semiring};
use generic_array::ArrayLength;
use plotters::prelude::{
    BLACK, ChartBuilder, Circle, Color, IntoDrawingArea, IntoLogRange, LineSeries, Palette, Palette99, PathElement,
    SVGBackend, SeriesLabelPosition, WHITE,
};

type Number<'c> = Counted<'c, f64>;

/// The program: Horner's scheme with the variables for coefficients, `n` operations in all, half of them `×`.
fn program<S: Semiring>(n: usize, x: &[S]) -> S {
    let variable = |k: usize| x[k % x.len()].clone();
    (0..n).fold(variable(0), |y, k| if k % 2 == 0 { y * variable(k / 2 + 1) } else { y + variable(k / 2 + 2) })
}

/// Where everything is counted that is done.
#[derive(Default)]
struct Meter {
    scalars: Counter,
    comparisons: Cell<u64>,
    slots: Cell<u64>,
}

impl Meter {
    /// The point, close to 1 so that products of many neither vanish nor overflow.
    fn point(&self, v: usize) -> Vec<Number<'_>> {
        (0..v).map(|k| self.scalars.number(1.0 - 1.0 / (k + 2) as f64 / 1024.0)).collect()
    }

    fn key(&self, index: usize) -> Key<'_> {
        Key { index, comparisons: &self.comparisons }
    }

    fn total(&self) -> u64 {
        self.scalars.total() + self.comparisons.get() + self.slots.get()
    }
}

/// A variable that counts how often it is compared.
#[derive(Clone)]
struct Key<'c> {
    index: usize,
    comparisons: &'c Cell<u64>,
}

impl Ord for Key<'_> {
    fn cmp(&self, other: &Self) -> Ordering {
        self.comparisons.set(self.comparisons.get() + 1);
        self.index.cmp(&other.index)
    }
}

impl PartialOrd for Key<'_> {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl PartialEq for Key<'_> {
    fn eq(&self, other: &Self) -> bool {
        self.cmp(other) == Ordering::Equal
    }
}

impl Eq for Key<'_> {}

/// The talk's `Expr`: a tree.
#[derive(Clone)]
enum Expr {
    Var(usize),
    One,
    Zero,
    Plus(Box<Expr>, Box<Expr>),
    Times(Box<Expr>, Box<Expr>),
}

impl std::ops::Add for Expr {
    type Output = Expr;
    fn add(self, other: Expr) -> Expr {
        Expr::Plus(self.into(), other.into())
    }
}

impl std::ops::Mul for Expr {
    type Output = Expr;
    fn mul(self, other: Expr) -> Expr {
        Expr::Times(self.into(), other.into())
    }
}

impl Zero for Expr {
    fn zero() -> Expr {
        Expr::Zero
    }
    fn is_zero(&self) -> bool {
        matches!(self, Expr::Zero)
    }
}

impl One for Expr {
    fn one() -> Expr {
        Expr::One
    }
}

impl Expr {
    fn eval<S: Semiring>(&self, x: &[S]) -> S {
        match self {
            Expr::Var(v) => x[*v].clone(),
            Expr::Zero => S::zero(),
            Expr::One => S::one(),
            Expr::Plus(a, b) => a.eval(x) + b.eval(x),
            Expr::Times(a, b) => a.eval(x) * b.eval(x),
        }
    }

    fn derive(&self, x: usize) -> Expr {
        match self {
            Expr::Var(y) if *y == x => Expr::One,
            Expr::Var(_) | Expr::Zero | Expr::One => Expr::Zero,
            Expr::Plus(a, b) => a.derive(x) + b.derive(x),
            Expr::Times(a, b) => a.derive(x) * (**b).clone() + (**a).clone() * b.derive(x),
        }
    }
}

/// The program on duals whose tangents are `M`: from the forward modes to mutation, this is the only difference.
fn tangent<'c, M: Kronecker<V, Number<'c>>, V>(meter: &'c Meter, n: usize, v: usize, key: impl Fn(usize) -> V) -> M {
    let point = meter.point(v);
    let variables: Vec<_> = point.iter().enumerate().map(|(k, x)| Dual::<_, M>::variable(*x, key(k))).collect();
    program(n, &variables).tangent
}

fn partial(meter: &Meter, n: usize, v: usize, variable: usize) -> f64 {
    let dual = |(k, value)| Dual { value, tangent: if k == variable { One::one() } else { Zero::zero() } };
    let variables: Vec<Dual<Number<'_>>> = meter.point(v).into_iter().enumerate().map(dual).collect();
    program(n, &variables).tangent.value
}

fn dense<N: ArrayLength>(meter: &Meter, n: usize) -> Vec<f64> {
    tangent::<Dense<Number<'_>, N>, _>(meter, n, N::USIZE, |k| k).0.iter().map(|d| d.value).collect()
}

fn listed(map: &Sparse<Key<'_>, Number<'_>>) -> Vec<f64> {
    map.iter().map(|(_, derivative)| derivative.value).collect()
}

const ONE_BY_TREES: &str = "symbolic, on trees";
const ONE_BY_TERMS: &str = "symbolic, on our terms";
const ONE_FORWARD: &str = "forward";
const POINTWISE: &str = "v → Dual d";
const SHARED: &str = "(d, v → d)";
const UPSERTS: &str = "d → Map v d → Map v d";
const MUTATION: &str = "d → IO ()";
const TAPE: &str = "our tape";

/// A step: its name, its complexity as the talk has it, and a run for all partial derivatives or only the first.
struct Step {
    name: &'static str,
    talk: &'static str,
    run: fn(&Meter, usize, usize) -> Vec<f64>,
}

fn steps() -> Vec<Step> {
    type Map<'c> = Sparse<Key<'c>, Number<'c>>;
    let step = |name, talk, run| Step { name, talk, run };
    vec![
        step(ONE_BY_TREES, "n²", |meter, n, v| {
            let variables: Vec<Expr> = (0..v).map(Expr::Var).collect();
            vec![program(n, &variables).derive(0).eval(&meter.point(v)).value]
        }),
        step(ONE_FORWARD, "n", |meter, n, v| vec![partial(meter, n, v, 0)]),
        step(POINTWISE, "n·v", |meter, n, v| (0..v).map(|k| partial(meter, n, v, k)).collect()),
        step(SHARED, "n·v", |meter, n, v| match v {
            4 => dense::<U4>(meter, n),
            16 => dense::<U16>(meter, n),
            64 => dense::<U64>(meter, n),
            _ => dense::<U256>(meter, n),
        }),
        step("(d, Map v d)", "", |meter, n, v| listed(&tangent::<Map<'_>, _>(meter, n, v, |k| meter.key(k)))),
        step("d → Map v d", "", |meter, n, v| {
            listed(&tangent::<Hom<'_, Number<'_>, Map<'_>>, _>(meter, n, v, |k| meter.key(k)).abs())
        }),
        step(UPSERTS, "n·log v", |meter, n, v| {
            listed(&tangent::<Cayley<'_, Number<'_>, Map<'_>>, _>(meter, n, v, |k| meter.key(k)).abs())
        }),
        step(MUTATION, "n + v", |meter, n, v| {
            meter.slots.set(v as u64);
            tangent::<Accumulate<'_, Number<'_>>, _>(meter, n, v, |k| k).abs(v).iter().map(|d| d.value).collect()
        }),
        step(TAPE, "", |meter, n, v| {
            let (mut tape, mut gradient) = (Tape::new(), meter.point(v));
            tape.value_and_grad(|x| program(n, x), &meter.point(v), &mut gradient).expect("a finite point");
            meter.slots.set((v + tape.len()) as u64);
            gradient.iter().map(|d| d.value).collect()
        }),
        step(ONE_BY_TERMS, "", |meter, n, v| {
            let arena = Arena::<usize>::new();
            let variables: Vec<_> = (0..v).map(|k| arena.variable(k)).collect();
            let point = meter.point(v);
            vec![program(n, &variables).derivative(&0).eval(|k| point[*k]).value]
        }),
    ]
}

/// One measurement.
struct Sample {
    size: usize,
    count: u64,
    comparisons: u64,
    seconds: f64,
}

fn measure(step: &Step, sizes: &[usize], n_and_v: impl Fn(usize) -> (usize, usize)) -> Vec<Sample> {
    let one = |size: usize| {
        let ((n, v), meter) = (n_and_v(size), Meter::default());
        let gradient = (step.run)(&meter, n, v);
        let expected = (0..gradient.len()).map(|k| partial(&Meter::default(), n, v, k));
        assert!(gradient.iter().zip(expected).all(|(a, b)| (a - b).abs() < 1e-9 * b.abs()), "{}", step.name);
        let timed = || {
            let start = Instant::now();
            (step.run)(&Meter::default(), n, v);
            start.elapsed().as_secs_f64()
        };
        let seconds = (0..5).map(|_| timed()).fold(f64::INFINITY, f64::min);
        Sample { size, count: meter.total(), comparisons: meter.comparisons.get(), seconds }
    };
    sizes.iter().map(|size| one(*size)).collect()
}

/// The exponent `p` of the best fit of `c·sizeᵖ`.
fn exponent(samples: &[Sample], of: impl Fn(&Sample) -> f64) -> f64 {
    let points: Vec<_> = samples.iter().map(|s| ((s.size as f64).ln(), of(s).ln())).collect();
    let mean = |f: &dyn Fn(&(f64, f64)) -> f64| points.iter().map(f).sum::<f64>() / points.len() as f64;
    let (x, y) = (mean(&|p| p.0), mean(&|p| p.1));
    mean(&|p| (p.0 - x) * (p.1 - y)) / mean(&|p| (p.0 - x).powi(2))
}

/// The program sizes at 16 variables, and the numbers of variables at 4096 operations.
const OPERATIONS: [usize; 4] = [128, 256, 512, 1024];
const VARIABLES: [usize; 4] = [4, 16, 64, 256];

/// What was measured of a step: as programs grow, and as variables do unless there is only one partial derivative.
struct Curves {
    step: Step,
    by_n: Vec<Sample>,
    by_v: Vec<Sample>,
}

fn main() -> Result<(), Box<dyn Error>> {
    println!("                                    growth with n       growth with v");
    println!("tangent                  talk       counted   timed     counted   timed");
    let mut curves = Vec::new();
    for step in steps() {
        let by_n = measure(&step, &OPERATIONS, |n| (n, 16));
        let one = [ONE_BY_TREES, ONE_BY_TERMS, ONE_FORWARD].contains(&step.name);
        let by_v = if one { Vec::new() } else { measure(&step, &VARIABLES, |v| (4096, v)) };
        let fit = |samples: &[Sample], base: char| match samples {
            [] => "one partial only   ".to_owned(),
            _ => {
                format!("{base}^{:4.2}    {base}^{:4.2}", exponent(samples, counted), exponent(samples, |s| s.seconds))
            }
        };
        println!("{:<24} {:<10} {}    {}", step.name, step.talk, fit(&by_n, 'n'), fit(&by_v, 'v'));
        curves.push(Curves { step, by_n, by_v });
    }

    let of = |name: &str| curves.iter().find(|c| c.step.name == name).expect("a step of the table");
    let grows = |samples: &[Sample], expected: f64| (exponent(samples, counted) - expected).abs() < 0.08;
    assert!(grows(&of(ONE_BY_TREES).by_n, 2.0), "expression swell is quadratic");
    for name in [ONE_FORWARD, ONE_BY_TERMS, POINTWISE, SHARED, UPSERTS, MUTATION, TAPE] {
        assert!(grows(&of(name).by_n, 1.0), "{name} is linear in the operations");
    }
    for name in [POINTWISE, SHARED] {
        assert!(grows(&of(name).by_v, 1.0), "{name} is linear in the variables");
    }
    // n·log v: each use of a variable is an upsert, and four times as many variables cost it a constant more.
    let per_use: Vec<f64> = of(UPSERTS).by_v.iter().map(|s| s.comparisons as f64 / 4097.0).collect();
    println!("\ncomparisons per upsert with {VARIABLES:?} variables: {per_use:.1?}");
    assert!(per_use.windows(2).all(|w| (3.0..6.0).contains(&(w[1] - w[0]))), "upserts are logarithmic");
    // n + v, to the letter: whatever does not depend on n is one slot per variable.
    for name in [MUTATION, TAPE] {
        let rest: Vec<u64> = of(name).by_v.iter().map(|s| s.count - s.size as u64).collect();
        println!("operations and slots beyond one slot per variable, {name}: {rest:?}");
        assert!(rest.iter().all(|count| *count == rest[0]), "{name} is n + v");
    }

    let to: PathBuf = std::env::args_os().nth(1).map_or_else(|| "out/complexity.svg".into(), PathBuf::from);
    if let Some(folder) = to.parent() {
        std::fs::create_dir_all(folder)?;
    }
    plot(&to, &curves)?;
    println!("plotted to {}", to.display());
    Ok(())
}

fn counted(sample: &Sample) -> f64 {
    sample.count as f64
}

/// Four panels: operations and microseconds, by operations and by variables of the program. The first has the names.
fn plot(to: &PathBuf, curves: &[Curves]) -> Result<(), Box<dyn Error>> {
    let area = SVGBackend::new(to, (1200, 960)).into_drawing_area();
    area.fill(&WHITE)?;
    let panels = area.split_evenly((2, 2));
    type Height = fn(&Sample) -> f64;
    type Series = fn(&Curves) -> &[Sample];
    let values: [(&str, Height); 2] = [("operations counted", counted), ("microseconds", |s| s.seconds * 1e6)];
    let sizes: [(&str, Series); 2] = [
        ("operations n of the program, at 16 variables", |c| &c.by_n),
        ("variables v of the program, at 4096 operations", |c| &c.by_v),
    ];
    for ((index, panel), (value, size)) in
        panels.iter().enumerate().zip(values.iter().flat_map(|v| sizes.iter().map(move |s| (v, s))))
    {
        let ((y_name, y), (x_name, samples)) = (value, size);
        let all = || curves.iter().flat_map(samples);
        let headroom = if index == 0 { 30.0 } else { 1.5 };
        let ends = |f: &dyn Fn(&Sample) -> f64, above: f64| {
            let (low, high) = all().map(f).fold((f64::INFINITY, 0.0_f64), |(a, b), v| (a.min(v), b.max(v)));
            (low / 1.5..high * above).log_scale()
        };
        let mut chart = ChartBuilder::on(panel)
            .margin(12)
            .x_label_area_size(36)
            .y_label_area_size(64)
            .build_cartesian_2d(ends(&|s| s.size as f64, 1.5), ends(y, headroom))?;
        chart
            .configure_mesh()
            .x_desc(*x_name)
            .y_desc(*y_name)
            .x_labels(4)
            .x_label_formatter(&|x| format!("{x:.0}"))
            .y_label_formatter(&|y| format!("{y:.0}"))
            .light_line_style(WHITE)
            .draw()?;
        for (k, curve) in curves.iter().enumerate().filter(|(_, c)| !samples(c).is_empty()) {
            let colour = Palette99::pick(k).to_rgba();
            let points = || samples(curve).iter().map(|s| (s.size as f64, y(s)));
            chart
                .draw_series(LineSeries::new(points(), colour.stroke_width(2)))?
                .label(format!("{}   {}", curve.step.name, curve.step.talk))
                .legend(move |(x, y)| PathElement::new([(x, y), (x + 20, y)], colour.stroke_width(2)));
            chart.draw_series(points().map(|point| Circle::new(point, 3, colour.filled())))?;
        }
        if index == 0 {
            let mut names = chart.configure_series_labels();
            names.position(SeriesLabelPosition::UpperLeft).background_style(WHITE).border_style(BLACK).draw()?;
        }
    }
    area.present()?;
    Ok(())
}
