"""Verbs that take directions: forward and reverse mode, Hessian products, and many arguments at once.

Law: forward and reverse mode are one linear map and its transpose, and a batch is a loop (tests/test_verbs.py).
"""

from . import _core
from ._array import Array, lift
from ._function import Function, _outlined, _plain, function
from ._gradients import _by, _key, _scalar
from ._tree import flatten, unflatten
from .errors import DerivativeError, ShapeError, TypeMismatchError


def _moving(f, args):
    """The function of those arguments that are not static, with these static ones, and the places of those."""
    names = list(f.signature.parameters) if f.static else []
    static = {k: args[k] for k in range(min(len(args), len(names))) if names[k] in f.static}
    moving = [k for k in range(len(args)) if k not in static]
    if not static:
        return f, moving

    def of_moving(*some):
        whole = {**static, **dict(zip(moving, some))}
        return f.f(*(whole[k] for k in sorted(whole)))

    return f._made(("moving", len(args), tuple(static.items())), lambda: Function(of_moving, (), f.executor)), moving


def _directions(places, directions, what):
    """The values of tangents or adjoints, which are of the dtypes and numbers of dimensions of what they belong to."""
    found = []
    for (name, (dtype, rank)), direction in zip(places, directions):
        value = lift(direction, dtype)
        if value.ndim != rank:
            raise TypeMismatchError(f"the {what} of `{name}` has {value.ndim} dimensions where {rank} are needed")
        found.append(value)
    return found


def jvp(f, primals, tangents):
    """The result of a function, and its derivative in a direction: a tangent for each argument.

    >>> import catadiff as cd
    >>> cd.jvp(lambda x, y: x * y, (2.0, 5.0), (1.0, 0.0))
    (np.float64(10.0), np.float64(5.0))
    """
    for given in (primals, tangents):
        if not isinstance(given, (tuple, list)):
            raise TypeMismatchError("jvp takes a tuple of arguments and a tuple of tangents")
    if len(primals) != len(tangents):
        raise TypeMismatchError(
            f"there are {len(primals)} arguments and {len(tangents)} tangents: one is needed for each"
        )
    f, moving = _moving(function(f), primals)
    primals, tangents = [primals[k] for k in moving], [tangents[k] for k in moving]
    count = len(primals)

    def pushed(*both):
        program, leaves = f._program(both[:count], {})
        real = program.real()
        given, tree = flatten(tuple(both[count:]))
        if tree != program.tree.children[0]:
            raise TypeMismatchError(
                f"the tangents have the structure {tree} where {program.tree.children[0]} is needed"
            )
        places = [(program.core.names[k], program.core.parameters[k]) for k in real]
        directions = _directions(places, [given[k] for k in real], "tangent")
        return program.derived_in_trace("jvp", real, leaves, directions)

    along = f._made(("jvp", count), lambda: Function(pushed, (), f.executor))
    return along(*primals, *tangents)


def vjp(f, *primals):
    """The result of a function, and the function from an adjoint of it to the adjoints of the arguments.

    >>> import catadiff as cd
    >>> y, back = cd.vjp(lambda x, y: x * y, 2.0, 5.0)
    >>> back(1.0)
    (np.float64(5.0), np.float64(2.0))
    """
    count = len(primals)
    f, moving = _moving(function(f), primals)
    primals = [primals[k] for k in moving]

    def pulled(adjoint, *primals):
        program, leaves = f._program(primals, {})
        adjoints, tree = flatten(adjoint)
        if tree != program.out:
            raise TypeMismatchError(f"the adjoint has the structure {tree} where {program.out} is needed")
        places = [(name or "the result", of) for name, of in zip(program.out.paths(), program.core.results)]
        return program.derived_in_trace("vjp", program.real(), leaves, _directions(places, adjoints, "adjoint"))[1]

    back = f._made("vjp", lambda: Function(pulled, (), f.executor))

    def of_adjoint(adjoint):
        found = dict(zip(moving, back(adjoint, *primals)))
        return tuple(found.get(k) for k in range(count))

    return f(*primals), of_adjoint


def linearize(f, *primals):
    """The result of a function, and its derivative as a function of tangents of the arguments.

    >>> import catadiff as cd
    >>> y, along = cd.linearize(lambda x: x * x * x, 2.0)
    >>> y, along(1.0)
    (np.float64(8.0), np.float64(12.0))
    """
    f = function(f)
    return f(*primals), lambda *tangents: jvp(f, primals, tangents)[1]


