"""The base of every contract: frozen, closed, and canonical on disk."""

import hashlib
import json
from typing import Self

from pydantic import BaseModel, ConfigDict


class Contract(BaseModel):
    """A frozen wire format: unknown fields are refused and equal values have equal bytes."""

    model_config = ConfigDict(frozen=True, extra="forbid", ser_json_inf_nan="constants")

    def canonical_json(self) -> bytes:
        """Return the value as canonical JSON: sorted keys, compact separators, UTF-8, one final newline."""
        data = self.model_dump(mode="json")
        text = json.dumps(data, sort_keys=True, separators=(",", ":"), ensure_ascii=False, allow_nan=False)
        return text.encode("utf-8") + b"\n"

    @classmethod
    def from_json(cls, data: bytes) -> Self:
        """Return the value that `canonical_json` wrote.

        Raises:
            pydantic.ValidationError: The bytes are not a document of this contract.
        """
        return cls.model_validate_json(data)

    def digest(self) -> str:
        """Return the sha256 hex digest of the canonical JSON: the data version of an asset that says this."""
        return hashlib.sha256(self.canonical_json()).hexdigest()
