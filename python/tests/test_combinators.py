"""Combinators compute what a loop of Python computes, on trees, and have the derivatives of that."""

import numpy as np
import pytest

import catadiff as cd
import catadiff.numpy as cnp
from catadiff.errors import DerivativeError, LimitError, ShapeError, TraceError, TypeMismatchError

RANDOM = np.random.default_rng(3)


def test_map_of_trees():
    xs, ys = {"a": RANDOM.normal(size=4), "b": RANDOM.normal(size=(4, 2))}, RANDOM.normal(size=4)
    f = lambda x, y: (x["a"] * y, x["b"].sum())
    first, second = cd.map(f, xs, ys)
    np.testing.assert_allclose(first, xs["a"] * ys)
    np.testing.assert_allclose(second, xs["b"].sum(1))
    cd.check_grads(lambda xs, ys: cd.map(f, xs, ys), (xs, ys))


def test_reductions_and_scans_of_trees():
    xs = RANDOM.normal(size=(2, 6))
    compose = lambda f, g: (f[0] * g[0], f[1] * g[0] + g[1])
    a, b = 1.0, 0.0
    prefixes = []
    for c, d in xs.T:
        a, b = a * c, b * c + d
        prefixes.append((a, b))
    pair = (xs[0], xs[1])
    np.testing.assert_allclose(cd.reduce(compose, (1.0, 0.0), pair), (a, b))
    np.testing.assert_allclose(np.transpose(cd.associative_scan(compose, (1.0, 0.0), pair)), prefixes)
    cd.check_grads(lambda pair: cd.reduce(compose, (1.0, 0.0), pair), (pair,))
    cd.check_grads(lambda pair: cd.associative_scan(compose, (1.0, 0.0), pair), (pair,))
    rows = RANDOM.normal(size=(5, 3))
    np.testing.assert_allclose(cd.reduce(lambda x, y: x + y, 0.0, rows), rows.sum(0))
    assert cd.reduce(cnp.maximum, -np.inf, np.zeros(0)) == -np.inf


def test_histograms_and_scatters():
    at, values = np.array([2, 0, 2, 7, -1]), RANDOM.normal(size=5)
    expected = np.zeros(3)
    np.add.at(expected, at[:3], values[:3])
    np.testing.assert_allclose(cd.reduce_by_index(np.zeros(3), at, values), expected)
    most = cd.reduce_by_index(np.full(3, -np.inf), at, values, cnp.maximum, -np.inf)
    np.testing.assert_allclose(most, [values[1], -np.inf, max(values[0], values[2])])
    np.testing.assert_allclose(cd.scatter(np.zeros(3), np.array([1, 5]), np.array([4.0, 9.0])), [0.0, 4.0, 0.0])
    cd.check_grads(lambda bins, values: cd.reduce_by_index(bins, at, values), (np.ones(3), values))
    cd.check_grads(lambda x, v: cd.scatter(x, np.array([1, 5]), v), (np.ones(3), np.ones(2)))


def test_conditions():
    f = cd.function(lambda x: cd.cond(x > 0.0, lambda x: {"y": cnp.sqrt(x)}, lambda x: {"y": 0}, x))
    assert f(4.0) == {"y": 2.0} and f(-4.0) == {"y": 0.0}
    assert cd.grad(lambda x: f(x)["y"])(4.0) == 0.25
    assert cd.grad(lambda x: f(x)["y"])(-4.0) == 0.0
    with pytest.raises(TypeMismatchError, match="branches"):
        cd.function(lambda x: cd.cond(x > 0.0, lambda: 1.0, lambda: (1.0, 2.0)))(1.0)


def test_switches():
    branches = [lambda x: x, lambda x: 2.0 * x, lambda x: x * x]
    f = cd.function(lambda k, x: cd.switch(k, branches, x))
    assert [f(k, 5.0) for k in (-3, 0, 1, 2, 7)] == [5.0, 5.0, 10.0, 25.0, 25.0]
    assert cd.grad(f, 1)(2, 5.0) == 10.0


def test_loops():
    power = cd.function(lambda x, n: cd.fori_loop(0, n, lambda i, y: y * x, 1))
    assert power(1.5, 4) == 1.5**4
    assert cd.grad(power)(1.5, 4) == 4 * 1.5**3
    assert cd.function(lambda n: cd.fori_loop(3, n, lambda i, s: s + i, 0))(6) == 12
    for checkpoints in (("binomial", 3), ("stripmine", 2), ("recompute", 0), ("all", 0)):
        orbit = lambda x: cd.fori_loop(0, 30, lambda i, x: cnp.sin(x) + 0.1, x, checkpoints=checkpoints)
        cd.check_grads(orbit, (0.7,))
    with pytest.raises(ValueError, match="no policy of checkpoints `none`"):
        cd.function(lambda x: cd.fori_loop(0, 3, lambda i, x: x, x, checkpoints=("none", 1)))(1.0)


def test_loops_whose_arrays_change_size():
    double = lambda i, xs: cnp.concatenate([xs, xs * 2])
    grown = cd.function(lambda x, n: cd.fori_loop(0, n, double, x, keeps_shape=False))
    for x in (np.ones(1), np.ones(2)):
        with pytest.raises(ShapeError):
            cd.function(lambda x: cd.fori_loop(0, 2, double, x))(x)
    cd.check_grads(lambda x: cd.fori_loop(0, 2, double, x, keeps_shape=False), (np.ones(2),))
    np.testing.assert_array_equal(grown(np.array([1.0]), 3), [1, 2, 2, 4, 2, 4, 4, 8])


