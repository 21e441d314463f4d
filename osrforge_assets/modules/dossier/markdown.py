"""The dossier as Markdown: a file a level for the table, and an overview of the module.

Whatever came from the source is escaped; headings, tables and links are ours alone.
"""

from collections.abc import Iterable, Mapping

from osrforge_assets.contracts.dossier import Dossier, DossierArea, DossierDungeon, DossierLevel, LevelStatus
from osrforge_assets.contracts.flags import Flag
from osrforge_assets.contracts.level import Connection, Direction, Encounter
from osrforge_assets.escaping import markdown_inline, markdown_text

GAP_SENTENCES = {
    LevelStatus.ABSENT: "This level has not been read yet: only what the survey lists is shown.",
    LevelStatus.OUTDATED: "This level was read for an older plan and is due again: only what the survey lists is shown.",
}
# A note in a file for the table; the whole list is in the JSON document.
_MOST_NOTES = 200


def level_file_name(dungeon: DossierDungeon, level: DossierLevel) -> str:
    """Return a level's file name: `<dungeon>-level-<n>.md`."""
    return f"{dungeon.id}-level-{level.number}.md"


def level_markdown(dossier: Dossier, dungeon: DossierDungeon, level: DossierLevel) -> str:
    """Return one level as Markdown: a table at a glance, then every area with its pages, then what to check."""
    titles = area_titles(level)
    blocks = [
        f"# {markdown_inline(dungeon.name or dungeon.id)}, level {level.number}",
        _byline(dossier, level),
        GAP_SENTENCES.get(level.status, ""),
        _glance(level),
        *(_area(area, level.number, titles) for area in level.areas),
    ]
    pages = {*level.map_pages, *(page for area in level.areas for page in area.source_pages)}
    notes = [*level.flags, *(flag for flag in dossier.flags if flag.page in pages)]
    if notes:
        blocks += ["## Notes on this level", _notes(notes)]
    return _document(blocks)


def overview_markdown(dossier: Dossier) -> str:
    """Return the module at a glance: pitch, hooks, town, its levels with links, monsters, and what to check."""
    blocks = [
        f"# {markdown_inline(dossier.title or dossier.source_name)}",
        f"*{markdown_inline(dossier.source_name)} · {_count(dossier.source_pages, 'page')}*",
        *_paragraphs(dossier.description),
        *_section("Hooks", _list(dossier.hooks)),
        *_town(dossier),
    ]
    if dossier.dungeons:
        blocks += ["## Levels", _levels_table(dossier)]
    else:
        blocks.append("This source holds no keyed areas.")
    blocks += _section("Monsters", markdown_text(", ".join(dossier.monster_names)))
    blocks += _section("Where two readings differ", _disputes(dossier))
    blocks += _section("Notes", _notes(dossier.flags))
    return _document(blocks)


# Parts of a level ----------------------------------------------------------------------------------------------------


def _byline(dossier: Dossier, level: DossierLevel) -> str:
    parts = [markdown_inline(dossier.title)] if dossier.title.strip() else []
    parts.append(markdown_inline(dossier.source_name))
    if level.map_pages:
        parts.append(f"map on {_pages(level.map_pages)}")
    parts.append(_count(len(level.areas), "area"))
    return f"*{' · '.join(parts)}*"


def _glance(level: DossierLevel) -> str:
    rows = [
        (
            area.source_label or area.key,
            area.name if area.name != area.source_label else "",
            ", ".join(encounter_line(encounter) for encounter in area.encounters),
            "; ".join(area.treasure),
            ", ".join(map(str, area.source_pages)),
        )
        for area in level.areas
    ]
    return _table(("key", "area", "monsters", "treasure", "page"), rows)


def _area(area: DossierArea, level: int, titles: Mapping[str, str]) -> str:
    blocks = [f"## {markdown_inline(area_title(area))}", f"*{area.kind.value} · {_pages(area.source_pages)}*"]
    if area.answered:
        blocks += [
            *_paragraphs(area.description),
            *_labelled("Monsters", _list(encounter_line(encounter) for encounter in area.encounters)),
            *_labelled("Trap", "\n\n".join(_paragraphs(area.trap or ""))),
            *_labelled("Treasure", _list(area.treasure)),
            *_labelled("Features", _list(area.features)),
            *_labelled("Exits", _list(exit_line(connection, level, titles) for connection in area.connections)),
        ]
    else:
        blocks.append("*Not read.*")
    if area.flags:
        blocks.append("\n>\n".join(f"> Check: {markdown_inline(flag.message)}" for flag in area.flags))
    return "\n\n".join(blocks)


def area_title(area: DossierArea) -> str:
    """Return an area's heading: its printed key and its name, whichever it has."""
    label, name = area.source_label.strip().rstrip(".:"), area.name.strip()
    return f"{label}. {name}" if label and name and label != name else label or name or area.key


