"""Announce that an environment is being set up, or say why this Python cannot: tools/needs.py ENVIRONMENT."""

import os
import sys
import sysconfig

if sys.version_info < (3, 11):  # noqa: UP036 - whoever runs it may be older
    sys.exit(f"cowarray needs Python 3.11 or newer, this is {sys.version.split()[0]}; try: make PYTHON=python3.13 ...")
if not os.path.exists(os.path.join(sysconfig.get_path("include"), "Python.h")):
    sys.exit("Python's C headers are missing; on Debian: apt install python3-dev")
print(f"Setting up {sys.argv[1]} for Python {sys.version.split()[0]} ...")
