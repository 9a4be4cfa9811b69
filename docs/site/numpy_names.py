"""A Sphinx extension: the search finds ``np.reshape`` and leads to `cowarray.reshape`.

A domain of its own lists NumPy's names as objects of the pages that have cowarray's. It resolves no reference, so a
"See also" that names NumPy's function does not lead to ours.
"""

from typing import ClassVar

from sphinx.domains import Domain, ObjType

__all__ = ["NumPyNames", "setup"]


class NumPyNames(Domain):
    """NumPy's names, at the place of cowarray's."""

    name = "numpys"
    label = "NumPy"
    object_types: ClassVar = {"name": ObjType("name")}

    def get_objects(self):
        """What Sphinx's search may find."""
        for name, _, _, page, anchor, _ in self.env.domains["py"].get_objects():
            space, _, rest = name.partition(".")
            if space == "cowarray" and not rest.startswith("array_api") and is_numpys(rest):
                yield f"np.{rest}", f"np.{rest}", "name", page, anchor, 1
                yield f"numpy.{rest}", f"numpy.{rest}", "name", page, anchor, 1


def is_numpys(dotted):
    """Whether NumPy has such a name."""
    import numpy

    value = numpy
    for part in dotted.split("."):
        if not hasattr(value, part):
            return False
        value = getattr(value, part)
    return True


def setup(app):
    """Add the domain."""
    app.add_domain(NumPyNames)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
