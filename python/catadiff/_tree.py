"""Trees of arrays: what is in tuples, lists, dicts, named tuples and dataclasses, to any depth.

Law: ``unflatten(tree, leaves)`` of what ``flatten`` gives is the same again, and trees of the same structure are equal and have
one hash (tests/test_trees.py).
"""

import dataclasses
from collections.abc import Hashable


class Tree:
    """The structure of nested containers; a leaf has no children."""

    __slots__ = ("children", "count", "hash", "kind", "names")

    def __init__(self, kind, names, children):
        self.kind = kind
        self.names = names
        self.children = children
        self.count = 1 if kind is None else sum(child.count for child in children)
        self.hash = hash((kind, names, children))

    def __hash__(self):
        return self.hash

    def __eq__(self, other):
        if self is other:
            return True
        return (
            isinstance(other, Tree)
            and self.hash == other.hash
            and (self.kind, self.names, self.children) == (other.kind, other.names, other.children)
        )

    def __reduce__(self):
        return (Tree, (self.kind, self.names, self.children))

    def __repr__(self):
        if self.kind is None:
            return "*"
        names = self.names or ("",) * len(self.children)
        inside = ", ".join(f"{name}: {child}" if name else repr(child) for name, child in zip(names, self.children))
        return f"{getattr(self.kind, '__name__', self.kind)}({inside})"

    def spans(self):
        """For each child the range of its leaves among all."""
        start = 0
        for child in self.children:
            yield range(start, start + child.count)
            start += child.count

    def paths(self, name=""):
        """What each leaf is called: the way to it, as in ``net.layers.0``."""
        if self.kind is None:
            yield name
            return
        names = self.names or tuple(str(k) for k in range(len(self.children)))
        for part, child in zip(names, self.children):
            yield from child.paths(f"{name}.{part}" if name else part)


LEAF = Tree(None, (), ())


def flatten(value):
    """The leaves of a value, in order, and its structure."""
    leaves = []
    return leaves, _flatten(value, leaves)


def _flatten(value, leaves):
    kind = type(value)
    if kind is tuple or kind is list:
        return Tree(kind, (), tuple([_flatten(part, leaves) for part in value]))
    if kind is dict:
        names = tuple(sorted(value, key=_order))
        return Tree(dict, names, tuple([_flatten(value[name], leaves) for name in names]))
    if value is None:
        return Tree(type(None), (), ())
    if isinstance(value, tuple) and hasattr(value, "_fields"):
        return Tree(kind, value._fields, tuple([_flatten(part, leaves) for part in value]))
    if dataclasses.is_dataclass(value) and not isinstance(value, type):
        names = tuple(field.name for field in dataclasses.fields(value))
        return Tree(kind, names, tuple([_flatten(getattr(value, name), leaves) for name in names]))
    leaves.append(value)
    return LEAF


def _order(name: Hashable):
    return (type(name).__name__, name)


def unflatten(tree, leaves):
    """The value of this structure with these leaves."""
    leaves = iter(leaves)
    return _unflatten(tree, leaves)


def _unflatten(tree, leaves):
    if tree.kind is None:
        return next(leaves)
    parts = [_unflatten(child, leaves) for child in tree.children]
    if tree.kind is tuple or tree.kind is list:
        return tree.kind(parts)
    if tree.kind is dict:
        return dict(zip(tree.names, parts))
    if tree.kind is type(None):
        return None
    if issubclass(tree.kind, tuple):
        return tree.kind(*parts)
    # Fields that the constructor does not take are set as a copy of a dataclass would have them.
    made = object.__new__(tree.kind)
    for name, part in zip(tree.names, parts):
        object.__setattr__(made, name, part)
    return made


def mapped(f, value, *others):
    """The value with ``f`` of each leaf, and of the leaves at the same places of others of its structure.

    >>> mapped(lambda x, y: x - 0.5 * y, {"w": 3.0, "b": (1.0,)}, {"w": 2.0, "b": (4.0,)})
    {'b': (-1.0,), 'w': 2.0}
    """
    leaves, tree = flatten(value)
    columns = [leaves]
    for other in others:
        found, structure = flatten(other)
        if structure != tree:
            raise TypeError(f"the trees have different structures: {tree} and {structure}")
        columns.append(found)
    return unflatten(tree, [f(*row) for row in zip(*columns)])
