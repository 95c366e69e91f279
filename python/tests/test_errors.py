"""Mistakes are exceptions that say what was wrong, where, and what would be right; none of them is a panic."""

import re
import sys

import numpy as np
import pytest

import catadiff as cd
import catadiff.numpy as cnp
from catadiff.errors import (
    CatadiffError,
    OutOfBoundsError,
    ShapeError,
    TraceError,
    TypeMismatchError,
)


def line_of(text):
    """The number of the one line of this file that ends with a comment of this text."""
    with open(__file__) as file:
        (number,) = [k for k, line in enumerate(file, 1) if line.rstrip().endswith("# " + text)]
    return number


@pytest.mark.parametrize(
    "f, instead",
    [
        (lambda x: 1.0 if x[0] > 0.0 else 2.0, "catadiff.cond"),
        (lambda x: [x[k] for k in range(x.shape[0])], "fori_loop"),
        (lambda x: float(x[0]), "float"),
        (lambda x: np.asarray(x), "catadiff.numpy"),
        (lambda x: [y for y in x], "catadiff.map"),
        (lambda x: len(x), "x.shape"),
        (lambda x: x[x > 0.0], "where"),
        (lambda x: int(x[0]), "astype"),
        (lambda x: x.__setitem__(0, 1.0), "x.at[key].set"),
    ],
)
def test_what_would_have_to_know_the_numbers(f, instead):
    with pytest.raises((TraceError, TypeError), match=re.escape(instead) if f is None else ".*") as raised:
        cd.function(f)(np.ones(3))
    if isinstance(raised.value, TraceError):
        assert instead in str(raised.value)


@pytest.mark.skipif(sys.version_info < (3, 11), reason="Python 3.10 has no notes")
def test_lists_that_were_meant_to_be_arrays():
    for ragged in ([1.0, 2.0], [[1.0], [1.0, 2.0]]):
        with pytest.raises(TypeError) as raised:
            cd.grad(lambda x: (x**2).sum())(ragged)
        assert "`numpy.array(…)`" in "".join(raised.value.__notes__)
    # An error that says what to write has nothing to add.
    with pytest.raises(TraceError) as raised:
        cd.grad(lambda p: p[0] if p[0] > 0.0 else p[1])([1.0, 2.0])
    assert not hasattr(raised.value, "__notes__")
    # What is in the lists of an array is one, or is none.
    with pytest.raises(cd.errors.TypeMismatchError, match="rows of different lengths"):
        cd.grad(lambda x: (x * cd.numpy.array([[1.0], [1.0, 2.0]])).sum())(1.0)


def test_traced_arrays_that_leave_their_function():
    kept = []
    cd.function(lambda x: kept.append(x) or x)(1.0)
    with pytest.raises(TraceError, match="after its function has ended"):
        cd.function(lambda y: y + kept[0])(1.0)
    with pytest.raises(TraceError):
        kept[0] + 1.0


def element(x, i):
    y = cnp.sin(x)
    return y[i]  # out of bounds here


def test_errors_of_a_run_name_the_line_of_python():
    f = cd.function(element)
    with pytest.raises(OutOfBoundsError, match="the index 7 is out of bounds") as raised:
        f(np.ones(3), 7)
    assert isinstance(raised.value, IndexError)
    where = f'File "{__file__}", line {line_of("out of bounds here")}'
    assert where in str(raised.value)
    with pytest.raises(IndexError) as raised:
        cd.grad(f)(np.ones(3), 7)
    assert f'in the derivative of what is in File "{__file__}"' in str(raised.value)


