"""Singular and plural: a creature is printed as `wolf` in a stat block and as `wolves` in the sentence above it.

Words are those of `read_words`: lower case, no accents. Regular and irregular English and Spanish; a few French and Latin
endings that bestiaries use. What does not belong here: translation, synonyms, spelling.
"""

from functools import lru_cache

_IRREGULAR = {
    "mice": ("mouse",),
    "lice": ("louse",),
    "geese": ("goose",),
    "oxen": ("ox",),
    "children": ("child",),
    "people": ("person",),
    "feet": ("foot",),
    "teeth": ("tooth",),
    "dice": ("die",),
    "automata": ("automaton",),
    "phantasmata": ("phantasm",),
    "homunculi": ("homunculus",),
    "sphinges": ("sphinx",),
    "djinn": ("djinni",),
    "efreet": ("efreeti",),
}
# A final -es is an ending after these; after any other letter the e belongs to the word (`ogres`, `rates`).
_SIBILANTS = ("s", "x", "z", "ch", "sh", "o")
_SPANISH_CONSONANTS = ("l", "n", "r", "d", "j", "y")
# Below four letters a final s is part of the word (`gas`, `as`).
_SHORTEST_PLURAL = 4


@lru_cache(maxsize=8192)
def word_forms(word: str) -> frozenset[str]:
    """Return the word and every singular it may be the plural of; two words agree if their forms meet."""
    forms = {word, *_IRREGULAR.get(word, ())}
    if word.endswith("men"):
        forms.add(f"{word[:-3]}man")
    if word.endswith("mice"):
        forms.add(f"{word[:-4]}mouse")
    if len(word) >= _SHORTEST_PLURAL:
        forms |= _regular(word) | _borrowed(word)
    return frozenset(forms)


def _regular(word: str) -> set[str]:
    if not word.endswith("s") or word.endswith("ss"):
        return set()
    forms = {word[:-1]}
    if word.endswith("ies"):
        forms.add(f"{word[:-3]}y")
    if word.endswith("ves"):
        forms |= {f"{word[:-3]}f", f"{word[:-3]}fe"}
    if word.endswith("ces"):
        forms.add(f"{word[:-3]}z")
    if word.endswith("es") and word[:-2].endswith(_SIBILANTS + _SPANISH_CONSONANTS):
        forms.add(word[:-2])
    return forms


def _borrowed(word: str) -> set[str]:
    if word.endswith("i"):
        return {f"{word[:-1]}us", word[:-1]}
    if word.endswith("ae"):
        return {word[:-1]}
    if word.endswith("aux"):
        return {word[:-1], f"{word[:-2]}l"}
    return set()
