"""What the documentation shows is what happens, every public name has documentation, and the stubs are those of what there is."""

import ast
import doctest
import importlib
import inspect
import pathlib
import pkgutil

import pytest

import catadiff

PACKAGE = pathlib.Path(catadiff.__file__).parent
MODULES = ["catadiff"] + [found.name for found in pkgutil.walk_packages(catadiff.__path__, "catadiff.")]
README = pathlib.Path(__file__).parent.parent / "README.md"


@pytest.mark.parametrize("name", [name for name in MODULES if not name.endswith("_core")])
def test_examples_of_a_module(name):
    module = importlib.import_module(name)
    needed = {"torch", "jax", "scipy", "dask"}
    for test in doctest.DocTestFinder(exclude_empty=True).find(module, name):
        missing = [word for word in needed if f"import {word}" in test.docstring and not _is_there(word)]
        if not missing:
            assert doctest.DocTestRunner(optionflags=doctest.NORMALIZE_WHITESPACE).run(test).failed == 0


def _is_there(name):
    return importlib.util.find_spec(name) is not None


def test_the_readme():
    found = doctest.testfile(str(README), module_relative=False, optionflags=doctest.NORMALIZE_WHITESPACE)
    assert found.failed == 0 and found.attempted > 10


@pytest.mark.parametrize(
    "name",
    [
        "catadiff",
        "catadiff.numpy",
        "catadiff.linalg",
        "catadiff.fft",
        "catadiff.sparse",
        "catadiff.special",
        "catadiff.errors",
        "catadiff._core",
    ],
)
def test_every_public_name_is_documented(name):
    module = importlib.import_module(name)
    for called, value in vars(module).items():
        if not called.startswith("_") and (inspect.isroutine(value) or inspect.isclass(value)):
            if getattr(value, "__module__", "catadiff").startswith("catadiff"):
                assert inspect.getdoc(value), f"{name}.{called}"


@pytest.mark.parametrize("name", ["catadiff.numpy", "catadiff._core"])
def test_stubs_are_those_of_what_there_is(name):
    module = importlib.import_module(name)
    path = PACKAGE / (name.split(".")[1] + ("/__init__.pyi" if name == "catadiff.numpy" else ".pyi"))
    tree = ast.parse(path.read_text())
    functions = {node.name: node for node in tree.body if isinstance(node, ast.FunctionDef)}
    classes = {node.name: node for node in tree.body if isinstance(node, ast.ClassDef)}
    there = {n: f for n, f in vars(module).items() if callable(f) and not n.startswith("_") and not inspect.isclass(f)}
    if name == "catadiff._core":
        there = {n: f for n, f in vars(module).items() if callable(f) and not n.startswith("_")}
    assert sorted(functions) + sorted(classes) == sorted(
        n for n in there if n in functions or not inspect.isclass(there[n])
    ) + sorted(n for n in there if inspect.isclass(there[n]))
    for called, node in functions.items():
        arguments = node.args
        stubbed = [
            a.arg
            for a in [
                *arguments.posonlyargs,
                *arguments.args,
                *([arguments.vararg] if arguments.vararg else []),
                *arguments.kwonlyargs,
            ]
        ]
        assert stubbed == list(inspect.signature(there[called]).parameters), called
