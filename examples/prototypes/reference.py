"""The prototypes in JAX, for reference.json: python examples/prototypes/reference.py

After the word `times` it prints lines of all and seconds of those that are named, after `evidence` seconds of the Gaussian process's value
and gradient at the sizes that follow, and the gradient, for the tables of README.md.
"""

import contextlib
import inspect
import json
import pathlib
import sys
import time

import jax
import jax.numpy as jnp
from jax import lax, random
from jax.experimental.ode import odeint
from jax.scipy.linalg import cho_solve, solve_triangular
from jax.scipy.special import erfc, logsumexp

jax.config.update("jax_enable_x64", True)
ALL = {}


def prototype(f):
    ALL[f.__name__] = f
    return f


def normal(key, n):
    """Box and Muller's, since jax.random.normal inverts the distribution."""
    radius, angle = random.split(key)
    return jnp.sqrt(-2 * jnp.log1p(-random.uniform(radius, (n,)))) * jnp.cos(2 * jnp.pi * random.uniform(angle, (n,)))


@prototype
def mlp():
    def loss(w, xs, ys):
        first, bias, second = w[:8], w[8:16], w[16:]
        return jnp.mean((jnp.tanh(xs[:, None] * first + bias) @ second - ys) ** 2)

    of_weights, of_data = random.split(random.key(7))
    xs = random.uniform(of_data, (128,)) * 4 - 2
    ys, w = jnp.sin(2 * xs), normal(of_weights, 24)

    def step(k, state):
        w, means, squares = state
        batch = lambda x: lax.dynamic_slice(x, (k % 8 * 16,), (16,))
        g = jax.grad(loss)(w, batch(xs), batch(ys))
        means, squares = 0.9 * means + 0.1 * g, 0.999 * squares + 0.001 * g * g
        w = w - 0.05 * means / (1 - 0.9 ** (k + 1)) / (jnp.sqrt(squares / (1 - 0.999 ** (k + 1))) + 1e-8)
        return w, means, squares

    w = jax.jit(lambda state: lax.fori_loop(0, 200, step, state))((w, jnp.zeros(24), jnp.zeros(24)))[0]
    return loss(w, xs, ys), w


@prototype
def svi():
    def bound(q, noise, xs, ys):
        mean, log = q

        def sample(e):
            w = mean + jnp.exp(log) * e
            residual = ys - w[0] - w[1] * xs
            return -2 * residual @ residual - 0.5 * w @ w

        return jnp.mean(jax.vmap(sample)(noise)) + jnp.sum(log)

    of_data, of_steps = random.split(random.key(3))
    of_xs, of_noise = random.split(of_data)
    xs = normal(of_xs, 40)
    ys = 1 - 2 * xs + 0.5 * normal(of_noise, 40)

    def step(k, q):
        g = jax.grad(bound)(q, normal(random.fold_in(of_steps, k), 16).reshape(8, 2), xs, ys)
        return jax.tree.map(lambda x, g: x + 0.002 * g, q, g)

    return jax.jit(lambda q: lax.fori_loop(0, 300, step, q))((jnp.zeros(2), -jnp.ones(2)))


@prototype
def particle_filter():
    n = 64
    k = jnp.arange(30.0)
    returns = jnp.sin(k * 1.7) * (1 + 0.5 * jnp.cos(k * 0.2))

    def likelihood(parameters):
        level, persistence, deviation = parameters
        key = random.key(11)

        def step(state, t):
            particles, total = state
            of_noise, of_place = random.split(random.fold_in(key, t + 2))
            moved = level + persistence * (particles - level) + deviation * normal(of_noise, n)
            weights = -0.5 * (returns[t] ** 2 * jnp.exp(-moved) + moved)
            places = (jnp.arange(n) + random.uniform(of_place, (1,))) / n
            cumulated = lax.stop_gradient(jnp.cumsum(jax.nn.softmax(weights)))
            drawn = jnp.clip(jnp.searchsorted(cumulated, places), 0, n - 1)
            return (moved[drawn], total + logsumexp(weights) - jnp.log(n)), None

        return lax.scan(step, (normal(key, n) * deviation + level, 0.0), jnp.arange(30))[0][1]

    return jax.jit(jax.value_and_grad(likelihood))(jnp.array([-0.2, 0.9, 0.3]))


@prototype
def kalman_filter():
    t = jnp.arange(50.0)
    observed = 0.3 * t + jnp.sin(t * 2.3) + 0.1 * jnp.cos(t * 0.7)
    move, disturb = jnp.array([[1.0, 1.0], [0.0, 1.0]]), jnp.array([[0.25, 0.5], [0.5, 1.0]])

    def likelihood(log):
        def step(state, y):
            total, mean, covariance = state
            mean, covariance = move @ mean, move @ covariance @ move.T + disturb * jnp.exp(2 * log[0])
            residual, variance = y - mean[0], covariance[0, 0] + jnp.exp(2 * log[1])
            gain = covariance[:, 0] / variance
            total = total - 0.5 * (residual**2 / variance + jnp.log(2 * jnp.pi * variance))
            return (total, mean + gain * residual, covariance - jnp.outer(gain, covariance[0])), None

        return lax.scan(step, (0.0, jnp.zeros(2), 10 * jnp.eye(2)), observed)[0][0]

    return jax.value_and_grad(likelihood)(jnp.array([-1.0, 0.2]))


