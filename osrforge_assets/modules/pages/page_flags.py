"""What is uncertain about a document and about each of its pages, as flags. Pure."""

from typing import Any

from osrforge_assets.contracts.flags import Flag, FlagCode
from osrforge_assets.contracts.pages import PageImage
from osrforge_assets.modules.pages.raw_page import RawPage
from osrforge_assets.modules.pages.reading_order import PageText


def page_flags(number: int, raw: RawPage, image: PageImage, text: PageText) -> tuple[Flag, ...]:
    """Return the flags of one page.

    Args:
        number: Its 1-based number.
        raw: What was read of it.
        image: Its render.
        text: What became of its lines.
    """
    said: list[tuple[FlagCode, str]] = []
    if raw.turned:
        said.append((FlagCode.TEXT_TURNED, f"The page is drawn sideways and was turned by {raw.turned} degrees."))
    if raw.scaled_down:
        size = f"{image.width} x {image.height}"
        said.append(
            (
                FlagCode.PAGE_SCALED_DOWN,
                f"The page is too large for the asked resolution; its render has {size} pixels.",
            )
        )
    if raw.damaged:
        said.append((FlagCode.PAGE_DAMAGED, "Part of the page's content is damaged; text may be missing."))
    without_text = _why_without_text(raw, text)
    if without_text:
        said.append((FlagCode.NO_TEXT_LAYER, without_text))
    if text.recognized:
        said.append((FlagCode.TEXT_FROM_OCR, "The page's text was recognized from its image and may be wrong."))
    if text.repaired:
        said.append((FlagCode.TEXT_REPAIRED, f"{text.repaired} damaged letters had one reading and were repaired."))
    if text.unmapped:
        said.append((FlagCode.TEXT_UNMAPPED, f"{text.unmapped} characters of the page have no readable meaning."))
    return tuple(Flag(code=code, message=message, page=number) for code, message in said)


def _why_without_text(raw: RawPage, text: PageText) -> str:
    """Return why nothing of a page was read; "" if something was."""
    if text.text or text.labels or text.removed:
        return ""
    texts = [span for line in raw.lines for span in line.spans if span.text.strip()]
    if not texts:
        return "The page is blank." if raw.blank else "The page has no text layer: only its image can be read."
    if not any(span.visible for span in texts):
        return "All text of the page is invisible: it is not printed, so it was not read."
    return "Nothing of the page's text layer can be read: only its image can."


def document_flags(facts: dict[str, Any]) -> tuple[Flag, ...]:
    """Return the flags of the document as a whole.

    Args:
        facts: As `source_facts` returns them.
    """
    sentences = {
        "repaired": (FlagCode.SOURCE_REPAIRED, "The file is damaged and was read after repair."),
        "protected": (FlagCode.SOURCE_PROTECTED, "The file opens freely, but its author restricted what may be done."),
        "scripts": (FlagCode.SOURCE_HAS_SCRIPTS, "The file contains JavaScript, which was not run."),
        "attachments": (FlagCode.SOURCE_HAS_ATTACHMENTS, "The file contains other files, which were not read."),
        "form": (FlagCode.SOURCE_IS_FORM, "The file is an XFA form; only its fixed pages were read."),
    }
    return tuple(Flag(code=code, message=text) for key, (code, text) in sentences.items() if facts[key])
