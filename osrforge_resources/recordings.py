"""Recorded answers as files that a person can read: `<tag>.<first 12 digits of the request's digest>.json`.

    {"schema_version": 1, "<digest's name>": …, "tag": …, "request": {…}, "response": {…}}

One form for all three protocols; what stands in `request` and `response` is each protocol's own. Two-space JSON in UTF-8,
images as digests, so a folder of recordings can be kept under version control and looked through.

What does not belong here: whether an answer satisfies its request (`fixtures.py`, `tracing_recordings.py`).
"""

import contextlib
import hashlib
import json
from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from osrforge_resources.failures import MisuseError, PermanentProviderError, StoreError
from osrforge_resources.store import replace_file
from osrforge_resources.usage import Spending, TokenUsage

SCHEMA_VERSION = 1
_DIGITS = 12
# A tag may hold dots, so the digest is what stands before the ending.
_NAME_PARTS = 3
# A message that lists more is not read.
_MOST_TAGS = 12


@dataclass(frozen=True, slots=True)
class Identity:
    """What a recording is found by.

    Attributes:
        tag: The request's tag, which has the grammar of a file name.
        digest: The request's digest, 64 hex digits.
        name: How the file calls the digest: `fingerprint` or `key`.
    """

    tag: str
    digest: str
    name: str = "fingerprint"

    @property
    def file_name(self) -> str:
        """Name of the recording's file."""
        return f"{self.tag}.{self.digest[:_DIGITS]}.json"


class Recordings:
    """A folder of recorded answers.

    Args:
        folder: Where they lie; made when first recorded to.
    """

    def __init__(self, folder: Path) -> None:
        self.folder = folder

    def find(self, identity: Identity) -> dict[str, Any] | None:
        """Return the `response` of a recorded request, None if there is no recording of it.

        Raises:
            PermanentProviderError: There is a file of that name which is no recording of this request
                (`recording.damaged`).
            StoreError: The file cannot be read.
        """
        path = self.folder / identity.file_name
        try:
            data = path.read_bytes()
        except FileNotFoundError:
            return None
        except OSError as error:
            raise _unreadable(path, error) from error
        try:
            document = json.loads(data)
            expected = {"schema_version": SCHEMA_VERSION, identity.name: identity.digest, "tag": identity.tag}
            if {key: document[key] for key in expected} == expected and isinstance(document["response"], dict):
                return document["response"]
        except (ValueError, TypeError, KeyError, RecursionError):
            pass
        raise damaged(identity.file_name, "it is not a recording of this request")

    def get(self, identity: Identity) -> dict[str, Any]:
        """Return the `response` of a recorded request.

        Raises:
            PermanentProviderError: There is none (`recording.missing`; names the tags that are recorded), or a damaged one.
            StoreError: The folder or file cannot be read.
        """
        response = self.find(identity)
        if response is None:
            raise self._missing(identity)
        return response

    def put(self, identity: Identity, request: Mapping[str, object], response: Mapping[str, object]) -> None:
        """Record an answer, whole or not at all; the same answer is the same file.

        Raises:
            StoreError: The folder refuses it.
        """
        document = {
            "schema_version": SCHEMA_VERSION,
            identity.name: identity.digest,
            "tag": identity.tag,
            "request": request,
            "response": response,
        }
        path = self.folder / identity.file_name
        try:
            self.folder.mkdir(parents=True, exist_ok=True)
            replace_file(path, _text(document))
        except OSError as error:
            raise StoreError(
                f"The recording {path} cannot be written: {error.strerror or type(error).__name__}.", code="store.io"
            ) from error

    def tags(self) -> Counter[str]:
        """Return the recorded tags and how many recordings each has.

        Raises:
            StoreError: The folder cannot be read.
        """
        try:
            names = [path.name for path in self.folder.glob("*.json")] if self.folder.exists() else []
        except OSError as error:
            raise _unreadable(self.folder, error) from error
        parts = (name.rsplit(".", _NAME_PARTS - 1) for name in names)
        return Counter(part[0] for part in parts if len(part) == _NAME_PARTS and len(part[1]) == _DIGITS)

    def version(self) -> str:
        """Return a digest of all recorded files: another recording may be another answer.

        Raises:
            StoreError: The folder cannot be read.
        """
        digest = hashlib.sha256()
        try:
            for path in sorted(self.folder.glob("*.json")) if self.folder.exists() else []:
                digest.update(path.name.encode("utf-8", "surrogatepass") + hashlib.sha256(path.read_bytes()).digest())
        except OSError as error:
            raise _unreadable(self.folder, error) from error
        return digest.hexdigest()[:16]

    def _missing(self, identity: Identity) -> PermanentProviderError:
        tags = self.tags()
        names = sorted(tags)
        listed = ", ".join(names[:_MOST_TAGS]) + (
            f" and {len(names) - _MOST_TAGS} more" if len(names) > _MOST_TAGS else ""
        )
        if tags[identity.tag]:
            what = (
                f"{identity.tag} is recorded in {self.folder}, but for another request than {identity.digest[:_DIGITS]}"
            )
        else:
            what = f"{identity.tag} ({identity.digest[:_DIGITS]}) is not recorded in {self.folder}"
        failure = PermanentProviderError(
            f"{what}; recorded tags: {listed or 'none'}.",
            code="recording.missing",
            remedy="Record it with a model provider, or choose the folder that holds it.",
        )
        failure.spending = Spending()
        return failure


def damaged(name: str, reason: str) -> PermanentProviderError:
    """Return the failure of a recording that cannot be used."""
    failure = PermanentProviderError(
        f"The recording {name} cannot be used: {reason}.",
        code="recording.damaged",
        remedy="Restore the file, or delete it and record it again.",
    )
    failure.spending = Spending()
    return failure


def checked_folder(folder: Path | None) -> Path:
    """Return the folder to replay from.

    Raises:
        MisuseError: None is named, or it is not there (`recording.folder`).
    """
    if folder is None or not folder.is_dir():
        named = f"{folder} is no folder" if folder is not None else "No folder of recordings is named"
        raise MisuseError(
            f"{named}.", code="recording.folder", remedy="Set OSRFORGE_RECORDINGS to the folder that holds them."
        )
    return folder


def write_usage(usage: TokenUsage) -> dict[str, int]:
    """Return usage as a recording has it: input and output, and what else was counted."""
    more = {
        name: getattr(usage, name)
        for name in ("cached_input_tokens", "cache_write_tokens", "thinking_tokens")
        if getattr(usage, name)
    }
    return {"input_tokens": usage.input_tokens, "output_tokens": usage.output_tokens, **more}


def read_usage(name: str, said: object) -> TokenUsage:
    """Return the usage of a recording.

    Raises:
        PermanentProviderError: It is not one.
    """
    if isinstance(said, dict) and all(type(count) is int and count >= 0 for count in said.values()):
        with contextlib.suppress(TypeError):
            return TokenUsage(**said)
    raise damaged(name, "its usage is not a list of token counts")


def _unreadable(path: Path, error: OSError) -> StoreError:
    return StoreError(f"{path}: {error.strerror or type(error).__name__}.", code="store.io")


def _text(document: Mapping[str, object]) -> bytes:
    text = json.dumps(document, indent=2, ensure_ascii=False) + "\n"
    try:
        return text.encode("utf-8")
    except UnicodeEncodeError:
        # Half a surrogate pair has no UTF-8; an escape keeps it.
        return (json.dumps(document, indent=2, ensure_ascii=True) + "\n").encode("ascii")