@prototype
def sinkhorn():
    def cloud(n, turn):
        a = jnp.arange(n) * turn
        return jnp.stack([jnp.cos(a) + turn, jnp.sin(a * 1.3) - 0.2 * turn], 1)

    def cost(a, b):
        epsilon, costs = 0.1, jnp.sum((a[:, None] - b[None]) ** 2, 2)
        n, m = jnp.log(len(a)), jnp.log(len(b))

        def step(_, state):
            f = -epsilon * (logsumexp((state[1] - costs) / epsilon, axis=1) - m)
            return f, -epsilon * (logsumexp((f[:, None] - costs) / epsilon, axis=0) - n)

        f, g = lax.fori_loop(0, 100, step, (jnp.zeros(len(a)), jnp.zeros(len(b))))
        return jnp.sum(costs * jnp.exp((f[:, None] + g - costs) / epsilon - n - m))

    return jax.jit(jax.value_and_grad(cost))(cloud(6, 0.9), cloud(8, 1.7))


@prototype
def ode_fit():
    times = jnp.arange(20) * 0.5
    counts = jnp.stack([3 + 2 * jnp.cos(times * 0.9), 2 + jnp.cos(times * 0.9 - 1)], 1)

    def misfit(rates):
        birth, hunt, death, growth = rates
        change = lambda s, _: jnp.array([birth * s[0] - hunt * s[0] * s[1], growth * s[0] * s[1] - death * s[1]])
        states = odeint(change, counts[0], times, rtol=1e-12, atol=1e-12)
        # The first state is that of the counts, and the norm of 0 has no derivative.
        apart = jnp.log(states[1:]) - jnp.log(counts[1:])
        return jnp.sum(jnp.linalg.norm(apart, axis=1)) / len(times)

    return jax.value_and_grad(misfit)(jnp.array([1.1, 0.4, 0.9, 0.25]))


@prototype
def n_body():
    a = jnp.arange(5) * 1.256
    ring = lambda turn, radius: jnp.stack([radius * jnp.cos(a + turn), radius * jnp.sin(a + turn), 0.1 * a], 1)
    masses = jnp.array([1.0, 0.5, 0.7, 0.9, 0.6])

    def forces(places):
        way = places[None] - places[:, None]
        return jnp.sum(way * (masses / (jnp.sum(way**2, 2) + 0.01) ** 1.5)[..., None], 1)

    def distance(velocities):
        def step(state, _):
            places, velocities = state
            half = velocities + forces(places) * 0.005
            places = places + half * 0.01
            return (places, half + forces(places) * 0.005), None

        places = lax.scan(step, (ring(0.0, 1.0), velocities), None, 200)[0][0]
        return jnp.linalg.norm(places[0] - places[1])

    return jax.value_and_grad(distance)(ring(1.5, 0.8))


@prototype
def levenberg_marquardt():
    times = jnp.arange(40) * 0.1
    seen = 2 * jnp.exp(-0.6 * times) + jnp.exp(-3 * times) + 0.01 * jnp.sin(9 * times)
    residual = lambda p: p[0] * jnp.exp(-p[1] * times) + p[2] * jnp.exp(-p[3] * times) - seen

    def step(_, state):
        p, damping = state
        j = jax.jacfwd(residual)(p)
        trial = p - jnp.linalg.solve(j.T @ j + damping * jnp.eye(4), j.T @ residual(p))
        better = jnp.linalg.norm(residual(trial)) < jnp.linalg.norm(residual(p))
        return jnp.where(better, trial, p), damping * jnp.where(better, 0.3, 2)

    p = jax.jit(lambda state: lax.fori_loop(0, 40, step, state))((jnp.array([1.0, 0.5, 1.0, 2.0]), 1.0))[0]
    return jnp.linalg.norm(residual(p)), p


@prototype
def hidden_markov():
    moves = jnp.array([[1.0, 0.0, -1.0], [0.2, 0.8, 0.1], [-0.5, 0.3, 0.9]])
    shows = jnp.array([[0.5, -0.5, 0.0, 1.0], [1.0, 0.0, -1.0, 0.0], [0.0, 0.4, 0.8, -0.2]])
    seen = jnp.arange(60) ** 2 % 7 % 4

    def likelihood(scores):
        moves, shows = (jax.nn.log_softmax(x, axis=1) for x in scores)
        step = lambda before, s: (logsumexp(moves + before[:, None], axis=0) + shows[:, s], None)
        return logsumexp(lax.scan(step, shows[:, seen[0]] - jnp.log(3), seen[1:])[0])

    return jax.value_and_grad(likelihood)((moves, shows))


@prototype
def attention():
    key = random.key(5)
    matrix = lambda k, n, m: normal(random.fold_in(key, k), n * m).reshape(n, m) * 0.5
    weights = [matrix(k, 8, 4) for k in range(6)] + [matrix(6, 8, 8), matrix(7, 8, 16), matrix(8, 16, 8)]
    tokens = matrix(9, 6, 8)

    def normalised(x):
        return (x - x.mean(1, keepdims=True)) / jnp.sqrt(x.var(1, keepdims=True) + 1e-6)

    def head(w, x):
        q, k, v = (x @ w for w in w)
        scores = q @ k.T / 2 + jnp.where(jnp.arange(6)[None] > jnp.arange(6)[:, None], -1e9, 0)
        return jax.nn.softmax(scores) @ v

    def loss(w):
        x = normalised(tokens)
        x = tokens + jnp.concatenate([head(w[:3], x), head(w[3:6], x)], 1) @ w[6]
        x = x + jax.nn.silu(normalised(x) @ w[7]) @ w[8]
        return jnp.mean(logsumexp(x, axis=1))

    value, gradient = jax.value_and_grad(loss)(weights)
    return value, [jnp.linalg.norm(g) for g in gradient]


