"""A run's log is DTR's, letter for letter: what is written is read back, and what is not of that format is refused."""

import errno
import gc
import os
import subprocess
import sys
import textwrap

import pytest
from hypothesis import given
from hypothesis import strategies as st

from cowarray._modes.budget.run_log import (
    Annotate,
    Call,
    Constant,
    Copy,
    CopyFrom,
    Mutate,
    Pin,
    Release,
    Result,
    RunLog,
    read_log,
)

# Every instruction, as the authors' C++ writes it: keys in order, no spaces, numbers as text, indices as numbers.
EXAMPLE = """\
{"ANNOTATION":"START","INSTRUCTION":"ANNOTATE"}
{"INSTRUCTION":"CONSTANT","NAME":"x1"}
{"INSTRUCTION":"MEMORY","MEMORY":"3456","NAME":"x1"}
{"DST":"x2","INSTRUCTION":"COPY","SRC":"x1"}
{"ARGS":["x1","x2"],"INSTRUCTION":"CALL","NAME":"divmod","RESULT":["x3","x4"],"TIME":"621158"}
{"INSTRUCTION":"MEMORY","MEMORY":"128","NAME":"x3"}
{"ALIAS":"-1","INSTRUCTION":"ALIAS","NAME":"x3"}
{"INSTRUCTION":"MEMORY","MEMORY":"3456","NAME":"x4"}
{"ALIAS":"1","INSTRUCTION":"ALIAS","NAME":"x4"}
{"ARGS":["x3","x1"],"INSTRUCTION":"MUTATE","MUTATE":[0],"NAME":"add_","TIME":"0"}
{"DST":"x2","INSTRUCTION":"COPY_FROM","SRC":"x3"}
{"INSTRUCTION":"RELEASE","NAME":"x2"}
{"ANNOTATION":"BACKWARD","INSTRUCTION":"ANNOTATE"}
{"INSTRUCTION":"PIN","NAME":"x3"}
"""
RECORDS = [
    (1, Annotate("START")),
    (2, Constant("x1", 3456)),
    (4, Copy("x2", "x1")),
    (5, Call("divmod", (Result("x3", 128, -1), Result("x4", 3456, 1)), ("x1", "x2"), 621158)),
    (10, Mutate("add_", ("x3", "x1"), (0,), 0)),
    (11, CopyFrom("x2", "x3")),
    (12, Release("x2")),
    (13, Annotate("BACKWARD")),
    (14, Pin("x3")),
]


def write(log, record):
    methods = {
        Constant: log.constant,
        Call: log.call,
        Mutate: log.mutate,
        Copy: log.copy,
        CopyFrom: log.copy_from,
        Release: log.release,
        Pin: log.pin,
        Annotate: log.annotate,
    }
    methods[type(record)](*record)


def test_it_is_written_letter_for_letter(tmp_path):
    path = tmp_path / "run.log"
    with RunLog(path) as log:  # begins with START
        for _, record in RECORDS[1:]:
            write(log, record)
    assert path.read_text() == EXAMPLE


def test_it_is_read(tmp_path):
    path = tmp_path / "run.log"
    path.write_text(EXAMPLE)
    assert list(read_log(path)) == RECORDS
    path.write_text(EXAMPLE[:-1])  # the last line is whole
    assert list(read_log(path)) == RECORDS


names = st.text()
sizes = st.integers(0, 2**63 - 1)
records = st.one_of(
    st.builds(Constant, names, sizes),
    st.builds(Copy, names, names),
    st.builds(CopyFrom, names, names),
    st.builds(Release, names),
    st.builds(Pin, names),
    st.builds(Annotate, names),
    st.lists(names, min_size=1).flatmap(
        lambda args: st.builds(
            Mutate,
            names,
            st.just(tuple(args)),
            st.lists(st.integers(0, len(args) - 1), unique=True).map(tuple),
            sizes,
        )
    ),
    st.lists(names).flatmap(
        lambda args: st.builds(
            Call,
            names,
            st.lists(st.builds(Result, names, sizes, st.integers(-1, len(args) - 1))).map(tuple),
            st.just(tuple(args)),
            sizes,
        )
    ),
)


