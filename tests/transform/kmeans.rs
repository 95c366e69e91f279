//! The worked example of "Reverse AD for a functional array language": k-means by Newton's method, with the gradient
//! from `vjp` and the diagonal Hessian from the `jvp` of that on the vector of ones.

use catadiff::Result;
use catadiff::array::Program;
use catadiff::array::trace::{Arr, F64};
use catadiff::interpret::Value;

fn cost() -> Result<Program> {
    Program::trace(|points: Arr<Arr<F64>>, centres: Arr<Arr<F64>>| {
        points.map(|p| centres.map(|c| (p - c).map(|d| d * d).sum()).min()).sum()
    })
}

const POINTS: [[f64; 2]; 6] = [[0.0, 0.0], [1.0, 0.5], [0.5, 1.0], [5.0, 5.0], [6.0, 5.5], [5.5, 6.5]];

#[test]
fn newton_finds_the_means() -> Result<()> {
    let gradient = cost()?.vjp()?;
    let hessian = gradient.jvp()?;
    gradient.verify()?;
    hessian.verify()?;
    let points = Value::new(POINTS)?;
    let mut centres = [[1.0, 1.0], [4.0, 4.0]];
    for _ in 0..2 {
        let at = [points.clone(), Value::new(centres)?, 1.0.into()];
        let along = [Value::new([[0.0; 2]; 6])?, Value::new([[1.0; 2]; 2])?, 0.0.into()];
        let found = hessian.run(&[at, along].concat())?;
        // Results, adjoints of points and centres; then the tangents of these.
        let (first, second) = (found[2].to_reals().unwrap(), found[5].to_reals().unwrap());
        assert_eq!(second, [6.0; 4], "three points belong to each centre");
        for (k, (d, dd)) in first.iter().zip(&second).enumerate() {
            centres[k / 2][k % 2] -= d / dd;
        }
    }
    assert_eq!(centres, [[0.5, 0.5], [5.5, 17.0 / 3.0]]);
    Ok(())
}
