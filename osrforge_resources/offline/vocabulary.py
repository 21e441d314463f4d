"""The words that tell places from lists: what rooms are made of, what heads a table, how levels are named.

General words of the genre in English, with the structure words of Spanish, French, German and Italian. No word here
comes from one module.
"""

import re


def words(*alternatives: str) -> re.Pattern[str]:
    """Return a pattern that finds any of the alternatives (given with `|` or apart) as whole words, in any case."""
    return re.compile(rf"(?<!\w)(?:{'|'.join(alternatives)})(?!\w)", re.IGNORECASE)


# A name or first sentence with one of these is about a place.
PLACE_WORDS = words(
    "rooms?|chambers?|halls?|hallways?|caves?|caverns?|grotto|corridors?|passages?|passageway|tunnels?|crypts?|tombs?",
    "vaults?|cells?|stairs?|stairway|staircase|steps|shafts?|pits?|gallery|library|kitchens?|pantry|larder|armou?ry",
    "barracks|guardrooms?|guard post|guardhouse|shrine|temple|chapel|altar|sanctum|sanctuary|throne|dungeon|prison|jail",
    "laborator(?:y|ies)|workshop|smithy|forge|store|stores|storeroom|storage|store-?house|closet|cellars?|attic|loft|tower",
    "turret|gate|gatehouse|entrance|entry|entryway|exit|foyer|vestibule|antechamber|anteroom|lobby|parlou?r|study|office",
    "bedrooms?|bedchamber|dormitory|quarters|bath|baths|bathhouse|latrine|privy|courtyard|yard|garden|well|pool|pond|lake",
    "shore|river|stream|bridge|ledge|cliff|chasm|crevasse|den|lair|nest|warren|burrow|mine|quarry|bin|stables?|barn",
    "niche|alcove|balcony|terrace|roof|pen|pens|kennels?|burial|sepulchre|mausoleum|ossuary|catacombs?|museum|theat(?:er|re)",
    "arena|pantheon|oratory|scriptorium|observatory|treasury|refectory|dining|cloister|nave|aisle|apse|sacristy|deck|cabin",
    "hold|galley|hut|cottage|house|inn|tavern|mill|ruins?|camp|clearing|grove|outside|landing|junction|intersection",
    "crossroads?|waterfall|spring|fountain|cistern|sewer|drain|aerie|harbou?r|shipyard|square|alley|swamp|beach|jungle|hollow",
    "salas?|habitaci[oó]n|estancia|c[aá]mara|pasillo|corredor|t[uú]nel|cripta|tumba|b[oó]veda|celda|escaleras?|cocina",
    "despensa|almac[eé]n|armer[ií]a|templo|capilla|trono|mazmorra|biblioteca|taller|s[oó]tano|torre|entrada|salida|patio",
    "pozo|puente|guarida|mina|vest[ií]bulo|dormitorio|muelle|taberna|plaza|callej[oó]n|pantano|playa|selva|cueva|gruta",
    "salle|pièce|chambre|couloir|tombeau|caveau|cellule|escalier|cuisine|cave|grotte|tour|entrée|puits|pont|repaire",
    "raum|zimmer|kammer|halle|gang|höhle|gruft|grab|zelle|treppe|küche|keller|turm|eingang|brunnen|brücke|lager|saal",
    "stanza|sala|corridoio|cunicolo|tomba|cella|scala|scale|cucina|cantina|ingresso|pozzo|ponte|tana",
)

