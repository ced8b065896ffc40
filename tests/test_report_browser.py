"""Reports as people see them: in a browser, on a phone, in the dark, on paper."""

import base64
import json
import time
import warnings

import numpy as np
import pandas as pd
import pytest
from browsers import sized, started
from needs import needs_browser

import errorfloor as ef
from errorfloor.datasets.synthetic import corrupt, gaussian_mixture, gaussian_ring

pytestmark = needs_browser

ATTACK = "<script>document.title = 'owned'; alert(1)</script>"

DATA = gaussian_mixture(1000, rng=0)
SCORES = corrupt(DATA.soft_labels, 2, 0.7)
PHONE = 360
THEMES = ("light", "dark")
NAMES = ("model", "votes", "soft", "constant", "tiny", "hostile", "groups", "many")

# The contrast of every piece of text with what is behind it, by the formula of WCAG 2.
CONTRAST = """
const canvas = document.createElement('canvas').getContext('2d', {willReadFrequently: true});
function rgba(colour) {
  canvas.clearRect(0, 0, 1, 1); canvas.fillStyle = colour; canvas.fillRect(0, 0, 1, 1);
  return canvas.getImageData(0, 0, 1, 1).data;
}
function luminance([r, g, b]) {
  const [x, y, z] = [r, g, b].map(v => v / 255).map(
    v => v <= 0.03928 ? v / 12.92 : ((v + 0.055) / 1.055) ** 2.4);
  return 0.2126 * x + 0.7152 * y + 0.0722 * z;
}
function behind(element) {
  for (; element; element = element.parentElement) {
    const colour = rgba(getComputedStyle(element).backgroundColor);
    if (colour[3] === 255) return colour;
  }
  return [255, 255, 255, 255];
}
const walker = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
const found = [];
while (walker.nextNode()) {
  const element = walker.currentNode.parentElement, text = walker.currentNode.data.trim();
  if (!text || ['STYLE', 'title', 'desc', 'style'].includes(element.tagName)) continue;
  const style = getComputedStyle(element);
  // Letters on coloured cells have a test of their own.
  if (['rgb(17, 17, 17)', 'rgb(250, 250, 250)'].includes(style.fill)) continue;
  const ink = luminance(rgba(element.closest('svg') ? style.fill : style.color));
  const paper = luminance(behind(element));
  found.push([text, (Math.max(ink, paper) + 0.05) / (Math.min(ink, paper) + 0.05)]);
}
return found;
"""


def results():
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ef.ErrorFloorWarning)
        floor = ef.from_scores(SCORES, DATA.labels, rng=0)
        votes = np.random.default_rng(0).binomial(3, DATA.soft_labels)
        yield "model", ef.headroom(floor, errors=130, n=1000), {"source": {"file": "labels.csv"}}
        yield "votes", ef.from_votes(votes, 3, model_error=0.1), {"theory": True}
        yield "soft", ef.from_soft_labels(DATA.soft_labels, rng=0), {}
        yield "constant", ef.from_scores([0.5] * 100, [0, 1] * 50, rng=0), {}
        yield "tiny", ef.from_scores([0.1, 0.2, 0.6, 0.7], [0, 1, 0, 1], rng=0), {}
        hostile = {
            "title": f"{ATTACK}</title></style>\"'&",
            "source": {
                ATTACK: "<img src='https://example.com/x.png' onerror='alert(2)'>",
                "n" * 300: "v" * 500,
                "שם הקובץ": "תוויות.csv 🎉",
                "\N{RIGHT-TO-LEFT OVERRIDE}vsc": "</dd></main><style>body{display:none}</style>",
            },
            "command": f"errorfloor report '{ATTACK}' {'x' * 300}",
        }
        yield "hostile", floor, hostile
        names = (ATTACK, "n" * 200, "שם", "plain")
        frame = pd.DataFrame({"p": SCORES, "y": DATA.labels.astype(int)})
        frame["site"] = [names[i % 4] for i in range(len(frame))]
        yield "groups", ef.from_scores(frame, score="p", label="y", group="site", rng=0), {}
        ring = gaussian_ring(300, classes=4, rng=0)
        yield "many", ef.from_scores(ring.soft_labels, ring.labels, rng=0), {}


