"""Ways out that an area's text states: where to, which way, by what, and whether the door is stuck or locked.

`See area 4` and `the guard in #12` name another area without a way to it and are no exits.
"""

import re
from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

from osrforge_resources.keys import slug
from osrforge_resources.offline.prose import sentences, without_quotes
from osrforge_resources.offline.vocabulary import CONNECTIONS_LINE, level_number

_KEY = r"(?:[A-Z]{1,2}[-.]?\d{1,3}[a-z]?|\d{1,2}\.\d{1,3}|\d{1,2}-[A-Z]\b|\d{1,3}[a-z]?)"
_AREA = r"(?:areas?|rooms?|locations?|chambers?|caves?|caverns?|cells?|keyed areas?|salas?|habitaci[oó]n(?:es)?|estancias?|zonas?|[aá]reas?|c[aá]maras?|salles?|pièces?|raum|räume|bereich|stanz[ae])"
# A reference to another area: an area word or # with a key, or a bare key after `to`.
_REFERENCE = re.compile(
    rf"(?P<word>\b{_AREA}\s?|#\s?|\[#?|\(#?)(?P<key>{_KEY})(?P<more>(?:\s?(?:,|and|or|&|/|y|o|et|und)\s?(?:{_AREA}\s)?#?{_KEY}(?![\w'’%]))*)(?![\w'’%])"
    rf"|\b(?:to|towards?|into|with|a|al|hacia|vers|nach|zu|verso)\s+(?P<bare>{_KEY})(?P<bare_more>(?:\s?(?:,|and|or|&|y|o|et|und)\s?{_KEY}(?![\w'’%]))*)(?![\w'’%:]|\s?(?:gp|sp|cp|pp|ep|feet|foot|ft|rounds?|turns?|hours?|days?|points?|hp|hit|damage|men|miles?|paces|yards|m\b|d\d|in\b|minutes?|%|[×x]\s?\d|[a-z]+s\b))",
    re.IGNORECASE,
)
# `Exits: north to 4, door (5)`.
_LISTED_KEY = re.compile(rf"(?:\bto\s+(?:{_AREA}\s+)?|#|\(|\ba\s+(?:la\s+)?(?:{_AREA}\s+)?)({_KEY})\)?$", re.IGNORECASE)
_KEYS = re.compile(_KEY)
_EXIT = re.compile(
    r"\b(?:leads?|leading|led|goes|go|going|continues?|continuing|opens?|opening|connects?|connecting|runs?|running|descends?|descending|"
    r"ascends?|ascending|climbs?|climbing|exits?|crawl|ramp|slope|hole|opening|gap|curtain|window|doors?|doorway|archway|arch|passages?|passageway|corridors?|hallway|hall|tunnels?|stairs?|"
    r"stairway|staircase|steps|ladder|shaft|chute|slide|trapdoor|trap door|hatch|bridge|way|path|crawlway|crack|portal|gate|secret|"
    r"lleva[n]?|conduce[n]?|contin[uú]a[n]?|baja[n]?|sube[n]?|puertas?|pasillos?|pasadizos?|corredor|t[uú]nel|escaleras?|trampilla|"
    r"m[eè]nent?|conduit|porte|couloir|passage|escalier|führt|führen|tür|gang|treppe|porta|conduce|corridoio|scala)\b",
    re.IGNORECASE,
)
# A clause that only points the reader elsewhere.
_POINTER = re.compile(
    r"\b(?:see|as in|as described in|described in|like|same as|cf\.?|refer to|compare|v[eé]ase|ver|voir|siehe|vedi|from|in|at)\s*(?:the\s+)?$",
    re.IGNORECASE,
)
# The keys of a door are carried, and a noise is heard, without a way being stated.
_NO_WAY = re.compile(
    r"\bkeys?\b[^.;]{0,40}$|\b(?:alerts?|alerting|warns?|warning|hears?|heard|noises?|sounds?|attracts?|summons?|rings?)\b[^.;]{0,30}$",
    re.IGNORECASE,
)
_VIAS = (
    (
        "secret_door",
        re.compile(
            r"\b(?:secret|concealed|hidden)\s+(?:\w+\s+){0,2}?(?:doors?|panel|passage|tunnel|way|exit|entrance|corridor)|puerta secreta|pasadizo secreto|porte secrète|geheimtür|porta segreta",
            re.IGNORECASE,
        ),
    ),
    ("trapdoor", re.compile(r"\btrap\s?-?doors?|\bhatch|trampilla|trappe|falltür|botola", re.IGNORECASE)),
    (
        "chute",
        re.compile(r"\bchute|\b(?:an?|the|stone|steep|slippery) slide\b|tobog[aá]n|rutsche|scivolo", re.IGNORECASE),
    ),
    (
        "stairs",
        re.compile(r"\bstair\w*|\bsteps\b|\bstaircase|escaleras?\b|escalier|treppe|\bscal[ae]\b", re.IGNORECASE),
    ),
    ("door", re.compile(r"\b(?:doors?|doorway|gate|portcullis|puertas?|porte|tür|porta)\b", re.IGNORECASE)),
    (
        "other",
        re.compile(r"\b(?:ladder|shaft|rope|portal|teleport\w*|bridge|escala|cuerda|échelle|leiter)\b", re.IGNORECASE),
    ),
)
_DIRECTIONS = (
    ("north", re.compile(r"\b(?:north(?!-?(?:east|west))\w*|norte|nord|norden|nördlich\w*)\b", re.IGNORECASE)),
    (
        "south",
        re.compile(r"\b(?:south(?!-?(?:east|west))\w*|(?:al|pared|puerta|muro|lado) sur|sud|süd\w*)\b", re.IGNORECASE),
    ),
    (
        "east",
        re.compile(
            r"\b(?:east\w*|(?:al|pared|puerta|muro|lado) este|à l['’]est|ost|osten|östlich\w*)\b", re.IGNORECASE
        ),
    ),
    ("west", re.compile(r"\b(?:west\w*|oeste|ouest|westen|westlich\w*|ovest)\b", re.IGNORECASE)),
    (
        "down",
        re.compile(r"\b(?:down\w*|descend\w*|below|baja[n]?|abajo|desciende|hinunter|hinab|giù)\b", re.IGNORECASE),
    ),
    ("up", re.compile(r"\b(?:up|upwards?|upstairs|ascend\w*|climbs?|above|sube[n]?|arriba|hinauf)\b", re.IGNORECASE)),
)
_STUCK = re.compile(
    r"\b(?:stuck|jammed|swollen|warped shut|atascada|atrancada|coincée|klemmt|verklemmt|incastrata)\b", re.IGNORECASE
)
_LOCKED = re.compile(
    r"\b(?:locked|barred|bolted|padlocked|sealed|cerrada con llave|con cerrojo|verrouillée|abgeschlossen|verriegelt|chiusa a chiave)\b",
    re.IGNORECASE,
)
_NOT_LOCKED = re.compile(r"\b(?:un|not |never |no longer )(?:locked|barred|stuck|bolted)", re.IGNORECASE)
_LEVEL_EXIT = re.compile(
    r"\b(?:to|down to|up to|towards?|al|a la|vers|zum|zur|auf)\s+(?:the\s+)?((?:[\w-]+\s+){0,2}(?:levels?|floor|nivel|piso|niveau|ebene|livello)(?:\s+\w+)?)",
    re.IGNORECASE,
)
_ORDINALS = {"1st": "first", "2nd": "second", "3rd": "third", "4th": "fourth", "5th": "fifth"}
_SMALL_WORDS = frozenset({"the", "of", "a", "an", "el", "la", "de", "del", ""})
_CLAUSES = re.compile(
    r";\s+(?!(?:it|they|this|which|that)\b)|,\s+(?:and|but|while)\s+(?=(?:an?|the|another)\b)|,\s+(?=(?:an?|another|the)\s[^,]{0,40}\b(?:doors?|passages?|corridors?|tunnels?|stairs?)\b)|\s+and\s+(?=(?:an?|another)\s[^,.]{0,40}\b(?:leads?|to|goes|continues)\b)"
)


