"""The recognizing process: reads text from renders with RapidOCR (optional extra `ocr`), one render a question."""

import importlib
from pathlib import Path
from typing import Any

from osrforge_assets.modules.pages.messages import Answer, answer_questions

# Below this the engine guesses: ornaments and map hatching become letters.
_LEAST_CONFIDENCE = 0.5


def main() -> None:
    """Answer with the lines of each render: their box in pixels and their text."""
    engines: list[Any] = []

    def answer(question: dict[str, Any]) -> Answer:
        if not engines:
            # An optional package; loading its models takes 1 to 2 s.
            engines.append(importlib.import_module("rapidocr_onnxruntime").RapidOCR())
        found, _ = engines[0](Path(question["path"]).read_bytes())
        lines = [
            [[round(float(value), 1) for point in corners for value in point], str(text)]
            for corners, text, confidence in found or ()
            if float(confidence) >= _LEAST_CONFIDENCE
        ]
        return {"lines": lines}, b""

    answer_questions(answer)


if __name__ == "__main__":
    main()
