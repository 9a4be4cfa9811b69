from types import ModuleType

__all__ = ["hand_to"]

def hand_to(**roads: ModuleType) -> None: ...
