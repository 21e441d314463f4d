"""Creatures that running text puts into a room: `2 giant rats nest in the rubble`, `guarded by angry nixie`.

A mention needs a count, an article or a verb of presence. Corpses, statues, pictures, speech, comparisons, somebody
else's followers and creatures of another area are no occupants.
"""

import re
from collections.abc import Sequence
from dataclasses import dataclass

from osrforge_resources.offline.counts import Count, read_count
from osrforge_resources.offline.creatures import (
    AFTER_KINDS,
    AMBIGUOUS,
    KINDS,
    LEXICON,
    ROLES,
    is_creature,
    is_plural,
    singular,
)
from osrforge_resources.offline.noun_phrases import (
    BANNED_DETERMINERS,
    COUNT_AFTER,
    DEFINITE,
    SAID_AGAIN,
    Phrase,
    read_phrase,
)
from osrforge_resources.offline.prose import Word, sentences, without_quotes, words_of

_PRESENCE = frozenset(
    """
    is are was lives live lairs lair dwells dwell sleeps sleep guards guard waits wait lurks lurk hides hide rests
    rest roosts roost nests nest attacks attack stands stand sits sit camps camp watches watch works work patrols
    patrol prowls prowl inhabits inhabit occupies occupy crouches crouch hangs hang clings cling feeds feed keeps
    keep picks pick roams roam swims swim oversees oversee plays play awaits await haunts haunt has have will can
    may try tries makes make rises rise emerges emerge feast feasts squat squats huddle huddles lie lies resting
    sleeping guarding playing working waiting standing sitting hiding lurking armed led busy asleep here there
    inside within at in on with who that from and or vive viven duerme duermen espera esperan vigila vigilan acecha
    acechan ataca atacan está están hay custodia custodian
    """.split()
)
_NO_OCCUPANTS = frozenset(
    """
    stuffed dead slain petrified painted carved sculpted decapitated headless mummified killed desiccated fallen
    former late muerto muerta disecado disecada tallado tallada
    """.split()
)
_OBJECTS = frozenset(
    """
    nest lair nests lairs tracks track web webs droppings corpse corpses bones bone skull skulls statue statues head
    heads hide hides skin skins blood tooth teeth fang fangs egg eggs claw claws fur pelt pelts feather feathers
    poison venom sword swords armor armour dung remains body bodies carcass carcasses skeleton skeletons tomb tombs
    crypt grave graves king's door doors face faces mask masks figurine figurines idol painting picture mural relief
    carving language tongue script words voice voices scent smell noise sounds trap traps cage cages den burrow
    chefs chef handiwork territory meat stew flesh bane slayer hunters' hordes hole holes pit room rooms chamber
    cave caves hall halls quarters barracks temple shrine altar village tribe tribes clan clans camp fortress tower
    house mine mines type sized size shaped shape like headed form shaped-like repellent bait food silk cult cults
    magic spell spells token tokens coin coins vandals statuette motif motifs pens pen coast fishermen den-mother
    manor crew scroll scrolls battle fire ear ears eye eyes shield shields helm helmet axe bow arrow arrows spear
    spears dagger cloak boots banner flag drum horn ring crown plate chest chests treasure hoard key keys war wars
    lore legend legends trophy trophies shit pelts-covered
    """.split()
)
# A creature of gold or marble is a figurine, unless it is of a kind that is made.
_MATERIALS = frozenset(
    """
    gold golden silver gilded jewelled jeweled ivory jade ruby emerald porcelain ceramic marble alabaster bronze
    brass copper wooden clay glass crystal obsidian granite plaster wax straw leaden dorado dorada marfil
    """.split()
)
_MADE = frozenset(
    """
    golem dragon colossus construct automaton elemental ooze pudding guardian warrior spider drake
    """.split()
)
# Words before a mention that take the creature out of the room, within the same clause.
_TAKEN_AWAY = re.compile(
    r"(?:corpses?|bod(?:y|ies)|remains|bones|skeletons?|skulls?|heads?|statues?|statuettes?|figures?|figurines?|idols?|"
    r"images?|paintings?|pictures?|portraits?|murals?|carvings?|reliefs?|mosaics?|tapestry|tapestries|effig(?:y|ies)|busts?|"
    r"masks?|tracks|footprints|scent|smell|blood|hides?|pelts?|skins?|souls?|ashes|legends?|tales?|stor(?:y|ies)|rumou?rs?|"
    r"graves?|tombs?|crypts?|shape|likeness|form|names?|language|heart|hearts|cadáver|cuerpos?|huesos|estatuas?|pinturas?)"
    r"\s+(?:of|de|del)\b"
    r"|\b(?:depict\w*|portray\w*|shows?|showing|resembl\w*|shaped|carved|looks?|disguised|dressed|posing|mistaken|known|as|like|into|unlike|"
    r"than|versus|vs\.?|against|without|charm\w*|kill\w*|slay\w*|slew|swallow\w*|summon\w*|polymorph\w*|turns?|transforms?|"
    r"feared|hated|built|made|used|left|stolen|taken|destroyed|written|dug|hewn|abandoned|created|crafted|constructed|"
    r"hunt\w*|seeks?|former\w*|once|belong\w*|no|not|nor|never|neither|sell|sold|immune|if|unless|representa\w*)\b",
    re.IGNORECASE,
)
# These take a creature away only where no figure counts it: `a trap for orcs`, but `a pen for the 4 war boars`.
_PURPOSE = re.compile(r"\b(?:for|only|para|pour|für|per)\s+(?:an?\s+|the\s+)?(?:\w+\s+)?$", re.IGNORECASE)
_BY_PRESENCE = re.compile(
    r"\b(?:guarded|inhabited|occupied|patrolled|haunted|infested|led|watched|defended|populated|ruled|tended|manned|"
    r"protected|overrun|kept|home|staffed|attended|accompanied|lair|custodiad[oa]s?|habitad[oa]s?|vigilad[oa]s?|"
    r"protegid[oa]s?|gardée?s?|bewacht|custodit[oa])\s+(?:\w+\s+)?(?:by|to|of|por|par|von|da)\s+(?:an?\s+|the\s+|una?\s+)?$",
    re.IGNORECASE,
)
_ELSEWHERE = re.compile(
    r"^\W{0,2}(?:\s*(?:who|which|that)\s+(?:is|are|live|lives)\s+)?\s*(?:guards?\s+|chambers?\s+)?(?:in|from|of|at|to|see|de|en|aus)\s+"
    r"(?:the\s+)?(?:#|(?:areas?|rooms?|locations?|salas?|zona|raum|salle)\s?)\s?[\dA-Z]",
    re.IGNORECASE,
)
_PICTURED = re.compile(
    r"\s+(?:is|are|was|were)\s+(?:\w+\s+)?(?:carved|painted|depicted|engraved|sculpted|woven|drawn|shown|etched|dead|buried|gone)\b",
    re.IGNORECASE,
)
_PAST = re.compile(
    r"\b(?:once|formerly|used to|long ago|long dead|years ago|centuries ago|antaño|jadis|einst)\b", re.IGNORECASE
)
_ACTUALLY = re.compile(r"^\s*\(\s*(?:actually|really|in fact|in truth|secretly)\s+(?:an?|the)\s+", re.IGNORECASE)
_VERBS = frozenset(
    """
    guards guard scouts scout hunts flies fly bear bears worms fish hounds hound serves badger crow
    """.split()
)
_ROLE_VERBS = frozenset("guards scouts hunts rides leads hides".split())
_OBJECT_STARTS = frozenset(
    """
    the a an his her its their this that these those any all anyone each every them it him over against
    """.split()
)


