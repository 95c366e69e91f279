"""GradBench's `lstm`: the loss of a recurrent network that predicts the next character of a text, and its gradient."""

import numpy as np

import catadiff as cd
import catadiff.numpy as cnp
from catadiff.special import sigmoid


def cell(x, h, c, weights, biases):
    """The output and the memory of a layer, after an input; the matrices of weights are diagonal."""
    forget = sigmoid(x * weights[0] + biases[0])
    let_in = sigmoid(h * weights[1] + biases[1])
    let_out = sigmoid(x * weights[2] + biases[2])
    change = cnp.tanh(h * weights[3] + biases[3])
    c = c * forget + let_in * change
    return let_out * cnp.tanh(c), c


@cd.function
def loss(layers, extra, state, sequence):
    """The mean negative log-likelihood of what comes next; ``layers`` and ``state`` have a pair for each layer."""

    def step(state, x):
        x = x * extra[0]
        after = []
        for (weights, biases), (h, c) in zip(layers, state):
            x, c = cell(x, h, c, weights, biases)
            after.append((x, c))
        return after, x * extra[1] + extra[2]

    _, predicted = cd.scan(step, state, sequence[:-1])
    normal = cnp.log(cnp.exp(predicted).sum(axis=1, keepdims=True) + 2)
    following = sequence[1:]
    return -(following * (predicted - normal)).sum() / following.size


def arguments(given):
    main, extra, state, sequence = (
        np.array(given[name]) for name in ("main_params", "extra_params", "state", "sequence")
    )
    # A row of parameters is that of four gates.
    gates = main.reshape(len(main), 4, -1)
    pairs = lambda rows: list(zip(rows[::2], rows[1::2]))
    return pairs(gates), extra, pairs(state), sequence


def objective(given):
    return loss(*arguments(given))


def jacobian(given):
    return cd.grad(loss, (0, 1))(*arguments(given))
