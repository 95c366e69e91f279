"""Operations on each element, with numpy's rules of broadcasting and of dtypes."""

import builtins
import functools
from math import inf, pi
from math import log as _log

import numpy as np

from .. import _core
from .._array import Array, common, is_tracing, lift
from ..errors import TypeMismatchError

_LOG_2 = _log(2)


def eager(f):
    """The function, which computes at once where nothing is traced."""

    @functools.wraps(f)
    def either(*args, **kwargs):
        if is_tracing():
            return f(*args, **kwargs)
        from .._function import at_once

        return at_once(f, args, kwargs)

    return either


def named(name, doc):
    """What is written once for several words: this one of them, by its name and with its documentation."""

    def of(f):
        f.__name__ = f.__qualname__ = name
        f.__doc__ = doc
        return eager(f)

    return of


def _elementwise(name, *operands, parameter=None):
    return Array(_core.elementwise(name, list(operands), parameter))


def _met(*operands):
    """The operands in the dtype in which they meet."""
    of = common(*operands)
    return of, [lift(x, of) for x in operands]


def _real(*operands):
    """The operands in the dtype of reals in which they meet."""
    of = common(*operands)
    if of.kind != "f":
        of = np.dtype(np.float64)
    return [lift(x, of) for x in operands]


def _of_reals(name, row, doc):
    @named(name, doc)
    def f(x, /):
        return _elementwise(row, *_real(x))

    return f


sqrt = _of_reals("sqrt", "sqrt", "The square root of each element.")
cbrt = _of_reals("cbrt", "cbrt", "The cube root of each element.")
exp = _of_reals("exp", "exp", "e to the power of each element.")
exp2 = _of_reals("exp2", "exp2", "2 to the power of each element.")
expm1 = _of_reals("expm1", "expm1", "``exp(x) - 1`` of each element, with all digits where it is small.")
log = _of_reals("log", "ln", "The natural logarithm of each element.")
log2 = _of_reals("log2", "log2", "The logarithm to base 2 of each element.")
log10 = _of_reals("log10", "log10", "The logarithm to base 10 of each element.")
log1p = _of_reals("log1p", "log1p", "``log(1 + x)`` of each element, with all digits where that is small.")
sin = _of_reals("sin", "sin", "The sine of each element.")
cos = _of_reals("cos", "cos", "The cosine of each element.")
tan = _of_reals("tan", "tan", "The tangent of each element.")
arcsin = _of_reals("arcsin", "asin", "The inverse sine of each element.")
arccos = _of_reals("arccos", "acos", "The inverse cosine of each element.")
arctan = _of_reals("arctan", "atan", "The inverse tangent of each element.")
sinh = _of_reals("sinh", "sinh", "The hyperbolic sine of each element.")
cosh = _of_reals("cosh", "cosh", "The hyperbolic cosine of each element.")
tanh = _of_reals("tanh", "tanh", "The hyperbolic tangent of each element.")
arcsinh = _of_reals("arcsinh", "asinh", "The inverse hyperbolic sine of each element.")
arccosh = _of_reals("arccosh", "acosh", "The inverse hyperbolic cosine of each element.")
arctanh = _of_reals("arctanh", "atanh", "The inverse hyperbolic tangent of each element.")
floor = _of_reals("floor", "floor", "The largest integer that is not above each element.")
ceil = _of_reals("ceil", "ceil", "The smallest integer that is not below each element.")


def _of_numbers(name, row, doc):
    @named(name, doc)
    def f(x, /):
        of, (x,) = _met(x)
        return _elementwise(row, x if of.kind != "b" else _core.convert(x, "int64"))

    return f


negative = _of_numbers("negative", "neg", "Each element with the other sign.")
absolute = _of_numbers("absolute", "abs", "The absolute value of each element.")
abs = absolute


@eager
def sign(x, /):
    """The sign of each element: −1, 0 or 1."""
    of, (x,) = _met(x)
    if of.kind != "f":
        return _elementwise("signum", x)
    x, zero = Array(x), _core.constant(str(of), 0)
    return where(_elementwise("eq", x.value, zero), x, _elementwise("signum", x.value))


@eager
def square(x, /):
    """The square of each element."""
    return multiply(x, x)


@eager
def reciprocal(x, /):
    """One over each element, as reals."""
    return _elementwise("recip", *_real(x))


def _of_two(name, row, doc):
    @named(name, doc)
    def f(x, y, /):
        _, operands = _met(x, y)
        return _elementwise(row, *operands)

    return f


