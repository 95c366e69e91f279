"""The functions of the benchmark in C++, `functions.hpp`, differentiated by Enzyme, which compiles them for JAX."""

import ctypes
import subprocess
from pathlib import Path

import jax
import jax.numpy as jnp
import numpy as np
from enzyme_ad.jax import cpp_call

import inner

jax.config.update("jax_enable_x64", True)

HERE = Path(__file__).resolve().parent

# What is compiled finds memory allocation among the symbols of the process.
ctypes.CDLL("libstdc++.so.6", ctypes.RTLD_GLOBAL)


def flags():
    """Where the headers of C++ are, which Enzyme's own compiler does not know, and for which processor it compiles."""
    told = subprocess.run(["g++", "-E", "-v", "-x", "c++", "/dev/null"], capture_output=True, text=True, check=True).stderr
    folders = told.split("search starts here:\n")[-1].split("End of search list")[0].split()
    known = Path("/proc/cpuinfo").read_text().split()
    wide = all(f"avx512{part}" in known for part in ("f", "bw", "cd", "dq", "vl"))
    level = "x86-64-v4" if wide else "x86-64-v3" if "avx2" in known else "x86-64"
    found = ["-O3", "-target-cpu", level]
    for folder in folders:
        found += ["-internal-isystem", folder]
    return tuple(found)


FLAGS = flags()


def cpp(body, results, *arguments):
    """A function of flat arrays `in0`, `in1`, … whose results go to `out`."""
    shapes = [np.shape(argument) for argument in arguments]
    names = [f"const enzyme::tensor<double, {shape[0]}> &t{i}" for i, shape in enumerate(shapes)]
    pointers = "".join(f"const double *in{i} = &t{i}[0]; " for i in range(len(shapes)))
    source = (HERE / "functions.hpp").read_text().replace("#pragma once", "")
    source += f"\nvoid entry_of({', '.join([f'enzyme::tensor<double, {results}> &t', *names])}) {{\n"
    source += f"double *out = &t[0]; {pointers}\n{body}\n}}\n"
    shape = jax.core.ShapedArray([results], jnp.float64)
    return lambda *given: cpp_call(*given, out_shapes=[shape], source=source, fn="entry_of", argv=FLAGS)[0]


def flat(*lists):
    return np.concatenate([np.ravel(np.array(part, dtype=float)) for part in lists])


def plain(result):
    return np.asarray(result).tolist()


def prepared(f, arguments, output):
    ready, arguments = jax.jit(f), tuple(map(jnp.array, arguments))
    return (lambda: ready(*arguments)), output


def pair(module, primal, gradient, function, output=lambda given: plain):
    """A function of one result, and its gradient by the first argument."""

    def value(given):
        body, arguments = function(given)
        f = cpp(body, 1, *arguments)
        return prepared(lambda *arguments: f(*arguments)[0], arguments, plain)

    def slope(given):
        body, arguments = function(given)
        f = cpp(body, 1, *arguments)
        return prepared(jax.grad(lambda *arguments: f(*arguments)[0]), arguments, output(given))

    return {(module, primal): value, (module, gradient): slope}


def gmm(given):
    d, k, n = given["d"], given["k"], given["n"]
    at = [0, k, k + k * d, k + 2 * k * d]
    parts = ", ".join(f"in0 + {start}" for start in at)
    body = f"out[0] = functions::gmm<double>({d}, {k}, {n}, {parts}, in1, {given['m']}, {given['gamma']});"
    return body, (flat(*(given[name] for name in ["alpha", "mu", "q", "l"])), flat(given["x"]))


def mixture(given):
    def output(gradient):
        found, start = {}, 0
        for name in ["alpha", "mu", "q", "l"]:
            shape = np.shape(given[name])
            size = int(np.prod(shape))
            found[name] = np.asarray(gradient[start : start + size]).reshape(shape).tolist()
            start += size
        return found

    return output


