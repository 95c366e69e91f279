"""Gradient descent as GradBench prescribes it for `particle` and `saddle`; it must not be improved."""

import catadiff as cd
import catadiff.numpy as cnp

#: The derivative of a number by a list, in forward and in reverse mode.
GRADIENTS = {"f": cd.jacfwd, "r": cd.grad}


def norm(x):
    return cnp.sqrt(x @ x)


def argmin(f, gradient, start):
    """Where a function is least, as far as steps down its slope find it from ``start``.

    A step's size doubles after ten successes and halves after a failure, until the slope or the step is small.
    """
    slope_of = gradient(f)

    def going(state):
        _, _, slope, _, _, stopped = state
        return (norm(slope) > 1e-5) & ~stopped

    def step(state):
        x, fx, slope, size, successes, _ = state
        there = x - size * slope

        def tried():
            at = f(there)
            return cd.cond(
                at < fx,
                lambda: (there, at, slope_of(there), size, successes + 1, False),
                lambda: (x, fx, slope, size / 2, 0, False),
            )

        return cd.cond(
            successes == 10,
            lambda: (x, fx, slope, 2 * size, 0, False),
            lambda: cd.cond(norm(x - there) <= 1e-5, lambda: (x, fx, slope, size, successes, True), tried),
        )

    x, *_ = cd.while_loop(going, step, (start, f(start), slope_of(start), 1e-5, 0, False))
    return x
