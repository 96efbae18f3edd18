"""Maps that never change, and share what they have in common."""

import numpy as np

from similarflow.ops.places import Places


def dicts_of(node):
    yield node
    for below in node.values():
        if isinstance(below, dict):
            yield from dicts_of(below)


def test_every_map_stays_what_it_was():
    rng, known = np.random.default_rng(0), [(Places(), {})]
    for _ in range(300):
        places, plain = known[rng.integers(len(known))]
        some = rng.integers(-3, 9000, rng.integers(0, 40)).tolist()
        if rng.random() < 0.3:
            gone = some + list(plain)[:5]
            left = {i: v for i, v in plain.items() if i not in gone}
            known.append((places.without(gone), left))
        else:
            new = {i: float(rng.random()) for i in some}
            known.append((places.put(new), {**plain, **new}))
    for places, plain in known:
        assert dict(places.items()) == plain
        assert len(places) == len(plain)
        assert all(places.get(i) == plain.get(i) for i in range(-4, 9000, 97))
        assert all(i in places for i in plain)


def test_a_change_copies_little_of_many():
    many = Places({i: i for i in range(100_000)})
    before = {id(d) for d in dicts_of(many._root)}
    for changed in (many.put({5: 0}), many.put({100_000: 0}), many.without([70_000])):
        copied = [d for d in dicts_of(changed._root) if id(d) not in before]
        assert sum(map(len, copied)) < 200
