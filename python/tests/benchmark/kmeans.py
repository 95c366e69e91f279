"""GradBench's `kmeans`: the squared distances of points from their nearest centroids, and Newton's step for the sum."""

import numpy as np

import catadiff as cd
import catadiff.numpy as cnp


@cd.function
def total_distance(points, centroids):
    distances = ((points[:, None] - centroids[None]) ** 2).sum(axis=-1)
    return distances.min(axis=1).sum()


@cd.function
def newton_step(points, centroids):
    # The Hessian is diagonal, so that its product with ones is the diagonal.
    diagonal = cd.hvp(total_distance, 1)(points, centroids, cnp.ones_like(centroids))
    return cd.grad(total_distance, 1)(points, centroids) / diagonal


def arguments(given):
    return np.array(given["points"]), np.array(given["centroids"])


def cost(given):
    return total_distance(*arguments(given))


def dir(given):
    return newton_step(*arguments(given))