@dataclass(frozen=True, slots=True)
class Exit:
    """A stated way out, in the form of the reply schema."""

    to_key: str | None
    to_level: int | None
    direction: str
    via: str
    stuck: bool
    locked: bool

    def answer(self) -> dict[str, object]:
        """The exit in the form of the reply schema."""
        return {
            "to_key": self.to_key,
            "to_level": self.to_level,
            "direction": self.direction,
            "via": self.via,
            "door_stuck": self.stuck,
            "door_locked": self.locked,
        }


class AreaNames(dict[str, str]):
    """From the slug of a printed key, bare key or name to the canonical key, for one level's areas.

    A look-up by single words went through all names for each exit: 23 s of 2,500 named places, 3 with the index.
    """

    @cached_property
    def by_word(self) -> dict[str, frozenset[str]]:
        """The names that hold a word, singular or plural."""
        found: defaultdict[str, set[str]] = defaultdict(set)
        for name in self:
            for word in name.split("-"):
                found[word.removesuffix("s")].add(name)
        return {word: frozenset(names) for word, names in found.items()}


def find_exits(text: str, names: AreaNames, *, own: Sequence[str] = ()) -> list[Exit]:
    """Return the exits a text states, in order, each target once.

    Args:
        text: The area's text.
        names: The areas that are known.
        own: Slugs of the area itself, which it does not lead to.
    """
    exits: list[Exit] = []
    for sentence in sentences(without_quotes(text)):
        if line := CONNECTIONS_LINE.search(sentence):
            exits.extend(_listed(sentence[line.end() :], names))
            continue
        for clause in _CLAUSES.split(sentence):
            exits.extend(_stated(clause, names))
    return _distinct(exits, own)


