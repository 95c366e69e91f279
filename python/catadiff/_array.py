"""Traced arrays: what stands for an array while a function is traced.

Law: an operation on a traced array is the operation of the program; what would have to know the numbers, as ``if`` does, is a
:class:`~catadiff.errors.TraceError` that says what to write in its place (tests/test_errors.py).
"""

import threading

import numpy as np

from . import _core
from .errors import TraceError, TypeMismatchError

#: The most elements of an array that becomes part of a program; what has more becomes an argument of it.
LITERAL = 64


class Trace:
    """A trace in progress, and what its function mentions from outside."""

    def __init__(self):
        self.captured = {}

    def capture(self, key, mentioned, dtype, known):
        """The parameter that stands for what is mentioned; one for all times that it is."""
        if key not in self.captured:
            name = f"captured_{len(self.captured)}"
            kept = mentioned if isinstance(mentioned, Array) else np.array(mentioned)
            self.captured[key] = (mentioned, kept, _core.parameter(name, dtype, list(known)))
        return self.captured[key][2]

    def arguments(self):
        """What the parameters stand for: traced arrays of functions around this one, and copies of arrays of numpy."""
        return [kept for _, kept, _ in self.captured.values()]

    def __enter__(self):
        _stack().append(self)
        return self

    def __exit__(self, *_):
        _stack().pop()


_LOCAL = threading.local()


def _stack():
    try:
        return _LOCAL.stack
    except AttributeError:
        _LOCAL.stack = []
        return _LOCAL.stack


def is_tracing():
    """Whether a function is being traced on this thread."""
    return bool(_stack())


def _decides(what, instead):
    raise TraceError(
        f"{what} of a traced array is asked for, which has no numbers yet: it stands for any array. {instead}"
    )


class Array:
    """An array of a program that is being traced, of any size: it has numpy's operators, indexing and methods.

    Of its sizes those that are known are integers, and all others are traced integers themselves; a program that was traced
    once runs for arrays of any size. A dimension of size 1 is known to have that, and is stretched as numpy stretches it.
    """

    __slots__ = ("home", "value")
    __hash__ = object.__hash__

    def __init__(self, value):
        self.value = value
        self.home = _stack()[-1]

    @property
    def dtype(self):
        """The dtype of numpy."""
        return np.dtype(self.value.dtype)

    @property
    def ndim(self):
        """The number of dimensions."""
        return self.value.ndim

    @property
    def shape(self):
        """The sizes: integers where they are known, else traced integers."""
        return tuple(size_of(self, k) for k in range(self.ndim))

    @property
    def size(self):
        """The number of elements: an integer if that is known, else a traced integer."""
        count = 1
        for size in self.shape:
            count = size * count
        return count

    def __repr__(self):
        sizes = ", ".join("?" if n is None else str(n) for n in self.value.known)
        return f"Array({self.value.dtype}[{sizes}])"

    def __bool__(self):
        _decides("the truth", "Write `catadiff.cond`, `catadiff.while_loop` or `catadiff.numpy.where`")

    def __float__(self):
        _decides("the number", "Leave out `float(…)`")

    def __int__(self):
        _decides("the number", "Write `.astype(int)`")

    def __index__(self):
        _decides(
            "the number",
            "Python needs integers here, as `range` does: write `catadiff.fori_loop` or `catadiff.map`, or name the "
            "parameter in `static_argnames`",
        )

    def __array__(self, *_, **__):
        _decides(
            "an array of numpy",
            "Use the function of this name of `catadiff.numpy`, and make a table that it indexes an array by "
            "`catadiff.numpy.asarray`",
        )

    def __setitem__(self, *_):
        raise TraceError("a traced array does not change: write `x = x.at[key].set(values)`")

    def __len__(self):
        if self.ndim == 0:
            raise TypeError("a scalar has no length")
        if self.value.known[0] is None:
            _decides("the length", "Write `x.shape[0]`, which is a traced integer")
        return self.value.known[0]

    def __iter__(self):
        if self.ndim == 0:
            raise TypeError("a scalar has no elements")
        if self.value.known[0] is None:
            _decides("a list of the elements", "Write `catadiff.map`, `catadiff.scan` or `catadiff.fori_loop`")
        return (self[k] for k in range(self.value.known[0]))