@prototype
def pinn():
    def solution(w, x):
        return x * (1 - x) * (w[20:] @ jnp.tanh(w[:10] * x + w[10:20]))

    curvature = jax.grad(jax.grad(solution, 1), 1)
    xs = jnp.linspace(0, 1, 21)

    def residual(w):
        return jnp.mean((jax.vmap(lambda x: curvature(w, x))(xs) + jnp.pi**2 * jnp.sin(jnp.pi * xs)) ** 2)

    step = lambda _, w: w - 0.0005 * jax.grad(residual)(w)
    w = jax.jit(lambda w: lax.fori_loop(0, 200, step, w))(normal(random.key(1), 30))
    return residual(w), jax.vmap(lambda x: solution(w, x))(xs)


@prototype
def meta_learning():
    xs = jnp.arange(10) * 0.4 - 2

    def loss(w, shift):
        return jnp.mean((w[2] * jnp.tanh(w[0] * xs + w[1]) - jnp.sin(xs + shift)) ** 2)

    def after(w, rate, shift):
        for _ in range(5):
            w = w - rate * jax.grad(loss)(w, shift)
        return loss(w, shift)

    def meta(at):
        return jnp.mean(jax.vmap(lambda shift: after(*at, shift))(jnp.array([0.0, 0.5, 1.0, 1.5])))

    return jax.value_and_grad(meta)((jnp.array([0.8, 0.1, 1.2]), 0.2))

def table(name, rows, skip=0):
    path = pathlib.Path(__file__).parent.parent / "data" / name
    return jnp.array([[float(x) for x in line.split(",")] for line in path.read_text().split()[skip : skip + rows]])


@prototype
def convolutional_net():
    rows = table("digits.csv", 64)
    images, digits = rows[:, None, :64].reshape(64, 1, 8, 8) / 16, rows[:, 64].astype(int)

    def scores(w, x):
        x = lax.conv(x, w[0], (1, 1), "SAME")
        x = lax.reduce_window(x, -jnp.inf, lax.max, (1, 1, 2, 2), (1, 1, 2, 2), "VALID")
        return jnp.tanh(x.reshape(64, 64)) @ w[1].T

    def loss(w):
        return -jnp.mean(jax.nn.log_softmax(scores(w, images))[jnp.arange(64), digits])

    def step(state, _):
        w, speed = state
        value, g = jax.value_and_grad(loss)(w)
        speed = jax.tree.map(lambda v, g: 0.9 * v - 0.05 * g, speed, g)
        return (jax.tree.map(jnp.add, w, speed), speed), value

    of_kernels, of_out = random.split(random.key(2))
    w = normal(of_kernels, 36).reshape(4, 1, 3, 3) * 0.5, normal(of_out, 640).reshape(10, 64) * 0.1
    (w, _), losses = jax.jit(lambda w: lax.scan(step, (w, jax.tree.map(jnp.zeros_like, w)), None, 20))(w)
    return losses, w[0], jnp.mean(jnp.argmax(scores(w, images), 1) == digits, dtype=float)


def covariance(log, a, b):
    return jnp.exp(log[0] - 0.5 * ((a[:, None] - b) / jnp.exp(log[1])) ** 2)


def evidence(log, x, y):
    f = jnp.linalg.cholesky(covariance(log, x, x) + jnp.exp(log[2]) * jnp.eye(len(x)))
    return -0.5 * y @ cho_solve((f, True), y) - jnp.sum(jnp.log(jnp.diag(f))) - len(x) / 2 * jnp.log(2 * jnp.pi)


@prototype
def gaussian_process():
    x = jnp.arange(40) * 0.15
    y = jnp.sin(x) + 0.3 * jnp.sin(17 * x)

    @jax.jit
    def fit():
        climb = lambda _, log: log + 0.02 * jax.grad(evidence)(log, x, y)
        log = lax.fori_loop(0, 50, climb, jnp.array([0.0, 0.0, -2.0]))
        f = jnp.linalg.cholesky(covariance(log, x, x) + jnp.exp(log[2]) * jnp.eye(40))
        across = covariance(log, jnp.linspace(-1, 7, 9), x)
        explained = jnp.sum(solve_triangular(f, across.T, lower=True) ** 2, 0)
        return evidence(log, x, y), log, across @ cho_solve((f, True), y), jnp.sqrt(jnp.exp(log[0]) - explained)

    return fit()


gaussian_process.parts = [covariance, evidence]


@prototype
def logistic_newton():
    rows = table("breast_cancer.csv", 200, skip=1)
    x, y = rows[:, :10], rows[:, -1]
    x = (x - x.mean(0)) / x.std(0)

    def loss(w):
        return jnp.mean(jax.nn.softplus((1 - 2 * y) * (x @ w))) + 0.01 * w @ w

    newton = lambda _, w: w - jnp.linalg.solve(jax.hessian(loss)(w), jax.grad(loss)(w))
    w = jax.jit(lambda w: lax.fori_loop(0, 8, newton, w))(jnp.zeros(10))
    return loss(w), w, jnp.mean((x @ w > 0) == (y == 1), dtype=float)


@prototype
def deep_equilibrium():
    xs = jnp.arange(12) * 0.3 - 1.65
    ys = jnp.sin(2 * xs)

    def predict(w, x):
        inner, outer = w
        residual = lambda z: jnp.tanh(inner @ z + outer * x) - z

        def solve(residual, z):
            unsettled = lambda z: jnp.max(jnp.abs(residual(z))) > 1e-13
            return lax.while_loop(unsettled, lambda z: z + residual(z), z)

        def tangent(linear, y):
            return jnp.linalg.solve(jax.jacobian(linear)(y), y)

        return jnp.sum(lax.custom_root(residual, jnp.zeros(6), solve, tangent))

    def loss(w):
        return jnp.mean((jax.vmap(lambda x: predict(w, x))(xs) - ys) ** 2)

    step = lambda _, w: jax.tree.map(lambda w, g: w - 0.02 * g, w, jax.grad(loss)(w))
    of_inner, of_outer = random.split(random.key(4))
    w = normal(of_inner, 36).reshape(6, 6) * 0.15, normal(of_outer, 6)
    w = jax.jit(lambda w: lax.fori_loop(0, 15, step, w))(w)
    return loss(w), w


