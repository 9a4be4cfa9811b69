"""The cases that the evil world runs: those of read isolation, and those of its own."""

from support.cases.registry import select

# Of parameters by which a result may stay what it was given, or unset.
TAGS = {
    "copy=False": "trusts",
    "empty": "unset",
    "where=": "unset",
    "writable=True": "leaves",
    "default_rng": "leaves",
}


def tagged(case):
    tags = {tag for text, tag in TAGS.items() if text in case.source}
    if case.source.startswith("np.") and "out=" in case.source:
        tags.add("leaves")  # some of NumPy's functions know nothing of ours, and write through an export
    return case._replace(tags=case.tags | tags)


# What is shared by all of a process, and what would only print.
LEFT_OUT = (
    "cowarray.seterrcall",
    "cowarray.seterr(",
    "cowarray.setbufsize",
    "np.seterrcall",
    "np.seterr(",
    "np.setbufsize",
    "np.show_",
    "np.info",
)


RUN = [tagged(case) for case in (*select("isolation"), *select("gaps"))]
CASES = {case.source: case for case in RUN if not case.source.startswith(LEFT_OUT)}
