"""What the seam costs a request: fingerprint, cache look-up and validation around a call that takes no time.

    python benchmarks/provider_seam.py [--images 8] [--rounds 20]

The request has page images of about 400 KB, as renders at 150 DPI are, and a level's schema; the service is a transport
in this process, so packing and reading its forms is part of the figure for a call, and network and model are not.
"""

import argparse
import json
import secrets
import statistics
import struct
import tempfile
import time
from collections.abc import Callable, Sequence
from pathlib import Path

import httpx2

from osrforge_assets.modules.levels.reply import batch_schema
from osrforge_resources.anthropic import AnthropicModel
from osrforge_resources.in_flight import InFlight
from osrforge_resources.model_provider import ImagePart, ModelRequest, TextPart, ensure_schema
from osrforge_resources.prices import PriceTable
from osrforge_resources.response_cache import ResponseCache
from osrforge_resources.store import Store
from osrforge_resources.structured_provider import StructuredProvider

_KEYS = [str(number) for number in range(1, 13)]
_AREA = {
    "description": "A long hall of pillars. " * 20,
    "encounters": [{"monster": "goblin", "count_fixed": 3, "count_dice": None, "count_note": None}],
    "trap": None,
    "treasure": ["62 cp", "a gold thimble worth 8 gp"],
    "features": ["altar"],
    "connections": [],
    "source_pages": [1],
    "confidence": 0.9,
}
_ANSWER = json.dumps({"areas": [{"key": key, **_AREA} for key in _KEYS]})


def _request(number: int, images: int) -> ModelRequest:
    pages = [part for page in range(images) for part in (TextPart(f"[page {page + 1}]\n" + "x" * 3000), _image())]
    return ModelRequest(f"content.{number}", "rules " * 800, (*pages, TextPart(f"{number}")), batch_schema(_KEYS))


def _image() -> ImagePart:
    # A header says how large it is; nobody on the way decodes the rest.
    header = struct.pack(">8sI4sII", b"\x89PNG\r\n\x1a\n", 13, b"IHDR", 1240, 1754)
    return ImagePart(header + secrets.token_bytes(400_000))


def _answer(_: httpx2.Request) -> httpx2.Response:
    usage = {"input_tokens": 20_000, "output_tokens": 2_000}
    content = [{"type": "text", "text": _ANSWER}]
    message = {"type": "message", "model": "m", "content": content, "stop_reason": "end_turn", "usage": usage}
    return httpx2.Response(200, json=message)


def _milliseconds(calls: Sequence[Callable[[], object]]) -> str:
    wall, cpu = [], []
    for call in calls:
        start, start_cpu = time.perf_counter(), time.thread_time()
        call()
        wall.append((time.perf_counter() - start) * 1000)
        cpu.append((time.thread_time() - start_cpu) * 1000)
    return f"median {statistics.median(wall):6.1f} ms, of it computing {statistics.median(cpu):6.1f} ms"


def main() -> None:
    """Print the figures."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--images", type=int, default=8)
    parser.add_argument("--rounds", type=int, default=20)
    options = parser.parse_args()
    requests = [_request(number, options.images) for number in range(options.rounds)]
    data = json.loads(_ANSWER)
    with tempfile.TemporaryDirectory() as folder:
        transport = httpx2.MockTransport(_answer)
        model = AnthropicModel("claude-sonnet-5-5", key=lambda: "k", max_tokens=20_000, timeout=60, transport=transport)
        provider = StructuredProvider(
            model,
            cache=ResponseCache(Store(Path(folder) / "store")),
            limiter=InFlight(requests=4, tokens=10**9),
            prices=PriceTable(),
        )
        provider.generate(_request(options.rounds, 0))  # SDK, price table and validator are loaded once a process
        print(f"{options.rounds} requests of {options.images} images")
        print("fingerprint, images included", _milliseconds([request.fingerprint for request in requests]))
        checks = [lambda: ensure_schema(data, requests[0].schema, "x") for _ in requests]
        print("validation of 12 areas      ", _milliseconds(checks))
        first = [lambda request=request: provider.generate(request) for request in requests]
        print("a call, all of the seam     ", _milliseconds(first))
        print("an answer from the cache    ", _milliseconds(first))


if __name__ == "__main__":
    main()
