"""A small picture of a module's pages for the UI."""

import base64
import io

from PIL import Image

from osrforge_assets.contracts.pages import PageSet
from osrforge_resources.store import BlobKind, Store

# The sheet lives in the event log with every materialization: 12 grey thumbnails of 120 px are 15 to 30 KB as JPEG.
_MOST_PAGES = 12
_COLUMNS = 6
_WIDTH, _HEIGHT = 120, 160


def contact_sheet(store: Store, pages: PageSet) -> str:
    """Return a Markdown image of up to 12 evenly chosen pages, "" if no page has a render."""
    rendered = [page.image for page in pages.pages if page.image is not None]
    if not rendered:
        return ""
    step = max(1, -(-len(rendered) // _MOST_PAGES))
    chosen = rendered[::step]
    rows = -(-len(chosen) // _COLUMNS)
    sheet = Image.new("L", (_COLUMNS * _WIDTH, rows * _HEIGHT), 255)
    for index, image in enumerate(chosen):
        with Image.open(io.BytesIO(store.get_blob(BlobKind.IMAGE, image.sha256))) as page:
            # `reducing_gap` first shrinks by a whole factor, which is most of the work at a tenth of the time.
            page.thumbnail((_WIDTH - 6, _HEIGHT - 6), reducing_gap=1.1)
            thumbnail = page.convert("L")
        sheet.paste(thumbnail, ((index % _COLUMNS) * _WIDTH + 3, (index // _COLUMNS) * _HEIGHT + 3))
    buffer = io.BytesIO()
    sheet.save(buffer, "JPEG", quality=60)
    return f"![{len(chosen)} pages](data:image/jpeg;base64,{base64.b64encode(buffer.getvalue()).decode('ascii')})"
