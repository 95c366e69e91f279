"""Discrete Fourier transforms: the words of ``numpy.fft``, for traced arrays and arrays of numpy.

There are no complex numbers here, so an array of them is a pair of arrays, of the real and of the imaginary parts. Lengths are any; the
cheapest are powers of two. A transform is linear, and both of its derivatives are transforms.

Law: each is numpy's function of the same name (tests/test_fft.py).
"""

import numpy as np

from . import _core
from ._array import Array, lift
from .errors import ShapeError
from .numpy._elements import _real, eager
from .numpy._indexing import _nested
from .numpy._making import zeros, zeros_like
from .numpy._order import _axis, moveaxis
from .numpy._shapes import concatenate


def _resized(x, n):
    """The first elements of each row, with zeros behind them where there are fewer."""
    if n is None:
        return x
    zero = zeros((*x.shape[:-1], n), x.dtype)
    return concatenate([x, zero], axis=-1)[..., :n]


def _transformed(word, parts, axis, n=None, length=None):
    """The transform of each row along an axis."""
    parts = [Array(x) for x in _real(*parts)]
    rank = parts[0].ndim
    if rank == 0:
        raise ShapeError(f"{word} is of arrays, and this is a number")
    if any(x.ndim != rank for x in parts):
        raise ShapeError(f"the real parts have {rank} dimensions and the imaginary parts {parts[1].ndim}")
    axis = _axis(axis, rank)
    if len(parts) == 2:
        _core.same_length(*(lift(moveaxis(x, axis, 0)) for x in parts))
    rows = [_resized(moveaxis(x, axis, -1), n) for x in parts]
    behind = [] if length is None else [lift(length, np.int64)]
    found = _nested(rank - 1, lambda each: _core.word(word, [*each, *behind]), [lift(x) for x in rows])
    return tuple(moveaxis(Array(value), -1, axis) for value in found)


def _both(re, im):
    return (re, zeros_like(re) if im is None else im)


@eager
def fft(re, im=None, /, n=None, axis=-1):
    """The transform along an axis, of complex numbers or, if no imaginary parts are given, of reals: the real and the imaginary parts.

    Element ``k`` is the sum of ``x[j] exp(−2πi j k / n)``. With ``n`` there are so many elements: the first ones, or with zeros behind.

    >>> import numpy as np, catadiff as cd
    >>> re, im = cd.fft.fft(np.array([1.0, 2.0, 0.0, 0.0]))
    >>> re, im
    (array([ 3.,  1., -1.,  1.]), array([ 0., -2.,  0.,  2.]))
    """
    return _transformed("fft", _both(re, im), axis, n)


@eager
def ifft(re, im=None, /, n=None, axis=-1):
    """The way back from :func:`fft`: element ``j`` is the sum of ``x[k] exp(2πi j k / n)``, divided by ``n``."""
    return _transformed("ifft", _both(re, im), axis, n)


@eager
def rfft(x, /, n=None, axis=-1):
    """The first ``n // 2 + 1`` elements of the transform of ``n`` reals, which determine the others."""
    return _transformed("rfft", [x], axis, n)


@eager
def irfft(re, im, /, n=None, axis=-1):
    """The way back from :func:`rfft` to ``n`` reals; if no ``n`` is given, to the even one.

    >>> import numpy as np, catadiff as cd
    >>> def smoothed(x):
    ...     re, im = cd.fft.rfft(x)
    ...     keep = np.arange(3) < 2
    ...     return cd.fft.irfft(re * keep, im * keep)
    >>> cd.jacrev(smoothed)(np.zeros(4))[0]
    array([ 0.75,  0.25, -0.25,  0.25])
    """
    re = Array(_real(re)[0])
    length = (re.shape[_axis(axis, re.ndim)] - 1) * 2 if n is None else n
    return _transformed("irfft", (re, im), axis, n if n is None else n // 2 + 1, length)[0]


@eager
def fft2(re, im=None, /, axes=(-2, -1)):
    """The transform along two axes."""
    first, second = axes
    return _transformed("fft", _transformed("fft", _both(re, im), second), first)


@eager
def ifft2(re, im=None, /, axes=(-2, -1)):
    """The way back from :func:`fft2`."""
    first, second = axes
    return _transformed("ifft", _transformed("ifft", _both(re, im), second), first)


def fftfreq(n, d=1.0):
    """The frequencies of the elements of a transform of ``n`` samples that are ``d`` apart: an array of numpy."""
    return np.fft.fftfreq(n, d)


def rfftfreq(n, d=1.0):
    """The frequencies of the elements of :func:`rfft` of ``n`` samples that are ``d`` apart: an array of numpy."""
    return np.fft.rfftfreq(n, d)
