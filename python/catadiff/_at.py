"""Arrays of which some elements are others, by JAX's words: ``x.at[key].set(values)``.

Law: what is given is a copy of the array after numpy's ``x[key] = values``, ``numpy.add.at(x, key, values)`` and so on, but for which of several
values for one element is the one that is set (tests/test_numpy.py).
"""

import itertools

import numpy as np

from ._array import Array, common, lift
from ._combinators import reduce_by_index, scatter, update
from .errors import TypeMismatchError
from .numpy import _elements as elements
from .numpy._indexing import _index, _places
from .numpy._making import arange, array
from .numpy._order import ravel, reshape
from .numpy._shapes import broadcast_to


class At:
    """What ``x.at`` is: it takes a key as ``x`` does."""

    __slots__ = ("x",)

    def __init__(self, x):
        self.x = x

    def __getitem__(self, key):
        return Elements(self.x, key)


class Elements:
    """The elements of an array for which a key is. A method gives the array with others in their place."""

    __slots__ = ("key", "x")

    def __init__(self, x, key):
        self.x = x
        self.key = key

    def get(self):
        """The elements themselves: ``x[key]``."""
        return _index(self.x, self.key)

    def set(self, values):
        """These values."""
        return self._changed(values, None, None)

    def add(self, values):
        """The sums of the elements and these values: of all values, where an element is named more than once."""
        return self._changed(values, elements.add, 0)

    def multiply(self, values):
        """The products of the elements and these values."""
        return self._changed(values, elements.multiply, 1)

    def min(self, values):
        """The lesser of the elements and these values."""
        return self._changed(values, elements.minimum, _extreme(self.x.dtype, "max"))

    def max(self, values):
        """The greater of the elements and these values."""
        return self._changed(values, elements.maximum, _extreme(self.x.dtype, "min"))

    def _changed(self, values, combined, neutral):
        x = self.x
        met = common(x, values)
        if not np.can_cast(met, x.dtype, "same_kind"):
            raise TypeMismatchError(f"elements of {x.dtype} cannot be {met}: convert the array first, by `astype`")
        values = array(values) if isinstance(values, (list, tuple)) else values
        places = _places(x, self.key)
        numbers = tuple(itertools.takewhile(_is_number, places))
        if all(isinstance(place, slice) and place == slice(None) for place in places[len(numbers) :]):
            # One element, or one array of the innermost dimensions.
            old = _index(x, numbers)
            new = values if combined is None else combined(old, values)
            return update(x, numbers, broadcast_to(new, old.shape))
        # Every element has a number, and the key says which of these numbers are meant.
        at = _index(reshape(arange(x.size), x.shape), self.key)
        values = Array(lift(broadcast_to(values, at.shape), x.dtype))
        flat, at = ravel(x), ravel(at)
        if combined is None or not any(isinstance(place, Array) for place in places):
            new = values if combined is None else combined(self.get(), values)
            return reshape(scatter(flat, at, ravel(new)), x.shape)
        return reshape(reduce_by_index(flat, at, ravel(values), combined, neutral), x.shape)


def _is_number(place):
    return isinstance(place, int) or isinstance(place, Array) and place.ndim == 0


def _extreme(dtype, which):
    if dtype.kind == "f":
        return np.inf if which == "max" else -np.inf
    return which == "max" if dtype.kind == "b" else int(getattr(np.iinfo(dtype), which))


Array.at = property(At, doc="Elements of the array, by key, of which others are to be in their place.")
