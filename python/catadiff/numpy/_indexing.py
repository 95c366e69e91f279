"""Elements at indices and in ranges, with numpy's rules for ``x[…]``."""

import builtins

import numpy as np

from .. import _core
from .._array import Array, lift, size_of
from ..errors import ShapeError, TraceError, TypeMismatchError
from ._elements import eager, maximum, minimum
from ._making import _size, zeros_like
from ._order import _axis, _traced, expand_dims, moveaxis, ravel, transpose


def _gathered(x, indices):
    """The elements at the indices in arrays that meet: an index into each of the leading dimensions."""
    rank = builtins.max(i.ndim for i in indices)
    if rank == 0:
        return Array(_core.index(lift(x), [lift(i) for i in indices]))
    for i in indices if len(indices) > 1 else []:
        indices = [zeros_like(i, np.int64) + other for other in indices]
    deepest = _nested(rank, lambda at: [_core.index(lift(x), at)], [lift(i) for i in indices])
    return Array(deepest[0])


def _nested(depth, f, values):
    """``f`` of the elements that lie this deep in arrays of the same sizes there."""
    if depth == 0:
        return f(values)
    return _core.map(lambda inner: _nested(depth - 1, f, inner), values)


@eager
def take(x, indices, /, axis=None):
    """The elements at indices into a dimension, or into all elements in a row; out of bounds is an error of the run."""
    x = ravel(x) if axis is None else _traced(x)
    axis = 0 if axis is None else _axis(axis, x.ndim)
    indices = Array(lift(indices, np.int64))
    found = _gathered(moveaxis(x, axis, 0), [indices])
    order = list(range(indices.ndim, indices.ndim + axis)) + list(range(indices.ndim))
    order += list(range(indices.ndim + axis, found.ndim))
    return transpose(found, order)


@eager
def take_along_axis(x, indices, /, axis):
    """For each index the element at it along a dimension, where the other dimensions are as many and of the same sizes."""
    x, indices = moveaxis(_traced(x), axis, -1), moveaxis(_traced(indices), axis, -1)

    def rows(values):
        row, at = values
        return _core.map(lambda i: [_core.index(row, i)], [at])

    found = _nested(x.ndim - 1, rows, [lift(x), lift(indices, np.int64)])
    return moveaxis(Array(found[0]), -1, axis)


def _index(x, key):
    """``x[key]``."""
    places = _places(x, key)
    if builtins.any(isinstance(place, Array) and place.ndim > 0 for place in places):
        return _advanced(x, places)
    # Numbers are taken of their dimensions at once, since these can stand before all others.
    axes = [place for place in places if place is not None]
    at = [k for k, place in enumerate(axes) if not isinstance(place, slice)]
    if at:
        rest = [k for k in range(x.ndim) if k not in at]
        indices = [lift(axes[k], np.int64) for k in at]
        x = Array(_core.index(lift(transpose(x, at + rest)), indices))
    ranges = [(k, place) for k, place in enumerate(p for p in axes if isinstance(p, slice)) if place != slice(None)]
    if ranges:
        x = _sliced(x, dict(ranges))
    kept = [place for place in places if place is None or isinstance(place, slice)]
    for k, place in enumerate(kept):
        if place is None:
            x = expand_dims(x, k)
    return x


def _places(x, key):
    """A place for each dimension: an index, indices, or a range; and ``None`` for each new one."""
    key = key if isinstance(key, tuple) else (key,)
    taken = len([part for part in key if part is not None and part is not Ellipsis])
    if taken > x.ndim:
        raise OutOfRank(f"{taken} indices are too many for an array of {x.ndim} dimensions")
    if builtins.all(part is not Ellipsis for part in key):
        key = (*key, Ellipsis)
    places = []
    for part in key:
        if part is Ellipsis:
            places.extend([slice(None)] * (x.ndim - taken))
        elif part is None or isinstance(part, slice):
            places.append(part)
        else:
            places.append(_at(x, len([p for p in places if p is not None]), part))
    return places


class OutOfRank(ShapeError, IndexError):
    """More indices than dimensions."""


