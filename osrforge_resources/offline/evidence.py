"""Whether a run of keys is a list of areas: what its entries say, what stands over it, how it is printed."""

import re
from collections.abc import Callable, Mapping, Sequence

from osrforge_resources.offline.key_runs import Run, is_key_context, is_list_context
from osrforge_resources.offline.outline import Outline
from osrforge_resources.offline.page_text import Block, BlockKind
from osrforge_resources.offline.printed_keys import PrintedKey
from osrforge_resources.offline.prose import without_quotes
from osrforge_resources.offline.vocabulary import (
    CONNECTIONS_LINE,
    DIMENSIONS,
    FACET_WORDS,
    FIXTURE_WORDS,
    GAMEBOOK_WORDS,
    LEADER,
    LICENCE_WORDS,
    LIST_WORDS,
    PLACE_WORDS,
    SERVICE_WORDS,
    TABLE_ROW_LEAD,
    TOWN_WORDS,
    TRUTH_MARK,
    WEAK_LIST_WORDS,
    words,
)

# The measure an area list must reach. On the corpus' page texts area lists score 2.5 (short notes round a one-page map;
# 2.1 with the sheet's title cut off) to 6.5, other lists at most 1.6; of 700 licences, manuals and read-mes 3 reach it.
ACCEPTED = 2.0
# An entry's head tells what it is; the whole text of a scene mentions a door sooner or later.
_SURELY_KNOWN = 5.0
_HEAD = 110
_TEXT = 600
_LEAST_PLACES = 0.25
# A list may lack its first key or two: they are drawn in the map, or stand on a page that could not be read.
_LATEST_START = 3
_FEWEST_LETTERED = 3
_SITE_WORDS = words(
    "castle|keep|citadel|fortress|fort|abbey|monastery|priory|palace|manor|hive|dungeon|ziggurat|pyramid|maze|labyrinth"
)
_PART_OF_A_BOOK = re.compile(
    r"(?:introduction|background|overview|preface|foreword|conclusion|credits|appendix|summary|synopsis|licen[cs]e|"
    r"introducci[oó]n|trasfondo|conclusi[oó]n|resumen|einleitung|hintergrund|introduzione|conclusione)\b",
    re.IGNORECASE,
)
# What a text tells its reader to do, line by line: a recipe, a checklist, the steps of a procedure.
_INSTRUCTION = re.compile(
    r"(?:first,?\s+|then,?\s+|next,?\s+|finally,?\s+)?(?:add|adjust|apply|arrange|ask|assemble|attach|bake|boil|bring|check|choose|"
    r"clean|close|collect|combine|confirm|connect|cook|count|cover|cut|decide|determine|drain|draw|ensure|fill|fold|heat|install|"
    r"keep|leave|let|lock|make|mark|measure|mix|open|pick|place|pour|prepare|press|preheat|put|read|record|remove|repeat|replace|"
    r"reset|return|roll|rinse|select|serve|set|spread|stir|store|switch|sweep|take|test|transfer|turn|unplug|use|verify|wait|"
    r"wash|whisk|wipe|write)\s+(?:(?:out|up|off|on|down|in)\s+)?(?:the|a|an|all|each|every|your|any|that|it|them|to|for|until|with|\d)\b",
    re.IGNORECASE,
)
# What an account of something else says of itself: an essay, a manual, a report.
_TREATISE = re.compile(
    r"\b(?:et al\.|this (?:article|chapter|section|paper|study|essay|manual|report|guide|document|rule|agreement)|we (?:found|show|"
    r"propose|present|conclude|describe|measured|collected)|our (?:results|data|method|approach|survey|study|customers?)|"
    r"(?:in|see) (?:figure|fig\.|table|chapter|section|equation|appendix) \d|participants|respondents|hypothesis|percent|"
    r"statistically|the (?:player|referee|dm|gm|game master) (?:may|must|should|rolls|decides)|the caster|duration(?=:)|range(?=:)|(?:a|each|the) (?:character|fighter|"
    r"thief|cleric|magic-user|party) (?:may|must|can|rolls|gains|receives|begins|starts|moves))\b",
    re.IGNORECASE,
)
_SCENE_VERB = re.compile(
    r"^(?:the\s+)?(?:you|your|players?|pcs?|characters?|heroes|tus?|los jugadores)\b", re.IGNORECASE
)


