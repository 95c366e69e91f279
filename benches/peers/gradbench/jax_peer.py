"""The functions of the benchmark in JAX, written for it: whole arrays, compiled by `jit`, in double precision.

`--enzyme` as first argument has Enzyme optimise and differentiate the same functions instead of JAX.
"""

import math
import sys
from functools import partial

import jax
import jax.numpy as jnp
import numpy as np
from jax import lax

import inner

jax.config.update("jax_enable_x64", True)


# gmm


def triangular(d):
    """Where each entry of a lower triangular matrix is in: zero, the diagonal, what is below it column by column."""
    places = np.zeros((d, d), dtype=np.int64)
    places[np.arange(d), np.arange(d)] = 1 + np.arange(d)
    below = 1 + d
    for column in range(d):
        for row in range(column + 1, d):
            places[row, column] = below
            below += 1
    return places


def log_posterior(d, mixture, x, m, gamma):
    alpha, mu, q, low = mixture
    n, k = x.shape[0], alpha.shape[0]
    diagonal = jnp.exp(q)
    entries = jnp.concatenate([jnp.zeros((k, 1)), diagonal, low], axis=1)
    roots = entries[:, triangular(d)]
    away = jnp.einsum("kij,nj->nki", roots, x) - jnp.einsum("kij,kj->ki", roots, mu)
    beta = alpha + q.sum(1) - 0.5 * (away**2).sum(2)
    degrees = d + m + 1
    log_gamma = d * (d - 1) / 4 * math.log(math.pi) + sum(math.lgamma(degrees / 2 - j / 2) for j in range(d))
    prior = k * (degrees * d * (math.log(gamma) - 0.5 * math.log(2)) - log_gamma)
    prior += -(gamma**2) / 2 * ((diagonal**2).sum() + (low**2).sum()) + m * q.sum()
    likelihood = jax.nn.logsumexp(beta, axis=1).sum() - n * jax.nn.logsumexp(alpha)
    return likelihood - n * d / 2 * math.log(2 * math.pi) + prior


def gmm(given):
    mixture = tuple(jnp.array(given[name]) for name in ["alpha", "mu", "q", "l"])
    mixture = (*mixture[:3], mixture[3].reshape(given["k"], -1))
    x = jnp.array(given["x"])
    return (lambda mixture, x: log_posterior(given["d"], mixture, x, given["m"], given["gamma"])), (mixture, x)


def mixture_of(gradient):
    return dict(zip(["alpha", "mu", "q", "l"], (np.asarray(g).tolist() for g in gradient)))


# ba


def reprojection(camera, point, weight, feature):
    rotation, centre, focal, principal, k1, k2 = camera[:3], camera[3:6], camera[6], camera[7:9], camera[9], camera[10]
    y = point - centre
    square = rotation @ rotation
    still = square == 0
    angle = jnp.sqrt(jnp.where(still, 1.0, square))
    axis = rotation / angle
    turned = y * jnp.cos(angle) + jnp.cross(axis, y) * jnp.sin(angle) + axis * (axis @ y) * (1 - jnp.cos(angle))
    z = jnp.where(still, y + jnp.cross(rotation, y), turned)
    q = z[:2] / z[2]
    rho = q @ q
    return weight * (q * (1 + k1 * rho + k2 * rho**2) * focal + principal - feature)


def ba(given):
    n, m, p = given["n"], given["m"], given["p"]
    arguments = (np.tile(given["cam"], (n, 1)), np.tile(given["x"], (m, 1)), np.full(p, given["w"]))
    arguments += (np.tile(given["feat"], (p, 1)), np.arange(p) % n, np.arange(p) % m)
    return tuple(map(jnp.array, arguments))


def ba_objective(given):
    def run(cameras, points, weights, features, camera, point):
        return jax.vmap(reprojection)(cameras[camera], points[point], weights, features), 1 - weights**2

    def output(result):
        errors, weights = (np.asarray(part[0]).tolist() for part in result)
        p = given["p"]
        return {"reproj_error": {"elements": errors, "repeated": p}, "w_err": {"element": weights, "repeated": p}}

    return run, ba(given), output


