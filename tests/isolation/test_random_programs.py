"""Random programs do what NumPy does when every copy is made at once.

A state machine runs each step twice: on our arrays, and on NumPy arrays whose copies are eager. Whatever the program, a
write is seen by every view and by no copy, snapshots stay as they were, and no more is copied than twice what NumPy
copies. The memory comes from the tracing allocator: no fault, and nothing left alive at the end.
"""

import gc

import hypothesis.extra.numpy as hnp
import numpy as np
from hypothesis import HealthCheck, settings
from hypothesis import strategies as st
from hypothesis.stateful import Bundle, RuleBasedStateMachine, consumes, initialize, invariant, multiple, rule
from steps import COPIES, DTYPES, INPLACE, SEEDS, SHAPES, STRUCTURED, VALUES, VIEWS, WRITES, numbers, outcome
from support.tracing import TracingAllocator

import cowarray as ca


class Pair:
    """Ours, the oracle's, and the alias set that both belong to."""

    def __init__(self, ours, oracle, group):
        self.ours, self.oracle, self.group = ours, oracle, group

    def __repr__(self):
        return f"<{self.oracle.dtype.str}{self.oracle.shape}>"

    def check(self):
        ours, oracle = self.ours, self.oracle
        assert (ours.shape, ours.dtype) == (oracle.shape, oracle.dtype)
        assert ours.flags.writeable == oracle.flags.writeable
        assert ours.tobytes() == oracle.tobytes(), f"{ours!r} is not {oracle!r}"


def goes_by_dlpack(array):
    """DLPack knows native numbers, and counts strides in elements: no fields of records."""
    return array.dtype.str[1:] in ("f8", "i8", "f4") and all(stride % array.itemsize == 0 for stride in array.strides)