def test_sizes_that_do_not_meet():
    f = cd.function(lambda x, y: x + y)
    with pytest.raises(ShapeError, match="2 and 3"):
        f(np.ones(2), np.ones(3))
    # Where both are known, as they are of what is made here, it is seen before anything runs.
    with pytest.raises(ShapeError, match="2 and 3"):
        cd.function(lambda: cnp.ones(2) + cnp.ones(3))()
    with pytest.raises(ShapeError, match="12 elements has no shape of 10"):
        cd.function(lambda: cnp.ones((3, 4)).reshape(2, 5))()
    with pytest.raises(ShapeError, match="no axis 2"):
        cnp.sum(np.ones((2, 2)), axis=2)
    with pytest.raises(IndexError, match="too many"):
        cd.function(lambda x: x[0, 0, 0])(np.ones((2, 2)))


def test_arguments_of_other_kinds():
    f = cd.function(lambda x: x * 2.0)
    assert f(np.ones(2, np.float32)).dtype == np.float32  # a program for each dtype
    program = f.lower(np.ones(2))
    with pytest.raises(
        TypeMismatchError, match="the argument `x` is a float32 array of 1 dimension where a float64 array"
    ):
        program(np.ones(2, np.float32))
    with pytest.raises(TypeMismatchError, match="1 dimension where|2 dimensions where|of 2 dimensions"):
        program(np.ones((2, 2)))
    with pytest.raises(TypeMismatchError, match="complex128"):
        f(np.ones(2, complex))
    with pytest.raises(ShapeError, match="the sizes 1 and 2 do not meet"):
        cnp.sin([[1.0], [1.0, 2.0]])
    with pytest.raises(TypeMismatchError, match="neither an array nor a number"):
        f(object())
    with pytest.raises(TypeMismatchError, match="static_argnames"):
        f("text")
    with pytest.raises(TypeMismatchError, match="traced for"):
        program((1.0, 2.0))


def test_a_size_of_one_is_part_of_a_program():
    f = cd.function(lambda x, y: x + y)
    program = f.lower(np.ones((3, 1)), np.ones((3, 4)))
    np.testing.assert_array_equal(program(np.ones((2, 1)), np.ones((2, 5))), np.full((2, 5), 2.0))
    with pytest.raises(ShapeError, match="axis 1 of `x` had size 1"):
        program(np.ones((2, 5)), np.ones((2, 5)))
    assert f(np.ones((2, 5)), np.ones((2, 5))).shape == (2, 5)


def test_an_exception_in_a_traced_function_is_itself():
    class Own(Exception):
        pass

    def f(x):
        def inner(y):
            raise Own("as it is")

        return cd.map(inner, x)

    with pytest.raises(Own, match="as it is"):
        cd.function(f)(np.ones(2))
    assert cd.function(lambda x: x + 1.0)(1.0) == 2.0


def test_integers_that_do_not_fit():
    with pytest.raises(ValueError, match="0.5 is no int64"):
        cd.update(np.array([1, 2]), 0, 0.5)
    with pytest.raises(ValueError, match="300 does not fit into uint8"):
        cd.function(lambda x: x + 300)(np.ones(2, np.uint8))
    with pytest.raises(ZeroDivisionError if False else CatadiffError, match="quotient by 0"):
        cd.function(lambda x: x // 0)(np.array([1, 2]))


def test_words_of_other_kinds():
    with pytest.raises(TypeMismatchError, match="bitwise_and"):
        cd.function(lambda x: x & x)(np.ones(2))
    with pytest.raises(TypeMismatchError, match="an index is an integer"):
        cd.function(lambda x: x[0.5])(np.ones(2))
    with pytest.raises(ValueError, match="no executor `abacus` here: there are lanes"):
        cd.function(lambda x: x, executor="abacus")(1.0)
    with pytest.raises(ShapeError, match="no norm of order"):
        cd.linalg.norm(np.ones(2), 3)
    with pytest.raises(ShapeError, match="linalg|matrices"):
        cd.linalg.inv(np.ones(2))


def test_every_class_is_one_of_catadiff():
    for name in cd.errors.__all__:
        assert issubclass(getattr(cd.errors, name), CatadiffError)
        assert getattr(cd.errors, name).__doc__
