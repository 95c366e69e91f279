"""Verbs give derivatives in the structure of what they are by, nest in any mix, and agree with one another."""

import dataclasses
import functools
from typing import NamedTuple

import numpy as np
import pytest

import catadiff as cd
import catadiff.numpy as cnp
from catadiff.errors import DerivativeError, ShapeError, TypeMismatchError

RANDOM = np.random.default_rng(5)


class Layer(NamedTuple):
    weights: np.ndarray
    bias: np.ndarray


@dataclasses.dataclass
class Net:
    layers: list
    scale: float


def network(net, x):
    for layer in net.layers:
        x = cnp.tanh(layer.weights @ x + layer.bias)
    return net.scale * x


def a_net():
    layers = [Layer(RANDOM.normal(size=(3, 2)), RANDOM.normal(size=3)), Layer(RANDOM.normal(size=(2, 3)), np.zeros(2))]
    return Net(layers, 1.5)


def test_gradients_have_the_structure_of_the_argument():
    net, x = a_net(), np.array([0.3, -0.4])
    loss = cd.function(lambda net, x: (network(net, x) ** 2).sum())
    value, gradient = cd.value_and_grad(loss)(net, x)
    assert isinstance(gradient, Net) and isinstance(gradient.layers[0], Layer)
    np.testing.assert_allclose(value, loss(net, x))
    assert gradient.layers[1].weights.shape == (2, 3)
    cd.check_grads(loss, (net, x), order=2)
    names = loss.lower(net, x).core.names
    assert names == [
        "net.layers.0.weights",
        "net.layers.0.bias",
        "net.layers.1.weights",
        "net.layers.1.bias",
        "net.scale",
        "x",
    ]


def test_arguments_are_named_by_position_by_name_or_several():
    f = cd.function(lambda x, y, z=2.0: (x * y * z).sum())
    x, y = np.array([1.0, 2.0]), np.array([3.0, 5.0])
    np.testing.assert_array_equal(cd.grad(f)(x, y), 2 * y)
    np.testing.assert_array_equal(cd.grad(f, 1)(x, y), 2 * x)
    np.testing.assert_array_equal(cd.grad(f, -1)(x, y), 2 * x)
    np.testing.assert_array_equal(cd.grad(f, "y")(x, y), 2 * x)
    assert cd.grad(f, "z")(x, y, z=4.0) == 13.0
    assert cd.grad(f, "z")(x, y, 4.0) == 13.0
    by_y, by_x = cd.grad(f, (1, 0))(x, y)
    np.testing.assert_array_equal(by_y, 2 * x)
    np.testing.assert_array_equal(by_x, 2 * y)
    with pytest.raises(DerivativeError, match="no argument 2"):
        cd.grad(f, 2)(x, y)
    with pytest.raises(DerivativeError, match="no argument `w`"):
        cd.grad(f, "w")(x, y)


def test_what_is_given_beside_the_value():
    f = lambda x: ((x**2).sum(), {"double": 2 * x, "count": 3})
    (value, aux), gradient = cd.value_and_grad(f, has_aux=True)(np.array([1.0, 2.0]))
    assert value == 5.0 and aux["count"] == 3
    np.testing.assert_array_equal(aux["double"], [2.0, 4.0])
    np.testing.assert_array_equal(gradient, [2.0, 4.0])
    gradient, aux = cd.grad(f, has_aux=True)(np.array([1.0, 2.0]))
    np.testing.assert_array_equal(gradient, [2.0, 4.0])
    assert aux["count"] == 3


def test_every_way_to_a_jacobian_is_the_same():
    f = lambda x: cnp.stack([x[0] * x[1], cnp.sin(x[1]), x[2] ** 2])
    x = RANDOM.normal(size=3)
    rows = np.array([[x[1], x[0], 0], [0, np.cos(x[1]), 0], [0, 0, 2 * x[2]]])
    columns = [cd.jvp(f, (x,), (e,))[1] for e in np.eye(3)]
    adjoints = [cd.vjp(f, x)[1](e)[0] for e in np.eye(3)]
    many = cd.vmap(lambda e: cd.jvp(f, (x,), (e,))[1])(np.eye(3))
    for found in (cd.jacfwd(f)(x), cd.jacrev(f)(x), np.array(columns).T, adjoints, many.T):
        np.testing.assert_allclose(found, rows, rtol=1e-14, atol=1e-14)


