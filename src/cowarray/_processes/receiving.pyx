# cython: freethreading_compatible=True
"""Packets with descriptors.

Compiled, because signal handlers run between Python bytecodes: none can run between the arrival of a descriptor and the
creation of the object that closes it.
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
    """An owned descriptor, closed with its object.

    Attributes
    ----------
    number : int
    """

    cdef readonly int number

    def __dealloc__(self):
        close(self.number)


def receive(connection, Py_ssize_t most, /):
    """Receive a packet of at most `most` bytes.

    Returns
    -------
    tuple
        (packet, descriptor): a `Descriptor`, or None if the packet had none.
    """
    cdef Descriptor made = None
    cdef tuple found = connection.recvmsg(most, ROOM, CLOSED_BY_EXEC)
    cdef tuple message
    for message in found[1]:
        if message[0] == socket.SOL_SOCKET and message[1] == socket.SCM_RIGHTS and len(message[2]) >= 4:
            made = Descriptor.__new__(Descriptor)
            made.number = number_of(message[2])[0]
    return found[0], made
