"""GradBench's `saddle`: the saddle point of ``‖x‖² − ‖y‖²``, by a descent within a descent."""

import numpy as np

import catadiff as cd
import catadiff.numpy as cnp

from .descent import GRADIENTS, argmin


def height(x, y):
    return x @ x - y @ y


@cd.function(static_argnames=("outer", "inner"))
def saddle_point(start, outer, inner):
    """``x`` with the least of the greatest heights, and ``y`` at which that is, by derivatives in these modes."""
    highest = lambda x: argmin(lambda y: -height(x, y), GRADIENTS[inner], start)
    x = argmin(lambda x: height(x, highest(x)), GRADIENTS[outer], start)
    return cnp.concatenate([x, highest(x)])


ff, fr, rf, rr = (
    lambda given, modes=modes: saddle_point(np.array(given["start"]), *modes) for modes in ("ff", "fr", "rf", "rr")
)
