"""What makes a list of keyed areas: texts of other trades that are numbered like a key, and keys in odd house styles."""

from collections.abc import Callable

import pytest

Keys = Callable[..., list[list[str]]]

OTHER_TEXTS = {
    "an article with numbered sections": (
        "# Wear of stone floors in public halls\n\n## 1. Background\n\nStone floors in entrance halls wear faster near doors. "
        "We measured 14 halls in 1998 and again in 2008.\n\n## 2. Method\n\nIn each hall we measured the floor in the four corners "
        "and in front of every door, as figure 2 shows.\n\n## 3. Results\n\nOur results show that halls with two doors wear twice "
        "as fast (see table 1). Participants entered through the north door.\n\n## 4. Discussion\n\nThis study did not measure "
        "stairs. We found no statistically significant difference between limestone and slate floors."
    ),
    "a report with lettered headings": (
        "# Office safety report\n\n## A. FIRE EXITS\n\nCheck every exit. Is each door free? Who holds the key of the store room?\n\n"
        "## B. LIGHTING\n\nAre the corridors lit? Do the lamps in the stairs work?\n\n## C. TRAINING\n\nWhen was the last drill? "
        "Did everybody leave the rooms?\n\n## D. FIRST AID\n\nWhere is the chest kept? Is it full?"
    ),
    "a study with lettered headings and no questions": (
        "# Healthy home\n\n#### A. BEDROOM CLIMATE\n\nAir the room twice a day and keep the window ajar at night.\n\n"
        "#### B. FOOD\n\nEat at the table and not in bed.\n\n#### C. MOVEMENT\n\nWalk up the stairs.\n\n#### D. REST\n\nSleep."
    ),
    "a recipe": (
        "# Stone oven bread\n\n1. Preheat the oven with a stone on its floor.\n\n2. Mix the flour and the water in a large bowl "
        "on the table.\n\n3. Cover the bowl and leave it in a warm corner of the kitchen.\n\n4. Fold the dough over the bench.\n\n"
        "5. Bake for forty minutes on the stone, with the door closed."
    ),
    "a rules chapter with numbered headings": (
        "# The Art of the Delve\n\n## 1. Movement\n\nA character moves 120' in a dungeon turn. Each character may search a room.\n\n"
        "## 2. Doors\n\nThe player rolls a d6 to force a stuck door. The referee rolls for secret doors in a corridor.\n\n"
        "## 3. Light\n\nA torch lights 30'. A character must carry it in a hand.\n\n## 4. Traps\n\nA thief may find a pit trap. "
        "The referee decides where the pit is."
    ),
    "a gamebook": (
        "# The Warlock's Stair\n\n**1** You stand in a hall before two doors. If you open the north door, turn to 3. If you climb "
        "the stairs, turn to 2.\n\n**2** The stairs end in a small room with a chest. To open it turn to 4.\n\n**3** The corridor is "
        "dark. Go to 4.\n\n**4** A pit opens in the floor. Your adventure ends here."
    ),
    "the middle of a gamebook without a link in sight": (
        "# 9\n\nThe long way leads over the hill in the rain and nobody speaks until the evening comes and the fire burns.\n\n"
        "# 10\n\nMorning. The old man is gone and has taken the bread, the lamp and the two blankets along with him."
    ),
    "a contents page": (
        "# The Halls of Night\n\n1. The Gatehouse ..... 4\n\n2. The Great Hall ..... 6\n\n3. The Crypts ..... 9\n\n"
        "4. The Throne Room ..... 12\n\n5. The Vault ..... 15"
    ),
    "an index": (
        "# Index\n\naltar 12, 14\n\ncrypt 3, 8\n\ndoors 2, 4–6\n\nhall 3\n\nstairs 9, 11\n\n12 rooms 5, 7\n\n14 vaults 8"
    ),
    "a checklist": (
        "# Before you lock up\n\n1. Check the door of the cellar.\n\n2. Turn off the lights in the hall.\n\n3. Close every window "
        "in the office.\n\n4. Wipe the table in the kitchen.\n\n5. Lock the front door."
    ),
    "a contract": (
        "# Lease\n\n## 1. The premises\n\nThis agreement covers the rooms on the ground floor and the cellar.\n\n## 2. The rent\n\n"
        "The rent is due under this agreement on the first day.\n\n## 3. The keys\n\nUnder this section the tenant receives "
        "two keys to the entrance door.\n\n## 4. Repairs\n\nThis section covers walls, floors and doors."
    ),
    "a table of spells with numerals": (
        "# Grimoire\n\nI. Hold Portal. The caster holds one door for 2d6 turns.\n\nII. Knock. Range: 60'. Opens one lock.\n\n"
        "III. Passwall. Opens a way through a wall for three turns."
    ),
}  # fmt: skip

