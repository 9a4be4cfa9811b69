"""A chart of a plan's memory over time, drawn by matplotlib, which is imported only here."""

import importlib
from typing import Any

from cowarray._modes.common.sizes import readable

_UNITS = ("bytes", "KiB", "MiB", "GiB", "TiB", "PiB")
__all__ = ["plot"]


def plot(plan: Any, axes: Any = None) -> Any:
    """Draw the live bytes of a plan.

    Parameters
    ----------
    plan : cowarray.fake
    axes : matplotlib.axes.Axes, optional
        The axes to draw into. Default: new ones from pyplot.

    Returns
    -------
    matplotlib.axes.Axes
    """
    if axes is None:
        try:
            pyplot = importlib.import_module("matplotlib.pyplot")
        except ModuleNotFoundError as error:
            if error.name is None or error.name.partition(".")[0] != "matplotlib":
                raise
            text = "fake.plot: matplotlib is not installed; install it, or the extra: pip install 'cowarray[plot]'"
            raise ImportError(text, name="matplotlib") from error
        axes = pyplot.figure(layout="constrained").add_subplot()
    series = [(0, 0), *plan.series]
    power = min((max(plan.peak_bytes, 1).bit_length() - 1) // 10, len(_UNITS) - 1)
    births, live = [birth for birth, _ in series], [each / 1024**power for _, each in series]
    axes.fill_between(births, live, step="pre", alpha=0.4)
    axes.plot(births, live, drawstyle="steps-pre")
    axes.set_ylim(bottom=0)
    axes.set_xlabel("arrays made")
    axes.set_ylabel("live bytes" if power == 0 else f"live bytes, {_UNITS[power]}")
    axes.xaxis.get_major_locator().set_params(integer=True)
    if plan.peak_site is not None:
        at = max(series, key=lambda each: each[1])[0]
        axes.axvline(at, linestyle=":", color="gray")
        axes.set_title(f"peak {readable(plan.peak_bytes)} at {plan.peak_site}", fontsize="medium")
    return axes
