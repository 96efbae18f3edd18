"""PyTorch as it is used: eager, with its own optimizers and fused functions."""

from __future__ import annotations

import os
from itertools import cycle
from typing import Any

import torch
from torch.nn import functional

from . import Made
from .data import Spec
from .timing import once, seconds

torch.set_num_threads(int(os.environ["OMP_NUM_THREADS"]))


def parameters(arrays: list[Any]) -> list[torch.Tensor]:
    """A trained tensor for each array."""
    return [torch.tensor(a, requires_grad=True) for a in arrays]


def trained(s: Spec, loss: Any, weights: list[torch.Tensor], batches: Any) -> Made:
    """Steps over the batches; arrays are turned into tensors in each."""
    adam = getattr(s, "adam", False)
    optimizer = (torch.optim.Adam if adam else torch.optim.SGD)(weights, lr=s.rate)
    turns = cycle(batches)

    def value(batch: Any) -> torch.Tensor:
        return loss(*[torch.from_numpy(a) for a in batch])

    def step() -> None:
        optimizer.zero_grad(set_to_none=True)
        value(next(turns)).backward()
        optimizer.step()

    return Made(step, lambda: value(batches[0]).item())


def regression(s: Spec) -> Made:
    """One weight and one bias."""
    w, b = weights = parameters([s.w, s.b])

    def loss(x: Any, y: Any) -> Any:
        return torch.sum(torch.square(x @ w + b - y))

    return trained(s, loss, weights, [(s.x, s.y)])


def xor(s: Spec) -> Made:
    """As written in a lesson: softmax, log and sum by themselves."""
    w1, b1, w2, b2 = weights = parameters(s.weights)

    def loss(x: Any, y: Any) -> Any:
        p = torch.softmax(torch.sigmoid(x @ w1 + b1) @ w2 + b2, dim=1)
        return -torch.sum(torch.sum(y * torch.log(p), dim=1))

    return trained(s, loss, weights, [(s.x, s.y)])


def mlp(s: Spec) -> Made:
    """Two ReLU layers and a linear one."""
    w1, b1, w2, b2, w3, b3 = weights = parameters(s.weights)

    def loss(x: Any, y: Any) -> Any:
        hidden = torch.relu(torch.addmm(b1, x, w1))
        hidden = torch.relu(torch.addmm(b2, hidden, w2))
        return functional.cross_entropy(torch.addmm(b3, hidden, w3), y)

    return trained(s, loss, weights, [(s.x, s.y)])


def lstm(s: Spec) -> Made:
    """A recurrent network, unrolled."""
    w, b, last, bias = weights = parameters(s.weights)

    def loss(x: Any, y: Any) -> Any:
        h = c = torch.zeros(len(x), s.units)
        for now in x.unbind(1):
            gates = torch.addmm(b, torch.cat([now, h], 1), w)
            i, f, new, o = gates.chunk(4, 1)
            c = torch.sigmoid(f) * c + torch.sigmoid(i) * torch.tanh(new)
            h = torch.sigmoid(o) * torch.tanh(c)
        return functional.cross_entropy(torch.addmm(bias, h, last), y)

    return trained(s, loss, weights, [(s.x, s.y)])


def skipgram(s: Spec) -> Made:
    """Word vectors with negative samples and sparse gradients."""
    tables = [s.embeddings, s.weights, s.biases[:, None]]
    words, outs, biases = (
        torch.nn.Embedding(*t.shape, sparse=True, _weight=torch.tensor(t))
        for t in tables
    )

    def loss(centres: Any, targets: Any, negatives: Any) -> Any:
        v = words(centres)
        near = (v * outs(targets)).sum(1) + biases(targets)[:, 0]
        far = v @ outs(negatives).T + biases(negatives)[:, 0]
        soft = functional.softplus
        return (soft(-near) + soft(far).sum(1)).mean()

    batches = list(zip(s.centres, s.targets, s.negatives, strict=True))
    return trained(s, loss, [t.weight for t in (words, outs, biases)], batches)


def _expression(a: Any, b: Any, c: Any, d: Any, e: Any) -> Any:
    return torch.tanh(a * b + c) * torch.sigmoid(d) - e


def forward(s: Spec) -> Made:
    """An element-by-element expression."""
    inputs = [torch.from_numpy(a) for a in s.inputs]

    def step() -> Any:
        with torch.inference_mode():
            return _expression(*inputs)

    return Made(step, lambda: step()[:: s.every].numpy())


def gradient(s: Spec) -> Made:
    """Its gradient by all five inputs."""
    inputs = [torch.from_numpy(a).requires_grad_() for a in s.inputs]

    def step() -> Any:
        return torch.autograd.grad(_expression(*inputs).sum(), inputs)

    return Made(step, lambda: [g[:: s.every].numpy() for g in step()])


def chain(s: Spec) -> dict[str, float]:
    """Seconds for each operation; a gradient includes the way forward."""
    add, factor = torch.tensor(s.add), torch.tensor(s.factor)
    x = torch.from_numpy(s.x)
    followed = torch.tensor(s.x, requires_grad=True)

    def run(x: Any = x) -> Any:
        y = x
        for _ in range(s.count // 2):
            y = (y + add) * factor
        return y

    def back() -> Any:
        return torch.autograd.grad(run(followed).sum(), [followed])

    found = {}
    with torch.inference_mode():
        _, found["first run"] = once(run, s.count)
        found["run"] = seconds(run, s.count)
    _, found["gradient first run"] = once(back, s.count)
    found["gradient run"] = seconds(back, s.count)
    return found


WORKLOADS = {
    "regression": regression, "xor": xor, "mlp_sgd": mlp, "mlp_adam": mlp,
    "lstm": lstm, "skipgram": skipgram, "chain": chain,
    "elementwise_forward": forward, "elementwise_gradient": gradient,
    "elementwise_forward_op": forward, "elementwise_gradient_op": gradient,
}  # fmt: skip


def workload(name: str, peer: str) -> Any:
    """The function that makes a workload."""
    return WORKLOADS[name]


def version(_: str) -> str:
    """What is measured."""
    return f"PyTorch {torch.__version__}"
