"""Verbs that make a function of a function: gradients, Jacobians and Hessians.

Law: a derivative is that of the program, by transformation: it has the result's structure, and each derivative that of the argument that it
is by (tests/test_verbs.py).
"""

from ._function import Function, function
from ._tree import Tree
from .errors import DerivativeError


class Derived(Function):
    """A function whose programs are made of those of another."""

    def __init__(self, of, derive, name):
        self.of = function(of)
        super().__init__(self.of.f, executor=self.of.executor)
        self.static = self.of.static
        self.derive = derive
        self.__name__ = f"{name}({self.of.__name__})"

    @property
    def signature(self):
        return self.of.signature

    def _names(self, tree):
        return self.of._names(tree)

    def _lowered(self, tree, outlines, static):
        return self.derive(self.of._known((tree, outlines, static)))


def _by(f, argnums):
    """For a program of a function, which leaves a derivative is by, and the structure that it has for each."""
    several = isinstance(argnums, (tuple, list))
    wanted = tuple(argnums) if several else (argnums,)

    def by(program):
        args, kwargs = program.tree.children
        spans, names = list(args.spans()), {}
        for name, child, span in zip(kwargs.names, kwargs.children, kwargs.spans()):
            names[name] = (child, range(span.start + args.count, span.stop + args.count))
        found = []
        parameters = list(f.signature.parameters)
        for which in wanted:
            # Behind a static argument, which is no argument of the program, others are named.
            if f.static and isinstance(which, int) and -len(parameters) <= which < len(parameters):
                which = parameters[which]
            if isinstance(which, str) and which not in names:
                position = parameters.index(which) if which in parameters else None
                if position is None or position >= len(spans):
                    raise DerivativeError(f"there is no argument `{which}` to differentiate by")
                which = position
            if isinstance(which, str):
                found.append(names[which])
            elif -len(spans) <= which < len(spans):
                found.append((args.children[which], spans[which]))
            else:
                raise DerivativeError(f"there is no argument {which} to differentiate by: there are {len(spans)}")
        trees = [child for child, _ in found]
        leaves = [k for _, span in found for k in span]
        return leaves, Tree(tuple, (), tuple(trees)) if several else trees[0]

    return by


def _key(argnums):
    return tuple(argnums) if isinstance(argnums, list) else argnums


def _scalar(program):
    if program.out.count != 1 or program.core.results[0][1] != 0:
        raise DerivativeError(
            f"grad is of functions with one number as their result, and {program.name} gives {program.shown_results()}: "
            "write jacrev, jacfwd or vjp, or has_aux=True"
        )


def value_and_grad(f, argnums=0, has_aux=False):
    """The function of the value of a function with one number as its result, and the gradient by the arguments at these positions,
    or of these names. With ``has_aux`` the function gives a pair, and only the first of both is differentiated.

    >>> import numpy as np, catadiff as cd
    >>> cd.value_and_grad(lambda w, x: ((w * x) ** 2).sum())(np.array([1.0, 2.0]), np.array([3.0, 1.0]))
    (np.float64(13.0), array([18.,  4.]))
    """
    f = function(f)
    by = _by(f, argnums)

    def derive(program):
        leaves, tree = by(program)
        if not has_aux:
            _scalar(program)
            core = program.core.derivative("value_and_grad", leaves)
            return program.with_core(core, Tree(tuple, (), (program.out, tree)))
        if program.out.kind is not tuple or len(program.out.children) != 2:
            raise DerivativeError(f"with has_aux=True {program.name} is to give a pair, and gives {program.out}")
        value, aux = program.out.children
        first = program.only(range(value.count), value)
        _scalar(first)
        core = first.core.derivative("value_and_grad", leaves)
        rest = program.core.only(list(range(value.count, program.out.count)))
        count = len(leaves)
        core = core.beside(rest)
        order = [0, *range(1 + count, 1 + count + aux.count), *range(1, 1 + count)]
        return program.with_core(core.only(order), Tree(tuple, (), (program.out, tree)))

    return f._made(("value_and_grad", _key(argnums), has_aux), lambda: Derived(f, derive, "value_and_grad"))


def grad(f, argnums=0, has_aux=False):
    """The function of the gradient of a function with one number as its result, by the arguments at these positions, or of these
    names; a tuple of them gives a tuple. With ``has_aux`` the function gives a pair, whose second is given beside the gradient.

    >>> import numpy as np, catadiff as cd, catadiff.numpy as cnp
    >>> cd.grad(lambda net, x: cnp.tanh(net["w"] @ x + net["b"]).sum())(
    ...     {"w": np.zeros((2, 2)), "b": np.zeros(2)}, np.array([1.0, 2.0]))
    {'b': array([1., 1.]), 'w': array([[1., 2.],
           [1., 2.]])}
    """
    f = function(f)
    both = value_and_grad(f, argnums, has_aux)

    def derive(program):
        found = both.derive(program)
        values, tree = found.out.children
        gradient = range(values.count, found.out.count)
        if has_aux:
            aux = values.children[1]
            return found.only([*gradient, *range(1, values.count)], Tree(tuple, (), (tree, aux)))
        return found.only(gradient, tree)

    return f._made(("grad", _key(argnums), has_aux), lambda: Derived(f, derive, "grad"))


def _jacobian(verb, f, argnums):
    f = function(f)
    by = _by(f, argnums)

    def derive(program):
        leaves, tree = by(program)
        core = program.core.derivative(verb, leaves)
        return program.with_core(core, _in_each(program.out, tree))

    return f._made((verb, _key(argnums)), lambda: Derived(f, derive, verb))


def _in_each(outer, inner):
    """The structure of the one with the other in the place of each leaf."""
    if outer.kind is None:
        return inner
    return Tree(outer.kind, outer.names, tuple(_in_each(child, inner) for child in outer.children))


def jacfwd(f, argnums=0):
    """The function of the Jacobian by forward mode: for each result the derivative by each argument, in the shape of the result and
    then of the argument. It takes a run for each element of the arguments.

    >>> import numpy as np, catadiff as cd
    >>> cd.jacfwd(lambda x: x[1:] * x[:-1])(np.array([2.0, 3.0, 5.0]))
    array([[3., 2., 0.],
           [0., 5., 3.]])
    """
    return _jacobian("jacfwd", f, argnums)


def jacrev(f, argnums=0):
    """The function of the Jacobian by reverse mode, as :func:`jacfwd` has it. It takes a run back for each element of the results."""
    return _jacobian("jacrev", f, argnums)


def hessian(f, argnums=0):
    """The function of the second derivatives of a function with one number as its result: for each two arguments, in the shape of
    the one and then of the other.

    >>> import numpy as np, catadiff as cd
    >>> cd.hessian(lambda x: x.prod())(np.array([2.0, 3.0, 5.0]))
    array([[0., 5., 3.],
           [5., 0., 2.],
           [3., 2., 0.]])
    """
    f = function(f)
    by = _by(f, argnums)

    def derive(program):
        leaves, tree = by(program)
        _scalar(program)
        core = program.core.derivative("hessian", leaves)
        return program.with_core(core, _in_each(program.out, _in_each(tree, tree)))

    return f._made(("hessian", _key(argnums)), lambda: Derived(f, derive, "hessian"))