# What stands in places and leads out of them; weaker, but lists of spells and rumours rarely hold it.
FIXTURE_WORDS = words(
    "doors?|doorway|walls?|floor|ceiling|corners?|ground|middle|campfire|archway|portal|portcullis|ladder|pillars?|columns?|statues?|chests?|table|tables",
    "beds?|cots|bench|benches|shelves|desk|barrels?|casks?|crates?|tub|rubble|debris|fireplace|hearth|braziers?|torches",
    "mosaic|tapestry|painting|mural|carving|fresco|graffiti|murals|sarcophagus|coffin|basin|lever|rug|carpet|pentagram",
    "lectern|cage|chains|bones|skulls|trunk|strongbox|safe|corpse|corridor|north|south|east|west|northern|southern|eastern",
    "western|puertas?|pared|paredes|suelo|techo|columnas?|estatuas?|cofre|mesa|norte|sur|oeste|porte|mur|coffre",
    # `est`, `este` and `sol` are east and floor, but oftener `is`, `this` and `sun`; Latin filler text is full of `est`.
    "nord|sud|ouest|tür|wand|boden|truhe|norden|süden|osten|westen|porta|parete|pavimento|forziere|ovest",
)

DIMENSIONS = re.compile(
    r"\d+\s?['′’]\s?(?:x|×|by)\s?\d+|\d+\s?[x×]\s?\d+|\d+\s?(?:'|′|ft\b|feet\b|foot\b|paces\b|metres\b)"
)

# Headings and lead-ins of lists that number other things than places.
LIST_WORDS = words(
    "wandering|random|encounters?|encounter table|rumou?rs?|hooks?|legends?|tables?|contents|index|appendix|glossary|names",
    r"steps?|procedure|rules?|spells?|spellbook|equipment|gear|weapons?|armou?r list|treasure table|magic items|licen[cs]e",
    "credits?|acknowledg\\w*|bibliography|references|notes|events?|timeline|scenes?|effects?|reactions?|weather",
    "mutations?|results?|roster|cast|npcs?|characters?|monsters|bestiary|new monsters|pregens?|pregenerated|questions?",
    r"hirelings?|retainers?|quests?|missions?|objectives?|factions?|rolls?|[1-9]?\d?d(?:4|6|8|10|12|20|30|66|100|%)|d%",
    "errantes?|aleatori[oa]s?|encuentros?|rumores|ganchos?|tablas?|[ií]ndice|ap[eé]ndice|nombres|pasos|reglas|hechizos",
    "conjuros|equipo|armas|licencia|cr[eé]ditos|bibliograf[ií]a|eventos?|escenas?|personajes|monstruos|misiones",
    "errants?|aléatoires?|rencontres?|rumeurs?|tableau|sommaire|annexe|règles|sorts|événements|scènes?|personnages",
    "zufalls\\w*|wandernde|begegnungen|gerüchte|tabelle|inhalt|anhang|namen|regeln|zauber|ereignisse|szenen|personen",
    "casuali|incontri|voci|tabella|indice|appendice|nomi|regole|incantesimi|eventi|scene|personaggi",
)

# Of these, the ones that now and then stand over a key all the same (`Encounters`, `Notes on level 1`).
WEAK_LIST_WORDS = words(
    "encounters?|events?|notes|effects?|characters?|npcs?|monsters|names|scenes?|missions?|quests?|factions?|weapons?|gear|"
    "encuentros?|eventos?|escenas?|personajes|monstruos|misiones|rencontres?|scènes?|begegnungen|szenen|incontri|scene"
)
TOWN_WORDS = words(
    "village|town|hamlet|city|settlement|township|pueblo|aldea|villa|ciudad|village|ville|dorf|stadt|villaggio|città"
)
SERVICE_WORDS = words(
    "inn|tavern|alehouse|smith|smithy|blacksmith|forge|shop|store|market|temple|church|chapel|shrine|stables?|mill|miller|baker|"
    "bakery|butcher|tailor|healer|apothecary|herbalist|trader|merchant|guild|guildhall|town hall|house|cottage|farm|ferry|"
    "barracks|posada|taberna|herrer[ií]a|tienda|mercado|templo|iglesia|casa|auberge|taverne|forgeron|gasthaus|schmied"
)

