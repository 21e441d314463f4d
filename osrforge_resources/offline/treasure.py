"""Coins, gems, valuables and magic as an area's text prints them, one entry an item or hoard."""

import re

from osrforge_resources.offline.prose import sentences, without_quotes

_NUMBER = r"(?:\d{1,3}(?:[ ,.’']\d{3})+|\d+d\d+(?:\s?[×x*+]\s?\d[\d,]*)?|\d+)"
_COIN = r"(?:[pgesc]\.?p\.?s?|gold(?!en)|(?:gold|silver|copper|platinum|electrum)(?:\s+(?:pieces?|coins?|crowns?|doubloons?))|m[opce]|p[oepc]|GM|SM|KM|Goldmünzen|Silbermünzen|monedas?|doubloons?|ducats?)"
_COINS = re.compile(rf"(?<![\w'’/])(?!0+\s){_NUMBER}\s?{_COIN}(?!\w)", re.IGNORECASE)
_PLAIN_GOLD = re.compile(
    r"\b(?:some|much|lots of|piles? of|heaps? of|hoard of|sack of|bag of|purse of|a few|handful of|scattered|algo de|mucho)\s+(?:\w+\s+)?"
    r"(?:gold|silver|coins?|money|treasure|oro|plata|monedas)\b"
    r"|\b(?:gold|golden|silver)\s+(?:coins|doubloons|ingots|bars|pieces)\b",
    re.IGNORECASE,
)
_GEMS = re.compile(
    r"\b(?:gems?|gemstones?|jewels?|jewell?ery|rub(?:y|ies)|emeralds?|diamonds?|sapphires?|pearls?|opals?|amethysts?|topaz|"
    r"garnets?|turquoise|gemas?|joyas?|rubíes|esmeraldas?|diamantes?|perlas?|bijoux|gemmes?|edelsteine?|gemme|gioielli)\b",
    re.IGNORECASE,
)
_ITEMS = (
    r"swords?|mace|maces|axes?|daggers?|spears?|bows?|arrows?|bolts?|crossbow|hammer|warhammer|flail|glaive|halberd|scimitar|"
    r"trident|whip|staff|rod|wand|rings?|cloak|boots|gloves?|gauntlets?|helm|helmet|shield|armou?r|plate|mail|chainmail|robe|"
    r"amulet|necklace|bracers?|belt|girdle|crown|circlet|scarab|medallion|periapt|brooch|pin|bag|lamp|lantern|orb|gem|stone|"
    r"horn|drums?|flute|pipes|harp|mirror|bowl|cauldron|censer|decanter|bottle|flask|carpet|broom|rope|book|tome|manual|libram|"
    r"deck|cube|ball|crystal|figurine|mask|cape|hat|net|quiver|chime|candle|dust|ointment|salve|oil|philt(?:er|re)|elixir|"
    r"war mask|espada|maza|hacha|daga|lanza|arco|flechas?|vara|varita|bastón|anillo|capa|botas|escudo|armadura|amuleto"
)
_MAGIC = re.compile(
    rf"\b(?:potions?|scrolls?|spell-?books?|grimoire|poci[oó]n(?:es)?|pergaminos?|potions?|parchemins?|trank|tränke|schriftrollen?|pozion[ei]|pergamen[ae])\b"
    rf"|\b(?:magic(?:al)?|enchanted|m[aá]gic[oa]s?|magique|magische[rns]?)\s+(?:[\w'’-]+\s+){{0,2}}(?:{_ITEMS}|items?|objetos?)\b"
    rf"|\b(?:{_ITEMS})\s+(?:of\s+[\w'’-]+\s+)?\+[1-5]\b|\+[1-5]\s+(?:[\w'’-]+\s+){{0,2}}(?:{_ITEMS})\b"
    rf"|\b(?:{_ITEMS})\s+(?:m[aá]gic[oa]s?|de\s+\w+ción)\b"
    rf"|\b(?:{_ITEMS})\s+of\s+(?:the\s+)?(?:slaying|blasting|summoning|healing|protection|wonder|fire|cold|lightning|power|"
    rf"invisibility|flying|levitation|holding|devouring|strength|speed|striking|command|commanding|control|controlling|"
    rf"resistance|detection|polymorph\w*|paraly\w+|wizardry|wishes|telepathy|regeneration|displacement|defense|defence|"
    rf"deception|delusion|magic|negation|fear|sleep|charm\w*|[\w]+ing)\b",
    re.IGNORECASE,
)
_NAMED_BONUS = re.compile(r"\b(?:[A-Z][\w'’-]+\s){1,3}\+[1-5]\b(?!\s?(?:to|hit|bonus|damage))")
_VALUED = re.compile(
    rf"(?:\b(?:worth|valued at|value|valorad[oa]s? en|wert|valant|del valore di)\s+(?:about\s+|around\s+|up to\s+)?{_NUMBER}|[,(]\s?(?:about\s+)?{_NUMBER}\s?{_COIN}(?:\s+each)?)",
    re.IGNORECASE,
)
# What looks like money and is a price, a stake, a wage or a fine.
_PRICE = re.compile(
    r"\b(?:costs?|costing|price[sd]?|pay|pays|paid|paying|fee|toll|fine|wage|reward of|offers? (?:a )?reward|charges?|buy|bought|"
    r"sells? (?:for|them|it)|sell\b|for\s*$|play for|bet|wager|ransom|bribe|per day|a day|per night|offers?|offering|cuesta|precio|paga|pagar)",
    re.IGNORECASE,
)
_PRICE_AFTER = re.compile(
    r"\s*(?:to be paid|per\s|a\s(?:day|night|week|month|head)\b|apiece to|for (?:the|a) (?:job|task|service))",
    re.IGNORECASE,
)
_TREASURE_TYPE = re.compile(
    r"\b[Tt]reasure(?:\s+[Tt]ype)?s?:?\s+(?:[Tt]ype\s+)?([A-V](?:\s?[,+]\s?[A-V])*)\b|\bTT:?\s?([A-V])\b|\bhoard class\s+[IVX]+\b"
)
_NONE = re.compile(r"\b(?:like|no|not|without|nothing|none|empty|sin|ningún|aucun|kein)\b[^.;]{0,24}$", re.IGNORECASE)
_TREASURE_LINE = re.compile(
    r"^(?:treasures?|loot|tesoros?|trésors?|schatz|schätze|tesori)\s*[:.]\s*(.+)$", re.IGNORECASE
)
_SPLIT = re.compile(
    r";\s*|,\s+(?!\d{3}\b)(?!\d+\s?(?:gp|sp|cp|pp|ep|mo|po)\b)(?!worth\b|valued\b|valorad)|\s+(?:and|plus|y|et|und)\s+(?=an?\s|the\s|some\s|\d|un|ein|\+)|\s+as well as\s+"
)
# What introduces an item; the item's own words start after the last of these.
_LEAD = re.compile(
    r"\b(?:hiding|hides?|contain(?:s|ing)?|holds?|holding|(?:is|are)(?!\s+(?:each\s+)?(?:worth|valued))|has|have|including|includes|carries|carrying|wears?|wearing|"
    r"wielding|wields?|guards?|guarding|finds?|reveals?|lies?|full of|contiene[n]?|hay|esconde[n]?|with\s+(?=an?\s))\s*|:\s+",
    re.IGNORECASE,
)
_ASIDE = re.compile(r"\s?\([^()]{30,}\)")
_DETERMINED = re.compile(r"(?:an?|the|his|her|its|their|some|\d|una?|[A-Z])", re.ASCII)
_TOTAL = re.compile(r"\b(?:total|in all|en total)\b", re.IGNORECASE)
_LONGEST_ITEM = 140
# A worth without what it is the worth of; `subject` where a pronoun stands for it.
_BARE_WORTH = re.compile(
    r"(?:(?:(?P<subject>it|they|each|this|these|both|all)\s+)?(?:of (?:it|them|these)\s+)?(?:is|are)\s+(?:each\s+)?|each\s+)?"
    r"(?=(?:worth|valued)\b)",
    re.IGNORECASE,
)
_WHERE = re.compile(
    r"\b(?:in|on|at|under|behind|beside|with|from|by|over|near|into|inside|within|above|below|beneath|between|of|to)\s+$",
    re.IGNORECASE,
)
# A noun phrase as far as its words go: article or number, then words up to a verb, a preposition or a mark.
_NOUN = re.compile(
    r"\b(?:an?|the|his|her|its|their|some|several|one|two|three|four|five|six|seven|eight|nine|ten|eleven|twelve|twenty|\d+)"
    r"(?:\s+(?!(?:is|are|was|were|has|have|remains?|lies?|hangs?|stands?|sits?|rests?|hides?|here|there|in|on|at|under|behind|beside|with|from|"
    r"that|which|who|and|or|to|by|over|near|into)\b)[\w'’-]+){1,5}",
    re.IGNORECASE,
)


