//! Sparse derivatives: their patterns are exact, their colours few, and they are the dense ones entry by entry.

use catadiff::derivative::{Colouring, Compression, Order, Pattern, SparseHessian, SparseJacobian};
use catadiff::prelude::*;
use catadiff::{Error, Recording, SparseMatrix};
use quickcheck::{Gen, QuickCheck};

/// The residual of −Δu + u² = 1 on a square grid with `side` points to a side.
fn laplace<R: Real>(side: usize, u: &[R]) -> Vec<R> {
    let at = |row: usize, column: usize| {
        if row < side && column < side { u[row * side + column] } else { R::zero() }
    };
    let residual = |k: usize| {
        let (r, c) = (k / side, k % side);
        let around = at(r.wrapping_sub(1), c) + at(r + 1, c) + at(r, c.wrapping_sub(1)) + at(r, c + 1);
        u[k] * 4.0 - around + u[k] * u[k] - 1.0
    };
    (0..side * side).map(residual).collect()
}

fn laplace_pattern(side: usize) -> Pattern {
    let near = |k: usize| {
        let (r, c) = ((k / side) as isize, (k % side) as isize);
        let inside = move |(r, c): &(isize, isize)| {
            let range = 0..side as isize;
            range.contains(r) && range.contains(c)
        };
        [(r, c), (r - 1, c), (r + 1, c), (r, c - 1), (r, c + 1)]
            .into_iter()
            .filter(inside)
            .map(move |(r, c)| r as usize * side + c as usize)
    };
    Pattern::new(side * side, (0..side * side).map(near)).unwrap()
}

/// Row `i` is Σ xᵢ·xⱼ over `|i − j| ≤ reach`.
fn band<R: Real>(reach: usize, x: &[R]) -> Vec<R> {
    let row = |i: usize| x[i.saturating_sub(reach)..(i + reach + 1).min(x.len())].iter().map(|y| *y * x[i]).sum();
    (0..x.len()).map(row).collect()
}

fn band_pattern(reach: usize, size: usize) -> Pattern {
    Pattern::new(size, (0..size).map(|i| i.saturating_sub(reach)..(i + reach + 1).min(size))).unwrap()
}

fn arrow_pattern(size: usize) -> Pattern {
    Pattern::new(size, (0..size).map(|i| if i == 0 { (0..size).collect() } else { vec![0, i] })).unwrap()
}

fn numbers(count: usize) -> Vec<f64> {
    (0..count).map(|i| (i * i % 7) as f64 - 3.0).collect()
}

#[test]
fn classical_jacobians() {
    for size in [1, 2, 3, 5, 40] {
        for reach in [0, 1, 2, 3] {
            let prepared = SparseJacobian::prepare(|x| band(reach, x), &vec![0.0; size]).unwrap();
            assert_eq!(*prepared.pattern(), band_pattern(reach, size));
            assert_eq!(prepared.colouring().count(), size.min(2 * reach + 1));
            let x = numbers(size);
            assert_eq!(prepared.at(&x).unwrap().to_dense(), jacrev(|x| band(reach, x), &x).unwrap());
        }
    }
    for side in [1, 2, 3, 6] {
        let x = numbers(side * side);
        let prepared = SparseJacobian::prepare(|x| laplace(side, x), &x).unwrap();
        assert_eq!(*prepared.pattern(), laplace_pattern(side));
        assert_eq!(prepared.at(&x).unwrap().to_dense(), jacrev(|x| laplace(side, x), &x).unwrap());
    }
}

