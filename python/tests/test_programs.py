"""Programs are data: as text, pickled, in other processes, and as C."""

import concurrent.futures
import ctypes
import multiprocessing
import pickle
import shutil
import subprocess

import numpy as np
import pytest

import catadiff as cd
import catadiff.numpy as cnp
from catadiff._core import Program as Core

TABLE = np.arange(200.0)


def loss(weights, x):
    return (cnp.tanh(x @ weights["w"] + weights["b"]) ** 2).sum() + cnp.sum(TABLE)


WEIGHTS, X = {"w": np.ones((2, 2)), "b": np.zeros(2)}, np.ones((3, 2))


def test_pickled_programs_are_the_same():
    program = cd.value_and_grad(loss).lower(WEIGHTS, X)
    again = pickle.loads(pickle.dumps(program))
    assert again == program and again.text == program.text
    (a, ga), (b, gb) = program(WEIGHTS, X), again(WEIGHTS, X)
    assert a == b
    np.testing.assert_array_equal(ga["w"], gb["w"])


def test_programs_read_what_they_print():
    program = cd.grad(loss).lower(WEIGHTS, X)
    assert Core.parse(program.text) == program.core
    with pytest.raises(cd.errors.TextError):
        Core.parse("program (x: f64) { return y }")


def test_programs_go_to_other_processes():
    program = cd.value_and_grad(loss).lower(WEIGHTS, X)
    context = multiprocessing.get_context("spawn")
    with concurrent.futures.ProcessPoolExecutor(2, mp_context=context) as pool:
        found = list(pool.map(program, [WEIGHTS] * 3, [X, 2 * X, 3 * X]))
    for (value, _), k in zip(found, (1, 2, 3)):
        assert value == program(WEIGHTS, k * X)[0]


def test_pictures_and_explanations():
    program = cd.function(loss).lower(WEIGHTS, X)
    assert program.to_svg().startswith("<svg") and program._repr_svg_() == program.to_svg()
    assert "lanes" in program.explain() or "product" in program.explain()
    assert repr(program) == "<program loss(weights.b, weights.w, x, captured_0)>"


@pytest.mark.skipif(shutil.which("cc") is None, reason="no C compiler")
def test_programs_become_c(tmp_path):
    program = cd.grad(lambda x: (x * x * x).sum()).lower(np.ones(3))
    source, header = program.to_c("slope")
    (tmp_path / "slope.c").write_text(source)
    (tmp_path / "slope.h").write_text(header)
    subprocess.run(
        ["cc", "-O2", "-shared", "-fPIC", "-o", tmp_path / "slope.so", tmp_path / "slope.c", "-lm"], check=True
    )
    assert hasattr(ctypes.CDLL(tmp_path / "slope.so"), "slope")
    with pytest.raises(ValueError, match="C"):
        program.to_c("not a name")
