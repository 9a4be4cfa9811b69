"""The ways that operations take: the road, and the lanes that bypass it for speed.

On the road an operation is a name, a function that runs it, and its arguments; the registered function gets it first
(`operands.register`). A lane does one kind of operation on the spot. Each lane is listed here, with what makes it safe.
It hands over to the road while births are watched, and where an array has a doorkeeper or is the standard's: it asks
`leaves_lane`, or gets None from `operand`. A test holds the lists against the sources.

Names are those of modules and functions below `cowarray`.
"""

__all__ = ["LANES", "OUTSIDE", "PARTS", "ROAD", "VALUES"]

# Functions that carry an operation along the road, with and without a registered function.
ROAD = frozenset(
    {
        "_ops.passage.Passage.alias",
        "_ops.passage.Passage.header_of",
        "_ops.passage.Passage.read",
        "_ops.passage.Passage.survey",
        "_ops.passage.Passage.taken_back",
        "_ops.passage.Passage.write",
        "_ops.passage.new_passage",
        "_ops.passage.viewing_passage",
    }
)

# Each lane with the condition under which it bypasses the road.
LANES = {
    "_ops.operands.operand": "the operand runs no code; a kept header fits, or can be made without asking anybody",
    "_ops.operators.binary": "both sides are operands: NumPy's operator on headers gives what is fresh",
    "_ops.operators.unary": "the array is an operand",
    "_ops.operators.compare": "both sides are operands",
    "_ops.operators.in_place": "the right side is an operand, and elements run no code",
    "_ops.ufuncs.plain_ufunc": "one of NumPy's own ufuncs, no options, and operands only",
    "_ops.operands.standard_operand": "the array runs no code and has no doorkeeper; the header is made for the moment",
    "_ops.ufuncs.written_into": "one of NumPy's own ufuncs, `out` alone, operands only, elements run no code",
    "_ops.elementwise.elementwise1": "no options, and an operand",
    "_ops.elementwise.elementwise2": "no options, and two operands",
    "_ops.creation.of_shape": "plain lengths and a dtype of numbers: NumPy's C makes it, and nobody else knows it",
    "_ops.creation.arange": "plain numbers: NumPy's C makes it, and nobody else knows it",
    "_ops.conversion.converted": "from numbers to numbers, no imaginary part to lose: NumPy's C converts",
    "_ops.creation.taken_over": "of `born`: NumPy made it of numbers, files or chance, and nobody else knows it",
    "_ops.quick.without_passage": "no arguments or axes, a method that only reads, elements that run no code",
    "_ops.quick.quick_call": "no `out`, no user code; arrays that run no code, numbers, names, dtypes, lists of these",
    "_face.ndarray.ndarray.T": "always: a transposed header touches no byte",
    "_ops.reading.basic_item": "integers, slices, None and an ellipsis: arithmetic on the shape; a number is read",
    "_ops.reading.item_by_numpy": "the index is settled: NumPy indexes the header, and runs no user code",
    "_ops.reading.item_at": "an integer that is not negative: a row is a view, an element of numbers is read at once",
    "_ops.assigning.set_element": "a number at plain integers in range; looked at again if converting it ran user code",
    "_ops.assigning.put_part": "index and value are settled before the array is looked at",
    "_ops.shapes.lazily_shaped": "C-ordered, lengths that fit, and the rules of lazy copies hold",
    "_face.ndarray.ndarray.copy": "the rules of lazy copies, or a copy made at once: no user code",
    "_face.ndarray.ndarray.lazy_clone": "as copy",
    "_face.ndarray.ndarray.__copy__": "as copy",
    "_face.ndarray.ndarray.__deepcopy__": "as copy; objects by NumPy's own deep copy",
    "_face.attributes.flat_get": "the index is settled",
    "_face.attributes.flat_set": "index and value are settled",
    "_face.ndarray.sorted_at_once": "elements that run no code: NumPy sorts them in place",
    "_face.ndarray.resize": "lengths are settled; looked at again when the new bytes are there",
}

