"""Quantiles, moments of several variables, and sums that leave NaN out."""

import numpy as np

from .._array import Array, common
from ._elements import _real, divide, eager, floor, isnan, logical_not, minimum, not_equal, sqrt, subtract, where
from ._indexing import take
from ._order import _axis, expand_dims, moveaxis, ravel
from ._products import diag, matmul, outer
from ._reductions import max, mean, min, searchsorted, sort, sum


@eager
def quantile(x, q, /, axis=None, keepdims=False):
    """The number, or for several ``q`` the numbers, below which a part ``q`` of the elements is, by a line between the two nearest; along one
    dimension, or of all."""
    x, q = map(Array, _real(x, q))
    rank = x.ndim
    axis = None if axis is None else _axis(axis, rank)
    ordered = sort(ravel(x) if axis is None else moveaxis(x, axis, 0), axis=0)
    last = ordered.shape[0] - 1
    at = q * last
    low = floor(at).astype(np.int64)
    part = (at - low)[(..., *[None] * (ordered.ndim - 1))]
    below, above = take(ordered, low, axis=0), take(ordered, minimum(low + 1, last), axis=0)
    found = below + (above - below) * part
    for k in (range(rank) if axis is None else [axis]) if keepdims else []:
        found = expand_dims(found, q.ndim + k)
    return found


@eager
def percentile(x, q, /, axis=None, keepdims=False):
    """As :func:`quantile`, of a part in hundredths."""
    return quantile(x, divide(q, 100), axis=axis, keepdims=keepdims)


@eager
def median(x, /, axis=None, keepdims=False):
    """The number in the middle of the elements in order, or the mean of the two there; along one dimension, or of all."""
    return quantile(x, 0.5, axis=axis, keepdims=keepdims)


@eager
def ptp(x, /, axis=None, keepdims=False):
    """The distance of the greatest element from the least, along one dimension, several, or all."""
    return subtract(max(x, axis=axis, keepdims=keepdims), min(x, axis=axis, keepdims=keepdims))


@eager
def count_nonzero(x, /, axis=None, keepdims=False):
    """How many elements are not 0, or true, along one dimension, several, or all."""
    return sum(not_equal(x, 0), axis=axis, keepdims=keepdims)


@eager
def nansum(x, /, axis=None, keepdims=False):
    """The sum of the elements that are not NaN, along one dimension, several, or all."""
    return sum(where(isnan(x), 0, x), axis=axis, keepdims=keepdims)


@eager
def nanmean(x, /, axis=None, keepdims=False):
    """The mean of the elements that are not NaN, along one dimension, several, or all."""
    count = sum(logical_not(isnan(x)), axis=axis, keepdims=keepdims)
    return divide(nansum(x, axis=axis, keepdims=keepdims), count.astype(common(x)))


@eager
def nanvar(x, /, axis=None, keepdims=False, ddof=0):
    """The mean squared distance from the mean of the elements that are not NaN, as :func:`var` has it."""
    count = sum(logical_not(isnan(x)), axis=axis, keepdims=keepdims).astype(common(x))
    middle = nanmean(x, axis=axis, keepdims=True)
    # A distance that is NaN would be so in the derivative, where nothing takes it.
    distances = where(isnan(x), middle, x) - middle
    return divide(sum(distances * distances, axis=axis, keepdims=keepdims), count - ddof)


@eager
def nanstd(x, /, axis=None, keepdims=False, ddof=0):
    """The square root of :func:`nanvar`."""
    return sqrt(nanvar(x, axis=axis, ddof=ddof, keepdims=keepdims))


#: The extrema prefer numbers anyhow.
nanmin, nanmax = min, max


@eager
def cov(x, /, rowvar=True, ddof=1):
    """The covariances of variables, of which each is a row, or with ``rowvar=False`` a column; of a list the variance."""
    x = Array(_real(x)[0])
    rows = x[None] if x.ndim == 1 else x if rowvar else x.T
    distances = rows - mean(rows, axis=1, keepdims=True)
    found = matmul(distances, distances.T) / (rows.shape[1] - ddof)
    return found[0, 0] if x.ndim == 1 else found


@eager
def corrcoef(x, /, rowvar=True):
    """The covariances of variables, each divided by the spreads of both."""
    found = cov(x, rowvar=rowvar)
    if found.ndim == 0:
        return found / found
    spreads = sqrt(diag(found))
    return found / outer(spreads, spreads)


@eager
def digitize(x, bins, /, right=False):
    """For each element the index of the range between bounds, which rise, that it is in."""
    return searchsorted(bins, x, side="left" if right else "right")
