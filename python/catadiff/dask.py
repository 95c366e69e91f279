"""Derivatives of sums over data that lie on many machines, by Dask.

The function is a program, which Dask's workers are sent as text; each computes its part, and the parts are added in an order that the
number of partitions alone decides. So a worker that dies, and whose partitions another computes again, changes no bit of the result.

Law: it is the derivative of the function of all partitions at once, up to the order of additions, and the same bits on any number of
workers (tests/test_dask.py).
"""

import functools
from concurrent.futures import CancelledError

import dask
import numpy as np

from ._array import checked
from ._function import _outlined, _plain, function
from ._gradients import value_and_grad as of_one
from ._tree import flatten, unflatten
from .errors import CatadiffError, ShapeError, TypeMismatchError

#: How many parts are added in one task.
FAN_IN = 8


def value_and_grad(f, retries=3):
    """The function of the sum of ``f(parameters, *part)`` over the partitions of collections, and of its gradient by the parameters.

    A collection is a ``dask.array`` in chunks along its first dimension, a ``dask.bag`` whose items are arrays of one shape, or a list of
    delayed arrays; several of them have as many partitions, and partitions of the same lengths. What is computed goes through the scheduler of Dask
    that is in use; a task that fails for reasons of a machine is tried again up to ``retries`` times.

    >>> import dask.array, numpy as np, catadiff.dask
    >>> x = dask.array.from_array(np.arange(10.0), chunks=3)
    >>> both = catadiff.dask.value_and_grad(lambda w, x: ((w * x) ** 2).sum())
    >>> value, gradient = both(2.0, x)
    >>> float(value), float(gradient)
    (1140.0, 1140.0)
    """
    derivative = of_one(function(f))

    def both(parameters, *collections):
        parts = _partitions(collections)
        leaves, tree = flatten(parameters)
        leaves = [_plain(leaf) for leaf in leaves]
        outlines = [_outlined(leaf) for leaf in leaves] + _outlines(collections, parts, retries)
        # What a part is called with, and so what the program is for.
        _, of_all = flatten(((parameters, *parts[0]), {}))
        program = derivative._known((of_all, tuple(outlines), ()))
        values = _summed(program, leaves, parts, retries)
        return values[0], unflatten(tree, values[1:])

    return both


def grad(f, retries=3):
    """The gradient alone, as from :func:`value_and_grad`."""
    both = value_and_grad(f, retries)
    return lambda *arguments: both(*arguments)[1]


def _partitions(collections):
    """The delayed arrays of each partition."""
    if not collections:
        raise ShapeError("there is no collection to sum over")
    columns = [_column(collection) for collection in collections]
    if len({len(column) for column in columns}) != 1:
        raise ShapeError(f"the collections have {[len(column) for column in columns]} partitions, and need as many")
    return list(zip(*columns))


def _column(collection):
    if isinstance(collection, (list, tuple)):
        return list(collection)
    if hasattr(collection, "chunks"):
        if any(len(sizes) != 1 for sizes in collection.chunks[1:]):
            raise ShapeError(
                f"the chunks {collection.chunks} split more than the first dimension: rechunk so that each has whole rows"
            )
        return collection.to_delayed().ravel().tolist()
    if hasattr(collection, "map_partitions"):
        return [dask.delayed(_stacked)(part) for part in collection.to_delayed()]
    kind = type(collection).__name__
    raise TypeMismatchError(f"{kind} is no collection: give a dask.array, a dask.bag, or a list of delayed arrays")


def _stacked(items):
    return np.stack([np.asarray(item) for item in items])


def _outlines(collections, parts, retries):
    """The dtypes and numbers of dimensions of the parts, which the first one says where the collection does not."""
    if all(hasattr(collection, "chunks") for collection in collections):
        return [(checked(collection.dtype), (None,) * collection.ndim, False) for collection in collections]
    return _computed(dask.delayed(_seen)(*parts[0]), retries)


def _seen(*arrays):
    return [(checked(np.asarray(x).dtype), (None,) * np.ndim(x), False) for x in arrays]


def _summed(program, leaves, parts, retries):
    """The sums of the results for all parts, in an order that their number decides."""
    program, leaves = dask.delayed(program, pure=False), dask.delayed(leaves, traverse=False, pure=False)
    of_part, added = dask.delayed(_of_part, pure=True), dask.delayed(_added, pure=True)
    found = [of_part(program, leaves, *part) for part in parts]
    while len(found) > 1:
        found = [added(*found[k : k + FAN_IN]) for k in range(0, len(found), FAN_IN)]
    return _computed(found[0], retries)


def _of_part(program, leaves, *arrays):
    return flatten(program.applied([*leaves, *(np.asarray(x) for x in arrays)]))[0]


def _added(*parts):
    return [functools.reduce(np.add, column) for column in zip(*parts)]


def _computed(delayed, retries):
    """What the scheduler in use makes of it; only one of many machines tries again."""
    client = _client()
    if client is None:
        return delayed.compute()
    gone = "the scheduler of Dask is gone: nothing of the sum is kept, and the call can be made again with another one"
    if client.status != "running":
        raise CatadiffError(gone)
    from distributed.client import FutureCancelledError

    try:
        return delayed.compute(retries=retries)
    except (CancelledError, FutureCancelledError, OSError, TimeoutError) as error:
        raise CatadiffError(gone) from error


def _client():
    try:
        from distributed import get_client

        return get_client()
    except (ImportError, ValueError):
        return None
