from typing import final

@final
class Silence:
    def match(self, text: str, /) -> bool: ...