#[test]
fn the_grid_needs_as_many_colours_at_every_size() {
    for side in [8, 20, 100] {
        let x = vec![1.0; side * side];
        let by = |mode| SparseJacobian::prepare_by(mode, |x| laplace(side, x), &x).unwrap();
        // The cross of five points needs five, and all others can be distinguished with them.
        for mode in [Compression::Columns, Compression::Rows] {
            assert_eq!(by(mode).colouring().count(), 5, "{mode:?} at side {side}");
        }
        let star = Colouring::star(&laplace_pattern(side)).unwrap();
        assert!(star.count() <= 5, "{} star colours at side {side}", star.count());
        assert!(star.is_star(&laplace_pattern(side)));
    }
    // At 10⁴ variables there are too many entries for a dense matrix, but each is known.
    let (side, x) = (100, numbers(10_000));
    let jacobian = sparse_jacobian(|x| laplace(side, x), &x).unwrap();
    assert_eq!(*jacobian.pattern, laplace_pattern(side));
    assert!(jacobian.iter().all(|(row, column, d)| d == if row == column { 4.0 + 2.0 * x[row] } else { -1.0 }));
}

#[test]
fn arrows_are_cheap_by_symmetry() {
    // Σ x₀·xᵢ² + x₀³: the Hessian is an arrow.
    fn f<R: Real>(x: &[R]) -> R {
        x[1..].iter().map(|y| x[0] * *y * *y).sum::<R>() + x[0].powi(3)
    }
    for size in [2, 3, 10, 60] {
        let x = numbers(size);
        let prepared = SparseHessian::prepare(|x| f(x), &x).unwrap();
        assert_eq!(*prepared.pattern(), arrow_pattern(size));
        assert_eq!(prepared.colouring().count(), 2);
        let (value, gradient, found) = prepared.values_at(&x).unwrap();
        assert_eq!(found.to_dense(), hessian(|x| f(x), &x).unwrap());
        assert_eq!((value, gradient), value_and_grad(|x| f(x), &x).unwrap());
        // The hub may be anywhere, and visited at any time.
        let turned =
            Pattern::new(size, (0..size).map(|i| if i + 1 == size { (0..size).collect() } else { vec![i, size - 1] }));
        for order in Order::ALL {
            assert_eq!(Colouring::star_in(order, turned.as_ref().unwrap()).unwrap().count(), 2, "{order:?}");
        }
    }
    let size = 5000;
    let x = vec![1.0; size];
    let hessian = sparse_hessian(|x| f(x), &x).unwrap();
    assert_eq!(
        (hessian.values.len(), hessian.get(0, 0), hessian.get(7, 7), hessian.get(0, 7)),
        (3 * size - 2, 6.0, 2.0, 2.0)
    );
}

#[test]
fn banded_hessians() {
    // Σ over |i − j| ≤ reach of xᵢ·xⱼ², a band of that reach.
    fn f<R: Real>(reach: usize, x: &[R]) -> R {
        let pairs = (0..x.len()).flat_map(|i| (i..(i + reach + 1).min(x.len())).map(move |j| (i, j)));
        pairs.map(|(i, j)| x[i] * x[j] * x[j]).sum()
    }
    for (reach, colours) in [(0, 1), (1, 3), (2, 5)] {
        let x = numbers(30);
        let prepared = SparseHessian::prepare(|x| f(reach, x), &x).unwrap();
        assert_eq!(*prepared.pattern(), band_pattern(reach, 30));
        assert!(prepared.colouring().count() <= colours, "{} colours for {reach}", prepared.colouring().count());
        assert!(prepared.colouring().is_star(prepared.pattern()));
        assert_eq!(prepared.at(&x).unwrap().to_dense(), hessian(|x| f(reach, x), &x).unwrap());
    }
    // On a path, no star colouring has two colours.
    assert_eq!(Colouring::star(&band_pattern(1, 30)).unwrap().count(), 3);
}

