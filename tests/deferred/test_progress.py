"""`materialize(progress=...)` tells after each array what is there of what was asked for."""

import pytest

import cowarray


def fields(count):
    with cowarray.deferred():
        return [cowarray.ones(1000) * i for i in range(count)]


def test_bytes_come_up_to_all():
    told = []
    cowarray.materialize(fields(3), progress=lambda *figures: told.append(figures))
    assert told == [(8000, 24000), (16000, 24000), (24000, 24000)]


def test_views_of_one_storage_count_once():
    with cowarray.deferred():
        x = cowarray.zeros(1000)
        parts = [x[:10], x, x[10:]]
    told = []
    cowarray.materialize(parts, progress=lambda *figures: told.append(figures))
    assert told == [(8000, 8000)]


def test_only_what_is_wanted_counts():
    arrays = fields(3)
    told = []
    cowarray.materialize(arrays, where=lambda x: x is arrays[1], progress=lambda *figures: told.append(figures))
    assert told == [(8000, 8000)]
    assert [cowarray.is_deferred(x) for x in arrays] == [True, False, True]
    cowarray.materialize(arrays[1], progress=lambda *figures: told.append(figures))
    assert len(told) == 1


def test_what_one_array_needs_of_another_counts_with_the_other():
    with cowarray.deferred():
        x = cowarray.ones(1000)
        y = x + 1
    told = []
    cowarray.materialize([y, x], progress=lambda *figures: told.append(figures))
    assert told == [(8000, 16000), (16000, 16000)]


def test_progress_may_end_it():
    arrays = fields(3)

    def stop(done, total):
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        cowarray.materialize(arrays, progress=stop)
    assert [cowarray.is_deferred(x) for x in arrays] == [False, True, True]
    assert cowarray.materialize(arrays)[2].tolist()[:2] == [2.0, 2.0]
