"""Collections: lists that a graph keeps under a key."""

import similarflow as sf


def test_items_are_kept_in_their_order_as_often_as_they_were_added():
    x, y = sf.constant(1.0), sf.constant(2.0)
    for item in (y, x, y):
        sf.add_to_collection("c", item)
    assert sf.get_collection("c") == [y, x, y]
    assert sf.get_collection_ref("c") is sf.get_default_graph().get_collection_ref("c")


def test_a_collection_belongs_to_its_graph():
    sf.add_to_collection("c", 1)
    with sf.Graph().as_default():
        assert sf.get_collection("c") == []
        sf.add_to_collection("c", 2)
    assert sf.get_collection("c") == [1]


def test_several_collections_at_once():
    sf.add_to_collections(["a", "b", "a"], 1)
    sf.add_to_collections("whole", 2)
    sf.add_to_collections(None, 3)
    sf.add_to_collections((), 3)
    g = sf.get_default_graph()
    assert g.collections == {"a": [1], "b": [1], "whole": [2]}
    g.add_to_collections({"a"}, 4)
    assert g.get_collection("a") == [1, 4]


def test_a_scope_picks_items_by_the_beginning_of_their_names():
    g = sf.get_default_graph()
    named = [sf.constant(1.0, name=n) for n in ("net/a", "net_2/a", "other/net")]
    for item in [*named, 5, "net/text", None]:
        g.add_to_collection("c", item)
    assert g.get_collection("c", "net") == named[:2]
    assert g.get_collection("c", "net/") == named[:1]
    assert g.get_collection("c", ".*net") == named
    assert g.get_collection("c", "") == named
    assert g.get_collection("none", "net") == []


def test_a_copy_is_a_copy():
    sf.add_to_collection("c", 1)
    sf.get_collection("c").append(2)
    assert sf.get_collection("c") == [1]
    sf.get_collection_ref("c").append(3)
    assert sf.get_collection("c") == [1, 3]


def test_keys_of_collections_that_hold_something():
    g = sf.get_default_graph()
    g.get_collection_ref("empty")
    key = object()
    g.add_to_collection(key, 1)
    assert g.get_all_collection_keys() == [key]
    g.clear_collection(key)
    g.clear_collection("never there")
    assert g.get_all_collection_keys() == []


def test_standard_keys():
    v = sf.Variable(1.0)
    frozen = sf.Variable(1.0, trainable=False)
    keys = sf.GraphKeys
    assert sf.get_collection(keys.GLOBAL_VARIABLES) == [v, frozen]
    assert sf.get_collection(keys.TRAINABLE_VARIABLES) == [v]
    assert keys.VARIABLES == keys.GLOBAL_VARIABLES
    names = [n for n in vars(keys) if n.isupper() and n != "VARIABLES"]
    assert len({getattr(keys, n) for n in names}) == len(names)
