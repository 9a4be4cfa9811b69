"""Trials that once found something, each the shortest of many: every sample has them.

Keys without a slot's or a state's turn: as `Key` has them. In `COMPARED` are (call, form, slot, hook, deed), for which
values must not depend on who shares bytes.
"""

KEYS = [
    # A weak reference to a view that dies was told while the view's header was still in the list of its Storage: it was
    # freed twice.
    ("x.sum()", 0, -1, "the end of views", "write_one", -1, "complexes"),
    ("x[:] = y", 0, -1, "the end of views", "compute_in_place", -1, "one"),
    # An index gave the array fewer bytes for as many elements, and the old extent was written to the new block.
    ("x[:] = y", 0, 0, "bounds", "retype_resize_copy", -1, "computed_and_shared"),
    ("x[:] = A([5.])", 0, 0, "bounds", "retype_resize_copy", 0, "large"),
    # What a stranger's __array_wrap__ gave was taken over, although the stranger had kept it.
    ("divmod(3, x)", 0, 0, "__array_wrap__", "nothing", -1, "view"),
    ("x.__rtruediv__(x)", 0, 0, "__array_wrap__, its own", "nothing", -1, "line"),
    # An element that is an array of the user's was taken over.
    ("x.flat[(0,)]", 0, -1, "printing arrays", "nothing", -1, "arrays"),
    ("x.flat[np.array(0)]", 0, -1, "collections", "nothing", -1, "one_object"),
    ("x.flat[A(0)]", 0, 0, "__array_interface__", "nothing", -1, "arrays"),
    ("x.flat[0]", 0, 0, "operators with a priority", "nothing", -1, "arrays"),
    # What another library made was taken over.
    ('cowarray.genfromtxt(["1 2", "3 4"], like=x)', 0, 2, "__array_function__", "nothing", -1, "octets"),
    # A function of the user's that dispatches as NumPy's do was trusted as theirs are.
    ("x.__array_function__(np.sort, (type(x),), (x,), {})", 0, 0, "function", "nothing", -1, "shared"),
    # An out that is no tuple.
    ('x.__array_ufunc__(np.add, "__call__", x, x, out=x)', 0, 2, "__array_function__", "nothing", -1, "integers"),
    # A collection resized the array between two looks at it, or wrote to it: a view of bytes that it no longer had, and
    # a copy where a view was due.
    ("cowarray.array(x, copy=None, ndmin=8)", 0, -1, "collections", "shrink", 4, "text"),
    ("cowarray.array(x, copy=None, ndmin=8)", 0, -1, "collections", "shrink", 5, "shared"),
    ("cowarray.array(x, copy=None, ndmin=8)", 0, -1, "finalizers", "retype_resize_copy", 1, "large"),
    ("x[0, ...]", 0, -1, "finalizers", "compute_in_place", 1, "objects"),
    # User code was handed the header that the array itself reads by, and gave it another dtype or shape.
    ("np.add(x, y)", 0, 1, "__array_wrap__", "retype_handed", -1, "pinned"),
    ("np.add(x, y)", 0, 0, "__array_wrap__", "reshape_handed", -1, "objects"),
    ("x.__rdivmod__(x)", 0, 0, "__array_wrap__", "retype_handed", 1, "pinned"),
    ("cowarray.linalg.vecdot(x, x)", 0, 0, "__array_ufunc__", "stride_handed", -1, "pinned"),
    (
        "x.__array_function__(np.copyto, (type(x),), (x, 5), {})",
        0,
        3,
        "subclass, dispatching",
        "stride_handed",
        0,
        "readonly",
    ),
    # Of text that is shorter than out, NumPy leaves the rest unwritten: fresh memory, where x had been shared.
    ('np.add(A([["a"] * 4] * 4), A([["b"] * 4] * 4), out=x)', 0, -1, "afterwards", "nothing", -1, "text"),
    # A trace that was counted while it grew had no end.
    ("(lambda seen: inside(seen, lambda: [*seen]))(cowarray.trace())", 0, -1, "every line", "vanish", -1, "strings"),
    # A format that is no text was a SystemError.
    ('x.__format__("")', 0, 0, "strange: -1", "nothing", -1, "pinned_objects"),
]

COMPARED = [
    # What a callback wrote was kept or lost.
    ("x /= 0", 0, -1, "errstate", "write_one"),
    ("np.divide(x, 0, out=x)", 0, -1, "errstate", "copy_and_write"),
    # A slice passed for harmless, and NumPy asked the user's objects in it for the bounds.
    ("np.delete(x, slice(0, 0))", 0, 1, "bounds", "write_one"),
    # NumPy asked the user's axis once it had x.
    ("np.add.reduce(x, axis=0)", 0, 1, "number", "write_one"),
    ("np.add.reduce(x, axis=0)", 0, 1, "subclass, asked", "write_one"),
]
