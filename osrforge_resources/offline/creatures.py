"""A lexicon of creatures of folklore and fantasy, and how their names are inflected.

General names only. A creature of a module's own invention is found by its stat block (`stat_blocks.py`), not here.
"""

from functools import lru_cache

_CREATURES = """
aboleth acolyte air-elemental alligator amazon ancestor angel animal ant ape apparition archer army-ant assassin automaton
axe-beak baboon badger bandit banshee barbarian bard basilisk bat bear beast bee beetle behemoth behir berserker bird
blob boar boggart bogeyman brigand brownie buccaneer bugbear bull bull-man burglar butler captain cat caveman centaur
centipede champion changeling chimera chimaera chieftain cleric cobra cockatrice colossus construct corpse-eater
crab crawler crocodile crow cultist cyclops deer demon deodand derro devil dinosaur djinni dog doppelganger doppelgänger
dragon drake drow druid dryad duergar dwarf eagle eel efreeti elemental elephant elf enchanter ettercap ettin executioner
fairy faun fiend fighter fire-beetle fish fisherman fly fox frog fungus gargoyle gelatinous-cube genie ghast ghost ghoul
giant girl boy gnoll gnome goat goblin golem gorgon gorilla gremlin griffin griffon guard guardian guardsman hag halfling
harpy hawk hellhound hell-hound hermit hippogriff hobgoblin hobbit homunculus horse horror hound human hunter hydra hyena
imp insect jackal jackalwere jailer jester kenku kobold knight kraken lamia larva leech lemure leopard leprechaun lich
lion lizard lizard-man lizardman locust lurker lycanthrope mage magic-user manticore mammoth man-at-arms medium
medusa mercenary merman merfolk mermaid mimic minion minotaur mole monk monkey monster mosquito moth mule mummy mushroom-man
mycelian mykonid myconid naga necromancer neanderthal nightmare nixie nomad nymph octopus ogre ooze orc otyugh owl owlbear
owl-bear ox panther peacock pegasus phantom phase-spider piercer pig pilgrim pirate pixie plant poltergeist pony priest
priestess prisoner pseudodragon pudding python pterodactyl ranger rat ratman raven reaver revenant rhinoceros robber roc
rogue rot-grub rust-monster salamander sahuagin satyr scorpion scout sea-serpent sentry serpent servant shade
shadow shaman shark shrew shrieker siren skeleton slave slaver slime slug smuggler snail snake snakeman sorcerer sorceress
spectre specter sphinx spider spirit sprite squid squirrel stag stirge strangle-vine swine tengu thief thoul thug
tick tiger toad treant tritone triton troglodyte troll trooper turtle undead unicorn vampire vermin veteran viper
vulture warden warlock warrior wasp watchman weasel werebear wererat weretiger werewolf wereboar whale wight weird
will-o-wisp witch wizard wolf wolverine woman man worm wraith wretch wyrm wyvern yeti zombie zombi
cave-bear black-pudding gray-ooze grey-ooze green-slime yellow-mould yellow-mold carrion-crawler purple-worm bone-golem
librarian alchemist torturer overseer henchman deserter raider marauder outlaw ruffian knave footpad ghost-ship mutant
robot cyborg alien clone android abomination homonculus drider illithid beholder dinosauroid nothic quasit
ratfolk birdman frogman frogling toadman fishman lizardfolk serpentfolk snakefolk beastman beastfolk mongrelman morlock
jermlaine xvart kuo-toa bullywug grimlock quickling redcap barghest worg warg winter-wolf direwolf dire-wolf blink-dog
displacer wyrmling cambion succubus incubus erinyes hezrou dretch vrock lurker-above trapper cloaker darkmantle roper
trasgo orco esqueleto rata araña lobo ogro trol dragón bandido murciélago vampiro fantasma espectro momia necrófago gul
brujo bruja mago cultista soldado guardia ladrón pirata serpiente cocodrilo simio mono ninja gárgola demonio diablo
hombre-lagarto gigante elfo enano mediano gnomo duende hada sirena escorpión ciempiés gusano babosa zombi
squelette loup araignée orque chauve-souris fantôme brigand troll bandit
ork skelett ratte spinne riese geist vampir wolf räuber drache gespenst
coboldo scheletro ratto ragno lupo orchetto drago vampiro
"""

