"""`History`: versions of a state, each of which costs the pages that it changed.

One file, because the public methods, half of it docstrings, are a few lines each over one set of fields, which a step
changes as a whole (`_do`, `_undo`), whatever bytecode an interrupt hits. Each section can be read alone.
"""

import operator
import os
import sys
import threading
import time
import weakref
from collections.abc import Callable, Iterator
from collections.abc import Set as AbstractSet
from contextlib import suppress
from dataclasses import dataclass
from functools import wraps
from html import escape
from pathlib import Path
from types import FrameType
from typing import TYPE_CHECKING, Any, Concatenate, Literal, NoReturn, ParamSpec, Self, SupportsIndex, TypeVar, overload

import numpy as np
from numpy.typing import NDArray

from cowarray._face.ndarray import ndarray
from cowarray._modes.deferred.deferring import is_deferred
from cowarray._modes.fake.planning import is_fake
from cowarray._native.fork_locks import importing
from cowarray._native.public import public
from cowarray._ops.conversion import array
from cowarray._versions.changes import Changes, changes, find
from cowarray._versions.coding import see_template
from cowarray._versions.containers import (
    Layout,
    arrays_in,
    arrays_of,
    merged,
    number_of,
    places_of,
    put_back,
    read,
    see_state,
)
from cowarray._versions.contents import Contents
from cowarray._versions.elements import Elements
from cowarray._versions.merging import MergeConflict, put_changes, see_policy
from cowarray._versions.numbers import are_in, difference, unique
from cowarray._versions.records import DiskContents
from cowarray._versions.tracked import PAGE, Tracked, write_pages
from cowarray._versions.tree import NO_ENTRIES, Leap, Node, Present, Tree, Version

if TYPE_CHECKING:
    from cowarray._versions.store import Store, Successor

__all__ = ["History"]

_Numbers = NDArray[np.int64]
_NONE: _Numbers = np.zeros(0, np.int64)
_MISSING: Any = object()
_Pages = dict[int, tuple[_Numbers, NDArray[np.uint8]]]  # by array: page numbers, and the pages' bytes
_P = ParamSpec("_P")
_R = TypeVar("_R")


class _Slot:
    """An array of the state: its pages are numbered from `first` on, and `held` has each page's content number."""

    def __init__(self, tracked: Tracked, first: int) -> None:
        self.tracked = tracked
        self.first = first
        self.stored = False  # in the history's folder
        self.held: _Numbers = np.zeros(tracked.page_count, np.int64)


@dataclass
class _Step:
    """A step under way: pages of each array that get other contents, and the history's place and layout afterwards."""

    pages: dict[int, tuple[_Numbers, NDArray[np.uint8], _Numbers, _Numbers]]  # and content numbers before and after
    written: AbstractSet[int]  # the arrays that do not have these bytes yet
    layout: Layout
    place: tuple[int, dict[str, int], str]  # a new object: once the history has it, the step is made
    added: tuple[Node, list[Leap]] | None = None
    is_to_be_said: bool = False  # whether to write the place to the folder first
    discards: bool = False  # uncommitted changes


@dataclass
class _Renewal:
    """New versions of a folder, which replace all of the old ones."""

    made: "Successor"
    tree: Tree
    compacted: list[_Slot]  # arrays whose pages then all equal their bases'


_HISTORIES: weakref.WeakSet["History"] = weakref.WeakSet()


def _after_fork() -> None:
    for history in list(_HISTORIES):
        history._free()


os.register_at_fork(after_in_child=_after_fork)


def _is_on_stack(history: "History") -> bool:
    """Tell whether another call of the history than the asking one is under way in this thread."""
    frame: FrameType | None = sys._getframe(3)
    while frame is not None:
        if frame.f_code.co_name in ("call", "close") and frame.f_locals.get("self") is history:
            return True
        frame = frame.f_back
    return False


def _integer(rule: str, value: int) -> int:
    """Convert to an integer; refuse a bool."""
    with suppress(TypeError):
        if not isinstance(value, bool):
            return operator.index(value)
    raise TypeError(f"{rule} (got {value!r})")


def _see_text(name: str, what: str, value: object) -> None:
    if not isinstance(value, str):
        raise TypeError(f"History.{name}: {what} is text (got {value!r})")
    try:
        value.encode()
    except UnicodeEncodeError:
        raise ValueError(
            f"History.{name}: {what} must be text that UTF-8 has, as files are to keep it (got {value!r})"
        ) from None


def _called(function: str) -> str:
    """Name a method as its caller wrote it."""
    name = function.strip("_")
    return "History[...]" if name == "getitem" else f"History.{name}"


def _counted(versions: int) -> str:
    return f"{versions} version{'s' * (versions != 1)}"


def _whole(function: Callable[Concatenate["History", _P], _R]) -> Callable[Concatenate["History", _P], _R]:
    """Run one call at a time; first finish or undo a step that an interrupt or a lack of memory cut short."""

    @wraps(function)
    def call(self: "History", /, *args: _P.args, **kwargs: _P.kwargs) -> _R:
        self._see_free(function.__name__)
        discard = kwargs.get("discard", False)
        if type(discard) is not bool:
            raise TypeError(f"{_called(function.__name__)}: discard must be True or False (got {discard!r})")
        with self._lock:
            try:
                self._caller = threading.get_ident()
                if self._step is not None:
                    self._go_on(self._step, function.__name__, discard=discard)
                if self._renewal is not None:
                    self._end_renewal(self._renewal)
                try:
                    return function(self, *args, **kwargs)
                finally:
                    self._drop_fresh()
            finally:
                self._caller = 0

    return call


