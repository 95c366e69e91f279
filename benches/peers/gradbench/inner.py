"""The inner form of the benchmark for tools in Python: PEER MODULE INPUT.json FUNCTION.

The output is on the first line, then a line for the time of each run. A peer that has no such function says so and exits
with status 3.
"""

import json
import sys
import time

ABSENT = 3


def main(functions, finished=lambda value: value):
    """`functions` has for MODULE and FUNCTION what prepares an input: it returns the run, and what makes its output of the
    result. `finished` waits for a result."""
    module, path, name = sys.argv[1:]
    if (module, name) not in functions:
        print(f"no {module} {name}", file=sys.stderr)
        sys.exit(ABSENT)
    with open(path) as file:
        given = json.load(file)
    start = time.perf_counter_ns()
    run, output = functions[module, name](given)
    finished(run())
    timings = [("prepare", time.perf_counter_ns() - start)]
    spent = runs = 0
    while runs < given["min_runs"] or spent < given["min_seconds"] * 1e9:
        start = time.perf_counter_ns()
        result = finished(run())
        took = time.perf_counter_ns() - start
        timings.append(("evaluate", took))
        spent, runs = spent + took, runs + 1
    print(json.dumps(output(result)))
    for name, nanoseconds in timings:
        print(json.dumps({"name": name, "nanoseconds": nanoseconds}))


def observations(given, values):
    """The sparse Jacobian of `ba` as the benchmark shows it: each list's first thirty entries, and the last."""
    n, m, p = given["n"], given["m"], given["p"]

    def columns(i):
        camera, point = 11 * (i % n), 11 * n + 3 * (i % m)
        return [*range(camera, camera + 11), *range(point, point + 3), 11 * n + 3 * m + i]

    rows = [15 * row for row in range(30)] + [30 * p + p]
    first = [column for i in range(2) for column in columns(i)][:15] * 2
    assert p > 15, "the first thirty rows are of observations"
    shown = [*values[:30], values[-1]]
    return {"rows": rows, "cols": [*first, 11 * n + 3 * m + p - 1], "vals": shown}