def area_score(
    run: Run,
    outline: Outline,
    texts: Sequence[str],
    *,
    expected: Mapping[str, str] | None = None,
    open_key: PrintedKey | None = None,
) -> float:
    """Return how strongly a run reads as a list of areas; `ACCEPTED` and above is one.

    Args:
        run: The run.
        outline: The document it stands in.
        texts: The text of each entry after its key, in the run's order.
        expected: Printed keys a caller already knows to be areas, with their names ("" where they have none).
        open_key: The last key of the list that was open where earlier pages ended, None if none was.
    """
    heads = [text[:_HEAD] for text in texts]
    places = _share(heads, lambda head: bool(PLACE_WORDS.search(head) or DIMENSIONS.search(head)))
    fixtures = _share(heads, lambda head: bool(FIXTURE_WORDS.search(head)))
    worded = run.entries[0].key.worded
    known = _known(run, texts, expected or {})
    if known >= _SURELY_KNOWN:
        return ACCEPTED + known
    score = _form_score(run) + _shape_score(run) + 2.0 * min(1.0, places + 0.6 * fixtures)
    score += 2.0 * _share(texts, lambda text: bool(CONNECTIONS_LINE.search(text[:_TEXT])))
    score += 1.0 if is_key_context(run.path) else 0.0
    # A sheet called vault, crypt or manor keys the vault, crypt or manor; its notes may be too short to say so.
    score += 0.5 if len(run.entries) >= 4 and _titled_as_place(outline) else 0.0
    score += 0.5 if sum(map(len, texts)) >= 60 * len(texts) else 0.0
    if not worded and places + fixtures < _LEAST_PLACES:
        score -= 2.0
    if known == 0.0:
        score += _continuity(run, outline, open_key)
    return score + known - _other_lists(run, outline, texts, heads)


def _continuity(run: Run, outline: Outline, open_key: PrintedKey | None) -> float:
    """What it is worth that a run goes on with the list earlier pages left open, or that it starts in the middle of none."""
    first = min(run.entries, key=lambda entry: entry.place).key
    if open_key is not None and (first.style, first.worded) == (open_key.style, open_key.worded):
        repeated = any(entry.key.bare == open_key.bare for entry in run.entries)
        if repeated or first.major == open_key.last + 1:
            return 1.0
    # Letters begin at the beginning: `C. Darwin` and `I. Newton` are two people and no list.
    if first.style in {"letter", "roman"} and not first.worded and open_key is None:
        late = first.major > (_LATEST_START if len(run.entries) >= _FEWEST_LETTERED else 1)
        sparse = max(entry.key.last for entry in run.entries) - first.major >= 2 * len(run.entries)
        return -2.0 if late or sparse else 0.0
    # A list that opens with 7 on pages before which nothing was keyed is the tail of something else. Levels that start at
    # 101 or 21 do so on purpose.
    late = first.style == "number" and not first.worded and first.major > _LATEST_START and first.major % 10 != 1
    return -1.5 if late and open_key is None and outline.blocks[0].page > 1 else 0.0


def _known(run: Run, texts: Sequence[str], expected: Mapping[str, str]) -> float:
    """What it is worth that a caller asked for a run's keys; a wandering table has the same numbers as many a level."""
    asked = [
        (expected[entry.key.label], text)
        for entry, text in zip(run.entries, texts, strict=True)
        if entry.key.label in expected
    ]
    if len(asked) * 2 < len(run.entries):
        return 0.0
    named = sum(bool(name) and text.casefold().startswith(name.casefold()) for name, text in asked)
    # Key and name together leave no doubt; a key alone counts for more where the list is cut to one entry by the pages.
    return _SURELY_KNOWN if named * 2 >= len(run.entries) else 3.0 if len(run.entries) == 1 else 1.5


def _titled_as_place(outline: Outline) -> bool:
    first = next((head for head in outline.headings if head is not None), None)
    return first is not None and bool(PLACE_WORDS.search(first.text) or _SITE_WORDS.search(first.text))


def _form_score(run: Run) -> float:
    forms = [entry.form for entry in run.entries]
    form = max(set(forms), key=forms.count)
    score = 1.0 if form.startswith("heading") or form == "bold" else -1.0 if form == "bullet" else 0.0
    score += 2.0 if run.entries[0].key.worded else 0.0
    # Letters beside numbers (`4a`, `A1`) name places far more often than rows.
    score += 1.0 if any(entry.key.minor for entry in run.entries) and len(run.entries) > 2 else 0.0
    score += 0.5 if run.entries[0].key.style.startswith("prefixed") else 0.0
    return score