def hvp(f, argnums=0):
    """The function of the second derivative of a function with one number as its result, times a direction: it takes the arguments,
    and then a tangent of what it is by, which is as for :func:`grad`.

    >>> import numpy as np, catadiff as cd
    >>> cd.hvp(lambda x: x.prod())(np.array([2.0, 3.0, 5.0]), np.array([1.0, 0.0, 0.0]))
    array([0., 5., 3.])
    """
    f = function(f)
    by = _by(f, argnums)

    def along(*args, **kwargs):
        *args, tangent = args
        program, leaves = f._program(tuple(args), kwargs)
        _scalar(program)
        places, tree = by(program)
        given, found = flatten(tangent)
        if found != tree:
            raise TypeMismatchError(f"the tangent has the structure {found} where {tree} is needed")
        named = [(program.core.names[k], program.core.parameters[k]) for k in places]
        directions = _directions(named, given, "tangent")
        return unflatten(tree, program.along("hvp", places, leaves, directions))

    if not f.static:
        return f._made(("hvp", _key(argnums)), lambda: Function(along, (), f.executor))

    def with_static(*args):
        one, moving = _moving(f, args[:-1])
        if not isinstance(argnums, int):
            raise DerivativeError("hvp of a function with static arguments is by one position")
        at = moving.index(argnums % (len(args) - 1))
        return hvp(one, at)(*(args[k] for k in moving), args[-1])

    return with_static


def vmap(f, in_axes=0, out_axes=0):
    """The function on many values of its arguments at once: along the outermost dimension, or these. An argument whose axis is
    ``None`` is the same for all; one that is a tree may have a tree of axes. Named arguments are the same for all.

    >>> import numpy as np, catadiff as cd
    >>> cd.vmap(lambda x, y: x @ y, in_axes=(0, None))(np.array([[1.0, 2.0], [3.0, 4.0]]), np.array([1.0, 1.0]))
    array([3., 7.])
    """
    from .numpy import moveaxis

    f = function(f)

    def many(*args, **kwargs):
        axes = in_axes if isinstance(in_axes, (tuple, list)) else (in_axes,) * len(args)
        if len(axes) != len(args):
            raise TypeMismatchError(f"in_axes has {len(axes)} entries for {len(args)} arguments")
        flat, batched = [], []
        for arg, of_arg in zip(args, axes):
            leaves, tree = flatten(arg)
            for axis, leaf in zip(_axes_of(of_arg, tree), map(_plain, leaves)):
                if axis is not None and getattr(leaf, "ndim", 0) == 0:
                    raise ShapeError("a number has no axis to be mapped along: write None in in_axes")
                flat.append(leaf if axis is None else moveaxis(leaf, axis, 0))
                batched.append(axis is not None)
        if not any(batched):
            raise ShapeError("no argument is mapped along: one entry of in_axes is to be an axis")
        named, _ = flatten(kwargs)
        flat, batched = [*flat, *map(_plain, named)], batched + [False] * len(named)
        _, tree = flatten((args, kwargs))
        outlines = []
        for leaf, mapped in zip(flat, batched):
            of, known, weak = _outlined(leaf)
            outlines.append((of, known[1:] if mapped else known, weak))
        program = f._known((tree, tuple(outlines), ()))
        core = program.core.vmap(batched + [False] * len(program.captured))
        results = [Array(value) for value in _core.call(core, [lift(x) for x in [*flat, *program.captured]])]
        axes = _axes_of(out_axes, program.out)
        return unflatten(program.out, [moveaxis(x, 0, axis) if axis else x for x, axis in zip(results, axes)])

    if not f.static:
        return f._made(("vmap", repr(in_axes), repr(out_axes)), lambda: Function(many, (), f.executor))

    def with_static(*args, **kwargs):
        one, moving = _moving(f, args)
        axes = in_axes if isinstance(in_axes, (tuple, list)) else (in_axes,) * len(args)
        return vmap(one, tuple(axes[k] for k in moving), out_axes)(*(args[k] for k in moving), **kwargs)

    return with_static


def _axes_of(axes, tree):
    """An axis for each leaf of a tree: one for all of it, or a tree of them whose leaves stand for all below."""
    if tree.kind is None or axes is None or isinstance(axes, int):
        return [axes] * tree.count
    given = [axes[name] for name in tree.names] if isinstance(axes, dict) else list(axes)
    if len(given) != len(tree.children):
        raise TypeMismatchError(f"the axes {axes} are of another structure than {tree}")
    return [axis for part, child in zip(given, tree.children) for axis in _axes_of(part, child)]
