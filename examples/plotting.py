"""What the examples share: a plot is saved, shown, or replaced by a line of text."""

from __future__ import annotations

import argparse
from pathlib import Path
from typing import Any

import numpy as np

BLUE, RED, ORANGE = "#1f4e8c", "#b5312c", "#e07b20"
INK, GREY, PALE = "#2f3542", "#6b7686", "#b8c0cc"


def arguments(description: str | None, **options: Any) -> argparse.Namespace:
    """Parse ``--save`` and `options`, which become ``--name VALUE`` with a default."""
    parser = argparse.ArgumentParser(description=(description or "").splitlines()[0])
    parser.add_argument(
        "--save", type=Path, metavar="FILE", help="save the plot instead of showing it"
    )
    for name, value in options.items():
        parser.add_argument(
            f"--{name}", type=type(value), default=value, help="default: %(default)s"
        )
    return parser.parse_args()


def pyplot(save: Path | None) -> Any:
    """Matplotlib's pyplot; without one that can draw, say so and give None.

    Raises
    ------
    SystemExit
        A plot was to be saved, and Matplotlib is missing.
    """
    try:
        import matplotlib

        if save:
            matplotlib.use("Agg")  # needs no screen
        import matplotlib.pyplot as plt
        from matplotlib.backends import BackendFilter, backend_registry

        plt.switch_backend(plt.get_backend())  # fails here if it needs a screen
    except ImportError as error:
        hint = f'No plot ({error}). Matplotlib comes with: pip install -e ".[plot]"'
        if save:
            raise SystemExit(hint) from error
        print(hint)
        return None
    windowless = backend_registry.list_builtin(BackendFilter.NON_INTERACTIVE)
    if not save and plt.get_backend().lower() in windowless:
        print("No window to show the plot in; --save FILE writes it to a file.")
        return None
    plt.rcParams.update(
        {
            "axes.edgecolor": PALE,
            "axes.labelcolor": INK,
            "axes.spines.right": False,
            "axes.spines.top": False,
            "axes.titlecolor": INK,
            "axes.titlelocation": "left",
            "axes.titlesize": 12,
            "figure.dpi": 120,
            "font.size": 10,
            "legend.frameon": False,
            "savefig.bbox": "tight",
            "savefig.dpi": 160,
            "text.color": INK,
            "xtick.color": INK,
            "ytick.color": INK,
        }
    )
    return plt


def square_grid(low: float, high: float, count: int = 150) -> np.ndarray:
    """Places that fill a square, row by row: ``(count * count, 2)``."""
    axis = np.linspace(low, high, count)
    return np.stack(np.meshgrid(axis, axis), axis=-1).reshape(-1, 2)


def draw_classes(
    plt: Any, axes: Any, points: Any, labels: Any, grid: Any, probability: Any
) -> None:
    """Two classes of points on the probability of class 1 at the places of `grid`."""
    from matplotlib.colors import LinearSegmentedColormap

    side = round(len(grid) ** 0.5)
    axis, surface = grid[:side, 0], probability.reshape(side, side)
    colors = LinearSegmentedColormap.from_list("", ["#86abd6", "#ffffff", "#e39a94"])
    shades = axes.imshow(
        surface,
        cmap=colors,
        vmin=0,
        vmax=1,
        origin="lower",
        extent=[axis[0], axis[-1], axis[0], axis[-1]],
        interpolation="bilinear",
    )
    axes.contour(axis, axis, surface, [0.5], colors=INK, linewidths=1.5)
    for k, (color, marker) in enumerate([(BLUE, "o"), (RED, "s")]):
        x, y = points[labels == k].T
        style = {"c": color, "marker": marker, "edgecolors": "white", "s": 32}
        axes.scatter(x, y, **style, label=f"class {k}")
    bar = plt.colorbar(shades, ax=axes, ticks=[0, 0.25, 0.5, 0.75, 1], aspect=30)
    bar.set_label("probability of class 1")
    bar.outline.set_visible(False)
    axes.set(xlabel="x", ylabel="y")
    axes.legend(
        loc="upper left",
        frameon=True,
        framealpha=0.9,
        edgecolor="white",
        handletextpad=0.2,
    )


def finish(plt: Any, save: Path | None) -> None:
    """Save the current figure, or show it and wait until it is closed."""
    if save is None:
        plt.show()
        return
    save.parent.mkdir(parents=True, exist_ok=True)
    plt.savefig(save)
    print(f"The plot is in {save}")
