"""A level as a page to check by: every area beside the pages that it was read from.

Everything that came from the source is text: escaped, never markup. The page loads nothing but the pictures beside it.
"""

import html
from collections.abc import Iterable, Mapping, Sequence
from itertools import groupby

from osrforge_assets.contracts.dossier import Dossier, DossierArea, DossierDungeon, DossierLevel, GroundingStatus
from osrforge_assets.modules.dossier.markdown import GAP_SENTENCES, area_titles, encounter_line, exit_line

_STYLE = """\
:root { color-scheme: light dark; }
body { font: 1rem/1.5 Georgia, serif; max-width: 80rem; margin: 2rem auto; padding: 0 1rem; }
h1, h2, h3, nav, .about, figcaption { font-family: system-ui, sans-serif; }
h2 { margin: 0 0 .25rem; font-size: 1.2rem; }
h3 { margin: .75rem 0 0; font-size: .9rem; }
p { margin: .5rem 0; overflow-wrap: anywhere; }
ul { margin: 0; padding-left: 1.2rem; }
nav { display: flex; flex-wrap: wrap; gap: .25rem 1rem; margin: 1rem 0; font-size: .9rem; }
.about, figcaption { color: #777; font-size: .85rem; }
section { display: grid; grid-template-columns: minmax(0, 1fr) minmax(0, 1fr); gap: 0 2rem; border-top: 1px solid #8886;
  padding: 1rem 0; }
article { margin-bottom: 1.5rem; scroll-margin-top: 1rem; }
figure { margin: 0 0 1rem; }
.map { display: flex; flex-wrap: wrap; gap: 0 2rem; }
.map figure { width: min(100%, 36rem); }
.pages { position: sticky; top: 1rem; max-height: calc(100vh - 2rem); overflow-y: auto; }
img { box-sizing: border-box; width: 100%; height: auto; border: 1px solid #8884; }
.check { color: #b3261e; font: .9rem/1.4 system-ui, sans-serif; }
@media (prefers-color-scheme: dark) { .check { color: #f2b8b5; } }
@media (max-width: 50rem) { section { display: block; } }
@media print { article { break-inside: avoid; } .pages { position: static; max-height: none; } }
"""


def level_html(dossier: Dossier, dungeon: DossierDungeon, level: DossierLevel, pictures: Mapping[int, str]) -> str:
    """Return one level as one HTML file in the folder `levels` of a dossier.

    Args:
        dossier: The dossier.
        dungeon: The level's dungeon.
        level: The level.
        pictures: Page number to the name of the dossier file that shows it.
    """
    title = html.escape(f"{dungeon.name or dungeon.id}, level {level.number}")
    titles = area_titles(level)
    about = " · ".join(part for part in (dossier.title.strip(), dossier.source_name) if part)
    parts = [
        '<!doctype html><html lang="en"><head><meta charset="utf-8">',
        '<meta name="viewport" content="width=device-width, initial-scale=1">',
        f"<title>{title}</title><style>{_STYLE}</style></head><body><h1>{title}</h1>",
        f'<p class="about">{html.escape(about)}</p>',
        f'<p class="check">{GAP_SENTENCES[level.status]}</p>' if level.status in GAP_SENTENCES else "",
        "".join(f'<p class="check">{html.escape(flag.message)}</p>' for flag in level.flags),
        "<nav>",
        *(f'<a href="#{area.key}">{html.escape(titles[area.key])}</a>' for area in level.areas),
        "</nav>",
        f'<h2>Map</h2><div class="map">{_figures(level.map_pages, pictures)}</div>' if level.map_pages else "",
        *(
            _areas(list(areas), level.number, titles, pictures)
            for _, areas in groupby(level.areas, lambda area: area.source_pages)
        ),
        "</body></html>\n",
    ]
    return "\n".join(part for part in parts if part)


def _areas(areas: Sequence[DossierArea], level: int, titles: Mapping[str, str], pictures: Mapping[int, str]) -> str:
    """Return neighbours that were read from the same pages, those pages beside them."""
    entries = "\n".join(_area(area, level, titles) for area in areas)
    figures = _figures(areas[0].source_pages, pictures)
    return f'<section><div>{entries}</div><div><div class="pages">{figures}</div></div></section>'


def _area(area: DossierArea, level: int, titles: Mapping[str, str]) -> str:
    # A canonical key is a slug, so it is an anchor as it stands.
    blocks = [
        f'<article id="{area.key}"><h2>{html.escape(titles[area.key])}</h2>',
        f'<p class="about">{area.kind.value}{_confidence(area)}</p>',
        "".join(f"<p>{html.escape(part)}</p>" for part in area.description.split("\n\n") if part.strip()),
        _list("Monsters", map(encounter_line, area.encounters)),
        _list("Trap", [area.trap] if area.trap else []),
        _list("Treasure", area.treasure),
        _list("Features", area.features),
        _list("Exits", (exit_line(connection, level, titles) for connection in area.connections)),
        "" if area.answered else '<p class="check">Not read.</p>',
        "".join(f'<p class="check">Check: {html.escape(flag.message)}</p>' for flag in area.flags),
        f'<p class="about">{html.escape(_grounded(area))}</p>' if area.grounding else "",
        "</article>",
    ]
    return "\n".join(block for block in blocks if block)


def _list(label: str, items: Iterable[str]) -> str:
    lines = "".join(f"<li>{html.escape(item)}</li>" for item in items)
    return f"<h3>{label}</h3><ul>{lines}</ul>" if lines else ""


def _confidence(area: DossierArea) -> str:
    return f" · read with confidence {area.confidence:.2f}" if area.confidence is not None else ""


def _grounded(area: DossierArea) -> str:
    found = sum(fact.status is GroundingStatus.FOUND for fact in area.grounding)
    return f"{found} of {len(area.grounding)} facts found on the cited pages."


def _figures(pages: Iterable[int], pictures: Mapping[int, str]) -> str:
    figures = [
        f'<figure><a href="../{pictures[page]}"><img src="../{pictures[page]}" alt="Page {page}" loading="lazy"></a>'
        f"<figcaption>Page {page}</figcaption></figure>"
        if page in pictures
        else f'<p class="about">Page {page}</p>'
        for page in pages
    ]
    return "".join(figures) or '<p class="about">No page is named.</p>'
