"""What was measured, as text."""

from __future__ import annotations

from typing import Any

from machine import MUCH

OURS = "similarflow"


def plural(count: int, word: str) -> str:
    """As "1 thread" or "2 threads"."""
    return f"{count:,} {word}" + "s" * (count != 1)


def duration(seconds: float) -> str:
    """Seconds with a unit that suits them."""
    for unit, size in (("s ", 1), ("ms", 1e-3), ("us", 1e-6)):
        if seconds >= size:
            return f"{seconds / size:8.3f} {unit}"
    return f"{seconds / 1e-9:8.1f} ns"


def workload(name: str, entry: dict[str, Any]) -> str:
    """The medians of one workload, and what our time is of each."""
    medians = {peer: s["median"] for peer, s in entry["peers"].items()}
    others = f"other processes took {entry['others']:.0%} of the machine"
    lines = [f"\n{name}  (load {entry['load']:.1f}, {others})"]
    for peer, summary in entry["peers"].items():
        line = f"  {peer:<22}{duration(summary['median'])}"
        spread = f"{duration(summary['least'])} to {duration(summary['most'])}"
        line += f"   {spread}"
        if OURS in medians and peer != OURS:
            line += f"   similarflow takes {medians[OURS] / medians[peer]:7.2f} of it"
        if entry["agree"] and peer not in entry["agree"]:
            line += "   DISAGREES"
        if summary["disturbed"]:
            line += f"   {summary['disturbed']} of {summary['blocks']} disturbed"
        lines.append(line)
    return "\n".join(lines)


def disturbed(results: dict[str, Any]) -> str:
    """Where another process took much of the machine in most blocks."""
    names = dict.fromkeys(
        name.partition(" ")[0]
        for name, entry in results.items()
        if name != "alone" and entry["others"] > MUCH
    )
    text = "another process took much of the machine, so measure again: "
    return text + ", ".join(names) if names else ""


def ratios(results: dict[str, Any]) -> str:
    """Our time over each peer's, in Markdown; callables are compared with ours."""
    rows = {n: e["peers"] for n, e in results.items() if n != "alone"}
    rows = {n: peers for n, peers in rows.items() if OURS in peers}
    columns = list(dict.fromkeys(p for peers in rows.values() for p in peers))
    columns = [c for c in columns if c != OURS]
    if not rows or not columns:
        return ""
    head = ["workload", OURS, *(c.replace("_", " ") for c in columns)]
    lines = ["", "similarflow's time over the peer's:", ""]
    lines += ["| " + " | ".join(head) + " |", "|---" * len(head) + "|"]
    for name, peers in rows.items():
        ours = peers[OURS]["median"]
        cells = [name, duration(ours).strip()]
        for column in columns:
            found = peers.get(column)
            cells.append(f"{ours / found['median']:.3g}" if found else "-")
        lines.append("| " + " | ".join(cells) + " |")
    return "\n".join([*lines, ""])


def alone(found: dict[str, Any]) -> str:
    """What was measured of similarflow alone."""
    lines = ["", "similarflow alone", "", "After how many runs a plan pays:"]
    form = "  {:<32}{:>13}{:>13}{:>13}{:>13}{:>9}"
    lines.append(
        form.format("", "first run", "a run", "simple first", "simple run", "pays")
    )
    for name, row in found["pays"].items():
        times = [row[k] for k in ("first", "run", "simple first", "simple run")]
        cells = [duration(t) for t in times]
        pays = "never" if row["pays"] is None else f"{row['pays']:,}"
        lines.append(form.format(name, *cells, pays))
    lines += ["", "What a new batch size costs:"]
    form = "  {:<32}{:>13}{:>13}{:>13}{:>9}"
    lines.append(form.format("", "first run", "a run", "a late run", "extra"))
    for name, row in found["sizes"].items():
        cells = [duration(row[k]) for k in ("first", "run", "late run")]
        extra = f" {(row['first'] - row['run']) / row['run']:.1f} runs"
        lines.append(form.format(name, *cells, extra))
    lines += ["", "Memory beyond inputs and first weights (MB; hand-written NumPy's):"]
    for name, row in found["memory"].items():
        cells = [f"{k} {a:.2f} ({b:.2f})" for k, (a, b) in row.items()]
        lines.append(f"  {name:<32}" + ", ".join(cells))
    least = found["least"]
    cells = [f"{name} {duration(least[name]).strip()}" for name in least]
    lines += ["", "The least run, one addition: " + ", ".join(cells)]
    lines += ["", "What a run costs beyond its kernels (sf.profile; it slows the run):"]
    for name, row in found["beyond"].items():
        text = f"{duration(row['beyond'])} of {duration(row['run'])}"
        share = row["beyond"] / row["run"]
        bare = duration(row["unprofiled run"])
        lines.append(f"  {name:<32}{text}, {share:.1%}; unprofiled {bare}")
    return "\n".join([*lines, ""])
