from typing import Any

from cowarray._modes.fake.planning import fake

__all__ = ["plot"]

def plot(plan: fake, axes: Any = None) -> Any: ...