def ba_jacobian(given):
    def run(cameras, points, weights, features, camera, point):
        rows = jax.vmap(jax.jacrev(reprojection, (0, 1, 2)))(cameras[camera], points[point], weights, features)
        of_camera, of_point, of_weight = rows
        rows = jnp.concatenate([of_camera, of_point, of_weight[:, :, None]], axis=2)
        return jnp.concatenate([rows.ravel(), -2 * weights])

    return run, ba(given), lambda values: inner.observations(given, np.asarray(values).tolist())


# ht


def turn(x, z):
    sx, cx, sz, cz = jnp.sin(x), jnp.cos(x), jnp.sin(z), jnp.cos(z)
    none, one = jnp.zeros(()), jnp.ones(())
    rows = [[cz, -sz * cx, sz * sx, none], [sz, cz * cx, -cz * sx, none], [none, sx, cx, none], [none, none, none, one]]
    return jnp.array(rows)


def rotation(vector):
    square = vector @ vector
    small = square < 1e-8
    angle = jnp.sqrt(jnp.where(small, 1.0, square))
    x, y, z = vector / angle
    across = jnp.array([[0.0 * x, -z, y], [z, 0.0 * x, -x], [-y, x, 0.0 * x]])
    axis = vector / angle
    turned = jnp.eye(3) * jnp.cos(angle) + across * jnp.sin(angle) + jnp.outer(axis, axis) * (1 - jnp.cos(angle))
    return jnp.where(small, jnp.eye(3), turned)


class Hand:
    def __init__(self, given):
        data, model = given["data"], given["data"]["model"]
        self.theta = jnp.array(given["theta"])
        self.us = jnp.array(given["us"]).reshape(-1, 2)
        self.parents = model["parents"]
        self.bases = jnp.array(model["base_relatives"])
        self.inverses = jnp.array(model["inverse_base_absolutes"])
        self.mirrored = model["is_mirrored"]
        self.points = jnp.array(data["points"])
        corners = np.array(data["correspondences"])
        if len(given["us"]):
            corners = np.array(model["triangles"])[corners]
        positions, weights = np.array(model["base_positions"]), np.array(model["weights"])
        # Bones carry the vertices that are wanted, or all of them if these are fewer.
        few = corners.size < len(positions)
        self.corners = np.arange(corners.size).reshape(corners.shape) if few else corners
        wanted = corners.ravel() if few else slice(None)
        self.positions, self.weights = jnp.array(positions[wanted]), jnp.array(weights[wanted])

    def bones(self, theta):
        none = jnp.zeros(())
        # The first two bones have no angles of their own.
        angles = [(none, none), (none, none)]
        for finger in range(5):
            bend, spread, second, third = theta[6 + 4 * finger : 10 + 4 * finger]
            angles += [(bend, spread), (second, none), (third, none), (none, none)]
        absolutes = []
        for parent, base, (x, z) in zip(self.parents, self.bases, angles):
            relative = base @ turn(x, z)
            absolutes.append(relative if parent < 0 else absolutes[parent] @ relative)
        return jnp.stack(absolutes) @ self.inverses

    def errors(self, theta, us, positions, weights, points):
        carried = jnp.einsum("vb,bij,vj->vi", weights, self.bones(theta)[:, :3, :], positions, optimize="optimal")
        if self.mirrored:
            carried = carried * jnp.array([-1.0, 1.0, 1.0])
        vertices = carried @ rotation(theta[:3]).T + theta[3:6]
        found = vertices[self.corners]
        if us.size:
            u, v = us[:, :1], us[:, 1:]
            found = u * found[:, 0] + v * found[:, 1] + (1 - u - v) * found[:, 2]
        return (points - found).ravel()


def ht_objective(given):
    hand = Hand(given)
    arguments = hand.theta, hand.us, hand.positions, hand.weights, hand.points
    return hand.errors, arguments, lambda errors: np.asarray(errors).tolist()


def ht_jacobian(given):
    hand = Hand(given)

    def run(theta, us, *data):
        jacobian = jax.jacfwd(lambda theta: hand.errors(theta, us, *data))(theta)
        if not us.size:
            return jacobian
        # Each point has coordinates of its own, so that one direction is enough for those of all points.
        along = lambda direction: jax.jvp(lambda us: hand.errors(theta, us, *data), (us,), (direction,))[1]
        directions = jnp.stack([jnp.ones_like(us) * jnp.array(unit) for unit in ([1.0, 0.0], [0.0, 1.0])])
        return jnp.concatenate([jax.vmap(along, out_axes=1)(directions), jacobian], axis=1)

    arguments = hand.theta, hand.us, hand.positions, hand.weights, hand.points
    return run, arguments, lambda jacobian: np.asarray(jacobian).tolist()


