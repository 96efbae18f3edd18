"""Untyped placeholders fed with ints or complex numbers: NumPy says what comes out."""

import numpy as np
import pytest

import similarflow as sf

from .compare import both

BUILDERS = {
    "stack": lambda t: sf.stack([t, t]),
    "concat": lambda t: sf.concat([t, t], 0),
    "gather": lambda t: sf.gather(t, [0, 1]),
    "cast": lambda t: sf.cast(t, sf.int32),
    "zeros": sf.zeros_like,
    "product": lambda t: t * t,
    "sum": lambda t: sf.add_n([t, t, t]),
    "gradient": lambda t: sf.gradients(t, t.op.inputs[0])[0],
}
FUNCTIONS = {
    "tanh": sf.tanh, "exp": sf.exp, "sqrt": sf.sqrt, "abs": sf.abs,
    "reciprocal": sf.reciprocal, "half": lambda x: x / np.array([2, 2, 2], np.int32),
}  # fmt: skip
VALUES = {
    "int": np.array([1, 2, 3], np.int32),
    "bool": np.array([True, True, False]),
    "complex": np.array([1j, 2.0, 3.0 + 1j], np.complex64),
    "float": np.array([0.5, 2.0, 3.0], np.float32),
}


@pytest.mark.parametrize("value", VALUES)
@pytest.mark.parametrize("function", FUNCTIONS)
@pytest.mark.parametrize("build", BUILDERS)
def test_what_comes_out(build, function, value):
    x = sf.placeholder(None, [3])
    y = BUILDERS[build](FUNCTIONS[function](x))
    both([y], {x: VALUES[value]}, {x: VALUES[value]})
