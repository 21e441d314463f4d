"""The HTTP client under both vendors' SDKs: it speaks to the address in the settings, and to no other.

The SDKs' own clients follow redirects, and read a batch's results wherever the service says they are. Either would carry
the key and the pages to an address that nobody configured.
"""

from typing import TYPE_CHECKING, Any

from osrforge_resources.failures import PermanentProviderError

if TYPE_CHECKING:
    import httpx2


def http_client(sdk: Any, base_url: str, transport: "httpx2.BaseTransport | None" = None) -> "httpx2.Client":
    """Return an SDK's own client, kept to one scheme, host and port.

    Args:
        sdk: The SDK's module.
        base_url: Where the service is.
        transport: Replaces the network, for tests.

    Raises:
        PermanentProviderError: At a request, before it is sent: it goes elsewhere.
    """
    import httpx2  # what both SDKs speak HTTP with

    home = _origin(httpx2.URL(base_url))

    def refuse_elsewhere(request: "httpx2.Request") -> None:
        if _origin(request.url) != home:
            raise elsewhere(f"The service refers to {request.url.host}, which is not where it is in the settings.")

    given = {} if transport is None else {"transport": transport}
    return sdk.DefaultHttpxClient(follow_redirects=False, event_hooks={"request": [refuse_elsewhere]}, **given)


def elsewhere(sentence: str) -> PermanentProviderError:
    """Return the failure of a service that sends its callers to another address."""
    return PermanentProviderError(
        sentence,
        code="provider.elsewhere",
        remedy="Set OSRFORGE_BASE_URL to where the service is, if you trust that address; nothing was sent there.",
    )


def _origin(url: "httpx2.URL") -> tuple[str, str, int | None]:
    return url.scheme, url.host, url.port
