"""The evil world: user code, threads and collections in the middle of every public call, doing the worst they can.

`cases` (one folder up) has the calls; `states` the arrays under attack, `hooks` where user code gets in, `deeds` what
it does there, `trial` one of all of these and what must hold afterwards, `plan` which trials there are, `run` the
processes that they run in.
"""
