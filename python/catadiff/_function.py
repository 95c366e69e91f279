"""Functions that become programs.

A function of Python is traced once for each structure, dtype and number of dimensions of its arguments, and for each dimension of
size 1; the program that it becomes runs for arrays of any other sizes.

Law: a call gives what the function computes with numpy's arrays, whatever is known of arguments like these (tests/test_running.py).
"""

import functools
import inspect

import numpy as np

from . import _core
from ._array import Array, Trace, as_array, checked, is_tracing, lift
from ._program import Program
from ._tree import flatten, unflatten
from .errors import CatadiffError, TypeMismatchError


class Function(_core.Callable):
    """What is called like the function that it is made of, and runs as a program of arrays."""

    def __init__(self, f, static_argnames=(), executor="lanes"):
        functools.update_wrapper(self, f, updated=())
        self.__name__ = getattr(f, "__name__", type(f).__name__)
        self.f = f
        if executor not in _core.executors():
            raise ValueError(f"there is no executor `{executor}` here: there are {', '.join(_core.executors())}")
        self.executor = executor
        names = (static_argnames,) if isinstance(static_argnames, str) else tuple(static_argnames)
        self.static = frozenset(names)
        self.programs = {}
        self.made = {}
        if names:
            unknown = self.static - set(self.signature.parameters)
            if unknown:
                raise TypeError(f"{self.__name__} has no parameter {', '.join(sorted(unknown))}")

    @functools.cached_property
    def signature(self):
        """The parameters of the function."""
        return inspect.signature(self.f)

    def __get__(self, instance, owner=None):
        return self if instance is None else functools.partial(self, instance)

    def _call(self, *args, **kwargs):
        """A call with arguments of an outline for which no program is known yet, or that are trees."""
        program, leaves = self._program(args, kwargs)
        found = program.applied(leaves)
        if not kwargs and not self.static and not is_tracing() and len(args) == len(leaves) and not program.outer:
            made = None if program.is_plain else functools.partial(unflatten, program.out)
            self._remember(args, program.ready(), program.captured, made)
        return found

    def lower(self, *args, **kwargs):
        """The program for arguments like these: of their structure, dtypes and numbers of dimensions.

        >>> import numpy as np, catadiff as cd
        >>> print(cd.function(lambda x: 2.0 * x).lower(np.array([1.0, 2.0])))
        program (x: []f64) {
          let v3: []f64 = map (x) |v1: f64| {
            let v2: f64 = mul(2.0f64, v1)
            return v2
          }
          return v3
        }
        <BLANKLINE>
        """
        return self._program(args, kwargs)[0]

    def compile(self, *args, executor=None, **kwargs):
        """The program for arguments like these, ready to run; on this executor, if one is named."""
        program = self.lower(*args, **kwargs)
        program.ready(executor or self.executor)
        return program

    def _program(self, args, kwargs):
        """The program for arguments like these, and the leaves of these."""
        static = ()
        if self.static:
            bound = self.signature.bind(*args, **kwargs)
            static = tuple((name, bound.arguments.pop(name)) for name in sorted(self.static & set(bound.arguments)))
            # What stands behind a static argument is named.
            args, kwargs = bound.args, bound.kwargs
        leaves, tree = flatten((args, kwargs))
        leaves = [_plain(leaf) for leaf in leaves]
        outlines = tuple([_outlined(leaf) for leaf in leaves])
        key = (tree, outlines, static)
        try:
            return self._known(key), leaves
        except TypeError:
            if _is_hashable(static):
                raise
            raise TypeError(f"static arguments of {self.__name__} must be hashable: {static}") from None

    def _known(self, key):
        """The program for arguments of this structure and outline, with these static ones."""
        program = self.programs.get(key)
        if program is None:
            program = self._lowered(*key)
            program.executor = self.executor
            # What mentions traced arrays is of one trace only.
            if not program.outer:
                self.programs[key] = program
        return program

    def _made(self, key, make):
        """What is made of this function, once."""
        if key not in self.made:
            self.made[key] = make()
        return self.made[key]

    def _names(self, tree):
        """What the leaves of arguments are called: after the parameters."""
        args, kwargs = tree.children
        try:
            parameters = list(self.signature.parameters.values())
        except (TypeError, ValueError):
            parameters = []
        called = []
        for k, child in enumerate(args.children):
            plain = k < len(parameters) and parameters[k].kind is not inspect.Parameter.VAR_POSITIONAL
            called.extend(child.paths(parameters[k].name if plain else f"x{k}"))
        for name, child in zip(kwargs.names, kwargs.children):
            called.extend(child.paths(name))
        return called

    def _lowered(self, tree, outlines, static):
        out = None
        trace = Trace()

        def inside(values):
            nonlocal out
            with trace:
                args, kwargs = unflatten(tree, [Array(value) for value in values])
                try:
                    results, out = flatten(self.f(*args, **kwargs, **dict(static)))
                except CatadiffError:
                    raise
                except (AttributeError, TypeError) as error:
                    _explain_lists(error, [*args, *kwargs.values()])
                    raise
                return [lift(leaf) for leaf in results]

        parameters = [(name, of, list(known), weak) for name, (of, known, weak) in zip(self._names(tree), outlines)]
        program = _core.trace(parameters, inside)
        return Program(program.simplified(), tree, out, outlines, trace.arguments(), self.__name__)


