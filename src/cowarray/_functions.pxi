# NumPy's functions that need more than the table. Included by _ndarray.pyx.


def _copy(a, order="K", subok=False):
    return array(a, order=order, copy=True)


def _astype(x, dtype, /, *, copy=True, device=None):
    check_device(device)
    return asarray(x).astype(dtype, copy=copy)


def _reshape(a, /, shape, order="C", *, copy=None):
    return asarray(a).reshape(shape, order=order, copy=copy)


def _array(object, dtype=None, *, copy=True, order="K", subok=False, ndmin=0):
    return array(object, dtype, copy=copy, order=order, ndmin=ndmin)


def _asarray(a, dtype=None, order=None, *, device=None, copy=None):
    return array(a, dtype, order=order, device=device, copy=copy is not False)


def _ascontiguousarray(a, dtype=None):
    return array(a, dtype, order="C", ndmin=1)


def _asfortranarray(a, dtype=None):
    return array(a, dtype, order="F", ndmin=1)


def _shares_memory(a, b, max_work=None):
    return aliases(a, b)


def _may_share_memory(a, b, max_work=None):
    # Asked of a snapshot, the question is whether it can stand for a copy to write to: as long as it shares bytes, no.
    if type(a) is ndarray and type(b) is ndarray:
        return aliases(a, b)
    return aliases(a, b) or shares_bytes(a, b)


cdef dict SPECIAL_FUNCTIONS = {
    np.array: _array,
    np.asarray: _asarray,
    np.asanyarray: _asarray,
    np.ascontiguousarray: _ascontiguousarray,
    np.asfortranarray: _asfortranarray,
    np.copy: _copy,
    np.astype: _astype,
    np.reshape: _reshape,
    np.shares_memory: _shares_memory,
    np.may_share_memory: _may_share_memory,
}
