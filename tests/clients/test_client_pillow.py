"""Pillow makes pictures of our arrays, and our arrays take its pictures."""

import pytest
from client_uses import Client, check, uses

CLIENTS = [
    Client(
        "Pillow",
        "PIL",
        "from PIL import Image, ImageFilter",
        [
            *uses(
                "Image.fromarray(image)",
                "Image.fromarray(image[:, :, 0])",
                "Image.fromarray(grey.astype(np.float32))",
                "Image.fromarray(image[::2, ::3])",
                "Image.fromarray(image).resize((8, 8))",
                "Image.fromarray(image).filter(ImageFilter.BLUR)",
                "Image.fromarray(image).save(f'{folder}/a.png'); np.asarray(Image.open(f'{folder}/a.png'))",
                "image[...] = Image.fromarray(image[::-1])",
                "Image.frombytes('RGB', (32, 24), image)",
                "Image.frombuffer('RGB', (32, 24), image, 'raw', 'RGB', 0, 1)",
                "Image.frombuffer('L', (32, 24), image[:, :, 0].copy(), 'raw', 'L', 0, 1)",
                "picture = Image.fromarray(image); picture.putpixel((0, 0), (9, 9, 9)); picture",
            ),
        ],
        distribution="pillow",
    ),
]


@pytest.mark.parametrize("client", CLIENTS, ids=str)
def test_pillow(client):
    check(__name__, client)
