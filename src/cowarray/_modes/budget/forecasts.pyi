from typing import final

@final
class Forecast: ...