def test_second_derivatives():
    f = lambda x: (x**3).sum() * x[0]
    x, v = RANDOM.normal(size=4), RANDOM.normal(size=4)
    hessian = cd.hessian(f)(x)
    np.testing.assert_allclose(hessian, hessian.T, rtol=1e-14)
    np.testing.assert_allclose(cd.jacfwd(cd.grad(f))(x), hessian, rtol=1e-14)
    np.testing.assert_allclose(cd.jacrev(cd.jacfwd(f))(x), hessian, rtol=1e-14)
    np.testing.assert_allclose(cd.hvp(f)(x, v), hessian @ v, rtol=1e-13)
    tree = cd.hessian(lambda t: t["a"] ** 2 * t["b"])({"a": 3.0, "b": 5.0})
    assert (tree["a"]["a"], tree["a"]["b"], tree["b"]["b"]) == (10.0, 6.0, 0.0)


def test_no_perturbation_is_taken_for_another():
    assert cd.grad(lambda x: x * cd.grad(lambda y: x + y)(2.0))(1.0) == 1.0
    assert cd.grad(lambda x: x * cd.jvp(lambda y: x * y, (2.0,), (1.0,))[1])(3.0) == 6.0
    assert cd.jvp(lambda x: x * cd.grad(lambda y: x * y * y)(2.0), (3.0,), (1.0,))[1] == 24.0


def test_newton_within_a_function_and_through_it():
    def root(a):
        f = lambda x: x * cnp.exp(x) - a
        return cd.fori_loop(0, 20, lambda _, x: x - f(x) / cd.grad(f)(x), 0.5)

    w = cd.function(root)(2.0)
    np.testing.assert_allclose(w, 0.8526055020137254, rtol=1e-14)
    np.testing.assert_allclose(cd.grad(root)(2.0), 1 / (np.exp(w) * (1 + w)), rtol=1e-12)


def test_vmap_is_a_loop():
    f = lambda w, x: cnp.tanh(w @ x).sum()
    w, xs = RANDOM.normal(size=(3, 2)), RANDOM.normal(size=(5, 2))
    found = cd.vmap(cd.grad(f), in_axes=(None, 0))(w, xs)
    np.testing.assert_allclose(found, [cd.grad(f)(w, x) for x in xs], rtol=1e-14)
    np.testing.assert_allclose(cd.vmap(f, in_axes=(None, 1))(w, xs.T), [np.tanh(w @ x).sum() for x in xs])
    out = cd.vmap(lambda x: x * 2, out_axes=1)(xs)
    np.testing.assert_array_equal(out, (xs * 2).T)
    np.testing.assert_allclose(
        cd.grad(lambda w: cd.vmap(lambda x: (w @ x).sum())(xs).sum())(w), np.ones((3, 1)) * xs.sum(0), rtol=1e-13
    )
    with pytest.raises(ShapeError, match="no axis"):
        cd.vmap(lambda x: x)(1.0)


def test_linearize_and_vjp_of_trees():
    f = lambda p: {"sum": p[0] + p[1], "product": p[0] * p[1]}
    y, along = cd.linearize(f, (2.0, 5.0))
    assert along((1.0, 0.0)) == {"sum": 1.0, "product": 5.0}
    y, back = cd.vjp(f, (2.0, 5.0))
    assert y["product"] == 10.0
    assert back({"sum": 0.0, "product": 1.0}) == ((5.0, 2.0),)
    with pytest.raises(TypeMismatchError, match="structure"):
        back(1.0)


def test_integers_pass_by():
    f = cd.function(lambda x, n: x[n] * n)
    assert cd.vjp(f, np.array([2.0, 3.0]), 1)[1](1.0)[1] == 0
    np.testing.assert_array_equal(cd.grad(f)(np.array([2.0, 3.0]), 1), [0.0, 1.0])
    with pytest.raises(DerivativeError, match="int64"):
        cd.grad(f, 1)(np.array([2.0, 3.0]), 1)


def test_check_grads_finds_a_wrong_rule():
    wrong = cd.custom_vjp(lambda x: x**2, lambda args, y, ybar: (ybar * 3.0,))
    with pytest.raises(DerivativeError, match="vjp|jvp"):
        cd.check_grads(wrong, (2.0,))


def test_of_what_there_is_no_gradient():
    with pytest.raises(DerivativeError, match="one number"):
        cd.grad(lambda x: x)(np.ones(3))
    with pytest.raises(DerivativeError):
        cd.grad(lambda x: x > 0.0)(1.0)


