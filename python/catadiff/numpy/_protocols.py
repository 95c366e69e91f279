"""What numpy's own functions do with traced arrays: the words of the same name of this package.

Law: a function that is written with ``numpy`` alone is traced as if it were written with ``catadiff.numpy`` (tests/test_numpy.py).
"""

import functools

from .._array import Array
from ..errors import TraceError

#: Where the words for functions of a module of numpy are; those of ``numpy.fft`` have complex results, and no meaning here.
_WORDS = {"numpy": ("numpy",), "numpy.linalg": ("linalg",), "ufuncs": ("numpy", "special")}


@functools.lru_cache(maxsize=1000)
def _word(module, name):
    """The word of this package for a function of numpy, or of what builds on it."""
    import catadiff

    words = (getattr(getattr(catadiff, part), name, None) for part in _WORDS.get(module, ()))
    found = next(filter(callable, words), None)
    if found is None:
        raise TraceError(f"`{name}` of numpy has no meaning for traced arrays: catadiff has no word of this name")
    return found


def _ufunc(self, ufunc, method, *inputs, **options):
    if method != "__call__":
        raise TraceError(f"`{ufunc.__name__}.{method}` has no meaning for traced arrays: use a function for it")
    if options.get("out") is not None:
        raise TraceError("an array of numpy does not become a traced one: write `x = x + y` in the place of `x += y`")
    return _word("ufuncs", ufunc.__name__)(*inputs, **options)


def _function(self, f, types, args, options):
    return _word(f.__module__, f.__name__)(*args, **options)


Array.__array_ufunc__ = _ufunc
Array.__array_function__ = _function