def _listed(listing: str, names: AreaNames) -> list[Exit]:
    """The targets of a printed line `Connections: Harbour, Town (by boat), 5`."""
    found: list[Exit] = []
    for item in re.split(r"[,;]\s*(?![^(]*\))", re.split(r"(?<=\w{3})\.\s", listing)[0]):
        label = item.strip(" .")
        if not label or len(label) > 80:
            continue
        to = _LISTED_KEY.search(label)
        if to is not None:
            found.append(Exit(_canonical(to[1], names), None, *_manner(label)))
            continue
        found.append(Exit(_canonical(label, names), None, *_manner(label)))
    return found


def _stated(clause: str, names: AreaNames) -> list[Exit]:
    found: list[Exit] = []
    matches = list(_REFERENCE.finditer(clause))
    for position, match in enumerate(matches):
        before = clause[: match.start()]
        if _POINTER.search(before) or _NO_WAY.search(before) or not _EXIT.search(clause[: match.end()]):
            continue
        keys = _KEYS.findall((match["key"] or match["bare"] or "") + (match["more"] or match["bare_more"] or ""))
        # A bare number after `to` is a key only where it is one of the level's, or nothing else can be meant.
        if (
            match["bare"]
            and any(slug(key) not in names for key in keys)
            and not re.search(
                r"\b(?:leads?|goes|back|continues?|opens?|connects?|lleva|conduce|mène|führt)\b[^.]{0,30}$",
                before,
                re.IGNORECASE,
            )
        ):
            continue
        # With several targets in a clause each has the words before it; one alone has the whole clause.
        level = _stated_level(clause, match)
        own = clause[matches[position - 1].end() if position else 0 : match.end()] if len(matches) > 1 else clause
        manner = _manner(own)
        # A key of another level is a printed label there, whatever this level calls by the same number.
        found.extend(Exit(key if level else _canonical(key, names), level, *manner) for key in keys)
    if not found and (level := _LEVEL_EXIT.search(clause)) and _EXIT.search(clause):
        number = level_number(level[1])
        if number is not None:
            found.append(Exit(None, number, *_manner(clause)))
    return found


