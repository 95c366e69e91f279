"""Products of lists and matrices, and sums of products."""

import builtins
import functools
import operator

from .. import _core
from .._array import Array, common, lift, size_of
from ..errors import ShapeError
from ._elements import _met, eager, maximum, minimum, multiply, power, where
from ._indexing import _gathered, _nested
from ._making import _size, arange, full, ndim, zeros_like
from ._order import _traced, ravel, reshape, transpose
from ._reductions import sum
from ._shapes import broadcast_to, concatenate, flip, stack


@eager
def matmul(x, y, /):
    """The product of matrices, or of a matrix and a list; further dimensions, outside, meet as elements do."""
    of, (x, y) = _met(x, y)
    x, y = Array(x), Array(y)
    if 0 in (x.ndim, y.ndim):
        raise ShapeError("a number has no matrix product: write `*`")
    depth = builtins.max(x.ndim, y.ndim) - 2
    if depth <= 0:
        word = {(1, 1): "dot", (2, 1): "matvec", (2, 2): "matmul"}.get((x.ndim, y.ndim))
        if word is None:
            return Array(_core.word("matvec", [lift(transpose(y)), lift(x)])[0])
        return Array(_core.word(word, [lift(x), lift(y)])[0])
    many = [z for z in (x, y) if z.ndim > 2]
    if len(many) == 2:
        if x.ndim != y.ndim:
            short, long = sorted(many, key=ndim)
            wide = broadcast_to(short, long.shape[: long.ndim - short.ndim] + short.shape)
            x, y = (wide, y) if x is short else (x, wide)
        inner = lambda pair: _core.map(lambda both: [lift(matmul(Array(both[0]), Array(both[1])))], pair)
        return Array(inner([lift(x), lift(y)])[0])
    (outer,) = many
    one = lambda row: matmul(Array(row), y) if outer is x else matmul(x, Array(row))
    return Array(_core.map(lambda rows: [lift(one(rows[0]))], [lift(outer)])[0])


@eager
def dot(x, y, /):
    """The product of two lists, of matrices, or of a number and an array."""
    if 0 in (ndim(x), ndim(y)):
        return multiply(x, y)
    if ndim(y) > 2:
        raise ShapeError("dot is of lists and matrices: write matmul, or einsum")
    return matmul(x, y)


@eager
def outer(x, y, /):
    """The matrix of the products of each two elements of two lists."""
    return ravel(x)[:, None] * ravel(y)[None, :]


@eager
def inner(x, y, /):
    """The sum of the products of the elements of two lists."""
    return dot(ravel(x), ravel(y))


vdot = inner


@eager
def kron(x, y, /):
    """The matrix of the products of each element of one with another matrix."""
    _, (x, y) = _met(x, y)
    return Array(_core.word("kron", [x, y])[0])


@eager
def trace(x, /):
    """The sum of the diagonal."""
    return sum(diagonal(x))


@eager
def diagonal(x, /):
    """The diagonal of a matrix."""
    return Array(_core.word("diagonal", [lift(x)])[0])


@eager
def diag(x, /):
    """The diagonal of a matrix, or the matrix with a list on its diagonal and zeros elsewhere."""
    x = _traced(x)
    return diagonal(x) if x.ndim == 2 else where(arange(size_of(x, 0))[:, None] == arange(size_of(x, 0))[None, :], x, 0)


@eager
def triu(x, k=0, /):
    """The matrix with zeros below a diagonal, the ``k``-th above the main one."""
    return Array(_core.word("triu", [lift(x), _size(k)])[0])


@eager
def tril(x, k=0, /):
    """The matrix with zeros above a diagonal, the ``k``-th above the main one."""
    return Array(_core.word("tril", [lift(x), _size(k)])[0])


@eager
def einsum(specification, /, *operands):
    """Sums of products of elements, by a letter for each dimension, as in ``"ij,jk->ik"``.

    >>> import numpy as np, catadiff.numpy as cnp
    >>> cnp.einsum("ij,ij->i", np.array([[1.0, 2.0], [3.0, 4.0]]), np.array([[1.0, 1.0], [0.5, 0.5]]))
    array([3. , 3.5])
    """
    of, values = _met(*operands)
    inputs, _, output = specification.replace(" ", "").partition("->")
    inputs = inputs.split(",")
    if "->" not in specification:
        letters = "".join(inputs)
        output = "".join(sorted(c for c in set(letters) if letters.count(c) == 1))
    if [len(letters) for letters in inputs] != [value.ndim for value in values]:
        raise ShapeError(f"`{specification}` has other numbers of dimensions than {[v.ndim for v in values]}")
    if unknown := set(output) - set("".join(inputs)):
        raise ShapeError(f"`{specification}` asks for {''.join(sorted(unknown))}, which no operand has")
    arrays, inputs = zip(*(_diagonals(Array(value), letters) for value, letters in zip(values, inputs)))
    summed = [c for c in dict.fromkeys("".join(inputs)) if c not in output]
    if len(arrays) == 2 and builtins.all(c in letters for c in summed for letters in inputs) and summed:
        return _of_pair(arrays, inputs, output, summed)
    order = list(output) + summed
    aligned = []
    for x, letters in zip(arrays, inputs):
        present = [c for c in order if c in letters]
        x = transpose(x, [letters.index(c) for c in present])
        places = tuple(slice(None) if c in letters else None for c in order)
        aligned.append(x[places] if places else x)
    product = functools.reduce(multiply, aligned)
    if not summed:
        return product
    return sum(product, axis=tuple(range(len(output), len(order))))


