"""`cowarray.linalg`: NumPy's results, as ours or as views of ours; operands are only read."""

import numpy as np
import pytest
from support.oracle import same

from cowarray import linalg


def test_all_of_numpys_module_is_there():
    assert set(linalg.__all__) >= set(np.linalg.__all__)
    assert linalg.LinAlgError is np.linalg.LinAlgError


@pytest.mark.parametrize("name", ["inv", "solve", "cholesky"])
def test_a_matrix_without_inverse_is_an_error_that_says_so(name):
    more = ([1.0, 2.0],) if name == "solve" else ()
    with pytest.raises(linalg.LinAlgError, match=r"ingular|positive definite"):
        getattr(linalg, name)([[0.0, 0.0], [0.0, 0.0]], *more)


def test_multi_dot_of_anything():
    n = np.arange(4.0).reshape(2, 2)
    same(linalg.multi_dot([n, n.tolist(), n]), np.linalg.multi_dot([n, n, n]))
