"""Every ufunc into an array that it writes as a whole: cases for poison.py, and the arrays that they are made of.

A case is (name, how, dtype, shape, layout, write): `write` writes an array of that dtype, shape and layout.
"""

import itertools
import operator
import re

import numpy as np
import numpy._core.umath as umath
from support.numpy_versions import happens

import cowarray as ca

LETTERS = "abcdefghijklmnopqrstuvwxyz"
WIDTHS = 3, 5, 8
SHAPES = (3, 4), (5,), (), (2, 1, 3), (0, 3)


def filled(dtype, shape, rng, lowest=1):
    """Small values of any dtype, none of whose bytes is left out: strings are as long as they can be."""
    dtype = np.dtype(dtype)
    size = int(np.prod(shape))
    if dtype.kind in "US":
        width = dtype.itemsize // (4 if dtype.kind == "U" else 1)
        texts = ["".join(rng.choices(LETTERS, k=width)) for _ in range(size)]
        return np.array(texts, dtype).reshape(shape) if size else np.empty(shape, dtype)
    numbers = np.array([rng.randint(lowest, 9) for _ in range(size)], "i8")
    if dtype.kind == "b":
        numbers %= 2
    elif dtype.kind in "mM":
        numbers = numbers.astype(f"{dtype.kind}8[s]")
    elif dtype.kind == "V":
        numbers = numbers.astype("i4")
        return numbers.view(dtype).reshape(shape)
    return numbers.astype(dtype).reshape(shape)


LAYOUTS = {
    "C": lambda a: a,
    "F": lambda a: a.T,
    "backwards": lambda a: a[::-1],
    "all backwards": lambda a: a[(slice(None, None, -1),) * a.ndim],
    "F backwards": lambda a: a.T[::-1] if a.ndim else a,
    "part": lambda a: a[1:] if a.ndim else a,
}


def laid_out(dtype, shape, layout, rng):
    """Values in memory such that the layout has the shape: (the array that owns the bytes, the function to view it)."""
    view = LAYOUTS[layout]
    memory = shape[::-1] if layout.startswith("F") else shape
    if layout == "part" and shape:
        memory = (shape[0] + 1, *shape[1:])
    return filled(dtype, memory, rng), view


# ---- ufuncs ----------------------------------------------------------------------------------------------------------

IN_PLACE = {
    name: getattr(operator, name)
    for name in ("iadd", "isub", "imul", "itruediv", "ifloordiv", "imod", "ipow", "iand", "ior", "ixor", "ilshift",
                 "irshift", "imatmul")
}  # fmt: skip
OPERATOR_OF = {
    np.add: "iadd", np.subtract: "isub", np.multiply: "imul", np.true_divide: "itruediv", np.remainder: "imod",
    np.floor_divide: "ifloordiv", np.power: "ipow", np.bitwise_and: "iand", np.bitwise_or: "ior",
    np.bitwise_xor: "ixor", np.left_shift: "ilshift", np.right_shift: "irshift",
}  # fmt: skip
WIDER = {"?": "bU", "b": "hd", "h": "iqe", "i": "qdU", "l": "d", "f": "dgF", "e": "fd", "d": "gDf", "F": "D"}


def ufuncs():
    """Every one, by name. Those with an underscore trust their caller with the size of `out`."""
    found = {}
    for space in (np, np.strings, umath):
        for name, value in vars(space).items():
            if isinstance(value, np.ufunc) and not name.startswith("_") and value not in found.values():
                found[name] = value
    return found


def loop_types(ufunc):
    """The loops of a ufunc as (dtypes of the inputs, dtypes of the outputs); objects are never overwritten."""
    for loop in ufunc.types:
        if "O" in loop:
            continue
        inputs, _, outputs = loop.partition("->")
        yield [typecode(char) for char in inputs], [typecode(char) for char in outputs]


def typecode(char):
    return f"{char}8[s]" if char in "mM" else char


def call_with_out(ufunc, inputs, target, manner, more):
    """One of the ways to say where the results go; other results than the first go anywhere, or nowhere."""
    others = (None,) * (ufunc.nout - 1)
    if manner == "out=x" and not others:
        ufunc(*inputs, out=target, **more)
    elif manner == "positional":
        ufunc(*inputs, target, *others, **more)
    else:
        ufunc(*inputs, out=(target, *others), **more)


