"""Layouts as JSON. Nothing is imported by name: dataclasses come back as dicts, unless a template has them."""

import base64
import dataclasses
import datetime
import json
from typing import Any, cast

import numpy as np

from cowarray._versions.containers import KINDS, ArrayAt, Container, Layout, Value, is_array, is_container, values_in

__all__ = ["decoded", "encoded", "see_template"]

_MOST_BITS = 1024  # of an integer in decimal: Python refuses to write longer ones that way
_DATES = {kind.__name__: kind for kind in (datetime.datetime, datetime.date, datetime.time)}


def encoded(layout: Layout) -> str:
    """Return a layout as text."""
    return json.dumps(_encode(layout), separators=(",", ":"))


def _encode(layout: Layout) -> Any:
    if isinstance(layout, ArrayAt):
        return {"array": layout.number}
    if isinstance(layout, Value):
        return _encode_value(layout.value)
    keys = [_encode_value(key) for key in layout.keys]
    items = [_encode(item) for item in layout.items]
    return {layout.kind: [list(pair) for pair in zip(keys, items, strict=True)]}


def _encode_value(value: Any) -> Any:
    kind = type(value)
    if value is None or kind in (bool, str):
        return value
    if kind is int:
        return {"int": str(value) if value.bit_length() <= _MOST_BITS else hex(value)}
    if kind is float:
        return {"float": value.hex()}
    if kind is complex:
        return {"complex": [value.real.hex(), value.imag.hex()]}
    if kind is bytes:
        return {"bytes": base64.b64encode(value).decode()}
    if kind is datetime.timedelta:
        return {"timedelta": [value.days, value.seconds, value.microseconds]}
    if kind.__name__ in _DATES:
        return {kind.__name__: value.isoformat()}
    descr: Any = np.lib.format.dtype_to_descr(value.dtype)
    return {"scalar": [descr, base64.b64encode(value.tobytes()).decode()]}


def see_template(template: object) -> None:
    """Refuse a template that is not a state, or contains a class. None means no template."""
    if template is None or is_array(template):
        return
    for value in values_in(template):
        if isinstance(value, type):
            raise TypeError(f"History: a template has instances, and no classes (got {value!r})")
    if not is_container(template):
        raise TypeError(f"History: a template is {KINDS} (got {template!r})")


def decoded(text: str, template: object = None) -> Layout:
    """Return the layout that a text describes.

    Parameters
    ----------
    text : str
    template : object, optional
        A state: where it has a dataclass or a named tuple with the same fields, the layout gets its class.
    """
    return _decode(json.loads(text), template)


def _decode(node: Any, template: object) -> Layout:
    if not isinstance(node, dict):
        return Value(_plain(node))
    (kind, content), *_ = node.items()
    if kind == "array":
        return ArrayAt(int(content))
    if kind not in ("dict", "list", "tuple", "object"):
        return Value(_decode_value(kind, content))
    keys = tuple(_decode_key(key) for key, _ in content)
    kept_kind, made_type = _type_of(kind, keys, template)
    parts = [_part(template, kept_kind, key) for key in keys]
    items = tuple(_decode(item, part) for (_, item), part in zip(content, parts, strict=True))
    return Container(kept_kind, made_type, keys, tuple(map(type, keys)), items)


def _type_of(kind: str, keys: tuple[Any, ...], template: object) -> tuple[str, type]:
    if kind == "object":
        known = dataclasses.is_dataclass(template) and not isinstance(template, type)
        if known and tuple(field.name for field in dataclasses.fields(cast(Any, template))) == keys:
            return "object", type(template)
        return "dict", dict
    if kind == "tuple" and isinstance(template, tuple) and len(template) == len(keys):
        return "tuple", type(template)
    return kind, {"dict": dict, "list": list, "tuple": tuple}[kind]


def _part(template: Any, kind: str, key: Any) -> object:
    """Return a template's part for an item. Beyond a list's end, that is its last item, if all are of one class."""
    if kind == "list" and isinstance(template, list) and key >= len(template) > 0:
        return template[-1] if len(set(map(type, template))) == 1 else None
    try:
        return getattr(template, key) if kind == "object" else template[key]
    except (TypeError, KeyError, IndexError, AttributeError):
        return None


def _decode_key(node: Any) -> Any:
    if not isinstance(node, dict):
        return _plain(node)
    (kind, content), *_ = node.items()
    return _decode_value(kind, content)


def _plain(value: Any) -> Any:
    """Return a value that is the same in JSON and Python."""
    if value is None or isinstance(value, (bool, str)):
        return value
    raise ValueError(f"{value!r} is no value that is written so")


def _decode_value(kind: str, content: Any) -> Any:
    if kind == "int":
        return int(content, 0)
    if kind == "float":
        return float.fromhex(content)
    if kind == "complex":
        return complex(*(float.fromhex(part) for part in content))
    if kind == "bytes":
        return base64.b64decode(content)
    if kind == "timedelta":
        return datetime.timedelta(*content)
    if kind in _DATES:
        return _DATES[kind].fromisoformat(content)
    if kind == "scalar":
        return np.frombuffer(base64.b64decode(content[1]), _dtype(content[0]))[0]
    raise ValueError(f"a value of an unknown kind {kind!r}")


def _dtype(descr: Any) -> np.dtype[Any]:
    return np.lib.format.descr_to_dtype(_tuples(descr))


def _tuples(descr: Any) -> Any:
    """Turn lists into tuples where a description of fields has tuples: JSON has only lists."""
    if isinstance(descr, list):
        return [
            tuple(tuple(part) if isinstance(part, list) and at == 2 else _tuples(part) for at, part in enumerate(field))
            for field in descr
        ]
    return descr
