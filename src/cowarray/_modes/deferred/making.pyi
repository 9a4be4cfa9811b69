from cowarray._modes.deferred.recipes import Recipe
from cowarray._modes.record.draws import State

__all__ = ["make", "settle"]

def make(recipe: Recipe) -> None: ...
def settle(state: State) -> None: ...