add = _of_two("add", "add", "The sums of the elements that meet.")
multiply = _of_two("multiply", "mul", "The products of the elements that meet.")
subtract = _of_two("subtract", "sub", "The differences of the elements that meet.")
minimum = _of_two("minimum", "min", "The smaller of two elements that meet; a number rather than NaN.")
maximum = _of_two("maximum", "max", "The larger of two elements that meet; a number rather than NaN.")
fmin, fmax = minimum, maximum
equal = _of_two("equal", "eq", "Whether elements that meet are equal.")
less = _of_two("less", "lt", "Whether the first of two elements that meet is less.")
less_equal = _of_two("less_equal", "le", "Whether the first of two elements that meet is less, or both are equal.")


@eager
def not_equal(x, y, /):
    """Whether elements that meet differ."""
    return logical_not(equal(x, y))


@eager
def greater(x, y, /):
    """Whether the first of two elements that meet is greater."""
    return less(y, x)


@eager
def greater_equal(x, y, /):
    """Whether the first of two elements that meet is greater, or both are equal."""
    return less_equal(y, x)


@eager
def divide(x, y, /):
    """The quotients of the elements that meet, as reals."""
    return _elementwise("div", *_real(x, y))


true_divide = divide


@eager
def floor_divide(x, y, /):
    """The quotients of the elements that meet, rounded down; of integers by 0, an error of the run."""
    of, (x, y) = _met(x, y)
    return floor(_elementwise("div", x, y)) if of.kind == "f" else _elementwise("div", x, y)


@eager
def remainder(x, y, /):
    """The remainders of :func:`floor_divide`, with the signs of the divisors."""
    of, (x, y) = _met(x, y)
    if of.kind != "f":
        return _elementwise("mod", x, y)
    x, y = Array(x), Array(y)
    return x - floor(x / y) * y


mod = remainder


@eager
def power(x, y, /):
    """The first of two elements that meet to the power of the second.

    With an exponent that is an integer of Python the base may be negative; the derivative of an integer to such is an integer.
    """
    of = common(x, y)
    if isinstance(y, int) and not isinstance(y, bool) and of.kind == "f":
        return _elementwise("powi", lift(x, of), parameter=y)
    if isinstance(y, float) and y.is_integer() and builtins.abs(y) < 2**31:
        return _elementwise("powi", *_real(x), parameter=int(y))
    return _elementwise("pow", lift(x, of), lift(y, of))


@eager
def hypot(x, y, /):
    """The square root of the sum of the squares of two elements that meet, without overflow."""
    return _elementwise("hypot", *_real(x, y))


@eager
def arctan2(y, x, /):
    """The angle of the point ``(x, y)``, for the elements that meet."""
    return _elementwise("atan2", *_real(y, x))


@eager
def round(x, /, decimals=0):
    """The nearest integer to each element, or the nearest number of so many decimals; halves go to the even one, as in numpy."""
    (x,) = _real(x)
    x = Array(x)
    if decimals:
        scale = 10.0**decimals
        return round(x * scale) / scale
    nearest = _elementwise("round", x.value)
    other = 2.0 * _elementwise("round", (x / 2.0).value)
    return where(equal(absolute(x - floor(x)), 0.5), other, nearest)


rint = round


@eager
def isnan(x, /):
    """Whether each element is NaN."""
    (x,) = _real(x)
    return logical_not(Array(_core.elementwise("eq", [x, x])))


@eager
def isfinite(x, /):
    """Whether each element is a number that is not infinite."""
    return less(absolute(x), inf)


@eager
def isinf(x, /):
    """Whether each element is infinite."""
    return equal(absolute(x), inf)


def _logical(name, row, doc):
    @named(name, doc)
    def f(x, y, /):
        return _elementwise(row, lift(x, np.bool_), lift(y, np.bool_))

    return f


logical_and = _logical("logical_and", "mul", "Whether both of two elements that meet are true, or not 0.")
logical_or = _logical("logical_or", "add", "Whether one of two elements that meet is true, or not 0.")


@eager
def logical_not(x, /):
    """Whether each element is false, or 0."""
    return _elementwise("not", lift(x, np.bool_))


@eager
def logical_xor(x, y, /):
    """Whether exactly one of two elements that meet is true, or not 0."""
    return not_equal(Array(lift(x, np.bool_)), Array(lift(y, np.bool_)))


def _bitwise(name, of_integers, of_truths, doc):
    @named(name, doc)
    def f(x, y, /):
        of, operands = _met(x, y)
        if of.kind == "f":
            raise TypeMismatchError(f"{name} is of integers and truth values, and these are {of}")
        return of_truths(x, y) if of.kind == "b" else _elementwise(of_integers, *operands)

    return f


bitwise_and = _bitwise("bitwise_and", "and", lambda x, y: logical_and(x, y), "The bits that both have.")
bitwise_or = _bitwise("bitwise_or", "or", lambda x, y: logical_or(x, y), "The bits that one of both has.")
bitwise_xor = _bitwise("bitwise_xor", "xor", lambda x, y: logical_xor(x, y), "The bits that exactly one of both has.")
left_shift = _of_two("left_shift", "shl", "The bits of integers, moved up by the second.")
right_shift = _of_two("right_shift", "shr", "The bits of integers, moved down by the second.")


