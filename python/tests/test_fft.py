"""Transforms are numpy's, of any length, along any axis, and their derivatives are those of a linear map."""

import numpy as np
import pytest

import catadiff as cd
from catadiff.errors import ShapeError

RANDOM = np.random.default_rng(7)


def joined(pair):
    re, im = pair
    return re + 1j * im


def complex_numbers(*sizes):
    return RANDOM.normal(size=sizes), RANDOM.normal(size=sizes)


@pytest.mark.parametrize("n", [1, 2, 3, 8, 12, 17, 30, 64])
def test_lists_of_any_length(n):
    re, im = complex_numbers(n)
    np.testing.assert_allclose(joined(cd.fft.fft(re, im)), np.fft.fft(re + 1j * im), atol=1e-12)
    np.testing.assert_allclose(joined(cd.fft.ifft(re, im)), np.fft.ifft(re + 1j * im), atol=1e-12)
    np.testing.assert_allclose(joined(cd.fft.fft(re)), np.fft.fft(re), atol=1e-12)
    half = cd.fft.rfft(re)
    np.testing.assert_allclose(joined(half), np.fft.rfft(re), atol=1e-12)
    np.testing.assert_allclose(cd.fft.irfft(*half, n=n), re, atol=1e-12)


@pytest.mark.parametrize("axis", [0, 1, 2, -1, -2])
def test_axes(axis):
    re, im = complex_numbers(4, 5, 6)
    np.testing.assert_allclose(joined(cd.fft.fft(re, im, axis=axis)), np.fft.fft(re + 1j * im, axis=axis), atol=1e-12)
    np.testing.assert_allclose(joined(cd.fft.rfft(re, axis=axis)), np.fft.rfft(re, axis=axis), atol=1e-12)
    found = cd.fft.irfft(re, im, axis=axis)
    np.testing.assert_allclose(found, np.fft.irfft(re + 1j * im, axis=axis), atol=1e-12)


def test_two_axes():
    re, im = complex_numbers(4, 6)
    np.testing.assert_allclose(joined(cd.fft.fft2(re, im)), np.fft.fft2(re + 1j * im), atol=1e-12)
    np.testing.assert_allclose(joined(cd.fft.ifft2(*cd.fft.fft2(re, im))), re + 1j * im, atol=1e-12)


@pytest.mark.parametrize("n", [3, 6, 10])
def test_other_numbers_of_elements(n):
    re, im = complex_numbers(2, 6)
    np.testing.assert_allclose(joined(cd.fft.fft(re, im, n=n)), np.fft.fft(re + 1j * im, n=n), atol=1e-12)
    np.testing.assert_allclose(joined(cd.fft.rfft(re, n=n)), np.fft.rfft(re, n=n), atol=1e-12)
    np.testing.assert_allclose(cd.fft.irfft(re, im, n=n), np.fft.irfft(re + 1j * im, n=n), atol=1e-12)
    np.testing.assert_array_equal(cd.fft.fftfreq(n, 0.1), np.fft.fftfreq(n, 0.1))
    np.testing.assert_array_equal(cd.fft.rfftfreq(n, 0.1), np.fft.rfftfreq(n, 0.1))


@pytest.mark.parametrize("n", [5, 8])
def test_derivatives_are_the_matrix(n):
    matrix = np.fft.fft(np.eye(n))
    for jacobian in (cd.jacfwd, cd.jacrev):
        found = jacobian(cd.fft.fft, argnums=(0, 1))(*complex_numbers(n))
        np.testing.assert_allclose(found, [[matrix.real, -matrix.imag], [matrix.imag, matrix.real]], atol=1e-12)
    # The energy of a spectrum is n times that of the signal.
    energy = lambda x: sum((part * part).sum() for part in cd.fft.fft(x))
    np.testing.assert_allclose(cd.grad(energy)(np.arange(n, dtype=float)), 2.0 * n * np.arange(n), atol=1e-10)


def test_what_is_wrong_is_said():
    with pytest.raises(ShapeError, match="fft is of arrays, and this is a number"):
        cd.fft.fft(2.0)
    with pytest.raises(ShapeError, match="the real parts have 1 dimensions and the imaginary parts 2"):
        cd.fft.fft(np.ones(2), np.ones((2, 2)))
    with pytest.raises(ShapeError, match="there is no axis 1"):
        cd.fft.fft(np.ones(2), axis=1)
    with pytest.raises(ShapeError, match="2.*3|3.*2"):
        cd.fft.fft(np.ones(2), np.ones(3))
