"""GradBench's `lse`: the logarithm of a sum of exponentials, and its gradient."""

import numpy as np

import catadiff as cd
import catadiff.numpy as cnp


@cd.function
def log_sum_exp(x):
    # The greatest is taken out, so that no exponential overflows.
    greatest = x.max()
    return cnp.log(cnp.exp(x - greatest).sum()) + greatest


def primal(given):
    return log_sum_exp(np.array(given["x"]))


def gradient(given):
    return cd.grad(log_sum_exp)(np.array(given["x"]))
