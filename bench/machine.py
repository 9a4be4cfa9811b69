"""Describes the machine that the run was measured on, without its name."""

import os
import platform
import sys
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path

__all__ = ["describe", "memory_available"]

IDLE = ("OMP_WAIT_POLICY", "OPENBLAS_THREAD_TIMEOUT")
PACKAGES = ("cowarray", "numpy", "torch", "pandas", "pytest-benchmark")


def _read(path):
    try:
        return Path(path).read_text()
    except OSError:
        return ""


def _meminfo(field):
    for line in _read("/proc/meminfo").splitlines():
        if line.startswith(field + ":"):
            return int(line.split()[1]) * 1024
    return None


def memory_available():
    """Bytes that may be used without pushing others out; 4 GiB if the system does not say."""
    limits = [_meminfo("MemAvailable")]
    group = _read("/sys/fs/cgroup/memory.max").strip()
    if group.isdigit():
        limits.append(int(group))
    return min((limit for limit in limits if limit is not None), default=4 << 30)


def _cpu():
    for line in _read("/proc/cpuinfo").splitlines():
        if line.startswith("model name"):
            return line.partition(":")[2].strip()
    return platform.processor() or platform.machine()


def _caches():
    """Level and size of the first core's caches, like ``L1 48K, L2 1024K``."""
    found = []
    for entry in sorted(Path("/sys/devices/system/cpu/cpu0/cache").glob("index*")):
        if _read(entry / "type").strip() != "Instruction":
            found.append(f"L{_read(entry / 'level').strip()} {_read(entry / 'size').strip()}")
    return ", ".join(found) or "not known"


def _version(name):
    try:
        return version(name)
    except PackageNotFoundError:
        # From a checkout that is on the path and not installed.
        return getattr(sys.modules.get(name), "__version__", "missing")


def _torch_threads():
    torch = sys.modules.get("torch")
    return None if torch is None else torch.get_num_threads()


def describe():
    """Return a dict of strings and numbers: what a reader needs to judge the figures.

    Returns
    -------
    dict
    """
    total = _meminfo("MemTotal")
    load = os.getloadavg()[0] if hasattr(os, "getloadavg") else None
    gil = getattr(sys, "_is_gil_enabled", lambda: True)()
    return {
        "CPU": _cpu(),
        "cores": os.cpu_count(),
        "caches": _caches(),
        "memory": f"{total / 2**30:.1f} GiB" if total else "not known",
        "system": f"{platform.system()} {platform.release()} {platform.machine()}",
        "C library": " ".join(platform.libc_ver()).strip() or "not known",
        "huge pages": _chosen(_read("/sys/kernel/mm/transparent_hugepage/enabled")),
        "Python": f"{platform.python_version()} ({platform.python_compiler()}), GIL {'on' if gil else 'off'}",
        "threads of torch": _torch_threads(),
        "idle threads": ", ".join(f"{name}={os.environ.get(name, 'not set')}" for name in IDLE),
        "load at the end": None if load is None else round(load, 2),
        **{name: _version(name) for name in PACKAGES},
    }


def _chosen(text):
    """The bracketed word of a setting like ``always [madvise] never``."""
    return text.partition("[")[2].partition("]")[0] or "not known"
