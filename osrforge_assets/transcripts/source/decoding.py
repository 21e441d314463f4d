"""A file's bytes as text: byte order marks, encodings, line ends; and what is plainly no transcript."""

import string
from dataclasses import dataclass

from osrforge_assets.contracts.transcript import TranscriptFlagCode
from osrforge_assets.transcripts.failures import TranscriptError, UnknownFormatError
from osrforge_assets.transcripts.source.entries import Doubt

# First bytes of what people drop by mistake, and what to say about it.
_NOT_TEXT = (
    ((b"%PDF-",), "a PDF"),
    ((b"PK\x03\x04", b"\xd0\xcf\x11\xe0"), "an archive or an office document"),
    ((b"ID3", b"RIFF", b"OggS", b"fLaC", b"\xff\xfb", b"\x1aE\xdf\xa3"), "a recording"),
    ((b"{\\rtf",), "a rich text document"),
    ((b"\x89PNG", b"\xff\xd8\xff", b"GIF8"), "a picture"),
    ((b"\x1f\x8b", b"7z\xbc\xaf", b"BZh"), "a compressed file"),
)


# White space, and marks without width that editors and messengers leave at the start of files and lines.
_BLANK = string.whitespace + "\u00a0\u200b\u200e\u200f\u2060\ufeff"
_UTF16_MARKS = (b"\xff\xfe", b"\xfe\xff")
_SAMPLE = 4096  # bytes


@dataclass(slots=True)
class Decoded:
    """A file's text with Unix line ends and no byte order mark, and what is doubtful about it."""

    text: str
    doubts: list[Doubt]


def decode(data: bytes) -> Decoded:
    """Return the text of `data`: UTF-8, UTF-16 by its mark or its zero bytes, else Windows-1252 with a flag.

    Raises:
        TranscriptError: It is empty or in no known encoding; names the line.
        UnknownFormatError: It is no text at all.
    """
    for starts, what in _NOT_TEXT:
        if data.startswith(starts):
            raise UnknownFormatError(
                f"The file is {what}, not a transcript.", remedy="Transcribe or export it as text first."
            )
    text, doubts = _decoded(data)
    text = text.removeprefix("\ufeff").replace("\r\n", "\n").replace("\r", "\n")
    # WebVTT wants NUL replaced; a text full of them is no text.
    if text.count("\0") * 20 > len(text):
        raise UnknownFormatError("The file is not text.")
    text = text.replace("\0", "\N{REPLACEMENT CHARACTER}")
    if not text.strip(_BLANK):
        raise TranscriptError("The file is empty.", code="transcript.empty", remedy="Export the transcript again.")
    return Decoded(text, doubts)


def _decoded(data: bytes) -> tuple[str, list[Doubt]]:
    wide = _utf16(data)
    try:
        return data.decode(wide or "utf-8"), []
    except UnicodeDecodeError as error:
        line = data.count(b"\n", 0, error.start) + 1
    try:
        # Older subtitle tools write the Windows code page; its five unused bytes tell it from binary data.
        text = None if wide else data.decode("cp1252")
    except UnicodeDecodeError:
        text = None
    if text is None:
        raise TranscriptError(
            "The bytes are neither UTF-8, UTF-16 nor Windows-1252.",
            line=line,
            code="transcript.encoding",
            remedy="Save the file as UTF-8.",
        )
    doubt = Doubt(TranscriptFlagCode.ENCODING_GUESSED, f"Line {line} is not UTF-8; the file was read as Windows-1252.")
    return text, [doubt]


def _utf16(data: bytes) -> str | None:
    """Return the UTF-16 codec of `data`, None if it is another encoding: some exports leave the byte order mark out."""
    if data.startswith(_UTF16_MARKS):
        return "utf-16"
    sample = data[:_SAMPLE]
    # Even in a text of other scripts, the line ends and spaces have a zero byte on the same side of their pair.
    low, high = sample[0::2].count(0), sample[1::2].count(0)
    if max(low, high) * 8 < len(sample) or min(low, high) * 8 > max(low, high):
        return None
    return "utf-16-le" if high > low else "utf-16-be"
