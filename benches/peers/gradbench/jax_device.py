"""The functions of `jax_peer` on the device that JAX picks, from arrays that are there to arrays that are there.

    jax_device.py single|double MODULE FUNCTION INPUT.json [MODULE FUNCTION INPUT.json ...]

For each a line: module, function, and the least seconds of a run, of as many as take a tenth of a second, after which the
device is waited for. The module `plain` has a sum, a scan and a product of matrices.
"""

import json
import sys
import time
import traceback

import jax
import jax.numpy as jnp

import jax_peer


def numbers(*sizes):
    count = 1
    for size in sizes:
        count *= size
    return (jnp.arange(count) % 1009 / 1009.0).reshape(sizes)


PLAIN = {
    "sum": lambda given: (jnp.sum, (numbers(given["n"]),), None),
    "scan": lambda given: (jnp.cumsum, (numbers(given["n"]),), None),
    # Not in the shorter kind that tensor cores have.
    "product": lambda given: (
        lambda a, b: jnp.matmul(a, b, precision=jax.lax.Precision.HIGHEST),
        (numbers(given["n"], given["n"]), numbers(given["n"], given["n"])),
        None,
    ),
}


def least(run):
    def done(runs):
        start = time.perf_counter()
        for _ in range(runs):
            result = run()
        jax.block_until_ready(result)
        return (time.perf_counter() - start) / runs

    done(1)
    runs = max(1, min(1000, int(0.1 / max(done(1), 1e-9))))
    start, best = time.perf_counter(), float("inf")
    while time.perf_counter() - start < 1:
        best = min(best, done(runs))
    return best


def main():
    precision, words = sys.argv[1], sys.argv[2:]
    jax.config.update("jax_enable_x64", precision == "double")
    print(f"JAX {jax.__version__} on {jax.devices()[0].device_kind}, in {precision} precision", file=sys.stderr)
    for module, name, path in zip(words[::3], words[1::3], words[2::3]):
        with open(path) as file:
            given = json.load(file)
        try:
            of = PLAIN[name] if module == "plain" else jax_peer.FUNCTIONS[module, name]
            function, arguments, _ = of(given)
            arguments = jax.tree.map(jnp.asarray, arguments)
            compiled = jax.jit(function)
            print(module, name, least(lambda: compiled(*arguments)), flush=True)
        except Exception:
            # A function that fails, for want of memory or so, leaves the others.
            traceback.print_exc()


if __name__ == "__main__":
    main()
