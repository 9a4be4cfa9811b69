"""What can be told of a call without looking at bytes that have a doorkeeper, and the calls that are asked."""

import re

import numpy as np
from support.cases.registry import select
from support.oracle import numbers, value

import cowarray

A = numbers((4, 4))


def facts(result, storage, depth=0):
    """What can be told of a result, but for what lies in the bytes that have the doorkeeper."""
    if depth > 4:
        return "..."
    if type(result) is cowarray.ndarray:
        own = result.storage is storage
        return (result.shape, result.strides, str(result.dtype), "its own" if own else facts(value(result), storage))
    if isinstance(result, np.ndarray):
        return (type(result).__name__, result.shape, str(result.dtype), result.tolist())
    if isinstance(result, (list, tuple)):
        return [facts(item, storage, depth + 1) for item in result]
    if isinstance(result, (bytes, memoryview)):
        return bytes(result)
    if isinstance(result, (int, float, complex, str, np.generic, type(None))):
        return repr(result)
    return type(result).__name__


def told(done, storage):
    result, error = done
    return facts(result, storage), None if error is None else re.sub("0x[0-9a-f]+", "0x", f"{type(error)} {error}")


# What is asked here for its bytes was made before there was a doorkeeper.
MADE_BEFORE = ("archive(", "np.nditer(np.asarray(x))")


def cases():
    return [case for case in select("isolation") if not case.source.startswith(MADE_BEFORE)]