@eager
def invert(x, /):
    """The bits that are not set; of truth values the others."""
    of, (x,) = _met(x)
    return logical_not(Array(x)) if of.kind == "b" else _elementwise("complement", x)


@eager
def where(condition, x, y, /):
    """For each condition the element of ``x`` that it meets, or if it does not hold, that of ``y``.

    Both are computed. The derivative of the one that is not taken is 0, also where an elementary function in it has an infinite one.
    Where a value in it is infinite or NaN, as of ``x * log(x)`` at 0, write :func:`catadiff.cond`, which computes one of both.

    >>> import numpy as np, catadiff as cd, catadiff.numpy as cnp
    >>> cd.grad(lambda x: cnp.where(x > 0.0, cnp.sqrt(x), 0.0).sum())(np.array([4.0, 0.0]))
    array([0.25, 0.  ])
    """
    _, (x, y) = _met(x, y)
    return Array(_core.choose(lift(condition, np.bool_), x, y))


@eager
def clip(x, /, a_min=None, a_max=None):
    """The elements, those below ``a_min`` replaced by it and those above ``a_max`` by that; NaN stays."""
    if a_min is not None:
        x = where(less(x, a_min), a_min, x)
    return x if a_max is None else where(less(a_max, x), a_max, x)


@eager
def nan_to_num(x, /, nan=0.0):
    """The elements, with a number in the place of NaN."""
    return where(isnan(x), nan, x)


def astype(x, dtype, /):
    """The elements in another dtype: reals are rounded towards 0 to integers."""
    return Array(lift(x, dtype))


@eager
def trunc(x, /):
    """Each element without what is behind its point."""
    (x,) = _real(x)
    x = Array(x)
    return where(less(x, 0.0), ceil(x), floor(x))


@eager
def copysign(x, y, /):
    """The first of two elements that meet with the sign of the second; that of 0 is +."""
    return where(less(y, 0), negative(absolute(x)), absolute(x))


@eager
def logaddexp(x, y, /):
    """The logarithm of the sum of the exponentials of two elements that meet, without overflow."""
    # Two infinities of one sign have no distance. Where both are equal each has half of the derivative, as no maximum would have it.
    x, y = map(Array, _real(x, y))
    distance = where(logical_and(equal(x, y), isinf(x)), 0.0, x - y)
    softplus = lambda z: _elementwise("softplus", z.value)
    return where(greater_equal(distance, 0.0), x + softplus(-distance), y + softplus(distance))


@eager
def isclose(x, y, /, rtol=1e-5, atol=1e-8):
    """Whether the first of two elements that meet differs from the second by no more than ``atol + rtol * abs(y)``."""
    return less_equal(absolute(subtract(x, y)), add(atol, multiply(rtol, absolute(y))))


def positive(x, /):
    """The elements as they are."""
    return multiply(x, 1)


fabs = _of_reals("fabs", "abs", "The absolute value of each element, as reals.")


@eager
def heaviside(x, y, /):
    """0 for each element below 0, 1 for each above, and ``y`` for 0."""
    (x, y) = map(Array, _real(x, y))
    return where(equal(x, 0), y, where(less(x, 0), 0.0, where(isnan(x), x, 1.0)))


@eager
def radians(x, /):
    """Angles in degrees as radians."""
    return multiply(Array(_real(x)[0]), pi / 180)


@eager
def degrees(x, /):
    """Angles in radians as degrees."""
    return multiply(Array(_real(x)[0]), 180 / pi)


deg2rad, rad2deg = radians, degrees


@eager
def sinc(x, /):
    """``sin(pi * x) / (pi * x)`` of each element, and 1 of 0."""
    x = multiply(Array(_real(x)[0]), pi)
    # The quotient is not asked for where it has no derivative.
    somewhere = where(equal(x, 0), 1.0, x)
    return where(equal(x, 0), 1.0 - x * x / 6, sin(somewhere) / somewhere)


@eager
def logaddexp2(x, y, /):
    """The binary logarithm of the sum of 2 to the power of two elements that meet, without overflow."""
    x, y = map(Array, _real(x, y))
    return logaddexp(x * _LOG_2, y * _LOG_2) / _LOG_2


@eager
def float_power(x, y, /):
    """The first of two elements that meet to the power of the second, in double precision."""
    wide = lambda x: float(x) if isinstance(x, (int, float)) else Array(lift(x, np.float64))
    return power(wide(x), wide(y))


@eager
def select(conditions, choices, default=0):
    """For each element that of the first choice whose condition holds."""
    for condition, choice in reversed(list(zip(conditions, choices, strict=True))):
        default = where(condition, choice, default)
    return default