def _explain_lists(error, arguments):
    """Notes in an error of a traced function that lists among its arguments are no arrays; Python 3.10 has no notes."""
    if any(isinstance(x, list) for x in arguments) and hasattr(error, "add_note"):
        error.add_note(
            "a list among the arguments is a tree of its elements: write `numpy.array(…)` where an array is meant"
        )


def _is_hashable(x):
    try:
        hash(x)
    except TypeError:
        return False
    return True


def _plain(leaf):
    """A leaf as what a run takes: a traced array, an array of numpy, or a number of Python."""
    kind = type(leaf)
    if kind is float or kind is int or kind is bool or kind is Array:
        return leaf
    if kind is np.ndarray and leaf.dtype.isnative:
        return leaf
    try:
        return np.asarray(as_array(leaf))
    except TypeMismatchError as error:
        raise TypeMismatchError(
            f"{error}; what is no array is part of a program if its parameter is named in `static_argnames`"
        ) from None


def _outlined(leaf):
    """The dtype of a leaf; for each dimension whether it is known to have size 1; and whether it is a number of Python."""
    if isinstance(leaf, Array):
        return leaf.value.dtype, tuple([1 if n == 1 else None for n in leaf.value.known]), leaf.value.weak
    if isinstance(leaf, np.ndarray):
        return checked(leaf.dtype), tuple([1 if n == 1 else None for n in leaf.shape]), False
    return {float: "float64", int: "int64", bool: "bool"}[type(leaf)], (), True


def function(f=None, *, static_argnames=(), executor="lanes"):
    """Makes a function of arrays one that runs as a program; a decorator.

    The function is traced: called once with traced arrays, for arguments of each structure, dtype and number of dimensions. Numbers
    of Python are arguments like arrays; parameters in ``static_argnames`` are part of the program, and a new value of them is a
    new program. ``executor`` is ``"lanes"`` (vector instructions and all cores), ``"native"`` (this machine's C compiler), ``"gpu"``,
    or ``"program"`` (the interpreter).

    >>> import catadiff as cd, catadiff.numpy as cnp, numpy as np
    >>> @cd.function
    ... def cost(points, centres):
    ...     distances = ((points[:, None] - centres[None]) ** 2).sum(axis=-1)
    ...     return distances.min(axis=1).sum()
    >>> cost(np.array([[0.0, 0.0], [5.0, 5.0]]), np.array([[0.0, 1.0], [4.0, 5.0]]))
    np.float64(2.0)
    """
    if f is None:
        return functools.partial(function, static_argnames=static_argnames, executor=executor)
    return f if isinstance(f, Function) and not static_argnames else Function(f, static_argnames, executor)


def at_once(f, args, kwargs):
    """The result of a function of arrays for arguments, each array a parameter and all else a part of the program."""
    leaves, tree = flatten((args, kwargs))
    is_array = tuple([isinstance(leaf, (np.ndarray, np.generic)) or hasattr(leaf, "__dlpack__") for leaf in leaves])
    arrays = [leaf for leaf, array in zip(leaves, is_array) if array]
    others = tuple([leaf for leaf, array in zip(leaves, is_array) if not array])

    def of_arrays(*arrays):
        given, fixed = iter(arrays), iter(others)
        args, kwargs = unflatten(tree, [next(given if array else fixed) for array in is_array])
        return f(*args, **kwargs)

    try:
        key = (f, tree, is_array, others, tuple(map(type, others)))
        known = _AT_ONCE.get(key)
    except TypeError:
        return Function(of_arrays)(*arrays)
    if known is None:
        if len(_AT_ONCE) > 1000:
            _AT_ONCE.clear()
        known = _AT_ONCE[key] = Function(of_arrays)
    return known(*arrays)


_AT_ONCE = {}