def lstm(given):
    (layers, bits), steps = np.shape(given["state"]), len(given["sequence"])
    size = flat(given["main_params"]).size
    body = f"out[0] = functions::lstm<double>({layers // 2}, {steps}, {bits}, in0, in0 + {size}, in1, in2);"
    return body, (flat(given["main_params"], given["extra_params"]), flat(given["state"]), flat(given["sequence"]))


def lse(given):
    return f"out[0] = functions::log_sum_exp<double>({len(given['x'])}, in0);", (flat(given["x"]),)


def llsq(given):
    return f"out[0] = functions::least_squares<double>({len(given['x'])}, {given['n']}, in0);", (flat(given["x"]),)


def det(given):
    return f"out[0] = functions::determinant<double>({given['ell']}, in0);", (flat(given["A"]),)


def ode(given, result):
    n = len(given["x"])
    body = f"std::vector<double> y({n}, 0.0); functions::ode<double>({n}, {given['s']}, in0, y.data()); {result}"
    return body, (flat(given["x"]),)


def ode_primal(given):
    n = len(given["x"])
    body, arguments = ode(given, f"for (int i = 0; i < {n}; i++) out[i] = y[i];")
    return prepared(cpp(body, n, *arguments), arguments, plain)


def kmeans(given):
    (n, d), k = np.shape(given["points"]), len(given["centroids"])
    body = f"out[0] = functions::kmeans<double>({n}, {k}, {d}, in1, in0);"
    return body, (flat(given["centroids"]), flat(given["points"]))


def observations(given, name):
    """A function of all observations; what it is called tells two of the same from each other."""
    n, m, p = given["n"], given["m"], given["p"]
    index = np.arange(p)
    parts = [np.tile(given["cam"], (n, 1))[index % n], np.tile(given["x"], (m, 1))[index % m], np.full((p, 1), given["w"])]
    arguments = flat(np.concatenate(parts, axis=1)), flat([given["feat"]] * p)
    body = f"""// {name}
    for (int i = 0; i < {p}; i++) {{
        const double *z = in0 + 15 * i;
        functions::reprojection<double>(z, z + 11, z[14], in1 + 2 * i, out + 2 * i);
    }}"""
    return cpp(body, 2 * p, *arguments), arguments


def ba_objective(given):
    f, arguments = observations(given, "errors")
    p = given["p"]

    def output(result):
        errors, weights = np.asarray(result[0])[:2].tolist(), float(result[1][0])
        return {"reproj_error": {"elements": errors, "repeated": p}, "w_err": {"element": weights, "repeated": p}}

    return prepared(lambda z, features: (f(z, features), 1 - z[14::15] ** 2), arguments, output)


def ba_jacobian(given):
    (first, arguments), (second, _) = (observations(given, name) for name in ("first", "second"))
    p = given["p"]

    def run(z, features):
        # Observations share nothing, so that one reverse pass gives a row of each.
        def rows(f, k):
            return jax.grad(lambda z: f(z, features)[k::2].sum())(z).reshape(p, 15)

        both = jnp.stack([rows(first, 0), rows(second, 1)], axis=1)
        return jnp.concatenate([both.ravel(), -2 * z[14::15]])

    return prepared(run, arguments, lambda values: inner.observations(given, np.asarray(values).tolist()))


inner.main(
    {
        **pair("gmm", "objective", "jacobian", gmm, mixture),
        **pair("lstm", "objective", "jacobian", lstm),
        **pair("lse", "primal", "gradient", lse),
        **pair("llsq", "primal", "gradient", llsq),
        **pair("det", "primal", "gradient", det),
        ("ode", "primal"): ode_primal,
        ("ode", "gradient"): pair("ode", "", "gradient", lambda given: ode(given, "out[0] = y.back();"))["ode", "gradient"],
        # Newton's direction would be forward over reverse, which this interface to Enzyme does not have.
        ("kmeans", "cost"): pair("kmeans", "cost", "", kmeans)["kmeans", "cost"],
        ("ba", "objective"): ba_objective,
        ("ba", "jacobian"): ba_jacobian,
    },
    jax.block_until_ready,
)
