"""Refuse subinterpreters on import, before any native module, which a process can load only once.

Any thread may be the last to use some bytes and drop them, yet their owner is an object of one interpreter; NumPy also
supports only one. And a subinterpreter that loaded the library first would lock the main one out.
"""

import _thread
from typing import Any

__all__ = ["is_main"]


def is_main() -> bool:
    """True if this code runs in the process's main interpreter."""
    thread: Any = _thread
    if hasattr(thread, "_is_main_interpreter"):  # Python 3.12 on
        return bool(thread._is_main_interpreter())
    try:
        import _xxsubinterpreters as interpreters
    except ImportError:  # an optional part of Python; without it, only Cython's own check remains
        return True
    return bool(interpreters.get_current() == interpreters.get_main())


if not is_main():
    raise ImportError(
        "cowarray works only in the main interpreter, and this is a subinterpreter; use threads or processes",
        name="cowarray",
    )
