"""GradBench's `det`: the determinant by minors, along the first row and so on, and its gradient."""

import numpy as np

import catadiff as cd


@cd.function(static_argnames="size")
def determinant(matrix, size):
    return determinants(matrix[None], size)[0]


def determinants(matrices, size):
    """The determinants of many matrices; the minors of all these are again such."""
    if size == 1:
        return matrices[:, 0, 0]
    columns = np.array([[column for column in range(size) if column != gone] for gone in range(size)])
    minors = matrices[:, 1:][:, :, columns].swapaxes(1, 2).reshape(-1, size - 1, size - 1)
    signs = (-1.0) ** np.arange(size)
    return (signs * matrices[:, 0] * determinants(minors, size - 1).reshape(-1, size)).sum(axis=1)


def arguments(given):
    size = given["ell"]
    return np.array(given["A"]).reshape(size, size), size


def primal(given):
    return determinant(*arguments(given))


def gradient(given):
    return cd.grad(determinant)(*arguments(given))
