"""GradBench's `gmm`: the log-posterior of a mixture of Gaussians with a Wishart prior, and its gradient."""

import math

import numpy as np

import catadiff as cd
import catadiff.numpy as cnp
from catadiff.special import gammaln, logsumexp


def lower_triangular(diagonals, below):
    """The matrices with these diagonals, and with what is below these given column by column."""
    k, d = diagonals.shape
    row, column = cnp.arange(d)[:, None], cnp.arange(d)[None]
    place = 1 + d + column * d - column * (column + 1) // 2 + (row - column - 1)
    places = cnp.where(row == column, 1 + row, cnp.where(row > column, place, 0))
    return cnp.concatenate([cnp.zeros((k, 1)), diagonals, below], axis=1)[:, places]


def log_prior(mixture, m, gamma):
    """The logarithm of the density of the precisions, as Wishart has it."""
    k, d = mixture["q"].shape
    freedom = d + m + 1
    log_gamma = d * (d - 1) / 4 * math.log(math.pi) + gammaln(freedom / 2 - cnp.arange(d) / 2).sum()
    constant = freedom * d * (cnp.log(gamma) - 0.5 * math.log(2)) - log_gamma
    squares = (cnp.exp(mixture["q"]) ** 2).sum() + (mixture["l"] ** 2).sum()
    return k * constant - gamma**2 / 2 * squares + m * mixture["q"].sum()


@cd.function
def log_posterior(mixture, x, m, gamma):
    n, d = x.shape
    alpha, q = mixture["alpha"], mixture["q"]
    roots = lower_triangular(cnp.exp(q), mixture["l"])
    centred = x[:, None] - mixture["mu"][None]
    squares = (cnp.einsum("kij,nkj->nki", roots, centred) ** 2).sum(axis=-1)
    likelihoods = logsumexp(alpha + q.sum(axis=1) - 0.5 * squares, axis=1)
    constant = -n * d / 2 * math.log(2 * math.pi)
    return constant + likelihoods.sum() - n * logsumexp(alpha) + log_prior(mixture, m, gamma)


def arguments(given):
    mixture = {name: np.array(given[name]) for name in ("alpha", "mu", "q", "l")}
    return mixture, np.array(given["x"]), given["m"], given["gamma"]


def objective(given):
    return log_posterior(*arguments(given))


def jacobian(given):
    return cd.grad(log_posterior)(*arguments(given))