def test_methods_are_functions():
    class Model:
        def __init__(self, scale):
            self.scale = scale

        @cd.function
        def loss(self, x):
            return (self.scale * x).sum()

    with pytest.raises(TypeMismatchError, match="static_argnames"):
        Model(2.0).loss(np.ones(2))
    assert cd.function(lambda x, model: model.scale * x, static_argnames="model")(3.0, model=Model(2.0)) == 6.0


def test_static_arguments_are_part_of_the_program():
    @cd.function(static_argnames=("n", "kind"))
    def power(x, n, kind="product"):
        for _ in range(n - 1):
            x = x * x if kind == "square" else x * 2.0
        return x

    assert power(3.0, 3) == 12.0
    assert power(3.0, n=2, kind="square") == 9.0
    assert cd.grad(power)(3.0, n=2, kind="square") == 6.0
    with pytest.raises(TypeError, match="no parameter"):
        cd.function(lambda x: x, static_argnames="y")


def test_verbs_of_functions_with_static_arguments():
    p = cd.function(lambda x, n: sum(x**k for k in range(n)), static_argnames="n")
    assert cd.jvp(p, (2.0, 3), (1.0, None)) == (7.0, 5.0)
    y, back = cd.vjp(p, 2.0, 3)
    assert y == 7.0 and back(1.0) == (5.0, None)
    assert cd.linearize(p, 2.0, 3)[1](1.0, None) == 5.0
    np.testing.assert_array_equal(cd.vmap(p, in_axes=(0, None))(np.array([1.0, 2.0]), 3), [3.0, 7.0])
    assert cd.hvp(p)(2.0, 4, 1.0) == 14.0
    first = cd.function(lambda n, x, y: x**n * y, static_argnames="n")
    assert cd.grad(first, 1)(3, 2.0, 5.0) == 60.0 and cd.grad(first, -1)(3, 2.0, 5.0) == 8.0
    assert cd.grad(first, (2, 1))(3, 2.0, 5.0) == (8.0, 60.0)
    with pytest.raises(DerivativeError, match="no argument `n`"):
        cd.grad(first, 0)(3, 2.0, 5.0)
    cd.check_grads(p, (2.0, 3), order=2)


def test_functions_without_a_name():
    assert cd.grad(functools.partial(lambda a, x: a * x * x, 2.0))(3.0) == 12.0


def test_axes_of_trees_and_named_arguments():
    f = lambda p, x, scale=1.0: {"sum": p["a"] + x, "product": scale * p["b"] * x}
    p, xs = {"a": np.arange(3.0), "b": 2.0}, np.ones(3)
    found = cd.vmap(f, in_axes=({"a": 0, "b": None}, 0))(p, xs, scale=3.0)
    np.testing.assert_array_equal(found["sum"], [1.0, 2.0, 3.0])
    np.testing.assert_array_equal(found["product"], [6.0, 6.0, 6.0])
    rows = cd.vmap(lambda x: (x, x), out_axes=(0, 1))(np.ones((2, 3)))
    assert (rows[0].shape, rows[1].shape) == ((2, 3), (3, 2))


def test_hessian_products_by_name_and_of_several():
    f = cd.function(lambda x, y: (x**2 * y).sum())
    x, y = np.array([1.0, 2.0]), np.array([3.0, 5.0])
    np.testing.assert_array_equal(cd.hvp(f, "y")(x, y, np.ones(2)), [0.0, 0.0])
    by_x, by_y = cd.hvp(f, (0, 1))(x, y, (np.ones(2), np.zeros(2)))
    np.testing.assert_array_equal(by_x, 2 * y)
    np.testing.assert_array_equal(by_y, 2 * x)


def test_directions_that_do_not_fit():
    f = lambda x, y: x * y
    with pytest.raises(TypeMismatchError, match="the tangent of `x` has 0 dimensions where 1 are needed"):
        cd.jvp(f, (np.ones(2), np.ones(2)), (1.0, np.ones(2)))
    with pytest.raises(TypeMismatchError, match="tuple of arguments"):
        cd.jvp(f, np.ones(2), np.ones(2))
    with pytest.raises(TypeMismatchError, match="2 arguments and 1 tangents"):
        cd.jvp(f, (1.0, 2.0), (1.0,))
    with pytest.raises(TypeMismatchError, match="the adjoint of"):
        cd.vjp(f, np.ones(2), np.ones(2))[1](1.0)
