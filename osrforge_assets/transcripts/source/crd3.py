"""CRD3: turns with names and caption lines; also its alignments, which list turns under the summary chunk they match."""

from osrforge_assets.contracts.transcript import TranscriptFlagCode
from osrforge_assets.transcripts.failures import IncompleteImportError, TranscriptError
from osrforge_assets.transcripts.source.entries import Doubt, Entry, Reading, spoken_kind
from osrforge_assets.transcripts.source.json_source import JsonObject, objects, text_of
from osrforge_assets.transcripts.source.speaker_names import joined


def read_crd3(turns: list[JsonObject], lines: dict[int, int]) -> Reading:
    """Return the reading of CRD3 turns; a turn that stands in two chunks of an alignment is one unit.

    Raises:
        IncompleteImportError: The turns' own numbers leave some out.
        TranscriptError: A turn is not one.
    """
    entries: list[Entry] = []
    numbers: dict[int, str] = {}
    repeated = silent = 0
    for marker, turn in enumerate(turns):
        line = lines.get(id(turn), 1)
        names, utterances, number = turn.get("NAMES", []), turn.get("UTTERANCES"), turn.get("NUMBER")
        if not isinstance(names, list) or not isinstance(utterances, list):
            raise TranscriptError("The turn has no list of names or utterances.", line=line, code="transcript.bad_json")
        text = " ".join(text_of(utterance).strip() for utterance in utterances).strip()
        if isinstance(number, int) and not isinstance(number, bool):
            if numbers.get(number) == text:
                repeated += 1
                continue
            numbers[number] = text
        if not text:
            silent += 1
            continue
        speaker = joined([text_of(name) for name in names])
        entries.append(Entry(text, marker, line, speaker, kind=spoken_kind(text)))
    _refuse_left_out(numbers)
    doubts = []
    if repeated:
        message = f"{repeated} turns stand in two chunks of the alignment and were imported once."
        doubts.append(Doubt(TranscriptFlagCode.TURN_REPEATED, message))
    if silent:
        doubts.append(Doubt(TranscriptFlagCode.ENTRY_WITHOUT_TEXT, f"{silent} turns have no words."))
    return Reading("crd3", entries, len(turns), repeated + silent, doubts)


def turns_of(data: object) -> list[JsonObject]:
    """Return the turns of an episode or, chunk after chunk, of an alignment."""
    if isinstance(data, dict):
        return objects(data.get("TURNS"), "TURNS")
    return [turn for chunk in objects(data, "the alignment") for turn in objects(chunk.get("TURNS"), "TURNS")]


def _refuse_left_out(numbers: dict[int, str]) -> None:
    if numbers:
        first, last = min(numbers), max(numbers)
        if last - first + 1 != len(numbers):
            missing = next(number for number in range(first, last) if number not in numbers)
            raise IncompleteImportError(
                f"The turns are numbered {first} to {last} but {last - first + 1 - len(numbers)} are left out, first {missing}."
            )
