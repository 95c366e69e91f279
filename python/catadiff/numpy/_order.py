"""The same elements in another order of dimensions, or in another shape."""

from .. import _core
from .._array import Array, lift
from ..errors import ShapeError
from ._elements import eager
from ._making import _size


def _axis(axis, rank):
    if not -rank <= axis < rank:
        raise ShapeError(f"there is no axis {axis} in an array of {rank} dimensions")
    return axis % rank


def _axes(axis, rank):
    if axis is None:
        return list(range(rank))
    return sorted({_axis(k, rank) for k in ((axis,) if isinstance(axis, int) else axis)})


def _traced(x):
    return x if isinstance(x, Array) else Array(lift(x))


@eager
def transpose(x, /, axes=None):
    """The array with its dimensions in another order, which is backwards if none is given."""
    x = _traced(x)
    order = list(range(x.ndim))[::-1] if axes is None else [_axis(k, x.ndim) for k in axes]
    if sorted(order) != list(range(x.ndim)):
        raise ShapeError(f"{tuple(axes)} is no order of {x.ndim} dimensions")
    return x if order == sorted(order) else Array(_core.permute(lift(x), order))


@eager
def moveaxis(x, source, destination, /):
    """The array with one dimension moved to another place."""
    x = _traced(x)
    order = list(range(x.ndim))
    order.insert(_axis(destination, x.ndim), order.pop(_axis(source, x.ndim)))
    return transpose(x, order)


@eager
def swapaxes(x, first, second, /):
    """The array with two dimensions exchanged."""
    x = _traced(x)
    order = list(range(x.ndim))
    first, second = _axis(first, x.ndim), _axis(second, x.ndim)
    order[first], order[second] = second, first
    return transpose(x, order)


@eager
def reshape(x, /, *shape):
    """The elements, in order, in an array of another shape; one size may be −1, which is then the one that fits."""
    x = _traced(x)
    sizes = list(shape[0]) if len(shape) == 1 and isinstance(shape[0], (tuple, list)) else list(shape)
    open_sizes = [k for k, n in enumerate(sizes) if isinstance(n, int) and n == -1]
    if len(open_sizes) > 1:
        raise ShapeError("only one size can be −1")
    for k in open_sizes:
        count = 1
        for n in sizes[:k] + sizes[k + 1 :]:
            count = n * count
        size = x.size
        sizes[k] = size // count
        if isinstance(size, int) and isinstance(count, int) and count * sizes[k] != size:
            raise ShapeError(f"an array of {size} elements has no shape of which a part is {count}")
    return Array(_core.reshape(lift(x), [_size(n) for n in sizes]))


@eager
def ravel(x, /):
    """The elements in a row."""
    return reshape(x, -1)


@eager
def expand_dims(x, axis, /):
    """The array with one more dimension, of size 1, at this place."""
    x = _traced(x)
    return Array(_core.expand(lift(x), _axis(axis, x.ndim + 1)))
