"""What arrays do by themselves: operators, indexing, and methods."""

import numpy as np

from .._array import Array, is_scalar
from . import _elements as elements
from . import _indexing as indexing
from . import _order as order
from . import _products as products
from . import _reductions as reductions
from . import _shapes as shapes


def _operator(name, f):
    def forwards(self, other):
        return NotImplemented if _is_strange(other) else f(self, other)

    def backwards(self, other):
        return NotImplemented if _is_strange(other) else f(other, self)

    setattr(Array, f"__{name}__", forwards)
    setattr(Array, f"__r{name}__", backwards)


def _is_strange(x):
    return not (isinstance(x, (Array, np.ndarray, np.generic)) or is_scalar(x) or hasattr(x, "__array__"))


for _name, _f in {
    "add": elements.add,
    "sub": elements.subtract,
    "mul": elements.multiply,
    "truediv": elements.divide,
    "floordiv": elements.floor_divide,
    "mod": elements.remainder,
    "pow": elements.power,
    "matmul": products.matmul,
    "and": elements.bitwise_and,
    "or": elements.bitwise_or,
    "xor": elements.bitwise_xor,
    "lshift": elements.left_shift,
    "rshift": elements.right_shift,
}.items():
    _operator(_name, _f)

for _name, _f in {
    "lt": elements.less,
    "le": elements.less_equal,
    "gt": elements.greater,
    "ge": elements.greater_equal,
    "eq": elements.equal,
    "ne": elements.not_equal,
}.items():
    setattr(Array, f"__{_name}__", lambda self, other, f=_f: NotImplemented if _is_strange(other) else f(self, other))

Array.__hash__ = object.__hash__
Array.__neg__ = lambda self: elements.negative(self)
Array.__pos__ = lambda self: self
Array.__abs__ = lambda self: elements.absolute(self)
Array.__invert__ = lambda self: elements.invert(self)
Array.__getitem__ = indexing._index
Array.T = property(lambda self: order.transpose(self), doc="The array with its dimensions backwards.")
for _f in (
    reductions.sum,
    reductions.prod,
    reductions.min,
    reductions.max,
    reductions.mean,
    reductions.var,
    reductions.std,
    reductions.all,
    reductions.any,
    reductions.argmin,
    reductions.argmax,
    reductions.cumsum,
    reductions.cumprod,
    order.reshape,
    order.ravel,
    order.transpose,
    order.swapaxes,
    shapes.squeeze,
    elements.astype,
    elements.clip,
    elements.round,
    products.dot,
    indexing.take,
    reductions.sort,
    reductions.argsort,
    shapes.repeat,
    products.trace,
    products.diagonal,
):
    setattr(Array, _f.__name__, _f)
Array.flatten = order.ravel