@given(st.lists(records))
def test_what_is_written_is_read_back(tmp_path_factory, known):
    path = tmp_path_factory.mktemp("logs") / "run.log"
    with RunLog(path) as log:
        for record in known:
            write(log, record)
    assert [record for _, record in read_log(path)] == [Annotate("START"), *known]
    text = path.read_bytes()
    assert text.isascii()
    assert b": " not in text.replace(b'": "', b"") or any(": " in str(record) for record in known)


@pytest.mark.parametrize(
    ("line", "text", "reason"),
    [
        (1, "hello", "no JSON: b'hello'"),
        (1, "", "no JSON"),
        (3, "\xff", "no JSON"),
        (2, '{"NAME":"x1"}', "no INSTRUCTION"),
        (2, '["CONSTANT"]', "no INSTRUCTION"),
        (2, "[" * 100_000, "no JSON"),
        (2, '{"INSTRUCTION":"ALLOCATE","NAME":"x1"}', "unknown INSTRUCTION"),
        (2, '{"INSTRUCTION":"CONSTANT"}', "CONSTANT has the keys NAME"),
        (2, '{"INSTRUCTION":"CONSTANT","NAME":"x1","SIZE":"3"}', "CONSTANT has the keys NAME"),
        (2, '{"INSTRUCTION":"CONSTANT","NAME":1}', "NAME cannot be 1"),
        (3, '{"INSTRUCTION":"RELEASE","NAME":"x1"}', "MEMORY of 'x1' should be here, not RELEASE"),
        (3, '{"INSTRUCTION":"MEMORY","MEMORY":"3456","NAME":"x2"}', "MEMORY of 'x1' should be here"),
        (3, '{"INSTRUCTION":"MEMORY","MEMORY":3456,"NAME":"x1"}', "MEMORY cannot be 3456"),
        (3, '{"INSTRUCTION":"MEMORY","MEMORY":"-1","NAME":"x1"}', "MEMORY cannot be '-1'"),
        (3, '{"INSTRUCTION":"MEMORY","MEMORY":"","NAME":"x1"}', "MEMORY cannot be ''"),
        (3, '{"INSTRUCTION":"MEMORY","MEMORY":"' + "1" * 5000 + '","NAME":"x1"}', "MEMORY cannot be"),
        (3, '{"INSTRUCTION":"MEMORY","MEMORY":"9223372036854775808","NAME":"x1"}', "MEMORY cannot be"),
        (4, '{"INSTRUCTION":"MEMORY","MEMORY":"3456","NAME":"x1"}', "belongs to no line before it"),
        (7, '{"ALIAS":"-2","INSTRUCTION":"ALIAS","NAME":"x3"}', "ALIAS cannot be '-2'"),
        (5, '{"ARGS":["x1"],"INSTRUCTION":"CALL","NAME":"f","RESULT":["x3","x4"],"TIME":"6"}', "argument 1 of 1"),
        (5, '{"ARGS":["x1"],"INSTRUCTION":"CALL","NAME":"f","RESULT":["x3",4],"TIME":"6"}', "RESULT cannot be"),
        (10, '{"ARGS":["x3"],"INSTRUCTION":"MUTATE","MUTATE":[1],"NAME":"f","TIME":"0"}', "indices of ARGS"),
        (10, '{"ARGS":["x3"],"INSTRUCTION":"MUTATE","MUTATE":[0,0],"NAME":"f","TIME":"0"}', "indices of ARGS"),
        (10, '{"ARGS":["x3"],"INSTRUCTION":"MUTATE","MUTATE":["0"],"NAME":"f","TIME":"0"}', "MUTATE cannot be"),
    ],
)
def test_a_foreign_line_is_named(tmp_path, line, text, reason):
    path = tmp_path / "run.log"
    lines = EXAMPLE.splitlines()
    lines[line - 1] = text
    path.write_text("\n".join(lines) + "\n", encoding="latin-1")
    with pytest.raises(ValueError, match=reason) as caught:
        list(read_log(path))
    assert str(caught.value).startswith(f"{path}, line {line}: ")
    assert len(str(caught.value)) < len(str(path)) + 250


