"""Runs: dtypes and layouts in and out, threads, Ctrl-C, progress, and the same bits on every way."""

import os
import signal
import threading
import time

import numpy as np
import pytest

import catadiff as cd
import catadiff.numpy as cnp
from catadiff.errors import CatadiffError

DTYPES = "bool int8 int16 int32 int64 uint8 uint16 uint32 uint64 float16 float32 float64".split()
EXECUTORS = [name for name in ("lanes", "program", "native") if name in cd.executors()]


@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize("shape", [(), (1,), (5,), (0,), (2, 3), (2, 0, 3)])
@pytest.mark.parametrize("executor", EXECUTORS)
def test_what_goes_in_comes_out(dtype, shape, executor):
    x = np.random.default_rng(2).integers(0, 2 if dtype == "bool" else 100, shape).astype(dtype)
    found = cd.function(lambda x: x, executor=executor)(x)
    assert found.dtype == x.dtype and found.shape == x.shape
    np.testing.assert_array_equal(found, x)


def test_extreme_numbers():
    for dtype in DTYPES[1:9]:
        ends = np.array([np.iinfo(dtype).min, np.iinfo(dtype).max], dtype)
        np.testing.assert_array_equal(cd.function(lambda x: x)(ends), ends)
    strange = np.array([np.nan, np.inf, -np.inf, -0.0, 5e-324, 1.7976931348623157e308])
    np.testing.assert_array_equal(cd.function(lambda x: x)(strange).view(np.int64), strange.view(np.int64))


def test_layouts():
    x = np.arange(24.0).reshape(4, 6)
    f = cd.function(lambda x: x * 1.0)
    for view in (
        x.T,
        x[::2],
        x[:, ::-1],
        np.asfortranarray(x),
        x[1:3, 2:5],
        np.broadcast_to(x[0], (3, 6)),
        x.astype(">f8"),
    ):
        np.testing.assert_array_equal(f(view), view)
    unaligned = np.frombuffer(b"." + x.tobytes(), offset=1).reshape(4, 6)
    np.testing.assert_array_equal(f(unaligned), x)
    read_only = x.copy()
    read_only.setflags(write=False)
    np.testing.assert_array_equal(f(read_only), x)


def test_other_packages_arrays():
    f = cd.function(lambda x: x.sum())
    assert f(memoryview(np.arange(3.0))) == 3.0
    torch = pytest.importorskip("torch")
    assert f(torch.arange(3.0, dtype=torch.float64)) == 3.0


def test_results_are_the_callers_own():
    x = np.ones(3)
    f = cd.function(lambda x: x)
    y = f(x)
    y[0] = 7.0
    assert x[0] == 1.0 and f(x)[0] == 1.0


def test_every_executor_gives_the_same():
    rng = np.random.default_rng(4)
    w, x = rng.normal(size=(7, 5)), rng.normal(size=(40, 5))
    loss = lambda w, x: cd.special.logsumexp(cnp.tanh(x @ w.T), axis=1).sum()
    found = [cd.grad(cd.function(loss, executor=name))(w, x) for name in EXECUTORS]
    for other in found[1:]:
        np.testing.assert_allclose(other, found[0], rtol=1e-12)


def test_what_a_function_mentions():
    scale, many = np.array([2.0, 3.0]), np.arange(1000.0)
    f = cd.function(lambda x: (x * scale).sum() + many[:2] @ x)
    expected = lambda x: (x * [2.0, 3.0]).sum() + x[1]
    x = np.array([5.0, 7.0])
    assert f(x) == expected(x)
    many[:] = 0.0  # it was a copy
    assert f(x) == expected(x) and f(x) == f.lower(x)(x)
    np.testing.assert_array_equal(cd.grad(f)(x), [2.0, 4.0])


def test_known_outlines_and_others_give_the_same():
    f = cd.function(lambda x, y: x * y)
    for _ in range(3):
        assert f(2.0, 3.0) == 6.0
        assert f(2.0, np.ones(2)).shape == (2,)
        assert f(np.ones((2, 1)), np.ones((1, 3))).shape == (2, 3)
        assert f(np.ones((2, 3)), np.ones((2, 3))).shape == (2, 3)
        assert f(2, 3).dtype == np.int64 and f(2, 3.0).dtype == np.float64
        # A number of Python takes the dtype of what it meets, as an argument too.
        assert f(np.float32(2), 3.0).dtype == np.float32
        assert f(np.float32(2), np.float64(3.0)).dtype == np.float64
        assert f(x=2.0, y=4.0) == 8.0
        assert cd.function(lambda z: f(z, 2.0))(4.0) == 8.0
    both = cd.value_and_grad(lambda x: (x**2).sum())
    for _ in range(3):
        value, gradient = both(np.array([1.0, 2.0]))
        assert value == 5.0 and gradient.tolist() == [2.0, 4.0]


def long_loop():
    return cd.function(lambda n: cd.fori_loop(0, n, lambda i, x: x * 0.5 + cnp.sin(x), 1.0)).compile(1)


def test_other_threads_go_on():
    program, ticks, done = long_loop(), [], threading.Event()

    def run():
        program(30_000_000)
        done.set()

    thread = threading.Thread(target=run)
    thread.start()
    while not done.is_set():
        ticks.append(time.perf_counter())
        time.sleep(0.001)
    thread.join()
    assert len(ticks) > 3


def test_many_threads_at_once():
    f = cd.grad(lambda x: (cnp.sin(x) ** 2).sum())
    inputs = [np.linspace(0.0, k, 1000) for k in range(1, 9)]
    expected = [f(x) for x in inputs]
    found = [None] * 8

    def run(k):
        for _ in range(20):
            found[k] = f(inputs[k])

    threads = [threading.Thread(target=run, args=(k,)) for k in range(8)]
    [thread.start() for thread in threads]
    [thread.join() for thread in threads]
    for a, b in zip(found, expected):
        np.testing.assert_array_equal(a, b)


@pytest.fixture
def interruptible():
    """What is started in the background ignores Ctrl-C unless it says otherwise."""
    before = signal.signal(signal.SIGINT, signal.default_int_handler)
    yield
    signal.signal(signal.SIGINT, before)


def test_interrupts_end_a_run(interruptible):
    program = long_loop()
    threading.Timer(0.3, lambda: os.kill(os.getpid(), signal.SIGINT)).start()
    start = time.monotonic()
    with pytest.raises(KeyboardInterrupt):
        program(10**12)
    assert time.monotonic() - start < 60.0
    assert np.isfinite(program(3))


def test_progress():
    program, seen = long_loop(), []
    program.run(2_000_000, progress=seen.append, every=100_000)
    assert len(seen) > 1 and seen == sorted(seen)

    def stop(steps):
        raise ValueError("enough")

    with pytest.raises(CatadiffError, match="progress") as raised:
        program.run(10**12, progress=stop, every=1000)
    assert isinstance(raised.value.__cause__, ValueError)
    assert np.isfinite(program(3))