@pytest.fixture(scope="module")
def pages(tmp_path_factory):
    folder = tmp_path_factory.mktemp("reports")
    made = {
        name: ef.report(result, folder / f"{name}.html", **options).as_uri()
        for name, result, options in results()
    }
    assert tuple(made) == NAMES
    return made


@pytest.fixture(scope="module")
def browser(tmp_path_factory):
    driver = started(tmp_path_factory.mktemp("profile"))
    yield driver
    driver.quit()


def show(browser, page, *, width=1200, theme="light", media="screen"):
    sized(browser, width, theme, media)
    browser.get(page)


def requests(browser):
    """Return the addresses asked for since the last call."""
    messages = (json.loads(entry["message"])["message"] for entry in browser.get_log("performance"))
    return [
        message["params"]["request"]["url"]
        for message in messages
        if message["method"] == "Network.requestWillBeSent"
    ]


@pytest.mark.parametrize("name", NAMES)
def test_a_page_complains_of_nothing_and_asks_for_nothing(browser, pages, name):
    browser.get("about:blank")
    browser.get_log("browser"), requests(browser)
    show(browser, pages[name])
    time.sleep(0.2)  # for what might be asked for late
    assert requests(browser) == [pages[name]]
    assert browser.get_log("browser") == []


@pytest.mark.parametrize("width", [PHONE, 768, 1200])
@pytest.mark.parametrize("name", NAMES)
def test_a_page_never_scrolls_sideways(browser, pages, name, width):
    show(browser, pages[name], width=width)
    assert browser.execute_script("return window.innerWidth") == width
    assert browser.execute_script("return document.documentElement.scrollWidth") <= width
    # Nothing sticks out unseen either, except in boxes that scroll by themselves.
    outside = browser.execute_script(
        "return [...document.querySelectorAll('main *')].filter(e => !e.closest('.wide, svg') &&"
        " e.getBoundingClientRect().right > innerWidth + 0.5).map(e => e.outerHTML.slice(0, 80))"
    )
    assert outside == []


@pytest.mark.parametrize(("width", "media"), [(PHONE, "screen"), (900, "screen"), (900, "print")])
@pytest.mark.parametrize("name", NAMES)
def test_pictures_fill_the_column_and_their_letters_can_be_read(browser, pages, name, width, media):
    show(browser, pages[name], width=width, media=media)
    shown, column, outside, letters = browser.execute_script(
        """
        const seen = [...document.querySelectorAll('figure svg')].filter(e => e.clientWidth);
        const column = document.querySelector('#answer').clientWidth;
        const texts = seen.flatMap(e => [...e.querySelectorAll('text')]);
        const out = texts.filter(e => {
          const box = e.getBoundingClientRect(), own = e.closest('svg').getBoundingClientRect();
          return box.left < own.left - 1 || box.right > own.right + 1;
        });
        const scale = e => e.closest('svg').clientWidth / e.closest('svg').viewBox.baseVal.width;
        return [seen.map(e => [e.getAttribute('class'), e.clientWidth]), column,
                out.map(e => e.textContent),
                texts.map(e => parseFloat(getComputedStyle(e).fontSize) * scale(e))];
        """
    )
    assert {size for size, _ in shown} <= {"narrow" if width == PHONE else "broad"}
    assert bool(shown) == (name != "constant")
    assert outside == []
    if media == "screen":
        assert all(wide == column for _, wide in shown)
        assert min(letters, default=11) >= 11
        assert max(letters, default=11) <= 15


@pytest.mark.parametrize("theme", THEMES)
@pytest.mark.parametrize("name", NAMES)
def test_text_stands_out_from_its_ground(browser, pages, name, theme):
    show(browser, pages[name], theme=theme)
    found = browser.execute_script(CONTRAST)
    assert len(found) > 20
    assert [(text, ratio) for text, ratio in found if ratio < 4.5] == []


