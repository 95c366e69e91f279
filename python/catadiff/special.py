"""Functions of statistics and of networks, for traced arrays and arrays of numpy."""

import numpy as np

from . import _core
from ._array import Array, lift
from .numpy._elements import (
    _elementwise,
    _of_reals,
    _real,
    add,
    eager,
    equal,
    log,
    log1p,
    maximum,
    multiply,
    negative,
    subtract,
    where,
)
from .numpy._making import arange
from .numpy._order import _traced
from .numpy._reductions import _along, _reduced

erf = _of_reals("erf", "erf", "The error function of each element.")
erfc = _of_reals("erfc", "erfc", "1 minus the error function of each element, with all digits where that is small.")
gammaln = _of_reals("gammaln", "lgamma", "The logarithm of the absolute value of the gamma function of each element.")
digamma = _of_reals("digamma", "digamma", "The derivative of :func:`gammaln` at each element.")
sigmoid = _of_reals("sigmoid", "sigmoid", "``1 / (1 + exp(-x))`` of each element.")
softplus = _of_reals("softplus", "softplus", "``log(1 + exp(x))`` of each element, without overflow.")


@eager
def polygamma(n, x, /):
    """The ``n``-th derivative of :func:`digamma` at each element; ``n`` is an integer of Python."""
    return _elementwise("polygamma", *_real(x), parameter=n) if n else digamma(x)


@eager
def relu(x, /):
    """Each element, or 0 if it is negative."""
    return maximum(x, 0)


@eager
def logsumexp(x, /, axis=None, keepdims=False):
    """The logarithm of the sum of the exponentials, without overflow, along one dimension, several, or all."""
    return _reduced("logsumexp", Array(_real(x)[0]), axis, keepdims)


@eager
def softmax(x, /, axis=-1):
    """The exponentials along a dimension, divided by their sum."""
    return _along("softmax", Array(_real(x)[0]), axis, keeps=True)


@eager
def log_softmax(x, /, axis=-1):
    """The logarithms of :func:`softmax`."""
    return _along("log_softmax", Array(_real(x)[0]), axis, keeps=True)


@eager
def one_hot(classes, n, /, dtype=np.float64):
    """For each class a row of ``n`` numbers of which that one is 1 and all others are 0."""
    classes = _traced(classes)
    return Array(lift(classes[..., None] == arange(n), dtype))


@eager
def top_k(x, k, /):
    """The ``k`` greatest elements of a list in descending order, and their indices."""
    values, indices = _core.word("top_k", [lift(x), lift(k, np.int64)])
    return Array(values), Array(indices)


@eager
def xlogy(x, y, /):
    """``x * log(y)``, which is 0 where ``x`` is, with derivatives that are numbers there."""
    nothing = equal(x, 0)
    return where(nothing, 0.0, multiply(x, log(where(nothing, 1.0, y))))


@eager
def entr(x, /):
    """``-x * log(x)``, which is 0 at 0."""
    return negative(xlogy(x, x))


@eager
def logit(x, /):
    """The inverse of :func:`sigmoid`."""
    return subtract(log(x), log1p(negative(x)))


@eager
def betaln(x, y, /):
    """The logarithm of the beta function."""
    return subtract(add(gammaln(x), gammaln(y)), gammaln(add(x, y)))


expit = sigmoid
