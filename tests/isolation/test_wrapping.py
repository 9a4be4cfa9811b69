"""`wrap` is a snapshot of all arrays in an object, `to_numpy` the way back; each keeps what the object is."""

import copy
import random
import types
from collections import OrderedDict, defaultdict
from dataclasses import InitVar, dataclass
from functools import cached_property
from typing import Any, ClassVar, NamedTuple

import numpy as np
import pytest
from support.seeds import chosen_seed

import cowarray

KINDS = "f8", "i4", "?", "c16", "M8[s]", "S3", "O", [("a", "i2"), ("b", "f8")]


class Pair(NamedTuple):
    first: Any
    second: Any


@dataclass
class Plain:
    first: Any
    second: Any = None
    made = 0

    def __post_init__(self):
        Plain.made += 1
        self.extra = self.second

    @cached_property
    def twice(self):
        return np.array(self.first) * 2


@dataclass(frozen=True)
class Frozen:
    first: Any
    second: Any
    shared: ClassVar = np.ones(2)


@dataclass(frozen=True, slots=True)
class Slotted:
    first: Any
    second: Any


@dataclass
class Demanding:
    first: Any
    second: InitVar[Any]

    def __post_init__(self, second):
        self.second = second


def array(choose):
    n = np.arange(choose.randrange(7)).astype("i8").astype(choose.choice(KINDS))
    if choose.random() < 0.3:
        n.flags.writeable = False
    return cowarray.array(n) if choose.random() < 0.5 else n


def structure(choose, depth, met):
    """Containers of containers of arrays, some of which are met twice."""
    if met and choose.random() < 0.15:
        return choose.choice(met)
    if depth == 0 or choose.random() < 0.2:
        made = choose.choice([array, array, array, lambda _: choose.choice([1, "text", None, {1, 2}])])(choose)
    else:
        parts = [structure(choose, depth - 1, met) for _ in range(2)]
        made = choose.choice([list, tuple, lambda p: Pair(*p), lambda p: dict(zip("ab", p, strict=True)),
                              lambda p: OrderedDict(zip("ab", p, strict=True)), lambda p: Plain(*p),
                              lambda p: Frozen(*p), lambda p: Slotted(*p), lambda p: Demanding(*p)])(parts)  # fmt: skip
    met.append(made)
    return made


def parts_of(value):
    if isinstance(value, (list, tuple)):
        return list(value)
    if isinstance(value, dict):
        return [*value, *value.values()]
    if isinstance(value, (Plain, Frozen, Slotted, Demanding)):
        return [getattr(value, name) for name in ("first", "second", "extra") if hasattr(value, name)]
    return []


def leaves(value):
    """Every array in an order of its own, as often as it is met."""
    if isinstance(value, (np.ndarray, cowarray.ndarray)):
        return [value]
    return [leaf for part in parts_of(value) for leaf in leaves(part)]


def shape_of(value, seen):
    """What an object is, but for its arrays' classes and who is read-only: types, and which parts are the same."""
    if isinstance(value, (np.ndarray, cowarray.ndarray)):
        kept = seen.setdefault(id(value), len(seen))
        return kept, value.dtype, value.shape, np.array(value).tolist()
    parts = parts_of(value)
    if not parts:
        return value
    return type(value), seen.setdefault(id(value), len(seen)), [shape_of(part, seen) for part in parts]


def write(leaf):
    if leaf.flags.writeable and leaf.size:
        leaf[...] = leaf[-1]


def test_neither_side_sees_what_the_other_writes():
    choose = random.Random(chosen_seed())
    arrays = 0
    for _ in range(400):
        given = structure(choose, 3, [])
        before = shape_of(given, {})
        wrapped = cowarray.wrap(given)
        again = cowarray.wrap(wrapped)
        plain = cowarray.to_numpy(wrapped)
        for obj in (wrapped, again, plain):
            assert shape_of(obj, {}) == before
        assert all(type(leaf) is cowarray.ndarray and leaf.flags.writeable for leaf in leaves(wrapped) + leaves(again))
        assert all(type(leaf) is np.ndarray for leaf in leaves(plain))
        for leaf in leaves(given):
            write(leaf)
        for obj in (wrapped, again, plain):
            assert shape_of(obj, {}) == before
        changed = shape_of(given, {})
        for leaf in leaves(wrapped):
            write(leaf)
        assert shape_of(given, {}) == changed
        assert shape_of(again, {}) == shape_of(plain, {}) == before
        arrays += len(leaves(given))
    assert arrays > 800


