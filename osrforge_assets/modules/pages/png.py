"""PNG: one encoder for every render, so equal pixels are equal bytes.

Encoding, not rasterizing, is most of rendering a page: of 147 ms for a page through the PDF library's own PNG writer
110 ms were encoding. Unfiltered rows deflated by `isal` at level 1 take 3 to 8 ms at about the same size, and a page
whose pixels are all exactly grey is written as 8-bit grey, which halves the bytes. Both are lossless.
"""

import struct
import zlib

from isal import isal_zlib  # Intel's deflate for Python, zlib format, 5 to 10 times zlib's speed at level 1

_SIGNATURE = b"\x89PNG\r\n\x1a\n"
_GREY, _RGB = 0, 2
# Rows worked on at once: 60 to 120 KB stay in the cache. Whole-page copies (6 MB each, five of them) took 19 ms a page,
# most of it for memory that is touched for the first time.
_BAND = 24


def encode_png(samples: bytes | memoryview, width: int, height: int) -> bytes:
    """Return an RGB image as PNG bytes.

    Args:
        samples: Rows top to bottom, 3 bytes a pixel, without padding.
        width: Pixels.
        height: Pixels.
    """
    packed, color = _packed_grey(samples, width), _GREY
    if packed is None:
        packed, color = _packed_rgb(samples, width), _RGB
    head = struct.pack(">IIBBBBB", width, height, 8, color, 0, 0, 0)
    return _SIGNATURE + _chunk(b"IHDR", head) + _chunk(b"IDAT", packed) + _chunk(b"IEND", b"")


def _packed_grey(samples: bytes | memoryview, width: int) -> bytes | None:
    """Return the deflated rows with one byte a pixel, or None as soon as a pixel has a colour."""
    size = 3 * width * _BAND
    blank, blank_rows = b"\xff" * size, _with_filters(b"\xff" * (width * _BAND), width)
    stream = isal_zlib.compressobj(1)
    pieces: list[bytes] = []
    for start in range(0, len(samples), size):
        band = bytes(samples[start : start + size])
        if band == blank:
            pieces.append(stream.compress(blank_rows))
            continue
        grey = band[0::3]
        if grey != band[1::3] or grey != band[2::3]:
            return None
        pieces.append(stream.compress(_with_filters(grey, width)))
    return b"".join([*pieces, stream.flush()])


def _packed_rgb(samples: bytes | memoryview, width: int) -> bytes:
    stride = 3 * width
    stream = isal_zlib.compressobj(1)
    pieces = [
        stream.compress(_with_filters(bytes(samples[start : start + stride * _BAND]), stride))
        for start in range(0, len(samples), stride * _BAND)
    ]
    return b"".join([*pieces, stream.flush()])


def _with_filters(rows: bytes, stride: int) -> bytes:
    """Return rows, each after PNG's filter type "none", a NUL."""
    return b"\0" + b"\0".join([rows[start : start + stride] for start in range(0, len(rows), stride)])


def _chunk(kind: bytes, data: bytes) -> bytes:
    return struct.pack(">I", len(data)) + kind + data + struct.pack(">I", zlib.crc32(kind + data))
