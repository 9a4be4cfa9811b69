"""array-api-compat finds our namespace."""

import pytest
from client_uses import NEEDS_ASARRAY, Client, check, use, uses

CLIENTS = [
    Client(
        "array-api-compat",
        "array_api_compat",
        """
        import array_api_compat
        from array_api_compat import array_namespace, device, is_array_api_obj, is_numpy_array, is_writeable_array, size, to_device
        """,
        [
            *uses(
                "array_namespace(x).sum(x)",
                "array_namespace(x, y).concat([x, y])",
                "array_namespace(m).mean(m, axis=0)",
                "array_namespace(x).astype(x, array_namespace(x).float32)",
                "is_array_api_obj(x)",
                "is_writeable_array(x)",
                "size(m)",
                "str(device(x))",
                "to_device(x, device(x))",
                "array_namespace(x).linalg.vector_norm(x)",
                "array_namespace(x, 1.0, None).sum(x)",
            ),
            use(
                "array_namespace(x, np.zeros(3)).sum(x)",
                NEEDS_ASARRAY,
                "array_namespace(np.asarray(x), np.zeros(3)).sum(np.asarray(x))",
            ),
        ],
        distribution="array-api-compat",
    ),
]


@pytest.mark.parametrize("client", CLIENTS, ids=str)
def test_array_api_compat(client):
    check(__name__, client)
