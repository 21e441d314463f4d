"""`page_renders`: a module's source, rendered and read page by page."""

import dagster as dg

from osrforge_assets.contracts.pages import ModuleSource, PageSet
from osrforge_assets.modules.flag_list import flag_list
from osrforge_assets.modules.pages.contact_sheet import contact_sheet
from osrforge_assets.modules.pages.reading import read_pages
from osrforge_assets.partitions import MODULES
from osrforge_assets.settings import Settings
from osrforge_resources.io_manager import read_document
from osrforge_resources.progress import Progress
from osrforge_resources.step_failures import expected_failures
from osrforge_resources.store import BlobKind, Store

module_source = dg.AssetSpec(
    "module_source",
    description="The PDF of a module, kept in the store by its digest. Registered by `osrforge-assets convert`.",
    group_name="modules",
    kinds={"pdf"},
    owners=["team:osrforge"],
    partitions_def=MODULES,
)


@dg.asset(
    description="Every page as a PNG, its text layer, and its text in reading order with light Markdown.",
    group_name="modules",
    kinds={"png", "markdown"},
    owners=["team:osrforge"],
    partitions_def=MODULES,
    deps=[module_source],
    io_manager_key="documents",
)
def page_renders(
    context: dg.AssetExecutionContext,
    store: dg.ResourceParam[Store],
    settings: dg.ResourceParam[Settings],
    progress: dg.ResourceParam[Progress],
) -> dg.Output[PageSet]:
    """Render and read the pages of a module; pages that did not change are taken from the store."""
    module = context.partition_key
    with expected_failures():
        source = read_document(store, "module_source", module, ModuleSource)
        pages = read_pages(
            store.get_blob(BlobKind.SOURCE, source.sha256),
            store,
            settings.pages,
            module=module,
            asked=source.pages,
            password=settings.pdf_password or None,
            on_page=lambda done, total: progress("pages", done, total),
        )
        sheet = contact_sheet(store, [page.image.sha256 for page in pages.pages if page.image is not None])
    flags = [*pages.flags, *(flag for page in pages.pages for flag in page.flags)]
    metadata = {
        "source": dg.MetadataValue.text(source.name),
        "pages": len(pages.pages),
        "pages_without_text": sum(page.characters == 0 for page in pages.pages),
        "characters": sum(page.characters for page in pages.pages),
        "contact_sheet": dg.MetadataValue.md(sheet),
        "flags": len(flags),
        "flag_list": dg.MetadataValue.md(flag_list(flags)),
    }
    return dg.Output(pages, data_version=dg.DataVersion(pages.digest()), metadata=metadata)
