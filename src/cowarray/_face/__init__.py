"""The class `ndarray`, its attributes, and the C API."""
