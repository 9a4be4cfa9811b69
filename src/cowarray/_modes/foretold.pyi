from typing import final

@final
class Foretold: ...

@final
class Key: ...
