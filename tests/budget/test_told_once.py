"""An operation warns once, at the line where the program did it: not while it is foreseen, nor when it is repeated."""

import sys
import threading
import warnings

import numpy as np
import pytest
from support.limits import LONGEST

import cowarray
from cowarray._modes.fake.forecasts import forget

N = 1000
CALLS = [
    lambda x: x.astype("f8"),
    lambda x: np.add(x, x, dtype="f8", casting="unsafe"),
    lambda x: np.add(x, 1, out=cowarray.ones(N), casting="unsafe"),
    lambda x: cowarray.ones(N).__setitem__(slice(None), x),
    lambda x: cowarray.ones(N).__setitem__(np.arange(N), x),
    lambda x: np.sum(x, dtype="f8"),
    lambda x: np.var(x.real.reshape(1, N), axis=0, ddof=2),
    lambda x: x / 0,
    lambda x: np.log(x.real - 1),
]
if np.lib.NumpyVersion(np.__version__) < "2.5.0":  # later it is an error
    CALLS.append(lambda x: np.cross(x.reshape(-1, 2), x.reshape(-1, 2)))


def heard(function, x):
    with warnings.catch_warnings(record=True) as found:
        warnings.simplefilter("always")
        result = function(x)
        told = [(each.category, str(each.message), each.filename, each.lineno) for each in found]
        if cowarray.is_checkpointed(x):
            found.clear()
            if isinstance(result, cowarray.ndarray):
                cowarray.evict(result)
                np.asarray(result)
            assert found == []
    return told


@pytest.mark.parametrize("function", CALLS)
def test_what_numpy_warns_of_is_told_once_and_at_its_line(function):
    x = cowarray.ones(N, "c16") * (1 + 2j)
    wanted = heard(function, x)
    assert wanted or function is CALLS[7]  # deprecated in some versions
    with cowarray.budget("16 MiB", small=0):
        assert heard(function, cowarray.checkpoint(x)) == wanted
        assert heard(function, cowarray.checkpoint(x)) == wanted  # what is known of dtypes by now changes nothing


def test_errors_that_warnings_are_made_are_raised_once_and_nothing_is_computed():
    with cowarray.budget("16 MiB", small=0), warnings.catch_warnings(action="error"):
        x = cowarray.ones(N, "c16")
        with pytest.raises(np.exceptions.ComplexWarning):
            x.astype("f8")
        y = x + 1
        cowarray.evict(y)  # it is no constant: it was foreseen in spite of the filters
    assert y[0] == 2


def test_other_threads_are_heard_meanwhile():
    x = cowarray.checkpoint(cowarray.ones(200_000, "c16"))
    stop = threading.Event()

    def compute():
        while not stop.is_set():
            y = x.real.astype("c16") * 2j
            cowarray.evict(y)
            np.asarray(y)

    before = sys.getswitchinterval()
    sys.setswitchinterval(1e-5)
    with warnings.catch_warnings(record=True) as found:
        warnings.simplefilter("always")
        threads = [threading.Thread(target=compute) for _ in range(2)]
        for each in threads:
            each.start()
        for _ in range(1000):
            warnings.warn("heard", stacklevel=1)
        stop.set()
        for each in threads:
            each.join()
    sys.setswitchinterval(before)
    assert sum(str(each.message) == "heard" for each in found) == 1000


class QuietThread(threading.Thread):
    """Stops in the middle of an operation that is foreseen for the first time, while nobody is told of its warnings."""

    def __init__(self, operation):
        super().__init__(target=operation, daemon=True)
        self.is_quiet, self.may_go_on = threading.Event(), threading.Event()

    def wait(self, frame, event, arg):
        if any(each[2].__name__ == "Hushed" for each in warnings.filters):
            self.is_quiet.set()
            self.may_go_on.wait(LONGEST)

    def run(self):
        sys.setprofile(self.wait)
        super().run()

    def __enter__(self):
        self.start()
        assert self.is_quiet.wait(LONGEST)
        return self

    def __exit__(self, *args):
        self.may_go_on.set()
        self.join()


def test_who_is_being_told_loses_no_filter_when_another_thread_is_quiet_no_more():
    forget()
    x = cowarray.checkpoint(cowarray.ones((N, 3)))

    class Awaited(type):
        def __subclasscheck__(cls, category):
            quiet.__exit__()
            return False

    class Waits(Warning, metaclass=Awaited):
        pass

    with warnings.catch_warnings(record=True) as found:
        warnings.simplefilter("error")
        warnings.simplefilter("always", UserWarning)
        warnings.simplefilter("ignore", Waits)
        before = warnings.filters
        with QuietThread(lambda: x + 1) as quiet:
            warnings.warn("heard", stacklevel=1)
        assert warnings.filters is before
    assert [str(each.message) for each in found] == ["heard"]


def test_filters_that_come_while_another_thread_is_quiet_stay():
    forget()
    x = cowarray.checkpoint(cowarray.ones((N, 4)))
    with warnings.catch_warnings():
        before = warnings.filters[:]
        with QuietThread(lambda: x + 1):
            warnings.simplefilter("ignore", UserWarning)
            x - 1
            warnings.filterwarnings("error", "nothing of the kind")
        assert [each[0] for each in warnings.filters[:2]] == ["error", "ignore"]
        assert warnings.filters[2:] == before


def test_filters_of_the_program_stay():
    with warnings.catch_warnings():
        x = cowarray.checkpoint(cowarray.ones(N))
        x + 1
        for _ in range(5):
            warnings.simplefilter("always")
            warnings.filterwarnings("ignore", "nothing of the kind")
            x + 1
        before = len(warnings.filters)
        for _ in range(100):
            warnings.simplefilter("always")
            x + 1
        assert len(warnings.filters) == before
