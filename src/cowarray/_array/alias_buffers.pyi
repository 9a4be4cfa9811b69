from typing import final

@final
class AliasBuffer: ...
