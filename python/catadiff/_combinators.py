"""Combinators and control: what is done for many elements at once, in a loop, or under a condition, as one operation of a program.

Their functions are called once, with traced arrays that stand for any. What they take and return are trees: arrays in tuples, lists,
dicts and dataclasses. All have the words and the order of arguments of JAX, where it has such a function.

Law: each is the combinator of array programs of the same name, of the leaves of the trees (tests/test_combinators.py).
"""

import numpy as np

from . import _core
from ._array import Array, common, dtype_of, is_scalar, lift
from ._tree import flatten, unflatten
from .errors import ShapeError, TypeMismatchError
from .numpy._elements import eager
from .numpy._making import full, zeros_like


def _lifted(tree):
    leaves, structure = flatten(tree)
    return [lift(leaf) for leaf in leaves], structure


def _values(results, structure, what, like=None, narrows=False):
    """The values of a function's results, which have the structure and the dtypes of what they go with. Only adjoints are made
    narrower: what else would lose digits is a mistake."""
    leaves, found = flatten(results)
    if found != structure:
        raise TypeMismatchError(f"{what} is {found} where {structure} is needed")
    for leaf, of in zip(leaves, like or []):
        if not narrows and not np.can_cast(np.result_type(of, dtype_of(leaf)), of, "safe"):
            raise TypeMismatchError(
                f"{what} is {common(leaf)} where {of} is needed: give the first value as {common(leaf)}"
            )
    return [lift(leaf, of) for leaf, of in zip(leaves, like or [None] * len(leaves))]


def _arrays(values, structure):
    return unflatten(structure, [Array(value) for value in values])


def _met(*trees):
    """The leaves of trees of one structure, in the dtypes in which those at the same places meet."""
    columns = [flatten(tree) for tree in trees]
    structure = columns[0][1]
    for _, other in columns[1:]:
        if other != structure:
            raise TypeMismatchError(f"the trees have different structures: {structure} and {other}")
    dtypes = [common(*row) for row in zip(*(leaves for leaves, _ in columns))]
    return dtypes, [[lift(leaf, of) for leaf, of in zip(leaves, dtypes)] for leaves, _ in columns], structure


@eager
def map(f, *xs):
    """The arrays of ``f`` of the elements of arrays of one length; the results may be trees.

    >>> import numpy as np, catadiff as cd
    >>> cd.map(lambda x, y: {"sum": x + y}, np.array([1.0, 2.0]), np.array([10.0, 20.0]))
    {'sum': array([11., 22.])}
    """
    values, structure = [], []
    for x in xs:
        found, of = _lifted(x)
        structure.append((of, len(found)))
        values.extend(found)
    result = None

    def inside(elements):
        nonlocal result
        arguments = []
        for of, count in structure:
            arguments.append(_arrays(elements[:count], of))
            elements = elements[count:]
        found, result = _lifted(f(*arguments))
        return found

    return _arrays(_core.map(inside, values), result)


def _operator(f, structure, dtypes):
    def inside(both):
        half = len(both) // 2
        found = f(_arrays(both[:half], structure), _arrays(both[half:], structure))
        return _values(found, structure, "the operator's result", dtypes)

    return inside


def _neutral_of(neutral, value):
    """The neutral element in the shape of the elements of an array."""
    if neutral.ndim < value.ndim - 1:
        return lift(full(Array(value).shape[1 : value.ndim - neutral.ndim], Array(neutral)))
    return neutral


@eager
def reduce(f, neutral, xs, commutative=False):
    """The elements of arrays combined by an associative operator, with its neutral element; of none, that.

    An operator that is said to be ``commutative`` may be applied in any order.

    >>> import numpy as np, catadiff as cd
    >>> cd.reduce(lambda x, y: x * y, 1.0, np.array([2.0, 3.0, 7.0]))
    np.float64(42.0)
    """
    dtypes, (neutral, values), structure = _met(neutral, xs)
    neutral = [_neutral_of(n, x) for n, x in zip(neutral, values)]
    found = _core.reduce(_operator(f, structure, dtypes), neutral, values, commutative)
    return _arrays(found, structure)


@eager
def associative_scan(f, neutral, xs):
    """All prefixes of arrays combined by an associative operator, with its neutral element, each with its last element.

    >>> import catadiff as cd
    >>> cd.associative_scan(lambda x, y: x * y, 1.0, np.array([2.0, 3.0, 7.0]))
    array([ 2.,  6., 42.])
    """
    dtypes, (neutral, values), structure = _met(neutral, xs)
    neutral = [_neutral_of(n, x) for n, x in zip(neutral, values)]
    return _arrays(_core.scan(_operator(f, structure, dtypes), neutral, values), structure)


