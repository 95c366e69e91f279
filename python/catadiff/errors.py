"""What catadiff says of mistakes.

Every class is a :class:`CatadiffError`; those that Python has a word for are also that, so ``except IndexError`` catches an index
that is out of bounds. An error of a traced function names the line of Python that it comes from, in a derivative too.
"""

__all__ = [
    "CancelledError",
    "CatadiffError",
    "CheckError",
    "DerivativeError",
    "LimitError",
    "OutOfBoundsError",
    "ShapeError",
    "TextError",
    "TraceError",
    "TypeMismatchError",
]


class CatadiffError(Exception):
    """What catadiff has to say of a mistake."""


class TypeMismatchError(CatadiffError, TypeError):
    """An argument of another dtype, number of dimensions or structure than is needed."""


class ShapeError(CatadiffError, ValueError):
    """Sizes that do not fit."""


class OutOfBoundsError(CatadiffError, IndexError):
    """An index that is outside of its array, while a program runs."""


class TraceError(CatadiffError, TypeError):
    """A traced function does what no program can mean, such as to decide by ``if`` on a traced array."""


class DerivativeError(CatadiffError, ValueError):
    """There is no such derivative: by integers, of several numbers, or of what has no rule."""


class LimitError(CatadiffError, RuntimeError):
    """A program needs more than it may, such as more iterations than the bound of its loop."""


class CancelledError(CatadiffError, RuntimeError):
    """A run was stopped."""


class CheckError(CatadiffError, AssertionError):
    """A check of a text, such as ``assert``, does not hold."""


class TextError(CatadiffError, ValueError):
    """A text that is no program; the message shows the place."""