def _shape_score(run: Run) -> float:
    majors = sorted({entry.key.major for entry in run.entries})
    if len(run.entries) == 1:
        # One number alone is a year, a score or a stray line, unless its heading or area word says otherwise.
        key = run.entries[0].key
        if key.style in {"letter", "roman"} and not key.worded:
            return -4.0
        return -0.5 if key.worded or run.entries[0].form.startswith("heading") else -2.0
    # Two numbers side by side are half a list.
    if len(majors) < 3:
        return 0.3
    gaps = majors[-1] - majors[0] + 1 - len(majors)
    read = [entry.place for entry in sorted(run.entries, key=lambda entry: entry.index)]
    # Only notes set round a map come out of order, and without a gap no less.
    scattered = 0.5 if read != sorted(read) and not gaps else 0.0
    return scattered + (1.0 if gaps <= len(majors) // 2 else 0.0)


def _other_lists(run: Run, outline: Outline, texts: Sequence[str], heads: Sequence[str]) -> float:
    malus = 0.0
    if is_list_context(run.path) and not run.entries[0].key.worded:
        # `Encounters` may head the key of an old module; `Rumours (d6)` never does.
        malus += 2.0 if not LIST_WORDS.search(WEAK_LIST_WORDS.sub(" ", run.path[-1].text)) else 4.0
    malus += 4.0 if _is_town(run, heads) else 0.0
    if run.entries[0].key.style in {"letter", "roman"}:
        # Lettered headings are as often the parts of a text, Roman ones the chapters of a tale. Where the key heads a name,
        # the name has to say the place.
        names = _heading_names(run)
        malus += 2.5 * bool(names and _share(names, lambda name: bool(PLACE_WORDS.search(name))) < 0.5)
        malus += 1.5 * (not names and _share(heads, lambda head: bool(PLACE_WORDS.search(head[:40]))) < 0.5)
        malus += 4.0 * _answers_a_question(run, outline)
    malus += 4.0 if _announced_as_list(run, outline) else 0.0
    malus += 4.0 * (_share(heads, lambda head: bool(TABLE_ROW_LEAD.match(head))) > 0.5)
    malus += 4.0 * (_share(texts, lambda text: bool(GAMEBOOK_WORDS.search(text))) >= 0.2)
    malus += 4.0 * (_share(texts, lambda text: len(LICENCE_WORDS.findall(text[:_TEXT])) >= 2) >= 0.25)
    malus += 3.0 * (_share(texts, lambda text: bool(TRUTH_MARK.search(text))) >= 0.3)
    malus += 4.0 * (_share(texts, lambda text: len(text) < 90 and bool(LEADER.search(text.rstrip()))) >= 0.5)
    malus += 2.0 * (_share(texts, lambda text: text[:1] in '"“«‘') >= 0.5)
    malus += 2.0 * (_share(texts, _reads_as_scene) >= 0.4)
    malus += 3.0 * (_share(heads, lambda head: bool(_INSTRUCTION.match(head))) >= 0.5)
    # An area's text may put one question to the referee; a questionnaire does little else.
    malus += 2.0 * (_share(texts, lambda text: without_quotes(text).count("?") >= 2) >= 0.25)
    malus += 4.0 * (_share(texts, lambda text: bool(_TREATISE.search(without_quotes(text)))) >= 0.5)
    malus += 2.5 * any(_PART_OF_A_BOOK.match(head) for head in heads)
    malus += 3.0 * (_sectioned(run, outline) >= 0.5)
    # A rulebook's `1.1`, `1.2` under a heading `1`; modules that key this way pad (`01.03`).
    if run.entries[0].key.style.startswith("dotted") and not run.entries[0].key.bare.startswith("0"):
        malus += 1.0
    return malus


def _heading_names(run: Run) -> list[str]:
    """What a run's headings say beside their keys; none where its entries are no headings."""
    headings = [entry for entry in run.entries if entry.form.startswith("heading")]
    return [name for entry in headings if (name := entry.block.text[entry.key.end :].strip())]


def _is_town(run: Run, heads: Sequence[str]) -> bool:
    """Whether a list keys the buildings of a home town: most are services, under a heading that names a settlement."""
    services = _share(heads, lambda head: bool(SERVICE_WORDS.search(head[:60])))
    settled = any(TOWN_WORDS.search(head.text) for head in run.path[-2:])
    return services >= 0.5 and settled


def _announced_as_list(run: Run, outline: Outline) -> bool:
    """Whether the block before the first entry announces a list (`Roll 1d6 for a rumour:`)."""
    index = run.entries[0].index - 1
    if index < 0 or outline.headings[index] is not None:
        return False
    before = outline.blocks[index].text[-160:]
    return before.rstrip().endswith(":") and bool(LIST_WORDS.search(before))


def _answers_a_question(run: Run, outline: Outline) -> bool:
    """Whether a plain lettered list stands under a question (`Where is the altar? A. In the crypt. B. In the hall`)."""
    first = run.entries[0]
    if first.form not in {"marked", "bullet"} or first.index == 0:
        return False
    return outline.blocks[first.index - 1].text.rstrip("\"'”’» ").endswith("?")


def _reads_as_scene(text: str) -> bool:
    return bool(_SCENE_VERB.match(text)) or bool(
        re.match(r"[^.]{0,60}\b(?:scene|escena|scène|szene)\b", text, re.IGNORECASE)
    )


def _sectioned(run: Run, outline: Outline) -> float:
    """The share of a run's headings with other headings of no higher rank below: parts of a story, not places."""
    entries = [entry for entry in run.entries if entry.form.startswith("heading")]
    if not entries:
        return 0.0
    stops = [entry.index for entry in run.entries[1:]] + [len(outline.blocks)]
    parts = 0
    for entry, stop in zip(run.entries, stops, strict=True):
        below = next((block for block in outline.blocks[entry.index + 1 : stop] if _is_section(block)), None)
        parts += below is not None and below.tier >= entry.block.tier and not LIST_WORDS.search(below.text)
    return parts / len(entries)


def _is_section(block: Block) -> bool:
    return block.kind is BlockKind.HEADING and not FACET_WORDS.fullmatch(block.text)


def _share(texts: Sequence[str], test: Callable[[str], bool]) -> float:
    return sum(test(text) for text in texts) / len(texts) if texts else 0.0
