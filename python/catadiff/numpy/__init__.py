"""The words of numpy for traced arrays, by their names.

A function here does to traced arrays what numpy's function of the same name does to its own: the same broadcasting, promotion of
dtypes and axes. Outside of a traced function it computes at once, as numpy does.

What differs, since a program runs for arrays of any size and number:

- of the sizes of an array only those are integers that are known; a size of 1 is known, and so are those of what is made here;
- a traced index, and one in a traced array of indices, is not counted from the end if it is negative, but is out of bounds;
- ``min``, ``max``, ``minimum`` and ``maximum`` prefer a number over NaN, as ``fmin`` and ``fmax`` do, and the least of no numbers is ∞;
- sums of integers stay in their dtype;
- there are no complex numbers, and no results whose size depends on the numbers, as ``x[x > 0]`` has: write :func:`where`.
"""

import math as _math

import numpy as _np

from . import _methods
from ._elements import (
    abs,
    absolute,
    add,
    arccos,
    arccosh,
    arcsin,
    arcsinh,
    arctan,
    arctan2,
    arctanh,
    astype,
    bitwise_and,
    bitwise_or,
    bitwise_xor,
    cbrt,
    ceil,
    clip,
    copysign,
    cos,
    cosh,
    divide,
    equal,
    exp,
    exp2,
    expm1,
    floor,
    floor_divide,
    fmax,
    fmin,
    greater,
    greater_equal,
    hypot,
    invert,
    isclose,
    isfinite,
    isinf,
    isnan,
    left_shift,
    less,
    less_equal,
    log,
    log1p,
    log2,
    log10,
    logaddexp,
    logical_and,
    logical_not,
    logical_or,
    logical_xor,
    maximum,
    minimum,
    mod,
    multiply,
    nan_to_num,
    negative,
    not_equal,
    power,
    reciprocal,
    remainder,
    right_shift,
    rint,
    round,
    sign,
    sin,
    sinh,
    sqrt,
    square,
    subtract,
    tan,
    tanh,
    true_divide,
    trunc,
    where,
)
from ._indexing import (
    take,
    take_along_axis,
)
from ._making import (
    arange,
    array,
    asarray,
    eye,
    full,
    full_like,
    identity,
    linspace,
    ndim,
    ones,
    ones_like,
    shape,
    zeros,
    zeros_like,
)
from ._order import (
    expand_dims,
    moveaxis,
    ravel,
    reshape,
    swapaxes,
    transpose,
)
from ._products import (
    cross,
    diag,
    diagonal,
    dot,
    einsum,
    inner,
    kron,
    matmul,
    outer,
    tensordot,
    trace,
    tril,
    triu,
    vdot,
)
from ._reductions import (
    all,
    allclose,
    amax,
    amin,
    any,
    argmax,
    argmin,
    argsort,
    average,
    cummax,
    cummin,
    cumprod,
    cumsum,
    interp,
    max,
    mean,
    min,
    prod,
    searchsorted,
    sort,
    std,
    sum,
    trapezoid,
    var,
)
from ._shapes import (
    atleast_1d,
    broadcast_to,
    column_stack,
    concatenate,
    diff,
    flip,
    hstack,
    meshgrid,
    pad,
    repeat,
    roll,
    split,
    squeeze,
    stack,
    tile,
    vstack,
)

e, pi, inf, nan, newaxis = _math.e, _math.pi, _math.inf, _math.nan, None
float16, float32, float64 = _np.float16, _np.float32, _np.float64
int8, int16, int32, int64 = _np.int8, _np.int16, _np.int32, _np.int64
uint8, uint16, uint32, uint64 = _np.uint8, _np.uint16, _np.uint32, _np.uint64
bool_ = _np.bool_