def _stated_level(clause: str, match: re.Match[str]) -> int | None:
    """The level a reference names beside its key: `level 2, area 5` or `area 5 on level 2`."""
    before = re.search(
        r"\b(?:level|nivel|niveau|ebene|livello)\s+(\d{1,2})\s*,?\s*(?:in\s+)?$", clause[: match.start()], re.IGNORECASE
    )
    after = re.match(
        r"\s*,?\s*(?:\(?(?:on|of|de|del|du|auf|su)\s+)?\(?(?:the\s+)?(?:level|nivel|niveau|ebene|livello)\s+(\d{1,2})\b",
        clause[match.end() :],
        re.IGNORECASE,
    )
    said = before or after
    return int(said[1]) if said else None


def _manner(clause: str) -> tuple[str, str, bool, bool]:
    via = next((name for name, pattern in _VIAS if pattern.search(clause)), "passage")
    direction = _direction(clause, via)
    free = bool(_NOT_LOCKED.search(clause))
    return direction, via, bool(_STUCK.search(clause)) and not free, bool(_LOCKED.search(clause)) and not free


def _direction(clause: str, via: str) -> str:
    found = [(match.start(), name) for name, pattern in _DIRECTIONS if (match := pattern.search(clause))]
    names = [name for _, name in sorted(found)]
    # `Stairs in the north wall lead down`: for stairs the level they reach matters more than the wall they start at.
    if via in {"stairs", "trapdoor", "chute"}:
        names.sort(key=lambda name: name not in {"up", "down"})
    else:
        names.sort(key=lambda name: name in {"up", "down"})
    return names[0] if names else "unknown"


def _canonical(label: str, names: AreaNames) -> str:
    key = slug(label)
    if key in names:
        return names[key]
    # `Governor's mansion (Exterior)` may be printed as `Exterior`; `area 5` as `5`.
    inner = re.search(r"\(([^()]+)\)\s*$", label)
    if inner and slug(inner[1]) in names:
        return names[slug(inner[1])]
    outer = slug(re.sub(r"\s*\([^()]*\)\s*$", "", label))
    bare = re.sub(rf"^{_AREA}\s+", "", label, flags=re.IGNORECASE)
    return names.get(outer) or names.get(slug(bare)) or _by_words(label, names) or label


def _by_words(label: str, names: AreaNames) -> str | None:
    """The one known area whose name holds all words of a shortened one (`1st chamber`: `First chamber of the cave`)."""
    wanted = {_ORDINALS.get(word, word.removesuffix("s")) for word in slug(label).split("-")} - _SMALL_WORDS
    if not wanted or any(word.isdigit() for word in wanted):
        return None
    # From the rarest word on, so that a common one (`hall`) is not gone through for every exit.
    holding = sorted((names.by_word.get(word, frozenset()) for word in wanted), key=len)
    only = ""
    for name in frozenset.intersection(*holding):
        if only not in {"", names[name]}:
            return None
        only = names[name]
    return only or None


def _distinct(exits: Sequence[Exit], own: Sequence[str]) -> list[Exit]:
    kept: dict[tuple[str | None, int | None], Exit] = {}
    for way in exits:
        target = (slug(way.to_key) if way.to_key else None, way.to_level)
        if target[0] is not None and way.to_level is None and target[0] in own:
            continue
        if target not in kept:
            kept[target] = way
            continue
        # Said twice (`a door leads to 5 … the door to 5 is locked`): the facts add up.
        first = kept[target]
        kept[target] = Exit(
            first.to_key,
            first.to_level,
            first.direction if first.direction != "unknown" else way.direction,
            first.via if first.via != "passage" else way.via,
            first.stuck or way.stuck,
            first.locked or way.locked,
        )
    return list(kept.values())
