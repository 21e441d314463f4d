"""Small module values for tests: pages, surveys, and a model that answers what it is told to."""

import hashlib
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field

from osrforge_assets.contracts.level import PlanPage
from osrforge_assets.contracts.pages import Page, PageImage, PageSet
from osrforge_assets.contracts.survey import (
    AreaKind,
    CensusDungeon,
    SurveyArea,
    SurveyDungeon,
    SurveyIndex,
    SurveyLevel,
    Town,
)
from osrforge_assets.modules.page_parts import RequestPage
from osrforge_resources.model_provider import ModelRequest, ModelResponse, TextPart, TokenUsage, ensure_schema
from osrforge_resources.request_text import AskedArea, read_level_lead, read_page

NOTHING = hashlib.sha256(b"").hexdigest()


def area(key: str, *pages: int, name: str = "") -> SurveyArea:
    return SurveyArea(key=key, name=name, source_label=key, kind=AreaKind.ROOM, source_pages=pages)


def level(*areas: SurveyArea, number: int = 1, map_pages: Iterable[int] = ()) -> SurveyLevel:
    return SurveyLevel(number=number, map_pages=tuple(map_pages), areas=areas)


def index(*dungeons: SurveyDungeon, module: str = "the-module") -> SurveyIndex:
    return SurveyIndex(
        module=module,
        title="",
        description="",
        hooks=(),
        town=Town(),
        dungeons=dungeons,
        monster_names=(),
        census=(),
    )


def dungeon(*levels: SurveyLevel, name: str = "The Crypt", id: str = "the-crypt") -> SurveyDungeon:  # noqa: A002
    return SurveyDungeon(id=id, name=name, levels=levels)


def census(name: str, *levels: tuple[int, str, str]) -> CensusDungeon:
    counted = [{"number": number, "first_key": first, "last_key": last} for number, first, last in levels]
    return CensusDungeon.model_validate({"name": name, "levels": counted})


@dataclass
class Pages:
    """Pages with their blobs, and a count of how often each was loaded."""

    texts: dict[int, str]
    images: dict[int, bytes]
    module: str = "the-module"
    loaded: list[int] = field(default_factory=list)
    blobs: dict[str, bytes] = field(default_factory=dict)

    @property
    def page_set(self) -> PageSet:
        pages = tuple(self._page(number) for number in sorted(self.texts))
        return PageSet(
            module=self.module, source=NOTHING, source_pages=max(self.texts), title="", settings="1", pages=pages
        )

    def load(self, page: Page) -> RequestPage:
        self.loaded.append(page.number)
        return self._loaded(page.number, page.text, page.image.sha256 if page.image is not None else None)

    def load_planned(self, page: PlanPage) -> RequestPage:
        return self._loaded(page.number, page.text, page.image)

    def _loaded(self, number: int, text: str, image: str | None) -> RequestPage:
        return RequestPage(number, self.blobs[text].decode("utf-8"), self.blobs[image] if image is not None else None)

    def _blob(self, data: bytes) -> str:
        digest = hashlib.sha256(data).hexdigest()
        self.blobs[digest] = data
        return digest

    def _page(self, number: int) -> Page:
        text, png = self.texts[number], self.images.get(number)
        image = None
        if png is not None:
            image = PageImage(sha256=self._blob(png), size=len(png), width=1, height=1)
        digest = self._blob(text.encode("utf-8"))
        return Page(number=number, content=None, image=image, layer=digest, text=digest, characters=len(text))


def pages(numbers: Iterable[int], *, images: bool = True) -> Pages:
    chosen = list(numbers)
    return Pages(
        {number: f"Text of page {number}." for number in chosen},
        {number: b"png %d" % number for number in chosen} if images else {},
    )


def shown_pages(request: ModelRequest) -> list[int]:
    """Return the pages a request carries, in order."""
    texts = [part.text for part in request.parts if isinstance(part, TextPart)]
    return [page[0] for page in map(read_page, texts) if page is not None]


def asked(request: ModelRequest) -> tuple[AskedArea, ...]:
    """Return the areas a content request asks for."""
    last = request.parts[-1]
    assert isinstance(last, TextPart)
    return read_level_lead(last.text).areas


@dataclass
class Model:
    """Stands outside the seam: answers by a rule, keeps what it was asked, and owns its schema as any provider does."""

    rule: Callable[[ModelRequest], object]
    model_id: str = "a-model"
    requests: list[ModelRequest] = field(default_factory=list)

    def generate(self, request: ModelRequest) -> ModelResponse:
        self.requests.append(request)
        data = self.rule(request)
        ensure_schema(data, request.schema, request.tag)
        return ModelResponse(data, TokenUsage(), self.model_id)

    @property
    def tags(self) -> list[str]:
        return [request.tag for request in self.requests]


def answered(key: str, **changes: object) -> dict[str, object]:
    """Return one area of a content answer."""
    plain = {
        "key": key,
        "description": f"Area {key}.",
        "encounters": [],
        "trap": None,
        "treasure": [],
        "features": [],
        "connections": [],
        "source_pages": [],
        "confidence": 0.5,
    }
    return plain | changes


def answer_all(request: ModelRequest) -> object:
    """Answer every asked area from the first page it names."""
    return {"areas": [answered(one.key, source_pages=list(one.pages[:1])) for one in asked(request)]}
