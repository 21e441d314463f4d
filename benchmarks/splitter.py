"""How long the splitter takes on replies of 1 MB, each the worst of its kind, whole and in small pieces.

    python benchmarks/splitter.py [KIND ...]
    python benchmarks/splitter.py --search 400 [--seed N]

Prints seconds of processor time a reply and the ratio to plain prose; nothing should come near one second. A search times
random repetitions of what means something to the splitter and prints the worst, which is how the kinds were found.
"""

import argparse
import random
import time
from collections.abc import Callable

from osrforge_assets.narrations.turns.splitter import StreamSplitter, split

SIZE = 1_000_000
EVENT = '{"type": "set_scene_time", "time": "dusk"}'
BLOCK = f'```state\n{{"events": [{EVENT}]}}\n```\n'

KINDS: dict[str, Callable[[], str]] = {
    "prose": lambda: _fill("The door creaks, and Mara raises her lamp against the dark.\n"),
    "line ends": lambda: _fill("\n"),
    "blocks": lambda: _fill("She nods.\n" + BLOCK),
    "empty blocks": lambda: _fill("```state\n\n```\n"),
    "one long block": lambda: '```state\n{"events": [' + _fill(EVENT + ", ") + EVENT + "]}\n```\n",
    "one long block, repaired": lambda: '```state\n{"events": [' + _fill(EVENT + ", ", 240_000) + "]}\n```\n",
    "one long block, cut": lambda: '```state\n{"events": [' + _fill(EVENT + ", "),
    "fence lines": lambda: _fill("```\n"),
    "fences opened twice": lambda: _fill("```\n```x\n```\n"),
    "unreadable fences": lambda: _fill("```\n{\n```\n"),
    "json fence lines": lambda: _fill("```json\n{\n"),
    "backticks": lambda: _fill("`"),
    "backtick runs": lambda: _fill("``` "),
    "glued runs": lambda: "```state\n" + _fill("} ``` x\n"),
    "braces": lambda: _fill("{"),
    "brackets": lambda: _fill("[ "),
    "keys": lambda: _fill('{"a":'),
    "sure openings": lambda: _fill('{"events": [{"type": "'),
    "author's objects": lambda: _fill('{"a": 1} '),
    "author's long object": lambda: '{"a": [' + _fill('"x", ') + "0]}",
    "bare proposals": lambda: _fill(f'{{"events": [{EVENT}]}}\n'),
    "residue": lambda: f'{{"events": [{EVENT}]}}' + _fill("]} "),
    "objects within an open one": lambda: _fill("{\"events\":[]}\n{'events':"),
    "proposals within a list": lambda: _fill('{"events":[]},`{"e[[[[{“events”:['),
    "unreadable objects": lambda: _fill('{"a":{"events":[]}x'),
    "quotes": lambda: _fill("{'"),
    "reminders": lambda: _fill("[Reminder: "),
    "closed reminders": lambda: _fill("[Reminder: " + "so be it, " * 15 + "]"),
    "think": lambda: _fill("<think>"),
    "angle brackets": lambda: _fill("<"),
    "closed thoughts": lambda: _fill("<think>x</think>y"),
    "white space": lambda: _fill(" "),
    "deep": lambda: "```state\n" + _fill("["),
    "deep, repaired": lambda: "```state\n" + _fill("[", 50) + _fill("{'a':1},", 240_000) + "\n```",
}


# What means something to the splitter, alone and broken off.
FRAGMENTS = (
    *(
        "```state\n",
        "```state\n```\n",
        "```state\n{}\n```\n",
        "a```state\n",
        "```state {",
        "~~~state\n",
        "```json\n",
        "```\n",
    ),
    *(
        "\n   ```\n",
        "```x\n",
        "`",
        "``` ",
        "~~~",
        "}```\n",
        '```json {"e":1}```\n',
        "```state\r\n",
        '```\n{"type":1}\n```\n',
    ),
    *(
        '{"events":[]}',
        '{"events":[{"type":"',
        "{'events':",
        "{“events”:[",
        '[{"type":"set_location"}]',
        '{"a":{',
        '{"e',
    ),
    *('{"a":{"events":[]}x', '["events"]', "{'a':'", '"', "'", "“", "[[[[", "{", "}", "]", ",", "\\", "// ", "\\u0000"),
    *(
        "[reminder]",
        "[remind",
        "reminder:\n",
        "part of your last\n",
        "[part of your last",
        "<think>",
        "</think>",
        "<think/>",
    ),
    *("\n", " ", "x", "The door. "),
)


def _fill(piece: str, size: int = SIZE) -> str:
    return piece * (size // len(piece))


def _seconds(work: Callable[[], object]) -> float:
    start = time.process_time()
    work()
    return time.process_time() - start


def _stream(text: str, size: int) -> None:
    splitter = StreamSplitter()
    for start in range(0, len(text), size):
        splitter.feed(text[start : start + size])
    splitter.finish()


def _print_kinds(wanted: list[str]) -> None:
    plain = KINDS["prose"]()
    base = _seconds(lambda: split(plain))
    print(f"{'kind':26} {'whole s':>8} {'ratio':>7} {'pieces of 16, s':>16}")
    for kind in wanted or list(KINDS):
        text = KINDS[kind]()
        whole = _seconds(lambda text=text: split(text))
        pieces = _seconds(lambda text=text: _stream(text, 16))
        print(f"{kind:26} {whole:8.3f} {whole / base:7.1f} {pieces:16.2f}", flush=True)


def _print_worst(count: int, seed: int) -> None:
    chance = random.Random(seed)
    timed: list[tuple[float, str]] = []
    for _ in range(count):
        piece = "".join(chance.choice(FRAGMENTS) for _ in range(chance.randint(1, 5)))
        text = _fill(piece)
        timed.append((_seconds(lambda text=text: split(text)), piece))
    for seconds, piece in sorted(timed, reverse=True)[:12]:
        print(f"{seconds:8.3f} {piece!r}")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("kinds", nargs="*", metavar="KIND", help="one of the kinds; all of them by default")
    parser.add_argument("--search", type=int, metavar="N", help="time N random repetitions instead")
    parser.add_argument("--seed", type=int, default=0)
    arguments = parser.parse_args()
    if arguments.search:
        _print_worst(arguments.search, arguments.seed)
    else:
        _print_kinds(arguments.kinds)


if __name__ == "__main__":
    main()
