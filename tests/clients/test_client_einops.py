"""einops rearranges our arrays: by their namespace, and as any other after cowarray.register()."""

import pytest
from client_uses import COPIES, NEEDS_ASARRAY, Client, check, use, uses

CLIENTS = [
    Client(
        "einops",
        "einops",
        """
        import einops
        import einops.array_api
        """,
        [
            *uses(
                "einops.array_api.rearrange(m, 'a b -> b a')",
                "einops.array_api.reduce(grey, '(h 2) (w 2) -> h w', 'max')",
            ),
            use("einops.rearrange(m, 'a b -> b a')", NEEDS_ASARRAY, "einops.rearrange(np.asarray(m), 'a b -> b a')"),
            use(
                "einops.reduce(grey, '(h 2) (w 2) -> h w', 'mean')",
                NEEDS_ASARRAY,
                "einops.reduce(np.asarray(grey), '(h 2) (w 2) -> h w', 'mean')",
            ),
        ],
    ),
    Client(
        "einops, after cowarray.register()",
        "einops",
        """
        import einops
        import einops.array_api
        cowarray.register()
        """,
        [
            *uses(
                "einops.rearrange(m, 'a b -> (b a)')",
                "einops.rearrange(image, '(h h2) (w w2) c -> h w (h2 w2 c)', h2=2, w2=2)",
                "einops.reduce(grey, '(h 2) (w 2) -> h w', 'mean')",
                "einops.repeat(v, 'a -> a b', b=3)",
                "einops.rearrange([x, y], 'k a -> a k')",
                "einops.einsum(m, m, 'a b, a c -> b c')",
                "einops.pack([x, m], 'a *')",
                "einops.parse_shape(m, 'a b')",
                "einops.array_api.rearrange(m, 'a b -> b a')",
                "einops.rearrange(m, 'a b -> b a')",
                "einops.reduce(m, 'a b -> b', 'prod')",
                "einops.repeat(m, 'a b -> (a 2) b')",
            ),
            *uses(
                "einops.unpack(m, [(1,), (2,)], 'a *')",
                "einops.asnumpy(m)",
                "einops.rearrange(m, '(a two) b -> a two b', two=2)",
                verdict=COPIES,
            ),
        ],
    ),
]


@pytest.mark.parametrize("client", CLIENTS, ids=str)
def test_einops(client):
    check(__name__, client)
