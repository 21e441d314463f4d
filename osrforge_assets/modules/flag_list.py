"""Flags as the UI shows them with a materialization."""

from collections import Counter
from collections.abc import Sequence

from osrforge_assets.contracts.flags import Flag
from osrforge_assets.escaping import markdown_text

# Metadata lives in the event log with every materialization; the whole list is in the document itself.
_MOST_SHOWN = 50


def flag_list(flags: Sequence[Flag]) -> str:
    """Return what flags say as Markdown: counts by code, then the first fifty, "none" if there are none."""
    if not flags:
        return "none"
    counts = ", ".join(
        f"{code} × {count}" for code, count in sorted(Counter(flag.code.value for flag in flags).items())
    )
    lines = [f"- `{flag.code.value}`{_where(flag)} {markdown_text(flag.message)}" for flag in flags[:_MOST_SHOWN]]
    if len(flags) > _MOST_SHOWN:
        lines.append(f"- … and {len(flags) - _MOST_SHOWN} more in the document")
    return "\n".join([counts, "", *lines])


def _where(flag: Flag) -> str:
    place = [f"page {flag.page}"] if flag.page is not None else []
    place += [f"area {markdown_text(flag.key)}"] if flag.key is not None else []
    return f" ({', '.join(place)})" if place else ""
