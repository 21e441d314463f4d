"""What a transcript's words say about scenes: cues of change, and the vocabulary of each mode of play.

Each cue has a weight between 0 and 1: how often, in sessions, a scene begins where it is said. Nothing here knows a
campaign: places, people and monsters are not listed, only how people at a table speak about changing the scene.
"""

import re
from dataclasses import dataclass
from enum import StrEnum

from osrforge_resources.transcript_text import RequestUnit


class Mode(StrEnum):
    """What the table is doing."""

    COMBAT = "combat"
    PLANNING = "planning"
    TALK = "talk"
    TABLE = "table"
    EXPLORING = "exploring"


@dataclass(frozen=True, slots=True)
class Cue:
    """A way to say that the scene changes.

    Attributes:
        weight: How strongly.
        pattern: Its form.
        gm_only: Whether it counts only from whoever runs the game; players wish and joke in the same words.
    """

    weight: float
    pattern: re.Pattern[str]
    gm_only: bool = True


def _cue(weight: float, pattern: str, *, gm_only: bool = True) -> Cue:
    return Cue(weight, re.compile(pattern, re.IGNORECASE), gm_only)


_NUMBER = r"(?:a|an|one|two|three|four|five|six|seven|eight|nine|ten|twelve|several|a few|a couple(?: of)?|half an|many|some|\d+)"
_SPAN = r"(?:minutes?|hours?|days?|nights?|weeks?|tendays?|months?|years?)"
_TIME_OF_DAY = r"(?:dawn|daybreak|sunrise|morning|noon|midday|afternoon|evening|dusk|sunset|nightfall|night|midnight)"

