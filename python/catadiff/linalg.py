"""Linear algebra, with rules of differentiation: the words of ``numpy.linalg``.

Each takes matrices of reals; dimensions outside of the innermost two are many matrices.
"""

from . import _core
from ._array import Array
from .errors import ShapeError
from .numpy._elements import _real, absolute, eager
from .numpy._indexing import _nested
from .numpy._reductions import _reduced, max, sum


def _of_matrices(word, *operands, results=1):
    values = _real(*operands)
    depth = values[0].ndim - 2
    if depth < 0:
        raise ShapeError(f"{word} is of matrices, and this has {values[0].ndim} dimensions")
    found = _nested(depth, lambda each: _core.word(word, each), values)
    return Array(found[0]) if results == 1 else tuple(Array(value) for value in found)


@eager
def solve(a, b, /):
    """``x`` such that ``a @ x = b``: of a list, or of the columns of a matrix."""
    return _of_matrices("solve", a, b)


@eager
def solve_triangular(a, b, /, lower=False):
    """``x`` such that ``a @ x = b`` for a triangular ``a``."""
    return _of_matrices("solve_lower" if lower else "solve_upper", a, b)


@eager
def inv(a, /):
    """The inverse."""
    return _of_matrices("inverse", a)


@eager
def det(a, /):
    """The determinant."""
    return _of_matrices("det", a)


@eager
def slogdet(a, /):
    """The sign of the determinant, and the logarithm of its absolute value."""
    return _of_matrices("slogdet", a, results=2)


@eager
def cholesky(a, /):
    """The lower triangular matrix whose product with its transpose is ``a``, which is positive definite."""
    return _of_matrices("cholesky", a)


@eager
def cho_solve(factor, b, /):
    """``x`` such that ``factor @ factor.T @ x = b``, for a lower triangular factor."""
    return _of_matrices("cholesky_solve", factor, b)


@eager
def qr(a, /):
    """An orthogonal and an upper triangular matrix whose product is ``a``."""
    return _of_matrices("qr", a, results=2)


@eager
def eigh(a, /):
    """The eigenvalues of a symmetric matrix, in ascending order, and its eigenvectors as columns."""
    return _of_matrices("eigh", a, results=2)


@eager
def svd(a, /):
    """``u``, ``s`` and ``vh`` such that ``a = u @ diag(s) @ vh``; of an ``n`` by ``m`` matrix, as many columns, numbers and rows as the
    smaller of both."""
    return _of_matrices("svd", a, results=3)


@eager
def norm(x, /, ord=None, axis=None, keepdims=False):
    """The square root of the sum of the squares; with ``ord`` 1 or ∞, the sum of the absolute values, or the greatest of them."""
    if ord in (None, 2, "fro"):
        return _reduced("norm", Array(_real(x)[0]), axis, keepdims)
    if ord == 1:
        return sum(absolute(x), axis=axis, keepdims=keepdims)
    if ord == float("inf"):
        return max(absolute(x), axis=axis, keepdims=keepdims)
    raise ShapeError(f"there is no norm of order {ord} here: there are None, 1, 2 and inf")
