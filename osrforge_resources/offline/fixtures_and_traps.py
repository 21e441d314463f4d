"""Traps and fixtures that an area's text states."""

import re

from osrforge_resources.offline.prose import Word, sentences, without_quotes, words_of

_TRAP = re.compile(
    r"\b(?:traps?|trapped|booby-?trap\w*|(?:spiked|hidden|covered|concealed|open|deep|camouflaged)\s+(?:\w+\s+)?pits?|pit\s?trap|tripwires?|"
    r"trip\s?wire|pressure\s?plates?|poison(?:ed)?\s+(?:needles?|darts?|gas)|scything|deadfall|snares?|(?:darts?|arrows?|spears?|blades?)\s+"
    r"(?:shoot|shoots|fire|fires|fly|flies|spring|springs)|blade (?:will )?springs?|falling (?:block|stone|rock)s?|collaps(?:es|ing) when|"
    r"trampas?|foso con pinchos|pi[eè]g[eé]s?|fallen?(?=\s*:)|falle\b|trappol[ae])\b",
    re.IGNORECASE,
)
_NO_TRAP = re.compile(
    r"\b(?:no|not|isn't|aren't|without)\s+(?:\w+\s+){0,2}(?:traps?|trapped)\b|\btrap\s?-?doors?\b|\btrapped\s+(?:in|inside|under|here|between)\b",
    re.IGNORECASE,
)
# What a trap does goes on in the sentences after it.
_EFFECT = re.compile(
    r"\b(?:saves?|saving throw|damage|dmg|\d+d\d+|avoid|disarm\w*|triggers?|triggered|trigger\w*|poison|falls?|salvaci[oó]n|daño|dégâts|schaden|danni)\b",
    re.IGNORECASE,
)
_LONGEST_TRAP = 3

_FIXTURES = frozenset(
    """
    altar altars pool pools fountain fountains lever levers statue statues throne thrones well wells pillar pillars
    column columns brazier braziers sarcophagus sarcophagi coffin coffins mosaic mosaics tapestry tapestries
    fireplace hearth idol idols shrine basin cauldron cage cages mural murals fresco frescoes carving carvings
    inscription runes glyph glyphs pentagram dais pedestal plinth lectern portal mirror mirrors forge anvil furnace
    oven stove crystal crystals obelisk chandelier gong bell bells winch wheel machine machinery pentacle circle
    bookshelf bookshelves bookcase bookcases shelves bed beds cot cots bench benches desk table tables tub vat vats
    press loom organ chest chests trunk strongbox crate crates barrel barrels cask casks urn urns rubble debris
    painting paintings portrait graffiti fungi mushrooms stalagmites stalactites ledge chasm stream waterfall pond
    steps ladder flagstone beams tree trees roots latrine privy grate grating portcullis gobelin rug carpet skeleton
    skulls altarpiece stake pyre stocks rack chains bin bins shelf niche niches alcove alcoves door doors gate pit
    pits switch button buttons dial dials tubes lights altares fuente fuentes palanca palancas estatua estatuas
    trono pozo columna sarcófago sarcófagos ataúd mosaicos tapiz espejo pedestal caldero mural murales relieve
    relieves autel fontaine levier statue puits pilier statuen brunnen hebel säule säulen thron statua fontana leva
    pozzo colonna
    """.split()
)
# Doors lead somewhere: they are exits, or the text says nothing about them that a fixture would need.
_LEAVE_OUT = frozenset(
    """
    door doors gate table tables bed beds steps ladder skeleton lights trees tree pit pits ledge
    """.split()
)
_STOP = frozenset(
    """
    the a an this that these those his her its their of in on at by with from to into and or but is are was were has
    have where which who there here under over near beside behind between el la los las un una unos unas de del en y
    con le les des une du et der die das ein eine und mit il lo uno
    """.split()
)
_MOST_FEATURES = 12


def find_trap(text: str) -> str | None:
    """Return the sentences that tell an area's trap, None if it has none."""
    told: list[str] = []
    for sentence in sentences(text):
        plain = _NO_TRAP.sub(" ", without_quotes(sentence))
        if _TRAP.search(plain) or (
            told
            and len(told) < _LONGEST_TRAP
            and told[-1:]
            and _EFFECT.search(plain)
            and _goes_on(text, told[-1], sentence)
        ):
            told.append(sentence)
    return " ".join(told) or None


def _goes_on(text: str, before: str, sentence: str) -> bool:
    return text.find(sentence) - (text.find(before) + len(before)) <= 2


def find_features(text: str) -> list[str]:
    """Return the fixtures an area's text names, with the words that describe them, each once."""
    found: dict[str, str] = {}
    for sentence in sentences(without_quotes(text)):
        tokens = words_of(sentence)
        for index, token in enumerate(tokens):
            if token.lower in _FIXTURES - _LEAVE_OUT and not _is_modifier(tokens, index):
                phrase = _phrase(sentence, tokens, index)
                found.setdefault(token.lower, phrase)
    return list(dict.fromkeys(found.values()))[:_MOST_FEATURES]


def _is_modifier(tokens: list[Word], index: int) -> bool:
    """Whether the noun only describes the next one (`press bed`, `well water`) or is a verb (`steps into`)."""
    if index + 1 >= len(tokens) or tokens[index + 1].start - tokens[index].end != 1:
        return False
    after = tokens[index + 1].lower
    return after in _FIXTURES or after in {"room", "chamber", "hall", "bed", "water", "trap", "lid", "top"}


def _phrase(sentence: str, tokens: list[Word], index: int) -> str:
    start = index
    while start > 0 and index - start < 4:
        before = tokens[start - 1]
        if tokens[start].start - before.end != 1 or before.lower in _STOP or not before.text[0].isalnum():
            break
        start -= 1
    end = index
    # `statue of a gnome shaman`: what it is of belongs to it.
    if index + 2 < len(tokens) and tokens[index + 1].lower in {"of", "de", "d'", "del"}:
        end = min(index + 4, len(tokens) - 1)
        while end > index and not tokens[end].text[0].isalnum():
            end -= 1
        while end > index + 1 and tokens[end].lower in _STOP:
            end -= 1
        cut = next((i for i in range(index + 1, end + 1) if not tokens[i].text[0].isalnum()), None)
        end = cut - 1 if cut is not None else end
    return sentence[tokens[start].start : tokens[end].end]