# lstm


def loss(parameters, state, sequence):
    main, extra = parameters
    layers, bits = state.shape[0] // 2, state.shape[1]

    def step(state, inputs):
        x, following = inputs
        x = x * extra[0]
        after = []
        for i in range(layers):
            (h, c), w, b = state[i], main[2 * i].reshape(4, bits), main[2 * i + 1].reshape(4, bits)
            forget, out = jax.nn.sigmoid(x * w[0] + b[0]), jax.nn.sigmoid(x * w[2] + b[2])
            change = jax.nn.sigmoid(h * w[1] + b[1]) * jnp.tanh(h * w[3] + b[3])
            c = c * forget + change
            x = out * jnp.tanh(c)
            after.append((x, c))
        y = x * extra[1] + extra[2]
        return after, following @ (y - jnp.log(jnp.exp(y).sum() + 2))

    start = [(state[2 * i], state[2 * i + 1]) for i in range(layers)]
    _, likelihoods = lax.scan(step, start, (sequence[:-1], sequence[1:]))
    return -likelihoods.sum() / ((sequence.shape[0] - 1) * bits)


def lstm(given):
    main, extra, state, sequence = (
        jnp.array(given[name]) for name in ["main_params", "extra_params", "state", "sequence"]
    )
    return loss, ((main, extra), state, sequence)


def flat(gradient):
    return [x for part in gradient for x in np.asarray(part).ravel().tolist()]


# kmeans, lse, llsq


def cost(centroids, points):
    return ((points[:, None, :] - centroids[None, :, :]) ** 2).sum(2).min(1).sum()


def direction(centroids, points):
    gradient = jax.grad(lambda centroids: cost(centroids, points))
    slope, diagonal = jax.jvp(gradient, (centroids,), (jnp.ones_like(centroids),))
    return slope / diagonal


def kmeans(given):
    return jnp.array(given["centroids"]), jnp.array(given["points"])


def least_squares(n, x):
    t = jnp.arange(n) * (2 / (n - 1)) - 1
    value, _ = lax.scan(lambda sum, x: (sum * t + x, None), jnp.zeros(n), x, reverse=True)
    return 0.5 * ((jnp.sign(t) - value) ** 2).sum()


# det


def determinant(ell, a):
    """By minors: those of one size in one array, for every ordered choice of columns."""
    rows = a.reshape(ell, ell)
    columns = [np.arange(ell)[None, :]]
    for k in range(ell - 1, 0, -1):
        left = columns[-1]
        columns.append(np.stack([np.delete(left, gone, axis=1) for gone in range(k + 1)], axis=1).reshape(-1, k))
    minors = rows[ell - 1][columns[-1][:, 0]]
    for k in range(2, ell + 1):
        left = columns[ell - k]
        signs = jnp.array([(-1.0) ** j for j in range(k)])
        minors = (signs * rows[ell - k][left] * minors.reshape(-1, k)).sum(1)
    return minors[0]


# ode


def solution(s, x):
    h = 2 / s

    def slope(y):
        return x * jnp.concatenate([jnp.ones(1), y[:-1]])

    def step(y, _):
        k1 = slope(y)
        k2 = slope(y + k1 * (h / 2))
        k3 = slope(y + k2 * (h / 2))
        k4 = slope(y + k3 * h)
        return y + (k1 + 2 * k2 + 2 * k3 + k4) * (h / 6), None

    return lax.scan(step, jnp.zeros_like(x), length=s)[0]


# particle, saddle: loops whose length is not known, which JAX differentiates forward only