def area_titles(level: DossierLevel) -> dict[str, str]:
    """Return the headings of a level's areas by key: made once a level, since every exit may name any of them."""
    return {area.key: area_title(area) for area in level.areas}


def encounter_line(encounter: Encounter) -> str:
    """Return a monster with all that is said about its number."""
    counts = [str(encounter.count_fixed)] if encounter.count_fixed is not None else []
    counts += [text for text in (encounter.count_dice, encounter.count_note) if text]
    return f"{encounter.monster} ({', '.join(counts)})" if counts else encounter.monster


def exit_line(connection: Connection, level: int, titles: Mapping[str, str]) -> str:
    """Return a way out in words; an area of the same level is named as its heading names it.

    Args:
        connection: The way out.
        level: Number of the level it leaves from.
        titles: That level's `area_titles`.
    """
    conditions = (("stuck", connection.door_stuck), ("locked", connection.door_locked))
    via = connection.via.value.replace("_", " ") if connection.via.value != "other" else "way"
    way = " ".join([*(word for word, stated in conditions if stated), via])
    lead = f"{connection.direction.value}: " if connection.direction is not Direction.UNKNOWN else ""
    elsewhere = connection.to_level is not None and connection.to_level != level
    if connection.to_key is None:
        return f"{lead}{way}" + (f" to level {connection.to_level}" if elsewhere else "")
    target = connection.to_key if elsewhere else titles.get(connection.to_key, connection.to_key)
    return f"{lead}{way} to {target}" + (f" on level {connection.to_level}" if elsewhere else "")


# Parts of the overview -------------------------------------------------------------------------------------------------


def _town(dossier: Dossier) -> list[str]:
    town = dossier.town
    if not town.name.strip():
        return []
    blocks = [f"## Town: {markdown_inline(town.name)}", *_paragraphs(town.description), _list(town.services)]
    return [block for block in blocks if block]


def _levels_table(dossier: Dossier) -> str:
    head = ("dungeon", "level", "areas", "read", "monsters", "treasure", "to check", "file")
    lines = [_row(head), _row("---" for _ in head)]
    for dungeon in dossier.dungeons:
        for level in dungeon.levels:
            name = level_file_name(dungeon, level)
            counts = (
                level.number,
                len(level.areas),
                sum(area.answered for area in level.areas)
                if level.status is LevelStatus.CURRENT
                else level.status.value,
                sum(len(area.encounters) for area in level.areas),
                sum(len(area.treasure) for area in level.areas),
                len(level.flags) + sum(len(area.flags) for area in level.areas),
            )
            # The one link: its name is made of slugs and a number.
            lines.append(_row([markdown_inline(dungeon.name), *map(str, counts), f"[{name}](levels/{name})"]))
    return "\n".join(lines)


def _disputes(dossier: Dossier) -> str:
    rows = [(dispute.subject, dispute.survey, dispute.census) for dispute in dossier.disputes]
    return _table(("about", "survey", "second reading"), rows) if rows else ""


# Blocks --------------------------------------------------------------------------------------------------------------


def _document(blocks: Iterable[str]) -> str:
    return "\n\n".join(block for block in blocks if block) + "\n"


def _section(title: str, body: str) -> list[str]:
    return [f"## {title}", body] if body else []


def _labelled(label: str, body: str) -> list[str]:
    return [f"**{label}**", body] if body else []


def _paragraphs(text: str) -> list[str]:
    """Return a text's paragraphs, which a blank line parts, each as one escaped line."""
    parts = (markdown_text(part) for part in text.replace("\r\n", "\n").split("\n\n"))
    return [part for part in parts if part]


def _list(items: Iterable[str]) -> str:
    lines = [markdown_text(item) for item in items]
    return "\n".join(f"- {line}" for line in lines if line)


def _notes(flags: Iterable[Flag]) -> str:
    flags = list(flags)
    notes = [f"page {flag.page}: {flag.message}" if flag.page is not None else flag.message for flag in flags]
    if len(notes) > _MOST_NOTES:
        notes = [*notes[:_MOST_NOTES], f"… and {len(notes) - _MOST_NOTES} more in dossier.json"]
    return _list(notes)


def _table(head: tuple[str, ...], rows: Iterable[Iterable[str]]) -> str:
    lines = [_row(head), _row("---" for _ in head)]
    lines += [_row(markdown_inline(cell) for cell in row) for row in rows]
    return "\n".join(lines)


def _row(cells: Iterable[str]) -> str:
    return "| " + " | ".join(cells) + " |"


def _pages(pages: tuple[int, ...]) -> str:
    if not pages:
        return "no page named"
    return f"page {pages[0]}" if len(pages) == 1 else f"pages {', '.join(map(str, pages))}"


def _count(number: int, noun: str) -> str:
    return f"{number} {noun}" if number == 1 else f"{number} {noun}s"
