"""How the page looks: pictures, boxes, sizes and the rules of accessibility.

The pictures are compared with kept ones, coarsely: block by block of their mean colour. The browser has the
same fonts everywhere (fonts.conf), so what differs between machines is how letters are smoothed, and digits
of the time. A block's mean hardly shows that; a missing style, a section that moved or is empty, and wrong
colours it does.
"""

from __future__ import annotations

import io
from pathlib import Path
from typing import Any

import hcloud
import pytest
from axe_playwright_python.sync_playwright import Axe
from PIL import Image, ImageChops, ImageStat
from playwright.sync_api import Page

from tests.cloud import PROJECT_ROOT, RunningCloud
from tests.localcloud.page.conftest import DESKTOP, PHONE, OpenPage
from tests.localcloud.page.scene import make_scene

SCREENSHOTS = PROJECT_ROOT / "build" / "screenshots"
KEPT = {
    "desktop": PROJECT_ROOT / "docs" / "images" / "localcloud-page.png",
    "phone": Path(__file__).with_name("phone.png"),
}
BLOCK_PX = 10
# Of 255: a block that is text on one picture and empty on the other differs by more than that.
BLOCK_TOLERANCE = 20
BLOCKS_THAT_MAY_DIFFER = 0.003
SECTIONS = ("summary", "cluster:prod", "dns", "cost", "actions", "events", "requests")
WAYS: dict[str, dict[str, Any]] = {
    "desktop": {"viewport": DESKTOP},
    "phone": {"viewport": PHONE, "is_mobile": True, "has_touch": True},
}


@pytest.fixture(scope="module")
def scene(shared_cloud: RunningCloud, shared_hetzner: hcloud.Client) -> RunningCloud:
    make_scene(shared_cloud, shared_hetzner)
    shared_cloud.advance(60)
    return shared_cloud


def picture(page: Page, name: str, *, full_page: bool = False) -> Image.Image:
    """A screenshot, also kept for people."""
    SCREENSHOTS.mkdir(parents=True, exist_ok=True)
    raw = page.screenshot(path=SCREENSHOTS / f"{name}.png", full_page=full_page)
    return Image.open(io.BytesIO(raw)).convert("RGB")


@pytest.mark.parametrize("way", ["desktop", "phone"])
def test_it_looks_like_the_kept_picture(scene: RunningCloud, open_page: OpenPage, way: str) -> None:
    seen = picture(open_page(**WAYS[way]), way)
    kept = Image.open(KEPT[way]).convert("RGB")
    advice = f"look at {SCREENSHOTS}/{way}.png; is it as meant, then copy it to {KEPT[way]}"
    assert seen.size == kept.size, advice
    differing = _differing_blocks(seen, kept)
    assert differing <= BLOCKS_THAT_MAY_DIFFER, f"{differing:.1%} of the picture differs: {advice}"


