"""Who speaks in `Name: text`: a speaker is a name, not any word before a colon.

No single line can tell. The form of the words and how often they lead a line in the whole file decide together.
"""

import re
import unicodedata
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

_PREFIX = re.compile(
    r"(?:\*\*|__|\[)?(?P<name>[^\s:：*\[\]<>\"“][^:：\n*<>\"“”?!;]{0,59}?)(?:\*\*|__|\])?\s?[:：](?:\*\*|__)?"
    r"(?:(?:[ \t]+|(?<=：)|(?<=：\*\*))(?P<text>\S.*)|[ \t]*)",
    re.DOTALL,
)
_PARTICLES_TEXT = "de del la le van von der den di da dos du el al of the bin ibn and y e zu & + und et"
_PARTICLES = frozenset(_PARTICLES_TEXT.split())
# Words that begin a sentence or a note at the table, never a person. Names are not listed: they cannot be.
_NOT_NAMES_TEXT = """
    a aber about achtung actually after again also alternatively although and another answer anyone anyway as aside
    ask at atención attack attention aviso back basically because before being besides bonus both but by caution
    chapter check clearly come conclusion consider correction damage dann date day dc dear description details
    difficulty disclaimer do does don done door dude duration edit either ejemplo else end episode especially even
    eventually every everybody everyone everything evidently exactly example except exemple exit exits fact finally
    fine first following for format from fun fyi generally get given go goal god good got great guys ha he hello
    help her here hey hi him hint hinweis his hit hits hmm hold honestly how however hp http https i idea if
    important in including info initiative inside instead is it ja just keep kidding last later left let like link
    list listen literally location lol look loot man maybe me meaning meanwhile moment more most motion my
    namely nein never new next no nobody none nope normally not nota notas note notes nothing now obviously of off
    oh ok okay on once one only option options or order other our out outside over overall perception perfect
    perhaps period plan please plot plus point possibly pps practically pregunta probably problem ps quest question
    quick quote range rather read really reason recap remarque remember reminder resolution respuesta result results
    reward right roll rolls room round rule rules same save saying scene second see seriously session she shit short
    si side similarly since so some someone something sometimes sorry spell spoiler step still stop subject suddenly
    suggestion summary sure surprisingly sí ta tags talk target task technically thank thanks that the their them
    then there therefore these they thing things think third this those though thus time tip title to today together
    tomorrow tonight total translation treasure true trust turn turns type und unfortunately unless until update us
    usually very video wait warning was watch we weird well were what whatever when where whether which while who
    why with within without wow yeah yes yesterday yet you your
"""
_NOT_NAMES = frozenset(_NOT_NAMES_TEXT.split())
_WORD = re.compile(r"[^\W_][\w'’.\-#@]*|[&+]|\([^()]*\)|@[\w.\-#]+")
_USERNAME = re.compile(r"[a-z0-9][\w.\-#]{1,31}")
_MOST_WORDS = 5
# Messengers and editors begin lines with marks of no width.
_INVISIBLE = " \t\r\n\u00a0\u200b\u200e\u200f\u2060\ufeff"
_PICTOGRAPHS = frozenset({"So", "Sk", "Mn", "Cf"})


@dataclass(frozen=True, slots=True)
class NamedText:
    """A line that may begin with a speaker: the name, and the text after the colon ("" if the name stands alone)."""

    name: str
    text: str


def split_name(line: str) -> NamedText | None:
    """Return the words before a line's first colon as a possible name, None where nothing like a name stands there.

    The colon must end the line or be followed by a space: `it's 3:15` and `http://` have neither. A full-width colon
    has its space inside it.
    """
    match = _PREFIX.fullmatch(line.strip(_INVISIBLE))
    if match is None:
        return None
    name = " ".join(match["name"].split())
    return NamedText(name, match["text"] or "") if looks_like_name(name) or _USERNAME.fullmatch(name) else None


def looks_like_name(name: str) -> bool:
    """Return whether words have the form of a name: few, capitalized, and not a word that begins a sentence."""
    words = name.split()
    if not 1 <= len(words) <= _MOST_WORDS or words[0].casefold().strip(".'’") in _NOT_NAMES:
        return False
    # Chat names are dressed with emoji, which say nothing for or against a name.
    words = [word for word in words if not all(unicodedata.category(char) in _PICTOGRAPHS for char in word)]
    return bool(words) and words[0] not in _PARTICLES and all(_is_name_word(word) for word in words)


def accepted_names(candidates: Iterable[NamedText | None], lines: int) -> frozenset[str]:
    """Return the candidates that are speakers, judged over the whole file.

    Args:
        candidates: What `split_name` said of each line, None left in.
        lines: How many lines there are.
    """
    counts = Counter(candidate.name for candidate in candidates if candidate is not None)
    formed = {name: count for name, count in counts.items() if looks_like_name(name)}
    # Where half of all lines are named, one line is enough; elsewhere a name has to come back, for `Warning: …` does not.
    led = sum(formed.values()) + sum(count for name, count in counts.items() if name not in formed and count > 1)
    usual = led * 2 >= lines
    kept = {name for name, count in formed.items() if usual or count > 1}
    # A lower-case word is a user name only where it keeps coming back, or where the file is all `name: text`.
    enough = 2 if usual else 3
    kept |= {
        name
        for name, count in counts.items()
        if name not in formed
        and name.casefold() not in _NOT_NAMES
        and (count >= enough or (usual and count * 4 >= lines))
    }
    return frozenset(kept)


def named(line: str, names: frozenset[str]) -> NamedText | None:
    """Return a line's speaker and text if its speaker is among `names`."""
    candidate = split_name(line)
    return candidate if candidate is not None and candidate.name in names else None


def joined(names: Sequence[str]) -> str | None:
    """Return several speakers of one turn as one name, None for none."""
    return " & ".join(name for name in (" ".join(name.split()) for name in names) if name) or None


def _is_name_word(word: str) -> bool:
    # Only in lower case: Al is a person and El may be one.
    if word in _PARTICLES:
        return True
    if not _WORD.fullmatch(word):
        return False
    first = word.lstrip("@(")[:1]
    # A letter without case (東, ע) cannot be told from a name by its form.
    return first.isupper() or first.isdigit() or (first.isalpha() and not first.islower())