# Headings over the key itself.
KEY_WORDS = words(
    "keys?|keyed|key to|areas?|rooms?|locations?|chambers?|room descriptions?|descriptions?|levels?|floor|dungeons?|caves?",
    "map key|map|encounter areas?|encounter key|salas|habitaciones|localizaciones|lugares|estancias|zonas|nivel|mapa",
    "mazmorra|salles|pièces|lieux|niveau|räume|orte|ebene|bereiche|stanze|luoghi|livello|aree",
)
# `Encounter areas`, `Encounter key`: an old name of the key, although `Encounters` alone heads a table.
ENCOUNTER_KEY = words("encounter areas?|encounter key|keyed encounters?|set encounters?")

# Subheadings inside an area; they never end it and are never an area.
FACET_WORDS = re.compile(
    r"(?:the\s+)?(?:treasures?|traps?|creatures?|monsters?|encounters?|exits?|connections?|conexiones|connexions|features?|"
    r"development|tactics|secrets?|hazards?|loot|contents|inhabitants|occupants?|npcs?|clickable items|description|"
    r"read[- ]aloud|dm notes?|gm notes?|referee'?s? notes?|lighting|sounds?|smells?|first impressions?|investigation|"
    r"tesoros?|trampas?|criaturas?|salidas?|monstruos?|trésors?|pièges?|sorties?|schätze|schatz|fallen?|ausgänge|tesori|"
    r"trappole?|uscite?)(?:\s*[:.].*)?",
    re.IGNORECASE,
)

WANDERING_LEAD = re.compile(
    r"(?:(?:wandering|random)\s+(?:monsters?|encounters?|events?)|encuentros\s+aleatorios|monstruos\s+errantes|"
    r"monstres\s+errants|rencontres\s+aléatoires|zufallsbegegnungen|wandernde\s+monster|incontri\s+casuali|"
    r"mostri\s+erranti)\b",
    re.IGNORECASE,
)

LICENCE_WORDS = words(
    "open game (?:content|licen[cs]e|material)|product identity|contributors?|licen[cs]or|licen[cs]ed material|hereby",
    "copyright notice|creative commons|attribution|warranty|royalty-free|trademarks?|jurisdiction",
)
GAMEBOOK_WORDS = re.compile(
    r"\b(?:turn|go|return|proceed|jump)\s+(?:back\s+)?to\s+(?:section\s+|paragraph\s+|page\s+|entry\s+)?\d+"
    r"|\b(?:ve|pasa|vete|dirígete|rendez-vous|va|vai)\s+(?:al|a la|au|à la|a)\s+(?:sección\s+|párrafo\s+)?\d+"
    r"|\b(?:lies|weiter)\s+(?:weiter\s+)?(?:bei|mit|auf)\s+\d+",
    re.IGNORECASE,
)
# An entry that opens like the row of an encounter table.
TABLE_ROW_LEAD = re.compile(
    r"(?:\d+d\d+|\d+\s?[-–—]\s?\d+|\d+)\s+\w|[\w' -]{2,40}\(\s?(?:\d*d\d+(?:[+-]\d+)?|\d+\s?[-–—]\s?\d+|\d{1,3})\s?\)"
    r"|[\w' ,-]{2,40}[,:(]\s?(?:AC|HD|CA|DV)\b",
    re.IGNORECASE,
)
TRUTH_MARK = re.compile(
    r"\((?:true|false|t|f|partly true|half[- ]true|verdadero|falso|v|vrai|faux|wahr|falsch)\.?\)", re.IGNORECASE
)
LEADER = re.compile(r"(?:\.\s?){4,}|…{2,}|\s\d{1,3}$")

CONNECTIONS_LINE = re.compile(
    r"(?:con+ec{1,2}?t?c?tions?|connections?|conexi[oó]n(?:es)?|connexions?|exits?|salidas?|sorties?|verbindungen|ausgänge|"
    r"collegamenti|uscite)\s*:\s*(?=\S)",
    re.IGNORECASE,
)

