"""A small picture of a module's pages for the UI."""

import base64
import io
from collections.abc import Sequence

from osrforge_resources.store import BlobKind, Store

# The sheet lives in the event log with every materialization: 12 grey thumbnails of 120 px are 15 to 30 KB as JPEG.
MOST_PAGES = 12
_COLUMNS = 6
_WIDTH, _HEIGHT = 120, 160


def contact_sheet(store: Store, images: Sequence[str], *, most: int = MOST_PAGES) -> str:
    """Return a Markdown image of up to `most` evenly chosen renders, "" if there is none.

    Args:
        store: Holds the renders.
        images: Their digests, in page order.
        most: How many thumbnails to show.
    """
    if not images:
        return ""
    chosen = images[:: max(1, -(-len(images) // most))]
    columns, rows = min(_COLUMNS, len(chosen)), -(-len(chosen) // _COLUMNS)
    # Not above: every process that loads the definitions imports this file.
    from PIL import Image

    sheet = Image.new("L", (columns * _WIDTH, rows * _HEIGHT), 255)
    for index, image in enumerate(chosen):
        with Image.open(io.BytesIO(store.get_blob(BlobKind.IMAGE, image))) as page:
            # `reducing_gap` first shrinks by a whole factor, which is most of the work at a tenth of the time.
            page.thumbnail((_WIDTH - 6, _HEIGHT - 6), reducing_gap=1.1)
            thumbnail = page.convert("L")
        sheet.paste(thumbnail, ((index % _COLUMNS) * _WIDTH + 3, (index // _COLUMNS) * _HEIGHT + 3))
    buffer = io.BytesIO()
    sheet.save(buffer, "JPEG", quality=60)
    return f"![{len(chosen)} pages](data:image/jpeg;base64,{base64.b64encode(buffer.getvalue()).decode('ascii')})"