def test_a_wrap_of_wrapped_arrays_copies_nothing():
    state = cowarray.wrap({"a": np.ones(10_000), "b": [np.zeros(10_000)]})
    with cowarray.no_copy():
        before = cowarray.wrap(state)
        plain = cowarray.to_numpy(before)
    assert cowarray.shares_bytes(state["a"], before["a"])
    assert np.shares_memory(plain["b"][0], state["b"][0].to_numpy())
    assert not plain["a"].flags.writeable


def test_a_read_only_array_is_shared_and_becomes_writable():
    stored = np.arange(1000.0)
    stored.flags.writeable = False
    (x,) = cowarray.wrap([stored])
    assert cowarray.shares_bytes(x, stored)
    x[0] = 5
    assert stored[0] == 0


def test_what_is_in_itself_stays_so():
    looped: list[Any] = [np.ones(2)]
    looped.append({"again": looped})
    owner = Plain([looped])
    owner.second = owner
    made = cowarray.wrap(owner)
    assert made is not owner
    assert made.second is made
    assert made.first[0][1]["again"] is made.first[0]
    assert type(made.first[0][0]) is cowarray.ndarray
    assert owner.second is owner


def test_a_dataclass_is_made_without_its_init_and_with_all_attributes():
    n = np.ones(2)
    given = Plain(n, n)
    assert given.twice.tolist() == [2, 2]
    count = Plain.made
    made = cowarray.wrap(given)
    assert Plain.made == count
    assert made.first is made.second is made.extra
    assert type(made.twice) is cowarray.ndarray
    assert type(given.twice) is np.ndarray
    assert type(cowarray.wrap(Demanding(1, n)).second) is cowarray.ndarray
    assert type(cowarray.wrap(Slotted(n, 1)).first) is cowarray.ndarray
    assert cowarray.wrap(Frozen(n, n)).shared is Frozen.shared


def test_the_class_of_a_dataclass_and_other_objects_pass_as_they_are():
    class Other:
        at = np.ones(2)

    others = [Plain, Other(), {1, 2}, "text", 5, np.float64(2.5), types.SimpleNamespace(a=np.ones(2)), range(3), None]
    assert all(made is other for made, other in zip(cowarray.wrap(others), others, strict=True))
    assert all(made is other for made, other in zip(cowarray.to_numpy(others), others, strict=True))


def test_containers_stay_what_they_are():
    given = defaultdict(list, a=[np.ones(2)])
    made = cowarray.wrap(given)
    assert (type(made), made.default_factory, list(made)) == (defaultdict, list, ["a"])
    masked = np.ma.masked_array([1.0, 2.0], [True, False])
    kept = cowarray.wrap([masked])[0]
    masked[1] = 5
    assert (type(kept), kept[1]) == (np.ma.MaskedArray, 2.0)
    assert type(cowarray.wrap(np.ones(2))) is type(cowarray.wrap(cowarray.ones(2))) is cowarray.ndarray


def test_the_arrays_of_the_standard_stay_such():
    x = cowarray.array_api.ones(3)
    assert cowarray.wrap([x])[0].sum().shape == ()
    assert type(cowarray.wrap([x])[0].sum()) is cowarray.ndarray


def test_writable_arrays_of_numpys_alias_the_wrapped_ones():
    state = cowarray.wrap([np.zeros(3)])
    before = copy.deepcopy(state)
    plain = cowarray.to_numpy(state, writable=True)
    plain[0][1] = 7
    assert state[0].tolist() == [0, 7, 0]
    assert before[0].tolist() == [0, 0, 0]
    fixed = cowarray.ones(2)
    fixed.flags.writeable = False
    with pytest.raises(ValueError, match="read-only"):
        cowarray.to_numpy([fixed], writable=True)


def test_writable_is_a_flag():
    with pytest.raises(TypeError, match=r"to_numpy: writable must be True or False \(got 1\)"):
        cowarray.to_numpy([], writable=1)
