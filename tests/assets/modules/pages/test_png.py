"""The one encoder of renders."""

import io
import random

from hypothesis import given
from hypothesis import strategies as st
from PIL import Image

from osrforge_assets.modules.pages.png import encode_png


def _decoded(png: bytes) -> Image.Image:
    image = Image.open(io.BytesIO(png))
    image.load()
    return image


@given(st.integers(1, 40), st.integers(1, 60), st.integers(0, 2**32))
def test_a_decoded_render_has_the_very_pixels(width: int, height: int, seed: int):
    samples = random.Random(seed).randbytes(3 * width * height)
    assert _decoded(encode_png(samples, width, height)).convert("RGB").tobytes() == samples


@given(st.integers(1, 40), st.integers(1, 60), st.integers(0, 2**32))
def test_an_exactly_grey_page_is_written_as_grey_and_loses_nothing(width: int, height: int, seed: int):
    samples = b"".join(bytes([value]) * 3 for value in random.Random(seed).randbytes(width * height))
    image = _decoded(encode_png(samples, width, height))
    assert image.mode == "L"
    assert image.convert("RGB").tobytes() == samples


def test_one_coloured_pixel_in_the_last_row_keeps_the_page_in_colour():
    samples = b"\xff" * (3 * 50 * 99) + b"\x80" * 147 + b"\x80\x80\x81"
    image = _decoded(encode_png(samples, 50, 100))
    assert image.mode == "RGB"
    assert image.getpixel((49, 99)) == (128, 128, 129)


def test_equal_pixels_are_equal_bytes():
    samples = random.Random(1).randbytes(3 * 100 * 100)
    assert encode_png(samples, 100, 100) == encode_png(memoryview(samples), 100, 100)