# Plurals that no rule gives.
_PLURALS = {
    "wolves": "wolf", "dwarves": "dwarf", "dwarfs": "dwarf", "elves": "elf", "thieves": "thief", "mice": "mouse",
    "men": "man", "women": "woman", "children": "child", "lice": "louse", "oxen": "ox", "geese": "goose",
    "werewolves": "werewolf", "direwolves": "direwolf", "lizardmen": "lizardman", "ratmen": "ratman", "mermen": "merman",
    "cavemen": "caveman", "guardsmen": "guardsman", "watchmen": "watchman", "fishermen": "fisherman", "beastmen": "beastman",
    "snakemen": "snakeman", "frogmen": "frogman", "birdmen": "birdman", "toadmen": "toadman", "fishmen": "fishman",
    "mongrelmen": "mongrelman", "henchmen": "henchman", "men-at-arms": "man-at-arms", "lizard-men": "lizard-man",
    "mushroom-men": "mushroom-man", "djinn": "djinni", "efreet": "efreeti", "fungi": "fungus", "larvae": "larva",
    "octopi": "octopus", "homunculi": "homunculus", "succubi": "succubus", "incubi": "incubus", "shamans": "shaman",
    "medusae": "medusa", "harpies": "harpy", "mummies": "mummy", "fairies": "fairy", "priests": "priest", "flies": "fly",
    "ponies": "pony", "pixies": "pixie", "zombies": "zombie", "stirges": "stirge", "trolls": "troll", "cyclopes": "cyclops",
    "liches": "lich", "witches": "witch", "leeches": "leech", "banshees": "banshee", "foxes": "fox", "finches": "finch",
    "dragones": "dragón", "ladrones": "ladrón", "escorpiones": "escorpión", "sheep": "sheep",
}  # fmt: skip

# Pages repeat their words: with a cache the lexicon costs a quarter of what it does without.
LEXICON = frozenset(_CREATURES.split())

# Creatures that are more often something else in a room (`a shadow falls`, `fly agaric`, `potted plant`): only a figure, dice or
# a stat block makes them an occupant.
AMBIGUOUS = frozenset(
    """
    shadow spirit plant shade horror fly fish deer mole slime fungus nightmare monster animal insect beast man woman
    crow fox owl vermin creature construct crawler worm larva angel ancestor servant slave captain champion colossus
    phantom horse mule pony ox goat pig bull bee moth prisoner mono
    """.split()
)

# Roles that follow a creature's name as part of it: `orc guard`, `goblin chief`.
ROLES = frozenset(
    """
    guard guards chief chieftain king queen leader captain sergeant shaman priest priestess witch-doctor alchemist
    archer warrior soldier sentry scout hunter champion boss lord lady lieutenant wizard mage sorcerer assassin
    thief slave servant cook smith jailer torturer guardian warden raider brute veteran acolyte cultist berserker
    knight elder youth spawn overseer miner worker officer commander wolf-rider rider handler trainer drummer matron
    mother monk pirate warlord general bodyguard prisoner hulk swarm workers soldiers warriors archers sentries
    scouts hunters priests miners slaves servants raiders cultists knights riders pirates bodyguards prisoners
    hermit noble sage merchant trader bandit shopkeeper druid ranger bard
    """.split()
)

# Modifiers that make another kind of creature; any other adjective is left out of the name.
KINDS = frozenset(
    """
    giant dire huge war cave bone wooden iron stone bronze clay flesh crystal amber straw skeletal undead vampire
    vampiric fire frost hill storm cloud sea swamp forest mountain snow winter black white red green blue gold
    golden silver brass copper grey gray yellow brown purple normal common wild cave-dwelling poisonous venomous
    killer vampire-bat evil-eyed lesser greater elder ancient young baby higher degenerate uplifted intelligent
    mutant spectral ghostly phantom shadow two-headed three-headed four-armed carrion fungal cursed possessed
    animated living rabid feral albino cave wererat crab spitting boring tiger pit rock tunnel marsh river wood
    water earth air magma ice bat insect snake rat wolf spider zombie goblin orc ghoul minor major monstrous large
    small tiny great blind draconic demonic infernal robot zombified gigante gigantes gigantesca gigantescas
    no-muerto marino marina salvaje salvajes géant géants
    """.split()
)
# Spanish and French put the kind after the name.
AFTER_KINDS = frozenset(
    """
    gigante gigantes gigantesca gigantescas géant géante géants géantes marino salvaje salvajes
    """.split()
)


@lru_cache(maxsize=8192)
def singular(word: str) -> str:
    """Return the singular of a creature's head word, the word itself where it is singular already."""
    lower = word.lower()
    if lower in _PLURALS:
        return _PLURALS[lower]
    if lower in LEXICON:
        return lower
    for ending, instead in (("ies", "y"), ("ves", "f"), ("es", ""), ("s", ""), ("x", "")):
        stem = lower[: -len(ending)] + instead
        if lower.endswith(ending) and stem in LEXICON:
            return stem
    # A name outside the lexicon: only the regular plural can be undone without guessing.
    return lower[:-1] if lower.endswith("s") and not lower.endswith(("ss", "us", "is")) and len(lower) > 3 else lower


@lru_cache(maxsize=8192)
def is_creature(word: str) -> bool:
    """Return whether a word is a creature of the lexicon, singular or plural."""
    lower = word.lower()
    return lower in _PLURALS or singular(lower) in LEXICON


def is_plural(word: str) -> bool:
    """Return whether a creature word is a plural."""
    lower = word.lower()
    return singular(lower) != lower


def kind_key(name: str) -> str:
    """Return a creature's name for comparing mentions: lower case, its last word in the singular."""
    words = name.lower().split()
    return " ".join([*words[:-1], singular(words[-1])]) if words else ""
