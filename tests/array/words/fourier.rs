//! Fourier transforms, against their definition, the equations that they satisfy, and JAX.

use catadiff::Elementary;
use catadiff::Result;
use catadiff::array::Program;
use catadiff::array::trace::{Arr, F32, F64, I64, fft, ifft, iota, irfft, rfft};
use catadiff::interpret::Value;
use catadiff_laws::executors;
use catadiff_laws::growth::Work;

use super::Made::OfMore;
use super::{draw, has, numbers, value};

type Complex = (Vec<f64>, Vec<f64>);

fn list(n: usize) -> Vec<f64> {
    (0..n).map(|_| draw()).collect()
}

/// The transform by its definition, with angles that are reduced as integers.
fn by_definition((re, im): (&[f64], &[f64])) -> Complex {
    let n = re.len();
    let element = |k: usize| {
        (0..n).fold((0.0, 0.0), |(a, b), j| {
            let (sin, cos) = (-std::f64::consts::TAU * ((j * k % n) as f64 / n as f64)).sin_cos();
            (a + re[j] * cos - im[j] * sin, b + re[j] * sin + im[j] * cos)
        })
    };
    (0..n).map(element).unzip()
}

fn values((re, im): &Complex) -> Vec<Value<f64>> {
    vec![value(&re[..]), value(&im[..])]
}

#[test]
fn transforms_are_what_their_definition_says() {
    let cases = [0, 1, 2, 3, 4, 5, 8, 12].map(|n| {
        let x = (list(n), list(n));
        let transform = by_definition((&x.0, &x.1));
        (values(&x), values(&transform))
    });
    let program = Program::trace(|re: Arr<F64>, im: Arr<F64>| fft((re, im)));
    has("fft", OfMore, program, cases);
    let cases = [0, 1, 4, 7].map(|n| {
        let x = (list(n), list(n));
        let transform = by_definition((&x.0, &x.1));
        (values(&transform), values(&x))
    });
    has("ifft", OfMore, Program::trace(|re: Arr<F64>, im: Arr<F64>| ifft((re, im))), cases);
}

#[test]
fn transforms_of_reals() {
    let half = |x: &[f64]| {
        let (mut re, mut im) = by_definition((x, &vec![0.0; x.len()]));
        re.truncate(x.len() / 2 + 1);
        im.truncate(x.len() / 2 + 1);
        (re, im)
    };
    let lists = || [1, 2, 6, 7, 8].map(list);
    let cases = lists().map(|x| (vec![value(&x[..])], values(&half(&x))));
    has("rfft", OfMore, Program::trace(|x: Arr<F64>| rfft(x)), cases);
    // An imaginary part of what is real in a transform of reals is not read.
    let cases = lists().map(|x| {
        let (re, mut im) = half(&x);
        im[0] = 3.0;
        if x.len() % 2 == 0 {
            im[x.len() / 2] = 5.0;
        }
        ([values(&(re, im)), vec![(x.len() as i64).into()]].concat(), vec![value(&x[..])])
    });
    has("irfft", OfMore, Program::trace(|re: Arr<F64>, im: Arr<F64>, n: I64| irfft((re, im), n)), cases);
}

/// Longer lists, of all kinds of lengths: the way back, Parseval's equation, and the theorem on convolutions.
#[test]
fn equations_of_transforms() -> Result<()> {
    let program = Program::trace(|re: Arr<F64>, im: Arr<F64>| {
        let n = re.len();
        let (a, b) = fft((re, im));
        let (back_re, back_im) = ifft((a, b));
        let squares = |x: Arr<F64>, y: Arr<F64>| (x * x + y * y).sum();
        let parseval = squares(re, im) * n.to_f64() - squares(a, b);
        let turned = iota(n).map(|j| iota(n).map(|k| re.index(k) * im.index((j - k + n) % n)).sum());
        let ((c, d), (e, f)) = (rfft(re), rfft(im));
        (
            back_re - re,
            back_im - im,
            parseval / (1.0 + squares(re, im)),
            irfft((c * e - d * f, c * f + d * e), n) - turned,
        )
    })?;
    let compiled = program.compile()?;
    for n in [1, 2, 64, 97, 100, 243, 256, 509] {
        let found = compiled.run(&values(&(list(n), list(n))))?;
        let largest = found.iter().flat_map(numbers).fold(0.0, |largest: f64, x| largest.max(x.abs()));
        assert!(found.iter().flat_map(numbers).all(f64::is_finite) && largest < 2e-13, "{n}: {largest}");
    }
    Ok(())
}

