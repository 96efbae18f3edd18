"""Fit a line to noisy points: the smallest model that learns.

The graph knows nothing of the numbers. They flow in through the placeholders, and what
is learnt stays in the variables w and b of the session.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import plotting

import similarflow as sf

SLOPE, INTERCEPT = 3.0, 0.5


def make_points(count: int, seed: int) -> tuple[np.ndarray, np.ndarray]:
    """Points around the line that the model shall find."""
    rng = np.random.default_rng(seed)
    x = np.linspace(-1.0, 1.0, count)
    return x, SLOPE * x + INTERCEPT + rng.normal(scale=0.5, size=count)


def train(xs: np.ndarray, ys: np.ndarray, steps: int, rate: float) -> list[Any]:
    """(loss, w, b) before the first step and after each."""
    x = sf.placeholder(sf.float32, [None], name="x")
    y = sf.placeholder(sf.float32, [None], name="y")
    w = sf.Variable(0.0, name="w")
    b = sf.Variable(0.0, name="b")

    loss = sf.reduce_mean(sf.square(x * w + b - y), name="loss")
    step = sf.train.GradientDescentOptimizer(rate).minimize(loss)

    feed = {x: xs, y: ys}
    with sf.Session() as sess:
        sess.run(sf.global_variables_initializer())
        history = [sess.run([loss, w, b], feed)]
        for _ in range(steps):
            sess.run(step, feed)
            history.append(sess.run([loss, w, b], feed))
    return history


def draw(plt: Any, xs: np.ndarray, ys: np.ndarray, history: list[Any]) -> None:
    """The points with the line on its way, and the loss."""
    _, (left, right) = plt.subplots(
        1, 2, figsize=(10, 4.4), width_ratios=[3, 2], layout="constrained"
    )
    left.scatter(xs, ys, s=22, color=plotting.BLUE, alpha=0.6, linewidths=0)
    ends = np.array([xs.min(), xs.max()])
    for i, (_, w, b) in enumerate(history):
        last = i == len(history) - 1
        fitted = f"y = {w:.2f} x {'+' if b >= 0 else '-'} {abs(b):.2f}"
        label = fitted if last else "on the way" if i == 0 else None
        left.plot(
            ends,
            w * ends + b,
            color=plotting.ORANGE,
            linewidth=2.5 if last else 1.0,
            alpha=1.0 if last else 0.3,
            label=label,
        )
    left.set(title="The line turns into the points", xlabel="x", ylabel="y")
    left.set_xticks([-1, -0.5, 0, 0.5, 1])
    left.legend(loc="upper left")

    right.plot([h[0] for h in history], color=plotting.ORANGE, linewidth=2)
    right.set(title="Loss", xlabel="step", ylabel="mean squared error")
    right.set_ylim(bottom=0)


def main() -> None:
    args = plotting.arguments(__doc__, seed=0, points=100, steps=30, rate=0.2)
    xs, ys = make_points(args.points, args.seed)
    history = train(xs, ys, args.steps, args.rate)
    for i in range(0, len(history), 5):
        print(f"step {i:3}  loss {history[i][0]:.4f}")
    loss, w, b = history[-1]
    print(f"w = {w:.3f}, b = {b:.3f}, loss = {loss:.4f}")
    print(f"the points lie around w = {SLOPE}, b = {INTERCEPT}")

    if plt := plotting.pyplot(args.save):
        draw(plt, xs, ys, history)
        plotting.finish(plt, args.save)


if __name__ == "__main__":
    main()