def size_of(x, dimension):
    """The size of an array in a dimension: an integer if that is known, else a traced integer."""
    if not isinstance(x, Array):
        return np.shape(x)[dimension]
    known = x.value.known[dimension]
    return known if known is not None else Array(_core.size(lift(x), dimension))


def is_scalar(x):
    """Whether this is a number of Python, which takes the dtype of what it meets."""
    return isinstance(x, (bool, int, float))


def dtype_of(x):
    """What numpy's rules of promotion ask of: a dtype, or a number of Python."""
    if is_scalar(x):
        return x
    if isinstance(x, Array) and x.value.weak:
        return _NUMBERS[x.value.dtype]
    return x.dtype if isinstance(x, (Array, np.ndarray, np.generic)) else as_array(x).dtype


#: Numbers of Python that stand for those of which only the kind is known.
_NUMBERS = {"bool": False, "int64": 0, "float64": 0.0}


def as_array(x):
    """What is no traced array as one of numpy: what has numbers in memory stays where it is."""
    if isinstance(x, (np.ndarray, np.generic)):
        return x if x.dtype.isnative else x.astype(x.dtype.newbyteorder("="))
    if hasattr(x, "__dlpack__"):
        try:
            return np.from_dlpack(x)
        except (BufferError, RuntimeError, TypeError):
            return np.asarray(x)
    try:
        found = np.asarray(x)
    except ValueError as error:
        raise TypeMismatchError(f"rows of different lengths are no array: {error}") from None
    if found.dtype.kind in "OUS":
        raise TypeMismatchError(f"{type(x).__name__} is neither an array nor a number: {x!r:.60}")
    return found


def lift(x, dtype=None):
    """The value of an array, or of a number of this dtype, in the innermost trace."""
    if isinstance(x, Array):
        value = _brought(x)
    elif is_scalar(x):
        return _core.constant(np.dtype(dtype or np.result_type(x)).name, x, dtype is None)
    elif isinstance(x, (list, tuple)) and any(isinstance(part, (Array, list, tuple)) for part in x):
        of = np.dtype(dtype or common(*x))
        value = _core.elements([lift(part, of) for part in x])
    else:
        value = _literal(as_array(x))
    return value if dtype is None else _core.convert(value, np.dtype(dtype).name)


def _brought(x):
    """A traced array in the innermost trace, as an argument if it is of one around it."""
    stack = _stack()
    if x.value.is_here():
        return x.value
    if x.home not in stack:
        raise TraceError(
            "a traced array is used after its function has ended, or on another thread: let that function return it"
        )
    return stack[-1].capture(("array", id(x)), x, x.value.dtype, x.value.known)


def checked(dtype):
    """The name of a dtype, if there are arrays of it."""
    if dtype.name not in _KINDS:
        raise TypeMismatchError(f"there are no arrays of {dtype.name} here: there are those of {', '.join(_KINDS)}")
    return dtype.name


def _literal(x):
    checked(x.dtype)
    if x.ndim == 0:
        return _core.constant(str(x.dtype), x.item())
    if not is_tracing():
        raise TraceError("no function is being traced here")
    if 0 < x.size <= LITERAL:
        return _core.elements([_literal(part) for part in x])
    return _stack()[-1].capture(("numpy", id(x)), x, str(x.dtype), x.shape)


_KINDS = "bool int8 int16 int32 int64 uint8 uint16 uint32 uint64 float16 float32 float64".split()


def common(*operands):
    """The dtype in which operands meet, by numpy's rules."""
    flat = []
    for x in operands:
        flat.extend(common(part) for part in x) if isinstance(x, (list, tuple)) else flat.append(dtype_of(x))
    return np.result_type(*flat)
