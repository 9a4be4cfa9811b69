"""The models of the protocol, their faults and docs/models.md name the same things; `make model` runs the models."""

import os
import re
import subprocess
import sys

import pytest
from support.sources import ROOT, load

MODEL = ROOT / "tests" / "model"
HEADING = "## Which line needs which model"


@pytest.fixture(scope="module")
def run():
    """tests/model/run.py as a module."""
    with pytest.MonkeyPatch.context() as patch:  # which puts all of the path back
        patch.syspath_prepend(MODEL)
        module = load(MODEL / "run.py")
    sys.modules.pop("mutants")
    return module


def rows():
    """The table's rows, each as five cells: the line of the protocol, spin, relacy, GenMC, faults."""
    section = (ROOT / "docs" / "models.md").read_text().partition(HEADING)[2].partition("\n## ")[0]
    lines = [line for line in section.splitlines() if line.startswith("|")][2:]
    return [[cell.strip() for cell in line.strip("|").split(" | ")] for line in lines]


def named(cell):
    return set(re.findall(r"`([A-Za-z_]+)`", cell))


def faults(cell):
    return {name for name in named(cell) if name.isupper()}, set(re.findall(r"\*(.*?)\*", cell))


def column(index):
    return set().union(*(named(row[index]) for row in rows()))


def test_the_table_has_five_columns():
    assert len(rows()) > 25
    assert {len(row) for row in rows()} == {5}


def test_each_spin_model_is_in_the_table():
    models = {path.stem for path in (MODEL / "spin").glob("*.pml")} - {"protocol"}
    assert models
    assert column(1) == models


def test_each_relacy_client_is_in_the_table():
    source = (MODEL / "relacy" / "clients.cpp").read_text()
    clients = set(re.findall(r"^struct (\w+) : client \{", source, re.MULTILINE))
    assert clients
    assert set(re.findall(r"&the<(\w+)>", source)) == clients, "each client is run"
    assert column(2) == clients


def test_each_genmc_client_is_in_the_table():
    clients = {path.stem for path in (MODEL / "genmc").glob("*.c")}
    assert clients
    assert column(3) == clients


def test_each_fault_is_in_the_table_beside_the_models_that_find_it(run):
    spin, core = {}, {}
    for _, models, _, clients, cell in rows():
        capitals, italics = faults(cell)
        spin |= {fault: named(models) for fault in capitals}
        core |= {fault: named(clients) for fault in italics}
    assert set(spin) == set(run.SPIN)
    assert set(core) == set(run.CORE)
    for fault, models in run.SPIN.items():
        assert set(models) & spin[fault], fault
    assert set(run.GENMC) <= set(run.CORE)
    for fault, client in run.GENMC.items():
        assert client in core[fault], fault


def test_genmc_runs_each_fault_in_whose_row_it_has_a_client(run):
    claimed = set().union(*(faults(row[4])[1] for row in rows() if named(row[3])))
    assert claimed == set(run.GENMC)


def test_each_fault_still_fits_the_sources(run, tmp_path):
    for name, replacements in run.CORE.items():
        directory = tmp_path / re.sub(r"\W+", "-", name)
        directory.mkdir()
        run.faulty_core(directory, [*run.CHECKED, *replacements])


def test_a_fault_that_no_longer_fits_is_refused(run, tmp_path):
    with pytest.raises(run.Failure, match=r"0 places in gate\.c"):
        run.faulty_core(tmp_path, [("gate.c", "no such line", "")])


def test_each_spin_fault_is_one_that_the_models_know(run):
    source = "".join(
        (MODEL / "spin" / f"{name}.pml").read_text()
        for name in ("protocol", "fork", "ground", "bases", "leases", "pasts", "pasts_again", "gone")
    )
    known = set(re.findall(r"(?:#ifn?def |defined\()([A-Z_]{8,})", source)) - {"STORAGES"}
    assert known == set(run.SPIN)


def test_a_checker_that_is_missing_is_reported(tmp_path):
    environment = {**os.environ, "PATH": str(tmp_path), "CXX": "no-such-compiler", "GENMC": ""}
    done = subprocess.run(
        [sys.executable, MODEL / "run.py", "nothing-is-named-so"],
        env=environment, capture_output=True, text=True, check=False,
    )  # fmt: skip
    skipped = re.findall(r"^skipped: .*: (\w+) is not installed$", done.stdout, re.MULTILINE)
    assert skipped == ["spin", "relacy", "genmc"], done.stdout + done.stderr
    assert done.returncode == 1, "a run that checked nothing has not passed"
