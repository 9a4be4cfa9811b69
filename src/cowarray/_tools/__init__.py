"""Tools around the library: `explain`, the demo, the commands of ``python -m cowarray``, `register`."""
