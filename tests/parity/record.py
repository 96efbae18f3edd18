"""Record what TensorFlow answers to the cases, into ``recorded.json`` beside this file.

Run by hand, never by a test, from the root of the checkout, with TensorFlow and NumPy
in the environment::

    TF_USE_LEGACY_KERAS=1 TF_CPP_MIN_LOG_LEVEL=3 python -m tests.parity.record

Numbers are written with all their digits; nan and the infinities are strings.
"""

import json
import pathlib

import numpy as np

from .cases import load_cases, plain

TARGET = pathlib.Path(__file__).with_name("recorded.json")


def main():
    """Run every case in a new graph and write all answers."""
    import tensorflow.compat.v1 as tf  # only here: no test needs TensorFlow

    tf.disable_v2_behavior()
    # The graph optimiser can change results: it makes a wrong squeeze pass.
    options = {"disable_meta_optimizer": True}
    tf.config.optimizer.set_experimental_options(options)
    tf.logging.set_verbosity(tf.logging.ERROR)
    answers = {}
    for name, function in load_cases().items():
        tf.reset_default_graph()
        answers[name] = plain(function(tf))
    lines = [
        f"{json.dumps(name)}: {json.dumps(answer, allow_nan=False)}"
        for name, answer in answers.items()
    ]
    header = {"tensorflow": f"{tf.__version__} compat.v1", "numpy": np.__version__}
    TARGET.write_text(
        f'{{"header": {json.dumps(header)},\n"cases": {{\n'
        + ",\n".join(lines)
        + "\n}}\n",
        encoding="utf-8",
    )
    print(f"{len(answers)} cases recorded in {TARGET.name}")


if __name__ == "__main__":
    main()
