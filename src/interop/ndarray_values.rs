//! Arrays of `ndarray` as arguments and as results of array programs.
//!
//! Law: an array goes in and comes out with its sizes and its elements as they are; one of another rank or kind is
//! refused (tests/interop/ndarray.rs).

use ::ndarray::{Array, ArrayBase, ArrayD, Data, Dimension};

use crate::error::{Error, Result};
use crate::interpret::{FromValues, Results, Scalar, ToValues, Value, mismatch};

/// Arrays and views of scalars as arguments of array programs.
///
/// ```
/// use catadiff::array::{Program, trace::{Arr, F64}};
/// use ndarray::{Array1, Array2, array};
/// let product = Program::trace(|a: Arr<Arr<F64>>, x: Arr<F64>| a.matvec(x))?;
/// let a = array![[1.0, 2.0], [3.0, 4.0]];
/// let y: Array1<f64> = product.at((&a, a.column(1)))?;
/// assert_eq!(y, array![10.0, 22.0]);
/// let jacobian: Array2<f64> = product.jacobian("x1")?.at((a.t(), &y))?;
/// assert_eq!(jacobian, a.t());
/// # Ok::<(), catadiff::Error>(())
/// ```
impl<S: Data<Elem: Copy>, D: Dimension> ToValues for ArrayBase<S, D>
where
    Value<f64>: From<S::Elem>,
{
    fn add_to(&self, values: &mut Vec<Value<f64>>) -> Result<()> {
        let scalar = |x: &S::Elem| Value::from(*x).elements()[0];
        values.push(Value::array(self.shape(), self.iter().map(scalar).collect::<Vec<Scalar<f64>>>())?);
        Ok(())
    }
}

impl<A: FromValues, D: Dimension> FromValues for Array<A, D> {
    const COUNT: Option<usize> = Some(1);

    fn take_from(values: &mut Results, _: Option<&Self>) -> Result<Self> {
        values.one(Value::try_into)
    }
}

impl<A: FromValues, D: Dimension> TryFrom<Value<f64>> for Array<A, D> {
    type Error = Error;

    fn try_from(value: Value<f64>) -> Result<Self> {
        let (sizes, elements) = (value.sizes(), value.elements());
        let wrong = || mismatch(&value, D::NDIM.unwrap_or(sizes.len()), A::KIND);
        let flat: Vec<A> = Value::array(&[elements.len()], elements.to_vec())?.try_into().map_err(|_| wrong())?;
        let of_any_rank = ArrayD::from_shape_vec(sizes, flat)
            .map_err(|_| Error::TooLarge { what: "the array", limit: isize::MAX.unsigned_abs() })?;
        of_any_rank.into_dimensionality().map_err(|_| wrong())
    }
}