def find_treasure(text: str) -> list[str]:
    """Return an area's treasure as printed, in order, each item once."""
    found: list[str] = []
    previous = ""
    for sentence in sentences(without_quotes(text)):
        earlier = previous
        line = _TREASURE_LINE.match(sentence)
        parts = _SPLIT.split(_without_asides(line[1] if line else sentence))
        for before, part in zip(["", *parts], parts, strict=False):
            if part and (item := _item(part)):
                if bare := _BARE_WORTH.match(item):
                    # `A necklace, hidden under the bed, is worth 500 gp`; `It is worth 15 gp`: the noun stands before.
                    noun = _noun(earlier)
                    found = [other for other in found if noun != other]
                    found.append(f"{noun}, {item[bare.end() :]}" if noun else item[bare.end() :])
                    continue
                # `Old wooden throne, elven handiwork, 500gp`: what has no article explains what stands before it.
                apposed = before and not _DETERMINED.match(item) and len(before.split()) <= 4 and not _item(before)
                found.append(f"{before}, {item}" if apposed and part.startswith(item[:8]) else item)
            # What this sentence has said so far; the sentence before counts only until then.
            earlier = f"{earlier}, {part}" if earlier is not previous else part
        previous = sentence
    return list(dict.fromkeys(found))


def _noun(text: str) -> str:
    """The last thing a text names, as printed; what only tells where it is (`under the bed`) is passed over."""
    phrases = [found[0] for found in _NOUN.finditer(text) if not _WHERE.search(text[: found.start()])]
    return phrases[-1] if phrases else ""