@eager
def reduce_by_index(bins, indices, values, f=None, neutral=0):
    """Arrays of bins, with values combined into those at their indices by an associative and commutative operator, which is the sum
    if none is given. A value whose index is out of bounds is ignored.

    >>> import numpy as np, catadiff as cd
    >>> cd.reduce_by_index(np.zeros(3), [2, 0, 2, 9], np.array([1.0, 2.0, 3.0, 4.0]))
    array([2., 0., 4.])
    """
    dtypes, (bins, values), structure = _met(bins, values)
    f = f or (lambda x, y: x + y)
    leaves, of = flatten(neutral)
    leaves = leaves * len(bins) if len(leaves) == 1 else leaves
    neutral = [_neutral_of(lift(n, dtype), x) for n, dtype, x in zip(leaves, dtypes, bins)]
    found = _core.hist(_operator(f, structure, dtypes), neutral, bins, lift(indices, np.int64), values)
    return _arrays(found, structure)


@eager
def scatter(x, indices, values):
    """The array with values written at indices; one whose index is out of bounds is ignored. Equal indices come with equal values.

    >>> import catadiff as cd
    >>> cd.scatter([0.0, 1.0, 2.0], [2, 0], [7.0, 8.0])
    array([8., 1., 7.])
    """
    of = common(x, values)
    return Array(_core.scatter(lift(x, of), lift(indices, np.int64), lift(values, of)))


def cond(condition, yes, no, *operands):
    """``yes(*operands)`` if the condition holds, else ``no(*operands)``; only one of both is computed.

    >>> import catadiff as cd, catadiff.numpy as cnp
    >>> safe = cd.function(lambda x: cd.cond(x > 0.0, cnp.log, lambda x: 0.0 * x, x))
    >>> safe(1.0), safe(-1.0)
    (np.float64(0.0), np.float64(-0.0))
    """
    if not isinstance(condition, Array):
        return yes(*operands) if condition else no(*operands)
    (first, structure), (second, other) = (_outline(f, operands) for f in (yes, no))
    if structure != other:
        raise TypeMismatchError(f"the branches give {structure} and {other}")
    # A number of Python in one branch is of the dtype of the other.
    dtypes = [np.result_type(x, y) for x, y in zip(first, second)]
    branch = lambda f: lambda _: _values(f(*operands), structure, "the result of a branch", dtypes)
    return _arrays(_core.cond(lift(condition, np.bool_), branch(yes), branch(no)), structure)


def switch(index, branches, *operands):
    """``branches[index](*operands)``; an index before the first is the first, one beyond the last the last.

    >>> import catadiff as cd
    >>> cd.function(lambda k, x: cd.switch(k, [lambda x: x, lambda x: 2.0 * x, lambda x: x * x], x))(2, 5.0)
    np.float64(25.0)
    """
    *others, last = branches
    if not others:
        return last(*operands)
    half = len(branches) // 2
    rest = lambda some, first: lambda *xs: switch(index - first, some, *xs)
    return cond(index < half, rest(branches[:half], 0), rest(branches[half:], half), *operands)


def _outline(f, operands):
    """The dtypes of the results of a function, or numbers of Python, and their structure."""
    seen = []

    def inside(_):
        leaves, structure = flatten(f(*operands))
        seen.append(([dtype_of(leaf) for leaf in leaves], structure))
        return []

    _core.outline(inside)
    return seen[0]


@eager
def fori_loop(start, stop, f, init, checkpoints=None, keeps_shape=True):
    """The state after ``state = f(i, state)`` for ``i`` from ``start`` up to ``stop``.

    ``checkpoints`` says what reverse mode keeps of a loop: every state if nothing is said; ``("binomial", n)`` n states, from which
    it computes the others again; ``("stripmine", k)`` k levels of loops that each keep a root of them; ``("recompute", 0)`` none.
    The state has the same sizes after each iteration, or the run is an error; with ``keeps_shape=False`` they may change, which takes reverse
    mode the longer the more states there are.

    >>> import catadiff as cd
    >>> power = cd.function(lambda x, n: cd.fori_loop(0, n, lambda i, y: y * x, 1.0))
    >>> power(2.0, 10), cd.grad(power)(2.0, 10)
    (np.float64(1024.0), np.float64(5120.0))
    """
    n = lift(stop - start if not (isinstance(start, int) and start == 0) else stop, np.int64)
    init, structure, step = _state(init, lambda state, i: f(i, state), lambda i: i + start)
    return _arrays(_core.for_loop(n, init, step, checkpoints, keeps_shape), structure)


def _state(init, f, index):
    """A state in dtypes that an iteration keeps, and the function of it that an iteration is."""
    leaves, structure = flatten(init)

    def step_in(dtypes):
        def step(values):
            *state, i = values if index else (*values, None)
            arguments = (_arrays(state, structure), *([index(Array(i))] if index else []))
            return _values(f(*arguments), structure, "the state after an iteration", dtypes)

        return step

    dtypes = [common(leaf) for leaf in leaves]
    # A first value that is a number of Python is of the dtype of what an iteration makes of it.
    while True:
        values = [lift(leaf, of) for leaf, of in zip(leaves, dtypes)]
        seen, found = _outline(
            lambda: f(_arrays(values, structure), *([index(Array(_core.constant("int64", 0)))] if index else [])), ()
        )
        if found != structure:
            raise TypeMismatchError(f"the state after an iteration is {found} where {structure} is needed")
        wider = [np.result_type(of, after) for of, after in zip(dtypes, seen)]
        wider = [w if _is_number(leaf) else of for leaf, w, of in zip(leaves, wider, dtypes)]
        if wider == dtypes:
            return values, structure, step_in(dtypes)
        dtypes = wider