@prototype
def matrix_factorisation():
    k = jnp.arange(300)
    k = (k * k + k) % 307
    who, what = k % 20, k // 20 % 15
    rating = jnp.sin(0.7 * who) * jnp.cos(0.4 * what) + 0.05 * (who + what)

    def loss(w):
        users, films = w
        error = jnp.sum(users[who] * films[what], 1) - rating
        return error @ error + 0.05 * (jnp.linalg.norm(users) + jnp.linalg.norm(films))

    step = lambda _, w: jax.tree.map(lambda w, g: w - 0.01 * g, w, jax.grad(loss)(w))
    of_users, of_films = random.split(random.key(6))
    w = normal(of_users, 60).reshape(20, 3), normal(of_films, 45).reshape(15, 3)
    w = jax.jit(lambda w: lax.fori_loop(0, 300, step, w))(w)
    return loss(w), w[0] @ w[1].T


@prototype
def lstm():
    t = jnp.arange(200) * 0.2
    sequence = jnp.sin(t) * jnp.cos(0.31 * t)

    def loss(w):
        gates, out = w

        def step(state, pair):
            hidden, cell = state
            seen = jnp.concatenate([hidden, jnp.array([pair[0], 1.0])])
            forget, take, give, new = gates @ seen
            cell = jax.nn.sigmoid(forget) * cell + jax.nn.sigmoid(take) * jnp.tanh(new)
            hidden = jax.nn.sigmoid(give) * jnp.tanh(cell)
            return (hidden, cell), (out @ hidden - pair[1]) ** 2

        pairs = jnp.stack([sequence[:-1], sequence[1:]], 1)
        return jnp.sum(lax.scan(jax.checkpoint(step), (jnp.zeros(6), jnp.zeros(6)), pairs)[1]) / 200

    step = lambda _, w: jax.tree.map(lambda w, g: w - 0.1 * g, w, jax.grad(loss)(w))
    of_gates, of_out = random.split(random.key(8))
    w = normal(of_gates, 192).reshape(4, 6, 8) * 0.4, normal(of_out, 6)
    w = jax.jit(lambda w: lax.fori_loop(0, 20, step, w))(w)
    return loss(w), w[1]


@prototype
def graph_network():
    ring = lambda base: [(base + k, base + (k + c) % 8) for k in range(8) for c in (1, 3)]
    edges = ring(0) + ring(8) + [(3, 12)]
    source, target = jnp.array([e for a, b in edges for e in ((a, b), (b, a))]).T

    def heard(states):
        degrees = (jnp.zeros(16).at[target].add(1) + 1)[:, None]
        sent = states / jnp.sqrt(degrees)
        return sent.at[target].add(sent[source]) / jnp.sqrt(degrees)

    scores = lambda w: heard(jnp.tanh(heard(w[0]))) @ w[1]
    loss = lambda w: jax.nn.softplus(-scores(w)[0]) + jax.nn.softplus(scores(w)[-1])
    step = lambda _, w: jax.tree.map(lambda w, g: w - 0.5 * g, w, jax.grad(loss)(w))
    of_first, of_second = random.split(random.key(9))
    w = normal(of_first, 64).reshape(16, 4), normal(of_second, 4)
    w = jax.jit(lambda w: lax.fori_loop(0, 60, step, w))(w)
    return loss(w), scores(w)


@prototype
def variational_autoencoder():
    images = table("digits.csv", 50)[:, :64] / 16

    def loss(w, noise):
        encoder, decoder = w
        mean, log = jnp.split(images @ encoder.T, 2, 1)
        z = jnp.concatenate([mean + jnp.exp(log) * noise, jnp.ones((50, 1))], 1)
        scores = z @ decoder.T
        pixels = jnp.sum(jax.nn.softplus(scores) - images * scores, 1)
        return jnp.mean(pixels + jnp.sum(0.5 * (mean**2 + jnp.exp(2 * log) - 1) - log, 1))

    of_weights, of_noise = random.split(random.key(10))
    of_encoder, of_decoder = random.split(of_weights)

    def step(k, state):
        _, encoder, decoder = state
        noise = normal(random.fold_in(of_noise, k), 100).reshape(50, 2)
        value, g = jax.value_and_grad(loss)((encoder, decoder), noise)
        return value, encoder - 0.01 * g[0], decoder - 0.05 * g[1]

    start = 0.0, normal(of_encoder, 256).reshape(4, 64) * 0.05, normal(of_decoder, 192).reshape(64, 3) * 0.1
    return jax.jit(lambda start: lax.fori_loop(0, 40, step, start))(start)


@prototype
def normalising_flow():
    k = jnp.arange(60)
    points = jnp.stack([2 * jnp.sin(2.3 * k), jnp.sin(2.3 * k) ** 2 + 0.3 * jnp.cos(0.7 * k)], 1)

    def loss(w):
        z, stretch = points, -jnp.sum(jnp.linalg.slogdet(w[0])[1])
        for layer, shift in zip(*w):
            u = z @ layer.T + shift
            z, stretch = jnp.arcsinh(u), stretch + jnp.mean(jnp.sum(0.5 * jnp.log1p(u**2), 1))
        return jnp.mean(jnp.sum(0.5 * z**2, 1)) + stretch

    step = lambda _, w: jax.tree.map(lambda w, g: w - 0.1 * g, w, jax.grad(loss)(w))
    w = jnp.stack([jnp.eye(2)] * 3), jnp.zeros((3, 2))
    w = jax.jit(lambda w: lax.fori_loop(0, 40, step, w))(w)
    z = normal(random.key(12), 10).reshape(5, 2)
    for layer, shift in zip(w[0][::-1], w[1][::-1]):
        z = jnp.linalg.solve(layer, (jnp.sinh(z) - shift).T).T
    return loss(w), z


