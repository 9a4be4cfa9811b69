"""Runs the uses of every library and writes docs/libraries.md of what was observed (`make clients`).

    python tests/clients/page.py [ARGUMENTS OF PYTEST]

With arguments it only runs the tests that they pick. The page is written if every use was seen, with the verdict that
is written beside it; a test in the ordinary suite holds the page to the uses.
"""

import datetime
import importlib
import json
import os
import platform
import re
import subprocess
import sys
import tempfile
from collections import Counter
from pathlib import Path

import numpy as np
from client_uses import INPUTS, SILENT, VERDICTS, WORKS

__all__ = ["PAGE", "clients", "recorded", "text"]

HERE = Path(__file__).resolve().parent
PAGE = HERE.parents[1] / "docs" / "libraries.md"

HEAD = """\
# Libraries

<!-- written by tests/clients/page.py: make clients -->

What becomes of our arrays in the hands of {libraries} libraries: {uses} uses, each a line that somebody would write.
Each line runs on NumPy's arrays and on ours. The results are compared, the inputs afterwards, and lazy copies held
beside the inputs, which nobody may change. Then the inputs are written to, which tells whether the result shares their
memory.

Observed with {environment}. A test holds each row, and `make clients` writes this page.

| verdict | | uses |
|---|---|---|
{verdicts}

After `cowarray.register()` autograd, bottleneck, dask, einops, h5py, JAX, LightGBM, netCDF4, numba, OpenCV,
pandas, polars, PyArrow, SciPy and torch take our arrays as they take NumPy's. [interop.md](interop.md) says what goes
out and comes in, and what no library can prevent.

## What goes wrong without an error

| library | use | write instead |
|---|---|---|
{wrong}

## All of them

| library | {columns} |
|---|{dashes}|
{summary}

In the lines below

{inputs}

*gives* says whose arrays come back, where they are NumPy's or ours. The results of other lines are the library's own,
or no arrays.
"""


def clients():
    """Every client of the test modules beside this file, by title."""
    found = [
        client
        for path in sorted(HERE.glob("test_client_*.py"))
        for client in getattr(importlib.import_module(path.stem), "CLIENTS", [])
    ]
    return sorted(found, key=lambda client: client.title.lower())


def code(line):
    """A line of Python in a cell of a table."""
    line = line.replace(":\n    ", ": ").replace("\n    ", "; ").replace("\n", "; ").replace("|", "\\|")
    return f"`{line}`" if line else ""


def counted(client):
    return Counter(item.verdict for item in client.uses)


def anchor(heading):
    return re.sub(r"[^\w -]", "", heading.lower()).replace(" ", "-")


def heading(client, record):
    return f"{client.title} {record['versions'][client.title]}"


def summary(found, record, seen):
    """How many uses of each library got each verdict."""
    rows = []
    for client in found:
        counts = counted(client)
        title = heading(client, record)
        cells = " | ".join(str(counts[verdict] or "") for verdict in seen)
        rows.append(f"| [{title}](#{anchor(title)}) | {cells} |")
    total = sum((counted(client) for client in found), Counter())
    rows.append(f"| **all** | {' | '.join(str(total[verdict]) for verdict in seen)} |")
    return "\n".join(rows)


def section(client, record):
    """The uses of a library: first those that do not simply work."""
    order = list(VERDICTS)
    rows = sorted(client.uses, key=lambda item: -order.index(item.verdict))
    lines = [f"## {heading(client, record)}", ""]
    if client.environment:
        lines += [f"With {', '.join(f'`{name}={value}`' for name, value in client.environment.items())}.", ""]
    lines += ["| use | verdict | gives | write instead |", "|---|---|---|---|"]
    for item in rows:
        gives = record["gives"][client.title, code(item.code)]
        verdict = item.verdict if item.verdict == WORKS else f"**{item.verdict}**"
        lines.append(f"| {code(item.code)} | {verdict} | {gives} | {code(item.instead)} |")
    return "\n".join(lines) + "\n"


def wrong(found):
    """The uses that go wrong unseen, of all libraries."""
    return "\n".join(
        f"| {client.title} | {code(item.code)} | {code(item.instead)} |"
        for client in found
        for item in client.uses
        if item.verdict == SILENT
    )


def text(found, record):
    """The page, of the uses and of what was recorded."""
    total = sum((counted(client) for client in found), Counter())
    seen = [verdict for verdict in VERDICTS if total[verdict]]
    head = HEAD.format(
        libraries=len({client.package for client in found}),
        uses=total.total(),
        environment=record["environment"],
        verdicts="\n".join(f"| {verdict} | {VERDICTS[verdict]} | {total[verdict]} |" for verdict in seen),
        wrong=wrong(found),
        columns=" | ".join(seen),
        dashes="---|" * (len(seen) - 1) + "---",
        summary=summary(found, record, seen),
        inputs="\n".join(f"- `{name}` is {what}" for name, (what, _) in INPUTS.items()),
    )
    return "\n".join([head, *(section(client, record) for client in found)])


def recorded(page):
    """What a page says was observed, as it was recorded: versions, whose arrays came back, and with what."""
    record = {
        "versions": {},
        "gives": {},
        "environment": re.search(r"^Observed with (.*?)\. A test", page, re.MULTILINE)[1],
    }
    for part in re.split(r"^## ", page, flags=re.MULTILINE)[3:]:
        title, _, version = part.partition("\n")[0].rpartition(" ")
        record["versions"][title] = version
        for row in part.splitlines():
            cells = re.split(r"(?<!\\) ?\| ?", row)
            if row.startswith("| `"):
                record["gives"][title, cells[1]] = cells[3]
    return record


def observed(path):
    """The same from the lines that the tests have written."""
    record = {"versions": {}, "gives": {}}
    for line in map(json.loads, path.read_text().splitlines()):
        record["versions"][line["title"]] = line["version"]
        record["gives"][line["title"], code(line["code"])] = ", ".join(line["gives"])
    today = datetime.datetime.now(datetime.UTC).date()
    record["environment"] = f"Python {platform.python_version()} and NumPy {np.__version__} on {sys.platform}, {today}"
    return record


def main(arguments):
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder, "record")
        path.touch()
        environment = {**os.environ, "COWARRAY_CLIENTS_RECORD": str(path)}
        # The page is what comes of it, so it is not among the tests here.
        chosen = [str(HERE), "-q", f"--ignore={HERE / 'test_libraries_page.py'}", *arguments]
        done = subprocess.run([sys.executable, "-m", "pytest", *chosen], env=environment)
        if done.returncode or arguments:
            return done.returncode
        record = observed(path)
    missing = [client.title for client in clients() if client.title not in record["versions"]]
    if missing:
        print(f"{PAGE.name} is left as it was, because these were not there: {', '.join(missing)}")
        return 1
    PAGE.write_text(text(clients(), record))
    print(f"{PAGE.name}: {sum(len(client.uses) for client in clients())} uses")
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
