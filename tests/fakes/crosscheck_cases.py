"""Counts what the cross-check finds of our own cases, by public name and in all call forms.

`python tests/fakes/crosscheck_cases.py [LAYOUT ...]`; of contiguous arrays unless layouts are named.

Prints how many operations were exact, refused and different; then, of the functions whose layout does not depend on
values by nature, how many are exact in every form, and each other with its reason.
"""

import collections
import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[1]))

from support.cases.registry import select
from support.crosscheck import EXACT, CrossCheck
from support.oracle import LAYOUTS, numbers, outcome
from support.prepared import PreparedCall

import cowarray
from cowarray._modes.fake.rules.rules import KINDS, VALUES


def main(layouts):
    with cowarray.fake():
        pass  # operations are handed over from here on
    verdicts = collections.Counter()
    forms = collections.defaultdict(list)
    by_nature = collections.defaultdict(list)
    for layout in layouts:
        shape, view = LAYOUTS[layout]
        for case in select("isolation"):
            check = CrossCheck()
            call = PreparedCall(case, view(cowarray.array(numbers(shape))))
            if call.refusal is None:
                with check.watching():
                    outcome(call.action)
            call.run_of.close_files()
            for each in check.outcomes:
                verdicts[each.verdict] += 1
            if check.outcomes:
                needs = any(KINDS.get(each.operation) == VALUES for each in check.outcomes)
                (by_nature if needs else forms)[call.name].append((case.source, check.outcomes))
    print(f"operations: {dict(verdicts)}")
    others = {}
    for name, calls in forms.items():
        wrong = [(source, each) for source, outcomes in calls for each in outcomes if each.verdict != EXACT]
        if wrong:
            others[name] = wrong
    exact = len(forms) - len(others)
    print(f"{len(forms)} names, {exact} exact in all forms: {100 * exact / len(forms):.1f} %")
    print(f"{len(by_nature.keys() - forms.keys())} names need values by nature")
    for name in sorted(others):
        source, each = others[name][0]
        print(f"{name}: {each.verdict}, {each.operation}: {each.reason[:90]} ({source[:60]})")


if __name__ == "__main__":
    main(sys.argv[1:] or ["contiguous"])
