"""The functions of the benchmark in CasADi: scalar graphs of what is repeated, mapped and accumulated in matrix graphs,
and run by its virtual machine."""

import math

import casadi as ca
import numpy as np

import inner



def plain(result):
    found = np.array(result).ravel().tolist()
    return found[0] if len(found) == 1 else found


def listed(result):
    return np.array(result).ravel().tolist()


def ready(symbols, expression, arguments, output):
    f = ca.Function("f", symbols, [expression])
    return (lambda: f(*arguments)), output


def pair(module, primal, gradient, function, output=lambda given: listed):
    """A function of one result, and its gradient by the first argument."""

    def value(given):
        symbols, expression, arguments = function(given)
        return ready(symbols, expression, arguments, plain)

    def slope(given):
        symbols, expression, arguments = function(given)
        return ready(symbols, ca.gradient(expression, symbols[0]), arguments, output(given))

    return {(module, primal): value, (module, gradient): slope}


def gmm(given):
    d, k, n, m, gamma = (given[name] for name in ["d", "k", "n", "m", "gamma"])
    below = d * (d - 1) // 2
    size = k * (1 + 2 * d + below)

    def parts(z):
        alpha, mu, q, low = ca.vertsplit(z, [0, k, k + k * d, k + 2 * k * d, size])
        return alpha, ca.reshape(mu, d, k), ca.reshape(q, d, k), ca.reshape(low, below, k)

    mixture, x = ca.SX.sym("z", size), ca.SX.sym("x", d)
    alpha, mu, q, low = parts(mixture)
    beta = []
    for c in range(k):
        away, turned, entry = x - mu[:, c], [], 0
        turned = ca.exp(q[:, c]) * away
        for column in range(d - 1):
            rows = d - column - 1
            turned[column + 1 :] += low[entry : entry + rows, c] * away[column]
            entry += rows
        beta.append(alpha[c] + ca.sum1(q[:, c]) - 0.5 * ca.sumsqr(turned))
    point = ca.Function("point", [mixture, x], [ca.logsumexp(ca.vertcat(*beta))])
    degrees = d + m + 1
    log_gamma = d * (d - 1) / 4 * math.log(math.pi) + sum(math.lgamma(degrees / 2 - j / 2) for j in range(d))
    z = ca.MX.sym("z", size)
    alpha, mu, q, low = parts(z)
    prior = k * (degrees * d * (math.log(gamma) - 0.5 * math.log(2)) - log_gamma)
    prior += -(gamma**2) / 2 * (ca.sumsqr(ca.exp(q)) + ca.sumsqr(low)) + m * ca.sum1(ca.vec(q))
    likelihood = ca.sum2(point.map(n)(ca.repmat(z, 1, n), ca.DM(np.array(given["x"]).T)))
    value = likelihood - n * d / 2 * math.log(2 * math.pi) - n * ca.logsumexp(alpha) + prior
    return [z], value, [ca.DM(np.concatenate([np.ravel(given[name]) for name in ["alpha", "mu", "q", "l"]]))]


def mixture(given):
    def output(gradient):
        found, start, gradient = {}, 0, np.array(gradient).ravel()
        for name in ["alpha", "mu", "q", "l"]:
            shape = np.shape(given[name])
            size = int(np.prod(shape))
            found[name] = gradient[start : start + size].reshape(shape).tolist()
            start += size
        return found

    return output


def observation():
    z, feature = ca.SX.sym("z", 15), ca.SX.sym("feature", 2)
    r, centre, focal, principal, k1, k2, point, weight = (
        z[0:3], z[3:6], z[6], z[7:9], z[9], z[10], z[11:14], z[14],
    )  # fmt: skip
    y, square = point - centre, ca.dot(r, r)
    angle = ca.sqrt(ca.if_else(square == 0, 1, square))
    n = r / angle
    turned = y * ca.cos(angle) + ca.cross(n, y) * ca.sin(angle) + n * ca.dot(n, y) * (1 - ca.cos(angle))
    seen = ca.if_else(square == 0, y + ca.cross(r, y), turned)
    q = seen[:2] / seen[2]
    rho = ca.dot(q, q)
    return z, feature, weight * (q * (1 + k1 * rho + k2 * rho**2) * focal + principal - feature)


def observed(given):
    n, m, p = given["n"], given["m"], given["p"]
    index = np.arange(p)
    parts = [np.tile(given["cam"], (n, 1))[index % n], np.tile(given["x"], (m, 1))[index % m], np.full((p, 1), given["w"])]
    return ca.DM(np.concatenate(parts, axis=1).T), ca.DM(np.array([given["feat"]] * p).T)


def ba_objective(given):
    z, feature, error = observation()
    p, arguments = given["p"], observed(given)
    f = ca.Function("f", [z, feature], [error, 1 - z[14] ** 2]).map(p)

    def output(result):
        errors, weight = np.array(result[0])[:, 0].tolist(), float(result[1][0, 0])
        return {"reproj_error": {"elements": errors, "repeated": p}, "w_err": {"element": weight, "repeated": p}}

    return (lambda: f(*arguments)), output


def ba_jacobian(given):
    z, feature, error = observation()
    arguments = observed(given)
    rows = ca.densify(ca.vec(ca.jacobian(error, z).T))
    f = ca.Function("f", [z, feature], [rows, -2 * z[14]]).map(given["p"])

    def output(result):
        values = np.concatenate([np.array(part).ravel(order="F") for part in result])
        return inner.observations(given, values.tolist())

    return (lambda: f(*arguments)), output


def sigmoid(x):
    return 1 / (1 + ca.exp(-x))


