"""Display of an array in a notebook: facts that NumPy's text lacks, then that text, shortened."""

from cowarray._chapters.printing import get_printoptions, printoptions
from cowarray._face.ndarray import ndarray
from cowarray._modes.common.sizes import readable
from cowarray._native.fork_locks import importing
from cowarray._native.storage import Storage, is_absent_storage, is_deferred_storage, is_fake_storage
from cowarray._tools.report import explain

__all__ = ["as_html"]

_MOST_ELEMENTS = 100  # up to which all are shown
_MOST_CHARACTERS = 4000


def as_html(x: ndarray) -> str:
    """Return the HTML that a notebook shows for an array. This computes, brings back and copies nothing.

    Parameters
    ----------
    x : ndarray

    Returns
    -------
    str
    """
    with importing:
        import html
    head = f"<b>{html.escape(str(x.dtype))}</b> {x.shape}, {readable(x.nbytes)}"
    facts = " · ".join(html.escape(fact) for fact in _facts(x))
    values = "" if _has_no_bytes(x.storage) else f"<pre>{html.escape(_values(x))}</pre>"
    return f'<div><p style="font-family: sans-serif">{head}<br/>{facts}</p>{values}</div>'


def _facts(x: ndarray) -> list[str]:
    """Return facts about an array that its values do not tell, each in a few words."""
    if is_fake_storage(x.storage):
        return ["fake: it has no bytes, and will have none"]
    if is_deferred_storage(x.storage):
        return ["deferred: its bytes are made when somebody needs them"]
    found = explain(x)
    facts = [found.away] if found.away else []
    if found.made == "a lazy copy":
        facts.append(found.made)
    if found.shares > 1:
        others = found.shares - 1
        facts.append(f"its bytes are shared with {others} {'other' if others == 1 else 'others'}")
    else:
        facts.append("its bytes are its own")
    if found.window != x.nbytes:
        facts.append(f"a view of a Storage of {readable(found.window)}")
    if found.foreign:
        facts.append("foreign memory")
    if found.next_write_copies:
        facts.append(f"the next write copies {readable(found.next_write_copies)}")
    if found.readonly:
        facts.append("read-only")
    if found.pinned:
        facts.append("pinned: copies are made at once")
    return facts


def _has_no_bytes(storage: Storage) -> bool:
    return is_fake_storage(storage) or is_deferred_storage(storage) or is_absent_storage(storage)


def _values(x: ndarray) -> str:
    """Return NumPy's text, summarized and cut whatever the array's size and the print options are."""
    with printoptions(threshold=min(get_printoptions()["threshold"], _MOST_ELEMENTS)):
        text = repr(x)
    return text if len(text) <= _MOST_CHARACTERS else f"{text[:_MOST_CHARACTERS]}…"
