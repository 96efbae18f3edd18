"""Record TensorFlow's answers to the problems, into ``recorded.json`` beside this file.

Run by hand, never by a test, from the root of the checkout, with TensorFlow and NumPy
in the environment::

    TF_USE_LEGACY_KERAS=1 TF_CPP_MIN_LOG_LEVEL=3 python -m tests.train.record
"""

import json
import pathlib

from .problems import iterate

TARGET = pathlib.Path(__file__).with_name("recorded.json")


def main():
    """Solve every problem in a new graph and write all answers."""
    import tensorflow.compat.v1 as tf  # only here: no test needs TensorFlow

    tf.disable_v2_behavior()
    tf.logging.set_verbosity(tf.logging.ERROR)
    answers = {key: solve(tf) for key, solve in iterate()}
    lines = [f"{json.dumps(k)}: {json.dumps(v)}" for k, v in answers.items()]
    TARGET.write_text("{\n" + ",\n".join(lines) + "\n}\n", encoding="utf-8")
    print(f"{len(answers)} answers of {tf.__version__} recorded in {TARGET.name}")


if __name__ == "__main__":
    main()
