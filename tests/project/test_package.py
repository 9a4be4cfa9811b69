"""The package as users get it: an sdist, a wheel built from it, and an environment with nothing but that and NumPy."""

import os
import platform
import re
import shutil
import subprocess
import sys
import tarfile
import tomllib
import zipfile
from pathlib import Path

import pytest
from support.sources import ROOT, files

PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]

# Whose wheel it is: the Makefile takes the newest at hand.
WHEEL_PYTHON = shutil.which(os.environ.get("WHEEL_PYTHON") or sys.executable)

pytestmark = pytest.mark.package


def run(*command, **kwargs):
    result = subprocess.run([str(part) for part in command], capture_output=True, text=True, **kwargs)
    assert result.returncode == 0, f"{command} failed:\n{result.stdout}\n{result.stderr}"
    return result.stdout


@pytest.fixture(scope="module")
def dist():
    """The directory with the sdist and the wheel that was built from the sdist, not from the checkout.

    `make oldest` and `make newest` take the wheel from there.
    """
    directory = ROOT / "build" / "package"
    shutil.rmtree(directory, ignore_errors=True)
    run(sys.executable, "-m", "build", "--no-isolation", "--sdist", "--outdir", directory, ROOT)
    [sdist] = directory.iterdir()
    run(sys.executable, "-m", "pip", "--python", WHEEL_PYTHON, "wheel", "-q", "--no-deps", "-w", directory, sdist)
    return directory


@pytest.fixture(scope="module")
def wheel(dist):
    [path] = dist.glob("*.whl")
    return path


@pytest.fixture(scope="module")
def python(wheel, tmp_path_factory):
    """The interpreter of a clean environment, without pip, in which the wheel is installed."""
    directory = tmp_path_factory.mktemp("clean")
    run(WHEEL_PYTHON, "-m", "venv", "--without-pip", directory)
    python = directory / "bin" / "python"
    run(sys.executable, "-m", "pip", "--python", python, "install", "-q", wheel)
    return python


def test_sdist_holds_the_sources_and_nothing_that_was_built(dist):
    [path] = dist.glob("*.tar.gz")
    with tarfile.open(path) as tar:
        names = {name.partition("/")[2] for name in tar.getnames()}
    settings = {
        "Makefile",
        "LICENSE",
        "constraints.txt",
        "flags.mk",
        ".clang-format",
        ".pre-commit-config.yaml",
        ".ci/run",
    }
    endings = (".c", ".h", ".md", ".pml", ".pxd", ".py", ".pyi", ".pyx", ".sh", ".txt", ".yaml")
    assert (settings | {str(path.relative_to(ROOT)) for path in files(*endings)}) - names == set()
    built = (".so", ".o", ".pyc"), ("build/", "src/cowarray/include/")
    assert [name for name in names if name.endswith(built[0]) or name.startswith(built[1])] == []


def test_sdist_of_an_unpacked_sdist_is_the_same_bytes(dist, tmp_path):
    """Built elsewhere, later, by somebody with another umask, without git."""
    [path] = dist.glob("*.tar.gz")
    with tarfile.open(path) as tar:
        tar.extractall(tmp_path, filter="data")
    [unpacked] = tmp_path.iterdir()
    environment = {name: value for name, value in os.environ.items() if name != "SOURCE_DATE_EPOCH"}
    run(sys.executable, "-m", "build", "--no-isolation", "--sdist", unpacked, umask=0o077, env=environment)
    assert (unpacked / "dist" / path.name).read_bytes() == path.read_bytes()


@pytest.mark.skipif(not (ROOT / ".git").exists(), reason="no checkout: what is tracked is not known")
def test_sdist_holds_what_is_tracked_and_what_setuptools_writes(dist):
    [path] = dist.glob("*.tar.gz")
    with tarfile.open(path) as tar:
        names = {member.name.partition("/")[2] for member in tar if member.isfile()}
    tracked = set(run("git", "ls-files", cwd=ROOT).splitlines())
    written = {"PKG-INFO", "setup.cfg"} | {name for name in names if name.startswith("src/cowarray.egg-info/")}
    assert (names - written) ^ (tracked - {".gitignore"}) == set()


