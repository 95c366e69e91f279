//! Windows of lists and images: convolutions, and extrema and means of windows.
//!
//! Law: window `i` begins at `i` times the stride, and there are as many as fit. Those of images are windows of rows, and in each of
//! these windows of columns (tests/array/words/windows.rs).

use super::super::scope::Here;
use super::super::{Arr, As, I64, Number, tabulate, tabulate2d};
use super::statistics::real;
use crate::primitives::Real;

/// How many windows of a size fit, which begin at multiples of the stride.
#[track_caller]
fn count(n: I64, window: I64, stride: I64) -> I64 {
    ((n - window) / stride + 1).max(0)
}

impl<S: Number> Arr<Arr<S>> {
    /// `f` of each window, by rows and then in the rows of what comes of these.
    #[track_caller]
    fn pooled(
        self,
        window: [impl As<I64>; 2],
        strides: [impl As<I64>; 2],
        by_rows: impl FnOnce(Self) -> Arr<S>,
        by_columns: impl FnOnce(Arr<S>) -> S,
    ) -> Self {
        let (window, strides) = (window.map(As::handle), strides.map(As::handle));
        let [rows, columns] = [0, 1].map(|k| count(self.size(k), window[k], strides[k]));
        let pooled = tabulate(rows, |i| by_rows(self.range(i * strides[0], window[0], 1)));
        pooled.map(|row| tabulate(columns, |j| by_columns(row.range(j * strides[1], window[1], 1))))
    }

    /// The greatest number of each window of an image, as in [`max`](Arr::max), windows of this height and width which begin at
    /// multiples of the strides. Of an image of several channels it is `image.map(|channel| channel.max_pool2d([2, 2], [2, 2]))`.
    ///
    /// ```
    /// use catadiff::array::{Program, trace::{Arr, F64}};
    /// let halves = Program::trace(|image: Arr<Arr<F64>>| (image.max_pool2d([2, 2], [2, 2]), image.avg_pool2d([2, 2], [2, 2])))?;
    /// let found: (Vec<Vec<f64>>, Vec<Vec<f64>>) = halves.at([[1.0, 2.0, 0.0, 0.0], [3.0, 4.0, 0.0, 8.0]])?;
    /// assert_eq!(found, (vec![vec![4.0, 8.0]], vec![vec![2.5, 2.0]]));
    /// # Ok::<(), catadiff::Error>(())
    /// ```
    #[must_use]
    #[track_caller]
    pub fn max_pool2d(self, window: [impl As<I64>; 2], strides: [impl As<I64>; 2]) -> Self {
        let _here = Here::new();
        self.pooled(window, strides, |rows| rows.max(), |row| row.max())
    }

    /// The mean of each window of an image; as [`max_pool2d`](Self::max_pool2d) else.
    #[must_use]
    #[track_caller]
    pub fn avg_pool2d(self, window: [impl As<I64>; 2], strides: [impl As<I64>; 2]) -> Self
    where
        S: Real,
    {
        let _here = Here::new();
        let window = window.map(As::handle);
        let size = real::<S>(window[0] * window[1]);
        self.pooled(window, strides, |rows| rows.sum(), |row| row.sum() / size)
    }

    /// The convolution of a list of several channels with kernels for each channel of the result, as in networks: kernels are not
    /// turned around. Zeros are put before and after the list, and windows begin at multiples of the stride.
    ///
    /// The list is given by channel and place, the kernels by channel of the result, channel of the list, and place.
    ///
    /// ```
    /// use catadiff::array::{Program, trace::{Arr, F64}};
    /// let blur = Program::trace(|x: Arr<Arr<F64>>, kernels: Arr<Arr<Arr<F64>>>| x.conv1d(kernels, 1, (1, 1)))?;
    /// let found: Vec<Vec<f64>> = blur.at(([[4.0, 8.0, 0.0]], [[[0.25, 0.5, 0.25]]]))?;
    /// assert_eq!(found, [[4.0, 5.0, 2.0]]);
    /// # Ok::<(), catadiff::Error>(())
    /// ```
    #[must_use]
    #[track_caller]
    pub fn conv1d(
        self,
        kernels: Arr<Arr<Arr<S>>>,
        stride: impl As<I64>,
        padding: (impl As<I64>, impl As<I64>),
    ) -> Self {
        let _here = Here::new();
        let (n, k) = (self.size(1), kernels.size(2));
        let image = self.map(|list| list.unflatten(1, n));
        let kernels = kernels.map(|kernel| kernel.map(|list| list.unflatten(1, k)));
        let (one, none) = (I64::from(1), I64::from(0));
        let padding = [(none, none), (padding.0.handle(), padding.1.handle())];
        image.conv2d(kernels, [one, stride.handle()], padding).map(|channel| channel.flatten())
    }
}

impl<S: Number> Arr<Arr<Arr<S>>> {
    /// The convolution of an image of several channels with kernels for each channel of the result, as in networks: kernels are not
    /// turned around. Zeros are put above and below the image, and left and right of it, and windows begin at multiples of the strides.
    ///
    /// The image is given by channel, row and column (CHW), the kernels by channel of the result, channel of the image, row and column
    /// (OIHW), as to `lax.conv`. Kernels of other channels than the image are an error of the program. Of many images it is
    /// `images.map(|image| image.conv2d(kernels, [1, 1], [(0, 0); 2]))`.
    ///
    /// ```
    /// use catadiff::array::{Program, trace::{Arr, F64}};
    /// type Image = Arr<Arr<Arr<F64>>>;
    /// let edges = Program::trace(|image: Image, kernels: Arr<Image>| image.conv2d(kernels, [1, 2], [(0, 0), (1, 1)]))?;
    /// let (image, kernels) = ([[[1.0, 2.0, 4.0], [1.0, 2.0, 8.0]]], [[[[-1.0, 0.0, 1.0]]]]);
    /// let found: Vec<Vec<Vec<f64>>> = edges.at((image, kernels))?;
    /// assert_eq!(found, [[[2.0, -2.0], [2.0, -2.0]]]);
    /// # Ok::<(), catadiff::Error>(())
    /// ```
    #[must_use]
    #[track_caller]
    pub fn conv2d(
        self,
        kernels: Arr<Self>,
        strides: [impl As<I64>; 2],
        padding: [(impl As<I64>, impl As<I64>); 2],
    ) -> Self {
        let _here = Here::new();
        let strides = strides.map(As::handle);
        let [vertical, horizontal] = padding.map(|(before, after)| (before.handle(), after.handle()));
        let zero = S::zero();
        let padded = self.map(|channel| {
            let wide = channel.map(|row| row.pad(horizontal.0, horizontal.1, zero));
            wide.pad(vertical.0, vertical.1, zero)
        });
        let [height, width] = [2, 3].map(|k| kernels.size(k));
        let rows = count(padded.size(1), height, strides[0]);
        let columns = count(padded.size(2), width, strides[1]);
        let size = self.len() * height * width;
        // The numbers that each number of a kernel meets, a row of them for each, so that the convolution is a product of matrices.
        let met = |channel: Arr<Arr<S>>, p: I64, q: I64| {
            let rows = channel.range(p, rows, strides[0]);
            rows.map(|row| row.range(q, columns, strides[1])).flatten()
        };
        let met = padded.map(|channel| tabulate2d(height, width, |p, q| met(channel, p, q)).flatten()).flatten();
        kernels.map(|kernel| kernel.reshape([size])).matmul(met).map(|channel| channel.unflatten(rows, columns))
    }
}
