"""The census beside the survey: where two independent readings of one module differ, both are kept.

The census is read cheaply and without the survey's areas, so agreement means something. Nothing is changed here.
"""

from collections.abc import Sequence

from rapidfuzz import fuzz  # edit-distance ratios in C++; WRatio and partial ratios saturate on part names

from osrforge_assets.contracts.survey import CensusDungeon, CensusLevel, Dispute, SurveyDungeon, SurveyLevel
from osrforge_assets.modules.survey.merge import same_name
from osrforge_assets.modules.survey.normalize import level_numbers
from osrforge_resources.keys import slug

# token_sort_ratio of the words: "Caverns of Doom" against "Cavern of Doom" 97, "Cave A" against "Cave B" 83, "North Tower"
# against "South Tower" 82, "Goblin Lair" against "Orc Lair" 42: alike from 85 up, and only if no other name is within 5
# of it. "Eastern Barrow" against "Western Barrow" is 93, so alike names are compared further but still reported.
_ALIKE = 85.0
_MARGIN = 5.0
_ARTICLES = ("the-", "a-", "an-")


def find_disputes(dungeons: Sequence[SurveyDungeon], census: Sequence[CensusDungeon]) -> tuple[Dispute, ...]:
    """Return every point on which survey and census differ: dungeons, their levels, first and last keys."""
    pairs = _same_dungeons(dungeons, census)
    disputes = []
    if len(pairs) < max(len(dungeons), len(census)):
        survey_names, census_names = [dungeon.name for dungeon in dungeons], [dungeon.name for dungeon in census]
        disputes.append(Dispute(subject="dungeons", survey=_listed(survey_names), census=_listed(census_names)))
    # Two single dungeons under unlike names are one place read twice: their levels are still worth comparing.
    if not pairs and len(dungeons) == len(census) == 1:
        return (*disputes, *_level_disputes(dungeons[0], census[0]))
    for index, other in sorted(pairs.items()):
        dungeon, counted = dungeons[index], census[other]
        if _bare(dungeon.name) != _bare(counted.name):
            disputes.append(Dispute(subject=f"name of {dungeon.id}", survey=dungeon.name, census=counted.name))
        disputes += _level_disputes(dungeon, counted)
    return tuple(disputes)


def _same_dungeons(dungeons: Sequence[SurveyDungeon], census: Sequence[CensusDungeon]) -> dict[int, int]:
    """Return survey index to census index for dungeons of one name: equal names first, then alike ones."""
    pairs: dict[int, int] = {}
    free = {other: _bare(dungeon.name) for other, dungeon in enumerate(census)}
    for pick in (_equal, _most_alike):
        for index, dungeon in enumerate(dungeons):
            found = pick(_bare(dungeon.name), free) if index not in pairs else None
            if found is not None:
                pairs[index] = found
                del free[found]
    return pairs


def _bare(name: str) -> str:
    bare = same_name(name)
    return next((bare.removeprefix(article) for article in _ARTICLES if bare.startswith(article)), bare)


def _equal(name: str, candidates: dict[int, str]) -> int | None:
    return next((index for index, other in candidates.items() if other == name), None)


def _most_alike(name: str, candidates: dict[int, str]) -> int | None:
    words = name.replace("-", " ")
    scores = [(fuzz.token_sort_ratio(words, other.replace("-", " ")), index) for index, other in candidates.items()]
    best, index = max(scores, default=(0.0, 0))
    rivals = [score for score, other in scores if other != index and best - score < _MARGIN]
    return index if best >= _ALIKE and not rivals else None


def _level_disputes(dungeon: SurveyDungeon, census: CensusDungeon) -> list[Dispute]:
    # The census counts levels as they came; numbered by the survey's own rule the two can be laid side by side.
    counted = dict(zip(level_numbers([level.number for level in census.levels]), census.levels, strict=True))
    surveyed = {level.number: level for level in dungeon.levels}
    disputes = []
    if surveyed.keys() != counted.keys():
        disputes.append(Dispute(subject=f"levels of {dungeon.id}", survey=_numbers(surveyed), census=_numbers(counted)))
    for number in sorted(surveyed.keys() & counted.keys()):
        disputes += _key_dispute(f"keys of {dungeon.id} level {number}", surveyed[number], counted[number])
    return disputes


def _key_dispute(subject: str, level: SurveyLevel, census: CensusLevel) -> list[Dispute]:
    first, last = level.areas[0], level.areas[-1]
    ends = ((first.source_label, first.name, census.first_key), (last.source_label, last.name, census.last_key))
    if all(_same_key(label, name, counted) for label, name, counted in ends):
        return []
    return [
        Dispute(
            subject=subject,
            survey=f"{first.source_label} to {last.source_label}",
            census=f"{census.first_key} to {census.last_key}",
        )
    ]


def _same_key(label: str, name: str, counted: str) -> bool:
    """Whether a counted key is this area's: `7`, `Area 7` and `7. The Well` are one key, `7` and `7a` are two."""
    surveyed, other = same_name(label), same_name(counted)
    if surveyed == other or other in {slug(name), slug(f"{label} {name}")} - {""}:
        return True
    return surveyed.split("-")[1:] == [other] or other.split("-")[1:] == [surveyed]


def _listed(names: Sequence[str]) -> str:
    return "; ".join(names) or "none"


def _numbers(levels: dict[int, SurveyLevel] | dict[int, CensusLevel]) -> str:
    return ", ".join(map(str, sorted(levels))) or "none"
