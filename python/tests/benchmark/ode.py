"""GradBench's `ode`: a system of differential equations by Runge and Kutta's method, and its last one's gradient."""

import numpy as np

import catadiff as cd
import catadiff.numpy as cnp


@cd.function
def solution(x, steps):
    """``y(2)`` for ``y₀′ = x₀``, ``yᵢ′ = xᵢ yᵢ₋₁`` and ``y(0) = 0``."""
    slope = lambda y: x * cnp.concatenate([cnp.ones(1), y[:-1]])
    h = 2 / steps

    def step(_, y):
        k1 = slope(y)
        k2 = slope(y + h / 2 * k1)
        k3 = slope(y + h / 2 * k2)
        k4 = slope(y + h * k3)
        return y + h / 6 * (k1 + 2 * k2 + 2 * k3 + k4)

    return cd.fori_loop(0, steps, step, cnp.zeros_like(x))


@cd.function
def last(x, steps):
    return solution(x, steps)[-1]


def primal(given):
    return solution(np.array(given["x"]), given["s"])


def gradient(given):
    return cd.grad(last)(np.array(given["x"]), given["s"])
