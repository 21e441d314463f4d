"""Flags as the UI shows them."""

from osrforge_assets.contracts.flags import Flag, FlagCode
from osrforge_assets.modules.flag_list import flag_list


def test_flags_are_counted_by_code_and_told_with_their_place():
    flags = [
        Flag(code=FlagCode.NO_TEXT_LAYER, message="The page is a scan.", page=3),
        Flag(code=FlagCode.KEY_RENAMED, message="There is another 5.", key="5-2"),
        Flag(code=FlagCode.NO_TEXT_LAYER, message="The page is a scan.", page=4),
    ]
    first, *lines = flag_list(flags).splitlines()
    assert first == "key_renamed × 1, no_text_layer × 2"
    assert lines[1:] == [
        "- `no_text_layer` (page 3) The page is a scan.",
        "- `key_renamed` (area 5-2) There is another 5.",
        "- `no_text_layer` (page 4) The page is a scan.",
    ]


def test_no_flags_are_said_to_be_none():
    assert flag_list([]) == "none"


def test_a_thousand_flags_are_counted_but_not_all_told():
    lines = flag_list([Flag(code=FlagCode.PAGES_DROPPED, message="Page.")] * 1000).splitlines()
    assert lines[0] == "pages_dropped × 1000"
    assert len(lines) == 2 + 50 + 1
    assert lines[-1] == "- … and 950 more in the document"


def test_a_message_cannot_become_markup():
    assert "<b>" not in flag_list([Flag(code=FlagCode.PAGES_DROPPED, message="<b>[x](y)</b>")])