@pytest.mark.skipif(platform.libc_ver()[0] != "glibc", reason="auditwheel reads the wheels of Linux with glibc here")
def test_wheel_needs_no_library_but_the_systems(wheel):
    said = run(sys.executable, "-m", "auditwheel", "show", wheel)
    assert re.search(r'platform tag:\s+"manylinux_2_\d+_', said), said
    versioned = re.findall(r"\b(lib[\w.+-]+\.so[\d.]*) with versions", said)
    assert versioned == ["libc.so.6"], said


def test_a_newcomers_examples_run_where_it_was_installed(python, tmp_path):
    assert "examples pass" in run(python, "-I", ROOT / "tools" / "tour.py", cwd=tmp_path)


def test_wheel_holds_what_runs_and_what_others_compile_against(wheel):
    with zipfile.ZipFile(wheel) as archive:
        names = set(archive.namelist())
    inside = {name for name in names if name.startswith("cowarray/")}
    expected = {f"cowarray/include/cowarray/{path.name}" for path in ROOT.glob("include/cowarray/*.h")}
    package = ROOT / "src"
    expected |= {str(path.relative_to(package)) for path in package.glob("cowarray/**/*.py")}
    expected |= {str(path.relative_to(package)) for path in package.glob("cowarray/**/*.pyi")}
    expected |= {"cowarray/py.typed"}
    extensions = {name for name in inside if name.endswith(".so")}
    assert inside == expected | extensions
    modules = {str(path.relative_to(package).with_suffix("")) for path in package.glob("cowarray/**/*.pyx")}
    assert {name.partition(".")[0] for name in extensions} == modules
    assert {name.partition("/")[0] for name in names} == {"cowarray", f"cowarray-{PROJECT['version']}.dist-info"}


def test_needs_nothing_but_numpy(python):
    listing = "from importlib.metadata import distributions; print(*{d.name for d in distributions()})"
    assert set(run(python, "-I", "-c", listing).split()) == {"cowarray", "numpy"}


def test_info_runs_where_it_was_installed(python, tmp_path):
    environment = {name: value for name, value in os.environ.items() if not name.startswith("PYTHON")}
    assert PROJECT["version"] in run(python, "-m", "cowarray", "info", cwd=tmp_path, env=environment)


def test_installed_headers_are_those_of_the_checkout(python):
    include = Path(run(python, "-I", "-c", "import cowarray; print(cowarray.get_include())").strip())
    assert include.is_relative_to(python.parent.parent)
    headers = sorted(ROOT.glob("include/cowarray/*.h"))
    assert headers
    for header in headers:
        assert (include / "cowarray" / header.name).read_bytes() == header.read_bytes()


def test_an_outside_extension_is_built_against_what_is_installed(python, tmp_path):
    target = tmp_path / "outside.so"
    include = run(python, "-I", "-c", "import cowarray; print(cowarray.get_include())").strip()
    headers = run(python, "-I", "-c", "import sysconfig; print(sysconfig.get_path('include'))").strip()
    compiler = os.environ.get("CC", "cc")
    source = ROOT / "tests/extension/outside.c"
    run(*compiler.split(), "-std=c11", "-shared", "-fPIC", "-I", include, "-I", headers, source, "-o", target)
    use = (
        "import sys; sys.path.insert(0, '.'); import outside, numpy as np, cowarray\n"
        "x = cowarray.array(np.arange(8.)); y = outside.lazy_clone(x)\n"
        "assert y.storage is not x.storage and cowarray.shares_bytes(x, y)\n"
        "print(bool(outside.check(x)), bool(outside.check(np.zeros(1))))\n"
    )
    assert run(python, "-E", "-c", use, cwd=tmp_path).split() == ["True", "False"]
