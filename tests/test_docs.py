"""What the documents list is what the source has."""

import ast
import re
from collections.abc import Iterator
from pathlib import Path

from pydantic import BaseModel

from osrforge_assets.contracts.flags import FlagCode
from osrforge_assets.contracts.transcript import TranscriptFlagCode
from osrforge_assets.settings import Settings

ROOT = Path(__file__).parents[1]
PACKAGES = ("osrforge_assets", "osrforge_resources")
CODE = re.compile(r"[a-z]+(\.[a-z_]+)?")


def _first_cells(document: str) -> list[str]:
    """Return the codes that begin the rows of a document's tables."""
    text = (ROOT / "docs" / document).read_text(encoding="utf-8")
    return re.findall(r"^\| `([a-z_.]+)` \|", text, re.MULTILINE)


def _codes_in_source() -> set[str]:
    """Return every error code: what a `code=` argument or a `default_code` may say."""
    return {
        constant.value
        for package in PACKAGES
        for path in (ROOT / package).rglob("*.py")
        for expression in _code_expressions(ast.parse(path.read_text(encoding="utf-8")))
        for constant in ast.walk(expression)
        if isinstance(constant, ast.Constant) and isinstance(constant.value, str) and CODE.fullmatch(constant.value)
    }


def _code_expressions(tree: ast.Module) -> Iterator[ast.expr]:
    for node in ast.walk(tree):
        if isinstance(node, ast.Call):
            # A subscript such as said["code"] carries a code on; it makes none.
            yield from (word.value for word in node.keywords if word.arg == "code" and _is_literal(word.value))
        elif isinstance(node, ast.Assign | ast.AnnAssign) and node.value is not None:
            targets = node.targets if isinstance(node, ast.Assign) else [node.target]
            if any(isinstance(target, ast.Name) and target.id == "default_code" for target in targets):
                yield node.value


def _is_literal(value: ast.expr) -> bool:
    return isinstance(value, ast.Constant | ast.IfExp)


def _setting_names(model: type[BaseModel], prefix: str) -> Iterator[str]:
    for name, field in model.model_fields.items():
        if isinstance(field.default, BaseModel):
            yield from _setting_names(type(field.default), f"{prefix}{name.upper()}__")
        else:
            yield prefix + name.upper()


def test_every_error_code_is_documented_once_and_no_other_is():
    documented = _first_cells("errors.md")
    assert len(documented) == len(set(documented))
    assert set(documented) == _codes_in_source()


def test_every_flag_is_documented_once_and_no_other_is():
    documented = _first_cells("flags.md")
    assert len(documented) == len(set(documented))
    assert set(documented) == {code.value for codes in (FlagCode, TranscriptFlagCode) for code in codes}


def test_every_setting_is_in_the_readme_and_no_other_is():
    readme = (ROOT / "README.md").read_text(encoding="utf-8")
    documented = set(re.findall(r"^\| `(OSRFORGE_[A-Z_]+)` \|", readme, re.MULTILINE))
    assert documented == set(_setting_names(Settings, "OSRFORGE_"))


def test_every_link_between_the_documents_leads_to_a_file():
    for document in [*ROOT.glob("*.md"), *(ROOT / "docs").glob("*.md")]:
        for target in re.findall(r"\]\(([^)#]+)\)", document.read_text(encoding="utf-8")):
            if "://" not in target:
                assert (document.parent / target).is_file(), f"{document.name}: {target}"


def test_the_readme_names_only_targets_that_make_has():
    makefile = (ROOT / "Makefile").read_text(encoding="utf-8")
    targets = set(re.findall(r"^([a-z]+):", makefile, re.MULTILINE))
    for document in ("README.md", "CONTRIBUTING.md"):
        text = (ROOT / document).read_text(encoding="utf-8")
        assert set(re.findall(r"(?:^|`)make ([a-z]+)", text, re.MULTILINE)) <= targets
