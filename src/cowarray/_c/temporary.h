/* Whether an operator's operand is a temporary: an object that only CPython's interpreter refers to, from its stack,
 * and drops when the operator returns.
 *
 * A reference count of one does not prove it: C code that calls PyNumber_Add may hold that one reference and go on
 * using the object. CPython 3.14 can tell by itself. For earlier versions, this checks that the caller is the
 * interpreter's own loop, at an instruction for a binary operator, through PyNumber_Add or its like. That instruction
 * owns both operands on the stack and drops them. In doubt, an object is not a temporary. So none is without a GIL,
 * where reference counts are split, or with a C library that cannot tell the caller.
 */
#ifndef COWI_TEMPORARY_H
#define COWI_TEMPORARY_H

#include <Python.h>

#if PY_VERSION_HEX >= 0x030E0000

static int cowi_is_temporary(PyObject *object, PyObject *slots, int operator_code)
{
    (void)slots;
    (void)operator_code;
    return PyUnstable_Object_IsUniqueReferencedTemporary(object);
}

#elif defined(__GLIBC__) && !defined(Py_GIL_DISABLED)

#include <dlfcn.h>
#include <execinfo.h>
#include <string.h>

enum { COWI_UNKNOWN, COWI_OURS, COWI_NUMBER, COWI_EVAL };

/* Recent return addresses and what they lie in, since a lookup takes microseconds. They stay valid: neither the
 * interpreter nor an extension of the library is ever unloaded. Protected by the GIL. */
static struct {
    void *address;
    int kind;
} cowi_callers[64];
static unsigned cowi_next_caller;

static int cowi_lies_in(void *address, void *of)
{
    Dl_info here, there;
    return dladdr(address, &here) && dladdr(of, &there) && here.dli_fbase == there.dli_fbase;
}

static int cowi_kind_of_caller(void *address, void *slot)
{
    const size_t places = sizeof cowi_callers / sizeof *cowi_callers;
    size_t place;
    int kind = COWI_UNKNOWN;
    Dl_info info;
    for (place = 0; place < places; place++) {
        if (cowi_callers[place].address == address) {
            return cowi_callers[place].kind;
        }
    }
    if (cowi_lies_in(address, (void *)cowi_callers) || cowi_lies_in(address, slot)) {
        kind = COWI_OURS;
    }
    else if (cowi_lies_in(address, (void *)&PyNumber_Add) && dladdr(address, &info)) {
        if (info.dli_sname == NULL || strncmp(info.dli_sname, "PyNumber_", 9) == 0) {
            kind = COWI_NUMBER; /* without a name: one of its static functions */
        }
        else if (strcmp(info.dli_sname, "_PyEval_EvalFrameDefault") == 0) {
            kind = COWI_EVAL;
        }
    }
    if (kind != COWI_UNKNOWN) {
        place = cowi_next_caller++ % places;
        cowi_callers[place].address = address;
        cowi_callers[place].kind = kind;
    }
    return kind;
}

/* True if this thread's Python code is at an instruction with this opcode. */
static int cowi_is_at(int operator_code)
{
    PyFrameObject *frame = PyEval_GetFrame(); /* borrowed */
    PyCodeObject *code;
    PyObject *bytes;
    int at, found;
    if (frame == NULL) {
        return 0;
    }
    code = PyFrame_GetCode(frame);
    at = PyFrame_GetLasti(frame);
    bytes = PyCode_GetCode(code);
    Py_DECREF(code);
    if (bytes == NULL) {
        PyErr_Clear();
        return 0;
    }
    found = at >= 0 && at < PyBytes_GET_SIZE(bytes) && (unsigned char)PyBytes_AS_STRING(bytes)[at] == operator_code;
    Py_DECREF(bytes);
    return found;
}

/* slots: the object's class, whose nb_add tells where the slots are. */
static int cowi_is_temporary(PyObject *object, PyObject *slots, int operator_code)
{
    void *callers[12];
    void *slot = (void *)((PyTypeObject *)slots)->tp_as_number->nb_add;
    int count, i = 0, numbers = 0;
    if (Py_REFCNT(object) != 1) {
        return 0;
    }
    count = backtrace(callers, 12);
    while (i < count && cowi_kind_of_caller(callers[i], slot) == COWI_OURS) {
        i++;
    }
    while (i < count && cowi_kind_of_caller(callers[i], slot) == COWI_NUMBER) {
        i++;
        numbers++;
    }
    return numbers > 0 && numbers <= 3 && i < count && cowi_kind_of_caller(callers[i], slot) == COWI_EVAL &&
           cowi_is_at(operator_code);
}

#else

static int cowi_is_temporary(PyObject *object, PyObject *slots, int operator_code)
{
    (void)object;
    (void)slots;
    (void)operator_code;
    return 0;
}

#endif

#endif
