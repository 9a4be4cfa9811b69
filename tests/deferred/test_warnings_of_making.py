"""Floating-point warnings come of the recorded line, and when others can make something again."""

import logging
import threading
import warnings

import numpy as np
import pytest
from support.limits import LONGEST

import cowarray as cw
from cowarray import deferred, is_deferred


def recorded():
    with deferred():
        x = cw.zeros(3) / 0
        return x, cw.ones(3) + 1


def test_a_warning_names_the_recorded_line():
    x, _ = recorded()
    with warnings.catch_warnings(record=True) as found:
        warnings.simplefilter("always")
        assert np.isnan(x.tolist()).all()
    (warning,) = found
    with warnings.catch_warnings(record=True) as numpys:
        warnings.simplefilter("always")
        np.zeros(3) / 0
    assert str(warning.message) == str(numpys[0].message)
    assert warning.category is RuntimeWarning
    assert warning.filename == __file__
    assert warning.lineno == recorded.__code__.co_firstlineno + 2


def test_a_warning_that_is_an_error_comes_once_the_bytes_are_there():
    x, _ = recorded()
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        with pytest.raises(RuntimeWarning, match="invalid value"):
            x.tolist()
    assert not is_deferred(x)
    assert np.isnan(x.tolist()).all()


@pytest.mark.parametrize("mode", ["call", "log"])
def test_functions_of_the_program_are_called_as_ever(mode):
    told = []

    class Told:
        def __call__(self, *args):
            told.append(args)

        def write(self, text):
            told.append(text)

    with deferred(), np.errstate(invalid=mode, call=Told()):
        x = cw.zeros(3) / 0
    x.tolist()
    assert len(told) == 1


def test_a_handler_whose_lock_a_maker_holds_ends_nothing():
    """One thread warns, and needs the handler's lock; who holds that needs something made."""
    x, y = recorded()
    warned, found = threading.Event(), []
    lock = threading.RLock()

    class Waits(logging.Handler):
        def createLock(self):
            self.lock = lock

        def emit(self, record):
            found.append(record.getMessage())

        def handle(self, record):
            warned.set()
            return super().handle(record)

    def hold():
        with lock:
            held.set()
            assert warned.wait(LONGEST)
            found.append(y.tolist())

    held = threading.Event()
    handler = Waits()
    logger = logging.getLogger("py.warnings")
    logger.addHandler(handler)
    thread = threading.Thread(target=hold, daemon=True)
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("always")
            logging.captureWarnings(True)
            thread.start()
            assert held.wait(LONGEST)
            maker = threading.Thread(target=x.tolist, daemon=True)
            maker.start()
            for each in (thread, maker):
                each.join(LONGEST)
                assert not each.is_alive()
    finally:
        logging.captureWarnings(False)
        logger.removeHandler(handler)
    assert found[0] == [2, 2, 2]
    assert "invalid value encountered in divide" in found[1]
