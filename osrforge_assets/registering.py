"""How a source enters the graph: its bytes into the store, its key into its partition set, its version into the event log.

In this order, so that a process killed in between leaves nothing that the next registration does not complete.
"""

from pathlib import Path

import dagster as dg

from osrforge_assets.contracts.narration_turns import NarrationSource
from osrforge_assets.contracts.pages import ModuleSource
from osrforge_assets.contracts.transcript import TranscriptSource
from osrforge_assets.modules.pages.reading import examine_source
from osrforge_assets.modules.sources import register_source
from osrforge_assets.narrations.sources import register_story
from osrforge_assets.partitions import MODULE_SET, NARRATIONS, TRANSCRIPTS
from osrforge_assets.retiring import restore
from osrforge_assets.settings import Settings
from osrforge_assets.transcripts.sources import SessionFiles, reading_digest, register_session
from osrforge_resources.asset_events import report_source
from osrforge_resources.store import Store


class Registry:
    """Registers sources of all lanes.

    Args:
        instance: Where partition sets and events are.
        store: Where sources are kept.
        settings: Their limits.
    """

    def __init__(self, instance: dg.DagsterInstance, store: Store, settings: Settings) -> None:
        self._instance = instance
        self._store = store
        self._settings = settings

    def module(self, path: Path, *, pages: tuple[int, ...] | None = None) -> ModuleSource:
        """Register a module's file.

        Raises:
            SourceError: The file is not there, not readable, empty or too large, no PDF that opens, or has none of an
                asked page.
        """
        taken = set(self._instance.get_dynamic_partitions(MODULE_SET)).__contains__
        limits, password = self._settings.pages, self._settings.pdf_password or None
        source = register_source(
            self._store,
            path,
            pages=pages,
            max_bytes=limits.max_source_bytes,
            taken=taken,
            examine=lambda data: examine_source(data, limits, asked=pages, password=password),
        )
        self._report("module_source", MODULE_SET, source.module, source.reading_digest(), source.name)
        return source

    def session(self, files: SessionFiles, *, speakers: Path | None = None) -> TranscriptSource:
        """Register a session's files.

        Raises:
            SourceError: A file is not there, not readable, empty or too large.
            TranscriptError: The folder holds no transcript.
        """
        partition_set = str(TRANSCRIPTS.name)
        taken = set(self._instance.get_dynamic_partitions(partition_set)).__contains__
        limit = self._settings.transcripts.max_source_bytes
        source = register_session(self._store, files, speakers=speakers, max_bytes=limit, taken=taken)
        self._report("transcript_source", partition_set, source.session, reading_digest(source), source.files[0].name)
        return source

    def story(self, path: Path) -> NarrationSource:
        """Register a story's log.

        Raises:
            SourceError: The file is not there, not readable, empty or too large.
        """
        partition_set = str(NARRATIONS.name)
        taken = set(self._instance.get_dynamic_partitions(partition_set)).__contains__
        source = register_story(self._store, path, taken=taken)
        self._report("narration_source", partition_set, source.narration, source.sha256, source.name)
        return source

    def _report(self, asset: str, partition_set: str, key: str, version: str, name: str) -> None:
        restore(self._instance, self._store, partition_set, key)
        self._instance.add_dynamic_partitions(partition_set, [key])
        report_source(self._instance, asset, key, version=version, name=name)
