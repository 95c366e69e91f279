//! Fits a line between two classes of points, and says how many of them it finds again.

use logistic_fit::logistic::{Error, View, probabilities};

fn main() -> Result<(), Error> {
    let (points, labels) = logistic_fit::sample(2000);
    let points = View::from(&points[..]);
    let fit = logistic_fit::fit(points, &labels, 1e-12)?;
    for (step, [loss, gradient]) in fit.steps.iter().enumerate() {
        println!("step {step}: loss {loss:.9}, gradient {gradient:.1e}");
    }
    let found = probabilities(points, &fit.weights)?;
    let right = found.iter().zip(&labels).filter(|(p, label)| (**p > 0.5) == (**label > 0.5)).count();
    println!("weights {:.4?}, {right} of {} points on their side", fit.weights, labels.len());
    Ok(())
}