def lstm(given):
    (rows, bits), steps = np.shape(given["state"]), len(given["sequence"]) - 1
    layers, size = rows // 2, 8 * (rows // 2) * bits
    z, state = ca.SX.sym("z", size + 3 * bits), ca.SX.sym("state", rows * bits)
    x, following = ca.SX.sym("x", bits), ca.SX.sym("next", bits)
    main, extra = ca.reshape(z[:size], 4 * bits, 2 * layers), ca.reshape(z[size:], bits, 3)
    at, after = x * extra[:, 0], []
    for i in range(layers):
        h, c = state[2 * i * bits : (2 * i + 1) * bits], state[(2 * i + 1) * bits : (2 * i + 2) * bits]
        w, b = (ca.reshape(main[:, 2 * i + j], bits, 4) for j in range(2))
        forget, out = sigmoid(at * w[:, 0] + b[:, 0]), sigmoid(at * w[:, 2] + b[:, 2])
        c = c * forget + sigmoid(h * w[:, 1] + b[:, 1]) * ca.tanh(h * w[:, 3] + b[:, 3])
        at = out * ca.tanh(c)
        after += [at, c]
    y = at * extra[:, 1] + extra[:, 2]
    likelihood = ca.dot(following, y - ca.log(ca.sum1(ca.exp(y)) + 2))
    step = ca.Function("step", [state, z, x, following], [ca.vertcat(*after), likelihood])
    sequence = np.array(given["sequence"]).T
    symbol = ca.MX.sym("z", size + 3 * bits)
    start = ca.DM(np.ravel(given["state"]))
    repeated = ca.repmat(symbol, 1, steps)
    _, likelihoods = step.mapaccum(steps)(start, repeated, ca.DM(sequence[:, :-1]), ca.DM(sequence[:, 1:]))
    value = -ca.sum2(likelihoods) / (steps * bits)
    return [symbol], value, [ca.DM(np.concatenate([np.ravel(given[n]) for n in ["main_params", "extra_params"]]))]


def kmeans(given):
    (n, d), k = np.shape(given["points"]), len(given["centroids"])
    c, p = ca.SX.sym("c", d * k), ca.SX.sym("p", d)
    nearest = ca.mmin(ca.vertcat(*[ca.sumsqr(p - c[i * d : (i + 1) * d]) for i in range(k)]))
    symbol = ca.MX.sym("c", d * k)
    each = ca.Function("nearest", [c, p], [nearest]).map(n)
    value = ca.sum2(each(ca.repmat(symbol, 1, n), ca.DM(np.array(given["points"]).T)))
    return [symbol], value, [ca.DM(np.ravel(given["centroids"]))]


def direction(given):
    symbols, value, arguments = kmeans(given)
    slope = ca.gradient(value, symbols[0])
    diagonal = ca.jtimes(slope, symbols[0], ca.DM.ones(symbols[0].shape))
    return ready(symbols, slope / diagonal, arguments, listed)


def lse(given):
    x = ca.MX.sym("x", len(given["x"]))
    most = ca.mmax(x)
    return [x], ca.log(ca.sum1(ca.exp(x - most))) + most, [ca.DM(given["x"])]


def llsq(given):
    x, n = ca.MX.sym("x", len(given["x"])), given["n"]
    t = ca.DM(np.arange(n) * (2 / (n - 1)) - 1)
    fitted = ca.MX.zeros(n)
    for j in reversed(range(x.shape[0])):
        fitted = fitted * t + x[j]
    return [x], 0.5 * ca.sumsqr(ca.sign(t) - fitted), [ca.DM(given["x"])]


def det(given):
    ell = given["ell"]
    a = ca.SX.sym("a", ell * ell)

    def minor(row, columns):
        if row == ell - 1:
            return a[row * ell + columns[0]]
        terms = (
            (-1) ** j * a[row * ell + column] * minor(row + 1, columns[:j] + columns[j + 1 :])
            for j, column in enumerate(columns)
        )
        return sum(terms)

    return [a], minor(0, list(range(ell))), [ca.DM(given["A"])]


def solution(given):
    n, s = len(given["x"]), given["s"]
    h, x, y = 2 / s, ca.MX.sym("x", n), ca.MX.sym("y", n)

    def slope(y):
        return x * ca.vertcat(1, y[:-1])

    k1 = slope(y)
    k2 = slope(y + h / 2 * k1)
    k3 = slope(y + h / 2 * k2)
    k4 = slope(y + h * k3)
    step = ca.Function("step", [y, x], [y + h / 6 * (k1 + 2 * k2 + 2 * k3 + k4)])
    return [x], step.fold(s)(ca.DM.zeros(n), ca.repmat(x, 1, s)), [ca.DM(given["x"])]


def ode_primal(given):
    symbols, y, arguments = solution(given)
    return ready(symbols, y, arguments, listed)


def ode_gradient(given):
    symbols, y, arguments = solution(given)
    return ready(symbols, ca.gradient(y[-1], symbols[0]), arguments, listed)


inner.main(
    {
        **pair("gmm", "objective", "jacobian", gmm, mixture),
        **pair("lstm", "objective", "jacobian", lstm),
        **pair("lse", "primal", "gradient", lse),
        **pair("llsq", "primal", "gradient", llsq),
        **pair("det", "primal", "gradient", det),
        ("ode", "primal"): ode_primal,
        ("ode", "gradient"): ode_gradient,
        ("kmeans", "cost"): pair("kmeans", "cost", "", kmeans)["kmeans", "cost"],
        ("kmeans", "dir"): direction,
        ("ba", "objective"): ba_objective,
        ("ba", "jacobian"): ba_jacobian,
    }
)
