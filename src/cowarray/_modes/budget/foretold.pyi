from typing import final

@final
class Foretold: ...