#[test]
fn the_side_with_fewer_colours_is_chosen() {
    let x = numbers(20);
    let one_row = SparseJacobian::prepare(|x| vec![x.iter().copied().product()], &x).unwrap();
    assert_eq!((one_row.compression(), one_row.colouring().count()), (Compression::Rows, 1));
    let one_column = SparseJacobian::prepare(|x| (1..6).map(|i| x[0].powi(i)).collect(), &x).unwrap();
    assert_eq!((one_column.compression(), one_column.colouring().count()), (Compression::Columns, 1));
    let told = SparseJacobian::prepare_by(Compression::Columns, |x| vec![x.iter().copied().product()], &x).unwrap();
    assert_eq!((told.compression(), told.colouring().count()), (Compression::Columns, 20));
    assert_eq!(told.at(&x).unwrap(), one_row.at(&x).unwrap());
    let nothing = sparse_jacobian(|x| vec![x[0].floor(), R64::one()], &x).unwrap();
    assert!(nothing.pattern.is_empty() && nothing.to_dense() == vec![vec![0.0; 20]; 2]);
    assert_eq!(nothing.product(&x).unwrap(), [0.0, 0.0]);
}

type R64<'b> = catadiff::carriers::Recorded<'b, f64>;

#[test]
fn only_what_is_not_linear_is_in_a_hessian() {
    let pattern = |program: Recording| program.hessian_pattern().unwrap().iter().collect::<Vec<_>>();
    let by = |f: for<'b> fn(&'b [R64<'b>]) -> R64<'b>| pattern(record(|x| vec![f(x)], &[0.3, 0.7, 0.2]).unwrap());
    assert_eq!(by(|x| x[0] * 3.0 + x[1] - x[2] / 2.0), []);
    assert_eq!(by(|x| x[0] * x[1]), [(0, 1), (1, 0)]);
    assert_eq!(by(|x| x[0] / x[1]), [(0, 1), (1, 0), (1, 1)]);
    assert_eq!(by(|x| x[0].abs() + x[1].max(x[2]) + x[0].floor() + x[1].min(x[0])), []);
    assert_eq!(by(|x| stop_gradient(x[0]) * x[1]), []);
    assert_eq!(by(|x| (x[0] + x[2] * 5.0).exp()), [(0, 0), (0, 2), (2, 0), (2, 2)]);
    assert_eq!(by(|x| x[0].select(x[1] * x[2], x[1])), [(1, 2), (2, 1)]);
    assert_eq!(by(|x| x[0].hypot(x[1]) + x[2].powi(1)), [(0, 0), (0, 1), (1, 0), (1, 1)]);
    assert_eq!(by(|x| x[0].mul_add(x[1], x[2])), [(0, 1), (1, 0)]);
}

/// The bytes as a list of monomials of up to three variables, each with the row it belongs to.
fn monomials(bytes: &[u8], rows: usize, variables: usize) -> Vec<(usize, Vec<usize>)> {
    let monomial = |b: &[u8]| {
        let factors = b[1..].iter().map(|b| usize::from(*b) % (variables + 2)).filter(|v| *v < variables);
        (usize::from(b[0]) % rows, factors.collect())
    };
    bytes.chunks_exact(4).map(monomial).collect()
}

fn polynomials<R: Real>(monomials: &[(usize, Vec<usize>)], rows: usize, x: &[R]) -> Vec<R> {
    let mut results = vec![R::zero(); rows];
    for (k, (row, factors)) in monomials.iter().enumerate() {
        results[*row] += factors.iter().map(|v| x[*v]).product::<R>() * (k % 3 + 1) as f64;
    }
    results
}

fn nonzeros(dense: &[Vec<f64>]) -> Vec<(usize, usize)> {
    let row = |(i, row): (usize, &Vec<f64>)| {
        row.iter().enumerate().filter(|(_, d)| **d != 0.0).map(move |(j, _)| (i, j)).collect::<Vec<_>>()
    };
    dense.iter().enumerate().flat_map(row).collect()
}

/// Polynomials with natural coefficients: at natural points no sum cancels and no rounding occurs, so the nonzeros
/// are the pattern, and equality is exact; at integer points they are in the pattern.
#[test]
fn random_sparse_jacobians_are_the_dense_ones() {
    fn property(bytes: Vec<u8>, rows: u8, variables: u8) -> bool {
        let (rows, variables) = (usize::from(rows % 12) + 1, usize::from(variables % 12) + 1);
        let monomials = monomials(&bytes, rows, variables);
        let natural: Vec<f64> = (0..variables).map(|i| (i % 4 + 1) as f64).collect();
        [Compression::Columns, Compression::Rows].into_iter().all(|mode| {
            let prepared = SparseJacobian::prepare_by(mode, |x| polynomials(&monomials, rows, x), &natural).unwrap();
            let chosen = SparseJacobian::prepare(|x| polynomials(&monomials, rows, x), &natural).unwrap();
            let (columns, by_rows) = (Colouring::columns(chosen.pattern()), Colouring::rows(chosen.pattern()));
            let fewest = columns.count().min(by_rows.count());
            let side = if columns.count() == fewest { Compression::Columns } else { Compression::Rows };
            let dense = |x: &[f64]| Reverse::jacobian(|x| polynomials(&monomials, rows, x), x).unwrap();
            let (x, direction) = (numbers(variables), numbers(variables + 1));
            let found = prepared.at(&x).unwrap();
            let (values, slopes) = jvp(|x| polynomials(&monomials, rows, x), &x, &direction[1..]).unwrap();
            (chosen.compression(), chosen.colouring().count()) == (side, fewest)
                && prepared.at(&natural).unwrap().to_dense() == dense(&natural)
                && prepared.pattern().iter().collect::<Vec<_>>() == nonzeros(&dense(&natural))
                && found.to_dense() == dense(&x)
                && nonzeros(&dense(&x)).iter().all(|(i, j)| prepared.pattern().contains(*i, *j))
                && found.product(&direction[1..]) == Ok(slopes)
                && prepared.values_at(&x).unwrap().0 == values
        })
    }
    QuickCheck::new().tests(300).rng(Gen::new(120)).quickcheck(property as fn(Vec<u8>, u8, u8) -> bool);
}

#[test]
fn random_sparse_hessians_are_the_dense_ones() {
    fn property(bytes: Vec<u8>, variables: u8) -> bool {
        let variables = usize::from(variables % 14) + 1;
        let monomials = monomials(&bytes, 1, variables);
        let natural: Vec<f64> = (0..variables).map(|i| (i % 4 + 1) as f64).collect();
        let prepared = SparseHessian::prepare(|x| polynomials(&monomials, 1, x)[0], &natural).unwrap();
        let dense = |x: &[f64]| hessian(|x| polynomials(&monomials, 1, x)[0], x).unwrap();
        let x = numbers(variables);
        prepared.at(&natural).unwrap().to_dense() == dense(&natural)
            && prepared.pattern().iter().collect::<Vec<_>>() == nonzeros(&dense(&natural))
            && prepared.at(&x).unwrap().to_dense() == dense(&x)
            && prepared.values_at(&x).unwrap().1 == grad(|x| polynomials(&monomials, 1, x)[0], &x).unwrap()
    }
    QuickCheck::new().tests(300).rng(Gen::new(100)).quickcheck(property as fn(Vec<u8>, u8) -> bool);
}

/// Where the values are rounded, the Hessian is still symmetric to the last bit, and near the dense one.
#[test]
fn rounded_hessians_are_symmetric() {
    fn f<R: Real>(x: &[R]) -> R {
        (0..x.len()).map(|i| (x[i] * x[(i * i + 1) % x.len()]).sin() * x[(i + 5) % x.len()].exp()).sum()
    }
    let x: Vec<f64> = (0..23).map(|i| (f64::from(i) * 0.37).sin()).collect();
    let found = sparse_hessian(|x| f(x), &x).unwrap();
    assert!(found.iter().all(|(i, j, d)| d == found.get(j, i)));
    assert!(found.values.len() < 23 * 23 / 2);
    for (found, expected) in found.to_dense().concat().iter().zip(hessian(|x| f(x), &x).unwrap().concat()) {
        assert!((found - expected).abs() <= 1e-13 * expected.abs().max(1.0), "{found} is not {expected}");
    }
}

#[test]
fn another_branch_is_an_error() {
    let prepared =
        SparseJacobian::prepare(|x| vec![if x[0] > x[1] { x[0] * x[2] } else { x[1] }, x[2]], &[2.0, 1.0, 5.0])
            .unwrap();
    assert_eq!(prepared.at(&[4.0, 3.0, 2.0]).unwrap().to_dense(), [[2.0, 0.0, 4.0], [0.0, 0.0, 1.0]]);
    assert!(matches!(prepared.at(&[1.0, 2.0, 5.0]), Err(Error::BranchChanged { at: 0, .. })));
    let by_rows = SparseJacobian::prepare_by(
        Compression::Rows,
        |x| vec![if x[0] > x[1] { x[0] * x[2] } else { x[1] }, x[2]],
        &[2.0, 1.0, 5.0],
    );
    assert!(matches!(by_rows.unwrap().at(&[1.0, 2.0, 5.0]), Err(Error::BranchChanged { at: 0, .. })));
    let hessian = SparseHessian::prepare(|x| if x[0] > 0.0 { x[0] * x[1] } else { x[1] * x[1] }, &[1.0, 1.0]).unwrap();
    assert!(hessian.at(&[3.0, 1.0]).is_ok());
    assert!(matches!(hessian.at(&[-3.0, 1.0]), Err(Error::BranchChanged { at: 0, .. })));
}

#[test]
fn bad_input_is_an_error() {
    let none: [f64; 0] = [];
    assert!(matches!(sparse_jacobian(|x| x.to_vec(), &none), Err(Error::Empty { .. })));
    assert!(matches!(sparse_jacobian(|_| vec![], &[1.0]), Err(Error::Empty { .. })));
    assert!(matches!(sparse_hessian(|_| R64::one(), &none), Err(Error::Empty { .. })));
    assert!(matches!(jacobian_pattern(|x| x.to_vec(), &[1.0, f64::NAN]), Err(Error::NotFinite { index: 1, .. })));
    assert!(matches!(hessian_pattern(|x| x[0], &[f64::INFINITY]), Err(Error::NotFinite { index: 0, .. })));
    let jacobian = SparseJacobian::prepare(|x| x.to_vec(), &[1.0, 2.0]).unwrap();
    assert!(matches!(jacobian.at(&[1.0]), Err(Error::Length { expected: 2, found: 1, .. })));
    assert!(matches!(jacobian.at(&[1.0, 2.0, 3.0]), Err(Error::Length { expected: 2, found: 3, .. })));
    assert!(matches!(jacobian.at(&[1.0, f64::NAN]), Err(Error::NotFinite { index: 1, .. })));
    assert!(matches!(jacobian.at(&none), Err(Error::Empty { .. })));
    assert!(matches!(jacobian.at(&[1.0, 2.0]).unwrap().product(&[1.0]), Err(Error::Length { .. })));
    let by_rows = SparseJacobian::prepare_by(Compression::Rows, |x| x.to_vec(), &[1.0, 2.0]).unwrap();
    assert!(matches!(by_rows.at(&[1.0]), Err(Error::Length { expected: 2, found: 1, .. })));
    let hessian = SparseHessian::prepare(|x| x[0] * x[1], &[1.0, 2.0]).unwrap();
    assert!(matches!(hessian.at(&[1.0]), Err(Error::Length { expected: 2, found: 1, .. })));
    assert!(matches!(hessian.at(&[1.0, f64::NAN]), Err(Error::NotFinite { index: 1, .. })));
    assert!(matches!(Pattern::new(3, [vec![0], vec![3]]), Err(Error::TooLarge { limit: 2, .. })));
    let wide = Pattern::new(3, [vec![0]]).unwrap();
    assert!(matches!(Colouring::star(&wide), Err(Error::Length { expected: 3, found: 1, .. })));
    assert!(!Colouring::new(vec![0, 1, 2]).is_star(&wide));
}

#[test]
fn patterns_are_sorted_sets() {
    let pattern = Pattern::new(4, [vec![3, 1, 3, 0, 1], vec![], vec![2, 2]]).unwrap();
    assert_eq!((pattern.offsets(), pattern.indices()), (&[0, 3, 3, 4][..], &[0, 1, 3, 2][..]));
    assert_eq!((pattern.position(0, 3), pattern.position(0, 2), pattern.position(9, 0)), (Some(2), None, None));
    assert_eq!((pattern.row(2), pattern.row(3), pattern.widest()), (&[2][..], &[][..], 3));
    assert_eq!(pattern.transpose().transpose(), pattern);
    let nothing = Pattern::new(0, [] as [Vec<usize>; 0]).unwrap();
    assert_eq!((nothing.rows(), Colouring::columns(&nothing).count()), (0, 0));
    assert_eq!(Colouring::star(&nothing).unwrap().count(), 0);
}

#[test]
fn sparse_derivatives_nest_and_take_other_numbers() {
    // d/dt of the entry ∂(t·x²)/∂x = 2tx at x = t, which is 4t.
    let slope = diff(
        |t| {
            let jacobian = sparse_jacobian(|x| vec![Symbolic::lift(t) * x[0] * x[0], x[1]], &[t, t]).unwrap();
            jacobian.get(0, 0)
        },
        3.0,
    );
    assert_eq!(slope, Ok(12.0));
    let slope = diff(
        |t| {
            let hessian = sparse_hessian(|x| Symbolic::lift(t) * x[0] * x[0] * x[1] + x[2], &[t, t, t]).unwrap();
            assert_eq!(hessian.values.len(), 3);
            hessian.get(0, 1)
        },
        3.0,
    );
    assert_eq!(slope, Ok(12.0));
    let single: SparseMatrix<f32> = sparse_jacobian(|x| vec![x[0] * x[1] * 2.0, x[1]], &[3.0_f32, 4.0]).unwrap();
    assert_eq!(single.to_dense(), [[8.0, 6.0], [0.0, 1.0]]);
}

/// A rule of one's own, of which nothing is known but its partial derivatives.
#[derive(Clone)]
struct Swirl;

impl Rule<2> for Swirl {
    fn name(&self) -> &'static str {
        "swirl"
    }
    fn value(&self, [x, y]: [f64; 2]) -> f64 {
        x * x * y
    }
    fn partial<S: Scalar>(&self, argument: usize, [x, y]: [S; 2], _: S) -> S {
        if argument == 0 { S::constant(2.0) * x * y } else { x * x }
    }
}

