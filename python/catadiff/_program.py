"""Programs of arrays: what a traced function becomes, as data.

Law: a program that is pickled and read back is equal and gives the same bits (tests/test_programs.py).
"""

import functools

import numpy as np

from . import _core
from ._array import Array, is_tracing, lift
from ._tree import Tree, flatten, unflatten
from .errors import ShapeError, TypeMismatchError


class Program:
    """The program of a function for arguments of one structure, dtype and number of dimensions, of any sizes but 1.

    It is called with such arguments, prints as text, shows itself as a picture in notebooks, pickles, and becomes C.
    """

    def __init__(self, core, tree, out, outlines, captured, name):
        self.core = core
        self.tree = tree
        self.out = out
        self.outlines = outlines
        self.captured = captured
        self.name = name
        self.executor = "lanes"
        self.compiled = {}
        self.is_plain = out == _PLAIN
        self.outer = [x for x in captured if isinstance(x, Array)]

    def __call__(self, *args, **kwargs):
        from ._function import _outlined

        leaves = self._leaves(args, kwargs)
        for name, (_, known, _), leaf in zip(self.core.names, self.outlines, leaves):
            _, found, _ = _outlined(leaf)
            if found != known and len(found) == len(known):
                axis = next(k for k, (a, b) in enumerate(zip(found, known)) if a != b)
                was = "another size than 1" if known[axis] is None else "size 1"
                # A size of 1 that was not known to be one is right as long as nothing is stretched by it.
                if known[axis] == 1:
                    raise ShapeError(f"axis {axis} of `{name}` had {was} when {self.name} was traced")
        return self.applied(leaves)

    def _leaves(self, args, kwargs):
        """The leaves of arguments, if they are of the structure that the program is for."""
        from ._function import _plain

        leaves, tree = flatten((args, kwargs))
        if tree != self.tree:
            raise TypeMismatchError(f"{self.name} was traced for {self.tree}, and this is {tree}")
        return [_plain(leaf) for leaf in leaves]

    def applied(self, leaves):
        """The results for the leaves of arguments: computed, or where a function is being traced, part of its program."""
        if is_tracing():
            values = _core.call(self.core, [lift(leaf) for leaf in (*leaves, *self.captured)])
            return unflatten(self.out, [Array(value) for value in values])
        results = self.ready().run((*leaves, *self.captured))
        return results[0] if self.is_plain else unflatten(self.out, results)

    def ready(self, executor=None):
        """The program as its executor has it."""
        executor = executor or self.executor
        if executor not in self.compiled:
            self.compiled[executor] = self.core.compile(executor)
            self.executor = executor
        return self.compiled[executor]

    def run(self, *args, progress=None, every=1 << 16, **kwargs):
        """As a call; ``progress(steps)`` is called from time to time, about each ``every`` steps, and an exception in it ends the run."""
        leaves = self._leaves(args, kwargs)
        results = self.ready().run((*leaves, *self.captured), progress, every)
        return unflatten(self.out, results)

    def with_core(self, core, out):
        """A program of the same arguments with other results."""
        return Program(core, self.tree, out, self.outlines, self.captured, self.name)

    def only(self, places, out):
        """The program with the results at these places."""
        return self.with_core(self.core.only(list(places)), out)

    def real(self):
        """Which leaves of the arguments are real."""
        return [k for k, is_real in enumerate(self.core.real_parameters()[: self.tree.count]) if is_real]

    def dtype(self, k):
        """The dtype of a leaf of the arguments."""
        return self.core.parameters[k][0]

    def along(self, verb, by, leaves, directions):
        """The results of a derivative in directions, in the program that is being traced."""
        core = self.core.derivative(verb, by)
        arguments = [lift(x) for x in (*leaves, *self.captured)]
        return [Array(value) for value in _core.call(core, [*arguments, *directions])]

    def derived_in_trace(self, verb, real, leaves, directions):
        """The results, and their derivatives in directions, in the program that is being traced."""
        found = self.along(verb, real, leaves, directions)
        results, derivatives = found[: self.out.count], iter(found[self.out.count :])
        if verb == "jvp":
            return unflatten(self.out, results), unflatten(self.out, list(derivatives))
        # Integers have no adjoint; zeros of their sizes stand for it.
        from .numpy import zeros_like

        adjoints = [next(derivatives) if k in real else zeros_like(Array(lift(leaf))) for k, leaf in enumerate(leaves)]
        args = self.tree.children[0]
        return unflatten(self.out, results), unflatten(args, adjoints[: args.count])

    def shown_results(self):
        """The results, as a message names them."""
        return ", ".join(f"{dtype}[{', '.join('?' * rank)}]" if rank else dtype for dtype, rank in self.core.results)

    @property
    def text(self):
        """The program as text."""
        return str(self.core)

    def __str__(self):
        return self.text

    def __repr__(self):
        names = ", ".join(self.core.names)
        return f"<program {self.name}({names})>"

    def explain(self):
        """What its executor makes of the program."""
        return self.ready().explain()

    def to_c(self, name=None):
        """The source and the header of the program as a function in C, which needs nothing of this package."""
        return self.core.to_c(name or "".join(c if c.isalnum() else "_" for c in self.name).strip("_"))

    def to_svg(self):
        """The program as a picture of its data flow."""
        return self.core.to_svg()

    _repr_svg_ = to_svg

    def __eq__(self, other):
        if not isinstance(other, Program):
            return NotImplemented
        same = (self.core, self.tree, self.out) == (other.core, other.tree, other.out)
        captured = len(self.captured) == len(other.captured) and all(map(np.array_equal, self.captured, other.captured))
        return same and captured

    __hash__ = None

    def __reduce__(self):
        if self.outer:
            raise TypeError("a program that mentions traced arrays belongs to the function that is being traced")
        parts = (self.text, self.tree, self.out, self.outlines, self.captured, self.name, self.executor)
        return _read, parts


_PLAIN = Tree(None, (), ())


@functools.lru_cache(maxsize=100)
def _parsed(text):
    """The program of a text and what is compiled of it, which tasks that are sent it one after the other share."""
    return _core.Program.parse(text), {}


def _read(text, tree, out, outlines, captured, name, executor):
    core, compiled = _parsed(text)
    program = Program(core, tree, out, outlines, captured, name)
    program.executor = executor
    program.compiled = compiled
    return program