@public
class History:
    """Versions of a state: arrays and plain values in nested containers.

    A version keeps only the 4 KiB pages that it changed. Going back and forth writes into the same arrays and
    containers, so references to them stay valid.

    Parameters
    ----------
    path_or_state : path or object
        A folder, or the state of a history in memory.
    state : ndarray, dict, list, tuple or dataclass, optional
        With a path: the state of a new history in that folder. It is version 0. A state has arrays (cowarray's or
        NumPy's, which are copied as by `array`) and plain values: None, numbers, strings, bytes, dates, NumPy's
        scalars; in dicts, lists, tuples and dataclasses, at any depth. Tuples and frozen dataclasses may not have plain
        values as items.
        Without it, the history in the folder is opened.
    mode : {"r+", "r"}
        With a path alone: "r" opens it even while another process writes, sees the versions as of its opening and no
        later ones, and cannot commit.
    template : object, optional
        With a path alone: a state with the classes for stored dataclasses and named tuples. Without it, dataclasses
        come back as dicts: nothing that a file names is imported. Items beyond the end of a template's list follow its
        last item, if all of its items are of one class.

    Raises
    ------
    TypeError
        The state is a bare plain value, or contains an unsupported object, a fake or deferred array, or an array of
        objects; the message says where. Or the template is a bare plain value, or contains a class.
    ValueError
        The state contains itself, or is passed with a mode or a template; or the path is empty; or the folder is
        damaged, or a file in it was changed.
    FileNotFoundError, FileExistsError
        The folder to open has no history, or the folder for a new history already has one.
    BlockingIOError
        Another process writes to the folder; the message says which.

    See Also
    --------
    changes : Find where two arrays differ.
    merge : Put the changes of several versions into one array.

    Notes
    -----
    Arrays of 4 MiB and more are tracked by page: a commit costs what was written since the last one. Smaller ones are
    compared with a copy. A commit finds all bytes that differ, however they were written, also through views and
    exports. While a writable export is alive, all pages of its array are compared.

    Calls from several threads run one after the other. A call in the middle of another, by a destructor or a container
    of yours, raises RuntimeError. Commit while no other thread writes to the state. After a fork, in both processes,
    the next commit of each large array copies it once; only the parent can write to the folder.

    A folder has each array as a .npy file, records of pages, and an SQLite database; docs/history-format.md describes
    the format. A commit is safe on the disk when it returns, whatever ends the process. A history is a context manager,
    which closes it; so does the end of its last reference.

    Examples
    --------
    >>> import cowarray
    >>> history = cowarray.History({"image": cowarray.zeros((512, 512)), "title": "empty"})
    >>> state = history.state
    >>> state["image"][:100, :100] = 1.0
    >>> state["title"] = "a square"
    >>> history.commit("square")
    1
    >>> history.undo()
    0
    >>> state["title"], float(state["image"].max())
    ('empty', 0.0)
    >>> history.redo()
    1
    """

    @overload
    def __init__(self, path_or_state: Any, /) -> None: ...
    @overload
    def __init__(self, path_or_state: str | os.PathLike[str], state: Any, /) -> None: ...
    @overload
    def __init__(
        self, path_or_state: str | os.PathLike[str], /, *, mode: Literal["r", "r+"] = "r+", template: Any = None
    ) -> None: ...
    def __init__(self, path_or_state: Any, state: Any = _MISSING, /, *, mode: str = "r+", template: Any = None) -> None:
        in_folder = isinstance(path_or_state, (str, os.PathLike))
        if state is not _MISSING and not in_folder:
            raise TypeError(f"History: expected a path before a state (got {type(path_or_state).__name__})")
        if in_folder and not (path := os.fspath(path_or_state)):
            raise ValueError(f"History: a path must not be empty (got {path!r}); '.' is the current folder")
        if mode not in ("r", "r+"):
            raise ValueError(f"History: mode must be 'r' or 'r+' (got {mode!r})")
        if not (in_folder and state is _MISSING) and (mode != "r+" or template is not None):
            given = " and ".join(["mode"] * (mode != "r+") + ["template"] * (template is not None))
            raise ValueError(
                f"History: mode and template are for a folder that has a history (got {given} with a state); leave "
                "them out"
            )
        see_template(template)
        self._free()
        _HISTORIES.add(self)
        self._slots: dict[int, _Slot] = {}
        self._numbers: dict[int, int] = {}  # of the state's arrays, by id
        self._present = set[int]()  # numbers of arrays that a look at the state has found in it
        self._fresh = set[int]()  # numbers of arrays that no version has yet
        self._assigned: dict[int, Any] = {}  # values that a look has found in the places of arrays, by number
        self._next = 0
        self._page_total = 0
        self._contents: Contents | DiskContents = Contents()
        self._tree = Tree()
        self._step: _Step | None = None
        self._renewal: _Renewal | None = None
        self._is_torn = False  # between the versions of a step that could neither be made nor undone
        self._store: Store | None = None
        self._place: tuple[int, dict[str, int], str] = 0, {"main": 0}, "main"
        if not in_folder:
            self._begin(path_or_state)
        elif state is _MISSING:
            self._open(Path(path_or_state), mode, template)
        else:
            self._create(Path(path_or_state), state)

    def _free(self) -> None:
        """Mark that no call runs. In a forked child, a caller is the parent's thread; its step is finished like any."""
        self._lock = threading.RLock()
        self._caller = 0  # the thread that has the lock; an interrupt may leave it behind

    def _see_free(self, name: str) -> None:
        """Refuse callbacks: destructors, and the user's containers, run in the middle of a call, or of its writer."""
        is_inside = self._caller == threading.get_ident() and _is_on_stack(self)
        if is_inside or (self._store is not None and self._store.is_writing()):
            raise RuntimeError(f"{_called(name)}: called in the middle of another call of this history")

    def _begin(self, state: Any) -> None:
        layout, self._state = read(state, self._take, copied=True)
        see_state(layout, "History")
        self._tree.add(self._tree.node(Version(0, None, None, "", time.time(), {}), layout, NO_ENTRIES), [])
        self._fresh = set()

    def _create(self, folder: Path, state: Any) -> None:
        with importing:
            from cowarray._versions.store import Store
            from cowarray._versions.stored_tree import StoredTree

        self._begin(state)  # first: a refused state leaves no folder
        store = Store.create(folder)
        try:
            self._store, self._contents = store, store.contents
            self._store_arrays(self._tree[0].layout)
            store.publish(self._tree, self._now())
            tree = StoredTree(store, 0)
            tree.add(self._tree[0], [])
            self._tree = tree
            weakref.finalize(self, store.drop).atexit = False
        except BaseException:
            store.close()
            raise

    def _open(self, folder: Path, mode: str, template: Any) -> None:
        with importing:
            from cowarray._versions.database import damage_of
            from cowarray._versions.opening import give_present, pages_within
            from cowarray._versions.store import Store
            from cowarray._versions.stored_tree import StoredTree

        store, present, arrays = Store.open(folder, writes=mode == "r+")
        try:
            self._store, self._contents = store, store.contents
            self._tree = StoredTree(store, store.written, template)
            if present.head not in self._tree:
                raise damage_of(folder, f"there is no version {present.head}")
            self._place, page, content = give_present(
                arrays, self._tree, store.contents, present, goes_back=mode == "r"
            )
            for stored in arrays:
                part = pages_within(page, stored)
                slot = _Slot(Tracked(stored.array, in_file=stored.in_file), stored.first)
                slot.stored = True
                slot.held[page[part] - stored.first] = content[part]
                self._enter(stored.number, slot)
            self._state = put_back(self._tree[self._head].layout, None, self._arrays())
            weakref.finalize(self, store.drop).atexit = False
        except BaseException:
            store.close()
            raise

    # Set together, so that an interrupt finds all three consistent.
    @property
    def _head(self) -> int:
        return self._place[0]

    @property
    def _tips(self) -> dict[str, int]:
        return self._place[1]

    @property
    def _branch(self) -> str:
        return self._place[2]

    # ---- what it is --------------------------------------------------------------------------------------------------

    @property
    def state(self) -> Any:
        """object: The state, to be changed in place.

        An entry that you rebind to an array of the same shape and dtype is assigned into the old array at the next
        commit; other arrays and values replace the old ones.
        """
        return self._state

    @property
    def version(self) -> int:
        """int: The version that the state is based on."""
        return self._head

    @property
    def branch_name(self) -> str:
        """str: The branch that the next commit continues; "main" at first."""
        return self._branch

    @property
    def branches(self) -> dict[str, int]:
        """dict: The last version of each branch."""
        return dict(self._tips)

    @property
    def own_nbytes(self) -> int:
        """int: Bytes of memory that the history takes besides the arrays of the state."""
        tables = sum(slot.held.nbytes + slot.tracked.own_nbytes for slot in list(self._slots.values()))
        return self._contents.nbytes + self._tree.nbytes + tables

    def __len__(self) -> int:
        with self._lock:
            return len(self._tree)

    def __iter__(self) -> Iterator[int]:
        """Iterate over the versions' numbers, the oldest first."""
        return iter([version.number for version in self.log()])

    def __contains__(self, version: object) -> bool:
        """Tell whether there is a version of that number, or a branch of that name."""
        wanted: Any = version
        with self._lock, suppress(KeyError, TypeError):
            self._find("contains", wanted)
            return True
        return False

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *error: object) -> None:
        self.close()

    def __reduce_ex__(self, protocol: SupportsIndex, /) -> NoReturn:
        """Refuse copies and pickles: each history, and each folder's writer, exists only once."""
        raise TypeError("History: it cannot be copied or pickled; open its folder again, or take its state")

    def log(self) -> list[Version]:
        """Return the versions, the oldest first.

        Returns
        -------
        list of Version
            Each with its number, parent, message, time, and how many pages of which arrays it changed.

        Raises
        ------
        ValueError
            The history is closed, and its versions are in its folder.
        """
        with self._lock:
            return self._tree.newest()[::-1]

    # ---- versions ----------------------------------------------------------------------------------------------------

    @_whole
    def commit(self, message: str = "", *, durable: Literal[True, "background"] = True) -> int:
        """Keep the state as a version.

        Parameters
        ----------
        message : str, optional
        durable : True or "background"
            For a history in a folder: whether to return once the version is safe on the disk, or at once, while a
            thread writes it; `flush` waits for that. Failed writes are tried again, for the last time at the end of the
            history or of the process, where a RuntimeWarning says what is lost.

        Returns
        -------
        int
            The number of the version; the present one if nothing has changed.

        Raises
        ------
        TypeError
            The state contains something that cannot be kept, or the message is not text.
        ValueError
            `durable` is neither of the two, or the message has lone surrogates, as may file names that are not UTF-8.
        MemoryError
            Nothing was committed.
        io.UnsupportedOperation
            The history was opened for reading.
        """
        if durable not in (True, "background"):
            raise ValueError(f"History.commit: durable must be True or 'background' (got {durable!r})")
        _see_text("commit", "a message", message)
        layout = self._look_at_layout()
        changed, written = self._changed(layout)
        if not changed and layout == self._tree[self._head].layout:
            return self._head
        self._see_writable("commit")
        return self._add(message, layout, changed, written, None, wait=durable is True)

    @_whole
    def undo(self, *, discard: bool = False) -> int:
        """Go back to the parent of the present version.

        Parameters
        ----------
        discard : bool, default False
            Whether to drop uncommitted changes.

        Returns
        -------
        int
            The number of the version.

        Raises
        ------
        TypeError
            `discard` is not a bool.
        ValueError
            There is no such version, or the state has uncommitted changes.
        """
        parent = self._tree[self._head].version.parent
        if parent is None:
            raise ValueError(
                f"History.undo: version {self._head} is the first; checkout({self._head}, discard=True) drops what is "
                "not committed"
            )
        return self._go("undo", parent, self._branch, discard)

    @_whole
    def redo(self, *, discard: bool = False) -> int:
        """Go to the child of the present version on this branch.

        Parameters
        ----------
        discard : bool, default False
            Whether to drop uncommitted changes.

        Returns
        -------
        int
            The number of the version.

        Raises
        ------
        TypeError
            `discard` is not a bool.
        ValueError
            There is no such version, or the state has uncommitted changes.
        """
        tip = self._tips[self._branch]
        if tip == self._head or not self._tree.is_ancestor(self._head, tip):
            raise ValueError(f"History.redo: version {self._head} is the last of branch {self._branch!r}")
        return self._go("redo", self._tree.child_towards(self._head, tip), self._branch, discard)

    @_whole
    def checkout(self, version: int | str, *, discard: bool = False) -> int:
        """Give the state the values of any version. The next commit continues from that one, on the present branch.

        Parameters
        ----------
        version : int or str
            A version's number, or a branch, for its last one.
        discard : bool, default False
            Whether to drop uncommitted changes.

        Returns
        -------
        int
            The number of the version.

        Raises
        ------
        TypeError
            `version` is neither a number nor a name, or `discard` is not a bool.
        KeyError
            There is no such version.
        ValueError
            The state has uncommitted changes.
        """
        return self._go("checkout", self._find("checkout", version), self._branch, discard)

    @_whole
    def branch(self, name: str) -> None:
        """Begin a branch at the present version, and continue it from now on.

        Parameters
        ----------
        name : str

        Raises
        ------
        TypeError
            The name is not text.
        ValueError
            It is empty, has lone surrogates, or is the name of a branch already.
        io.UnsupportedOperation
            The history was opened for reading.
        """
        _see_text("branch", "a name", name)
        if not name:
            raise ValueError(f"History.branch: a name must not be empty (got {name!r})")
        if name in self._tips:
            raise ValueError(f"History.branch: there is a branch {name!r}")
        self._see_writable("branch")
        tips = {**self._tips, name: self._head}
        self._say(self._head, tips, name)
        self._place = self._head, tips, name

    @_whole
    def switch(self, name: str, *, discard: bool = False) -> int:
        """Give the state the values of a branch's last version, and continue that branch from now on.

        Parameters
        ----------
        name : str
        discard : bool, default False
            Whether to drop uncommitted changes.

        Returns
        -------
        int
            The number of the version.

        Raises
        ------
        TypeError
            The name is not text, or `discard` is not a bool.
        KeyError
            There is no such branch.
        ValueError
            The state has uncommitted changes.
        """
        _see_text("switch", "a name", name)
        if name not in self._tips:
            raise KeyError(f"History.switch: there is no branch {name!r}")
        return self._go("switch", self._tips[name], name, discard)

    @_whole
    def merge(
        self,
        other: int | str,
        message: str = "",
        *,
        conflicts: Literal["raise", "first", "last"] = "raise",
        discard: bool = False,
    ) -> int:
        """Put the changes of another branch into the state, and commit it.

        Parameters
        ----------
        other : int or str
            A branch, or the number of a version.
        message : str, optional
        conflicts : {"raise", "first", "last"}
            What to do about an element, or a part of the state (a plain value, a list whose length one has changed),
            that both have changed differently since their last common version, or about an array that one has
            changed and the other has dropped: raise, keep the present one, or take the other one. Changes by only one
            of the two are always taken.
        discard : bool, default False
            Whether to drop uncommitted changes.

        Returns
        -------
        int
            The number of the new version; the present one if it is the other, or descends from it.

        Raises
        ------
        MergeConflict
            There are conflicts, and `conflicts` is "raise". Nothing was done.
        TypeError
            The version is neither a number nor a name, the message is not text, or `discard` is not a bool.
        KeyError
            There is no such version.
        ValueError
            The state has uncommitted changes, or `conflicts` is none of the three.
        io.UnsupportedOperation
            The history was opened for reading.
        """
        see_policy("History.merge", conflicts)
        _see_text("merge", "a message", message)
        theirs = self._find("merge", other)
        if not discard:
            self._see_clean("merge", discard)
        base = self._tree.common(self._head, theirs)
        if base == theirs:
            if discard:
                self._see_clean("merge", discard)
            return self._head
        self._see_writable("merge")
        layout = self._merged_layout(base, theirs, conflicts)
        written = self._merged_arrays(base, theirs, layout, conflicts)
        if discard:  # after all that may refuse, so that nothing is dropped then
            self._see_clean("merge", discard)
        self._see_left(theirs)
        return self._add(message or f"merge {other}", layout, written, set(written), theirs)

    @_whole
    def changes(self, a: int | str, b: int | str) -> dict[str, Changes]:
        """Find where two versions differ.

        Parameters
        ----------
        a, b : int or str
            Numbers of versions, or branches.

        Returns
        -------
        dict of Changes
            For each array that both have and that differs, by its place in the state. If two places would look alike,
            text at their beginning is in quotes.

        Raises
        ------
        TypeError
            One is neither a number nor a name.
        KeyError
            There is no such version.
        """
        first, second = self._find("changes", a), self._find("changes", b)
        before, places = (places_of(self._tree[number].layout) for number in (first, second))
        both = sorted((path, place[1]) for place, path in places.items() if place in before)
        pages, at_second = self._tree.between(first, second)
        _, at_first = self._tree.between(second, first)
        parts = self._by_slot(pages)
        found = {
            path: changes(
                self._with_pages(number, pages[parts[number]], at_first[parts[number]]),
                self._with_pages(number, pages[parts[number]], at_second[parts[number]]),
            )
            for path, number in both
            if number in parts
        }
        return {path: difference for path, difference in found.items() if difference}

    def keep(self, *, last: int) -> None:
        """Forget all versions but the last ones, the branches' ends, the present one, and their last common ancestor.

        Parameters
        ----------
        last : int
            How many of the last versions to keep.

        Raises
        ------
        TypeError
            It is not an integer.
        ValueError
            It is less than 1.
        io.UnsupportedOperation
            The history was opened for reading.
        """
        last = _integer("History.keep: last must be an integer", last)
        if last < 1:
            raise ValueError(f"History.keep: last must be at least 1 (got {last})")
        self._keep(last)

    @_whole
    def _keep(self, last: int) -> None:
        self._see_writable("keep")
        tree = self._tree
        kept = {*list(tree.parents())[-last:], self._head, *self._tips.values()}
        thinned = tree.thinned(kept)
        if self._store is None:
            self._tree = thinned
        else:
            self._renew(_Renewal(self._store.successor(thinned, self._now()), thinned, []))
        layouts = {id(node.layout): node.layout for node in thinned.nodes()}
        named = {number for layout in layouts.values() for _, number in arrays_of(layout)}
        for number in set(self._slots) - named:
            self._drop_slot(number)
        held = [slot.held for slot in self._slots.values()]
        self._contents.retain(difference(thinned.contents(), np.concatenate([_NONE, *held])))  # arrays have the rest

    # ---- in a folder -------------------------------------------------------------------------------------------------

    @_whole
    def flush(self) -> None:
        """Wait until all versions are safe on the disk.

        Raises
        ------
        OSError
            Not all of them could be written; the next call tries again. Earlier versions are whole.
        """
        if self._store is not None:
            self._store.flush()

    def close(self) -> None:
        """Flush, and let another process write to the folder.

        The state stays as it is. Nothing can be committed, and versions cannot be read any more. A history in memory
        has nothing to close, and goes on as before.

        Raises
        ------
        OSError
            Not all versions could be written. The history stays open; the next call tries again.
        """
        self._see_free("close")
        with self._lock:
            self._caller = threading.get_ident()
            if self._store is not None:
                self._store.close()

    @_whole
    def verify(self) -> list[tuple[str, list[int]]]:
        """Read everything in the folder again.

        Returns
        -------
        list of tuple
            For each damaged record, what is wrong with it, and the numbers of the versions that have it: the one that
            wrote it, and its descendants that have not written the page again. Other versions can be read. Records
            beyond 100 come as one entry. For each base that is not as it was written, all versions with its array. If
            the folder is gone, one entry says so, for all versions: nothing more is read.
        """
        if self._store is None:
            return []
        self._store.flush()
        versions = list(self._tree.parents())
        what = self._store.misplaced()
        return [(what, versions)] if what else self._store.damaged(self._tree)

    @_whole
    def compact(self) -> None:
        """Rewrite the folder: arrays as of the present version become bases, and unneeded pages are dropped.

        Open readers keep their versions; a reader that is just opening tries again.

        Raises
        ------
        ValueError
            The history is in memory.
        io.UnsupportedOperation
            The history was opened for reading.
        """
        store = self._store
        if store is None:
            raise ValueError("History.compact: this history is in memory; keep(last=...) forgets versions")
        self._see_writable("compact")
        arrays = {number: slot for number, slot in sorted(self._slots.items()) if slot.stored}
        tree, copied = self._compacted(list(arrays.values()), store)
        values = {
            number: (slot.first, slot.tracked.copy_of_committed()[0].to_numpy()) for number, slot in arrays.items()
        }
        self._renew(_Renewal(store.compact(tree, self._now(), values, copied), tree, list(arrays.values())))

    def _compacted(self, slots: list[_Slot], store: "Store") -> tuple[Tree, _Numbers]:
        """Return the tree after `compact`, and the contents to copy for it: all but those that arrays have now."""
        own = np.concatenate([_NONE, *(slot.first + np.arange(slot.held.size) for slot in slots)])
        held = np.concatenate([_NONE, *(slot.held for slot in slots)])
        first = -1 - own
        held = np.where(held == 0, first, held)
        named = unique(np.concatenate([[0], self._tree.contents(), held, first]))
        used = are_in(named, np.concatenate([self._tree.contents(), first[held != first]]))
        new = np.zeros(named.size, np.int64)
        copied = used & ~are_in(named, held) & (named != 0)
        new[copied] = store.arranged(int(copied.sum()))
        new[np.searchsorted(named, held)] = first
        moved = held != first
        known = np.array([0, *(slot.first + slot.held.size for slot in slots)])

        def has(page: _Numbers) -> NDArray[np.bool_]:
            """Tell which pages belong to an array that a version has."""
            return page < known[np.searchsorted([slot.first for slot in slots], page, side="right")]

        tree = self._tree.renumbered(
            lambda numbers: new[np.searchsorted(named, numbers)], has, own[moved], first[moved]
        )
        return tree, named[copied]

    def _see_writable(self, name: str) -> None:
        """Refuse an operation whose result could not be written to the folder."""
        if self._store is not None:
            self._store.see_writable(f"History.{name}")

    def _now(self) -> Present:
        return Present(self._head, self._branch, self._tips)

    def _say(self, head: int, tips: dict[str, int], branch: str) -> None:
        """Write to the folder where the history is about to be."""
        if self._store is not None and self._store.is_writers:
            self._store.put_present(Present(head, branch, tips), self._tree.last)

    def _store_arrays(self, layout: Layout) -> None:
        for _, number in arrays_of(layout):
            slot = self._slots[number]
            if self._store is not None and not slot.stored:
                value, _ = slot.tracked.copy_of_committed()
                self._store.add_array(number, slot.first, value.to_numpy())
                slot.stored = True

    @_whole
    def __getitem__(self, version: int | str) -> Any:
        """Return a version's state: read-only arrays in new containers."""
        number = self._find("getitem", version)
        layout = self._tree[number].layout
        values = {index: self._value(index, number) for _, index in arrays_of(layout)}
        for value in values.values():
            value.setflags(write=False)
        return put_back(layout, None, values)

    # ---- arrays ------------------------------------------------------------------------------------------------------

    def _take(self, value: Any, before: Layout | None, path: str) -> tuple[int, Any]:
        """Return the number of an array in the state, and the array that takes its place."""
        number = self._numbers.get(id(value))
        if number is not None and self._slots[number].tracked.is_itself():
            return number, value
        where = path or "the top"
        if is_fake(value):
            raise TypeError(f"History: the array at {where} is fake, and has no bytes")
        if is_deferred(value):
            raise TypeError(
                f"History: the array at {where} is deferred, and has no bytes yet; call its materialize() first"
            )
        old = self._same_kind(value, before)
        if old is not None:
            self._assigned[old] = value
            self._present.add(old)
            return old, self._slots[old].tracked.array
        return self._new_slot(value, where)

    def _same_kind(self, value: Any, before: Layout | None) -> int | None:
        """Return the number of the array that was in this place, if it has the value's shape and dtype."""
        number = number_of(before)
        slot = None if number is None or number in self._present else self._slots[number]
        if slot is None or not slot.tracked.is_itself():
            return None
        same = slot.tracked.shape == value.shape and slot.tracked.dtype == value.dtype
        return number if same else None

    def _new_slot(self, value: Any, where: str) -> tuple[int, ndarray[Any, Any]]:
        made = array(value)
        if made.dtype.hasobject or made.dtype.kind == "T":
            raise TypeError(
                f"History: elements of {made.dtype!r} at {where} are references, whose values cannot be kept"
            )
        number = self._next
        self._fresh.add(number)
        self._enter(number, _Slot(Tracked(made), self._page_total))
        return number, made

    def _enter(self, number: int, slot: _Slot) -> None:
        self._next = max(self._next, number + 1)
        self._page_total = max(self._page_total, slot.first + slot.tracked.page_count)
        self._slots[number] = slot
        self._numbers[id(slot.tracked.array)] = number

    def _drop_fresh(self) -> None:
        """Drop new arrays that are in no version."""
        if self._fresh and self._step is None:
            kept = {number for _, number in arrays_of(self._tree[self._head].layout)}
            for number in self._fresh - kept:
                self._drop_slot(number)
            self._fresh = set()

    def _drop_slot(self, number: int) -> None:
        slot = self._slots.pop(number, None)
        if slot is not None:
            self._numbers.pop(id(slot.tracked.array), None)

    def _arrays(self) -> dict[int, ndarray[Any, Any]]:
        for number, slot in self._slots.items():
            if not slot.tracked.is_itself():
                self._numbers.pop(id(slot.tracked.array), None)
                slot.tracked.renew()
                self._numbers[id(slot.tracked.array)] = number
        return {number: slot.tracked.array for number, slot in self._slots.items()}

    def _by_slot(self, pages: _Numbers) -> dict[int, slice]:
        """Return, by array, the slice of these sorted pages that belongs to it."""
        found: dict[int, slice] = {}
        for number, slot in self._slots.items():
            start, stop = np.searchsorted(pages, [slot.first, slot.first + slot.tracked.page_count]).tolist()
            if stop > start:
                found[number] = slice(start, stop)
        return found

    def _value(self, number: int, version: int) -> ndarray[Any, Any]:
        """Return a lazy copy of an array as of a version."""
        pages, contents = self._tree.between(self._head, version)
        part = self._by_slot(pages).get(number, slice(0, 0))
        return self._with_pages(number, pages[part], contents[part])

    def _with_pages(self, number: int, pages: _Numbers, contents: _Numbers) -> ndarray[Any, Any]:
        """Return a lazy copy of an array as of the last commit, with other contents in some pages."""
        slot = self._slots[number]
        made, live = slot.tracked.copy_of_committed()
        own = pages - slot.first
        differs = contents != slot.held[own]
        write_pages(live, own[differs], self._contents.get(contents[differs]))
        return made

    # ---- looking -----------------------------------------------------------------------------------------------------

    def _look_at_layout(self) -> Layout:
        known = (self._numbers.get(id(value)) for value in arrays_in(self._state))
        self._present = {number for number in known if number is not None}
        self._assigned = {}
        head = self._tree[self._head].layout
        layout, _ = read(self._state, self._take, head)
        return head if layout == head else layout

    def _changed(self, layout: Layout) -> tuple[_Pages, set[int]]:
        """Return changed pages by array, with their bytes, and the arrays that are yet to get these bytes."""
        found: _Pages = {}
        for number in sorted({number for _, number in arrays_of(layout)}):
            tracked = self._slots[number].tracked
            if number in self._assigned:
                pages, contents, _ = tracked.assigned(self._assigned[number])
            else:
                pages = tracked.changed()
                contents = tracked.live(pages)
            if pages.size:
                found[number] = pages, contents
        return found, set(self._assigned)

    def _see_clean(self, name: str, discard: bool) -> None:
        """Refuse uncommitted changes, or drop them."""
        head = self._tree[self._head].layout
        layout = self._look_at_layout()
        tracked = {number: self._slots[number].tracked for _, number in arrays_of(head)}
        changed = {number: pages for number, each in tracked.items() if (pages := each.changed()).size}
        assigned = any(tracked[number].assigned(value)[2] for number, value in self._assigned.items())
        written = changed.keys() - self._assigned.keys()  # arrays that were replaced do not count
        if (written or assigned or layout != head) and not discard:
            raise ValueError(
                f"History.{name}: the state has changes that are not committed; commit them, or drop them with "
                "discard=True"
            )
        if changed or layout != head or self._assigned:
            self._do(_Step({}, set(), head, (self._head, self._tips, self._branch), discards=True))

    def _take_back(self, numbers: AbstractSet[int]) -> None:
        """Restore arrays to the last commit."""
        for number in numbers:
            tracked = self._slots[number].tracked
            pages = tracked.changed()
            tracked.write(pages, tracked.committed(pages))
            tracked.settle()

    def _see_left(self, version: int) -> None:
        """Restore arrays that are about to enter the state: while out of it, they may have been written to."""
        numbers = [{number for _, number in arrays_of(self._tree[at].layout)} for at in (version, self._head)]
        self._take_back(numbers[0] - numbers[1])

    def _find(self, name: str, version: int | str) -> int:
        if isinstance(version, str):
            number = self._tips.get(version, -1)
        else:
            number = _integer(f"{_called(name)}: a version is a number, or a branch's name", version)
        if number not in self._tree:
            raise KeyError(f"{_called(name)}: there is no version {version!r}")
        return number

    # ---- steps -------------------------------------------------------------------------------------------------------

    def _add(
        self,
        message: str,
        layout: Layout,
        changed: _Pages,
        written: AbstractSet[int],
        merged: int | None,
        *,
        wait: bool = True,
    ) -> int:
        """Add a version of the present state, once the arrays in `written` have these pages."""
        number = self._tree.last + 1
        paths = {index: path for (_, index), path in places_of(layout).items()}
        self._store_arrays(layout)
        after = self._contents.new(sum(own.size for own, _ in changed.values()))
        pages: dict[int, tuple[_Numbers, NDArray[np.uint8], _Numbers, _Numbers]] = {}
        start = 0
        for index, (own, contents) in changed.items():
            pages[index] = own, contents, self._kept(self._slots[index], own), after[start : start + own.size]
            start += own.size
        columns = [np.stack([own + self._slots[index].first, old, new]) for index, (own, _, old, new) in pages.items()]
        counts = {paths.get(index, "array"): int(own.size) for index, (own, *_) in pages.items()}
        version = Version(number, self._head, merged, message, time.time(), counts)
        node = self._tree.node(version, layout, np.concatenate([NO_ENTRIES, *columns], axis=1))
        leaps = self._tree.leaps_of(node)
        if self._store is not None:
            texts = np.concatenate([np.zeros((0, PAGE), np.uint8), *(contents for _, contents, *_ in pages.values())])
            self._store.append(node, leaps, self._branch, texts, wait=wait)
        tips = {**self._tips, self._branch: number}
        self._do(_Step(pages, written, layout, (number, tips, self._branch), (node, leaps)))
        return number

    def _go(self, name: str, version: int, branch: str, discard: bool) -> int:
        """Give the state the values of a version."""
        if discard:
            self._look_at_layout()  # like `_see_clean`, this refuses what no version could have
        else:
            self._see_clean(name, discard)
        self._see_left(version)
        page, content = self._tree.between(self._head, version)
        pages: dict[int, tuple[_Numbers, NDArray[np.uint8], _Numbers, _Numbers]] = {}
        for index, part in self._by_slot(page).items():
            slot = self._slots[index]
            own, wanted = page[part] - slot.first, content[part]
            differs = wanted != slot.held[own]
            own, wanted = own[differs], wanted[differs]
            pages[index] = own, self._contents.get(wanted), self._kept(slot, own), wanted
        place = version, self._tips, branch
        step = _Step(pages, set(pages), self._tree[version].layout, place, is_to_be_said=True, discards=discard)
        self._do(step)  # anything that may refuse comes before anything is dropped
        return version

    def _kept(self, slot: _Slot, own: _Numbers) -> _Numbers:
        """Return the present content numbers of an array's pages, and keep these contents from here on."""
        held = slot.held[own]
        unnamed = held == 0
        held[unnamed] = self._contents.first(own[unnamed] + slot.first)
        slot.held[own] = held
        lack = self._contents.lack(held)
        if lack.any():
            self._contents.keep(held[lack], slot.tracked.committed(own[lack]))
        return held

    def _do(self, step: _Step, tries: int = 3) -> None:
        """Make a step. If interrupted, it is made nevertheless, before the caller can write to the state; if it
        fails, it is undone. If neither can be done here, the next call does it.
        """
        try:
            self._step = step
            self._finish(step)
        except Exception:
            if step.is_to_be_said or self._place is step.place:
                self._step = None
            else:
                self._is_torn = bool(step.written)
                self._undo(step)
            raise
        except BaseException:
            if self._step is step and tries:
                self._do(step, tries - 1)
            raise
        for number in step.pages:
            self._slots[number].tracked.settle()

    def _go_on(self, step: _Step, name: str, *, discard: bool) -> None:
        """Finish a step, or undo it if it could not be finished: the caller may have written to the arrays since."""
        if not self._is_torn:
            self._do(step)
        elif discard:
            self._undo(step)
        else:
            raise ValueError(
                f"{_called(name)}: memory ran out, and the state is between two versions; go to one of them "
                "with discard=True, which drops what was written"
            )

    def _finish(self, step: _Step) -> None:
        """Do a step's work. Idempotent."""
        if step.is_to_be_said:
            self._say(*step.place)
            step.is_to_be_said = False
        if step.added is not None:
            self._tree.add(*step.added)
        if step.discards:
            self._take_back({number for _, number in arrays_of(step.layout)})
        for number, (own, contents, _, _) in step.pages.items():
            if number in step.written:
                self._slots[number].tracked.write(own, contents)
        for number, (own, contents, _, after) in step.pages.items():
            self._slots[number].tracked.commit(own, contents)
            self._slots[number].held[own] = after
        self._state = put_back(step.layout, self._state, self._arrays())
        self._place = step.place
        self._step = None

    def _undo(self, step: _Step) -> None:
        """Put the earlier contents back, by number. Pages that were put once can be put again without memory."""
        if step.added is not None:
            self._tree.drop(step.place[0])
        for number, (own, _, before, _) in step.pages.items():
            slot = self._slots[number]
            contents = self._contents.get(before)
            if number in step.written:
                slot.tracked.write(own, contents)
            slot.tracked.commit(own, contents)
            slot.held[own] = before
        layout, arrays = self._tree[self._head].layout, self._arrays()
        if step.added is not None and step.added[0].version.merged is None:  # as it was to be committed
            layout, arrays = step.layout, {**arrays, **self._assigned}
        with suppress(Exception):  # raised by a container of the user's
            self._state = put_back(layout, self._state, arrays)
        self._step, self._is_torn = None, False
        self._say(self._head, self._tips, self._branch)

    def _renew(self, renewal: _Renewal) -> None:
        """Replace the folder's versions. After an interrupt or a failure, undo or finish it: see `_end_renewal`."""
        assert self._store is not None, "one in memory has its tree alone"
        try:
            self._renewal = renewal
            self._store.replace(renewal.made)
            self._finish_renewal(renewal)
        except BaseException:
            if self._renewal is renewal:
                self._end_renewal(renewal)
            raise

    def _end_renewal(self, renewal: _Renewal, tries: int = 3) -> None:
        """Finish a renewal if the folder has it, and undo it if not. If that cannot be done here, the next call does
        it.
        """
        assert self._store is not None, "as above"
        try:
            if self._store.has(renewal.made):
                self._finish_renewal(renewal)
            else:
                self._store.withdraw(renewal.made)
                self._renewal = None
        except BaseException:
            if self._renewal is renewal and tries:
                self._end_renewal(renewal, tries - 1)
            raise

    def _finish_renewal(self, renewal: _Renewal) -> None:
        """Do a renewal's work. Idempotent."""
        assert self._store is not None, "as above"
        self._store.settle(renewal.made)
        self._tree = self._tree.renewed(renewal.tree)
        for slot in renewal.compacted:
            slot.held[:] = 0
        self._store.end(renewal.made)
        self._renewal = None

    # ---- merging -----------------------------------------------------------------------------------------------------

    def _merged_layout(self, base: int, theirs: int, conflicts: str) -> Layout:
        start, ours, other = (self._tree[number].layout for number in (base, self._head, theirs))
        clashes: list[tuple[str, bool]] = []
        layout = merged(start, ours, other, self._lost_changes(base, theirs), conflicts, clashes)
        assert layout is not None, "each version has a state"
        if clashes and conflicts == "raise":
            dropped = all(has_dropped for _, has_dropped in clashes)
            both = "both have changed plain values, or which arrays there are"
            what = "one has changed an array that the other has no more" if dropped else both
            paths = [path for path, _ in clashes]
            raise MergeConflict(f"History.merge: {what}, at {', '.join(paths)}", [], paths)
        return layout

    def _lost_changes(self, base: int, theirs: int) -> tuple[set[int], set[int]]:
        """Return arrays that the present version changed since the common one and the other dropped; and vice versa."""
        numbers = {at: {index for _, index in arrays_of(self._tree[at].layout)} for at in (base, self._head, theirs)}

        def lost(one: int, other: int) -> set[int]:
            gone = numbers[base] & numbers[one] - numbers[other]
            pages, _ = self._tree.between(base, one)
            written = gone & self._by_slot(pages).keys()
            return {at for at in written if changes(self._value(at, base), self._value(at, one))}

        return lost(self._head, theirs), lost(theirs, self._head)

    def _merged_arrays(self, base: int, theirs: int, layout: Layout, conflicts: str) -> _Pages:
        """Return pages of arrays with the changes of both since their common version."""
        page, _ = self._tree.between(base, theirs)
        written: _Pages = {}
        clashes: list[Changes] = []
        left = {number for _, number in arrays_of(layout)}
        for number, part in self._by_slot(page).items():
            if number not in left:
                continue
            start = Elements("merge", self._value(number, base))
            other = Elements("merge", self._value(number, theirs))
            made = self._value(number, self._head)
            clash = put_changes(made, start, other, find("merge", start, other), conflicts)
            if clash:
                clashes.append(clash)
            own = page[part] - self._slots[number].first
            contents = Tracked.pages_of(made, own)
            differs = (contents != self._slots[number].tracked.committed(own)).any(axis=1)
            if differs.any():
                written[number] = own[differs], contents[differs]
        if clashes and conflicts == "raise":
            boxes = [box for clash in clashes for box in clash.boxes()]
            raise MergeConflict(f"History.merge: both have changed {sum(c.size for c in clashes)} elements", boxes)
        return written

    # ---- shown -------------------------------------------------------------------------------------------------------

    def _rows(self, count: int) -> Iterator[tuple[str, str, str]]:
        """Yield number, first line of the message, and changes of the last versions, the last first."""
        names: dict[int, list[str]] = {}
        for name, tip in self._tips.items():
            names.setdefault(tip, []).append(name)
        for version in self._tree.newest(count):
            mark = " *" if version.number == self._head else ""
            tips = f" ({', '.join(names[version.number])})" if version.number in names else ""
            what = ", ".join(f"{path}: {count * PAGE:,} bytes" for path, count in version.pages.items())
            yield f"{version.number}{mark}{tips}", next(iter(version.message.splitlines()), ""), what

    def _shown(self, count: int) -> tuple[int, list[tuple[str, str, str]]]:
        """Return the number of versions, and the rows of the last ones, as of one point in time."""
        with self._lock:
            while True:
                versions, rows = len(self), list(self._rows(count))
                if versions == len(self):  # otherwise a destructor has committed
                    return versions, rows

    def _closed(self) -> str:
        """Return the text for a closed history; empty if it is open."""
        if self._store is not None and self._store.contents.closed:
            return f"<cowarray.History in {self._store.folder}, closed>"
        return ""

    def __repr__(self) -> str:
        if closed := self._closed():
            return closed
        versions, rows = self._shown(20)
        lines = ["  ".join(part for part in row if part) for row in rows]
        lines += [f"and {versions - len(rows)} before"] if versions > len(rows) else []
        return f"<cowarray.History of {_counted(versions)}, {self.own_nbytes:,} bytes>\n" + "\n".join(lines)

    def _repr_html_(self) -> str:
        if closed := self._closed():
            return escape(closed)
        versions, shown = self._shown(50)
        rows = "".join("<tr>" + "".join(f"<td>{escape(part)}</td>" for part in row) + "</tr>" for row in shown)
        return (
            f"<table><caption>{_counted(versions)}, {self.own_nbytes:,} bytes</caption>"
            f"<tr><th>version</th><th>message</th><th>changed</th></tr>{rows}</table>"
        )
