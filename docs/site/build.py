"""Builds the site: ``python docs/site/build.py [FOLDER]``, or ``make site``. A warning of Sphinx's is an error.

Pages are written for a reader of the repository. Here they are gathered in one folder, with the reference that
`reference.py` writes, and their links are turned to where the pages lie there.
"""

import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

import reference

SITE = Path(__file__).resolve().parent
ROOT = SITE.parents[1]
BUILT = ROOT / "build" / "site"

# Where pages that lie elsewhere in the repository are on the site. Those of docs/ and docs/site keep their names.
ELSEWHERE = {
    "CONTRIBUTING.md": "contributing.md",
    "CHANGELOG.md": "changelog.md",
    "README.md": "readme.md",
    "SECURITY.md": "security.md",
    "GOVERNANCE.md": "governance.md",
    "CODE_OF_CONDUCT.md": "code-of-conduct.md",
    "docs/upstream/README.md": "upstream.md",
    "src/core/protocol.md": "design/protocol.md",
    "src/core/pages.md": "design/pages.md",
    "src/cowarray/_native/doors.md": "design/doors.md",
    "src/cowarray/_array/headers.md": "design/headers.md",
    "src/cowarray/_array/gaps.md": "design/gaps.md",
    "src/cowarray/_modes/budget/room.md": "design/room.md",
    "tests/README.md": "design/tests.md",
    "tests/model/README.md": "design/model-files.md",
}
LINK = re.compile(r"(?<=\]\()([^)\s#:]+)(#[^)\s]*)?(?=\))")
FENCE = re.compile(r"^(```.*?^```$)", re.MULTILINE | re.DOTALL)


def pages():
    """{page in the repository: its name on the site}."""
    found = {ROOT / source: target for source, target in ELSEWHERE.items()}
    for folder in (SITE.parent, SITE):
        found |= {page: page.name for page in folder.glob("*.md")}
    if len(set(found.values())) < len(found):
        raise ValueError(f"two pages have one name on the site: {sorted(found.values())}")
    return found


def turned(text, page, names, files):
    """A page's text with its links to other pages as they lie on the site; other files it links to go into `files`."""

    def turn(match):
        target = (page.parent / match[1]).resolve()
        name = names.get(target)
        if name is None:
            name = files[target] = f"files/{target.name}"
        return os.path.relpath(name, Path(names[page]).parent) + (match[2] or "")

    parts = FENCE.split(text)
    parts[::2] = [LINK.sub(turn, part) for part in parts[::2]]
    # A doctest ends at an empty line, which a reader need not see.
    parts[1::2] = [re.sub(r"\n\n```$", "\n```", part) for part in parts[1::2]]
    return "".join(parts)


def stage(folder):
    """Write all that Sphinx reads into a folder."""
    names, files = pages(), {}
    for page, name in names.items():
        target = folder / name
        target.parent.mkdir(parents=True, exist_ok=True)
        target.write_text(turned(page.read_text(), page, names, files))
    for source, name in files.items():
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        shutil.copy(source, folder / name)
    reference.write(folder / "reference")


def main(built=BUILT):
    """Build into a folder, and give Sphinx's status."""
    source = built / "source"
    shutil.rmtree(built, ignore_errors=True)
    source.mkdir(parents=True)
    stage(source)
    command = ["-m", "sphinx", "--quiet", "--fail-on-warning", "--nitpicky"]
    status = subprocess.run(
        [sys.executable, *command, "--conf-dir", SITE, "--doctree-dir", built / "doctrees", source, built / "html"]
    ).returncode
    (built / "html/_static/webpack-macros.html").unlink(missing_ok=True)  # a file of the theme's own, and no page
    if status == 0:
        print(f"site: {len(list((built / 'html').rglob('*.html')))} pages in {built / 'html'}")
    return status


if __name__ == "__main__":
    sys.exit(main(*(Path(each).resolve() for each in sys.argv[1:])))
