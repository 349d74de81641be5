"""Several scripts in one frame, and arrays on their way into a layer."""

import numpy as np

from autograder.layer import InProcessLayer, Joined, Raised, Script


class Changing:
    """Changes whatever it is given, and its own weight."""

    def __init__(self):
        self.W = np.zeros(2)

    def forward(self, X):
        X += 1.0
        self.W *= 2.0
        return X + self.W

    def backward(self):
        raise ValueError("no")


def asked(X, W):
    script = Script()
    outs = []
    for _ in range(2):
        layer = script.new()
        script.set_all(layer, {"W": W})
        outs.append(script.call(layer, "forward", X))
    return script, outs


def test_a_layer_changes_only_arrays_of_its_own():
    X, W = np.array([1.0, 2.0]), np.array([10.0, 20.0])
    script, outs = asked(X, W)
    for _ in range(2):
        results = InProcessLayer(Changing).run(script)
        assert [results[out].tolist() for out in outs] == [[22.0, 43.0], [22.0, 43.0]]
    assert (X.tolist(), W.tolist()) == ([1.0, 2.0], [10.0, 20.0])


def test_joined_scripts_have_each_their_own_results():
    first = Script()
    raising = first.call(first.new(), "backward")
    second, outs = asked(np.array([1.0, 2.0]), np.array([10.0, 20.0]))
    joined = Joined([first, second, Script()])
    before, after, nothing = joined.split(InProcessLayer(Changing).run(joined))
    assert before[raising] == Raised("raised", "ValueError", "no")
    assert after[outs[1]].tolist() == [22.0, 43.0]
    assert (len(list(after)), list(nothing)) == (len(second.ops), [])