def argmin(gradient, f, start):
    def going(state):
        _, _, slope, _, _, stopped = state
        return (jnp.sqrt(slope @ slope) > 1e-5) & ~stopped

    def step(state):
        x, value, slope, step, successes, stopped = state
        after = x - slope * step

        def double():
            return x, value, slope, step * 2, 0, stopped

        def stop():
            return x, value, slope, step, successes, True

        def go():
            there = f(after)
            return lax.cond(
                there < value,
                lambda: (after, there, gradient(f)(after), step, successes + 1, stopped),
                lambda: (x, value, slope, step / 2, 0, stopped),
            )

        gap = x - after
        near = lambda: lax.cond(jnp.sqrt(gap @ gap) <= 1e-5, stop, go)
        return lax.cond(successes == 10, double, near)

    return lax.while_loop(going, step, (start, f(start), gradient(f)(start), 1e-5, 0, False))[0]


def particle(outer, inner, w):
    def miss(w):
        charges = jnp.stack([jnp.array([10.0, 10.0]) - jnp.array([0.0, 1.0]) * w[0], jnp.array([10.0, 0.0])])
        field = inner(lambda x: (1 / jnp.sqrt(((charges - x) ** 2).sum(1))).sum())
        dt = 0.1
        above = lambda state: (state[0] + state[1] * dt)[1] > 0
        move = lambda state: (state[0] + state[1] * dt, state[1] - field(state[0]) * dt)
        x, v = lax.while_loop(above, move, (jnp.array([0.0, 8.0]), jnp.array([0.75, 0.0])))
        return (x[0] - v[0] * x[1] / v[1]) ** 2

    return argmin(outer, miss, w)[0]


def saddle(outer, inner, start):
    lower = lambda first: lambda second: second @ second - first @ first
    greatest = lambda first: -lower(first)(argmin(inner, lower(first), start))
    first = argmin(outer, greatest, start)
    return jnp.concatenate([first, argmin(inner, lower(first), start)])


def descent(function, name, shape):
    def of(inner):
        return lambda given: (partial(function, jax.jacfwd, inner), (jnp.array(given[name]).reshape(shape),), plain)

    return {(function.__name__, "ff"): of(jax.jacfwd), (function.__name__, "fr"): of(jax.grad)}


def plain(result):
    return np.asarray(result).tolist()


def both(module, primal, gradient, function, output=plain):
    """A function of its first argument and its gradient; `function` gives it for an input, and the arguments."""

    def value(given):
        f, arguments = function(given)
        return f, arguments, plain

    def slope(given):
        f, arguments = function(given)
        return jax.grad(lambda *arguments: f(*arguments)), arguments, output

    return {(module, primal): value, (module, gradient): slope}


def of_vector(name, function):
    return lambda given: (function(given), (jnp.array(given[name]),))


FUNCTIONS = {
    **both("gmm", "objective", "jacobian", gmm, mixture_of),
    ("ba", "objective"): ba_objective,
    ("ba", "jacobian"): ba_jacobian,
    ("ht", "objective"): ht_objective,
    ("ht", "jacobian"): ht_jacobian,
    **both("lstm", "objective", "jacobian", lstm, flat),
    ("kmeans", "cost"): lambda given: (cost, kmeans(given), plain),
    ("kmeans", "dir"): lambda given: (direction, kmeans(given), plain),
    **both("lse", "primal", "gradient", of_vector("x", lambda given: jax.nn.logsumexp)),
    **both("llsq", "primal", "gradient", of_vector("x", lambda given: partial(least_squares, given["n"]))),
    **both("det", "primal", "gradient", of_vector("A", lambda given: partial(determinant, given["ell"]))),
    ("ode", "primal"): lambda given: (partial(solution, given["s"]), (jnp.array(given["x"]),), plain),
    ("ode", "gradient"): lambda given: (
        jax.grad(lambda x: solution(given["s"], x)[-1]),
        (jnp.array(given["x"]),),
        plain,
    ),
    **descent(particle, "w", (1,)),
    **descent(saddle, "start", (2,)),
}


def compiled(function, by):
    def prepare(given):
        f, arguments, output = function(given)
        ready = jax.jit(by(f))
        return (lambda: ready(*arguments)), output

    return prepare


def main():
    by = lambda f: f
    if sys.argv[1] == "--enzyme":
        from enzyme_ad.jax import enzyme_jax_ir

        del sys.argv[1]
        by = enzyme_jax_ir()
    inner.main({name: compiled(f, by) for name, f in FUNCTIONS.items()}, jax.block_until_ready)


if __name__ == "__main__":
    main()
