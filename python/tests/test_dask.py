"""Sums over partitions have the derivative of the whole, and workers that die change no bit of it."""

import os
import signal
import subprocess
import sys
import threading
import time

import numpy as np
import pytest

import catadiff as cd
import catadiff.numpy as cnp
from catadiff.errors import CatadiffError, DerivativeError, ShapeError, TypeMismatchError

dask = pytest.importorskip("dask")
da = pytest.importorskip("dask.array")

import catadiff.dask as cdask  # noqa: E402

RANDOM = np.random.default_rng(8)
X, Y = RANDOM.normal(size=(103, 3)), RANDOM.integers(0, 2, 103).astype(float)
WEIGHTS = {"w": np.array([0.5, -1.0, 0.25]), "b": 0.1}


def loss(weights, x, y):
    z = x @ weights["w"] + weights["b"]
    return (cd.special.softplus(z) - y * z).sum()


def is_of_the_whole(found):
    value, gradient = found
    expected, slope = cd.value_and_grad(loss)(WEIGHTS, X, Y)
    np.testing.assert_allclose(value, expected, rtol=1e-12)
    np.testing.assert_allclose(gradient["w"], slope["w"], rtol=1e-12)
    np.testing.assert_allclose(gradient["b"], slope["b"], rtol=1e-12)


@pytest.mark.parametrize("chunks", [103, 10, 1, (50, 53)])
def test_arrays_in_chunks(chunks):
    chunks = [chunks] if isinstance(chunks, tuple) else chunks
    x = da.from_array(X, chunks=(chunks[0] if isinstance(chunks, list) else chunks, 3))
    is_of_the_whole(cdask.value_and_grad(loss)(WEIGHTS, x, da.from_array(Y, chunks=chunks)))


def test_delayed_arrays_and_bags():
    parts = np.array_split(X, 5), np.array_split(Y, 5)
    delayed = [[dask.delayed(part) for part in column] for column in parts]
    is_of_the_whole(cdask.value_and_grad(loss)(WEIGHTS, *delayed))
    import dask.bag as bag

    bags = [bag.from_sequence(list(column), npartitions=4) for column in (X, Y)]
    with dask.config.set(scheduler="threads"):
        is_of_the_whole(cdask.value_and_grad(loss)(WEIGHTS, *bags))
    gradient = cdask.grad(loss)(WEIGHTS, *delayed)
    assert set(gradient) == {"w", "b"}


def test_mistakes():
    x, y = da.from_array(X, chunks=(20, 3)), da.from_array(Y, chunks=20)
    with pytest.raises(ShapeError, match="split more than the first"):
        cdask.value_and_grad(loss)(WEIGHTS, x.rechunk((20, 1)), y)
    with pytest.raises(ShapeError, match="partitions"):
        cdask.value_and_grad(loss)(WEIGHTS, x, y.rechunk(50))
    with pytest.raises(ShapeError, match="no collection"):
        cdask.value_and_grad(loss)(WEIGHTS)
    with pytest.raises(TypeMismatchError, match="no collection"):
        cdask.value_and_grad(loss)(WEIGHTS, X, Y)
    with pytest.raises(DerivativeError, match="one number"):
        cdask.value_and_grad(lambda w, x, y: x @ w["w"])(WEIGHTS, x, y)


@pytest.fixture
def cluster():
    distributed = pytest.importorskip("distributed")
    # So long after a worker was lost the cluster gives up its place, if just then it is lost again.
    with dask.config.set({"distributed.deploy.lost-worker-timeout": "1 hour"}):
        with distributed.LocalCluster(n_workers=2, threads_per_worker=1, dashboard_address=None) as cluster:
            with distributed.Client(cluster) as client:
                yield client


def slow(weights, x, y):
    # Long enough for a worker to be killed meanwhile.
    again = cd.fori_loop(0, 20_000_000, lambda i, s: cnp.sin(s), cd.stop_gradient(weights["b"]))
    return loss(weights, x, y) + 0.0 * again


def test_workers_that_are_killed_change_nothing(cluster):
    x, y = da.from_array(X, chunks=(10, 3)), da.from_array(Y, chunks=10)
    expected = cdask.value_and_grad(loss)(WEIGHTS, x, y)
    is_of_the_whole(expected)
    times = int(os.environ.get("CATADIFF_KILLS", "2"))
    for k in range(times):

        def kill():
            time.sleep(0.2 + 0.1 * (k % 5))
            pids = list(cluster.run(os.getpid).values())
            os.kill(pids[k % len(pids)], signal.SIGKILL)

        killer = threading.Thread(target=kill)
        killer.start()
        value, gradient = cdask.value_and_grad(slow, retries=10)(WEIGHTS, x, y)
        killer.join()
        assert value == expected[0] and gradient["b"] == expected[1]["b"]
        np.testing.assert_array_equal(gradient["w"], expected[1]["w"])
        cluster.wait_for_workers(2, timeout=120)


SCHEDULER = """
import distributed, time
if __name__ == "__main__":
    cluster = distributed.LocalCluster(n_workers=1, threads_per_worker=1, dashboard_address=None)
    print(cluster.scheduler_address, flush=True)
    time.sleep(600)
"""


@pytest.mark.parametrize("meanwhile", [False, True])
def test_a_scheduler_that_is_gone(meanwhile):
    distributed = pytest.importorskip("distributed")
    process = subprocess.Popen([sys.executable, "-c", SCHEDULER], stdout=subprocess.PIPE, text=True)
    client = distributed.Client(process.stdout.readline().strip(), timeout=30)
    x, y = da.from_array(X, chunks=(20, 3)), da.from_array(Y, chunks=20)
    try:
        is_of_the_whole(cdask.value_and_grad(loss)(WEIGHTS, x, y))
        threading.Timer(0.5 if meanwhile else 0.0, process.kill).start()
        time.sleep(0.0 if meanwhile else 2.0)
        with pytest.raises(CatadiffError, match="scheduler of Dask is gone"):
            cdask.value_and_grad(slow)(WEIGHTS, x, y)
    finally:
        process.kill()
        client.close(timeout=1)


def test_the_example_of_more_data_than_memory():
    import runpy

    example = runpy.run_path(os.path.join(os.path.dirname(__file__), "..", "examples", "larger_than_memory.py"))
    rows = 250_000
    _, of_means, _, of_regression = example["main"](rows)
    assert of_means[0] > of_means[-1] and of_regression[0] > of_regression[-1]
    np.testing.assert_allclose(of_regression[0], np.log(2), rtol=1e-12)
    # The first cost is that of all points at once.
    points = np.concatenate(
        [
            example["block"]({None: {"array-location": [(start, min(start + 100_000, rows)), (0, 12)]}})
            for start in range(0, rows, 100_000)
        ]
    )
    centres = example["CENTRES"] + np.random.default_rng(1).normal(size=example["CENTRES"].shape)
    nearest = ((points[:, None, :] - centres) ** 2).sum(-1).min(-1)
    np.testing.assert_allclose(of_means[0], nearest.mean(), rtol=1e-12)
    # Clusters of unit variance in twelve dimensions, and sides of a plane.
    assert of_means[-1] < 12.1 and of_regression[-1] < 0.2
