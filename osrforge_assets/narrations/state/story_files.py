"""Where a story's page and tables lie: shared by the asset that writes them and the command that sets them aside."""


def page_key(narration: str) -> str:
    """Return the key under which a narration's files lie, apart from modules and sessions of the same name."""
    return f"narration--{narration}"