CUES = (
    # Time passes.
    _cue(0.8, rf"\b(?:the )?(?:next|following) (?:day|{_TIME_OF_DAY}|week|month)\b"),
    _cue(
        0.7,
        rf"\b{_NUMBER} (?:more |long |quiet |uneventful )?{_SPAN} (?:later|pass\b|go by|of (?:travel|walking|riding|marching|sailing))",
    ),
    _cue(0.5, rf"\b(?:after|for) (?:about |nearly |almost |another )?{_NUMBER} (?:more |long |good )?{_SPAN}\b"),
    _cue(
        0.45,
        rf"\b(?:by|before|around|about|at|just after|just before|towards?) (?:the )?(?:first light|{_TIME_OF_DAY})\b",
    ),
    _cue(
        0.4,
        rf"\b(?:in|that|this) (?:the )?(?:late |early )?(?:{_TIME_OF_DAY})\b|\bit'?s (?:now |already |late |early )?{_TIME_OF_DAY}\b",
    ),
    _cue(
        0.6, r"\bmeanwhile\b|\bback (?:at|in) the (?:town|city|village|inn|tavern|ship|camp|castle|keep|cave|cavern)\b"
    ),
    _cue(0.5, r"\b(?:breakfast|dinner|supper|lunch) (?:in|at|is|the)\b"),
    # Place changes.
    _cue(
        0.75,
        r"\b(?:you(?:'ve| have)?(?: all| finally| eventually| then| now)?|the party|the group|the \w+ of you) (?:arrive|reach(?:ed)?|get there|come (?:to|out|upon|into)|find yourselves?|make (?:it|your way)|return|emerge|set (?:out|off)|depart|head (?:out|off|back|down|up)|travel|board|land|sail|ride|leave the)\b",
    ),
    _cue(
        0.55,
        r"\byou(?:'re| are)(?: all| now| both)? (?:sitting|standing|walking|riding|back|in|on|at|outside|inside|led|brought|taken)\b",
    ),
    _cue(0.5, r"\byou (?:enter|step|climb|descend|follow|catch up|drift|wake)\b|\bwakes? you\b"),
    _cue(
        0.45,
        r"\b(?:beyond|behind|past|through|under|below|above|across|round|around|inside|outside) the (?:\w+ ){0,3}(?:there(?:'s| is| are)|you (?:see|find|can see)|is a|are)\b",
    ),
    _cue(
        0.5,
        r"\b(?:round|around|past|beyond|after) (?:the|another) (?:next|last|first|final)? ?(?:bend|corner|turn|door|hill|ridge|gate)\b",
    ),
    _cue(
        0.5,
        r"\b(?:takes|leads|brings) you\b|\bopens (?:up )?(?:into|onto|for you)\b|\bthe (?:gates?|doors?)(?:'s| is| are|s)? opens?\b",
    ),
    _cue(
        0.4,
        r"^(?:\"|so |okay,? |right,? |and )*(?:the|this) (?:\w+ ){1,4}(?:is|are|leaves|takes|opens|rolls|runs)\b.{40,}",
    ),
    _cue(
        0.45,
        r"\bwe (?:catch up|set off|set out|head (?:out|off|back|there|down|up)|leave (?:the|town|for)|travel|arrive|keep walking)\b",
        gm_only=False,
    ),
    _cue(
        0.35,
        r"\b(?:i|we)(?:'m going| go|'ll go| walk| run| ride| head) (?:back |over |up |down )?(?:to|into|towards?|inside|outside|after)\b",
        gm_only=False,
    ),
    # An encounter begins, ends, or turns into something else.
    _cue(
        1.0,
        r"\broll(?:ing)?(?: me| us)?(?: for)?(?: an?)? ?initiative\b|\binitiative(?:,? (?:please|everybody|everyone|rolls?))?[.!]|\bneed initiatives?\b",
        gm_only=False,
    ),
    _cue(0.8, r"^!i(?:nit)? (?:begin|start)\b|\beveryone roll for initiative\b", gm_only=False),
    _cue(
        0.7,
        r"\b(?:roll(?:s)? for surprise|you(?:'re| are) (?:surprised|ambushed|under attack)|it attacks|they attack|attacks? you)\b",
    ),
    _cue(
        0.45,
        r"\b(?:suddenly|out of nowhere|without warning|the moment|at that moment|just then|as you (?:say|do|turn|speak|leave|reach))\b",
    ),
    _cue(
        0.5,
        r"\b(?:but|and) (?:then|now) (?:the|a|an|you|something|someone|somebody)\b|\bbehind you\b|\bstarts? to scream\b",
    ),
    _cue(
        0.5,
        r"\b(?:you(?:'re| are) out of (?:combat|initiative)|combat (?:is over|ends|is done)|end of combat|that(?:'s| is) (?:the last of|all of them)|initiative (?:is over|ends))\b",
        gm_only=False,
    ),
    _cue(0.8, r"^!i(?:nit)? end\b|\bcombat ended\b|\bend of combat report\b", gm_only=False),
    # The table stops, comes back, rests, plans.
    _cue(
        0.95,
        r"\b(?:let'?s |we(?:'ll| will| can|'re going to) |gonna |going to |need (?:to )?|should )(?:go ahead and )?(?:take|have|do)? ?(?:a |our )?(?:quick |short |brief |little |\w+[- ]minute )?break\b|\b(?:good|nice) (?:place|point|time|moment) (?:to|for) (?:stop|pause|a break|break|food)\b",
        gm_only=False,
    ),
    _cue(
        0.95,
        r"\b(?:welcome back|and we(?:'re| are) back|we(?:'re| are) back|back from (?:the|our) break|let'?s (?:pick (?:it|this|that|things) (?:back )?up|get back (?:to|into)|resume|continue)|pick(?:ing)? up where|where were we|everyone (?:back|here)\?)",
        gm_only=False,
    ),
    _cue(0.6, r"\b(?:last (?:time|week|session)|previously|when we left off|to recap|a quick recap)\b"),
    _cue(
        0.6,
        r"\b(?:end (?:the session|it|things) (?:here|there)|(?:where|when) we(?:'ll| will|'re going to)? (?:stop|end|leave|pause)|call it (?:there|a night)|that'?s it for (?:tonight|today))\b",
    ),
    _cue(
        0.6,
        r"\b(?:long|short|full night'?s|night'?s) rest\b|\b(?:set|make|pitch|break) camp\b|\b(?:first|last|second) watch\b|\bbefore you (?:sleep|go to (?:bed|sleep))\b|\bsettle (?:in|down) for the night\b",
    ),
    _cue(
        0.4,
        r"\b(?:i|we)(?:'d| would)? (?:like|want|need) to (?:rest|sit down|camp|sleep|make camp)\b|\b(?:take|taking|have) a (?:long|short) rest\b",
        gm_only=False,
    ),
    _cue(
        0.6,
        r"\bwhat(?:'s| is) (?:the|our) plan\b|\bso,? what (?:do|are|should) we (?:do|doing)\b|\bwhat (?:do|should) we do (?:now|next|today|about)\b|\bso do we (?:go|do|want)\b|\b(?:okay|alright|all right|so|right)[.,:]? options\b|\bwe need (?:a plan|to (?:plan|decide|talk about what))\b|\bhow (?:do|are) we (?:going to )?(?:do|play|get|handle)",
        gm_only=False,
    ),
    _cue(
        0.4,
        r"\bwe(?:'re| are) going after\b|\bwhat(?:'s| is) next\b|\bwhere (?:to|do we go) (?:now|next)\b",
        gm_only=False,
    ),
)

