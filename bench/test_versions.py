"""The programs that measure versions, saves and processes run, and measure what they say: at a small size."""

import between_processes
import checkpoints
import history
import other_means
import saves


def test_versions_in_memory_and_in_a_folder(capsys):
    history.main(["--mib", "8", "--versions", "5", "20", "--stored", "5"])
    lines = capsys.readouterr().out.splitlines()
    assert [line.split()[0] for line in lines if " ms  " in line] == ["5", "20", "5"]
    assert lines[-1].startswith("  opened in")


def test_every_library_reads_back_what_it_wrote(capsys):
    """`measure` compares them."""
    checkpoints.main(["--mib", "0.25", "--versions", "4"])
    lines = capsys.readouterr().out.splitlines()
    for name in checkpoints.LIBRARIES:
        assert sum(f" | {name}" in line for line in lines) == 3


def test_a_save_beside_a_program_is_of_its_call():
    assert saves.main(["--mib", "16"]) == [True] * 7


def test_an_array_goes_to_a_worker_and_back_in_each_way(capsys):
    between_processes.main(["--mib", "8", "--rounds", "1"])
    lines = capsys.readouterr().out.splitlines()
    assert len(lines) == 9
    assert lines[2].startswith("| cowarray, by descriptor | ")


def test_every_means_leaves_its_source_alone(capsys):
    other_means.main(["--mib", "8", "--rounds", "1", "--steps", "2", "--means", "numpy", "--means", "cowarray"])
    other_means.main(["--mib", "8", "--rounds", "1", "--steps", "2", "--means", "fork"])
    rows = [line.split(" | ")[0] for line in capsys.readouterr().out.splitlines() if "---" not in line]
    header = "| 8 MiB, an element changed"
    assert rows == [header, "| numpy", "| cowarray", header, "| fork"]
