"""K-means and logistic regression on data of which no worker can hold all, by Dask.

Run it by ``python examples/larger_than_memory.py [ROWS]``. Two workers may have 512 MB each; by default there are 12 million points of 12
numbers, 1.15 GB. No array has all of them: each partition is made, or in practice read from a file, on the worker that computes with it, and
let go of. A step takes one pass; what is sent is the parameters and their gradient.
"""

import sys
import time

import dask
import dask.array as da
import numpy as np
from dask.distributed import Client, LocalCluster

import catadiff as cd
import catadiff.dask
import catadiff.numpy as cnp

COLUMNS, CLUSTERS, CHUNK, LIMIT = 12, 5, 100_000, 512 << 20
CENTRES = np.random.default_rng(0).normal(size=(CLUSTERS, COLUMNS)) * 6
WEIGHTS = np.linspace(-1.0, 1.0, COLUMNS)


def block(block_info=None):
    """Points around the centres, the same ones whichever worker makes them."""
    (start, end), _ = block_info[None]["array-location"]
    random = np.random.default_rng(start)
    return CENTRES[random.integers(CLUSTERS, size=end - start)] + random.normal(size=(end - start, COLUMNS))


def labels(points, block_info=None):
    """Which side of a plane each point is on, with some noise."""
    random = np.random.default_rng(block_info[0]["array-location"][0][0] + 1)
    return (points @ WEIGHTS + random.logistic(size=len(points)) > 0).astype(float)


def distances(centres, points):
    """The sum of squared distances to the nearest centre."""
    nearest = cd.map(lambda p: ((p - centres) ** 2).sum(axis=1).min(), points)
    return nearest.sum()


def crossed(weights, points, targets):
    """The negative logarithm of the likelihood."""
    return (cnp.logaddexp(0.0, points @ weights) - targets * (points @ weights)).sum()


def k_means(points, rows, steps=6):
    """Descent: in each step centres move against the gradient, by half of it for the points that are nearest on average."""
    both = cd.dask.value_and_grad(distances)
    centres = CENTRES + np.random.default_rng(1).normal(size=CENTRES.shape)
    costs = []
    for _ in range(steps):
        cost, slopes = both(centres, points)
        centres = centres - slopes * (0.5 * CLUSTERS / rows)
        costs.append(float(cost) / rows)
    return centres, costs


def logistic_regression(points, targets, rows, steps=8):
    """Descent with a step of its own for each column, by the curvature at most."""
    both = cd.dask.value_and_grad(crossed)
    scale = 4.0 / (rows * (CENTRES**2).mean(axis=0) + rows)
    weights, costs = np.zeros(COLUMNS), []
    for _ in range(steps):
        cost, slope = both(weights, points, targets)
        weights = weights - slope * scale / COLUMNS * 3
        costs.append(float(cost) / rows)
    return weights, costs


def main(rows=12_000_000, workers=2, limit=LIMIT):
    """Both, on workers of this machine; the costs of each step."""
    points = da.map_blocks(block, chunks=da.core.normalize_chunks((CHUNK, COLUMNS), (rows, COLUMNS)), dtype=float)
    targets = points.map_blocks(labels, drop_axis=1, dtype=float)
    size = rows * COLUMNS * 8
    print(f"{rows} points, {size / 1e6:.0f} MB; {workers} workers with {limit / 1e6:.0f} MB each")
    with (
        dask.config.set({"distributed.worker.memory.terminate": 0.95}),
        LocalCluster(n_workers=workers, threads_per_worker=1, memory_limit=limit, dashboard_address=":0") as cluster,
        Client(cluster),
    ):
        start = time.perf_counter()
        centres, of_means = k_means(points, rows)
        print("k-means: cost a point", *(f"{cost:.4f}" for cost in of_means), f"in {time.perf_counter() - start:.1f} s")
        start = time.perf_counter()
        weights, of_regression = logistic_regression(points, targets, rows)
        print(
            "logistic regression:",
            *(f"{cost:.4f}" for cost in of_regression),
            f"in {time.perf_counter() - start:.1f} s",
        )
    return centres, of_means, weights, of_regression


if __name__ == "__main__":
    main(*(int(word) for word in sys.argv[1:]))