@prototype
def hamiltonian_monte_carlo():
    energy = lambda q: 0.5 * (1 - q[0]) ** 2 + 2 * (q[1] - q[0] ** 2) ** 2
    total = lambda q, p: energy(q) + 0.5 * p @ p
    force = lambda q: -0.1 * jax.grad(energy)(q)

    def sample(q, k):
        of_momentum, of_choice = random.split(random.fold_in(random.key(13), k))
        p = normal(of_momentum, 2)

        def leap(_, state):
            q = state[0] + 0.1 * state[1]
            return q, state[1] + force(q)

        new, pushed = lax.fori_loop(0, 8, leap, (q, p + force(q) / 2))
        likelier = total(q, p) - total(new, pushed - force(new) / 2)
        take = jnp.log(random.uniform(of_choice, (1,))[0]) < likelier
        q = jnp.where(take, new, q)
        return q, (q, take)

    qs, taken = jax.jit(lambda q: lax.scan(sample, q, jnp.arange(100))[1])(jnp.zeros(2))
    return jnp.mean(qs, 0), jnp.mean(qs**2, 0), jnp.mean(taken, dtype=float)


@prototype
def linear_regulator():
    def cost(log):
        length, mass = jnp.exp(log)
        a = jnp.eye(2).at[0, 1].set(0.1).at[1, 0].set(0.981 / length)
        b = jnp.zeros((2, 1)).at[1, 0].set(0.1 / (mass * length**2))

        def riccati(value, _):
            gain = jnp.linalg.solve(b.T @ value @ b + 0.1 * jnp.eye(1), b.T @ value @ a)
            return jnp.eye(2) + a.T @ value @ (a - b @ gain), None

        value, start = lax.scan(riccati, jnp.eye(2), None, 120)[0], jnp.array([0.3, 0.1])
        return start @ value @ start + jnp.sum(0.5 * jnp.exp(log))

    def step(_, state):
        value, g = jax.value_and_grad(cost)(state[1])
        return value, state[1] - 0.02 * g

    return jax.jit(lambda log: lax.fori_loop(0, 30, step, (0.0, log)))(jnp.zeros(2))


@prototype
def vibrating_chain():
    masses = jnp.array([1.0, 0.8, 1.2, 0.5, 1.0, 0.7])
    roots = jnp.sqrt(masses)

    def frequencies(scores):
        springs = 6 * jax.nn.softmax(scores)
        energy = lambda places: 0.5 * jnp.sum(springs * jnp.diff(places, prepend=0) ** 2)
        return jnp.sqrt(jnp.linalg.eigvalsh(jax.hessian(energy)(jnp.zeros(6)) / jnp.outer(roots, roots)))

    climb = lambda _, scores: scores + 5 * jax.grad(lambda scores: frequencies(scores)[0])(scores)
    scores = jax.jit(lambda scores: lax.fori_loop(0, 100, climb, scores))(jnp.zeros(6))
    return frequencies(scores), jax.nn.softmax(scores)


@prototype
def closest_points():
    t = jnp.arange(30) * 0.3
    points = jnp.stack([jnp.cos(t), 0.7 * jnp.sin(t), 0.3 * t], 1)
    turn = jnp.array([[jnp.cos(0.2), -jnp.sin(0.2), 0], [jnp.sin(0.2), jnp.cos(0.2), 0], [0, 0, 1]])
    others = points @ turn.T + jnp.array([0.05, -0.03, 0.02])
    others = others.at[:, 2].add(0.01 * jnp.sin(40 * others[:, 0]))

    def moved(pose, p):
        angle = jnp.sqrt(pose[:3] @ pose[:3] + 1e-20)
        axis = pose[:3] / angle
        turned = p * jnp.cos(angle) + jnp.cross(axis, p) * jnp.sin(angle)
        return turned + (p @ axis)[:, None] * axis * (1 - jnp.cos(angle)) + pose[3:]

    def step(_, pose):
        apart = jnp.sum((moved(pose, points)[:, None] - others) ** 2, 2)
        residual = lambda pose: jnp.ravel(moved(pose, points) - others[jnp.argmin(apart, 1)])
        j = jax.jacfwd(residual)(pose)
        return pose - jnp.linalg.solve(j.T @ j, j.T @ residual(pose))

    return jax.jit(lambda pose: lax.fori_loop(0, 12, step, pose))(jnp.full(6, 0.01))


@prototype
def neighbourhood_components():
    rows = table("digits.csv", 50)
    images, digits = rows[:, :64] / 16, rows[:, 64]

    def score(metric):
        points = images @ metric
        apart = -jnp.sum((points[:, None] - points) ** 2, 2) - 1e9 * jnp.eye(50)
        return jnp.mean(jnp.sum(jax.nn.softmax(apart) * (digits[:, None] == digits), 1))

    climb = lambda _, metric: metric + 2 * jax.grad(score)(metric)
    start = normal(random.key(14), 128).reshape(64, 2) * 0.2
    metric = jax.jit(lambda metric: lax.fori_loop(0, 40, climb, metric))(start)
    return score(metric), images @ metric


