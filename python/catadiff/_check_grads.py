"""Derivatives held against differences of values.

Law: a wrong rule is found, and a right one is not (tests/test_verbs.py).
"""

import numpy as np

from ._array import as_array
from ._directions import _moving, jvp, vjp
from ._function import Function, function
from ._tree import flatten, unflatten
from .errors import DerivativeError


def check_grads(f, args, order=1, modes=("fwd", "rev"), tolerance=1e-5, step=None):
    """Checks the derivatives of a function at arguments against differences of its values.

    Raises :class:`~catadiff.errors.DerivativeError` where they differ by more than ``tolerance``, relative to the larger, and 1.
    ``order`` 2 checks those of the derivatives as well. The directions are the same each time.

    >>> import catadiff as cd, catadiff.numpy as cnp
    >>> cd.check_grads(lambda x: cnp.sin(x) * x, (2.0,), order=2)
    """
    f, moving = _moving(function(f), args)
    random = np.random.default_rng(7)
    args = tuple(args[k] for k in moving)
    leaves, tree = flatten(args)
    leaves = [np.asarray(as_array(leaf)) for leaf in leaves]
    real = [leaf.dtype.kind == "f" for leaf in leaves]
    if not any(real):
        raise DerivativeError("no argument is real")
    directions = [
        random.standard_normal(leaf.shape).astype(leaf.dtype) if is_real else np.zeros_like(leaf)
        for leaf, is_real in zip(leaves, real)
    ]
    single = any(leaf.dtype != np.float64 for leaf, is_real in zip(leaves, real) if is_real)
    step = step or (1e-2 if single else 1e-4)
    tolerance = max(tolerance, 1e-2) if single else tolerance
    moved = lambda t: f(*unflatten(tree, [x + np.asarray(t * d, x.dtype) for x, d in zip(leaves, directions)]))
    # A difference of the fourth order.
    weights = {-2: 1 / 12, -1: -2 / 3, 1: 2 / 3, 2: -1 / 12}
    values = {k: flatten(moved(k * step))[0] for k in weights}
    slopes = [
        sum(w * np.asarray(values[k][n], np.float64) for k, w in weights.items()) / step for n in range(len(values[1]))
    ]
    result, tangent = jvp(f, tuple(args), unflatten(tree, directions))
    results, out = flatten(result)
    if "fwd" in modes:
        for found, expected in zip(flatten(tangent)[0], slopes):
            _same(f"jvp of {f.__name__}", found, expected, tolerance)
    if "rev" in modes:
        adjoints = [
            random.standard_normal(np.shape(y)).astype(y.dtype) if y.dtype.kind == "f" else np.zeros_like(y)
            for y in results
        ]
        _, back = vjp(f, *args)
        pulled = flatten(back(unflatten(out, adjoints)))[0]
        found = sum(np.vdot(x, d) for x, d, is_real in zip(pulled, directions, real) if is_real)
        expected = sum(np.vdot(w, s) for w, s in zip(adjoints, slopes))
        _same(f"vjp of {f.__name__}", found, expected, tolerance)
    if order > 1:
        tangents = unflatten(tree, directions)
        check_grads(Function(lambda *xs: jvp(f, xs, tangents)[1]), args, order - 1, modes, tolerance * 10, step)


def _same(what, found, expected, tolerance):
    found, expected = np.asarray(found, np.float64), np.asarray(expected, np.float64)
    off = np.abs(found - expected) / np.maximum(1.0, np.abs(expected))
    if not np.all(off <= tolerance):
        at = np.unravel_index(np.nanargmax(np.where(np.isnan(off), np.inf, off)), off.shape)
        raise DerivativeError(
            f"the {what} is {found[at]} at {list(map(int, at))} where the differences are {expected[at]}"
        )
