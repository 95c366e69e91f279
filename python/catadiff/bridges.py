"""Functions of catadiff in other packages: scipy's optimisers, torch, and JAX.

None of these packages is needed but where it is used.

Law: a derivative that another package asks for is the function's own (tests/test_bridges.py).
"""

import numpy as np

from ._directions import hvp, vjp
from ._function import function
from ._gradients import value_and_grad
from ._tree import flatten, unflatten


def minimize(f, x0, args=(), method="L-BFGS-B", **options):
    """``scipy.optimize.minimize`` of a function, with its gradient, and for methods that take one the product with its Hessian.

    ``x0`` may be a tree of arrays; the result's ``x`` is one like it.

    >>> import numpy as np, catadiff as cd, catadiff.bridges
    >>> rosenbrock = lambda x: (100.0 * (x[1:] - x[:-1] ** 2) ** 2 + (1.0 - x[:-1]) ** 2).sum()
    >>> cd.bridges.minimize(rosenbrock, np.zeros(4)).x.round(3)
    array([1., 1., 1., 1.])
    """
    from scipy import optimize

    leaves, tree = flatten(x0)
    leaves = [np.asarray(leaf, np.float64) for leaf in leaves]
    ends = np.cumsum([leaf.size for leaf in leaves])

    def parts(x):
        flat = np.split(x, ends[:-1])
        return unflatten(tree, [part.reshape(leaf.shape) for part, leaf in zip(flat, leaves)])

    def flattened(x):
        return np.concatenate([np.ravel(leaf) for leaf in flatten(x)[0]])

    f = function(f)
    both = value_and_grad(f)

    def fun(x):
        value, gradient = both(parts(x), *args)
        return float(value), flattened(gradient)

    if method in ("Newton-CG", "trust-ncg", "trust-krylov", "trust-constr"):
        along = hvp(f)
        options["hessp"] = lambda x, p: flattened(along(parts(x), *args, parts(p)))
    found = optimize.minimize(fun, flattened(leaves), method=method, jac=True, **options)
    found.x = parts(found.x)
    if "jac" in found:
        found.jac = parts(np.asarray(found.jac))
    return found


def to_torch(f):
    """The function on tensors of torch, which ``backward`` goes through.

    Tensors stay in their memory. A result has one derivative: of a derivative there is none in torch.

    >>> import torch, catadiff as cd, catadiff.numpy as cnp, catadiff.bridges
    >>> x = torch.tensor([1.0, 2.0], dtype=torch.float64, requires_grad=True)
    >>> cd.bridges.to_torch(lambda x: (x * x).sum())(x).backward()
    >>> x.grad
    tensor([2., 4.], dtype=torch.float64)
    """
    import torch

    f = function(f)

    class OfCatadiff(torch.autograd.Function):
        @staticmethod
        def forward(ctx, *tensors):
            arrays = [x.detach().numpy() if isinstance(x, torch.Tensor) else x for x in tensors]
            ctx.arrays = arrays
            leaves, ctx.tree = flatten(f(*arrays))
            ctx.kinds = [leaf.dtype.kind for leaf in map(np.asarray, leaves)]
            made = tuple(torch.from_numpy(np.asarray(leaf)) for leaf in leaves)
            ctx.mark_non_differentiable(*(x for x, kind in zip(made, ctx.kinds) if kind != "f"))
            return made if len(made) > 1 else made[0]

        @staticmethod
        @torch.autograd.function.once_differentiable
        def backward(ctx, *adjoints):
            _, back = vjp(f, *ctx.arrays)
            pulled = back(unflatten(ctx.tree, [x.contiguous().numpy() for x in adjoints]))
            wanted = zip(pulled, ctx.needs_input_grad)
            return tuple(torch.from_numpy(np.asarray(x)) if needed else None for x, needed in wanted)

    return lambda *tensors: OfCatadiff.apply(*tensors)


def to_jax(f):
    """The function on arrays of JAX, which ``jax.grad`` and ``jax.jit`` go through, by a callback to this processor.

    Its arguments are arrays; results of functions traced by JAX have the sizes that a run with zeros gives.

    >>> import jax, jax.numpy as jnp, catadiff as cd, catadiff.bridges
    >>> square = cd.bridges.to_jax(lambda x: (x * x).sum())
    >>> jax.jit(jax.grad(square))(jnp.array([1.0, 2.0]))
    Array([2., 4.], dtype=float32)
    """
    import jax

    f = function(f)

    def like(function, arguments):
        zeros = [np.zeros(x.shape, x.dtype) for x in arguments]
        leaves, tree = flatten(function(*zeros))
        leaves = [jax.ShapeDtypeStruct(np.shape(leaf), np.asarray(leaf).dtype) for leaf in leaves]
        return unflatten(tree, leaves)

    def called(function, *arguments):
        plain = lambda *xs: function(*[np.asarray(x) for x in xs])
        return jax.pure_callback(plain, like(function, arguments), *arguments, vmap_method="sequential")

    def back(adjoint, *arguments):
        return tuple(vjp(f, *arguments)[1](adjoint))

    @jax.custom_vjp
    def ours(*arguments):
        return called(f, *arguments)

    def forward(*arguments):
        return ours(*arguments), arguments

    def backward(arguments, adjoint):
        leaves, tree = jax.tree_util.tree_flatten(adjoint)
        pulled = lambda *xs: back(jax.tree_util.tree_unflatten(tree, xs[: len(leaves)]), *xs[len(leaves) :])
        shapes = tuple(jax.ShapeDtypeStruct(x.shape, x.dtype) for x in arguments)
        plain = lambda *xs: pulled(*[np.asarray(x) for x in xs])
        return jax.pure_callback(plain, shapes, *leaves, *arguments, vmap_method="sequential")

    ours.defvjp(forward, backward)
    return ours