def _is_number(leaf):
    return is_scalar(leaf) or isinstance(leaf, Array) and leaf.value.weak


@eager
def while_loop(condition, f, init, bound=None, checkpoints=None, keeps_shape=True):
    """The first of ``init``, ``f(init)``, ``f(f(init))``, … for which the condition does not hold.

    ``bound`` is a number of iterations that is never passed: more of them are an error. ``checkpoints`` and ``keeps_shape`` are
    as for :func:`fori_loop`.

    >>> import catadiff as cd, catadiff.numpy as cnp
    >>> root = cd.function(lambda a: cd.while_loop(lambda x: cnp.abs(x * x - a) > 1e-9, lambda x: (x + a / x) / 2.0, a))
    >>> print(f"{root(2.0):.6f} {cd.grad(root)(2.0):.6f}")
    1.414214 0.353553
    """
    values, structure, step = _state(init, f, None)
    decide = lambda state: [lift(condition(_arrays(state, structure)), np.bool_)]
    bound = None if bound is None else lift(bound, np.int64)
    return _arrays(_core.while_loop(values, decide, step, bound, checkpoints, keeps_shape), structure)


@eager
def scan(f, init, xs=None, length=None, reverse=False, checkpoints=None):
    """The state after ``state, y = f(state, x)`` for each element of arrays in order, or with ``reverse`` from the last, and the arrays of
    all ``y``.

    >>> import numpy as np, catadiff as cd
    >>> cd.scan(lambda total, x: (total + x, total), 0.0, np.array([1.0, 2.0, 3.0]))
    (np.float64(6.0), array([0., 1., 3.]))
    """
    arrays, of_xs = _lifted(xs)
    if length is None:
        if not arrays:
            raise ShapeError("how many iterations? Give arrays, or a length")
        length = Array(arrays[0]).shape[0]
    for other in arrays[1:]:
        _core.same_length(arrays[0], other)
    place = (lambda i: length - 1 - i) if reverse else (lambda i: i)
    element = lambda i: unflatten(of_xs, [Array(x)[place(i)] for x in arrays])
    # What is made in an iteration is of sizes that the first one tells.
    values, structure, _ = _state(init, lambda state, i: f(state, element(i))[0], lambda i: i)
    first, of_ys = flatten(f(_arrays(values, structure), element(0) if arrays else None)[1])
    ys = [full(length, zeros_like(y)) for y in first]

    def step(i, state):
        carried, rows = state
        carried, made = f(carried, element(i))
        leaves, _ = flatten(made)
        return carried, [_put(row, place(i), leaf) for row, leaf in zip(rows, leaves)]

    final, ys = fori_loop(0, length, step, (_arrays(values, structure), ys), checkpoints)
    return final, unflatten(of_ys, ys)


def _put(array, i, value):
    return Array(_core.update(lift(array), [lift(i, np.int64)], lift(value, array.dtype)))


@eager
def update(x, index, value):
    """The array with the element or subarray at an index, or at a tuple of them, replaced.

    >>> import catadiff as cd
    >>> cd.update([1.0, 2.0, 3.0], 1, 7.0)
    array([1., 7., 3.])
    """
    x = Array(lift(x))
    at = [lift(i, np.int64) for i in (index if isinstance(index, tuple) else (index,))]
    return Array(_core.update(lift(x), at, lift(value, x.dtype)))


@eager
def stop_gradient(x):
    """The arrays themselves, taken as constants by every derivative."""
    values, structure = _lifted(x)
    stopped = [_core.elementwise("stop_gradient", [v]) if np.dtype(v.dtype).kind == "f" else v for v in values]
    return _arrays(stopped, structure)


def custom_vjp(f, backward):
    """The function, with a derivative of its own: ``backward(arguments, result, adjoint)`` gives the adjoints of the arguments.

    It is linear in the adjoint, since forward mode is its transpose; arrays that the functions mention without taking them as
    arguments are constants to this derivative.

    >>> import catadiff as cd, catadiff.numpy as cnp
    >>> spike = cd.custom_vjp(lambda x: 1.0 * (x > 0.0), lambda args, y, ybar: (ybar / (1.0 + args[0] ** 2),))
    >>> cd.grad(spike)(1.0)
    np.float64(0.5)
    """

    @eager
    def ruled(*arguments):
        values, structure = _lifted(arguments)
        result = None

        def inside(x):
            nonlocal result
            found, result = _lifted(f(*_arrays(x, structure)))
            return found

        def pullback(x):
            count = (len(x) - structure.count) // 2
            parts = x[: structure.count], x[structure.count : structure.count + count], x[structure.count + count :]
            arguments, results, adjoints = parts
            found = backward(_arrays(arguments, structure), _arrays(results, result), _arrays(adjoints, result))
            return _values(
                tuple(found), structure, "what `backward` gives", [np.dtype(v.dtype) for v in arguments], True
            )

        return _arrays(_core.custom(values, inside, pullback), result)

    return ruled
