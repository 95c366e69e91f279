"""Entry points of texts are functions like any other, and their messages those of the command line."""

import numpy as np
import pytest

import catadiff as cd
from catadiff.errors import CheckError, OutOfBoundsError, TextError, TypeMismatchError

TEXT = """
def sq (x: f64) = x * x

entry cost [n] [d] [k] (points: [n][d]f64) (centres: [k][d]f64): f64 =
  f64.sum (map (\\p -> f64.minimum (map (\\c -> f64.sum (map2 (\\a b -> sq (a - b)) p c)) centres)) points)

entry both (p: (f64, f64)) = (p.0 * p.1, p.0 + p.1)

entry root (x: f64) = assert (x >= 0) (f64.sqrt x)

entry pick (xs: []f32) (i: i64) = xs[i]
"""


@pytest.fixture
def f(tmp_path):
    (tmp_path / "f.fut").write_text(TEXT)
    return cd.load(tmp_path / "f.fut")


def test_entries_are_functions(f):
    points, centres = np.array([[0.0, 0.0], [5.0, 5.0]]), np.array([[0.0, 1.0], [4.0, 5.0]])
    assert f.cost(points, centres) == 2.0
    np.testing.assert_array_equal(cd.grad(f.cost, 1)(points, centres), [[0.0, 2.0], [-2.0, 0.0]])
    np.testing.assert_array_equal(cd.grad(f.cost, "centres")(points, centres), [[0.0, 2.0], [-2.0, 0.0]])
    assert cd.function(lambda c: f.cost(points, c) * 2.0)(centres) == 4.0
    assert f.both((2.0, 5.0)) == (10.0, 7.0)
    assert f.pick(np.ones(3, np.float32), 1).dtype == np.float32
    with pytest.raises(TypeMismatchError, match="takes 2 arguments"):
        f.cost(points)
    with pytest.raises(TypeMismatchError, match="2 arrays, in a tuple"):
        f.both(1.0)


def test_checks_hold_or_are_errors(f):
    assert f.root(4.0) == 2.0
    assert cd.grad(f.root)(4.0) == 0.25
    for verb in (f.root, cd.grad(f.root), cd.function(lambda x: f.root(x) * 2.0)):
        with pytest.raises(CheckError, match='assert.*\n.*f.fut", line 9'):
            verb(-1.0)


def test_errors_of_a_run_name_the_line_of_the_text(f):
    with pytest.raises(OutOfBoundsError, match='f.fut", line 11'):
        f.pick(np.ones(3, np.float32), 5)


def test_what_is_wrong_with_a_text(tmp_path):
    (tmp_path / "wrong.fut").write_text("entry wrong (x: i32): f64 = x")
    with pytest.raises(TextError, match="convert it: `f64.i32 x`"):
        cd.load(tmp_path / "wrong.fut")
    with pytest.raises(TextError, match="there is no file"):
        cd.load(tmp_path / "nowhere.fut")