#[test]
fn rules_of_users_have_patterns() {
    let found = sparse_hessian(|x| Swirl.of([x[0], x[1]]) + x[2], &[3.0, 4.0, 5.0]).unwrap();
    assert_eq!(found.iter().collect::<Vec<_>>(), [(0, 0, 8.0), (0, 1, 6.0), (1, 0, 6.0)]);
    assert_eq!(jacobian_pattern(|x| vec![Swirl.of([x[0], x[2]])], &[1.0; 3]).unwrap().row(0), [0, 2]);
}

/// `x`, with a derivative of which the structure says that `y` is in it, and a partial derivative by `y` that is 0.
#[derive(Clone)]
struct Lopsided;

impl Rule<2> for Lopsided {
    fn name(&self) -> &'static str {
        "lopsided"
    }
    fn value(&self, [x, _]: [f64; 2]) -> f64 {
        x
    }
    fn partial<S: Scalar>(&self, argument: usize, [_, y]: [S; 2], _: S) -> S {
        if argument == 0 { S::one() + (y + y - S::constant(2.0) * y) } else { S::zero() }
    }
}

#[test]
fn the_pattern_of_a_hessian_is_symmetric() {
    let found = sparse_hessian(|x| Lopsided.of([x[0], x[1]]), &[3.0, 4.0]).unwrap();
    assert_eq!(found.iter().collect::<Vec<_>>(), [(0, 1, 0.0), (1, 0, 0.0)]);
}
