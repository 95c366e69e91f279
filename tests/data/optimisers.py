"""Numbers of optimisers for tests/transform/optimisers.rs: python tests/data/optimisers.py > tests/data/optimisers.csv (JAX 0.10.2).

The rules are written out: those of optax.sgd, optax.adam and optax.adamw.
"""

import jax
import jax.numpy as jnp

jax.config.update("jax_enable_x64", True)

XS = jnp.array([[0.0, 1.0], [1.0, 0.5], [-1.0, 2.0], [0.5, -0.5]])
YS = jnp.array([1.0, -1.0, 0.5, 0.25])
W = jnp.array([[0.5, -1.0], [0.25, 0.75], [-0.5, 0.125]])
NET = (W, jnp.array([1.0, -0.5, 0.25]), jnp.array(0.125))


def loss(net):
    w, v, b = net
    return jnp.mean((jnp.tanh(XS @ w.T) @ v + b - YS) ** 2)


def sgd(rate, momentum=0.0, nesterov=False):
    def step(k, x, g, v, _):
        v = momentum * v + g
        return x - rate * (g + momentum * v if nesterov else v), v, v

    return step


def adam(rate, b1=0.9, b2=0.999, epsilon=1e-8, decay=0.0):
    def step(k, x, g, m, s):
        m, s = b1 * m + (1 - b1) * g, b2 * s + (1 - b2) * g**2
        update = m / (1 - b1**k) / (jnp.sqrt(s / (1 - b2**k)) + epsilon) + decay * x
        return x - rate * update, m, s

    return step


def trained(name, step):
    net = NET
    means = squares = tuple(jnp.zeros_like(x) for x in net)
    for k in range(1, 21):
        before, slopes = jax.value_and_grad(loss)(net)
        new = [step(k, *parts) for parts in zip(net, slopes, means, squares)]
        net, means, squares = zip(*new)
    numbers = [*(float(x) for part in net for x in part.ravel()), float(before)]
    print(name, *map(repr, numbers), sep=",")


trained("sgd", sgd(0.1))
trained("momentum", sgd(0.1, 0.9))
trained("nesterov", sgd(0.1, 0.9, True))
trained("adam", adam(0.05))
trained("adamw", adam(0.05, 0.8, 0.99, 1e-6, 0.1))
