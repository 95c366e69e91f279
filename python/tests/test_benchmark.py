"""The functions of GradBench, written as a user writes them, agree with the benchmark's own outputs."""

import gzip
import importlib
import json
from pathlib import Path

import numpy as np
import pytest

DATA = Path(__file__).parents[2] / "benches" / "gradbench" / "tests" / "data"

#: How far numbers may be from the benchmark's own, of which it allows 1e-4.
TOLERANCE = 1e-9

#: Where a difference is not relative any more: the smallest numbers do not have all digits.
SMALLEST = 1e-300

GOLDEN = [path.relative_to(DATA).as_posix() for path in sorted(DATA.glob("*/*.golden.json.gz"))]


def data(name):
    with gzip.open(DATA / name) as file:
        return json.load(file)


def numbers(output):
    """The numbers of an output in one row, what is in dicts in the order of the names."""
    if isinstance(output, dict):
        output = [output[name] for name in sorted(output)]
    if isinstance(output, (list, tuple)):
        return np.concatenate([numbers(part) for part in output])
    return np.ravel(output)


def output(module, name, given):
    return getattr(importlib.import_module(f"benchmark.{module}"), name)(given)


def same(found, expected):
    np.testing.assert_allclose(numbers(found), numbers(expected), rtol=TOLERANCE, atol=TOLERANCE * SMALLEST)


@pytest.mark.parametrize("golden", GOLDEN)
def test_golden_outputs(golden):
    module, file = golden.split("/")
    given, name, *_ = file.split(".")
    same(output(module, name, data(f"{module}/{given}.json.gz")), data(golden))


def test_hello():
    given = data("hello/x.json.gz")
    assert output("hello", "square", given) == 9.0
    assert output("hello", "double", given) == 6.0


# A descent that is one digit off takes other steps, so that these are tests of every iteration.
@pytest.mark.parametrize("modes", ["ff", "fr", "rf", "rr"])
@pytest.mark.parametrize(
    "module, given, expected",
    [("particle", "w0", 0.2071918746486116), ("saddle", "s11", [8.246324826140356e-06] * 4)],
)
def test_descents(module, given, modes, expected):
    same(output(module, modes, data(f"{module}/{given}.json.gz")), expected)
