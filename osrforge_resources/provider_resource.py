"""The model provider as Dagster shows it: who answers is chosen by the settings, and for one run in the launchpad.

A run that names nothing is answered as the deployment is set. Neither key nor address can be named in a run: a run's
config is stored and shown, and a key must not be sent to wherever somebody points it.
"""

from typing import Any, get_args

import dagster as dg
from pydantic import SecretStr, ValidationError

from osrforge_resources.failures import MisuseError, OsrforgeError, PermanentProviderError
from osrforge_resources.model_provider import ModelProvider, ModelRequest, ModelResponse
from osrforge_resources.provider_settings import ProviderName, ProviderSettings
from osrforge_resources.providers import make_provider
from osrforge_resources.store import Store
from osrforge_resources.usage import Spending


def provider_resource(settings: ProviderSettings, store: Store) -> dg.ResourceDefinition:
    """Return the resource that gives a run its `ModelProvider`.

    Args:
        settings: The deployment's; what a run's config leaves empty is taken from it.
        store: Where replies are kept.
    """

    def create(context: dg.InitResourceContext) -> ModelProvider:
        try:
            return make_provider(run_settings(settings, context.resource_config), store)
        except OsrforgeError as failure:
            # Raised here it would be Dagster's failure, with a traceback; at the first call it is the step's.
            return _Unusable(failure)

    return dg.ResourceDefinition(create, config_schema=_fields(settings), description="Who answers model requests.")


def run_settings(settings: ProviderSettings, named: dict[str, Any]) -> ProviderSettings:
    """Return the settings of one run: the deployment's, with what the run names in their place.

    Where a run names another provider, the deployment's model, address and key are not its own and do not apply.

    Raises:
        MisuseError: A named value is refused (code `provider.settings`).
    """
    wanted = {name: value for name, value in named.items() if value not in {None, "", 0} or value is False}
    known = settings.model_dump(include=set(ProviderSettings.model_fields))
    if wanted.get("provider", settings.provider) != settings.provider:
        known |= {"model": "", "base_url": "", "api_key": SecretStr("")}
    try:
        return ProviderSettings.model_validate(known | wanted)
    except ValidationError as error:
        first = error.errors(include_input=False, include_url=False)[0]
        name = ".".join(str(step) for step in first["loc"])
        raise MisuseError(
            f"The run's {name} of its model provider is refused: {first['msg']}.",
            code="provider.settings",
            remedy="Correct it in the run's config, or leave it empty.",
        ) from None


def _fields(settings: ProviderSettings) -> dict[str, dg.Field]:
    providers = dg.Enum("ModelProviderName", [dg.EnumValue(name) for name in get_args(ProviderName)])
    return {
        "provider": dg.Field(
            providers,
            default_value=settings.provider,
            description="Who answers this run's requests. Answers of another provider than the deployment's are kept "
            "and shown as stale.",
        ),
        "model": dg.Field(
            str, default_value="", description="The model's name as the service takes it; empty for the configured one."
        ),
        "effort": dg.Field(
            str, default_value="", description="low, medium, high, xhigh or max; empty for the configured one."
        ),
        "max_tokens": dg.Field(
            int, default_value=0, description="Output limit of one reply; 0 for the configured one."
        ),
        "vision": dg.Field(
            dg.Noneable(bool), default_value=None, description="Whether the model reads images; null as configured."
        ),
    }


class _Unusable:
    """A provider that cannot be made; says so when it is asked."""

    def __init__(self, failure: OsrforgeError) -> None:
        self._failure = failure

    def generate(self, request: ModelRequest) -> ModelResponse:
        """Refuse.

        Raises:
            PermanentProviderError: Always, with the code and remedy of what was wrong.
        """
        said = self._failure
        failure = PermanentProviderError(f"{said.message} ({request.tag})", code=said.code, remedy=said.remedy)
        failure.spending = Spending()
        raise failure
