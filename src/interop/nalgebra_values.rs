//! Vectors and matrices of `nalgebra` as arguments and as results of array programs.
//!
//! Law: a matrix goes in and comes out with its elements where they are, as an array of its rows; what has one column by its type is a
//! list. One of another rank, kind or size is refused (tests/interop/nalgebra.rs).

use ::nalgebra::{ArrayStorage, Const, Dim, Dyn, Matrix, RawStorage, Scalar, VecStorage};

use crate::error::{Error, Result};
use crate::interpret::{FromValues, Results, ToValues, Value, mismatch};

/// Whether the type says that there is one column.
fn is_list<C: Dim>() -> bool {
    C::try_to_usize() == Some(1)
}

/// Vectors and matrices of scalars, and views of these, as arguments of array programs.
///
/// ```
/// use catadiff::array::{Program, trace::{Arr, F64}};
/// use nalgebra::{DVector, Matrix2, Vector2};
/// let product = Program::trace(|a: Arr<Arr<F64>>, x: Arr<F64>| a.matvec(x))?;
/// let a = Matrix2::new(1.0, 2.0, 3.0, 4.0);
/// let y: DVector<f64> = product.at((&a, a.column(1)))?;
/// assert_eq!(y.as_slice(), [10.0, 22.0]);
/// let jacobian: Matrix2<f64> = product.jacobian("x1")?.at((a.transpose(), Vector2::new(0.0, 1.0)))?;
/// assert_eq!(jacobian, a.transpose());
/// # Ok::<(), catadiff::Error>(())
/// ```
impl<T: Scalar + Copy, R: Dim, C: Dim, S: RawStorage<T, R, C>> ToValues for Matrix<T, R, C, S>
where
    Value<f64>: From<T>,
{
    fn add_to(&self, values: &mut Vec<Value<f64>>) -> Result<()> {
        let (rows, columns) = self.shape();
        let sizes = if is_list::<C>() { vec![rows] } else { vec![rows, columns] };
        let places = (0..rows).flat_map(|i| (0..columns).map(move |j| (i, j)));
        values.push(Value::array(&sizes, places.map(|at| Value::from(self[at]).elements()[0]).collect())?);
        Ok(())
    }
}

/// The numbers of rows and columns of a value, if they may be those of the type, and its elements, row by row.
fn rows<T: FromValues, R: Dim, C: Dim>(value: &Value<f64>) -> Result<(usize, usize, Vec<T>)> {
    let wrong = || mismatch(value, if is_list::<C>() { 1 } else { 2 }, T::KIND);
    let (n, m) = match *value.sizes() {
        [n] if is_list::<C>() => (n, 1),
        [n, m] if !is_list::<C>() => (n, m),
        _ => return Err(wrong()),
    };
    let sizes = [("the rows of a matrix", R::try_to_usize(), n), ("the columns of a matrix", C::try_to_usize(), m)];
    for (what, stated, found) in sizes {
        Error::lengths(what, stated.unwrap_or(found), found)?;
    }
    let flat = Value::array(&[value.elements().len()], value.elements().to_vec())?.try_into().map_err(|_| wrong())?;
    Ok((n, m, flat))
}

macro_rules! results {
    ($([$($generics:tt)*] $R:ty, $C:ty, $Storage:ty;)+) => {$(
        impl<T: FromValues + Scalar $($generics)*> FromValues for Matrix<T, $R, $C, $Storage> {
            const COUNT: Option<usize> = Some(1);

            fn take_from(values: &mut Results, _: Option<&Self>) -> Result<Self> {
                values.one(|value| {
                    let (n, m, elements) = rows::<T, $R, $C>(&value)?;
                    let (n, m) = (<$R>::from_usize(n), <$C>::from_usize(m));
                    Ok(Matrix::from_row_iterator_generic(n, m, elements))
                })
            }
        }
    )+};
}

results! {
    [] Dyn, Dyn, VecStorage<T, Dyn, Dyn>;
    [] Dyn, Const<1>, VecStorage<T, Dyn, Const<1>>;
    [, const R: usize, const C: usize] Const<R>, Const<C>, ArrayStorage<T, R, C>;
}
