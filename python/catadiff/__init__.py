"""Automatic differentiation of array programs.

A function of Python on arrays is traced once, becomes a program, and the program is differentiated in any mode, to any order, and run
on vector instructions and all cores, by a C compiler, or on a GPU:

>>> import numpy as np
>>> import catadiff as cd
>>> import catadiff.numpy as cnp
>>> @cd.function
... def loss(weights, inputs, targets):
...     return ((cnp.tanh(inputs @ weights) - targets) ** 2).mean()
>>> cd.grad(loss)(np.zeros(2), np.array([[1.0, 2.0], [3.0, 4.0]]), np.array([1.0, -1.0]))
array([2., 2.])

The words for arrays are in :mod:`catadiff.numpy`, :mod:`catadiff.linalg`, :mod:`catadiff.fft` and :mod:`catadiff.special`, sparse Jacobians
and Hessians in :mod:`catadiff.sparse`, bridges to other packages in :mod:`catadiff.bridges`.
"""

from . import _at, errors, fft, linalg, numpy, sparse, special
from ._array import Array
from ._check_grads import check_grads
from ._combinators import (
    associative_scan,
    cond,
    custom_vjp,
    fori_loop,
    map,
    reduce,
    reduce_by_index,
    scan,
    scatter,
    stop_gradient,
    switch,
    update,
    while_loop,
)
from ._core import executors
from ._directions import hvp, jvp, linearize, vjp, vmap
from ._function import function
from ._gradients import grad, hessian, jacfwd, jacrev, value_and_grad
from ._program import Program
from ._text import load
from ._tree import mapped as tree_map

__all__ = [
    "Array",
    "Program",
    "associative_scan",
    "check_grads",
    "cond",
    "custom_vjp",
    "errors",
    "executors",
    "fft",
    "fori_loop",
    "function",
    "grad",
    "hessian",
    "hvp",
    "jacfwd",
    "jacrev",
    "jvp",
    "linalg",
    "linearize",
    "load",
    "map",
    "numpy",
    "reduce",
    "reduce_by_index",
    "scan",
    "scatter",
    "sparse",
    "special",
    "stop_gradient",
    "switch",
    "tree_map",
    "update",
    "value_and_grad",
    "vjp",
    "vmap",
    "while_loop",
]