def _at(x, axis, part):
    """An index, or indices, into a dimension; integers of Python are counted from the end if they are negative."""
    if isinstance(part, (int, np.integer)) and not isinstance(part, bool):
        part, known = int(part), x.value.known[axis]
        if known is not None and not -known <= part < known:
            raise OutOfRank(f"the index {part} is out of bounds for axis {axis}, whose size is {known}")
        if part >= 0:
            return part
        return part + known if known is not None else size_of(x, axis) + part
    if (
        not isinstance(part, Array)
        and np.ndim(part)
        and np.asarray(part).dtype.kind == "i"
        and np.min(part, initial=0) < 0
    ):
        part = np.where(np.asarray(part) < 0, 1, 0) * size_of(x, axis) + np.asarray(part)
    found = _traced(part)
    if found.dtype.kind == "b":
        raise TraceError("a mask gives an array whose size depends on its numbers: write `where`, or sums with it")
    if found.dtype.kind == "f":
        raise TypeMismatchError(f"an index is an integer, and this is {found.dtype}")
    return found


def _sliced(x, ranges):
    """The array with ranges of its leading dimensions."""
    triples = []
    for k in range(builtins.max(ranges) + 1):
        start, count, step = _range(size_of(x, k), ranges.get(k, slice(None)))
        triples.append([_size(start), _size(count), _size(step)])
    return Array(_core.slice(lift(x), triples))


def _range(n, part):
    """The first index, the count and the step of a range, which may reach beyond the ends."""
    if all_int(*[end for end in (n, part.start, part.stop, part.step) if end is not None]):
        start, stop, step = part.indices(n)
        return start if stop != start else 0, len(range(start, stop, step)), step
    step = 1 if part.step is None else part.step
    if not isinstance(step, int):
        raise TypeMismatchError("the step of a range is an integer of Python")
    if step == 0:
        raise ShapeError("the step of a range is not 0")
    least, most = (0, n) if step > 0 else (-1, n - 1)
    bound = lambda end, open_end: open_end if end is None else _clamped(end, n, least, most)
    start, stop = (
        (bound(part.start, 0), bound(part.stop, n)) if step > 0 else (bound(part.start, most), bound(part.stop, -1))
    )
    if step == 1:
        count = stop - start
    else:
        count = (stop - start + (step - 1 if step > 0 else step + 1)) // step
    if part.start is None and step == 1 and not isinstance(part.stop, int) and part.stop is not None:
        return start, count, step
    return start, maximum(count, 0) if isinstance(count, Array) else builtins.max(count, 0), step


def all_int(*numbers):
    """Whether all are integers of Python."""
    return builtins.all(isinstance(n, (int, np.integer)) for n in numbers)


def _clamped(end, n, least, most):
    """An end of a range within the array: an integer of Python as Python has it, a traced one as it is."""
    if not isinstance(end, (int, np.integer)):
        return end
    if end < 0:
        return maximum(n + int(end), least)
    return 0 if end == 0 and least == 0 else minimum(int(end), most)


def _advanced(x, places):
    """Elements at indices in arrays; numbers beside them are such arrays, as in numpy."""
    if None in [place if place is None else 0 for place in places]:
        added = [k for k, place in enumerate(places) if place is None]
        found = _advanced(x, [place for place in places if place is not None])
        if builtins.any(isinstance(place, Array) for place in places[: builtins.max(added)]):
            raise TraceError("a new dimension after an array of indices: write it in an indexing of its own")
        for k in added:
            found = expand_dims(found, k)
        return found
    at = [k for k, place in enumerate(places) if not isinstance(place, slice)]
    ranges = {k: place for k, place in enumerate(places) if isinstance(place, slice) and place != slice(None)}
    if ranges:
        x = _sliced(x, ranges)
    rest = [k for k in range(x.ndim) if k not in at]
    found = _gathered(transpose(x, at + rest), [Array(lift(places[k], np.int64)) for k in at])
    if at != list(range(at[0], at[-1] + 1)) or at[0] == 0:
        return found
    # The dimensions of the indices stand where those that they replace stood.
    rank = found.ndim - len(rest)
    order = list(range(rank, rank + at[0])) + list(range(rank)) + list(range(rank + at[0], found.ndim))
    return transpose(found, order)
