"""Write the examples of README.md and of these pages as modules into a folder, where type checkers can read them."""

import doctest
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent

# An example shows a value by naming it; and each block of a page can be read alone.
HEAD = "# pyright: strict, reportUnusedExpression=false, reportDuplicateImport=false\n"


def main(folder):
    folder.mkdir(parents=True, exist_ok=True)
    for page in (ROOT / "README.md", *sorted((ROOT / "docs").glob("*.md"))):
        examples = doctest.DocTestParser().get_examples(page.read_text(), page.name)
        if examples:
            name = f"example_{page.stem.replace('-', '_').lower()}.py"
            (folder / name).write_text(HEAD + "".join(example.source for example in examples))


if __name__ == "__main__":
    main(Path(sys.argv[1]))
