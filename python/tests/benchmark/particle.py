"""GradBench's `particle`: the charge's place for which a particle in its field lands next to the origin."""

import catadiff as cd
import catadiff.numpy as cnp

from .descent import GRADIENTS, argmin, norm

DT = 0.1


def potential(x, w):
    charges = cnp.array([[10.0, 10.0 - w[0]], [10.0, 0.0]])
    return cd.map(lambda charge: 1 / norm(x - charge), charges).sum()


def miss(w, gradient):
    """The square of where a particle lands that the field accelerates, in steps of time of ``DT``."""
    slope = gradient(lambda x: potential(x, w))
    above = lambda state: (state[0] + DT * state[1])[1] > 0
    step = lambda state: (state[0] + DT * state[1], state[1] - DT * slope(state[0]))
    x, v = cd.while_loop(above, step, (cnp.array([0.0, 8.0]), cnp.array([0.75, 0.0])))
    return (x[0] - v[0] * x[1] / v[1]) ** 2


@cd.function(static_argnames=("outer", "inner"))
def best(w, outer, inner):
    """The parameter with the least miss, by derivatives in these modes."""
    return argmin(lambda w: miss(w, GRADIENTS[inner]), GRADIENTS[outer], w[None])[0]


ff, fr, rf, rr = (lambda given, modes=modes: best(given["w"], *modes) for modes in ("ff", "fr", "rf", "rr"))
