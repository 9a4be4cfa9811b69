"""All cases: one place to ask for those of a kind, or for a suite."""

import functools

from support import numpy_namespace
from support.calls import class_of, function_of, name_of
from support.cases import (
    TABLE,
    by_rule,
    everyday,
    faults,
    functions,
    gaps,
    methods,
    namespace,
    own,
    protocols,
    submodules,
)
from support.numpy_versions import absent, unasked


def select(*tags):
    """The cases that have all of these tags."""
    return [case for case in every_case() if case.tags.issuperset(tags)]


def sources(*tags):
    """Their sources, each once."""
    return list(dict.fromkeys(case.source for case in select(*tags)))


@functools.cache
def every_case():
    """Each call once; who says the same of the same call adds tags."""
    found = {}
    for case in gathered():
        case = told(case)
        known = found.setdefault(case[:-1], case)
        found[case[:-1]] = known._replace(tags=known.tags | case.tags)
    for case in by_rule.of_standard(list(found.values())):
        found.setdefault(case[:-1], case)
    return list(found.values())


def gathered():
    asking = [case for module in (functions, submodules) for case in module.CASES if exists(case.source)]
    named = [
        *by_rule.of_functions(case for case in asking if "function" in case.tags),
        *map(with_name, namespace.CASES),
    ]
    for case in (*map(with_name, asking), *named, *methods.CASES):
        yield case
        if "chapter" not in case.tags:
            yield from by_rule.of_out(case)
    for module in (protocols, own, everyday, faults, gaps):
        yield from module.CASES
    yield from numpy_namespace.cases()
    yield from by_rule.of_names()


def exists(source):
    """Whether this NumPy has the function, and it asks our arrays."""
    return not any(source.startswith(f"np.{name}(") for name in absent() | unasked())


def with_name(case):
    if case.source.startswith("cowarray."):
        return case._replace(name=case.source.partition("(")[0])
    return case._replace(name=f"numpy.{name_of(function_of(case.source))}")


def told(case):
    return case._replace(gives=class_of(case.source)) if case.gives == TABLE else case
