"""How the programs of this folder say what they find: a function for each library, named for it.

A function asserts what its sentence says, so a release that behaves otherwise makes its program fail. It returns a
verdict on the feature that the program's first line names, and a sentence.
"""

import json
import sys
import warnings

__all__ = ["LIBRARIES", "NO", "PART", "YES", "raises", "tell"]

LIBRARIES = ("cowarray", "numpy", "torch", "jax", "pandas", "xarray", "cubed")
YES, PART, NO = "yes", "in part", "no"


def tell(program):
    """Run a program's functions, and print what each library does; in JSON with --json."""
    found = {}
    for library in LIBRARIES:
        if library in program:
            with warnings.catch_warnings():
                warnings.simplefilter("ignore")
                found[library] = program[library]()
    if "--json" in sys.argv[1:]:
        print(json.dumps(found))
    else:
        print(program["__doc__"].partition("\n")[0])
        for library, (verdict, sentence) in found.items():
            print(f"{library:9} {verdict:8} {sentence}")


def raises(error, function, *arguments, **keywords):
    """Whether a call raises the error."""
    try:
        function(*arguments, **keywords)
    except error:
        return True
    return False
