"""`repr` is NumPy's, and by a setting tells whose an array is; the other settings of printing are shared with NumPy."""

import contextvars

import numpy as np
import pytest
from support.oracle import LAYOUTS, OWNERSHIPS, subject
from support.threads import together

import cowarray

ARRAYS = {
    "numbers": np.arange(5.0),
    "rows": np.arange(60).reshape(3, 20),
    "many": np.arange(5000),
    "none": np.zeros((0, 3)),
    "no axes": np.array(2.5),
    "short dtype": np.arange(3, dtype="i2"),
    "fields": np.zeros(2, [("a", "i4"), ("b", "f8")]),
    "text": np.array(["ab", "c"]),
    "objects": np.array([None, [1]], object),
}


@pytest.mark.parametrize("kind", ARRAYS)
def test_repr_is_numpys_until_somebody_says_otherwise(kind):
    n = ARRAYS[kind]
    x = cowarray.array(n)
    assert cowarray.get_printoptions()["name"] == "array"
    assert repr(x) == repr(n)
    assert str(x) == str(n)


@pytest.mark.parametrize("kind", ARRAYS)
@pytest.mark.parametrize("name", ["cowarray.array", "ca.array", "x", "A very long name of an array"])
def test_repr_tells_whose_an_array_is(kind, name):
    n = ARRAYS[kind]
    x = cowarray.array(n)
    with cowarray.printoptions(name=name) as options:
        assert options["name"] == cowarray.get_printoptions()["name"] == name
        shown = repr(x)
        assert repr(n).startswith("array(")
        assert str(x) == str(n)
    assert repr(x) == repr(n)
    assert shown == repr(n.view(type(name, (np.ndarray,), {})))
    assert shown.startswith(f"{name}(")


@pytest.mark.parametrize("layout", LAYOUTS)
@pytest.mark.parametrize("ownership", OWNERSHIPS)
def test_looking_changes_nothing(layout, ownership):
    held = subject(layout, ownership, float)
    shares, writeable = held.x.storage.share_count, held.x.flags.writeable
    with cowarray.printoptions(name="mine"):
        assert repr(held.x).startswith("mine(")
    assert (held.x.storage.share_count, held.x.flags.writeable) == (shares, writeable)
    held.check()


def test_the_others_are_shared_with_numpy():
    before = cowarray.get_printoptions()
    with cowarray.printoptions(precision=2, name="mine"):
        assert np.get_printoptions()["precision"] == 2
        assert repr(np.array([2 / 3])) == "array([0.67])"
        with cowarray.printoptions(**before):
            assert cowarray.get_printoptions() == before
        cowarray.set_printoptions(4)
        assert repr(cowarray.array([2 / 3])) == "mine([0.6667])"
        cowarray.set_printoptions(name="array")
        assert repr(cowarray.array([2 / 3])) == "array([0.6667])"
    assert cowarray.get_printoptions() == before
    assert {**np.get_printoptions(), "name": "array"} == before


def test_a_context_has_its_own():
    seen = []

    def look():
        seen.append(repr(cowarray.array([1])))

    def other():
        cowarray.set_printoptions(name="other")
        look()

    with cowarray.printoptions(name="mine"):
        contextvars.copy_context().run(other)
        together(look)
        look()
    assert seen[0] == "other([1])"
    assert seen[2] == "mine([1])"


@pytest.mark.parametrize("wrong", [5, b"bytes", ["list"]])
def test_what_is_no_name_is_refused_and_changes_nothing(wrong):
    before = cowarray.get_printoptions()
    with pytest.raises(TypeError, match="name must be a str"):
        cowarray.set_printoptions(precision=3, name=wrong)
    with pytest.raises(TypeError, match="name must be a str"), cowarray.printoptions(name=wrong):
        pass
    with pytest.raises(TypeError, match=r"^set_printoptions.. got an unexpected keyword argument 'nonsense'"):
        cowarray.set_printoptions(nonsense=3, name="mine")
    with (
        pytest.raises(TypeError, match=r"^printoptions.. got an unexpected keyword argument 'nonsense'"),
        cowarray.printoptions(nonsense=3),
    ):
        pytest.fail("entered")
    assert cowarray.get_printoptions() == before


def test_a_block_that_ends_in_another_context_changes_nothing_there():
    block = cowarray.printoptions(name="mine")
    contextvars.copy_context().run(block.__enter__)
    there = contextvars.copy_context()
    there.run(cowarray.set_printoptions, name="theirs")
    with pytest.raises(ValueError, match="different Context"):
        there.run(block.__exit__, None, None, None)
    assert there.run(repr, cowarray.array([1])) == "theirs([1])"