_MODE_WORDS = {
    Mode.COMBAT: (
        r"initiative|attack(?:s|ed|ing)?|damage|hits?(?! (?:dice|die))|miss(?:es|ed)?|to hit|rounds?|your turn|my turn|their turn|whose turn|you're up"
        r"|saving throw|save against|armou?r class|\bac\b|hit points?|points of|critical|crit|natural (?:one|1|20|twenty)|nat (?:one|1|20|twenty)"
        r"|swing|stab|shoot|fire ?bolts?|magic missile|smite|slashing|piercing|bludgeoning|dodge|disengage|reaction|bonus action|opportunity attack"
        r"|grapples?|tackle|bites?|claws?|kills?|dies|bleed(?:s|ing)?|unconscious|death save|second attack|advantage|does (?:a |an )?\d+ hit|sneak attack|eldritch blast"
    ),
    Mode.PLANNING: (
        r"plan|option|should we|could we|can we|we could|we should|we can|what if|let's|i vote|either|or we|instead|then we|rather|wait for"
        r"|how far|how long|how many|what about|do we|would be better|idea|risky|agree|first light|tonight|tomorrow|way out|take with|buy"
    ),
    Mode.TABLE: (
        r"pizza|snacks?|crisps|beer|coffee|drinks?|bathroom|toilet|phone|dice app|character sheet|level(?:ed|led)? up|experience|xp\b|next (?:week|thursday|tuesday|wednesday|monday|friday|sunday|saturday)"
        r"|calendar|schedule|work\b|job|office|bus|movie|microphone|mic\b|mute|internet|discord|recording|episode|stream|twitch|sponsor|twitter|subscribe|website|video|announcements?|merch|camera"
    ),
}
_MODES = {mode: re.compile(rf"\b(?:{words})\b", re.IGNORECASE) for mode, words in _MODE_WORDS.items()}
_QUOTED = re.compile(r"[\"“][^\"“”]{2,}[\"”]")
_BARE_NUMBER = re.compile(
    r"\W*(?:(?:natural|nat|dirty) )?(?:\d{1,2}|(?:twenty|thirty)?[- ]?(?:one|two|three|four|five|six|seven|eight|nine)|ten|eleven|twelve|\w+teen|twenty|thirty)\W*(?:to hit|damage|points?)?\W*",
    re.IGNORECASE,
)
_SHORT = 40  # characters of a bare number with what people add to it
_HEAD = 300  # characters: three sentences
_GM_TITLES = re.compile(
    r"\b(?:gm|dm|game ?master|dungeon ?master|referee|keeper|narrator|storyteller|warden|judge|mc)\b", re.IGNORECASE
)
_GM_SPEECH = re.compile(
    r"\byou(?:'ve| have| can|'re| are|'ll)? (?:see|hear|find|notice|feel|smell|get|spot|arrive|take)\b|\b(?:give|make) me an?\b|\broll (?:me |a |for|your|damage|perception|stealth)"
    r"|\bgo ahead and\b|\bsaves?,? please\b|\bwhat do you (?:do|want)\b",
    re.IGNORECASE,
)


def mode_hits(unit: RequestUnit) -> dict[Mode, float]:
    """Return how much a unit speaks in the words of each mode, 0 to 1."""
    hits = {mode: min(1.0, len(pattern.findall(unit.text)) / 2) for mode, pattern in _MODES.items()}
    if unit.kind == "roll" or (len(unit.text) <= _SHORT and _BARE_NUMBER.fullmatch(unit.text)):
        # A die is rolled in every mode; alone it is half a sign of a fight.
        hits[Mode.COMBAT] = max(hits[Mode.COMBAT], 0.25)
    quoted = sum(len(match) for match in _QUOTED.findall(unit.text))
    hits[Mode.TALK] = min(1.0, 2 * quoted / max(len(unit.text), 1))
    return hits


def cue_weight(unit: RequestUnit, *, from_gm: bool) -> float:
    """Return how strongly a unit says that a scene begins with it: its best cue, and a tenth for each other one.

    Only the head of a long unit counts fully: what a speaker comes to after a minute belongs to the scene already.
    """
    head = unit.text[:_HEAD]
    told = narration(unit.text)[:_HEAD]
    weights = sorted(
        (
            cue.weight if from_gm or not cue.gm_only else cue.weight * 0.3
            for cue in CUES
            if cue.pattern.search(told if cue.gm_only else head)
        ),
        reverse=True,
    )
    return min(1.2, weights[0] + 0.1 * (len(weights) - 1)) if weights else 0.0


def narration(text: str) -> str:
    """Return a text without what is quoted in it: a character who talks of the road takes nobody there."""
    return _QUOTED.sub(" ", text).strip()


def game_master(units: list[RequestUnit]) -> str | None:
    """Return the speaker who runs the game: titled so, else whoever most often tells others what they see and roll."""
    says: dict[str, float] = {}
    for unit in units:
        if unit.speaker is None:
            continue
        if _GM_TITLES.search(unit.speaker):
            return unit.speaker
        says[unit.speaker] = says.get(unit.speaker, 0.0) + len(_GM_SPEECH.findall(unit.text)) + len(unit.text) / 2000
    return max(says, key=lambda name: says[name], default=None)
