from typing import final

from cowarray._modes.common.dispatching import Handler

@final
class SimulationsHandler(Handler): ...
