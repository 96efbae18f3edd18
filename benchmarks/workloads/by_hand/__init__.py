"""The yardstick: training steps as one writes them by hand for speed in NumPy.

Preallocated arrays, ``out=``, updates in place, gradients simplified on paper, and
activations laid out as (features, batch) where rows are reduced. Inputs and labels
are looked at anew in each step, as in the other peers.
"""

from __future__ import annotations

from importlib import import_module
from typing import Any

import numpy as np

HOMES = {
    "regression": "small.regression",
    "xor": "small.xor",
    "chain": "small.chain",
    "mlp_sgd": "dense.mlp",
    "mlp_adam": "dense.mlp",
    "elementwise_forward": "elementwise.forward",
    "elementwise_gradient": "elementwise.gradient",
    "lstm": "recurrent.lstm",
    "skipgram": "sparse.skipgram",
}


def workload(name: str, peer: str) -> Any:
    """The function that makes a workload; one module is loaded, as a user would."""
    home = HOMES[name.removesuffix("_op")]
    if peer == "numpy_threads":
        if not name.startswith("elementwise"):
            raise KeyError(name)
        home += "_threads"
    module, _, function = home.partition(".")
    return getattr(import_module(f"{__name__}.{module}"), function)


def version(_: str) -> str:
    """What is measured."""
    return f"NumPy {np.__version__}"


np.seterr(all="ignore")  # as in hand-written programs that are in a hurry
