"""The code version of every asset: a digest of all that decides its output besides its inputs.

A changed rule text, schema, reader or request setting makes exactly the assets it concerns stale. Settings that change
no output (requests in flight, executor, limits) take no part.
"""

import hashlib
import json
from dataclasses import dataclass

from osrforge_assets.modules.dossier.building import DOSSIER_VERSION
from osrforge_assets.modules.levels.extraction import EXTRACTION_VERSION
from osrforge_assets.modules.levels.prompt import CONTENT_RULES
from osrforge_assets.modules.levels.reply import batch_schema
from osrforge_assets.modules.pages.settings import READER_VERSION
from osrforge_assets.modules.survey.prompt import CENSUS_RULES, SURVEY_RULES
from osrforge_assets.modules.survey.reading import SURVEY_VERSION
from osrforge_assets.modules.survey.reply import census_schema, survey_schema
from osrforge_assets.modules.survey.whole_modules import survey_window
from osrforge_assets.settings import Settings
from osrforge_resources.model_provider import ModelProvider


@dataclass(frozen=True, slots=True)
class CodeVersions:
    """One code version an asset, under the asset's name."""

    page_renders: str
    survey_index: str
    level_plan: str
    level_content: str
    module_contents: str
    module_dossier: str


def code_versions(settings: Settings, provider: ModelProvider) -> CodeVersions:
    """Return the code versions under these settings and this provider."""
    answers = provider_version(provider)
    content_request = (CONTENT_RULES, batch_schema(["key"]))
    return CodeVersions(
        page_renders=_digest(READER_VERSION, settings.pages.settings_digest()),
        survey_index=_digest(
            *(SURVEY_VERSION, SURVEY_RULES, survey_schema(), CENSUS_RULES, census_schema()),
            *(survey_window(settings, provider), settings.census_pages, answers),
        ),
        level_plan=_digest(content_request, settings.batch_pages),
        level_content=_digest(content_request, EXTRACTION_VERSION, answers),
        module_contents=_digest("contents 1"),
        module_dossier=_digest(DOSSIER_VERSION),
    )


def provider_version(provider: ModelProvider) -> str:
    """Return what tells one provider's answers from another's: its own `answers_version`, or its class."""
    return str(getattr(provider, "answers_version", None) or type(provider).__qualname__)


def _digest(*parts: object) -> str:
    text = json.dumps(parts, sort_keys=True, ensure_ascii=False)
    return hashlib.sha256(text.encode("utf-8")).hexdigest()[:16]
