"""The same module in several languages has the same structure."""

from collections.abc import Callable
from typing import Any

import pytest

TWINS = {
    "English": (
        "# The Old Mine\n\n## Level 1\n\n**1. Entrance.** A dark hall. A door leads north to area 2.\n\n"
        "**2. Guard room.** Three skeletons (AC 7, HD 1) guard a chest with 120 gp.\n\n**2a. Niche.** A small room.\n\n"
        "## Level 2\n\n**1. Well.** Stairs lead up to level 1. The walls are wet.\n\n**2. Crypt.** A stone coffin."
    ),
    "Spanish": (
        "# La vieja mina\n\n## Nivel 1\n\n**1. Entrada.** Una sala oscura. Una puerta conduce al norte a la sala 2.\n\n"
        "**2. Cuerpo de guardia.** Tres esqueletos (CA 7, DG 1) guardan un cofre con 120 mo.\n\n"
        "**2a. Nicho.** Una sala pequeña.\n\n## Nivel 2\n\n**1. Pozo.** Una escalera sube al nivel 1. Las paredes gotean.\n\n"
        "**2. Cripta.** Un ataúd de piedra."
    ),
    "German": (
        "# Die alte Mine\n\n## Ebene 1\n\n**1. Eingang.** Eine dunkle Halle. Eine Tür führt nach Norden zu Raum 2.\n\n"
        "**2. Wachraum.** Drei Skelette (RK 7, TW 1) bewachen eine Truhe mit 120 GM.\n\n**2a. Nische.** Ein kleiner Raum.\n\n"
        "## Ebene 2\n\n**1. Brunnen.** Eine Treppe führt hinauf zu Ebene 1. Die Wände sind nass.\n\n**2. Gruft.** Ein Sarg."
    ),
    "French": (
        "# La vieille mine\n\n## Niveau 1\n\n**1. Entrée.** Une salle sombre. Une porte mène au nord vers la salle 2.\n\n"
        "**2. Corps de garde.** Trois squelettes (CA 7, DV 1) gardent un coffre avec 120 po.\n\n"
        "**2a. Niche.** Une petite salle.\n\n## Niveau 2\n\n**1. Puits.** Un escalier monte au niveau 1. Les murs suintent.\n\n"
        "**2. Crypte.** Un cercueil de pierre."
    ),
}


@pytest.mark.parametrize("text", TWINS.values(), ids=TWINS.keys())
def test_a_module_has_the_structure_of_its_english_twin(survey: Callable[..., dict[str, Any]], text: str):
    (dungeon,) = survey(text)["dungeons"]
    assert [(level["number"], [area["key"] for area in level["areas"]]) for level in dungeon["levels"]] == [
        (1, ["1", "2", "2a"]),
        (2, ["1", "2"]),
    ]