@dataclass(frozen=True, slots=True)
class Mention:
    """A creature that a text puts somewhere.

    Attributes:
        name: As printed, kind included, count and other adjectives not.
        count: How many.
        start: Offset in the text where the count or name starts.
        end: Offset after the name.
        further: The text says `more` or `another`: they come on top of those named before.
        definite: Named with `the`: perhaps one that was named before.
    """

    name: str
    count: Count
    start: int
    end: int
    further: bool = False
    definite: bool = False


def find_mentions(text: str) -> list[Mention]:
    """Return the creatures a text puts somewhere, in order; each phrase once."""
    bare = without_quotes(text)
    found: list[Mention] = []
    offset = 0
    for sentence in sentences(bare):
        offset = bare.find(sentence, offset)
        if not _PAST.search(sentence) or re.search(r"\d", sentence):
            found.extend(_shifted(mention, offset) for mention in _in_sentence(sentence))
        offset += len(sentence)
    return found


def _shifted(mention: Mention, by: int) -> Mention:
    return Mention(mention.name, mention.count, mention.start + by, mention.end + by, mention.further, mention.definite)


def _in_sentence(sentence: str) -> list[Mention]:
    tokens = words_of(sentence)
    found: list[Mention] = []
    position = 0
    while position < len(tokens):
        if not is_creature(tokens[position].text) or _is_verb(tokens, position):
            position += 1
            continue
        head = _head_end(tokens, position)
        mention = _mention(sentence, tokens, position, head)
        if mention is not None:
            found = [other for other in found if not _replaced(sentence, other, mention)]
            found.append(mention)
        position = head + 1
    return found


