"""Sets two runs side by side, and names what got slower or quicker by more than the spread.

    python bench/compare.py build/bench/previous.json build/bench/latest.json

It compares ratios to the peers, so another machine, or a busy one, matters little. A change counts if it is above 5 %
and the middle halves of the two runs' rounds do not overlap. Exits with 0 whatever it finds: a person decides.
"""

import argparse
import sys

from results import load, rows

SMALLEST = 0.05


def change(before, after):
    """``slower``, ``quicker`` or None.

    Parameters
    ----------
    before, after : dict
        Summaries of a ratio: ``median``, ``q1``, ``q3``.

    Returns
    -------
    str or None
    """
    if after["q1"] > before["q3"] and after["median"] > before["median"] * (1 + SMALLEST):
        return "slower"
    if after["q3"] < before["q1"] and after["median"] < before["median"] * (1 - SMALLEST):
        return "quicker"
    return None


def by_name(results):
    return {(row["question"], row["case"], row["who"]): row for row in rows(results) if row["ratio"]}


def show(ratio):
    return f"{ratio['median']:.3g} ({ratio['q1']:.3g} to {ratio['q3']:.3g})"


def figures_that_grew(before, after):
    """Figures other than times that grew by more than 5 %: (name, before, after)."""
    old = {figure["name"]: figure["value"] for figure in before["figures"]}
    for figure in after["figures"]:
        was = old.get(figure["name"])
        if was is not None and figure["limit"] is not None and figure["value"] > was * (1 + SMALLEST):
            yield figure["name"], was, figure["value"]


def main(argv=None):
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("before")
    parser.add_argument("after")
    parser.add_argument("--all", action="store_true", help="also show the ratios that did not change")
    arguments = parser.parse_args(argv)
    before, after = load(arguments.before), load(arguments.after)
    old, new = by_name(before), by_name(after)
    for title, results in (("before", before), ("after", after)):
        machine = results["machine"]
        print(
            f"{title:<8}{results['date']}, commit {results['commit']}, "
            f"{machine.get('CPU')}, NumPy {machine.get('numpy')}"
        )
    changes = {"slower": [], "quicker": [], None: []}
    for name in new:
        if name in old:
            changes[change(old[name]["ratio"], new[name]["ratio"])].append(name)
    for kind, names in changes.items():
        if names and (kind or arguments.all):
            print(f"\n{kind or 'unchanged'}:")
        for name in names if kind or arguments.all else []:
            question, case, who = name
            print(f"  {question}: {case}, against {who}: {show(old[name]['ratio'])} -> {show(new[name]['ratio'])}")
    grown = list(figures_that_grew(before, after))
    if grown:
        print("\ngrown:")
    for name, was, value in grown:
        print(f"  {name}: {was:.4g} -> {value:.4g}")
    for title, missing in (("only before", old.keys() - new.keys()), ("only after", new.keys() - old.keys())):
        if missing:
            print(f"\n{title}: {len(missing)} ratios, such as {': '.join(sorted(missing)[0])}")
    counts = f"{len(changes['slower'])} slower, {len(changes['quicker'])} quicker, {len(changes[None])} unchanged"
    print(f"\n{counts}, {len(grown)} figures grown.")
    return 0


if __name__ == "__main__":
    sys.exit(main())
