from cowarray._modes.common.site import Site

__all__ = ["FakeError"]

class FakeError(TypeError):
    operation: str
    reason: str
    site: Site | None
    advice: str
    def __init__(self, operation: str, reason: str, site: Site | None, advice: str = "") -> None: ...