def test_loops_with_conditions():
    root = lambda a: cd.while_loop(lambda x: cnp.abs(x * x - a) > 1e-12, lambda x: (x + a / x) / 2, a)
    np.testing.assert_allclose(cd.function(root)(2.0), np.sqrt(2.0))
    np.testing.assert_allclose(cd.grad(root)(2.0), 0.5 / np.sqrt(2.0))
    endless = cd.function(lambda x: cd.while_loop(lambda x: x > 0.0, lambda x: x + 1.0, x, bound=10))
    with pytest.raises(LimitError, match="10 iterations"):
        endless(1.0)


def test_scans_with_a_state():
    xs = RANDOM.normal(size=(5, 2))
    step = lambda h, x: (cnp.tanh(h + x), {"h": h, "norm": (x * x).sum()})
    h, ys = cd.scan(step, np.zeros(2), xs)
    expected, seen = np.zeros(2), []
    for x in xs:
        seen.append(expected)
        expected = np.tanh(expected + x)
    np.testing.assert_allclose(h, expected)
    np.testing.assert_allclose(ys["h"], seen)
    np.testing.assert_allclose(ys["norm"], (xs**2).sum(1))
    cd.check_grads(lambda h, xs: cd.scan(step, h, xs), (np.zeros(2), xs))
    total, _ = cd.scan(lambda s, _: (s * 2.0, s), 1.0, length=4)
    assert total == 16.0
    with pytest.raises(ShapeError, match="how many"):
        cd.scan(lambda s, _: (s, s), 1.0)


def test_updates_and_constants():
    x = np.arange(6.0).reshape(2, 3)
    np.testing.assert_array_equal(cd.update(x, (1, 2), 9.0)[1], [3, 4, 9])
    np.testing.assert_array_equal(cd.update(x, -1 + 1, np.ones(3))[0], [1, 1, 1])
    cd.check_grads(lambda x, v: cd.update(x, (1, 2), v), (x, 9.0))
    assert cd.grad(lambda x: x * cd.stop_gradient(x))(3.0) == 3.0


def test_states_keep_their_dtype():
    halved = cd.function(lambda x: cd.fori_loop(0, 3, lambda i, s: s * 0.5, x))
    assert halved(8.0) == 1.0
    for start in (8, np.array(8), np.float32(8)):
        expected = np.float32 if isinstance(start, np.float32) else None
        if expected:
            assert halved(start).dtype == expected
    assert cd.function(lambda x: cd.fori_loop(0, 3, lambda i, s: s * 0.5, 8))(0) == 1.0
    with pytest.raises(TypeMismatchError, match="float64 where int64 is needed"):
        halved(np.array(8))
    with pytest.raises(TypeMismatchError, match="float64 where float32"):
        cd.function(lambda x: cd.fori_loop(0, 3, lambda i, s: s * np.ones(2)[0], x))(np.float32(1))
    with pytest.raises(TypeMismatchError, match="operator"):
        cd.reduce(lambda a, b: (a + b) / 2, 0, np.array([1, 2]))


def test_reverse_scans_and_lengths():
    xs = RANDOM.normal(size=5)
    total, sums = cd.scan(lambda s, x: (s + x, s + x), 0.0, xs, reverse=True)
    np.testing.assert_allclose(sums, np.cumsum(xs[::-1])[::-1])
    with pytest.raises(ShapeError):
        cd.function(lambda x, y: cd.scan(lambda s, p: (s + p[0] * p[1], s), 0.0, (x, y)))(np.ones(3), np.ones(4))


def test_recurrent_networks_keep_rows_of_their_states():
    # Each state is of the sizes of the one before, though nothing but the run says so.
    a, x = RANDOM.normal(size=(4, 4)) / 2, np.ones(4)
    run = lambda a, x: cd.fori_loop(0, 6, lambda _, x: cnp.tanh(a @ x), x)
    cd.check_grads(run, (a, x))
    with pytest.raises(ShapeError):
        cd.function(run)(np.ones((3, 4)), x)
    assert "concat" not in cd.grad(lambda a, x: run(a, x).sum()).lower(a, x).text


def test_rules_of_ones_own():
    clipped = cd.custom_vjp(lambda x: cnp.exp(x), lambda args, y, ybar: (cnp.minimum(y, 2.0) * ybar,))
    assert cd.grad(clipped)(5.0) == 2.0
    assert cd.jvp(clipped, (5.0,), (1.0,))[1] == 2.0
    with pytest.raises(TypeMismatchError, match="backward"):
        cd.grad(cd.custom_vjp(lambda x: x, lambda args, y, ybar: ()))(1.0)


def test_operators_keep_their_structure():
    with pytest.raises(TypeMismatchError, match="operator"):
        cd.reduce(lambda x, y: (x, y), 0.0, np.ones(3))
    with pytest.raises(TypeMismatchError, match="state"):
        cd.function(lambda x: cd.fori_loop(0, 3, lambda i, s: (s, s), x))(1.0)


def test_functions_are_called_once():
    calls = []
    cd.map(lambda x: calls.append(x) or x, np.ones(100))
    assert len(calls) == 1


def test_a_value_of_an_inner_function_does_not_leave_it():
    kept = []
    with pytest.raises(TraceError, match="let that function return it"):
        cd.function(lambda x: (cd.map(lambda y: kept.append(y) or y, x), kept[0] + 1.0))(np.ones(2))


def test_no_derivative_of_a_count():
    with pytest.raises(DerivativeError):
        cd.grad(lambda n: cd.fori_loop(0, n, lambda i, y: y * 2.0, 1.0))(3)
