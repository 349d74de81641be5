# A copy of autograder/student/loop/arrays.py, made by `autograder build`: edit that file and build again.
"""Runs the student's layer once at the public inputs and writes its arrays beside the expected ones, as JSON.

Expected values of forward are numbers of check.json; those of backward are differences of the student's own
forward. In a process of its own, like the checks.
"""

import contextlib
import faulthandler
import io
import json
import os
import sys
from pathlib import Path

LIMIT = 10.0  # seconds


def case(facts):
    """The layer, an input and an upstream gradient, as the public checks draw them."""
    import numpy as np

    public = facts["public"]
    rng = np.random.RandomState(public["seed"])
    X = rng.randn(*public["input"])
    layer = getattr(__import__(facts["module"]), facts["class"])(**public["constructor"])
    return layer, X, rng.randn(*public["output"])


def forward(facts):
    layer, X, _ = case(facts)
    found = {facts["output"]: layer.forward(X)}
    found.update(
        zip(facts["cache"], layer.cache if isinstance(layer.cache, (tuple, list)) else (), strict=False)
    )
    return {name: (found.get(name), expected) for name, expected in facts["public"]["arrays"].items()}


def backward(facts):
    import gradcheck

    layer, X, G = case(facts)
    layer.forward(X)
    dX = layer.backward(G)
    moved = {gradient: getattr(layer, name) for name, gradient in facts["gradients"].items()}
    yours = {gradient: getattr(layer, gradient, None) for gradient in moved}
    if facts["input_gradient"]:
        moved[facts["input_gradient"]], yours[facts["input_gradient"]] = X, dX
    return {
        name: (yours[name], gradcheck.numerical_gradient(lambda: layer.forward(X), x, G))
        for name, x in moved.items()
    }


def main(folder, method):
    import numpy as np

    out = os.fdopen(os.dup(1), "w", encoding="utf-8")
    os.dup2(os.open(os.devnull, os.O_WRONLY), 1)
    facts = json.loads((folder / "check.json").read_text(encoding="utf-8"))
    sys.dont_write_bytecode, sys.pycache_prefix = True, str(folder / "never-compiled")
    sys.path[0] = str(folder)
    faulthandler.dump_traceback_later(LIMIT, exit=True)
    try:
        with contextlib.redirect_stdout(io.StringIO()), np.errstate(all="ignore"):
            pairs = {"forward": forward, "backward": backward}[method](facts)
        answer = {}
        for name, (yours, expected) in pairs.items():
            expected = np.asarray(expected, dtype=float)
            fits = isinstance(yours, np.ndarray) and yours.shape == expected.shape and yours.dtype.kind == "f"
            form = f"{type(yours).__name__} {getattr(yours, 'shape', '')}".strip()
            answer[name] = {
                "shape": expected.shape,
                "expected": expected.ravel().tolist(),
                "yours": [float(v) if np.isfinite(v) else None for v in yours.ravel()] if fits else None,
                "form": form,
            }
        json.dump({"arrays": answer}, out)
    except NotImplementedError:
        json.dump({"problem": "it is still to be written"}, out)
    except Exception as error:
        json.dump({"problem": f"{type(error).__name__}: {error}"}, out)
    out.flush()
    os._exit(0)


if __name__ == "__main__":
    main(Path(__file__).resolve().parent.parent, sys.argv[1])