HOUSE_STYLES = {
    "letters and numbers in bold, then a colon": (
        "# Barrow of the Grey Kin\n\n**K1: Mouth.** A low passage leads north to K2.\n\n**K2: Antechamber.** Four pillars hold up "
        "the ceiling.\n\n**K3: Grave.** A stone coffin, its lid broken.\n\n**K4: Well.** A shaft 30' deep."
    ),
    "an area word before each number": (
        "# The Salt House\n\nArea 1: Landing. A rotten jetty.\n\nArea 2: Store. Barrels of brine along the walls.\n\n"
        "Area 3: Office. A desk and a locked chest."
    ),
    "numbers in brackets": (
        "# Tower of Wen\n\n(1) Gate. An oak gate, barred from inside.\n\n(2) Hall. A round hall 30' across.\n\n"
        "(3) Stairs. Worn steps lead up.\n\n(4) Loft. Pigeons nest on the beams."
    ),
    "roman numerals as headings": (
        "# The Five Cells\n\n## I. Entrance\n\nA grate in the floor.\n\n## II. Guardroom\n\nTwo beds and a table.\n\n"
        "## III. Cell\n\nA barred door, locked.\n\n## IV. Oubliette\n\nA pit 20' deep."
    ),
    "letters as headings": (
        "# The Fen Chapel\n\n## A. Porch\n\nA broken gate.\n\n## B. Nave\n\nPews and dust in the long hall.\n\n## C. Crypt\n\n"
        "Stairs lead down to three tombs.\n\n## D. Bell tower\n\nA ladder leads up."
    ),
    "numbers padded with the level's": (
        "# The Sunken Works\n\n**01.01 Lock.** A bronze door.\n\n**01.02 Pump room.** A room full of pipes.\n\n"
        "**01.03 Cistern.** A pool, 10' deep."
    ),
    "a level that starts at 21": (
        "# Lower Works\n\n## Level 2\n\n**21. Landing.** Stairs lead up.\n\n**22. Forge.** A cold hearth and an anvil.\n\n"
        "**23. Slag heap.** A cave of cinders.\n\n**24. Bellows room.** Leather rots on the floor."
    ),
    "questions that the referee answers": (
        "# The Riddle House\n\n**1. Porch.** Who knocks at the door? A voice asks from inside the hall.\n\n**2. Hall.** A round room "
        "with a mirror on the north wall.\n\n**3. Study.** Books, a desk and a chest.\n\n**4. Cellar.** Wine racks line the walls."
    ),
    "instructions in one room of many": (
        "# The Clock Tower\n\n**1. Door.** An iron door.\n\n**2. Works.** Turn the wheel and the stairs move.\n\n"
        "**3. Bell room.** A bell hangs from a beam.\n\n**4. Roof.** A ladder leads to the roof."
    ),
}  # fmt: skip


THREE = ("an area word before each number", "numbers padded with the level's")
KEYS = {HOUSE_STYLES[style]: 3 for style in THREE}


@pytest.mark.parametrize("text", OTHER_TEXTS.values(), ids=OTHER_TEXTS.keys())
def test_what_is_numbered_for_another_purpose_holds_no_keyed_area(keys_of: Keys, text: str):
    assert keys_of(text) == []


@pytest.mark.parametrize("text", OTHER_TEXTS.values(), ids=OTHER_TEXTS.keys())
def test_the_same_texts_hold_none_where_earlier_pages_were_read(keys_of: Keys, text: str):
    assert keys_of("# Cover", "", text) == []


@pytest.mark.parametrize("text", HOUSE_STYLES.values(), ids=HOUSE_STYLES.keys())
def test_a_small_key_is_found_in_any_house_style(keys_of: Keys, text: str):
    (level,) = keys_of(text)
    assert len(level) == KEYS.get(text, 4)


@pytest.mark.parametrize("text", HOUSE_STYLES.values(), ids=HOUSE_STYLES.keys())
def test_a_text_of_another_trade_beside_a_key_changes_nothing(keys_of: Keys, text: str):
    assert keys_of(text, OTHER_TEXTS["a recipe"], OTHER_TEXTS["a rules chapter with numbered headings"]) == keys_of(
        text
    )
