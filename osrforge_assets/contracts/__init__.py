"""Frozen wire formats: what the assets store and what a reader may rely on. No logic, no Dagster, no vendor SDK."""
