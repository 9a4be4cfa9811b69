"""The evil world: user code, threads and collections in the middle of every public call, doing the worst they can.

`cases` says which calls, `states` has the arrays under attack, `hooks` says where user code gets in, `deeds` what
it does there, `trial` one of all of these and what must hold afterwards, `plan` which trials there are, `run` the
processes that they run in.
"""