_ORDINALS = {
    "first": 1, "second": 2, "third": 3, "fourth": 4, "fifth": 5, "sixth": 6, "seventh": 7, "eighth": 8, "ninth": 9,
    "tenth": 10, "one": 1, "two": 2, "three": 3, "four": 4, "five": 5, "six": 6, "seven": 7, "eight": 8, "nine": 9,
    "ten": 10, "primer": 1, "primero": 1, "primera": 1, "segundo": 2, "segunda": 2, "tercer": 3, "tercero": 3,
    "tercera": 3, "cuarto": 4, "cuarta": 4, "quinto": 5, "quinta": 5, "premier": 1, "première": 1, "deuxième": 2,
    "second niveau": 2, "troisième": 3, "quatrième": 4, "erste": 1, "zweite": 2, "dritte": 3, "vierte": 4, "primo": 1,
    "prima": 1, "secondo": 2, "seconda": 2, "terzo": 3, "terza": 3, "i": 1, "ii": 2, "iii": 3, "iv": 4, "v": 5, "vi": 6,
    "vii": 7, "viii": 8, "ix": 9, "x": 10,
}  # fmt: skip
_LEVEL_NOUN = r"(?:levels?|floors?|storey|deck|tier|nivel|piso|planta|niveau|étage|ebene|stockwerk|stufe|livello|piano)"
_ORDINAL_WORDS = "|".join(sorted(map(re.escape, _ORDINALS), key=len, reverse=True))
_NUMBERED_LEVEL = re.compile(
    rf"(?<!\w)(?:(?P<noun>{_LEVEL_NOUN})\s*(?:#|no\.?\s?)?(?P<after>\d{{1,2}}|{_ORDINAL_WORDS})(?!\w)"
    rf"|(?P<before>\d{{1,2}}(?:st|nd|rd|th|º|ª|°|\.|er|e|ème)?|{_ORDINAL_WORDS})\s+(?P<noun2>(?:dungeon\s+)?{_LEVEL_NOUN})(?!\w))",
    re.IGNORECASE,
)
_NAMED_LEVEL = re.compile(
    r"(?<!\w)(?:(?:upper|lower|ground|bottom|top|main|deepest|middle|dungeon)\s+(?:levels?|floors?|storey|tier|works)"
    r"|basement|attic|sub-?level|planta\s+(?:baja|alta)|sótano|(?:nivel|piso|planta)\s+(?:superior|inferior)"
    r"|rez-de-chaussée|sous-sol|erdgeschoss|obergeschoss|untergeschoss|pian\s?terreno|seminterrato)(?!\w)",
    re.IGNORECASE,
)
# `for characters of level 3` and `levels 1-3` speak of characters, not of places.
_CHARACTER_LEVEL = re.compile(
    r"characters?|player|pcs|party|heroes|adventurers?|personajes|personnages|charaktere|personaggi|levels?\s*\d+\s*(?:[-–—]|to|through)\s*\d",
    re.IGNORECASE,
)


def level_number(heading: str) -> int | None:
    """Return the dungeon level a heading names by number (`LEVEL 2`, `Second level`, `Nivel 2`), None if it names none."""
    if _CHARACTER_LEVEL.search(heading):
        return None
    match = _NUMBERED_LEVEL.search(heading)
    if match is None:
        return None
    said = (match["after"] or match["before"]).lower()
    number = _ORDINALS.get(said) or int(re.sub(r"\D", "", said) or 0)
    return number or None


def names_level(heading: str) -> bool:
    """Return whether a heading names a level at all, by number or by place (`Basement`, `Upper level`)."""
    return level_number(heading) is not None or bool(_NAMED_LEVEL.search(heading))


def without_level(heading: str) -> str:
    """Return what a heading says beside the level (`The cellar, level 1: areas 1 to 4` → `The cellar`)."""
    match = _NUMBERED_LEVEL.search(heading) or _NAMED_LEVEL.search(heading)
    if match is None:
        return heading.strip()
    before = heading[: match.start()].strip(" ,:;–—-(")
    after = re.sub(
        r"^[^\w]*(?:areas?|rooms?|keys?|of|de|du|von|di)?\b[\s\d–—-]*(?:to\s+\d+)?", "", heading[match.end() :]
    ).strip(" ,:;–—-()")
    return before or after