MANNERS = "out=x", "out=(x,)", "positional"


def elementwise(rng, share):
    """Cases (name, how, dtype of x, shape, layout, write): every loop, layout and way of naming `out`."""
    for name, ufunc in ufuncs().items():
        if ufunc.signature is not None:
            continue
        for inputs, outputs in loop_types(ufunc):
            output = outputs[0]
            wider = (f"{output[0]}8[ms]",) if output[0] in "mM" else WIDER.get(output, ())
            for dtype, layout, manner in itertools.product((output, f">{output}", *wider), LAYOUTS, MANNERS):
                if rng.random() * share >= 1:
                    continue
                dtype = np.dtype(f"U{rng.choice((2, 30))}" if dtype == "U" else dtype)
                yield one_elementwise(name, ufunc, inputs, output, dtype, layout, manner, rng)


def one_elementwise(name, ufunc, inputs, output, dtype, layout, manner, rng):
    shape = rng.choice(SHAPES)
    own = rng.random() < 0.3  # arguments of ours, too
    kinds = [rng.choice(("same", "scalar", "row", "x", "backwards", "other order")) for _ in inputs]
    more = rng.choice(
        ({}, {}, {}, {"casting": "unsafe"}, {"order": "F"}, {"where": True}, {"dtype": output, "casting": "unsafe"})
    )
    given = []
    for kind, one in zip(kinds, inputs, strict=True):
        if kind == "scalar":
            given.append(filled(one, (), rng))
        elif kind == "row":
            given.append(filled(one, shape[-1:], rng))
        else:
            given.append(filled(one, shape, rng))

    def write(target):
        arguments = []
        for kind, one in zip(kinds, given, strict=True):
            if kind == "x" or kind == "backwards":
                fits = target.dtype == one.dtype
                arguments.append((target[::-1] if kind == "backwards" and target.ndim else target) if fits else one)
            elif kind == "other order":
                arguments.append(np.asfortranarray(one))
            else:
                arguments.append(ca.array(one) if own else one)
        if more == {} and ufunc in OPERATOR_OF and kinds[0] == "x" and len(arguments) == 2:
            IN_PLACE[OPERATOR_OF[ufunc]](target, arguments[1])
        else:
            call_with_out(ufunc, arguments, target, manner, more)

    how = f"({', '.join(f'{one} {kind}' for one, kind in zip(inputs, kinds, strict=True))}) {manner} {more}"
    return name, how, dtype, shape, layout, write


# What the ufuncs of strings take, s for a string and i for a number; the dtype of what they give.
STRING_SIGNATURES = {
    "add": "ss->s", "multiply": "si->s", "find": "ssii->i", "rfind": "ssii->i", "index": "ssii->i",
    "rindex": "ssii->i", "count": "ssii->i", "startswith": "ssii->?", "endswith": "ssii->?", "str_len": "s->i",
    "isalpha": "s->?", "isdigit": "s->?", "isspace": "s->?", "isalnum": "s->?", "islower": "s->?", "isupper": "s->?",
    "istitle": "s->?", "isdecimal": "s->?", "isnumeric": "s->?", "equal": "ss->?", "not_equal": "ss->?",
    "less": "ss->?", "less_equal": "ss->?", "greater": "ss->?", "greater_equal": "ss->?", "minimum": "ss->s",
    "maximum": "ss->s", "fmin": "ss->s", "fmax": "ss->s", "positive": "s->s", "clip": "sss->s",
}  # fmt: skip


def strings(rng, share):
    """The loops that ufunc.types does not list, of strings narrower than x, as wide and wider."""
    known = ufuncs()
    for name, signature in STRING_SIGNATURES.items():
        inputs, _, output = signature.partition("->")
        if name == "multiply" and happens("letters times numbers overflow"):
            continue
        targets = [f"{order}{kind}{width}" for kind in "US" for width in (1, *WIDTHS, 20) for order in "<>"]
        if output != "s":
            targets += ["i8", "i4", "?", "f8", "f4"]
        for dtype, layout, manner, width, more in itertools.product(targets, LAYOUTS, MANNERS, WIDTHS, WIDTHS):
            if rng.random() * share * 4 < 1:
                yield one_of_strings(name, known[name], inputs, np.dtype(dtype), layout, manner, (width, more), rng)