/// Rows of a matrix, on all executors, with derivatives.
#[test]
fn executors_agree_on_transforms() -> catadiff_laws::Verdict {
    type Matrix = Arr<Arr<F64>>;
    let rows = Program::trace(|re: Matrix, im: Matrix| re.map2(im, |re, im| fft((re, im)))).unwrap();
    let cost = Program::trace(|re: Matrix, im: Matrix| {
        re.map2(im, |re, im| {
            let (a, b) = fft((re, im));
            (a * a * iota(re.len()).map(|k| k.to_f64()) + b.map(|x| x.sin())).sum()
        })
        .sum()
    });
    let gradient = cost.unwrap().grad(..).unwrap();
    let one = Program::trace(|re: Arr<F64>, im: Arr<F64>| fft((re, im))).unwrap();
    for executor in executors::at_hand() {
        for n in [4, 6] {
            executors::same(executor, &one, &[value(&list(n)[..]), value(&list(n)[..])])?;
            let arguments = [[list(n), list(n)], [list(n), list(n)]].map(|rows| value(&rows[..]));
            for program in [&rows, &gradient] {
                // A thread of a GPU has no list whose length it computes.
                let is_supported = executors::same_if_supported(executor, program, &arguments)?;
                assert!(is_supported || executor.name() == "gpu", "{}", executor.name());
            }
        }
    }
    Ok(())
}

/// `jax.numpy.fft.fft` of 5 numbers, and `jax.grad` by the real parts of `sum(arange(5)*abs(fft(x+1j*y))**2)`, JAX 0.10.2 with
/// `jax_enable_x64`: `x = [1, 2, 0.5, -1, 0.25]`, `y = [0, 1, -1, 2, 3]`.
#[test]
fn transforms_of_jax() -> Result<()> {
    let close = |found: &[f64], expected: &[f64]| {
        let near = found.iter().zip(expected).all(|(x, y)| (x - y).abs() < 1e-14 * (1.0 + y.abs()) * 4.0);
        assert!(near && found.len() == expected.len(), "{found:?} {expected:?}");
    };
    let at = ([1.0, 2.0, 0.5, -1.0, 0.25], [0.0, 1.0, -1.0, 2.0, 3.0]);
    let (re, im): Complex = Program::trace(|re: Arr<F64>, im: Arr<F64>| fft((re, im)))?.at(at)?;
    close(&re, &[2.75, -1.5656720549366208, 0.7028023097694087, -2.65239577883162, 5.765265523998832]);
    close(&im, &[5.0, -2.118975798830386, -2.5290904001939403, -3.3250115660557444, 2.973077765080071]);
    let power = Program::trace(|re: Arr<F64>, im: Arr<F64>| {
        let (a, b) = fft((re, im));
        (iota(5).map(|k| k.to_f64()) * (a * a + b * b)).sum()
    })?;
    let slope: Vec<f64> = power.grad(0)?.at(at)?;
    close(
        &slope,
        &[29.887614648205332, 44.75650808352041, -13.005705045849474, -64.65303992825895, 3.0146222423826714],
    );
    Ok(())
}

#[test]
fn single_precision() -> Result<()> {
    let back = Program::trace(|re: Arr<F32>| ifft(fft((re, re))).0 - re)?;
    let found: Vec<f32> = back.at((0..21).map(|k| (k as f32).sin()).collect::<Vec<f32>>())?;
    assert!(found.iter().all(|x| x.abs() < 2e-6), "{found:?}");
    Ok(())
}

/// Work and derivatives' work grow as `n log n`.
#[test]
fn work_of_transforms() -> Result<()> {
    let program = Program::trace(|re: Arr<F64>, im: Arr<F64>| {
        let (a, b) = fft((re, im));
        (a * a + b).sum()
    })?;
    for program in [&program, &program.grad(..)?.simplified()] {
        let each = |n: usize| {
            let Work([operations, ..]) = Work::of_derivative(program, &values(&(list(n), list(n)))).unwrap();
            operations as f64 / (n as f64 * (n as f64).log2())
        };
        let (powers, others) = ([64, 512].map(each), [61, 509].map(each));
        for [few, many] in [powers, others] {
            assert!(many < 1.1 * few, "{few} {many}");
        }
    }
    Ok(())
}
