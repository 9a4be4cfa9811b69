# cython: freethreading_compatible=True
"""Packets with descriptors.

It is compiled: the handler of a signal runs between the bytecodes of Python code, so none comes in between a descriptor
that has come and the object that closes it.
"""

cimport cython

import os
import socket
import struct

cdef object CLOSED_BY_EXEC = socket.MSG_CMSG_CLOEXEC
cdef object ROOM = socket.CMSG_SPACE(4)
cdef object close = os.close
cdef object number_of = struct.Struct("i").unpack_from


@cython.final
cdef class Descriptor:
    """A descriptor that is closed with its object.

    Attributes
    ----------
    number : int
    """

    cdef readonly int number

    def __dealloc__(self):
        close(self.number)


def receive(connection, Py_ssize_t most, /):
    """A packet of at most so many bytes.

    Returns
    -------
    tuple
        (packet, descriptor): a `Descriptor`, or None if none came.
    """
    cdef Descriptor made = None
    cdef tuple found = connection.recvmsg(most, ROOM, CLOSED_BY_EXEC)
    cdef tuple message
    for message in found[1]:
        if message[0] == socket.SOL_SOCKET and message[1] == socket.SCM_RIGHTS and len(message[2]) >= 4:
            made = Descriptor.__new__(Descriptor)
            made.number = number_of(message[2])[0]
    return found[0], made