def read_or_fail(path):
    """The records up to what is wrong, and what the error says."""
    found = []
    try:
        for each in read_log(path):
            found.append(each)
    except ValueError as error:
        return found, str(error)
    return found, ""


def test_a_truncated_log_is_named_wherever_it_was_cut(tmp_path):
    path = tmp_path / "run.log"
    starts = [line for line, _ in RECORDS]
    whole = 0
    for end in range(len(EXAMPLE)):
        path.write_text(EXAMPLE[:end])
        found, error = read_or_fail(path)
        assert found == RECORDS[: len(found)]
        # The line that was begun and not ended, if there is one, and that which should be the next.
        begun = EXAMPLE[:end].count("\n") + 1
        is_cut = EXAMPLE[end] != "\n" and not EXAMPLE[:end].endswith("\n") and end > 0
        following = begun + (EXAMPLE[end] == "\n")
        if is_cut:
            assert f"line {begun}: it is no JSON, and the log ends in the middle of it" in error
        elif following in starts or following > 14:
            assert error == ""
            whole += 1
        elif end:
            record = max(line for line in starts if line < following)
            assert f"line {record}: the log ends where" in error
    assert whole == 2 * len(RECORDS)


def test_a_full_disk_does_no_harm_and_is_told_at_the_end(monkeypatch):
    if not os.path.exists("/dev/full"):
        pytest.skip("no /dev/full")
    monkeypatch.setattr(RunLog, "LEAST", 100)
    log = RunLog("/dev/full")
    for _ in range(100):
        log.release("x")
    with pytest.raises(OSError, match=os.strerror(errno.ENOSPC)):
        log.close()
    log.close()
    log.release("x")


def test_the_program_may_close_the_log_and_open_its_own_file(tmp_path):
    log = RunLog(tmp_path / "run.log")
    number = log._lines.file.number()
    theirs = os.open(tmp_path / "theirs", os.O_RDWR | os.O_CREAT)
    os.dup2(theirs, number)
    log.release("x")
    with pytest.raises(OSError, match="the program has closed"):
        log.close()
    assert os.fstat(number).st_size == 0
    os.close(number)  # it is open: nobody has closed it
    os.close(theirs)


def test_what_is_left_is_written_when_the_log_dies(tmp_path):
    path = tmp_path / "run.log"
    log = RunLog(path)
    log.release("x")
    del log
    gc.collect()
    assert [record for _, record in read_log(path)] == [Annotate("START"), Release("x")]


def test_the_end_of_a_program_writes_what_is_left_and_a_forked_child_nothing(tmp_path):
    path = tmp_path / "run.log"
    program = textwrap.dedent("""
        import os, sys
        from cowarray._modes.budget.run_log import RunLog
        log = RunLog(sys.argv[1])
        log.release("before")
        child = os.fork()
        if child:
            assert os.waitpid(child, 0)[1] == 0
            log.release("after")
        else:
            for _ in range(RunLog.LEAST):
                log.release("in the child")
            log.close()
    """)
    subprocess.run([sys.executable, "-c", program, path], check=True)
    assert [record for _, record in read_log(path)] == [Annotate("START"), Release("before"), Release("after")]


def test_the_parser_of_dtr_reads_it(tmp_path):
    parse = pytest.importorskip("simrd.parse", reason="simrd, of uwsampl/dtr-prototype, is not on the path")
    path = tmp_path / "run.log"
    with RunLog(path) as log:
        for _, record in RECORDS[1:-1]:  # it knows no PIN, though DTR writes it
            write(log, record)
    with open(path) as file:
        graph = parse.parse_file(file)
    assert sorted(op.name.split("/")[0] for op in graph.ops.values()) == ["add_", "constant", "divmod"]
    [divmod_] = [op for op in graph.ops.values() if op.name.startswith("divmod")]
    assert (divmod_.cost, divmod_.size, divmod_.alias) == (621158, (128, 0), (-1, 1))
