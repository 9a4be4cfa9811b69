"""What the collector takes apart may still be found, and used: it works, or says that it cannot.

In processes of their own, since they may crash.
"""

import pytest
from support.programs import run

# The collector clears what is garbage, the oldest first. `found` is cleared while a node still keeps it; then the end
# of an array in the node, into which the collector cannot look, runs user code: that finds it among all objects.
PROGRAM = """
kind = type(ca.zeros(1).{attribute})
now = None

def use(found):
    try:
        seen.append(repr(eval(now)))
    except Exception as error:
        seen.append(type(error).__name__)

class Late:
    def __del__(self):
        for found in gc.get_objects():
            if type(found) is kind:
                use(found)

class Node:
    pass

gc.disable()
for now in {uses}:
    print(now, end=": ", flush=True)
    seen = []
    x = ca.array(np.arange(6.0).reshape(2, 3))
    use(x.{attribute})
    found = x.{attribute}
    tracked = gc.is_tracked(found)
    node = Node()
    node.itself = node
    node.found = found
    node.late = np.array([Late()], object)
    last = Node()
    node.last, last.node, last.found = last, node, found
    del node, last, found
    gc.collect()
    assert len(seen) == 1 + tracked, seen  # what the collector does not know of, it does not clear
    assert x.tolist() == [[0, 1, 2], [3, 4, 5]]
    print(*seen, sep="; ")
"""

FLAGS = {
    "found.num": "1281",
    "found.writeable": "True",
    "found.owndata": "True",
    "found.behaved": "True",
    "found.carray": "True",
    "found.farray": "False",
    "found.c_contiguous": "True",
    "found.no_such_flag": "AttributeError",
    "found['F']": "False",
    "found['no such flag']": "KeyError",
    "setattr(found, 'writeable', True)": "None",
    "setattr(found, 'aligned', True)": "None",
    "found.__setitem__('W', True)": "None",
    "found == found": "True",
    "found == x.flags": "True",
    "len(repr(found)) > 100": "True",
    "hash(found)": "TypeError",
}
FLAT = {
    "found.index": "0",
    "found.coords": "(0, 0)",
    "found.base is x": "True",
    "len(found)": "6",
    "next(found)": "np.float64(0.0)",
    "list(found)[1:3]": "[np.float64(1.0), np.float64(2.0)]",
    "found[4]": "np.float64(4.0)",
    "found[1:3].tolist()": "[1.0, 2.0]",
    "found[np.array([1, 2])].tolist()": "[1.0, 2.0]",
    "found.__setitem__(1, 1.0)": "None",
    "found.__setitem__(slice(None), x.copy())": "None",
    "found.copy().tolist()": "[0.0, 1.0, 2.0, 3.0, 4.0, 5.0]",
    "np.asarray(found)[3]": "np.float64(3.0)",
    "(found == 3).tolist()": "[False, False, False, True, False, False]",
    "len(repr(found)) > 10": "True",
}


@pytest.mark.parametrize(("attribute", "uses"), [("flags", FLAGS), ("flat", FLAT)])
def test_what_the_collector_has_cleared_works_or_says_that_it_cannot(attribute, uses):
    printed = run(PROGRAM.format(attribute=attribute, uses=list(uses))).splitlines()
    assert len(printed) == len(uses)
    for line, (use, expected) in zip(printed, uses.items(), strict=True):
        assert line.startswith(f"{use}: {expected}"), line
        cleared = line.removeprefix(f"{use}: {expected}").removeprefix("; ")
        assert cleared in ("", expected) or cleared.endswith("Error"), line
