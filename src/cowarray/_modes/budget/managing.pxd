# Operations inside a budget.

from cowarray._modes.budget.runs cimport Run


cdef Run held_by(object block)
