"""Trees are taken apart and put together again."""

import dataclasses
import pickle
from typing import NamedTuple

import numpy as np
import pytest

from catadiff import tree_map
from catadiff._tree import flatten, unflatten


class Pair(NamedTuple):
    first: object
    second: object


@dataclasses.dataclass(frozen=True)
class Frozen:
    x: object
    made: object = dataclasses.field(init=False, default=3)


TREES = [
    1.0,
    (),
    [],
    {},
    None,
    (1, [2, {"b": 3, "a": (4,)}], None),
    Pair(1, {"x": [2, 3]}),
    Frozen(Pair(1, 2)),
    {2: "two", 1: "one", "z": 0},
]


@pytest.mark.parametrize("tree", TREES, ids=str)
def test_there_and_back(tree):
    leaves, structure = flatten(tree)
    assert unflatten(structure, leaves) == tree
    assert flatten(tree)[1] == structure and hash(flatten(tree)[1]) == hash(structure)
    assert pickle.loads(pickle.dumps(structure)) == structure
    assert sum(len(span) for span in structure.spans()) == (len(leaves) if structure.kind else 0)
    assert len(list(structure.paths("x"))) == len(leaves)


def test_structures_differ():
    structures = [flatten(tree)[1] for tree in [*TREES, (1,), [1], {"a": 1}, {"b": 1}, (1, 2), (1, (2,))]]
    for k, one in enumerate(structures):
        assert [n for n, other in enumerate(structures) if other == one] == [k]


def test_arrays_are_leaves():
    leaves, structure = flatten({"x": np.ones(3), "y": [np.zeros(2)]})
    assert [leaf.shape for leaf in leaves] == [(3,), (2,)]
    assert list(structure.paths()) == ["x", "y.0"]


def test_mapped():
    assert tree_map(lambda x, y: x + y, (1, [2]), (10, [20])) == (11, [22])
    with pytest.raises(TypeError, match="structures"):
        tree_map(lambda x, y: x, (1, 2), [1, 2])
