"""Sparse Jacobians and Hessians, as matrices of ``scipy.sparse``.

Which entries can be other than zero is found once, by running the function on sets of variables; columns, or rows, that have no entry in
common are then computed together, so a derivative costs as many directions as there are such groups (Curtis, Powell and Reid 1974; for
Hessians Coleman and Moré 1984).

Law: a sparse derivative is the dense one (tests/test_sparse.py).
"""

import numpy as np

from ._array import is_tracing
from ._function import function
from ._gradients import _by, _key, _scalar
from .errors import TraceError

#: For how many programs, sizes, and values of other arguments a derivative stays prepared.
KEPT = 8


class _Prepared:
    """A sparse derivative for arguments of these sizes, where the others have these values."""

    def __init__(self, verb, program, by, leaves):
        self.program = program
        self.sizes = [np.shape(leaf) for leaf in leaves]
        self.others = {k: np.array(leaf) for k, leaf in enumerate(leaves) if k not in by}
        found = program.core.sparse(verb, list(by), (*leaves, *program.captured))
        self.compiled = found.program.compile(program.executor)
        self.directions, self.places = found.directions, found.places
        self.colours, self.derivatives = found.colours, found.derivatives
        self.offsets, self.indices, self.shape = found.offsets, found.indices, found.shape

    def fits(self, program, leaves):
        """Whether this is the derivative of the program at these arguments."""

        same = program is self.program and self.sizes == [np.shape(leaf) for leaf in leaves]
        return same and all(np.array_equal(leaf, leaves[k]) for k, leaf in self.others.items())

    def at(self, leaves):
        """The matrix."""
        from scipy.sparse import csr_array

        results = self.compiled.run((*leaves, *self.program.captured, *self.directions))
        colours = self.colours
        derivatives = [np.reshape(x, (colours, x.size // max(colours, 1))) for x in results[-self.derivatives :]]
        values = np.concatenate(derivatives, axis=1).reshape(-1)[self.places]
        return csr_array((values, self.indices, self.offsets), shape=self.shape)


def _sparse(verb, f, argnums):
    f = function(f)
    by = _by(f, argnums)
    kept = []

    def at(*args, **kwargs):
        if is_tracing():
            raise TraceError("a sparse matrix is no traced array: in a traced function write jacfwd, jacrev or hessian")
        program, leaves = f._program(args, kwargs)
        prepared = next((one for one in kept if one.fits(program, leaves)), None)
        if prepared is None:
            if verb == "hessian":
                _scalar(program)
            prepared = _Prepared(verb, program, by(program)[0], leaves)
            kept.insert(0, prepared)
            del kept[KEPT:]
        return prepared.at(leaves)

    at.__name__ = f"sparse.{verb}({f.__name__})"
    return f._made(("sparse", verb, _key(argnums)), lambda: at)


def jacobian(f, argnums=0):
    """The function of the Jacobian as a ``scipy.sparse.csr_array``: a row for each element of the results in order, a column for each element
    of the arguments that it is by.

    The first call with arguments of these sizes, and with these values of the arguments that it is not by, finds the pattern and compiles
    the derivative; others take what it found. A function that decides on what it is differentiated by, as ``max`` does, has no pattern that
    holds everywhere, and is a :class:`~catadiff.errors.DerivativeError`.

    >>> import numpy as np, catadiff as cd
    >>> jacobian = cd.sparse.jacobian(lambda x: (x[1:] - x[:-1]) * x[1:])(np.full(1000, 3.0))
    >>> jacobian.shape, jacobian.nnz, jacobian[7, 7], jacobian[7, 8]
    ((999, 1000), 1998, np.float64(-3.0), np.float64(3.0))
    """
    return _sparse("jacobian", f, argnums)


def hessian(f, argnums=0):
    """The function of the second derivatives of a function with one number as its result, as a ``scipy.sparse.csr_array`` with a row and a
    column for each element of the arguments that it is by.

    >>> import numpy as np, catadiff as cd
    >>> hessian = cd.sparse.hessian(lambda x: ((x[1:] - x[:-1]) ** 4).sum())(np.arange(1000.0))
    >>> hessian.shape, hessian.nnz, hessian[7, 7], hessian[7, 8]
    ((1000, 1000), 2998, np.float64(24.0), np.float64(-12.0))
    """
    return _sparse("hessian", f, argnums)
