"""The chapters whose functions' results are as the table says, their functions, and the calls of these."""

import inspect
import re

from support.cases.registry import sources

import cowarray
from cowarray._chapters import creation as _creation
from cowarray._chapters import data_types as _data_types
from cowarray._chapters import indexing as _indexing_functions
from cowarray._chapters import manipulation as _manipulation
from cowarray._chapters import polynomials as _polynomials
from cowarray._chapters import utility as _utility

CHAPTERS = {
    "creation": _creation,
    "data types": _data_types,
    "manipulation": _manipulation,
    "indexing": _indexing_functions,
    "utility": _utility,
    "polynomials": _polynomials,
}


FUNCTIONS = [name for module in CHAPTERS.values() for name in module.__all__]


FUNCTIONS = [name for name in FUNCTIONS if inspect.isfunction(inspect.unwrap(getattr(cowarray, name)))]
FUNCTIONS += ["array", "asarray"]


CALLS = [call for call in sources("namespace") if re.match(r"cowarray\.(\w+)", call)[1] in FUNCTIONS]


def parameters(function):
    return inspect.signature(function).parameters
