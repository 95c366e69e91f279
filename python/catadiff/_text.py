"""Programs in text files, as functions.

Law: an entry point computes what ``catadiff run`` computes for it, and has every derivative (tests/test_text.py).
"""

import functools
import inspect
import os
import types

from . import _core
from ._array import Array, lift
from ._function import Function
from ._tree import flatten
from .errors import TypeMismatchError


class Entry(Function):
    """An entry point of a text: a function of arrays like any other."""

    def __init__(self, name, core, parameters):
        self.core = core
        self.parameters = parameters
        super().__init__(self._applied)
        self.__name__ = self.__qualname__ = name
        self.__doc__ = f"The entry point `{name}` of a text."

    def _applied(self, *args):
        if len(args) != len(self.parameters):
            names = ", ".join(name for name, _ in self.parameters)
            raise TypeMismatchError(
                f"{self.__name__} takes {len(self.parameters)} arguments ({names}), and there are {len(args)}"
            )
        values = []
        for (name, count), arg, (first, _) in zip(self.parameters, args, self._starts()):
            leaves, _ = flatten(arg)
            if len(leaves) != count:
                raise TypeMismatchError(f"`{name}` is {count} arrays, in a tuple, and there are {len(leaves)}")
            values.extend(lift(leaf, self.core.parameters[first + k][0]) for k, leaf in enumerate(leaves))
        results = [Array(value) for value in _core.call(self.core, values)]
        return results[0] if len(results) == 1 else tuple(results)

    @functools.cached_property
    def signature(self):
        """The parameters of the entry point."""
        kind = inspect.Parameter.POSITIONAL_ONLY
        return inspect.Signature([inspect.Parameter(name, kind) for name, _ in self.parameters])

    def _starts(self):
        start = 0
        for _, count in self.parameters:
            yield start, count
            start += count

    def _names(self, tree):
        names = []
        for (name, _), child in zip(self.parameters, tree.children[0].children):
            names.extend(child.paths(name))
        return names


def load(path):
    """The entry points of a text program in Futhark, as the attributes of a namespace.

    What is wrong with the text is a :class:`~catadiff.errors.TextError`, which shows the place.

    >>> import pathlib, tempfile, numpy as np, catadiff as cd
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     path = pathlib.Path(folder, "f.fut")
    ...     _ = path.write_text("entry norm2 (xs: []f64) = f64.sum (map (\\\\x -> x * x) xs)")
    ...     f = cd.load(path)
    >>> cd.grad(f.norm2)(np.array([1.0, 2.0]))
    array([2., 4.])
    """
    entries = {name: Entry(name, *parts) for name, *parts in _core.load(os.fspath(path))}
    return types.SimpleNamespace(**entries)
