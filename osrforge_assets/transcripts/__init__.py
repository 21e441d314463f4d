"""The transcript lane: from a session recording's transcript to validated scenes."""
