"""The module lane: an adventure module PDF becomes a dossier in which every fact names its page."""
