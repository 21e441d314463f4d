"""The failures of the transcript lane: one class each, so that a caller decides by type.

SourceError
└── TranscriptError              a file that cannot be imported as it is; names the line
    ├── UnknownFormatError       no reader knows it
    └── IncompleteImportError    fewer units than the file's own markers promise
SchemaValidationError
└── ReplyShapeError              a scene reply that is not a list of ranges
    ├── ReplyNotJsonError        not even JSON
    ├── ReplyFieldsError         a missing field, or one too many
    └── UnitIdTypeError          a unit id that is no positive integer
ScenePlanError                   ranges that do not divide the source; names positions
├── NoScenesError      ├── UnknownUnitError   ├── InvertedRangeError  ├── HeadMissingError
├── GapError           ├── OverlapError       ├── WrongOrderError     └── TailMissingError
"""

from osrforge_resources.failures import OsrforgeError, SchemaValidationError, SourceError


class TranscriptError(SourceError):
    """A transcript file that cannot be imported as it is.

    Attributes:
        line: 1-based line of the file, None where no line is to blame.
    """

    default_code = "transcript.unreadable"
    default_remedy = "Export the transcript again, or correct the line."

    def __init__(
        self, message: str, *, line: int | None = None, code: str | None = None, remedy: str | None = None
    ) -> None:
        super().__init__(message if line is None else f"Line {line}: {message}", code=code, remedy=remedy)
        self.line = line


class UnknownFormatError(TranscriptError):
    """Content that no reader knows."""

    default_code = "transcript.unknown_format"
    default_remedy = "Export it as WebVTT, SRT, JSON of a known service, or lines of `Name: text`."


class IncompleteImportError(TranscriptError):
    """Fewer units than the file's own markers promise: nothing is imported rather than a part."""

    default_code = "transcript.incomplete"
    default_remedy = "Export or download the transcript again; if it is complete, report the file's form."


class ReplyShapeError(SchemaValidationError):
    """A scene reply that is not a list of ranges."""

    default_code = "scenes.reply_shape"


class ReplyNotJsonError(ReplyShapeError):
    """A scene reply that is not JSON, as when it was cut at the output limit."""

    default_code = "scenes.reply_not_json"


class ReplyFieldsError(ReplyShapeError):
    """A scene reply, or one of its scenes, that lacks a field or has one that nobody asked for."""

    default_code = "scenes.reply_fields"


class UnitIdTypeError(ReplyShapeError):
    """A unit id that is no positive integer: a boolean, a fraction, text, zero."""

    default_code = "scenes.unit_id"


class ScenePlanError(OsrforgeError):
    """Ranges that do not divide the source document; nothing is repaired and nothing is kept.

    Attributes:
        positions: 1-based positions in the source document that the failure is about, as far as they are known.
    """

    default_code = "scenes.plan"
    default_remedy = "Run the partition again with a forced plan, or choose another model."

    def __init__(
        self,
        message: str,
        *,
        positions: tuple[int, ...] = (),
        code: str | None = None,
        remedy: str | None = None,
    ) -> None:
        super().__init__(message, code=code, remedy=remedy)
        self.positions = positions


class NoScenesError(ScenePlanError):
    """The list of scenes is empty."""

    default_code = "scenes.no_scene"


class UnknownUnitError(ScenePlanError):
    """A range names a unit that the source does not have."""

    default_code = "scenes.unknown_unit"


class InvertedRangeError(ScenePlanError):
    """A range starts after its end."""

    default_code = "scenes.inverted"


class HeadMissingError(ScenePlanError):
    """The first range does not start at the first unit."""

    default_code = "scenes.head_missing"


class GapError(ScenePlanError):
    """Units between two ranges belong to neither."""

    default_code = "scenes.gap"


class OverlapError(ScenePlanError):
    """Units belong to two ranges."""

    default_code = "scenes.overlap"


class WrongOrderError(ScenePlanError):
    """A range lies wholly before the one listed before it."""

    default_code = "scenes.wrong_order"


class TailMissingError(ScenePlanError):
    """The last range does not end at the last unit."""

    default_code = "scenes.tail_missing"
