"""Arrays joined, repeated, moved and stretched."""

import functools

import numpy as np

from .. import _core
from .._array import Array, common, lift
from ..errors import ShapeError
from ._elements import add, eager, remainder, subtract, where
from ._indexing import take
from ._making import _sizes, arange, full, zeros_like
from ._order import _axes, _traced, moveaxis, ravel, reshape


@eager
def squeeze(x, /, axis=None):
    """The array without dimensions of size 1: these, or all that are known to be so."""
    x = _traced(x)
    gone = [k for k in range(x.ndim) if x.value.known[k] == 1] if axis is None else _axes(axis, x.ndim)
    for k in reversed(gone):
        if x.value.known[k] not in (1, None):
            raise ShapeError(f"axis {k} has the size {x.value.known[k]}, and only one of size 1 is squeezed")
        x = x[(slice(None),) * k + (0,)]
    return x


@eager
def broadcast_to(x, shape, /):
    """The array stretched to a shape."""
    return where(full(shape, True), x, _traced(x))


@eager
def concatenate(arrays, axis=0):
    """Arrays one after the other along a dimension."""
    of = common(*arrays)
    values = [moveaxis(Array(lift(x, of)), axis, 0) for x in arrays]
    return moveaxis(Array(_core.concat([x.value for x in values])), 0, axis)


@eager
def stack(arrays, axis=0):
    """Arrays of one shape as the elements of a new dimension."""
    of = common(*arrays)
    found = Array(_core.elements([lift(x, of) for x in arrays]))
    return moveaxis(found, 0, axis)


@eager
def vstack(arrays):
    """Rows, or matrices, one below the other."""
    return concatenate([x[None] if x.ndim == 1 else x for x in map(_traced, arrays)])


@eager
def hstack(arrays):
    """Lists one after the other, or matrices side by side."""
    arrays = [_traced(x) for x in arrays]
    return concatenate(arrays, axis=0 if arrays[0].ndim == 1 else 1)


@eager
def flip(x, /, axis=None):
    """The elements backwards, along one dimension or all."""
    x = _traced(x)
    for k in _axes(axis, x.ndim):
        x = moveaxis(Array(_core.reverse(lift(moveaxis(x, k, 0)))), 0, k)
    return x


@eager
def roll(x, shift, /, axis=None):
    """The elements moved on by a number of places; those that leave at the end enter at the beginning."""
    x = _traced(x)
    if axis is None:
        return reshape(roll(ravel(x), shift, 0), x.shape)
    x = moveaxis(x, axis, 0)
    n = x.shape[0]
    return moveaxis(take(x, remainder(subtract(arange(n), shift), n), 0), 0, axis)


@eager
def repeat(x, times, /, axis=None):
    """Each element several times, one after the other."""
    x = ravel(x) if axis is None else _traced(x)
    axis = 0 if axis is None else axis
    x = moveaxis(x, axis, 0)
    return moveaxis(take(x, arange(x.shape[0] * times) // times, 0), 0, axis)


@eager
def tile(x, times, /):
    """The array several times along its innermost dimensions, for each of which a count is given."""
    x = _traced(x)
    times = _sizes(times)
    while x.ndim < len(times):
        x = x[None]
    for k, count in enumerate(times, start=x.ndim - len(times)):
        rows = moveaxis(x, k, 0)
        x = moveaxis(take(rows, arange(rows.shape[0] * count) % rows.shape[0], 0), 0, k)
    return x


@eager
def diff(x, /, n=1, axis=-1):
    """The differences of neighbours, ``n`` times."""
    x = moveaxis(_traced(x), axis, 0)
    for _ in range(n):
        x = x[1:] - x[:-1]
    return moveaxis(x, 0, axis)


@eager
def pad(x, width, /, value=0):
    """The array with elements of a value around it: ``width`` of them, ``(before, after)``, or such a pair for each dimension."""
    x = _traced(x)
    pairs = np.broadcast_to(np.asarray(width), (x.ndim, 2)).tolist()
    for k, (before, after) in enumerate(pairs):
        rows = moveaxis(x, k, 0)
        around = [full((n, *rows.shape[1:]), value, x.dtype) for n in (before, after)]
        x = moveaxis(concatenate([around[0], rows, around[1]]), 0, k)
    return x


@eager
def column_stack(arrays):
    """Lists as the columns of a matrix."""
    return stack(arrays, axis=1)


@eager
def split(x, parts, /, axis=0):
    """The array in parts: as many of one size, or cut at these indices."""
    x = moveaxis(_traced(x), axis, 0)
    n = x.shape[0]
    if isinstance(parts, int):
        if isinstance(n, int) and n % parts:
            raise ShapeError(f"{n} elements are not {parts} parts of one size")
        cuts = [n // parts * k for k in range(1, parts)]
    else:
        cuts = list(parts)
    pieces = [x[start:stop] for start, stop in zip([0, *cuts], [*cuts, n])]
    return [moveaxis(piece, 0, axis) for piece in pieces]


@eager
def meshgrid(x, y, /, indexing="xy"):
    """For each point of a grid its first and its second number; the rows go along ``y``, or with ``indexing="ij"`` along ``x``."""
    x, y = _traced(x), _traced(y)
    first, second = (x[None, :], y[:, None]) if indexing == "xy" else (x[:, None], y[None, :])
    return [first + zeros_like(second), second + zeros_like(first)]


@eager
def atleast_1d(x, /):
    """The array, or a list of the one number."""
    x = _traced(x)
    return x if x.ndim else x[None]


@eager
def atleast_2d(x, /):
    """The array, or a matrix of one row."""
    x = atleast_1d(x)
    return x if x.ndim > 1 else x[None]


@eager
def append(x, values, /, axis=None):
    """The array with others behind it along a dimension, or all elements in a row."""
    parts = [x, values] if axis is not None else [ravel(x), ravel(values)]
    return concatenate(parts, axis=0 if axis is None else axis)


@eager
def flipud(x, /):
    """The array with its first dimension backwards."""
    return flip(x, 0)


@eager
def fliplr(x, /):
    """The array with its second dimension backwards."""
    return flip(x, 1)


@eager
def dstack(arrays):
    """Matrices as the elements of a third dimension."""
    return stack([atleast_2d(x) for x in arrays], axis=2)


@eager
def broadcast_arrays(*arrays):
    """The arrays, each stretched to the shape in which all meet."""
    arrays = [_traced(x) for x in arrays]
    shape = functools.reduce(add, [zeros_like(x, bool) for x in arrays]).shape
    return tuple([broadcast_to(x, shape) for x in arrays])


@eager
def gradient(y, dx=1.0, /, axis=None):
    """The slopes of a line through numbers at equal distances: between the neighbours of each, and to the one neighbour at the ends; along one
    dimension, or a tuple of those along each."""
    y = _traced(y)
    if axis is None and y.ndim > 1:
        return tuple([gradient(y, dx, axis=k) for k in range(y.ndim)])
    axis = 0 if axis is None else axis
    y = moveaxis(y, axis, 0)
    found = concatenate([y[1:2] - y[:1], (y[2:] - y[:-2]) / 2, y[-1:] - y[-2:-1]]) / dx
    return moveaxis(found, 0, axis)
