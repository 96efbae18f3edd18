"""Learn exclusive or, which no straight line separates, with a hidden layer.

The four clouds lie at the corners of a square, and opposite corners are of one class.
Each hidden unit bends space along one line; together they make room for a border.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import plotting

import similarflow as sf


def make_corners(count: int, seed: int) -> tuple[np.ndarray, np.ndarray]:
    """Points around the corners of the unit square; the class is x xor y."""
    rng = np.random.default_rng(seed)
    corners = np.array([[0, 0], [1, 1], [0, 1], [1, 0]])[np.arange(count) % 4]
    labels = corners[:, 0] ^ corners[:, 1]
    return corners + rng.normal(scale=0.18, size=(count, 2)), labels


def dense(x: Any, inputs: int, outputs: int, name: str) -> sf.Tensor:
    """``x @ w + b``. It starts at random: equal units would stay equal for ever."""
    with sf.variable_scope(name):
        w = sf.get_variable("w", [inputs, outputs])
        b = sf.get_variable("b", [outputs], initializer=sf.zeros_initializer())
        return x @ w + b


class Network:
    """The graph: two inputs, a hidden layer, two classes."""

    def __init__(self, hidden: int, rate: float) -> None:
        self.points = sf.placeholder(sf.float32, [None, 2], name="points")
        self.labels = sf.placeholder(sf.int32, [None], name="labels")
        features = sf.tanh(dense(self.points, 2, hidden, "hidden"))
        logits = dense(features, hidden, 2, "output")
        losses = sf.nn.softmax_cross_entropy_with_logits_v2(
            labels=sf.one_hot(self.labels, 2), logits=logits
        )
        self.loss = sf.reduce_mean(losses)
        self.probability = sf.nn.softmax(logits)[:, 1]
        self.step = sf.train.GradientDescentOptimizer(rate).minimize(self.loss)


def draw(plt: Any, data: Any, grid: Any, surface: Any, losses: Any) -> None:
    """The clouds on what the network thinks of every place, and the loss."""
    figure, (left, right) = plt.subplots(
        1, 2, figsize=(10.5, 4.8), width_ratios=[3, 2], layout="constrained"
    )
    figure.get_layout_engine().set(wspace=0.06)
    plotting.draw_classes(plt, left, *data, grid, surface)
    left.set_title("A hidden layer bends the border")

    right.plot(losses, color=plotting.ORANGE, linewidth=2)
    right.axhline(np.log(2), color=plotting.PALE, linestyle="--", linewidth=1)
    right.annotate(
        "guessing",
        (len(losses) - 1, np.log(2)),
        xytext=(0, 4),
        textcoords="offset points",
        ha="right",
        color=plotting.GREY,
    )
    right.set(title="Loss", xlabel="step", ylabel="cross entropy")
    right.set_ylim(bottom=0)


def main() -> None:
    args = plotting.arguments(
        __doc__, seed=0, points=200, hidden=8, steps=600, rate=0.5
    )
    points, labels = make_corners(args.points, args.seed)
    sf.set_random_seed(args.seed)
    net = Network(args.hidden, args.rate)
    feed = {net.points: points, net.labels: labels}
    grid = plotting.square_grid(-0.75, 1.75)

    losses = []
    with sf.Session() as sess:
        sess.run(sf.global_variables_initializer())
        for i in range(args.steps):
            # One run, one loss: it is that from before the step.
            loss, _ = sess.run([net.loss, net.step], feed)
            losses.append(loss)
            if i % 100 == 0:
                print(f"step {i:3}  loss {loss:.4f}")
        loss, probability = sess.run([net.loss, net.probability], feed)
        losses.append(loss)
        surface = sess.run(net.probability, {net.points: grid})
    print(f"step {args.steps:3}  loss {loss:.4f}")
    print(f"accuracy = {np.mean((probability > 0.5) == labels):.3f}")

    if plt := plotting.pyplot(args.save):
        draw(plt, (points, labels), grid, surface, losses)
        plotting.finish(plt, args.save)


if __name__ == "__main__":
    main()