def one_of_strings(name, ufunc, inputs, dtype, layout, manner, widths, rng):
    shape = rng.choice(SHAPES)
    kind = dtype.kind if dtype.kind in "US" else rng.choice("US")
    own = rng.random() < 0.3
    order = rng.choice("<<>")
    given = []
    for place, char in enumerate(inputs):
        one_shape = shape if place == 0 or rng.random() < 0.6 else rng.choice(((), shape[-1:]))
        if char == "i":
            given.append(filled("i8", one_shape, rng, lowest=-2))
        else:
            text = filled(f"{order}{kind}{widths[place % 2]}", one_shape, rng)
            given.append(
                text if rng.random() < 0.7 else np.strings.slice(text, 0, rng.randint(0, 3)).astype(text.dtype)
            )
    aliased = rng.random() < 0.2
    more = rng.choice(({}, {}, {}, {"casting": "unsafe"}))

    def write(target):
        arguments = [ca.array(one) if own else one for one in given]
        if aliased and target.dtype.kind == kind:
            arguments[0] = target
        if name == "add" and aliased and not more:
            operator.iadd(target, arguments[1])
        else:
            call_with_out(ufunc, arguments, target, manner, more)

    how = f"({', '.join(one.dtype.str for one in given)}{' of x' if aliased else ''}) {manner} {more}"
    return f"{name} of strings", how, dtype, shape, layout, write


# ---- generalized ufuncs ----------------------------------------------------------------------------------------------


def core_shapes(signature, sizes):
    """The shapes that a signature gives: of the inputs, of the outputs."""
    sides = []
    for side in signature.split("->"):
        parts = re.findall(r"\(([^)]*)\)", side)
        sides.append(
            [tuple(sizes[axis.strip().rstrip("?")] for axis in part.split(",") if axis.strip()) for part in parts]
        )
    return sides


def generalized(rng, share):
    """Every loop of every gufunc, with core axes of all lengths, 0 among them, and broadcast loops."""
    for name, ufunc in ufuncs().items():
        if ufunc.signature is None:
            continue
        axes = sorted(set(re.findall(r"\w+", ufunc.signature)))
        for inputs, outputs in loop_types(ufunc):
            lengths = list(itertools.product((0, 1, 2, 3), repeat=len(axes)))
            for sizes in rng.sample(lengths, min(len(lengths), 16)):
                for layout in LAYOUTS:
                    if name == "vecmat" and outputs[0] in "FD" and layout not in ("C", "F"):
                        continue  # NumPy ignores the stride of complex results, and writes beyond the end
                    if rng.random() * share < 1:
                        lengths_of = dict(zip(axes, sizes, strict=True))
                        yield one_generalized(name, ufunc, inputs, outputs[0], lengths_of, layout, rng)


def one_generalized(name, ufunc, inputs, output, sizes, layout, rng):
    cores, results = core_shapes(ufunc.signature, sizes)
    loop = rng.choice(((), (2,), (2, 3), (0,)))
    given = []
    for core, dtype in zip(cores, inputs, strict=True):
        outer = rng.choice((loop, loop, (), loop[-1:], (1, *loop[1:])))
        one = filled(dtype, (*outer, *core), rng)
        given.append(one if rng.random() < 0.6 else np.asfortranarray(one))
    dtype = np.dtype(output)
    if rng.random() < 0.3 and output in WIDER:
        dtype = np.dtype(rng.choice(WIDER[output].replace("U", "d")))
    shape = (*loop, *results[0])
    own = rng.random() < 0.3
    in_place = ufunc is np.matmul and rng.random() < 0.2

    def write(target):
        arguments = [ca.array(one) if own else one for one in given]
        if in_place and target.shape == arguments[0].shape:
            operator.imatmul(target, arguments[1])
        else:
            ufunc(*arguments, out=target)

    shapes = ", ".join(f"{one.dtype.char}{one.shape}" for one in given)
    return name, f"({shapes})", dtype, shape, layout, write
