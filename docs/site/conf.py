"""How Sphinx builds the site. `build.py` stages the pages, and runs it."""

import os
import sys
from pathlib import Path

import cowarray

HERE = Path(__file__).resolve().parent
sys.path.insert(0, str(HERE))  # for `numpy_names`

project = "cowarray"
author = "The cowarray developers"
version = release = cowarray.__version__

extensions = ["sphinx.ext.autodoc", "numpydoc", "myst_parser", "numpy_names"]
source_suffix = {".md": "markdown", ".rst": "restructuredtext"}
highlight_language = "text"  # blocks that name none

# The anchors of headings are those of a forge, which the pages link to.
myst_heading_anchors = 4
myst_enable_extensions = ["colon_fence"]

# The reference lists members itself, and says of each function what is copied and aliased: numpydoc's text as it is.
numpydoc_show_class_members = False
numpydoc_xref_param_type = False
autodoc_member_order = "alphabetical"
autodoc_typehints = "none"
default_role = "code"
# Names of other libraries become links where their inventories can be had: COWARRAY_INVENTORIES is a folder that holds
# them (python.inv, ...), or "online". Without it they are text, and building takes no network.
DOCUMENTATION = {
    "python": "https://docs.python.org/3/",
    "numpy": "https://numpy.org/doc/stable/",
    "scipy": "https://docs.scipy.org/doc/scipy/",
}
if inventories := os.environ.get("COWARRAY_INVENTORIES"):
    extensions.append("sphinx.ext.intersphinx")
    intersphinx_mapping = {
        name: (address, None if inventories == "online" else f"{inventories}/{name}.inv")
        for name, address in DOCUMENTATION.items()
    }
nitpick_ignore_regex = [("py:obj", r"(numpy|pandas)\..*")]

html_theme = "pydata_sphinx_theme"
html_title = "cowarray"
html_static_path = [str(HERE / "static")]
html_css_files = ["site.css"]
html_show_sourcelink = False
html_copy_source = False
html_show_sphinx = False
# Pages without others beside them.
html_sidebars = {page: [] for page in ("index", "tour", "c-api")}
html_theme_options = {
    "logo": {"text": "cowarray"},
    "navbar_align": "left",
    "navigation_with_keys": False,
    "pygments_light_style": "a11y-high-contrast-light",
    "pygments_dark_style": "a11y-high-contrast-dark",
    "secondary_sidebar_items": ["page-toc"],
    "show_prev_next": True,
    "footer_start": ["copyright"],
    "footer_end": [],
}
copyright = "The cowarray developers. BSD-3-Clause"