def _differing_blocks(one: Image.Image, other: Image.Image) -> float:
    """The share of blocks whose mean colour differs by more than the tolerance."""
    smaller = (one.width // BLOCK_PX, one.height // BLOCK_PX)
    means = [image.resize(smaller, Image.Resampling.BOX) for image in (one, other)]
    worst = ImageChops.difference(*means).split()
    difference = ImageChops.lighter(ImageChops.lighter(worst[0], worst[1]), worst[2])
    return float(ImageStat.Stat(difference.point(lambda level: level > BLOCK_TOLERANCE)).mean[0])


def test_the_comparison_sees_what_it_is_for(scene: RunningCloud, open_page: OpenPage) -> None:
    """A page without its style, without one section, or in the dark is another picture."""
    kept = Image.open(KEPT["desktop"]).convert("RGB")
    for name, spoil in (
        ("without-style", "document.querySelector('link[rel=stylesheet]').remove()"),
        ("without-tiles", "document.querySelector('.tiles').style.visibility = 'hidden'"),
        ("without-rules", "document.querySelector('.rules').remove()"),
    ):
        page = open_page()
        page.evaluate(spoil)
        assert _differing_blocks(picture(page, name), kept) > BLOCKS_THAT_MAY_DIFFER, name
    dark = picture(open_page(color_scheme="dark"), "dark")
    assert _differing_blocks(dark, kept) > 0.9


@pytest.mark.parametrize("way", ["desktop", "phone"])
@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_each_section_is_seen_and_covers_no_other(
    scene: RunningCloud, open_page: OpenPage, way: str, scheme: str
) -> None:
    page = open_page(**WAYS[way], color_scheme=scheme)
    whole = picture(page, f"{way}-{scheme}-whole", full_page=True)
    boxes = {name: _box(page, name) for name in SECTIONS}
    for name, (left, top, right, bottom) in boxes.items():
        assert right - left >= 300, name
        assert bottom - top >= 60, name
        part = whole.crop((int(left), int(top), int(right), int(bottom)))
        assert len(part.getcolors(maxcolors=1 << 24) or []) > 16, f"{name} is blank"
    names = list(boxes)
    for index, one in enumerate(names):
        for other in names[index + 1 :]:
            assert _apart(boxes[one], boxes[other]), f"{one} and {other} overlap"
    ground = ImageStat.Stat(whole.crop((0, 0, 8, whole.height)).convert("L")).mean[0]
    assert ground > 230 if scheme == "light" else ground < 30


def _box(page: Page, name: str) -> tuple[float, float, float, float]:
    box: Any = page.locator(f"[id='{name}']").bounding_box()
    assert box is not None, f"{name} is not shown"
    return box["x"], box["y"], box["x"] + box["width"], box["y"] + box["height"]


def _apart(one: tuple[float, ...], other: tuple[float, ...]) -> bool:
    return one[2] <= other[0] or other[2] <= one[0] or one[3] <= other[1] or other[3] <= one[1]


def test_nobody_has_to_scroll_sideways(scene: RunningCloud, open_page: OpenPage) -> None:
    page = open_page()
    _unfold(page)
    for width in (320, 390, 600, 768, 1024, 1280, 1920):
        page.set_viewport_size({"width": width, "height": 844})
        assert page.evaluate("document.documentElement.scrollWidth") == width
        wider = (
            "all => all.filter(each => each.scrollWidth > each.clientWidth + 1).map(each => each.outerHTML)"
        )
        assert page.locator("main :is(.card, table, td)").evaluate_all(wider) == [], width


def test_a_phone_can_be_read_and_tapped(scene: RunningCloud, open_page: OpenPage) -> None:
    page = open_page(**WAYS["phone"])
    _unfold(page)
    sizes = page.locator("body :not(script, noscript, style)").evaluate_all(
        """all => all
            .filter(each => [...each.childNodes].some(node => node.nodeType === 3 && node.data.trim()))
            .map(each => [parseFloat(getComputedStyle(each).fontSize), each.outerHTML])"""
    )
    assert len(sizes) > 100
    assert [html for size, html in sizes if size < 13] == []
    targets = [target.bounding_box() for target in page.locator("main :is(summary, a)").all()]
    assert len(targets) >= 6
    assert [box for box in targets if box is None or box["height"] < 44] == []


@pytest.mark.parametrize("way", ["desktop", "phone"])
@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_the_rules_of_accessibility_are_kept(
    scene: RunningCloud, open_page: OpenPage, way: str, scheme: str
) -> None:
    """Contrast, landmarks, names, tables, headings: axe-core's rules, all of them."""
    page = open_page(**WAYS[way], color_scheme=scheme)
    _unfold(page)
    results = Axe().run(page)
    assert results.violations_count == 0, results.generate_report()


def _unfold(page: Page) -> None:
    page.locator("details").evaluate_all("all => all.forEach(each => each.setAttribute('open', ''))")
