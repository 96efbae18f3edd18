"""The processes that are measured, seen from the one that measures."""

from __future__ import annotations

import json
import subprocess
from pathlib import Path
from typing import Any

PROGRAM = str(Path(__file__).with_name("worker.py"))


class Worker:
    """A process for one peer, which waits to be asked."""

    def __init__(self, peer: str, python: str, environment: dict[str, str]) -> None:
        self.peer = peer
        self.process = subprocess.Popen(
            [python, PROGRAM, peer], env=environment, text=True,
            stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL,
        )  # fmt: skip

    def ask(self, what: str, **arguments: Any) -> dict[str, Any]:
        """The answer; it has "error" if there is none."""
        sent, answers = self.process.stdin, self.process.stdout
        if sent is None or answers is None:
            raise RuntimeError("the process has no pipes")
        try:
            sent.write(json.dumps({"ask": what, **arguments}) + "\n")
            sent.flush()
            line = answers.readline()
        except OSError:
            line = ""
        return json.loads(line) if line else {"error": "the process has ended"}

    def close(self) -> None:
        """End the process."""
        try:
            self.process.communicate(timeout=10)
        except subprocess.TimeoutExpired:
            self.process.kill()
            self.process.wait()


def first_step(peer: str, python: str, environment: dict[str, str]) -> None:
    """Start a process that makes one step and ends."""
    subprocess.run(
        [python, PROGRAM, "--first", peer], env=environment, check=True,
        stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL,
    )  # fmt: skip


def memory(
    peer: str, workload: str, python: str, environment: dict[str, str]
) -> dict[str, float]:
    """What a process says about the memory that a workload takes."""
    found = subprocess.run(
        [python, PROGRAM, "--memory", peer, workload], env=environment, check=True,
        stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True,
    )  # fmt: skip
    return json.loads(found.stdout)