def _replaced(sentence: str, other: Mention, mention: Mention) -> bool:
    between = sentence[other.end : mention.start] + sentence[mention.start : mention.end]
    return len(between) < 60 and bool(_ACTUALLY.match(sentence[other.end : mention.end]))


def _head_end(tokens: Sequence[Word], start: int) -> int:
    """Index of the last word of a creature's name: `orc guard`, `vulture demon`, `araña gigante`."""
    end = start
    while end + 1 < len(tokens) and tokens[end + 1].start - tokens[end].end == 1:
        after = tokens[end + 1].lower
        # `guards` after a creature is its role only where the creature itself is not the plural that guards.
        role = singular(after) in ROLES and not is_plural(tokens[end].text)
        verb = after in _ROLE_VERBS and not _ends_phrase(tokens, end + 1)
        verb = verb or (after in _VERBS and _takes_object(tokens, end + 1))
        if (
            (role and not verb)
            or after in AFTER_KINDS
            or (is_creature(after) and not is_plural(tokens[end].text) and not verb)
        ):
            end += 1
            continue
        break
    return end


def _is_verb(tokens: Sequence[Word], index: int) -> bool:
    """Whether a word that is spelled like a creature is a verb (`guards the room`)."""
    before = tokens[index - 1].lower if index else ""
    spelled = tokens[index].lower in _VERBS
    return spelled and (_takes_object(tokens, index) or before in {"to", "will", "can", "must", "who", "that", "which"})


def _takes_object(tokens: Sequence[Word], index: int) -> bool:
    after = tokens[index + 1].lower if index + 1 < len(tokens) else ""
    return after in _OBJECT_STARTS or read_count(after) is not None


def _ends_phrase(tokens: Sequence[Word], index: int) -> bool:
    return index + 1 >= len(tokens) or tokens[index + 1].text in ".,;:()" or tokens[index + 1].lower in _PRESENCE


def _mention(sentence: str, tokens: Sequence[Word], start: int, end: int) -> Mention | None:
    phrase = read_phrase(tokens, start)
    if (
        phrase.count is not None
        and phrase.count.fixed == 1
        and is_plural(tokens[end].text)
        and phrase.determiner != "1"
    ):
        # `A mosaic depicting goblins`: the article is another word's.
        phrase = Phrase(start, None, "")
    name_start = start
    while name_start > phrase.first and _is_kind(tokens[name_start - 1]):
        name_start -= 1
    begin, count = tokens[phrase.first].start, phrase.count
    if _is_none(sentence, tokens, phrase, start, end):
        return None
    if count is None and (after := COUNT_AFTER.match(sentence, tokens[end].end)):
        count = read_count(after[1] or after[2])
    definite = phrase.determiner in DEFINITE
    if count is None and not _is_present(sentence, tokens, phrase.first, end, definite=definite):
        return None
    several = count is not None and (count.fixed or 0) > 1
    figures = several or bool(re.search(r"\d", sentence[begin : tokens[start].start]))
    if singular(tokens[end].text) in AMBIGUOUS and name_start == start == end and not figures:
        return None
    if count is None:
        count = Count() if is_plural(tokens[end].text) or is_plural(tokens[start].text) else Count(fixed=1)
    further = any(tokens[index].lower in SAID_AGAIN for index in range(max(phrase.first - 1, 0), start))
    name = sentence[tokens[name_start].start : tokens[end].end]
    return Mention(name, count, begin, tokens[end].end, further, definite)