def _diagonals(x, letters):
    """The array with one dimension for each letter, and the letters in the order of its dimensions."""
    while repeated := [c for c in letters if letters.count(c) > 1]:
        first = letters.index(repeated[0])
        second = letters.index(repeated[0], first + 1)
        rest = [k for k in range(x.ndim) if k not in (first, second)]
        at = arange(size_of(x, first))
        x = _gathered(transpose(x, [first, second, *rest]), [at, at])
        letters = repeated[0] + "".join(letters[k] for k in rest)
    return x, letters


def _of_pair(arrays, inputs, output, summed):
    """The sum over letters that both have, as products of matrices: one for each element of what both have and the result keeps."""
    shared = [c for c in output if c in inputs[0] and c in inputs[1]]
    free = [[c for c in letters if c not in shared and c not in summed] for letters in inputs]
    sizes = {c: size_of(x, k) for x, letters in zip(arrays, inputs) for k, c in enumerate(letters)}
    matrices = []
    for x, letters, kept in zip(arrays, inputs, free):
        x = transpose(x, [letters.index(c) for c in [*shared, *kept, *summed]])
        # Several letters are one dimension of the matrix, and none is none.
        if len(kept) > 1 or len(summed) > 1:
            row = [functools.reduce(operator.mul, (sizes[c] for c in kept))] if kept else []
            column = [functools.reduce(operator.mul, (sizes[c] for c in summed))]
            x = reshape(x, *[sizes[c] for c in shared], *row, *column)
        matrices.append(x)

    def product(values):
        x, y = map(Array, values)
        return [lift(matmul(x, transpose(y) if y.ndim == 2 else y))]

    found = Array(_nested(len(shared), product, [lift(x) for x in matrices])[0])
    letters = [*shared, *free[0], *free[1]]
    if builtins.any(len(kept) > 1 for kept in free):
        found = reshape(found, *[sizes[c] for c in letters])
    return transpose(found, [letters.index(c) for c in output])


@eager
def tensordot(x, y, /, axes=2):
    """The sum of the products along dimensions: the last of one with the first of the other, as many as said, or those in two lists."""
    x, y = _traced(x), _traced(y)
    if isinstance(axes, int):
        axes = (list(range(x.ndim - axes, x.ndim)), list(range(axes)))
    first, second = ([k] if isinstance(k, int) else list(k) for k in axes)
    letters = "abcdefghijklmnopqrstuvwxyz"
    of_x = list(letters[: x.ndim])
    of_y = list(letters[x.ndim : x.ndim + y.ndim])
    for one, other in zip(first, second):
        of_y[other] = of_x[one]
    kept = [c for k, c in enumerate(of_x) if k not in [k % x.ndim for k in first]]
    kept += [c for k, c in enumerate(of_y) if k not in [k % y.ndim for k in second]]
    return einsum(f"{''.join(of_x)},{''.join(of_y)}->{''.join(kept)}", x, y)


@eager
def cross(x, y, /):
    """The cross products of vectors of three numbers, along the innermost dimension."""
    x, y = _traced(x), _traced(y)
    turned = lambda z, k: [z[..., (i + k) % 3] for i in range(3)]
    parts = [a * b - c * d for a, b, c, d in zip(turned(x, 1), turned(y, 2), turned(x, 2), turned(y, 1))]
    return stack(parts, axis=-1)


@eager
def convolve(x, y, /, mode="full"):
    """The sums of products of a list and another that runs backwards along it: wherever they overlap, or with ``mode="same"`` as many as the
    longer one has, or with ``"valid"`` where the shorter one is inside."""
    x, y = map(Array, _met(x, y)[1])
    n, m = x.shape[0], y.shape[0]
    # The shorter one, if that is known, is the window.
    if isinstance(n, int) and (not isinstance(m, int) or n < m):
        x, y, n, m = y, x, m, n
    around = full(m - 1, 0, x.dtype)
    padded = concatenate([around, x, around])
    found = matmul(padded[arange(n + m - 1)[:, None] + arange(m)[None, :]], flip(y))
    if mode == "full":
        return found
    shorter = minimum(n, m)
    first, count = {"same": ((shorter - 1) // 2, maximum(n, m)), "valid": (shorter - 1, n + m + 1 - 2 * shorter)}[mode]
    return found[first : first + count]


@eager
def correlate(x, y, /, mode="valid"):
    """As :func:`convolve`, but the other list does not run backwards."""
    return convolve(x, flip(y), mode=mode)


@eager
def polyval(coefficients, x, /):
    """The polynomial of these coefficients, that of the highest power first, at each element."""
    from .._combinators import fori_loop

    coefficients = _traced(coefficients)
    step = lambda k, found: found * x + coefficients[k]
    return fori_loop(0, coefficients.shape[0], step, zeros_like(_traced(x), common(coefficients, x)))


@eager
def vander(x, /, N, increasing=False):
    """The matrix of the powers of each element, ``N`` of them, the highest first unless they are ``increasing``."""
    powers = stack([power(_traced(x), k) for k in range(N)], axis=1)
    return powers if increasing else flip(powers, 1)
