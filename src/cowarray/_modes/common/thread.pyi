from typing import final

@final
class Instead: ...

@final
class Thread: ...