def test_the_themes_differ_and_paper_is_white(browser, pages):
    def ground(**options):
        show(browser, pages["model"], **options)
        return browser.execute_script("return getComputedStyle(document.body).backgroundColor")

    light, dark = ground(), ground(theme="dark")
    assert light != dark
    assert ground(theme="dark", media="print") == ground(media="print") == "rgb(255, 255, 255)"


@pytest.mark.parametrize("theme", THEMES)
def test_what_is_drawn_stands_out_from_the_page(browser, pages, theme):
    show(browser, pages["model"], theme=theme)
    strokes = browser.execute_script(
        "return [...document.querySelectorAll('svg path, svg use')]"
        ".map(e => getComputedStyle(e)).filter(s => s.stroke !== 'none' && s.strokeOpacity == 1)"
        ".map(s => s.stroke)"
    )
    ground = browser.execute_script("return getComputedStyle(document.body).backgroundColor")
    assert ground not in strokes
    assert len(set(strokes)) > 3


@pytest.mark.parametrize("name", NAMES)
def test_a_page_prints(browser, pages, name):
    show(browser, pages[name])
    printed = browser.execute_cdp_cmd("Page.printToPDF", {"preferCSSPageSize": True})
    document = base64.b64decode(printed["data"])
    assert document.startswith(b"%PDF-")
    assert 1 <= document.count(b"/Type /Page\n") + document.count(b"/Type /Page ") < 12


def test_a_page_needs_no_script(browser, pages):
    show(browser, pages["model"])
    with_script = browser.find_element("tag name", "main").text
    browser.execute_cdp_cmd("Emulation.setScriptExecutionDisabled", {"value": True})
    try:
        browser.get(pages["model"])
        assert browser.find_element("tag name", "main").text == with_script
    finally:
        browser.execute_cdp_cmd("Emulation.setScriptExecutionDisabled", {"value": False})
    assert "on these labels is reachable" in with_script


def test_nothing_that_users_named_runs_or_hides_the_page(browser, pages):
    show(browser, pages["hostile"])
    main = browser.find_element("tag name", "main")
    assert main.is_displayed()
    assert browser.find_element("tag name", "h1").text == f"{ATTACK}</title></style>\"'&"
    assert browser.title.startswith("<script>document.title")
    for text in (ATTACK, "onerror='alert(2)'>", "</dd></main><style>", "תוויות.csv 🎉"):
        assert text in main.text
    assert browser.find_elements("css selector", "script, img, main style") == []


def test_names_in_other_scripts_read_in_their_direction(browser, pages):
    show(browser, pages["hostile"])
    sides = browser.execute_script(
        "return [...document.querySelectorAll('#data dd')].map(e => getComputedStyle(e).direction)"
    )
    assert sides == ["ltr", "ltr", "rtl", "ltr"]


def test_the_policy_would_stop_what_slipped_in(browser, pages, tmp_path):
    slipped = f"{ATTACK}<img src='https://example.invalid/x.png'></main>"
    made = ef.report(ef.from_soft_labels([0.1, 0.4] * 20, rng=0), tmp_path / "a.html")
    made.write_text(made.read_text(encoding="utf-8").replace("</main>", slipped), encoding="utf-8")
    browser.get("about:blank")
    browser.get_log("browser"), requests(browser)
    show(browser, made.as_uri())
    assert browser.title == "Error floor"
    blocked = [entry["message"] for entry in browser.get_log("browser")]
    assert len(blocked) == 2
    assert all("Content Security Policy" in message for message in blocked)


@pytest.mark.parametrize("name", NAMES)
def test_pictures_have_names_for_those_who_do_not_see_them(browser, pages, name):
    show(browser, pages[name])
    # What is drawn within a drawing, such as the gauge's mark of a model, is a part of it.
    whole = browser.find_elements("css selector", "svg:not(svg svg)")
    gauges = browser.find_elements("css selector", ".headline svg:not(svg svg)")
    assert len(gauges) == (name != "groups")
    drawings = [one for one in whole if one.is_displayed()]
    assert all(gauge in drawings for gauge in gauges)
    assert (len(drawings) > len(gauges)) == (name != "constant")
    for drawing in drawings:
        assert drawing.aria_role in ("img", "image", "graphics-document")
        assert len(drawing.accessible_name) > 40
