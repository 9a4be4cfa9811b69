"""The docstring of every public name is complete and agrees with the table of operations, by docs/docstrings.py.

Faulty ones are planted here, and each is found.
"""

import subprocess
import sys

import pytest
from support.sources import ROOT, load

SCRIPT = ROOT / "docs" / "docstrings.py"


@pytest.fixture(scope="module")
def docstrings():
    pytest.importorskip("numpydoc", reason="numpydoc is not installed; `make lint` and `make check` install it")
    return load(SCRIPT)


def codes(docstrings, function, name="cowarray.planted"):
    return {text.partition(":")[0] for text in docstrings.faults(name, function)}


def whole(x, shift=0):
    """Move elements.

    Parameters
    ----------
    x : array_like
    shift : int, default 0
        Places to move by.

    Returns
    -------
    ndarray
        A copy, made at once.
    """
    return x


def test_every_public_docstring_is_complete(docstrings):
    result = subprocess.run([sys.executable, str(SCRIPT)], capture_output=True, text=True)
    assert (result.returncode, result.stderr) == (0, "")
    assert result.stdout.startswith("docstrings: ")


def test_functions_methods_and_attributes_of_all_modules_are_walked(docstrings):
    names = docstrings.public_names()
    assert len(names) >= docstrings.FEWEST
    assert set(names) >= {
        "cowarray.add",
        "cowarray.fft.fft",
        "cowarray.linalg.svd",
        "cowarray.ndarray.T",
        "cowarray.ndarray.sort",
        "cowarray.random.Generator.normal",
        "cowarray.Storage.nbytes",
    }
    assert len({"cowarray.abs", "cowarray.absolute"} & set(names)) == 1
    assert not {"cowarray.float64", "cowarray.linalg.LinAlgError", "cowarray.pi"} & set(names)


def test_a_whole_docstring_has_no_faults(docstrings):
    assert docstrings.faults("cowarray.planted", whole) == []


@pytest.mark.parametrize(
    ("code", "right", "wrong"),
    [
        ("SS01", "Move elements.\n", "\n"),
        ("SS03", "Move elements.\n", "Move elements\n"),
        ("PR01", "    shift : int, default 0\n        Places to move by.\n", ""),
        ("PR02", "    shift : int", "    places : int"),
        (
            "PR03",
            "    x : array_like\n    shift : int, default 0\n",
            "    shift : int, default 0\n    x : array_like\n",
        ),
        ("PR04", "    x : array_like\n", "    x\n"),
        ("PR09", "Places to move by.", "Places to move by"),
        ("RT01", "    Returns\n    -------\n    ndarray\n        A copy, made at once.\n", ""),
        ("RT05", "made at once.", "made at once"),
        ("GL06", "    Returns\n    -------\n", "    Outcome\n    -------\n"),
        ("GL07", "    Parameters\n", "    Raises\n    ------\n    ValueError\n        Always.\n\n    Parameters\n"),
        ("CA02", "A copy, made at once.", "Of the shape of x."),
    ],
)
def test_a_planted_fault_is_found(docstrings, monkeypatch, code, right, wrong):
    text = whole.__doc__.expandtabs()
    if right not in text:  # Python from 3.13 on takes the indentation away
        right, wrong = (part.replace("\n    ", "\n").removeprefix("    ") for part in (right, wrong))
    assert right in text
    monkeypatch.setattr(whole, "__doc__", text.replace(right, wrong))
    assert code in codes(docstrings, whole)


def test_a_function_without_a_docstring_is_found_in_each_public_module(docstrings, monkeypatch):
    assert len(docstrings.SPACES) >= 8
    monkeypatch.setattr(whole, "__doc__", None)
    monkeypatch.setattr(whole, "__module__", "cowarray")
    for space in docstrings.SPACES:
        with monkeypatch.context() as patch:
            patch.setattr(space, "planted", whole, raising=False)
            patch.setattr(space, "__all__", [*space.__all__, "planted"])
            assert docstrings.public_names()[f"{space.__name__}.planted"] is whole
    assert codes(docstrings, whole) == {"GL08"}


@pytest.mark.parametrize(("name", "result"), [("cowarray.flip", "view"), ("cowarray.sum", "fresh")])
def test_a_docstring_that_says_otherwise_than_the_table_is_found(docstrings, name, result):
    assert docstrings.row_of(name).result == result
    assert codes(docstrings, whole, name) == {"CA04"}
    assert codes(docstrings, whole, "cowarray.roll") == set()


def test_a_parameter_that_is_written_has_to_say_so(docstrings):
    def put(a, ind, v, mode="raise"):
        """Write values.

        Parameters
        ----------
        a : ndarray
        ind : array_like of int
        v : array_like
        mode : str, default 'raise'
        """

    assert codes(docstrings, put, "cowarray.put") == {"CA05"}


def test_an_attribute_says_its_type_and_what_it_aliases(docstrings):
    assert codes(docstrings, property(doc="The elements.")) == {"CA01"}
    assert codes(docstrings, property(doc="ndarray: The elements.")) == {"CA02"}
    assert codes(docstrings, property(doc="ndarray: View of the elements.")) == set()


def test_a_compiled_function_has_to_say_what_it_returns(docstrings):
    assert "CA03" in codes(docstrings, len)


def test_too_few_names_stop_the_check(docstrings, monkeypatch):
    monkeypatch.setattr(docstrings, "FEWEST", 10**6)
    with pytest.raises(SystemExit, match=r"found [0-9]+ public names"):
        docstrings.main()


@pytest.mark.sampled
def test_a_fault_in_the_library_fails_the_check(docstrings, monkeypatch):
    import cowarray

    monkeypatch.setattr(cowarray.roll, "__doc__", cowarray.roll.__doc__.replace("shift : int", "by : int"))
    with pytest.raises(SystemExit, match=r"cowarray\.roll: PR01"):
        docstrings.main()
