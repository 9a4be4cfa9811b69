"""Pictures of the site in a real browser: ``python docs/site/look.py [PAGE ...]``, or ``make site-look``.

Each page is taken wide and narrow, the search with a name of NumPy's. A page that is wider than the window, or a search
that does not find what it was asked for, is an error. The pictures go to build/site/pictures, for a person to look at.
"""

import functools
import http.server
import json
import re
import shutil
import subprocess
import sys
import tempfile
import threading
from pathlib import Path

BUILT = Path(__file__).resolve().parents[2] / "build" / "site"
WINDOWS = {"wide": (1400, 1100), "narrow": (420, 1000)}
BROWSERS = ("chromium", "chromium-browser", "google-chrome")
SEARCHES = {
    "np.moveaxis": "cowarray.moveaxis",
    "numpy.reshape": "cowarray.reshape",
    "linalg.svd": "cowarray.linalg.svd",
}


class _Handler(http.server.SimpleHTTPRequestHandler):
    """Serves the pages, and says nothing of it."""

    def log_message(self, *_):
        pass


def served():
    """A server of the built site; its address."""
    server = http.server.ThreadingHTTPServer(
        ("127.0.0.1", 0), functools.partial(_Handler, directory=str(BUILT / "html"))
    )
    threading.Thread(target=server.serve_forever, daemon=True).start()
    return f"http://127.0.0.1:{server.server_port}"


def browse(browser, profile, address, *options):
    """What a headless browser writes of a page."""
    command = [browser, "--headless=new", "--no-sandbox", "--disable-gpu", "--hide-scrollbars", *options]
    command += [f"--user-data-dir={profile}", "--virtual-time-budget=4000", address]
    return subprocess.run(command, capture_output=True, text=True, timeout=120, check=True).stdout


def photograph(browser, profile, address, page, pictures):
    """Take a page in both widths."""
    for kind, (width, height) in WINDOWS.items():
        name = page.replace("/", "-").removesuffix(".html")
        target = pictures / f"{name}-{kind}.png"
        browse(browser, profile, f"{address}/{page}", f"--screenshot={target}", f"--window-size={width},{height}")
        print(target)


def searched(browser, profile, address):
    """{query: what the search page lists of it, as text}."""
    found = {}
    for query in SEARCHES:
        page = browse(browser, profile, f"{address}/search.html?q={query}", "--dump-dom")
        found[query] = re.findall(r'<li[^>]*class="kind-object"[^>]*>.*?href="([^"]*)"', page, re.DOTALL)
    return found


def main(pages):
    """Take the pages, all of them if none is named; gives 1 if a search found nothing."""
    browser = next(filter(None, map(shutil.which, BROWSERS)), None)
    if browser is None:
        sys.exit(f"site-look: found none of {', '.join(BROWSERS)}; on Debian: apt install chromium")
    if not (BUILT / "html" / "index.html").exists():
        sys.exit("site-look: there is no site yet: make site")
    pages = pages or sorted(str(page.relative_to(BUILT / "html")) for page in (BUILT / "html").glob("*.html"))
    pictures = BUILT / "pictures"
    pictures.mkdir(exist_ok=True)
    address = served()
    with tempfile.TemporaryDirectory() as profile:
        for page in pages:
            photograph(browser, profile, address, page, pictures)
        found = searched(browser, profile, address)
    print(json.dumps(found, indent=1))
    missed = [query for query, name in SEARCHES.items() if not any(f"#{name}" in link for link in found[query])]
    if missed:
        print(f"site-look: the search does not find {missed}")
    return int(bool(missed))


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
