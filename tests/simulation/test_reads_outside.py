"""`simulate` tells of bytes that went out for reading, and were written afterwards: whoever has them sees that."""

import ctypes
import os
import subprocess
import sys
import warnings

import numpy as np
import pytest
from support.limits import LONGEST

import cowarray as ca

DOORS = {
    "memoryview(x)": lambda x: memoryview(x),
    "x.data": lambda x: x.data,
    "x.__array__()": lambda x: x.__array__(),
    "np.asarray(x)": lambda x: np.asarray(x),
    "np.asarray(x)[1:]": lambda x: np.asarray(x)[1:],
}
WRITES = {
    "an element": lambda x: x.__setitem__(2, 9),
    "a part": lambda x: x.__setitem__(slice(1, 3), 9),
    "an update": lambda x: x.__iadd__(1),
    "fill": lambda x: x.fill(3),
    "out": lambda x: np.add(x, 1, out=x),
    "through a view": lambda x: x[::-1].fill(2),
    "through a would-be copy": lambda x: x.reshape(2, 2).fill(2),
}


def found_in(program):
    with warnings.catch_warnings(action="ignore"), ca.simulate() as found:
        kept = program()
    return [each for each in found if each.kind == "read outside"], kept


@pytest.mark.parametrize("door", DOORS)
@pytest.mark.parametrize("write", WRITES)
def test_a_write_that_a_reader_outside_sees_is_reported(door, write):
    def program():
        x = ca.zeros(4)
        export = DOORS[door](x)
        WRITES[write](x)
        return x, export

    found, (_, export) = found_in(program)
    assert [each.operation for each in found] == ["export"]
    assert "sees" in str(found[0])
    assert "snapshot" in str(found[0])
    assert np.asarray(export).any()


POINTERS = {
    "np.asmatrix": lambda x: np.asmatrix(x),
    "ctypes": lambda x: np.ctypeslib.as_array(x.ctypes.data_as(ctypes.POINTER(ctypes.c_double)), x.shape),
    "DLPack": lambda x: np.from_dlpack(x),
    "to_numpy": lambda x: x.to_numpy(writable=True),
}


@pytest.mark.parametrize("door", POINTERS)
@pytest.mark.parametrize("write", WRITES)
@pytest.mark.parametrize("leaves", ["the base", "the would-be copy", "another one"])
def test_a_write_through_an_alias_that_a_pointer_outside_sees_is_reported(door, write, leaves):
    def program():
        x = ca.zeros(4)
        y, z = x.ravel(), x.ravel()
        export = POINTERS[door]({"the base": x, "the would-be copy": y, "another one": z}[leaves])
        WRITES[write](x if leaves == "the would-be copy" else y)
        return x, y, z, export

    found, (*_, export) = found_in(program)
    assert {each.operation for each in found} == {"export"}
    assert {each.copied_by for each in found} == {f"ndarray.{'reshape' if 'copy' in write else 'ravel'}"}
    assert "copies, and it does not" in str(found[0])
    assert np.asarray(export).any()


def test_an_element_with_fields_sees_a_write():
    def program():
        x = ca.zeros(4, [("a", int)])
        x[0]["a"] = 1
        element = x[1]
        x["a"] = 3
        return element["a"]

    found, value = found_in(program)
    assert value == 3
    assert [each.operation for each in found] == ["export"]


QUIET = {
    "nothing is written": lambda x: np.asarray(x),
    "it is written before": lambda x: (x.fill(1), np.asarray(x)),
    "the reader is gone": lambda x: (np.asarray(x).sum(), x.fill(1)),
    "what is read is not what is written": lambda x: (memoryview(x[:2]), x[2:].fill(1)),
    "a writable export is an alias in any case": lambda x: (x.to_numpy(writable=True), x.fill(1)),
    "a view of a writable export's is one": lambda x: (x[1:].to_numpy(writable=True), x[::-1].fill(1)),
    "a copy is": lambda x: (np.asarray(x.copy()), x.fill(1)),
}


@pytest.mark.parametrize("case", QUIET)
def test_nothing_is_reported_where(case):
    found, _ = found_in(lambda: QUIET[case](ca.zeros(4)))
    assert found == []


def test_an_error_comes_at_the_write():
    with ca.simulate(error=True):
        x = ca.zeros(4)
        export = memoryview(x)
        with pytest.raises(ca.AliasingError, match="what was exported here"):
            x[0] = 1
        with pytest.raises(ca.AliasingError):
            x += 1
    assert export[0] in (0, 1, 2)


@pytest.mark.parametrize("expression", ["memoryview(x)", "np.frombuffer(x)", "x.__array__()", "x.data"])
def test_the_command_finds_each_door(expression, tmp_path):
    text = f"import numpy as np\nx = np.zeros(4)\ny = {expression}\nx[0] = 99.0\nprint(float(y[0]))\n"
    (tmp_path / "script.py").write_text(text)
    command = [sys.executable, "-m", "cowarray", "simulate", "script.py"]
    result = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, timeout=LONGEST, env=os.environ)
    assert (result.stdout, result.returncode) == ("99.0\n", 1)
    assert "script.py:4: seen through an alias" in result.stderr


def test_two_writes_of_one_line_are_told_each_once():
    def halves(seen):
        x = ca.zeros(8)
        kept = np.asarray(seen(x))
        np.divmod(np.arange(4.0), 4.0, out=(x[:4], x[4:]))
        return x, kept

    for seen, times in ((lambda x: x[4:], 1), (lambda x: x, 2)):
        found, _ = found_in(lambda seen=seen: halves(seen))
        assert [(each.nbytes, each.times) for each in found] == [(32, times)]


def test_a_report_that_is_raised_leaves_nothing_to_later_exports():
    found = ca.simulate()
    with found:
        x = ca.zeros(8)
        y = x.ravel()
        y[0] = 1
        with warnings.catch_warnings(action="error"), pytest.raises(UserWarning):
            x.to_numpy(writable=True)
    with warnings.catch_warnings(action="ignore"):
        kept = x.to_numpy(writable=True)
        y[1] = 5
    assert kept[0] == 1
    assert not [each for each in found if each.kind == "read outside"]