def _without_asides(sentence: str) -> str:
    """Drop long asides in brackets that print no value, so their commas do not cut an item."""
    return _ASIDE.sub(lambda aside: aside[0] if _COINS.search(aside[0]) else "", sentence)


def _item(part: str) -> str | None:
    matches = [
        match
        for pattern in (_COINS, _VALUED, _MAGIC, _GEMS, _PLAIN_GOLD, _NAMED_BONUS, _TREASURE_TYPE)
        if (match := pattern.search(part)) is not None
    ]
    if not matches:
        return None
    first = min(match.start() for match in matches)
    last = max(match.end() for match in matches)
    if (
        _TOTAL.search(part[:last])
        or _PRICE_AFTER.match(part, last)
        or _PRICE.search(part[max(0, first - 40) : first])
        or _NONE.search(part[:first])
    ):
        return None
    return _phrase(part, first, last)


def _phrase(part: str, first: int, last: int) -> str:
    """The item's own words: from the word that introduces it to the end of its clause."""
    # Searched in the whole part: `are` before `worth` introduces no item, and only what follows can tell.
    leads = [lead for lead in _LEAD.finditer(part) if lead.end() <= first]
    start = leads[-1].end() if leads else 0
    phrase = part[start:].strip(" .;:,")
    if len(phrase) > _LONGEST_ITEM:
        phrase = part[start : max(last, start + 1)].strip(" .;:,")
    opened, closed = phrase.count("("), phrase.count(")")
    if opened > closed:
        phrase += ")"
    elif closed > opened:
        phrase = phrase.replace(")", "", closed - opened)
    return phrase.removeprefix("and ").strip()
