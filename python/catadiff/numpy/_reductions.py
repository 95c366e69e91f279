"""Elements combined along dimensions."""

import functools
import operator

import numpy as np

from .. import _core
from .._array import Array, common, lift, size_of
from ._elements import _real, add, astype, divide, eager, equal, isclose, multiply, named, sqrt, subtract
from ._indexing import _nested
from ._making import ones_like
from ._order import _axes, _axis, _traced, expand_dims, moveaxis, ravel, reshape, transpose


def _along(name, x, axis, keepdims=False, keeps=False):
    """A word of lists, along one dimension; it gives a number, or if it ``keeps`` the dimension, a list."""
    axis = _axis(axis, x.ndim)
    last = moveaxis(x, axis, -1)
    found = Array(_nested(x.ndim - 1, lambda rows: _core.word(name, rows), [lift(last)])[0])
    if keeps:
        return moveaxis(found, -1, axis)
    return expand_dims(found, axis) if keepdims else found


def _reduced(name, x, axis, keepdims):
    """A word of lists, along all of these dimensions at once."""
    x = _traced(x)
    axes = _axes(axis, x.ndim)
    if x.ndim == 0 or not axes:
        x, axes = x[None], [0]
        return _along(name, x, 0)
    if len(axes) == 1:
        return _along(name, x, axes[0], keepdims)
    others = [k for k in range(x.ndim) if k not in axes]
    rows = transpose(x, others + axes)
    found = _along(name, reshape(rows, *[size_of(x, k) for k in others], -1), -1)
    for k in axes if keepdims else []:
        found = expand_dims(found, k)
    return found


def _reduction(name, word, doc, convert=lambda x: x):
    @named(name, f"{doc}, along one dimension, several, or all.")
    def f(x, /, axis=None, keepdims=False):
        return _reduced(word, convert(x), axis, keepdims)

    return f


def _countable(x):
    return Array(lift(x, np.int64)) if common(x).kind == "b" else x


def _as_real(x):
    return Array(_real(x)[0])


sum = _reduction("sum", "sum", "The sum", _countable)
prod = _reduction("prod", "product", "The product", _countable)
min = _reduction("min", "min", "The least element, a number rather than NaN")
max = _reduction("max", "max", "The greatest element, a number rather than NaN")
mean = _reduction("mean", "mean", "The mean", _as_real)
amin, amax = min, max


@eager
def var(x, /, axis=None, keepdims=False, ddof=0):
    """The mean squared distance from the mean, along one dimension, several, or all: the sum divided by ``ddof`` less than there are."""
    x = _as_real(x)
    found = _reduced("var", x, axis, keepdims)
    if ddof == 0:
        return found
    count = functools.reduce(operator.mul, [size_of(x, k) for k in _axes(axis, x.ndim)], 1)
    count = astype(count, x.dtype) if isinstance(count, Array) else count
    return found * count / (count - ddof)


@eager
def std(x, /, axis=None, keepdims=False, ddof=0):
    """The square root of :func:`var`."""
    if ddof == 0:
        return _reduced("std", _as_real(x), axis, keepdims)
    return sqrt(var(x, axis=axis, ddof=ddof, keepdims=keepdims))


def _truth(word, x, axis, keepdims):
    """A word of integers, of truths as 0 and 1."""
    truths = Array(lift(Array(lift(x, np.bool_)), np.int64))
    return equal(_reduced(word, truths, axis, keepdims) if truths.ndim else truths, 1)


@eager
def all(x, /, axis=None, keepdims=False):
    """Whether all elements are true, or not 0, along one dimension, several, or all."""
    return _truth("min", x, axis, keepdims)


@eager
def any(x, /, axis=None, keepdims=False):
    """Whether any element is true, or not 0, along one dimension, several, or all."""
    return _truth("max", x, axis, keepdims)


def _place_of(word, x, axis, keepdims):
    if axis is not None:
        return _reduced(word, x, axis, keepdims)
    found = _reduced(word, ravel(x), 0, False)
    return found[(None,) * _traced(x).ndim] if keepdims else found


@eager
def argmin(x, /, axis=None, keepdims=False):
    """The index of the least element, the first of several; along one dimension, or of all in a row."""
    return _place_of("argmin", x, axis, keepdims)


@eager
def argmax(x, /, axis=None, keepdims=False):
    """The index of the greatest element, the first of several; along one dimension, or of all in a row."""
    return _place_of("argmax", x, axis, keepdims)


def _running(name, doc, convert=lambda x: x):
    @named(name, f"{doc}, along one dimension, or of all in a row.")
    def f(x, /, axis=None):
        x = convert(x)
        return _along(name, ravel(x) if axis is None else _traced(x), -1 if axis is None else axis, keeps=True)

    return f


cumsum = _running("cumsum", "The sums of the elements so far", _countable)
cumprod = _running("cumprod", "The products of the elements so far", _countable)
cummax = _running("cummax", "The greatest of the elements so far")
cummin = _running("cummin", "The least of the elements so far")


@eager
def sort(x, /, axis=-1):
    """The elements in order, NaN last."""
    return _along("sort", _traced(x), axis, keeps=True)


@eager
def argsort(x, /, axis=-1):
    """The indices of the elements in order, NaN last; equal elements stay in theirs."""
    return _along("argsort", _traced(x), axis, keeps=True)


@eager
def searchsorted(x, values, /, side="left"):
    """For each value the first index before which it could stand in a list in order, or with ``side="right"`` the last."""
    of = common(x, values)
    values = Array(lift(values, of))
    word = {"left": "searchsorted", "right": "searchsorted_right"}[side]
    found = Array(_core.word(word, [lift(x, of), lift(ravel(values))])[0])
    return reshape(found, values.shape) if values.ndim != 1 else found


@eager
def interp(x, points, values, /):
    """The values at ``x`` of the line through points in order; outside of them it is level."""
    x, points, values = _real(x, points, values)
    at = Array(x)
    found = Array(_core.word("interp", [lift(ravel(at)), points, values])[0])
    return reshape(found, at.shape) if at.ndim != 1 else found


@eager
def average(x, /, axis=None, weights=None):
    """The mean, of which each element has a part by its weight."""
    if weights is None:
        return mean(x, axis=axis)
    return divide(sum(multiply(x, weights), axis=axis), sum(multiply(weights, ones_like(x)), axis=axis))


@eager
def allclose(x, y, /, rtol=1e-5, atol=1e-8):
    """Whether all elements that meet are close, as :func:`isclose` has it."""
    return all(isclose(x, y, rtol=rtol, atol=atol))


@eager
def trapezoid(y, /, x=None, dx=1.0):
    """The area under the line through points at these places, or at equal distances."""
    distances = dx if x is None else subtract(_traced(x)[1:], _traced(x)[:-1])
    y = _traced(y)
    return sum(multiply(distances, add(y[1:], y[:-1]))) / 2
