"""`speakers.yaml`: who the speakers are at the table.

Alice:            # the name as the transcript has it
  player: Alice Meyer
  character: Mira the Bold
Bob: {gm: true}
"""

from pydantic import BaseModel, ConfigDict, TypeAdapter, ValidationError

from osrforge_assets.transcripts.failures import TranscriptError

# A table has a dozen people; what is larger is not a speakers file, and YAML aliases could make it grow on reading.
_MAX_BYTES = 64 * 1024


class Person(BaseModel):
    """What the file may say of a speaker."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    player: str | None = None
    character: str | None = None
    gm: bool = False


_PEOPLE = TypeAdapter(dict[str, Person])


def read_speakers(data: bytes) -> dict[str, Person]:
    """Return the people of a speakers file by the name the transcript has for them.

    Raises:
        TranscriptError: It is no YAML, or says something that has no place in it; names line or entry.
    """
    import yaml

    def refuse(message: str, line: int | None = None) -> TranscriptError:
        return TranscriptError(
            f"The speakers file {message}.",
            line=line,
            code="transcript.speakers",
            remedy="Write `name: {player: …, character: …, gm: true}` for each speaker.",
        )

    if len(data) > _MAX_BYTES:
        raise refuse(f"has more than {_MAX_BYTES:,} bytes")
    try:
        said = yaml.safe_load(data.decode("utf-8-sig"))
    except UnicodeDecodeError:
        raise refuse("is not UTF-8") from None
    except (yaml.YAMLError, RecursionError, ValueError) as error:
        mark = getattr(error, "problem_mark", None)
        raise refuse("is no YAML", mark.line + 1 if mark is not None else None) from None
    if isinstance(said, dict) and set(said) == {"speakers"}:
        said = said["speakers"]
    try:
        people = _PEOPLE.validate_python(said or {})
    except ValidationError as error:
        first = error.errors(include_input=False, include_url=False)[0]
        where = ".".join(str(part) for part in first["loc"])[:80] or "it"
        raise refuse(f"has a fault at {where!a}: {first['msg']}") from None
    return people
