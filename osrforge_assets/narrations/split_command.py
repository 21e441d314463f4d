"""`osrforge-assets split`: one reply in, its prose out; with `--json` everything the reply held, as one document."""

import codecs
import json
import sys
from pathlib import Path
from typing import Any

import click  # the command-line library that Dagster itself is built on

from osrforge_assets.cli_report import complain
from osrforge_assets.contracts.narration_turns import SplitReply
from osrforge_assets.narrations.turns.splitter import StreamSplitter
from osrforge_resources.failures import SourceError

# Bytes that are no UTF-8 pass through as they are.
_ERRORS = "surrogateescape"
_STRETCH = 65_536
# What a shell opened for us, as in `split <(command)`: it may be a pipe, while the path of one could wait for ever.
_OPENED = ("/dev/fd/", "/proc/self/fd/", "/dev/stdin")


@click.command()
@click.argument("file", type=click.Path(path_type=Path, allow_dash=True))
@click.option("--json", "json_wanted", is_flag=True, help="Print one JSON document instead of the prose.")
@click.option("--stream", "size", metavar="N", type=click.IntRange(min=1), help="Feed the reply N bytes at a time.")
@click.option("--stop-reason", metavar="TEXT", help="Why the model stopped, as its service named it.")
@click.option("--starts-in-reasoning", is_flag=True, help="The prompt already opened a reasoning tag.")
def split(
    file: Path, *, json_wanted: bool, size: int | None, stop_reason: str | None, starts_in_reasoning: bool
) -> None:
    """Split one reply of a story model, FILE or - for standard input, into prose and state events."""
    try:
        data = _as_utf8(_read(file))
    except SourceError as failure:
        complain(failure)
        sys.exit(1)
    splitter = StreamSplitter(starts_in_reasoning=starts_in_reasoning)
    decoder = codecs.getincrementaldecoder("utf-8")(_ERRORS)
    size = size or _STRETCH
    for start in range(0, len(data), size):
        _write(splitter.feed(decoder.decode(data[start : start + size])), wanted=not json_wanted)
    prose = splitter.feed(decoder.decode(b"", final=True)) + splitter.finish(stop_reason)
    _write(prose, wanted=not json_wanted)
    if json_wanted:
        # Escapes keep bytes that are no UTF-8 in a document that is.
        _write(json.dumps(split_document(splitter.result), ensure_ascii=True, indent=2) + "\n", wanted=True)


def split_document(result: SplitReply) -> dict[str, Any]:
    """Return a split reply as the document that `--json` prints."""
    dropped = [
        *({"reason": entry.reason.value, "text": entry.text, "start": entry.start} for entry in result.dropped),
        *(
            {"reason": f"unterminated_{block.kind.value}", "text": block.raw, "start": block.start}
            for block in result.blocks
            if not block.closed
        ),
    ]
    return {
        "prose": result.prose,
        "proposals": [{"block": proposal.block, "events": list(proposal.events)} for proposal in result.proposals],
        "raw_blocks": [block.raw for block in result.blocks],
        "dropped": sorted(dropped, key=lambda entry: entry["start"]),
        "malformed": [
            {"block": index, "error": block.error, "raw": block.raw}
            for index, block in enumerate(result.blocks)
            if block.error is not None
        ],
        "stop_reason": result.stop_reason,
        "cut": result.cut,
    }


def _read(file: Path) -> bytes:
    """Return a reply's bytes.

    Raises:
        SourceError: It is not a file, not readable, empty or too large.
    """
    # Both import Dagster, which takes a second that `--help` does not wait for.
    from osrforge_assets.modules.sources import read_source
    from osrforge_assets.narrations.sources import MAX_BYTES

    if str(file) == "-":
        data = sys.stdin.buffer.read(MAX_BYTES + 1)
    elif str(file).startswith(_OPENED):
        try:
            with file.open("rb") as stream:
                data = stream.read(MAX_BYTES + 1)
        except OSError as error:
            reason = error.strerror or type(error).__name__
            raise SourceError(
                f"{file} cannot be read: {reason}.", code="source.not_readable", remedy="Check the path."
            ) from error
    else:
        return read_source(file, MAX_BYTES)
    if len(data) > MAX_BYTES:
        raise SourceError(
            f"The reply has more than {MAX_BYTES:,} bytes.", code="source.too_large", remedy="Split the file."
        )
    return data


def _as_utf8(data: bytes) -> bytes:
    """Return a reply that a byte order mark says is UTF-16, as PowerShell's `>` writes it, as UTF-8; others as they are."""
    if data.startswith((codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE)):
        return data.decode("utf-16", "replace").encode("utf-8", "replace")
    return data


def _write(text: str, *, wanted: bool) -> None:
    if wanted and text:
        sys.stdout.buffer.write(text.encode("utf-8", _ERRORS))
        sys.stdout.buffer.flush()
