"""Sparse derivatives are the dense ones, in the pattern that the function has."""

import numpy as np
import pytest

import catadiff as cd
import catadiff.numpy as cnp
from catadiff.errors import DerivativeError, ShapeError, TraceError

pytest.importorskip("scipy")

RANDOM = np.random.default_rng(8)


def dense(blocks, rows):
    """The blocks of a Jacobian by several arguments as one matrix."""
    return np.concatenate([np.reshape(block, (rows, -1)) for block in blocks], axis=1)


def differences(x):
    return (x[1:] - x[:-1]) * cnp.exp(x[1:])


@pytest.mark.parametrize("dtype", [np.float64, np.float32])
def test_jacobians_by_columns(dtype):
    jacobian = cd.sparse.jacobian(differences)
    for n in (40, 7, 40):
        x = RANDOM.normal(size=n).astype(dtype)
        found = jacobian(x)
        assert (found.shape, found.nnz, found.dtype) == ((n - 1, n), 2 * (n - 1), dtype)
        np.testing.assert_allclose(
            found.toarray(), cd.jacfwd(differences)(x), rtol=1e-5 if dtype == np.float32 else 1e-13
        )


def test_jacobians_by_rows():
    rows = lambda x: cnp.exp(x.reshape(-1, 5)).prod(axis=1)
    x = RANDOM.normal(size=30)
    found = cd.sparse.jacobian(rows)(x)
    assert found.nnz == 30
    np.testing.assert_allclose(found.toarray(), cd.jacrev(rows)(x))


def test_several_arguments_and_results():
    f = lambda a, b, scale: ((a * b, scale * a[:1]), cnp.sin(b))
    a, b, scale = RANDOM.normal(size=6), RANDOM.normal(size=6), 3.0
    found = cd.sparse.jacobian(f, argnums=(0, 1))(a, b, scale)
    (first, second), third = cd.jacfwd(f, argnums=(0, 1))(a, b, scale)
    np.testing.assert_allclose(
        found.toarray(), np.concatenate([dense(*x) for x in ((first, 6), (second, 1), (third, 6))])
    )
    assert found.nnz == 6 + 6 + 1 + 6


def test_trees_are_their_leaves_in_order():
    f = lambda p: p["w"] * p["v"]
    p = {"w": RANDOM.normal(size=4), "v": RANDOM.normal(size=4)}
    found = cd.jacrev(f)(p)
    np.testing.assert_allclose(cd.sparse.jacobian(f)(p).toarray(), dense([found["v"], found["w"]], 4))


def test_other_arguments_are_those_of_the_call():
    matvec = cd.sparse.jacobian(lambda a, x: a @ (x * x), argnums="x")
    x = np.array([3.0, 5.0])
    assert matvec(np.array([[1.0, 0.0], [0.0, 2.0]]), x).nnz == 2
    full = matvec(np.array([[1.0, 4.0], [0.0, 2.0]]), x)
    assert full.nnz == 3
    np.testing.assert_allclose(full.toarray(), [[6.0, 40.0], [0.0, 20.0]])


def test_hessians():
    energy = lambda x, k: (k * (x[1:] - x[:-1]) ** 4).sum() + (x**3).sum()
    x, k = RANDOM.normal(size=50), RANDOM.normal(size=49)
    hessian = cd.sparse.hessian(energy)
    for _ in range(2):
        found = hessian(x, k)
        assert found.nnz == 50 + 2 * 49
        np.testing.assert_allclose(found.toarray(), cd.hessian(energy)(x, k))
        k = RANDOM.normal(size=49)


@pytest.mark.parametrize("executor", cd.executors())
def test_executors(executor):
    f = cd.function(lambda x: (differences(x) ** 2).sum(), executor=executor)
    x = RANDOM.normal(size=20)
    np.testing.assert_allclose(cd.sparse.hessian(f)(x).toarray(), cd.hessian(f)(x), rtol=1e-9)


def test_extrema_have_a_pattern():
    x = np.array([1.0, -2.0, 3.0])
    for f in (lambda x: x.max(keepdims=True), lambda x: cnp.maximum(x, 0.0) ** 2, lambda x: abs(x)):
        np.testing.assert_array_equal(cd.sparse.jacobian(f)(x).toarray(), cd.jacrev(f)(x))


def test_scipy_takes_them():
    from scipy.optimize import least_squares
    from scipy.sparse import csr_array

    residuals = cd.function(lambda x: cnp.concatenate([10.0 * (x[1:] - x[:-1] ** 2), 1.0 - x[:-1]]))
    jacobian = cd.sparse.jacobian(residuals)
    assert isinstance(jacobian(np.zeros(100)), csr_array)
    found = least_squares(residuals, np.full(100, 0.5), jacobian)
    np.testing.assert_allclose(found.x, 1.0, atol=1e-6)


def test_what_is_wrong_is_said():
    with pytest.raises(DerivativeError, match="one pattern for all numbers(.|\n)*test_sparse.py"):
        cd.sparse.jacobian(lambda x: cnp.where(x > 0, x, 0.0))(np.ones(3))
    with pytest.raises(DerivativeError, match="one number"):
        cd.sparse.hessian(lambda x: x * x)(np.ones(3))
    with pytest.raises(DerivativeError):
        cd.sparse.jacobian(lambda x: x * x)(np.ones(0))
    with pytest.raises(DerivativeError, match="no argument"):
        cd.sparse.jacobian(lambda x: x * x, argnums=1)(np.ones(3))
    with pytest.raises(TraceError, match="write jacfwd, jacrev or hessian"):
        cd.grad(lambda x: cd.sparse.jacobian(lambda y: y * y)(x))(np.ones(3))
    with pytest.raises(ShapeError):
        cd.sparse.jacobian(lambda x, y: x * y)(np.ones(3), np.ones(2))
