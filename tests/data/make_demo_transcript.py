"""Writes the demo transcript in several formats from `reviewed_scenes/salt_well.txt`; every one gives the same units.

Times are made from the words: 400 ms a word, 300 ms between units, and a longer silence where a scene ends. Run it from
the checkout: `python tests/data/make_demo_transcript.py`.
"""

import html
import json
from dataclasses import dataclass
from pathlib import Path

FOLDER = Path(__file__).parent
SOURCE = FOLDER / "reviewed_scenes" / "salt_well.txt"


@dataclass(frozen=True)
class Line:
    speaker: str
    text: str
    start: int
    end: int


def read_lines(source: str) -> list[Line]:
    lines: list[Line] = []
    clock = 5_000
    for row in source.splitlines():
        if row == "---":
            clock += 8_000
            continue
        speaker, text = row.split(": ", 1)
        end = clock + 400 * len(text.split())
        lines.append(Line(speaker, text.strip(), clock, end))
        clock = end + 300
    return lines


def clock(milliseconds: int, mark: str) -> str:
    seconds, rest = divmod(milliseconds, 1000)
    return f"{seconds // 3600:02d}:{seconds // 60 % 60:02d}:{seconds % 60:02d}{mark}{rest:03d}"


def webvtt(lines: list[Line]) -> str:
    cues = (
        f"{clock(line.start, '.')} --> {clock(line.end, '.')} align:start\n<v {line.speaker}>{html.escape(line.text, quote=False)}</v>"
        for line in lines
    )
    return "\n\n".join(["WEBVTT - The salt well", "NOTE One session of a table of four.", *cues]) + "\n"


def srt(lines: list[Line]) -> str:
    cues = (
        f"{number}\n{clock(line.start, ',')} --> {clock(line.end, ',')}\n{line.speaker}: {line.text}"
        for number, line in enumerate(lines, start=1)
    )
    return "\ufeff" + "\r\n\r\n".join(cues).replace("\n", "\r\n").replace("\r\r", "\r")


def whisperx(lines: list[Line]) -> str:
    segments = [
        {
            "start": line.start / 1000,
            "end": line.end / 1000,
            "text": f" {line.text}",
            "speaker": line.speaker,
            "words": [],
        }
        for line in lines
    ]
    return (
        json.dumps({"segments": segments, "word_segments": [], "language": "en"}, indent=1, ensure_ascii=False) + "\n"
    )


def whisper_jsonl(lines: list[Line]) -> str:
    rows = (
        {
            "id": number % 30,
            "start": line.start / 1000,
            "end": line.end / 1000,
            "text": line.text,
            "speaker": line.speaker,
        }
        for number, line in enumerate(lines)
    )
    return "".join(json.dumps(row, ensure_ascii=False) + "\n" for row in rows)


def assemblyai(lines: list[Line]) -> str:
    utterances = [
        {"speaker": line.speaker, "text": line.text, "start": line.start, "end": line.end, "confidence": 0.9}
        for line in lines
    ]
    data = {
        "id": "demo",
        "status": "completed",
        "text": " ".join(line.text for line in lines),
        "utterances": utterances,
    }
    return json.dumps(data, ensure_ascii=False) + "\n"


def plain(lines: list[Line]) -> str:
    rows = (f"[{clock(line.start, '.')} --> {clock(line.end, '.')}] {line.speaker}: {line.text}\n" for line in lines)
    return "".join(rows)


def write_demo(folder: Path) -> list[Path]:
    """Write every format into `folder` and return the files."""
    lines = read_lines(SOURCE.read_text(encoding="utf-8"))
    texts = {
        "demo_transcript.vtt": webvtt(lines),
        "demo_transcript.srt": srt(lines),
        "demo_transcript.whisperx.json": whisperx(lines),
        "demo_transcript.jsonl": whisper_jsonl(lines),
        "demo_transcript.assemblyai.json": assemblyai(lines),
        "demo_transcript.txt": plain(lines),
    }
    for name, text in texts.items():
        (folder / name).write_bytes(text.encode("utf-8"))
    tracks = folder / "demo_tracks"
    tracks.mkdir(exist_ok=True)
    speakers = list(dict.fromkeys(line.speaker for line in lines))
    for number, speaker in enumerate(speakers, start=1):
        own = [Line("", line.text, line.start, line.end) for line in lines if line.speaker == speaker]
        cues = (
            f"{at}\n{clock(line.start, ',')} --> {clock(line.end, ',')}\n{line.text}\n"
            for at, line in enumerate(own, start=1)
        )
        (tracks / f"{number}-{speaker}_0.srt").write_bytes("\n".join(cues).encode("utf-8"))
    (folder / "demo_tracks" / "speakers.yaml").write_bytes(
        b"GM: {player: Mara, gm: true}\nHanne: {player: Ben, character: Hanne of Dunmere}\n"
        b"Jonas: {player: Lea, character: Jonas}\nSamir: {player: Tim, character: Samir the Grey}\n"
    )
    return sorted([*(folder / name for name in texts), *tracks.iterdir()])


if __name__ == "__main__":
    for path in write_demo(FOLDER):
        print(path.relative_to(FOLDER))
