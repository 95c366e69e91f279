"""Gradients beside those of JAX on one core, in double precision: the time of the first call, and of later ones.

Run it by ``python benchmarks/beside_jax.py``. Each row is one function, written once for both; the times are of the processor, the
least of several calls, and the gradients are compared.
"""

import os

os.environ["RAYON_NUM_THREADS"] = "1"
os.environ["XLA_FLAGS"] = "--xla_cpu_multi_thread_eigen=false intra_op_parallelism_threads=1"

import math
import time

import jax
import jax.numpy as jnp
import jax.scipy.special as jsp
import numpy as np

import catadiff as cd
import catadiff.numpy as cnp

jax.config.update("jax_enable_x64", True)
RANDOM = np.random.default_rng(1)


class Words:
    """The words that the functions below are written in."""

    def __init__(self, np, logsumexp, sigmoid, scan, each):
        self.np, self.logsumexp, self.sigmoid, self.scan, self.each = np, logsumexp, sigmoid, scan, each


OURS = Words(cnp, cd.special.logsumexp, cd.special.sigmoid, cd.scan, cd.map)
JAX = Words(jnp, jsp.logsumexp, jax.nn.sigmoid, jax.lax.scan, lambda f, *xs: jax.vmap(f)(*xs))


def cubes(_):
    return lambda x: (x * x * x).sum()


def rosenbrock(_):
    return lambda x: (100.0 * (x[1:] - x[:-1] ** 2) ** 2 + (1.0 - x[:-1]) ** 2).sum()


def k_means(words):
    return lambda centres, points: words.each(lambda p: ((p - centres) ** 2).sum(axis=1).min(), points).sum()


def k_means_of_whole_arrays(_):
    return lambda centres, points: ((points[:, None] - centres[None]) ** 2).sum(axis=-1).min(axis=1).sum()


def mixture(words):
    np = words.np

    def log_likelihood(parameters, x):
        alpha, mu, q, below = parameters
        roots = np.exp(q)[:, :, None] * np.eye(x.shape[1]) + np.tril(np.ones((x.shape[1], x.shape[1])), -1) * below
        weights = alpha + q.sum(axis=1) - words.logsumexp(alpha)

        def of_point(p):
            squares = words.each(lambda root, centre: ((root @ (p - centre)) ** 2).sum(), roots, mu)
            return words.logsumexp(weights - 0.5 * squares)

        return words.each(of_point, x).sum()

    return log_likelihood


def recurrent(words):
    np, sigmoid = words.np, words.sigmoid

    def loss(weights, xs):
        def step(state, x):
            h, c = state
            gates = weights[0] @ x + weights[1] @ h
            d = x.shape[0]
            c = sigmoid(gates[:d]) * c + sigmoid(gates[d : 2 * d]) * np.tanh(gates[2 * d : 3 * d])
            h = sigmoid(gates[3 * d :]) * np.tanh(c)
            return (h, c), h

        nothing = np.zeros_like(xs[0])
        _, hs = words.scan(step, (nothing, nothing), xs[:-1])
        return ((hs - xs[1:]) ** 2).mean()

    return loss


def table():
    """Each row: what it is, the function in some words, and its arguments."""
    normal = lambda *shape: RANDOM.normal(size=shape)
    yield "ten numbers", cubes, (normal(10),)
    yield "Rosenbrock, 1 000", rosenbrock, (normal(1000),)
    yield "k-means, n 10 000, k 100, d 16", k_means, (normal(100, 16), normal(10_000, 16))
    yield "the same, of whole arrays", k_means_of_whole_arrays, (normal(100, 16), normal(10_000, 16))
    d, k = 32, 25
    parameters = (normal(k), normal(k, d), normal(k, d) / 4, normal(k, d, d) / math.sqrt(d))
    yield f"Gaussian mixture, n 1 000, k {k}, d {d}", mixture, (parameters, normal(1000, d))
    yield "LSTM, 64 units, 200 steps", recurrent, ((normal(256, 64) / 8, normal(256, 64) / 8), normal(200, 64))


def seconds(call, least=1.0):
    """The least time of a call, of as many as take this long."""
    found, start = [], time.process_time()
    while time.process_time() - start < least:
        many = 1 if not found or found[0] > 1e-3 else 100
        before = time.process_time()
        for _ in range(many):
            call()
        found.append((time.process_time() - before) / many)
    return min(found)


def first(call):
    before = time.process_time()
    result = call()
    return time.process_time() - before, result


def shown(t):
    return f"{t * 1e6:.1f} µs" if t < 1e-3 else f"{t * 1e3:.1f} ms"


def main():
    print("| gradient | first call: catadiff | JAX | later: catadiff | JAX | ratio |")
    print("|---|---:|---:|---:|---:|---:|")
    for name, function, arguments in table():
        ours, theirs = cd.grad(cd.function(function(OURS))), jax.jit(jax.grad(function(JAX)))
        on_device = jax.device_put(arguments)
        done = lambda: jax.block_until_ready(theirs(*on_device))
        (a, x), (b, y) = first(lambda: ours(*arguments)), first(done)
        for p, q in zip(jax.tree_util.tree_leaves(x), jax.tree_util.tree_leaves(y)):
            np.testing.assert_allclose(p, q, rtol=1e-8, atol=1e-10)
        c, d = seconds(lambda: ours(*arguments)), seconds(done)
        print(f"| {name} | {shown(a)} | {shown(b)} | {shown(c)} | {shown(d)} | {c / d:.2f} |", flush=True)


if __name__ == "__main__":
    main()