# Helpers of the lanes and the road, and functions that run once an operation has been handed over.
PARTS = frozenset(
    {
        "_ops.conversion.as_own",
        "_ops.conversion.cast",
        "_ops.conversion._plain_copy",
        "_ops.conversion.shallow",
        "_ops.conversion.with_axes",
        "_ops.conversion.with_elements",
        "_ops.assigning.covers",
        "_ops.reading.elements_at",
        "_ops.assigning.fill_picked",
        "_ops.assigning.fill_place",
        "_ops.keys.key_beside",
        "_ops.keys.narrow",
        "_ops.assigning.put_item",
        "_ops.keys.shown_key",
        "_ops.assigning.shown_value",
        "_ops.large.is_reusable_fake",
        "_ops.large.large_operator",
        "_ops.operands.as_standard",
        "_ops.operands.standard_result",
        "_ops.operands.computed",
        "_face.ndarray.contains",
        "_face.ndarray.deep_copy",
        "_ops.operators.plain_compare",
        "_ops.picking.plain_array",
        "_ops.operators.plain_in_place",
        "_ops.ufuncs.travel_ufunc",
        "_ops.road._plain_part",
        "_ops.shapes._plain_flatten",
        "_ops.road.call_with_arguments",
        "_ops.road.picked_beside",
        "_ops.quick.plain_argument",
        "_ops.quick.slowly_taken_back",
        "_ops.road.travel",
        "_ops.ufuncs.at_headers",
        "_ops.ufuncs.beside",
        "_ops.elementwise.elementwise",
        "_ops.ufuncs.overwritten",
        "_ops.elementwise.ufunc_method",
        "_ops.shapes.reshaped",
        "_ops.strided._plain_new_array",
        "_ops.strided.strided_view",
        "_ops.strangers._Power.__call__",
        "_ops.strangers.plain_defer",
    }
)

# Values leave for Python, or only their location is asked for: nothing is born, and the door of the bytes is enough.
VALUES = frozenset(
    {
        "_face.attributes.Flags.__eq__",
        "_face.attributes.Flags.__getattr__",
        "_face.ndarray._plain_header",
        "_face.ndarray._plain_item",
        "_face.ndarray.ndarray.__bool__",
        "_face.ndarray.ndarray.__complex__",
        "_face.ndarray.ndarray.__dlpack_device__",
        "_face.ndarray.ndarray.__float__",
        "_face.ndarray.ndarray.__index__",
        "_face.ndarray.ndarray.__int__",
        "_face.ndarray.ndarray.dtype",
        "_face.ndarray.ndarray.dump",
        "_face.ndarray.ndarray.materialize",
        "_face.ndarray.ndarray.setflags",
        "_face.ndarray.ndarray.shape",
        "_face.ndarray.ndarray.strides",
        "_face.ndarray.ndarray.tobytes",
        "_face.ndarray.ndarray.tofile",
    }
)

# Memory goes to others, or comes from them. Memory that comes in is as constant as a number is; for memory that goes
# out, the door is told on whose behalf.
OUTSIDE = frozenset(
    {
        "_face.capi.capi_const_begin",
        "_face.capi.capi_import_memory",
        "_face.capi.capi_lazy_clone",
        "_face.capi.capi_mutable_begin",
        "_face.ndarray.ndarray.__dlpack__",
        "_face.ndarray.ndarray.__getbuffer__",
        "_face.ndarray.ndarray.ctypes",
        "_face.ndarray.ndarray.to_numpy",
        "_face.ndarray.ndarray.view",
        "_face.pickles._unpickle",
        "_face.pickles._unpickle_objects",
        "_face.pickles.array_on",
        "_face.pickles.reduce_array",
        "_ops.conversion.convert",
        "_ops.conversion.as_alias",
        "_ops.conversion.from_dlpack",
        "_ops.conversion.made_elsewhere",
        "_ops.conversion.taken_in",
        "_ops.strangers.alias_of",
        "_ops.strangers.ask",
        "_ops.strangers.brought",
        "_ops.strangers.compare_with",
        "_ops.strangers.defer",
        "_ops.strangers.snapshot_of",
    }
)
