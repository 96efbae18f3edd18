"""Learn to read handwritten digits, and be examined on a fifth never seen in training.

The digits come with the package, and NumPy is all that is needed. One hidden layer,
plain gradient descent on small batches; a few seconds.
"""

from __future__ import annotations

import math
import sys
import time
from collections.abc import Iterator
from typing import Any, NamedTuple

import numpy as np
import plotting

import similarflow as sf

PIXELS, SIDE, CLASSES = 64, 8, 10


class Epoch(NamedTuple):
    """What is known after one pass over the training digits."""

    loss: float
    trained: float  # accuracy on what it learnt from, as it learnt
    held_out: float  # accuracy on what it never saw


def split(seed: int) -> tuple[sf.datasets.Digits, sf.datasets.Digits]:
    """All digits, shuffled: four fifths to learn from, one fifth held out."""
    images, labels = sf.datasets.load_digits()
    order = np.random.default_rng(seed).permutation(len(labels))
    held_out, rest = np.split(order, [len(order) // 5])
    return (
        sf.datasets.Digits(images[rest], labels[rest]),
        sf.datasets.Digits(images[held_out], labels[held_out]),
    )


def nudge(images: np.ndarray, rng: np.random.Generator) -> np.ndarray:
    """Each image moved by up to one pixel: nobody writes a digit twice the same."""
    padded = np.pad(images.reshape(-1, SIDE, SIDE), ((0, 0), (1, 1), (1, 1)))
    down, right = rng.choice(3, p=[0.25, 0.5, 0.25], size=(2, len(images), 1, 1))
    which = np.arange(len(images))[:, None, None]
    window = np.arange(SIDE)
    moved = padded[which, down + window[:, None], right + window]  # (N, 8, 8)
    return moved.reshape(-1, PIXELS)


def batches(
    digits: sf.datasets.Digits, size: int, rng: np.random.Generator
) -> Iterator[tuple[np.ndarray, np.ndarray]]:
    """The digits in a new order, in pieces of `size`."""
    order = rng.permutation(len(digits.labels))
    for start in range(0, len(order), size):
        chosen = order[start : start + size]
        yield nudge(digits.images[chosen], rng), digits.labels[chosen]


class Network:
    """The graph: 64 pixels, a hidden layer, ten classes."""

    def __init__(self, hidden: int) -> None:
        self.images = sf.placeholder(sf.float32, [None, PIXELS], name="images")
        self.labels = sf.placeholder(sf.int64, [None], name="labels")
        self.rate = sf.placeholder(sf.float32, [], name="rate")

        # Random weights just large enough that the signal keeps its size behind relu.
        start = sf.variance_scaling_initializer(scale=2.0)
        with sf.variable_scope("hidden", initializer=start):
            w = sf.get_variable("w", [PIXELS, hidden])
            b = sf.get_variable("b", [hidden], initializer=sf.zeros_initializer())
            features = sf.nn.relu(self.images @ w + b)
        with sf.variable_scope("output", initializer=start):
            w = sf.get_variable("w", [hidden, CLASSES])
            b = sf.get_variable("b", [CLASSES], initializer=sf.zeros_initializer())
            logits = features @ w + b

        losses = sf.nn.sparse_softmax_cross_entropy_with_logits(
            labels=self.labels, logits=logits
        )
        self.loss = sf.reduce_mean(losses)
        self.answer = sf.argmax(logits, 1)
        right = sf.cast(sf.equal(self.answer, self.labels), sf.float32)
        self.accuracy = sf.reduce_mean(right)
        self.step = sf.train.GradientDescentOptimizer(self.rate).minimize(self.loss)


def train(
    net: Network, sess: sf.Session, learn: Any, held_out: Any, args: Any
) -> Iterator[Epoch]:
    """Yield what is known after each epoch."""
    rng = np.random.default_rng(args.seed)
    examination = {net.images: held_out.images, net.labels: held_out.labels}
    for epoch in range(args.epochs):
        # Large steps first, then smaller and smaller ones, to settle.
        rate = args.rate * (1 - epoch / args.epochs)
        seen = []
        for images, labels in batches(learn, args.batch, rng):
            feed = {net.images: images, net.labels: labels, net.rate: rate}
            loss, accuracy, _ = sess.run([net.loss, net.accuracy, net.step], feed)
            seen.append((loss, accuracy))
        loss, accuracy = np.mean(seen, axis=0)
        yield Epoch(loss, accuracy, sess.run(net.accuracy, examination))


def show_progress(number: int, total: int, epoch: Epoch, seconds: float) -> None:
    """One line that is written over on a terminal; some lines elsewhere."""
    line = (
        f"epoch {number:{len(str(total))}}/{total}  loss {epoch.loss:.4f}  "
        f"held out {epoch.held_out:6.2%}  {seconds:.1f} s"
    )
    if sys.stdout.isatty():
        print(f"\r{line}", end="\n" if number == total else "", flush=True)
    elif number == 1 or number % 5 == 0 or number == total:
        print(line, flush=True)


def draw(plt: Any, history: list[Epoch], digits: Any, answers: np.ndarray) -> None:
    """The learning curve, and the held-out digits that were read wrongly."""
    figure = plt.figure(figsize=(11, 4.6), layout="constrained")
    left, right = figure.subfigures(1, 2, width_ratios=[5, 6], wspace=0.04)

    axes = left.subplots()
    numbers = range(1, len(history) + 1)
    for key, color, label in [
        ("trained", plotting.PALE, "training, on nudged digits"),
        ("held_out", plotting.ORANGE, "held out"),
    ]:
        curve = [100 * getattr(epoch, key) for epoch in history]
        axes.plot(numbers, curve, ".-", color=color, linewidth=2, label=label)
    axes.set(title="Learning curve", xlabel="epoch", ylabel="accuracy in %")
    axes.xaxis.get_major_locator().set_params(integer=True)
    low = 80 if history[-1].held_out > 0.9 else 0  # where the curves differ
    axes.set_yticks(range(low, 101, (100 - low) // 5))
    axes.set_ylim(low, 100.5)
    axes.grid(axis="y", color="#eef1f5")
    axes.legend(loc="lower right")

    wrong = np.flatnonzero(answers != digits.labels)
    shown = wrong[:15]
    title = f"Read wrongly: {len(wrong)} of {len(answers)}"
    if len(shown) < len(wrong):
        title += f" (the first {len(shown)})"
    right.suptitle(title, x=0.02, ha="left", fontsize=12, color=plotting.INK)
    columns = math.ceil(math.sqrt(1.3 * max(1, len(shown))))
    rows = math.ceil(len(shown) / columns)
    tiles = right.subplots(max(1, rows), columns, squeeze=False).ravel()
    for tile, i in zip(tiles, shown, strict=False):
        tile.imshow(digits.images[i].reshape(SIDE, SIDE), cmap="gray_r", vmin=0, vmax=1)
        tile.set_title(
            f"read {answers[i]}, is {digits.labels[i]}", loc="center", fontsize=9
        )
        tile.set(xticks=[], yticks=[])
        tile.spines[:].set_visible(True)
    for tile in tiles[len(shown) :]:
        tile.axis("off")


def main() -> None:
    args = plotting.arguments(
        __doc__, seed=0, epochs=40, batch=32, hidden=256, rate=0.5
    )
    learn, held_out = split(args.seed)
    sf.set_random_seed(args.seed)
    net = Network(args.hidden)
    print(f"{len(learn.labels)} digits to learn from, {len(held_out.labels)} held out")

    history: list[Epoch] = []
    start = time.perf_counter()
    with sf.Session() as sess:
        sess.run(sf.global_variables_initializer())
        for epoch in train(net, sess, learn, held_out, args):
            history.append(epoch)
            seconds = time.perf_counter() - start
            show_progress(len(history), args.epochs, epoch, seconds)
        answers = sess.run(net.answer, {net.images: held_out.images})
    right = np.sum(answers == held_out.labels)
    share = right / len(answers)
    print(f"read {right} of {len(answers)} held-out digits rightly: {share:.2%}")

    if plt := plotting.pyplot(args.save):
        draw(plt, history, held_out, answers)
        plotting.finish(plt, args.save)


if __name__ == "__main__":
    main()
