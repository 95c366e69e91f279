"""Arrays made of numbers and sizes."""

import builtins

import numpy as np

from .. import _core
from .._array import Array, as_array, common, lift
from .._tree import flatten
from ._elements import ceil, divide, eager, floor_divide, maximum, negative, subtract


def _size(n):
    """The value of a size, or an index."""
    return lift(n, np.int64)


def _sizes(shape):
    return list(shape) if isinstance(shape, (tuple, list)) else [shape]


@eager
def array(x, dtype=None):
    """The array of these elements, which may be traced, in nested lists."""
    if isinstance(x, (list, tuple)) and any(isinstance(leaf, Array) for leaf in flatten(x)[0]):
        return Array(lift(list(x), dtype))
    return Array(lift(x if isinstance(x, Array) else as_array(x), dtype))


asarray = array


@eager
def full(shape, value, dtype=None):
    """An array of this shape whose every element is a value."""
    found = lift(value, dtype if dtype is not None else common(value))
    for n in reversed(_sizes(shape)):
        found = _core.replicate(_size(n), found)
    return Array(found)


def zeros(shape, dtype=np.float64):
    """An array of this shape of zeros."""
    return full(shape, 0, dtype)


def ones(shape, dtype=np.float64):
    """An array of this shape of ones."""
    return full(shape, 1, dtype)


def full_like(x, value, dtype=None):
    """An array of the shape of another whose every element is a value."""
    return full(shape(x), value, dtype if dtype is not None else common(x))


def zeros_like(x, dtype=None):
    """An array of the shape of another of zeros."""
    return full_like(x, 0, dtype)


def ones_like(x, dtype=None):
    """An array of the shape of another of ones."""
    return full_like(x, 1, dtype)


@eager
def eye(n, dtype=np.float64):
    """The matrix of ``n`` rows and columns with ones on the diagonal and zeros elsewhere."""
    return Array(_core.word("eye", [_size(n), _core.constant(str(np.dtype(dtype)), 1)], 1)[0])


identity = eye


@eager
def arange(start, stop=None, step=1, dtype=None):
    """The numbers from ``start``, or 0, up to ``stop``, which is not one of them, with the distance ``step``."""
    start, stop = (0, start) if stop is None else (start, stop)
    of = np.dtype(dtype) if dtype is not None else common(start, stop, step)
    if all(isinstance(x, int) for x in (start, stop, step)):
        count = builtins.max(0, -((start - stop) // step))
    elif of.kind == "f":
        count = maximum(ceil(divide(subtract(stop, start), step)).astype(np.int64), 0)
    else:
        count = maximum(negative(floor_divide(subtract(start, stop), step)), 0)
    numbers = Array(_core.iota(_size(count))).astype(of)
    return numbers if (start, step) == (0, 1) else Array(lift(start, of)) + numbers * Array(lift(step, of))


@eager
def linspace(start, stop, num=50):
    """``num`` numbers at equal distances, the first and the last of them given."""
    of = np.result_type(common(start, stop), np.float16)
    operands = [lift(start, of), lift(stop, of), _size(num)]
    return Array(_core.word("linspace", operands, 0)[0])


def shape(x, /):
    """The sizes of an array: integers where they are known, else traced integers."""
    return x.shape if isinstance(x, Array) else np.shape(x)


def ndim(x, /):
    """The number of dimensions."""
    return x.ndim if isinstance(x, Array) else np.ndim(x)