@prototype
def ray_marching():
    eye, light = jnp.array([0.0, 1.0, -3.0]), jnp.array([0.6, 0.7, -0.4])

    def distance(scene, at):
        ball = jnp.linalg.norm(at - scene[:3]) - scene[3]
        return logsumexp(jnp.array([-8 * ball, -8 * (at[1] + 1)])) / -8

    def shade(scene, y, x):
        ray = jnp.array([x, y - 0.5, 1.0])
        off = lambda t: distance(scene, eye + t * ray)
        march = lambda off, t: lax.fori_loop(0, 60, lambda _, t: t + off(t) / jnp.linalg.norm(ray), t)
        t = lax.custom_root(off, 0.0, march, lambda linear, y: y / linear(1.0))
        return jax.grad(distance, 1)(scene, eye + t * ray) @ light

    across = jnp.linspace(-0.4, 0.4, 10)
    render = lambda scene: jnp.ravel(jax.vmap(lambda y: jax.vmap(lambda x: shade(scene, y, x))(across))(across))
    picture = jax.jit(render)(jnp.array([0.1, -0.1, 0.3, 0.8]))

    def step(_, scene):
        j = jax.jacfwd(render)(scene)
        return scene - jnp.linalg.solve(j.T @ j + 1e-3 * jnp.eye(4), j.T @ (render(scene) - picture))

    scene = jax.jit(lambda scene: lax.fori_loop(0, 10, step, scene))(jnp.array([0.0, 0.0, 0.2, 0.7]))
    return scene, picture