def _is_none(sentence: str, tokens: Sequence[Word], phrase: Phrase, start: int, end: int) -> bool:
    """Whether the words round a creature's name make it no creature: dead, carved, somebody's, elsewhere, or for one."""
    begin = tokens[phrase.first].start
    modifiers = {tokens[index].lower for index in range(phrase.first, start)}
    several = phrase.count is not None and (phrase.count.fixed or 0) > 1
    return (
        phrase.determiner in BANNED_DETERMINERS
        or bool(modifiers & _NO_OCCUPANTS)
        or (bool(modifiers & _MATERIALS) and singular(tokens[end].text) not in _MADE)
        or not _stands_alone(sentence, tokens, end)
        or _taken_away(sentence, begin, several=several)
        or (not several and bool(_PURPOSE.search(sentence[max(0, begin - 24) : begin])))
    )


def _is_kind(word: Word) -> bool:
    return (
        word.lower in KINDS
        or word.lower in LEXICON
        or (word.text[:1].isupper() and word.text.isalpha() and word.start > 0)
    )


def _stands_alone(sentence: str, tokens: Sequence[Word], end: int) -> bool:
    """Whether nothing after the name makes it part of something else (`goblin's`, `orc nest`, `orc guard in #12`)."""
    rest = sentence[tokens[end].end :]
    if re.match(r"['’]", rest) or re.search(r"['’]s$", tokens[end].text) or re.match(r"-\w", rest):
        return False
    if _ELSEWHERE.match(rest) or _PICTURED.match(rest):
        return False
    after = tokens[end + 1] if end + 1 < len(tokens) and tokens[end + 1].start - tokens[end].end == 1 else None
    if after is not None and tokens[end].lower == "giant":
        # `A giant pile of rubble`: the adjective, unless a verb of presence follows.
        return after.lower in _PRESENCE
    return after is None or is_plural(tokens[end].text) or after.lower not in _OBJECTS


def _taken_away(sentence: str, begin: int, *, several: bool) -> bool:
    clause = sentence[max(0, begin - 48) : begin]
    # A clause of its own starts after a stop, a semicolon or `where`; a list goes on over commas and `and`.
    clause = re.split(r"[.;:!?]|\bwhere\b|\bbut\b", clause)[-1]
    if _BY_PRESENCE.search(clause):
        return False
    # `The last thing to slide down was a goblin` tells of one that is no more, `Governor Marlon is a human` of him.
    if re.search(r"\b(?:was|were|had been)\s+$|\w\s+[A-ZÀ-Þ][\w’']+\s+is\s+$", clause):
        return True
    away = None
    for away in _TAKEN_AWAY.finditer(clause):  # noqa: B007 - the last match is the nearest
        pass
    if away is not None and len(clause) - away.end() <= 16 and not re.search(r"[,)]\s", clause[away.end() :]):
        return True
    owned = re.search(r"\b(?:of|de|von|di)\s+(?:an?\s+|the\s+|una?\s+)(?:\w+\s+)?$|\b(?:of|de)\s+$", clause)
    # `The lair of a dragon`, `hair of troll`: whose it is, not who is there.
    if owned and not several and not re.search(r"\b(?:consists?|full|composed|made up|hay) of\s+$", clause):
        return True
    if re.search(r"\bby\s+(?:an?\s+|the\s+)?(?:\w+\s+)?$", clause):
        return True
    opened = sentence.rfind("(", 0, begin)
    return (
        opened > sentence.rfind(")", 0, begin)
        and bool(sentence[opened + 1 : begin].strip())
        and not _ACTUALLY.match(sentence[opened:begin] + "a ")
    )


def _is_present(sentence: str, tokens: Sequence[Word], first: int, end: int, *, definite: bool) -> bool:
    """Whether a name without a count stands there as an occupant, not as a word about one."""
    before = sentence[: tokens[first].start]
    after = tokens[end + 1] if end + 1 < len(tokens) else None
    if _BY_PRESENCE.search(before[-48:]) or re.search(r"\b(?:are|hay|there is)\s+$", before, re.IGNORECASE):
        return True
    sentence_start = not re.search(r"\w", before)
    if definite and is_plural(tokens[end].text):
        # `The acolytes keep to the east wall` speaks of some that were named before.
        return False
    if definite:
        return (
            sentence_start
            and after is not None
            and after.lower in _PRESENCE - {"and", "or", "is", "are", "was", "has", "have", "will", "can", "may"}
        )
    if sentence_start:
        return after is None or after.text in ".,;(" or after.lower in _PRESENCE
    return (
        is_plural(tokens[end].text)
        and after is not None
        and after.lower in _PRESENCE
        and bool(re.search(r"[,;:]\s*$", before))
    )
