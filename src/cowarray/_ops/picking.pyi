from typing import final

@final
class Picked: ...
