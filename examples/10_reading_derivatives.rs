//! Derivatives of array programs are programs that can be read: the adjoints of a matrix product, and of k-means.
//!
//! Law: what is printed is what runs. The assertions say what a reader should find in the text.

use catadiff::Result;
use catadiff::array::Program;
use catadiff::array::trace::{Arr, F64};

fn main() -> Result<()> {
    matrix_product()?;
    k_means()
}

/// The adjoints of `C = A B` are `C̄ Bᵀ` and `Aᵀ C̄`.
fn matrix_product() -> Result<()> {
    let product = Program::trace(|a: Arr<Arr<F64>>, b: Arr<Arr<F64>>| a.matmul(b))?;
    println!("The product of two matrices: for each row of the first and column of the second a sum of products.\n");
    println!("{product}");
    let vjp = product.vjp()?;
    println!("Its vjp gives the product, and then, from the adjoint of the product, two products more:");
    println!("each row of the adjoint with each row of the second matrix, and each column of the first matrix");
    println!("with each column of the adjoint. Nothing is added up in place, and no array has three dimensions.\n");
    println!("{vjp}");
    assert!(vjp.types().iter().all(|t| !t.accumulator), "every accumulator became a sum");
    assert!(vjp.types().iter().all(|t| t.rank <= 2), "sums are taken inside of maps");
    assert_eq!(vjp.to_string().matches("reduce").count(), 3, "one product forward, and two back");
    Ok(())
}

/// The cost of k-means: the squared distances of points to their nearest centres.
fn k_means() -> Result<()> {
    let cost = Program::trace(|points: Arr<Arr<F64>>, centres: Arr<Arr<F64>>| {
        points.map(|p| centres.map(|c| (p - c).map(|d| d * d).sum()).min()).sum()
    })?;
    println!("The cost of k-means: for each point the squared distance of the nearest centre, added up.\n");
    println!("{cost}");
    let vjp = cost.vjp()?;
    println!("Its vjp computes the distances of a point once, finds which is least, gives that one the adjoint");
    println!("and all others zero, and adds `2 (p - c)` times that to the adjoints of the point and the centre.");
    println!(
        "All points add to the same centres, and the differences are needed twice, so this stays an accumulator.\n"
    );
    println!("{vjp}");
    assert!(vjp.to_string().contains("adding"), "centres are shared by all points");
    Ok(())
}
