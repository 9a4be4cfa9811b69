"""Pictures of the site in a real browser: ``python docs/site/look.py [PAGE ...]``, or ``make site-look``.

Each page is taken wide and narrow; the pictures go to build/site/pictures, for a person to look at. A page of the site
that is wider than a narrow window, or a search that does not find a name of NumPy's, is an error.
"""

import functools
import html
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
WINDOWS = {"wide": (1280, 1100), "narrow": (360, 1000)}
BROWSERS = ("chromium", "chromium-browser", "google-chrome")
SEARCHES = {
    "np.moveaxis": "cowarray.moveaxis",
    "numpy.reshape": "cowarray.reshape",
    "linalg.svd": "cowarray.linalg.svd",
}


# Loads one page after another into a narrow frame, and writes down how wide each is.
MEASURING = """<!doctype html>
<iframe id="frame" width="WIDTH" height="1000" style="border: 0"></iframe><pre id="found"></pre>
<script>
const pages = PAGES, found = {}, frame = document.getElementById("frame");
const next = () => {
  if (!pages.length) { document.getElementById("found").textContent = JSON.stringify(found); return; }
  frame.onload = () => {
    const page = frame.contentDocument.documentElement, article = page.querySelector(".bd-article-container") || page;
    found[frame.name] = Math.max(page.scrollWidth, page.clientWidth + article.scrollWidth - article.clientWidth);
    next();
  };
  frame.name = pages.pop();
  frame.src = "/" + frame.name;
};
next();
</script>"""


class _Handler(http.server.SimpleHTTPRequestHandler):
    """Serves the pages, and says nothing of it."""

    def do_GET(self):
        if self.path != "/measuring":
            super().do_GET()
            return
        page = MEASURING.replace("WIDTH", str(WINDOWS["narrow"][0])).replace("PAGES", json.dumps(all_pages()))
        self.send_response(200)
        self.send_header("Content-Type", "text/html")
        self.end_headers()
        self.wfile.write(page.encode())

    def log_message(self, *_):
        pass


def all_pages():
    """The pages of the site, by their paths."""
    return sorted(str(page.relative_to(BUILT / "html")) for page in (BUILT / "html").rglob("*.html"))


def served():
    """A server of the built site; its address."""
    server = http.server.ThreadingHTTPServer(
        ("127.0.0.1", 0), functools.partial(_Handler, directory=str(BUILT / "html"))
    )
    threading.Thread(target=server.serve_forever, daemon=True).start()
    return f"http://127.0.0.1:{server.server_port}"


def browse(browser, profile, address, *options, budget=4000):
    """What a headless browser writes of a page, after so many milliseconds of its own time."""
    command = [browser, "--headless=new", "--no-sandbox", "--disable-gpu", "--hide-scrollbars", *options]
    command += [f"--user-data-dir={profile}", f"--virtual-time-budget={budget}", address]
    return subprocess.run(command, capture_output=True, text=True, timeout=300, check=True).stdout


def photograph(browser, profile, address, page, pictures):
    """Take a page in both widths."""
    for kind, (width, height) in WINDOWS.items():
        name = page.replace("/", "-").removesuffix(".html")
        target = pictures / f"{name}-{kind}.png"
        browse(browser, profile, f"{address}/{page}", f"--screenshot={target}", f"--window-size={width},{height}")
        print(target)


def too_wide(browser, profile, address):
    """{page: width} of the pages that a narrow window does not show whole; they were all measured."""
    page = browse(browser, profile, f"{address}/measuring", "--dump-dom", budget=120_000)
    found = json.loads(html.unescape(re.search(r'<pre id="found">(.*?)</pre>', page, re.DOTALL)[1]) or "{}")
    if set(found) != set(all_pages()):
        sys.exit(f"site-look: measured {len(found)} of {len(all_pages())} pages")
    return {page: width for page, width in found.items() if width > WINDOWS["narrow"][0]}


def searched(browser, profile, address):
    """{query: what the search page lists of it, as text}."""
    found = {}
    for query in SEARCHES:
        page = browse(browser, profile, f"{address}/search.html?q={query}", "--dump-dom")
        found[query] = re.findall(r'<li[^>]*class="kind-object"[^>]*>.*?href="([^"]*)"', page, re.DOTALL)
    return found


def main(pages):
    """Take the pages, all of them if none is named; gives 1 if a search or a width is wrong."""
    browser = next(filter(None, map(shutil.which, BROWSERS)), None)
    if browser is None:
        sys.exit(f"site-look: found none of {', '.join(BROWSERS)}; on Debian: apt install chromium")
    if not (BUILT / "html" / "index.html").exists():
        sys.exit("site-look: there is no site yet: make site")
    pages = pages or [page for page in all_pages() if "/" not in page]
    pictures = BUILT / "pictures"
    pictures.mkdir(exist_ok=True)
    address = served()
    with tempfile.TemporaryDirectory() as profile:
        for page in pages:
            photograph(browser, profile, address, page, pictures)
        wide = too_wide(browser, profile, address)
        found = searched(browser, profile, address)
    missed = [query for query, name in SEARCHES.items() if not any(f"#{name}" in link for link in found[query])]
    if missed:
        print(f"site-look: the search does not find {missed}")
    if wide:
        print(f"site-look: wider than a narrow window: {wide}")
    if not missed and not wide:
        print(f"site-look: {len(all_pages())} pages fit, and {len(SEARCHES)} searches find what they should")
    return int(bool(missed or wide))


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
