"""The tables of `docs/narration.md`, derived from the vocabulary and the table of conflicts; a test holds them equal.

python -c "from osrforge_assets.narrations.documentation import *; import sys; sys.stdout.write(vocabulary_table())"
"""

from osrforge_assets.contracts.narration import EVENT_TYPES
from osrforge_assets.narrations.state.judging import conflict_table
from osrforge_assets.narrations.turns.prompt import field_values


def vocabulary_table() -> str:
    """Return the event vocabulary as a Markdown table."""
    lines = ["| event | fields | says |", "| --- | --- | --- |"]
    for name, event in EVENT_TYPES.items():
        fields = "; ".join(
            f"`{field}`{'' if info.is_required() else ' (optional)'}: {field_values(event, field)}"
            for field, info in event.model_fields.items()
            if field != "type"
        ).replace("|", ", ")
        lines.append(f"| `{name}` | {fields} | {event.purpose()} |")
    return "\n".join(lines) + "\n"


def conflicts_table() -> str:
    """Return the table of conflicts in Markdown."""
    lines = ["| what happens | the one outcome |", "| --- | --- |"]
    lines += [f"| {what} | {outcome} |" for what, outcome in conflict_table()]
    return "\n".join(lines) + "\n"
