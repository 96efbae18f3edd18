"""Tell two clouds of points apart with one layer, whose border is a straight line."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
import plotting

import similarflow as sf


class Model(NamedTuple):
    """The nodes of the graph that are used from outside."""

    points: sf.Tensor
    labels: sf.Tensor
    probability: sf.Tensor
    loss: sf.Tensor
    step: sf.Operation


def make_clouds(count: int, seed: int) -> tuple[np.ndarray, np.ndarray]:
    """Points around (-1.5, -1.5), of class 0, and around (1.5, 1.5), of class 1."""
    rng = np.random.default_rng(seed)
    labels = np.arange(count) % 2
    centers = np.where(labels[:, None] == 0, -1.5, 1.5)
    return centers + rng.normal(size=(count, 2)), labels


def build(rate: float) -> Model:
    """A weight for each coordinate and class, softmax, cross entropy."""
    points = sf.placeholder(sf.float32, [None, 2], name="points")
    labels = sf.placeholder(sf.int32, [None], name="labels")
    weights = sf.Variable(sf.zeros([2, 2]), name="weights")
    bias = sf.Variable(sf.zeros([2]), name="bias")

    logits = points @ weights + bias
    # The logarithm of the softmax in one operation: no exp can overflow in it.
    chosen = sf.one_hot(labels, 2) * sf.nn.log_softmax(logits)
    loss = -sf.reduce_mean(sf.reduce_sum(chosen, axis=1))
    step = sf.train.GradientDescentOptimizer(rate).minimize(loss)
    return Model(points, labels, sf.nn.softmax(logits)[:, 1], loss, step)


def draw(plt: Any, points: Any, labels: Any, grid: Any, probability: Any) -> None:
    """The clouds on what the model thinks of every place."""
    _, axes = plt.subplots(figsize=(6.6, 5.4), layout="constrained")
    plotting.draw_classes(plt, axes, points, labels, grid, probability)
    axes.set_title("One layer draws a straight border")


def main() -> None:
    args = plotting.arguments(__doc__, seed=0, points=200, steps=100, rate=0.5)
    points, labels = make_clouds(args.points, args.seed)
    model = build(args.rate)
    feed = {model.points: points, model.labels: labels}
    reach = np.abs(points).max() + 0.3
    grid = plotting.square_grid(-reach, reach)

    with sf.Session() as sess:
        sess.run(sf.global_variables_initializer())
        for i in range(args.steps + 1):
            if i % 20 == 0 or i == args.steps:
                print(f"step {i:3}  loss {sess.run(model.loss, feed):.4f}")
            if i < args.steps:
                sess.run(model.step, feed)
        found = sess.run(model.probability, feed) > 0.5
        # Every place of the picture at once: a placeholder takes any number of rows.
        surface = sess.run(model.probability, {model.points: grid})
    print(f"accuracy = {np.mean(found == labels):.3f}")

    if plt := plotting.pyplot(args.save):
        draw(plt, points, labels, grid, surface)
        plotting.finish(plt, args.save)


if __name__ == "__main__":
    main()