@prototype
def lennard_jones():
    k = jnp.arange(27)
    lattice = jnp.stack([k % 3, k // 3 % 3, k // 9], 1).astype(float)
    places = lattice * 4 / 3 + 0.02 * jnp.sin(lattice + k[:, None])
    velocities = jnp.stack([jnp.sin(1.1 * k), jnp.cos(2.3 * k), jnp.sin(0.7 * k)], 1)
    one, other = jnp.triu_indices(27, 1)

    def potential(scale, places):
        way = places[one] - places[other]
        way = scale * (way - 4 * jnp.round(way / 4))
        attraction = jnp.sum(way**2, 1) ** -3
        return jnp.sum(4 * attraction * (attraction - 1))

    def step(state, _):
        places, velocities = state
        half = velocities - 0.001 * jax.grad(potential, 1)(1.0, places)
        places = places + 0.002 * half
        return (places, half - 0.001 * jax.grad(potential, 1)(1.0, places)), None

    places, velocities = jax.jit(lambda state: lax.scan(step, state, None, 100)[0])((places, velocities))
    kinetic = 0.5 * jnp.sum(velocities**2)
    pressure = (2 * kinetic - jax.grad(potential)(1.0, places)) / (3 * 4**3)
    return kinetic + potential(1.0, places), pressure, places


@prototype
def relevance():
    i, j = jnp.arange(40)[:, None], jnp.arange(8)
    x = jnp.sin(0.3 * i * i + 1.7 * j * (i + 3))
    y = 2 * x[:, 1] - x[:, 5] + 0.3 * jnp.cos(5.1 * i[:, 0])

    def ridge(log, x, y):
        return cho_solve((jnp.linalg.cholesky(x.T @ x + jnp.diag(jnp.exp(log))), True), x.T @ y)

    held_out = lambda log: jnp.sum((x[20:] @ ridge(log, x[:20], y[:20]) - y[20:]) ** 2)

    def step(_, state):
        value, g = jax.value_and_grad(held_out)(state[1])
        return value, state[1] - 0.3 * g

    value, log = jax.jit(lambda log: lax.fori_loop(0, 60, step, (0.0, log)))(jnp.zeros(8))
    return value, log, ridge(log, x, y)


@prototype
def random_field():
    t = jnp.arange(40)
    inputs = jnp.stack([jnp.ones(40), jnp.sin(0.4 * t), jnp.cos(0.4 * t), jnp.sin(3.1 * t)], 1)
    labels = jnp.where(inputs[:, 1] > 0.5, 2, jnp.where(inputs[:, 1] > -0.5, 1, 0))

    def surprise(w):
        moves, shows = w
        scores = inputs @ shows
        forward = lambda before, row: (logsumexp(before[:, None] + moves, 0) + row, None)
        total = logsumexp(lax.scan(forward, scores[0], scores[1:])[0])
        return total - jnp.sum(scores[t, labels]) - jnp.sum(moves[labels[:-1], labels[1:]])

    def step(_, state):
        value, g = jax.value_and_grad(surprise)(state[1:])
        return value, state[1] - 0.05 * g[0], state[2] - 0.05 * g[1]

    return jax.jit(lambda start: lax.fori_loop(0, 30, step, start))((0.0, jnp.zeros((3, 3)), jnp.zeros((4, 3))))


@prototype
def sparse_coding():
    shrunk = lambda x, threshold: jnp.maximum(x - threshold, 0) - jnp.maximum(-x - threshold, 0)
    of_atoms, of_codes = random.split(random.key(15))
    atoms = normal(of_atoms, 240).reshape(24, 10)
    atoms = atoms / jnp.linalg.norm(atoms, axis=1, keepdims=True)
    signals = shrunk(normal(of_codes, 720), 1.5).reshape(30, 24) @ atoms

    def loss(w):
        code = jnp.zeros((30, 24))
        for step, threshold in zip(*w):
            code = shrunk(code + (signals - code @ atoms) @ atoms.T * step, threshold)
        return jnp.mean(0.5 * jnp.sum((signals - code @ atoms) ** 2, 1) + 0.1 * jnp.sum(jnp.abs(code), 1))

    def step(_, state):
        value, g = jax.value_and_grad(loss)(state[1:])
        return value, state[1] - 0.01 * g[0], state[2] - 0.01 * g[1]

    start = 0.0, jnp.full(8, 0.2), jnp.full(8, 0.02)
    return jax.jit(lambda start: lax.fori_loop(0, 50, step, start))(start)


@prototype
def shooting():
    def simulate(pushes):
        def step(state, push):
            speed = state[1] + 0.1 * (push - 2 * jnp.sin(state[0]))
            return (state[0] + 0.1 * speed, speed), None

        return lax.scan(step, (0.0, 0.0), pushes)[0]

    def cost(pushes):
        angle, speed = simulate(pushes)
        return 5 * (1 + jnp.cos(angle)) ** 2 + speed**2 + 0.05 * pushes @ pushes

    damped = lambda pushes: jax.hessian(cost)(pushes) + 2 * jnp.eye(30)
    newton = lambda _, pushes: pushes - jnp.linalg.solve(damped(pushes), jax.grad(cost)(pushes))
    pushes = jax.jit(lambda pushes: lax.fori_loop(0, 30, newton, pushes))(jnp.full(30, 0.8))
    return cost(pushes), simulate(pushes), pushes


@prototype
def sensitivity():
    def mean_square(parameters):
        damping, stiffness, start = parameters
        change = lambda s: jnp.array([s[1], damping * (1 - s[0] ** 2) * s[1] - stiffness * s[0]])

        def step(state, _):
            first = change(state)
            second = change(state + 0.025 * first)
            third = change(state + 0.025 * second)
            fourth = change(state + 0.05 * third)
            state = state + (first + 2 * (second + third) + fourth) * 0.05 / 6
            return state, state[0] ** 2 / 100

        return jnp.sum(lax.scan(step, jnp.array([start, 0.0]), None, 100)[1])

    at, deviations = jnp.array([1.0, 2.0, 1.5]), jnp.array([0.1, 0.1, 0.2])
    value, slope = jax.jit(jax.value_and_grad(mean_square))(at)
    bend = jax.jit(jax.hessian(mean_square))(at)
    scaled, first = bend * jnp.outer(deviations, deviations), slope * deviations
    return value + 0.5 * jnp.trace(scaled), first @ first + 0.5 * jnp.sum(scaled**2), slope, bend

@prototype
def black_scholes():
    def call(x):
        spot, volatility, time = x
        deviation = volatility * jnp.sqrt(time)
        upper = (jnp.log(spot / 100) + (0.03 + volatility**2 / 2) * time) / deviation
        probability = lambda d: erfc(-d / jnp.sqrt(2)) / 2
        return spot * probability(upper) - 100 * jnp.exp(-0.03 * time) * probability(upper - deviation)

    at = jnp.array([105.0, 0.25, 0.75])
    third = jax.jacfwd(jax.hessian(call))(at)
    return call(at), jax.grad(call)(at), jax.hessian(call)(at), third[0, 0, 0], third[0, 0, 1], third[0, 1, 1], third[1, 1, 1]


@prototype
def interval_newton():
    """In closed form."""
    return jnp.sqrt(jnp.arange(1, 17) * jnp.pi)


@prototype
def taylor_orbit():
    """By many short steps of Runge and Kutta."""

    def change(s):
        return jnp.concatenate([s[2:], -s[:2] / (s[0] ** 2 + s[1] ** 2) ** 1.5])

    def step(s, _):
        h = 2.5 / 8000
        first = change(s)
        second = change(s + h / 2 * first)
        third = change(s + h / 2 * second)
        return s + h / 6 * (first + 2 * (second + third) + change(s + h * third)), None

    orbit = lambda s: lax.scan(step, s, None, 8000)[0]
    start = jnp.array([0.7, 0.0, 0.0, 1.36])
    return orbit(start), jax.jacfwd(orbit)(start)


@prototype
def double_pendulum():
    def lagrangian(q, v):
        kinetic = v[0] ** 2 + v[1] ** 2 / 2 + v[0] * v[1] * jnp.cos(q[0] - q[1])
        return kinetic + 9.81 * (2 * jnp.cos(q[0]) + jnp.cos(q[1]))

    def change(state):
        q, v = state[:2], state[2:]
        by_place, by_speed = jax.grad(lagrangian, 0), jax.grad(lagrangian, 1)
        force = by_place(q, v) - jax.jacfwd(by_speed, 0)(q, v) @ v
        return jnp.concatenate([v, jnp.linalg.solve(jax.jacfwd(by_speed, 1)(q, v), force)])

    def step(_, state):
        first = change(state)
        second = change(state + 0.005 * first)
        third = change(state + 0.005 * second)
        return state + 0.01 / 6 * (first + 2 * (second + third) + change(state + 0.01 * third))

    return jax.jit(lambda state: lax.fori_loop(0, 100, step, state))(jnp.array([1.2, 0.5, 0.0, 0.0]))


@prototype
def semirings():
    moves = jnp.array([[0.7, 0.3, 0.0], [0.0, 0.6, 0.4], [0.2, 0.0, 0.8]])
    shows = jnp.array([[0.9, 0.1], [0.4, 0.6], [0.25, 0.75]])
    log = jnp.log(shows[:, jnp.arange(20) ** 2 % 7 % 2].T)

    def likelihood(log):
        forward = lambda before, seen: (before @ moves * jnp.exp(seen), None)
        return jnp.log(jnp.sum(lax.scan(forward, jnp.exp(log[0]), log[1:])[0]))

    def best(log):
        forward = lambda before, seen: (jnp.max(before[:, None] + jnp.log(moves), 0) + seen, None)
        return jnp.max(lax.scan(forward, log[0], log[1:])[0])

    paths = lax.scan(lambda before, _: (before @ (moves > 0), None), jnp.ones(3), None, 19)[0]
    path = jnp.argmax(jax.grad(best)(log), 1)
    return likelihood(log), jnp.sum(paths), best(log), path, jax.grad(likelihood)(log)


@prototype
def sparse_newton():
    def residual(u):
        v = jnp.pad(u.reshape(10, 10), 1)
        neighbours = v[:-2, 1:-1] + v[2:, 1:-1] + v[1:-1, :-2] + v[1:-1, 2:]
        return 4 * u - neighbours.ravel() + (u**3 - 20) / 121

    newton = lambda _, u: u - jnp.linalg.solve(jax.jacfwd(residual)(u), residual(u))
    u = jax.jit(lambda u: lax.fori_loop(0, 8, newton, u))(jnp.zeros(100))
    return jnp.sum(jax.jacfwd(residual)(u) != 0), u


@prototype
def hanging_chain():
    def energy(joints):
        places = jnp.concatenate([jnp.zeros((1, 2)), joints.reshape(14, 2), jnp.array([[1.0, 0.2]])])
        stretched = jnp.linalg.norm(jnp.diff(places, axis=0), axis=1) * 15 - 1.2
        return jnp.sum(4 * stretched**2) + 0.5 * jnp.sum(places[1:, 1] + places[:-1, 1])

    t = jnp.arange(1, 15) / 15
    start = jnp.stack([t, 0.2 * t - 1.2 * t * (1 - t)], 1).ravel()
    newton = lambda _, x: x - jnp.linalg.solve(jax.hessian(energy)(x), jax.grad(energy)(x))
    joints = jax.jit(lambda x: lax.fori_loop(0, 12, newton, x))(start)
    return jnp.sum(jax.hessian(energy)(joints) != 0), energy(joints), joints


@prototype
def truncated_newton():
    def valley(x):
        return jnp.sum(10 * (x[1:] - x[:-1] ** 2) ** 2 + (1 - x[:-1]) ** 2)

    gradient = jax.jit(jax.grad(valley))
    product = jax.jit(lambda x, v: jax.jvp(jax.grad(valley), (x,), (v,))[1])

    def newton_step(x):
        step, left = jnp.zeros(20), -gradient(x)
        way = left
        for _ in range(20):
            ahead = product(x, way)
            square, curvature = left @ left, way @ ahead
            if curvature <= 0 or square < 1e-24:
                break
            step, left = step + square / curvature * way, left - square / curvature * ahead
            way = left + left @ left / square * way
        return step

    x = 0.3 * jnp.sin(jnp.arange(20))
    for _ in range(30):
        step, length = newton_step(x), 1.0
        while valley(x + length * step) > valley(x) + 1e-4 * length * gradient(x) @ step and length > 1e-6:
            length *= 0.5
        x = x + length * step
    return valley(x), x


@prototype
def yield_curve():
    years = jnp.arange(1, 16)
    coupon, quoted = 0.02 + 0.001 * years, 1 + 0.004 * jnp.sin(years)

    def errors(p):
        scaled = years / p[3]
        hump = (1 - jnp.exp(-scaled)) / scaled
        discount = jnp.exp(-years * (p[0] + p[1] * hump + p[2] * (hump - jnp.exp(-scaled))))
        return coupon * jnp.cumsum(discount) + discount - quoted

    def step(_, p):
        j = jax.jacfwd(errors)(p)
        return p - jnp.linalg.solve(j.T @ j * (1 + 0.01 * jnp.eye(4)), j.T @ errors(p))

    p = jax.jit(lambda p: lax.fori_loop(0, 40, step, p))(jnp.array([0.03, 0.01, 0.01, 2.0]))
    return errors(p), p


def numbers(tree):
    return [float(x) for leaf in jax.tree.leaves(tree) for x in jnp.ravel(leaf)]


def lines(f):
    """How many it and its parts have, but for empty ones, comments and the decorator."""
    text = [line.strip() for part in [f, *getattr(f, "parts", [])] for line in inspect.getsource(part).splitlines()]
    return sum(line != "" and line[0] not in "#@" for line in text)


def seconds(f):
    """Processor time, the least of three first calls: traced, compiled and run, as it is written or wholly within one `jit`, whichever takes less."""
    taken = []
    for call in [f, lambda: jax.jit(lambda: f())()] * 3:
        jax.clear_caches()
        begun = time.process_time()
        with contextlib.suppress(jax.errors.ConcretizationTypeError):  # of those that have an `if` in Python
            jax.block_until_ready(call())
            taken.append(time.process_time() - begun)
    return min(taken)


def of_evidence(n):
    """Processor times of the value and of the gradient, compiled, the least of five, and the gradient."""
    x = jnp.arange(n) * 0.15
    at = jnp.array([0.0, 0.0, -2.0]), x, jnp.sin(x)
    times = []
    for f in jax.jit(evidence), jax.jit(jax.grad(evidence)):
        found, taken = jax.block_until_ready(f(*at)), []
        for _ in range(5):
            begun = time.process_time()
            found = jax.block_until_ready(f(*at))
            taken.append(time.process_time() - begun)
        times.append(min(taken))
    return *times, numbers(found)


if __name__ == "__main__":
    if sys.argv[1:2] == ["evidence"]:
        print(json.dumps([of_evidence(int(n)) for n in sys.argv[2:]]))
    elif sys.argv[1:2] == ["times"]:
        jnp.zeros(1).block_until_ready()
        timed = sys.argv[2:]
        print(json.dumps({name: [lines(f), seconds(f) if name in timed else None] for name, f in ALL.items()}))
    else:
        rows = [f"{json.dumps(name)}: {json.dumps(numbers(f()))}" for name, f in sorted(ALL.items())]
        (pathlib.Path(__file__).parent / "reference.json").write_text("{\n" + ",\n".join(rows) + "\n}\n")