class Programs(RuleBasedStateMachine):
    arrays = Bundle("arrays")
    snapshots = Bundle("snapshots")
    exports = Bundle("exports")

    def __init__(self):
        super().__init__()
        self.pairs, self.kept, self.pins = [], [], []
        self.groups = 0
        self.numpy_bytes = 0  # what NumPy would have copied
        self.quiet = np.errstate(all="ignore")
        self.quiet.__enter__()
        self.trace = None
        self.memory = TracingAllocator()
        self.memory.__enter__()
        ca.reset_stats()

    @initialize(always=st.booleans(), traced=st.booleans())
    def begin(self, always, traced):
        # Looking makes headers; programs in which nobody looks until the end take other ways.
        self.always = always
        self.trace = ca.trace() if traced else None
        if traced:
            self.trace.__enter__()

    def pair(self, ours, oracle, group=None):
        if group is None:
            self.groups += 1
            group = self.groups
        made = Pair(ours, oracle, group)
        self.pairs.append(made)
        return made

    def both(self, pair, function, *args):
        """Run on both; the same error or none."""
        shown = [(a.ours, a.oracle) if isinstance(a, Pair) else (a, a) for a in args]
        expected, oracle = outcome(function, pair.oracle, *[b for _, b in shown])
        got, ours = outcome(function, pair.ours, *[a for a, _ in shown])
        assert got == expected, f"{got} where NumPy gives {expected}"
        return ours, oracle

    # ---- making

    @rule(
        target=arrays,
        shape=SHAPES,
        dtype=st.sampled_from(DTYPES),
        fortran=st.booleans(),
        seed=SEEDS,
        way=st.sampled_from(["array", "asarray", "read-only", "copy=False", "bytes", "computed", "structured"]),
    )
    def create(self, shape, dtype, fortran, seed, way):
        source = numbers(shape, STRUCTURED if way == "structured" else np.dtype(dtype), seed)
        source = np.asarray(source, order="F" if fortran else "C")
        oracle = source.copy(order="K")
        self.numpy_bytes += source.nbytes
        if way == "array":
            ours = ca.array(source)
            source[...] = 0
        elif way == "read-only":
            source.setflags(write=False)
            ours = ca.asarray(source)
        elif way == "copy=False":
            ours = ca.asarray(source, copy=False)
        elif way == "bytes":
            ours = ca.asarray(np.frombuffer(source.tobytes(), source.dtype).reshape(shape) if source.size else source)
            oracle = oracle.copy(order="C") if source.size else oracle
        elif way == "computed" and source.dtype.isnative and source.ndim:
            ours = ca.asarray(source).__pos__()
        else:
            ours = ca.asarray(source)
            source[...] = 0
        return self.pair(ours, oracle)

    @rule(target=arrays, pair=arrays, data=st.data())
    def view_by_index(self, pair, data):
        key = data.draw(hnp.basic_indices(pair.oracle.shape, allow_newaxis=True, allow_ellipsis=True, max_dims=5))
        oracle = pair.oracle[key]
        ours = pair.ours[key]
        if not isinstance(oracle, np.ndarray):
            assert ours == oracle
            return multiple()
        return self.pair(ours, oracle, pair.group)

    @rule(target=arrays, pair=arrays, name=st.sampled_from(sorted(VIEWS)))
    def view_by_name(self, pair, name):
        ours, oracle = self.both(pair, VIEWS[name])
        return self.pair(ours, oracle, pair.group) if isinstance(oracle, np.ndarray) else multiple()

    @rule(target=arrays, pair=arrays, at=st.integers(0, 5))
    def split(self, pair, at):
        """Several views from one call."""
        if not pair.oracle.ndim:
            return multiple()
        ours, oracle = self.both(pair, np.split, [at])
        return multiple(*(self.pair(*halves, pair.group) for halves in zip(ours, oracle, strict=True)))

    @rule(target=arrays, pair=arrays, name=st.sampled_from(sorted(COPIES)))
    def lazily_copy(self, pair, name):
        ours, oracle = self.both(pair, COPIES[name])
        if oracle is None:
            return multiple()
        self.numpy_bytes += oracle.nbytes
        return self.pair(ours, oracle.copy(order="K"))

    # ---- writing

    @rule(pair=arrays, name=st.sampled_from(sorted(WRITES)), value=VALUES)
    def write(self, pair, name, value):
        if pair.oracle.dtype.names or (pair.oracle.size == 0 and name.startswith(("put", "np.put", "np.add"))):
            name = "a[...]"
        if name == "real" and pair.oracle.dtype.kind not in "fiu":
            name = "fill"
        if (name in ("sort", "partition") and pair.oracle.ndim == 0) or (name == "partition" and not pair.oracle.size):
            name = "fill"
        if name == "np.cumsum out":
            self.numpy_bytes += pair.oracle.nbytes  # of its `ravel`
        self.both(pair, WRITES[name], value)

    @rule(pair=arrays, data=st.data(), value=VALUES)
    def write_item(self, pair, data, value):
        key = data.draw(
            st.one_of(
                hnp.basic_indices(pair.oracle.shape, allow_newaxis=True),
                hnp.arrays(bool, pair.oracle.shape),
                hnp.integer_array_indices(pair.oracle.shape) if pair.oracle.size and pair.oracle.ndim else st.just(...),
                st.integers(-6, 6),
            )
        )
        self.both(pair, lambda a: a.__setitem__(key, value))

    @rule(pair=arrays, other=arrays, data=st.data())
    def write_array(self, pair, other, data):
        if not np.can_cast(other.oracle.dtype, pair.oracle.dtype, "same_kind") or other.oracle.dtype.names:
            return
        key = data.draw(hnp.basic_indices(pair.oracle.shape, allow_ellipsis=True))
        self.count_overlap(pair, other)
        self.both(pair, lambda a, b: a.__setitem__(key, b), other)

    @rule(pair=arrays, other=arrays, name=st.sampled_from(sorted(INPLACE)))
    def write_in_place(self, pair, other, name):
        if (
            not np.can_cast(other.oracle.dtype, pair.oracle.dtype, "same_kind")
            or other.oracle.dtype.names
            or pair.oracle.dtype.names
        ):
            return
        self.count_overlap(pair, other)
        self.both(pair, INPLACE[name], other)

    def count_overlap(self, pair, other):
        if np.may_share_memory(pair.oracle, other.oracle):
            self.numpy_bytes += other.oracle.nbytes  # which NumPy reads from a copy

    @rule(pair=arrays, other=arrays, value=st.integers(1, 9))
    def write_two(self, pair, other, value):
        """Two outputs of one call, which may share bytes, and may not alias."""
        if pair.oracle.dtype.names or other.oracle.dtype.names or np.shares_memory(pair.oracle, other.oracle):
            return
        self.both(pair, lambda a, b: np.divmod(a, value, out=(a, b), casting="unsafe"), other)

    @rule(pair=arrays)
    def materialize(self, pair):
        # A window is written as a whole only by who may write.
        pair.ours.materialize()
        assert pair.ours.storage.share_count == 1

    # ---- leaving and coming back

    @rule(
        target=snapshots,
        pair=arrays,
        way=st.sampled_from(
            [np.asarray, memoryview, ca.ndarray.to_numpy, lambda x: np.ma.getdata(x), lambda x: x[...].data]
        ),
    )
    def take_snapshot(self, pair, way):
        if pair.oracle.dtype.names:
            way = np.asarray  # the buffer protocol has formats that NumPy does not read back
        self.numpy_bytes += pair.oracle.nbytes
        kept = [way(pair.ours), pair.oracle.copy(order="K")]
        self.kept.append(kept)
        return kept

    @rule(target=arrays, kept=snapshots, copy=st.sampled_from([None, False, True]))
    def take_snapshot_back(self, kept, copy):
        if kept[1].dtype.byteorder == ">" and isinstance(kept[0], memoryview):
            return multiple()
        self.numpy_bytes += kept[1].nbytes
        ours, oracle = ca.asarray(kept[0], copy=copy), kept[1].copy(order="K")
        if copy is False and not ours.flags.writeable:
            oracle.setflags(write=False)  # elements that overlap are no array to write to, and may not be copied apart
        return self.pair(ours, oracle)

    @rule(kept=consumes(snapshots))
    def release_snapshot(self, kept):
        self.kept = [other for other in self.kept if other is not kept]
        kept.clear()

    @rule(target=exports, pair=arrays, way=st.sampled_from(["to_numpy", "dlpack", "memoryview"]))
    def export(self, pair, way):
        if not pair.oracle.flags.writeable or (way == "dlpack" and not goes_by_dlpack(pair.oracle)):
            return multiple()
        if way == "dlpack" and pair.oracle.dtype.isnative:
            out = np.from_dlpack(pair.ours)
        elif way == "memoryview" and pair.oracle.dtype.kind in "fiu":
            out = np.asarray(memoryview(pair.ours.to_numpy(writable=True)))
        else:
            out = pair.ours.to_numpy(writable=True)
        kept = [out, pair.oracle[...]]  # which can be written to if the array is read-only later
        self.pins.append((kept, pair.group))
        return kept

    @rule(kept=exports, value=VALUES)
    def write_through_export(self, kept, value):
        kept[0][...] = value
        kept[1][...] = value

    @rule(kept=consumes(exports))
    def release_export(self, kept):
        self.pins = [(other, group) for other, group in self.pins if other is not kept]
        kept.clear()

    @rule(pair=consumes(arrays))
    def drop(self, pair):
        self.pairs.remove(pair)
        pair.ours = pair.oracle = None

    @rule(pair=arrays)
    def look(self, pair):
        pair.check()

    # ---- what always holds

    @invariant()
    def values(self):
        if self.pairs and self.always:
            self.check()

    @invariant()
    def figures(self):
        pinned = {group for _, group in self.pins}
        storages = {}
        for pair in self.pairs:
            assert storages.setdefault(pair.group, pair.ours.storage) is pair.ours.storage
            assert pair.ours.storage.is_cow == (pair.ours.storage.share_count > 1)
            assert pair.group not in pinned or not pair.ours.storage.is_cow
        assert len(set(map(id, storages.values()))) == len(storages), "two alias sets with one Storage"
        figures, report = ca.stats(), self.memory.report()
        assert report["faults"] == 0
        assert figures["copies"] == report["clones"]
        assert figures["bytes_copied"] >= report["cloned_bytes"]
        assert figures["eager_copies"] or figures["bytes_copied"] == report["cloned_bytes"]
        assert figures["bytes_copied"] <= 2 * self.numpy_bytes, "more than twice what NumPy copies"
        if self.trace is not None:
            kinds = [event.kind for event in self.trace]
            assert (kinds.count("copy"), kinds.count("eager")) == (figures["copies"], figures["eager_copies"])
            assert sum(event.nbytes for event in self.trace) == figures["bytes_copied"]

    def check(self):
        for pair in self.pairs:
            pair.check()
        for ours, oracle in self.kept:
            array = ours if isinstance(ours, np.ndarray) else memoryview(ours)
            assert array.tobytes() == oracle.tobytes(), "a snapshot has changed"
        for (ours, oracle), _ in self.pins:
            assert ours.tobytes() == oracle.tobytes(), "an export does not alias"

    def teardown(self):
        try:
            self.check()
        finally:
            if self.trace is not None:
                self.trace.__exit__(None, None, None)
            for kept in [*self.kept, *(kept for kept, _ in self.pins)]:
                kept.clear()
            for pair in self.pairs:
                pair.ours = None
            self.memory.__exit__(None, None, None)
            self.quiet.__exit__(None, None, None)
            gc.collect()
        report = self.memory.report()
        assert (report["live_blocks"], report["faults"]) == (0, 0), report


Programs.TestCase.settings = settings(
    max_examples=100, stateful_step_count=40, deadline=None, print_blob=True, suppress_health_check=list(HealthCheck)
)
test_random_programs = Programs.TestCase
