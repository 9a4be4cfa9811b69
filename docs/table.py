"""Writes the table in docs/operations.md from the dispatcher's own table: ``python docs/table.py``."""

from pathlib import Path

from cowarray._ops.table import COPY, OPERATIONS, OVERLAPPING, VIEW

PAGE = Path(__file__).with_name("operations.md")
BEGIN, END = "<!-- from cowarray/_ops/table.py, by docs/table.py -->\n", "<!-- end -->\n"


def shown(name):
    owner, _, method = name.rpartition(".")
    return f"`x.{method}`" if owner == "ndarray" else f"`np.{name}`"


def written(row):
    """Which arguments an operation writes, apart from ``out``."""
    parts = [f"`{name}`" if name != "self" else "`x`" for name in row.writes if name != "out"]
    if row.writes_if:
        name, flag, value = row.writes_if
        parts.append(f"{'`x`' if name == 'self' else f'`{name}`'} with `{flag}={value}`")
    return ", ".join(parts)


def table():
    """The table as Markdown."""

    def names(chosen):
        return ", ".join(sorted(shown(name) for name, row in OPERATIONS.items() if chosen(row)))

    lines = [
        "| gives | operations |",
        "|---|---|",
        f"| a view | {names(lambda row: row.result == VIEW and not row.readonly)} |",
        f"| a read-only view | {names(lambda row: row.result == VIEW and row.readonly is True)} |",
        f"| a view, read-only where elements overlap | {names(lambda row: row.readonly == OVERLAPPING)} |",
        f"| a copy | {names(lambda row: row.result == COPY)} |",
        "| a fresh array | everything else |",
        "",
        "| writes | what |",
        "|---|---|",
        *sorted(f"| {shown(name)} | {written(row)} |" for name, row in OPERATIONS.items() if written(row)),
        "| whatever has an `out` | `out` |",
        "",
        f"May run your code, which then receives snapshots: {names(lambda row: row.calls_user)}.",
    ]
    return "\n".join(lines) + "\n"


def with_table(text):
    """The page with the present table in place of its old one."""
    before, _, rest = text.partition(BEGIN)
    _, found, after = rest.partition(END)
    if not found:
        raise ValueError(f"{PAGE.name}: no lines {BEGIN.strip()} and {END.strip()}")
    return before + BEGIN + table() + END + after


if __name__ == "__main__":
    PAGE.write_text(with_table(PAGE.read_text()))
