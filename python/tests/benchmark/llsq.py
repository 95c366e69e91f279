"""GradBench's `llsq`: the least squares of a polynomial that is fitted to the sign function, and its gradient."""

import numpy as np

import catadiff as cd
import catadiff.numpy as cnp


@cd.function
def misfit(coefficients, n):
    t = cnp.linspace(-1.0, 1.0, n)
    powers = t[:, None] ** cnp.arange(coefficients.shape[0])
    residuals = cnp.sign(t) - powers @ coefficients
    return 0.5 * (residuals**2).sum()


def primal(given):
    return misfit(np.array(given["x"]), given["n"])


def gradient(given):
    return cd.grad(misfit)(np.array(given["x"]), given["n"])
