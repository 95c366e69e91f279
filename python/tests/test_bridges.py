"""What other packages get is the function and its own derivative."""

import numpy as np
import pytest

import catadiff as cd
import catadiff.numpy as cnp
from catadiff import bridges


def rosenbrock(x):
    return (100.0 * (x[1:] - x[:-1] ** 2) ** 2 + (1.0 - x[:-1]) ** 2).sum()


@pytest.mark.parametrize("method", ["L-BFGS-B", "BFGS", "CG", "Newton-CG", "trust-ncg"])
def test_scipy(method):
    pytest.importorskip("scipy")
    found = bridges.minimize(rosenbrock, np.full(6, -0.5), method=method)
    np.testing.assert_allclose(found.x, np.ones(6), atol=1e-3)
    fit = bridges.minimize(
        lambda p, x, y: ((p["a"] * x + p["b"] - y) ** 2).sum(),
        {"a": 0.0, "b": np.zeros(1)},
        args=(np.arange(5.0), 2 * np.arange(5.0) + 1),
        method=method,
    )
    np.testing.assert_allclose([fit.x["a"], fit.x["b"][0]], [2.0, 1.0], atol=1e-4)
    assert set(fit.jac) == {"a", "b"}


def test_torch():
    torch = pytest.importorskip("torch")
    f = bridges.to_torch(lambda x, y: (cnp.sin(x) * y).sum())
    x = torch.linspace(0.0, 1.0, 4, dtype=torch.float64, requires_grad=True)
    y = torch.ones(4, dtype=torch.float64, requires_grad=True)
    (2.0 * f(x, y)).backward()
    np.testing.assert_allclose(x.grad, 2 * np.cos(x.detach()))
    np.testing.assert_allclose(y.grad, 2 * np.sin(x.detach()))
    assert torch.autograd.gradcheck(f, (x, y))
    two = bridges.to_torch(lambda x: (x * 2.0, x.argmax()))
    doubled, at = two(x)
    assert at == 3
    doubled.sum().backward()


def test_jax():
    jax = pytest.importorskip("jax")
    jnp = jax.numpy
    f = bridges.to_jax(lambda x, y: (cnp.sin(x) * y).sum())
    x, y = jnp.linspace(0.0, 1.0, 4), jnp.ones(4)
    np.testing.assert_allclose(f(x, y), np.sin(x).sum(), rtol=1e-6)
    by_x, by_y = jax.jit(jax.grad(lambda x, y: 2.0 * f(x, y), (0, 1)))(x, y)
    np.testing.assert_allclose(by_x, 2 * np.cos(x), rtol=1e-6)
    np.testing.assert_allclose(by_y, 2 * np.sin(x), rtol=1e-6)
    many = jax.vmap(f, in_axes=(0, None))(jnp.stack([x, 2 * x]), y)
    np.testing.assert_allclose(many, [np.sin(x).sum(), np.sin(2 * x).sum()], rtol=1e-6)
    assert cd.function(lambda x: x)(np.asarray(x)).dtype == np.float32
