"""GradBench's `hello`: the square of a number, and its derivative."""

import catadiff as cd


@cd.function
def square(x):
    return x * x


double = cd.grad(square)
