"""The app as people use it: in a browser, by mouse and keyboard, on a phone, in the dark."""

import json
import os
import re
import signal
import time
from pathlib import Path

import numpy as np
import pytest
from browsers import sized, started
from needs import needs_browser
from pages import eventually, running
from servers import serving
from test_app_ends import halting

pytest.importorskip("starlette")
pytest.importorskip("uvicorn")
pytestmark = needs_browser

RNG = np.random.default_rng(0)
N = 400
PROB = RNG.random(N)
LABELS = (RNG.random(N) < PROB).astype(int)
VOTES = (RNG.random((N, 5)) < PROB[:, None]).astype(int)
ATTACK = "<img src=x onerror=\"window.owned=1;document.title='owned'\"><script>owned=1</script>"
PHONE, SCREEN = 360, 1280
# What happens where a part of the page is replaced under the hand of a test.
PASSING = (
    "StaleElementReferenceException",
    "ElementNotInteractableException",
    "ElementClickInterceptedException",
    "NoSuchElementException",
)


def rows(head, lines):
    return "\n".join([head, *(",".join(map(str, line)) for line in lines)]) + "\n"


def quoted(text):
    return '"' + text.replace('"', '""') + '"'


FILES = {
    "scores.csv": rows(
        "score,label,site",
        ((f"{p:.4f}", y, "ab"[i % 2]) for i, (p, y) in enumerate(zip(PROB, LABELS, strict=True))),
    ),
    "reversed.csv": rows(
        "score,label", ((f"{1 - p:.4f}", y) for p, y in zip(PROB, LABELS, strict=True))
    ),
    "words.csv": rows(
        "score,label",
        ((f"{p:.4f}", ("left", "right")[y]) for p, y in zip(PROB, LABELS, strict=True)),
    ),
    "gold.csv": rows(
        "item,annotator,vote,gold",
        ((i, "abcde"[j], VOTES[i, j], LABELS[i]) for i in range(N) for j in range(5)),
    ),
    "ratings.csv": rows(
        "score,label", ((f"{p:.4f}", 1 + int(4.999 * p)) for p in PROB)
    ),
    "missing.csv": rows(
        "score,label",
        ((f"{p:.4f}", "" if i % 9 == 0 else y)
         for i, (p, y) in enumerate(zip(PROB, LABELS, strict=True))),
    ),
    "models.csv": rows(
        "item,annotator,vote,good,poor",
        ((i, "abcde"[j], VOTES[i, j], int(PROB[i] > 0.5), int(PROB[i] > 0.5) ^ (i % 4 == 0))
         for i in range(N) for j in range(5)),
    ),
    "predictions.csv": rows(
        "id,label,old,new",
        ((i, y, int(PROB[i] > 0.5) ^ (i % 3 == 0), int(PROB[i] > 0.5))
         for i, y in enumerate(LABELS)),
    ),
    "raters.csv": rows(
        "item,rating_1,rating_2,rating_3",
        ((i, *(round(1 + 8 * p + j + RNG.normal()) for j in range(3))) for i, p in enumerate(PROB)),
    ),
    "odd.csv": rows("a,b", ((f"{p:.4f}", y) for p, y in zip(PROB, LABELS, strict=True))),
    "bad.parquet": "PAR1 this is no Parquet",
    f"{'x' * 40}.csv": rows(
        f"score,label,{quoted(ATTACK)}",
        ((f"{p:.4f}", quoted(ATTACK) if y else quoted("</option></select><b>no"),
          quoted(f"{ATTACK}{i % 2}"))
         for i, (p, y) in enumerate(zip(PROB, LABELS, strict=True))),
    ),
}  # fmt: skip


@pytest.fixture(scope="module")
def app(tmp_path_factory):
    with running(tmp_path_factory.mktemp("app")) as found:
        yield found


@pytest.fixture(scope="module")
def files(tmp_path_factory):
    folder = tmp_path_factory.mktemp("files")
    for name, text in FILES.items():
        (folder / name).write_text(text, encoding="utf-8")
    return folder


@pytest.fixture(scope="module")
def driver(tmp_path_factory):
    found = started(tmp_path_factory.mktemp("profile"))
    found.set_script_timeout(60)
    yield found
    found.quit()


class User:
    """Somebody in front of the page."""

    def __init__(self, driver, app, files):
        self.driver, self.app, self.files = driver, app, files

    def all(self, what):
        return self.driver.find_elements("css selector", what)

    def one(self, what):
        return self.driver.find_element("css selector", what)

    def text(self, what):
        """Return what can be read in a part of the page."""
        return self.driver.execute_script(
            "const e = document.querySelector(arguments[0]); return e ? e.innerText : ''", what
        ).replace("\N{NO-BREAK SPACE}", " ")

    def sees(self, words, what="main", seconds=60):
        assert eventually(lambda: words in self.text(what), seconds), self.text("#result")[:2000]

    def rests(self):
        """Wait until all parts of the answer are there."""
        assert eventually(
            lambda: self.all("#details section") and not self.one("#busy").is_displayed()
        )

    def drops(self, name):
        self.one("#file").send_keys(str(self.files / name))

    def tries(self, do):
        """Do something, again if the page has just put another part in place."""
        from selenium.common.exceptions import WebDriverException

        def done():
            try:
                return do() is not False
            except WebDriverException as error:
                if type(error).__name__ not in PASSING:
                    raise
                return False

        assert eventually(done), self.text("main")

    def clicks(self, words, what="button"):
        """Click what has these words on it."""

        def click():
            found = next((one for one in self.all(what) if words in one.text), None)
            if found is None:
                return False
            self.driver.execute_script("arguments[0].scrollIntoView({block: 'center'})", found)
            return found.click()

        self.tries(click)

    def chooses(self, name, value):
        def choose():
            fields = (one for one in self.all("main select") if one.get_attribute("name") == name)
            options = {
                one.get_attribute("value"): one
                for one in next(fields).find_elements("tag name", "option")
            }
            if value in options:
                return options[value].click()
            options["more"].click()  # all roles
            return False

        self.tries(choose)

    def types(self, name, text):
        def write():
            field = self.driver.find_element("name", name)
            field.clear()
            field.send_keys(text)
            return field.get_attribute("value") == text

        self.tries(write)

    def opens(self, summary):
        self.clicks(summary, "summary")


@pytest.fixture
def user(driver, app, files):
    sized(driver, SCREEN)
    driver.get("about:blank")
    driver.get_log("browser"), driver.get_log("performance")
    driver.get(app.address)
    yield User(driver, app, files)
    messages = [entry["message"] for entry in driver.get_log("browser")]
    # Where a newer question takes the place of one, the page gives up asking for the older answer.
    assert [one for one in messages if not re.search(r"/jobs/\d+ .* 409 ", one)] == []


def test_scores_from_a_file_to_a_verdict_by_groups(user):
    user.drops("scores.csv")
    user.sees("on these labels is reachable", "#answer")
    user.sees("is reachable", "#status")  # for those who hear the page
    assert user.one("[name='role:score']").get_attribute("value") == "score"
    assert "1 (" in user.text("#f-positive")
    user.rests()
    assert user.all("#pictures figure svg")
    user.types("errors", "150")
    user.types("n", "400")
    user.sees("Your model, at", "#answer")
    user.chooses("role:site", "group")
    user.sees("In every site, your model can still gain", "#answer")
    user.sees("Groups\n2", "#answer")
    titles = [one.get_attribute("textContent") for one in user.all("#answer circle title")]
    assert [one[:3] for one in titles] == ["a: ", "b: "]  # the groups have a picture
    user.clicks("Compare the groups")
    user.opens("The exact command line and Python")
    user.sees("--group site", "#downloads")
    user.sees("--simultaneous", "#downloads")


def test_several_models_are_compared_with_people(user, tmp_path):
    user.drops("models.csv")
    user.sees("one more vote by one of these 5 annotators", "#answer")
    user.clicks("Compare good and poor with people")
    user.sees("is the worth of good", "#answer")
    user.sees("Two people agree on", "#answer")
    user.sees("best possible", "#answer .headline")
    user.sees("poor", "#answer .headline")
    user.sees("The data show that good is better than poor", "#people")
    assert user.one("[name='role:good']").get_attribute("value") == "prediction"
    user.rests()
    user.opens("The exact command line and Python")
    user.sees("errorfloor people models.csv", "#downloads")
    user.sees("--prediction good,poor", "#downloads")
    where = {"behavior": "allow", "downloadPath": str(tmp_path)}
    user.driver.execute_cdp_cmd("Browser.setDownloadBehavior", where)
    user.clicks("Card to share")
    assert eventually((tmp_path / "card.svg").exists)
    assert "is the worth of good" in (tmp_path / "card.svg").read_text(encoding="utf-8")
    user.chooses("role:poor", "")
    user.sees("your model", "#answer")


def test_models_next_to_a_label_are_compared_with_each_other(user, tmp_path):
    user.drops("predictions.csv")
    user.sees("Columns 'old', 'new' next to label 'label' look like what models predict", "#answer")
    user.clicks("Compare old and new")
    user.sees("is the accuracy of new", "#answer .headline")
    user.sees("better than old", "#answer .headline")
    user.sees("new is better than old: accuracy", "#answer")
    user.sees("How far the first model is ahead", "#standing")
    user.rests()
    user.opens("The exact command line and Python")
    user.sees("errorfloor compare predictions.csv --label label --prediction old,new", "#downloads")
    where = {"behavior": "allow", "downloadPath": str(tmp_path)}
    user.driver.execute_cdp_cmd("Browser.setDownloadBehavior", where)
    user.clicks("Card to share")
    assert eventually((tmp_path / "card.svg").exists)
    assert "better than old" in (tmp_path / "card.svg").read_text(encoding="utf-8")
    user.chooses("metric", "f1")
    user.sees("is the F1 of new", "#answer .headline")
    user.chooses("role:id", "group")
    user.sees("Models are compared on all items at once.", "#problem")
    user.chooses("role:id", "")
    user.sees("is the F1 of new", "#answer .headline")


@pytest.mark.parametrize("name", ["scores.csv", "models.csv", "gold.csv"])
@pytest.mark.parametrize("width", [SCREEN, PHONE])
def test_the_answer_is_on_the_first_screen(user, name, width):
    sized(user.driver, width)
    before = user.one("#drop").size["height"]
    user.drops(name)
    user.sees("%", "#answer .answer")
    user.rests()

    def box(what):
        script = "return document.querySelector(arguments[0]).getBoundingClientRect().toJSON()"
        return user.driver.execute_script(script, what)

    user.driver.execute_script("scrollTo(0, 0)")
    assert before > 100
    assert box("#drop")["height"] < 45  # a line, once there is a file
    assert box("#demos")["height"] < 45
    assert box("#answer .answer")["bottom"] <= 800  # number, picture and sentence
    assert user.text("#named") == name
    if width == PHONE:
        assert box("#form")["top"] >= box("#steps")["bottom"]
        return
    assert box("#steps")["bottom"] <= 800
    assert box("#form")["left"] >= box("#answer")["right"]
    user.driver.execute_script("scrollTo(0, document.documentElement.scrollHeight / 2)")
    assert 0 <= box("#form")["top"] < 20  # it stays next to what is read


OPTIONS = """
const outside = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT), found = [];
for (let one = outside.nextNode(); one; one = outside.nextNode()) {
  if (/(^|\\s)--[a-z]/.test(one.data) && !one.parentElement.closest("#typed")) found.push(one.data);
}
return found;
"""


@pytest.mark.parametrize(
    "name", ["scores.csv", "models.csv", "reversed.csv", "missing.csv", "odd.csv"]
)
def test_no_option_of_the_command_line_is_on_the_page(user, name):
    user.drops(name)
    user.sees("What the columns are")
    if name == "odd.csv":
        user.chooses("role:b", "score")
        user.sees("true label", "#answer")
    elif name == "missing.csv":
        user.sees("missing values", "#problem")
        user.sees('or choose "', "#problem")  # fields are chosen, arguments are passed
    else:
        user.rests()
    assert user.driver.execute_script(OPTIONS) == []


def test_what_to_do_next_is_a_button_that_does_it(user):
    user.clicks("Five classes")
    user.sees("is reachable (95 %", "#answer")
    user.clicks("Compare my model")
    script = "return document.activeElement.id || document.activeElement.textContent"
    assert eventually(lambda: user.driver.execute_script(script) == "f-errors")
    user.clicks("Compare methods")
    user.sees("offsets", "#compare-body")
    user.clicks("Which classes are confused")
    assert eventually(lambda: user.driver.execute_script(script) == "classes-heading")
    user.clicks("Vote counts")
    user.sees("one more annotator's vote", "#answer")
    user.rests()
    user.clicks("Plan which labels to buy")
    user.sees("1,000 items", "#plan-body")


def test_charts_tell_their_values_to_a_pointer_and_a_keyboard(user):
    from selenium.webdriver import ActionChains
    from selenium.webdriver.common.keys import Keys

    user.drops("scores.csv")
    user.rests()
    mark = user.one("#pictures svg.broad .mark circle")
    tip = user.one("#pictures svg.broad .mark .tip")
    assert tip.value_of_css_property("visibility") == "hidden"
    user.driver.execute_script("arguments[0].scrollIntoView({block: 'center'})", mark)
    ActionChains(user.driver).move_to_element(mark).perform()
    assert tip.value_of_css_property("visibility") == "visible"
    assert "score" in tip.get_attribute("textContent")
    summary = user.one("#pictures figure summary")
    user.driver.execute_script("arguments[0].focus()", summary)
    ActionChains(user.driver).send_keys(Keys.ENTER).perform()
    user.sees(tip.get_attribute("textContent")[:12], "#pictures figure ul")


def test_ratings_from_a_file_to_a_verdict_on_a_model(user):
    user.clicks("Ratings")
    user.sees("is the best R2 any model can get", "#answer")
    assert user.one("#answer svg").is_displayed()
    user.clicks("Ask for QWK", "#steps button")
    user.sees("The best possible QWK against one more rating", "#answer")
    user.chooses("rating_label", "mean")
    user.sees("against the mean rating", "#answer")
    user.clicks("Compare model with the best possible", "#steps button")
    user.sees("your model", "#answer")
    user.sees("of the ceiling", "#answer")
    user.rests()
    assert user.driver.execute_script(OPTIONS) == []
    user.opens("The exact command line and Python")
    user.sees("--prediction model --metric qwk --label mean", "#downloads")


def test_raters_side_by_side_are_named_by_one_click(user):
    user.drops("raters.csv")
    user.sees("is the best R2 any model can get", "#answer")
    assert "Compare item" not in user.text("#steps")
    user.sees("Columns differ", "#columns")
    user.clicks("Each column is one person")
    assert eventually(lambda: "Columns differ" not in user.text("#columns"))
    assert user.one("[name=rating_rater]").is_selected()
    user.chooses("role:rating_1", "label")
    user.sees("do not go with", "#problem")


def test_counted_votes_and_their_majority(user):
    user.clicks("Vote counts")
    user.sees("one more annotator's vote", "#answer")
    user.types("majority", "3")
    user.sees("majority of 3", "#answer")
    user.opens("The exact command line and Python")
    user.sees("errorfloor estimate demo/votes.csv", "#downloads")
    user.sees("--majority 3", "#downloads")


def test_annotators_with_gold(user):
    user.drops("gold.csv")
    user.sees("Votes next to labels", "#columns")
    user.sees("one more vote by one of these 5 annotators", "#answer")
    user.clicks("Ask about gold")
    user.sees("the gold label", "#answer")
    assert user.one("[name='role:gold']").get_attribute("value") == "label"


def test_a_judge_whose_scores_are_on_all_items_and_labels_on_some(user):
    user.clicks("LLM judge")
    user.clicks("Keep items without a label")
    user.sees("500 labels of 5,000 items", "#answer")
    user.opens("The exact command line and Python")
    user.sees("--unlabelled", "#downloads")


def test_many_classes_one_of_them_and_their_confusion(user):
    user.clicks("Five classes")
    user.sees("is reachable (95 %", "#answer")
    user.rests()
    user.sees("apple", "#classes")
    user.sees("apple (392)", "#question")
    user.clicks("Class votes")
    user.sees("one more vote by one of these 3 annotators", "#answer")
    user.chooses("positive", "apple")
    user.sees("apple against the rest", "#question")
    user.opens("The exact command line and Python")
    user.sees("--positive apple", "#downloads")


def test_soft_labels_and_another_metric(user):
    user.clicks("Soft labels")
    user.sees("If these are the true probabilities, the best possible", "#answer")
    user.chooses("metric", "auc")
    user.sees("the best possible AUC", "#answer")
    user.types("model_value", "0.9")
    user.types("n", "1000")
    user.sees("your model", "#answer")
    assert not user.one("#planner").is_displayed()
    assert not user.one("#compare").is_displayed()


def test_a_bad_file_gets_words_and_the_next_one_an_answer(user):
    user.drops("bad.parquet")
    user.sees("Could not read", "#problem")
    assert not user.one("#form").is_displayed()
    user.drops("scores.csv")
    user.sees("is reachable (95 %", "#answer")
    assert user.text("#problem") == ""


def test_reversed_scores_are_flipped_by_one_click(user):
    user.drops("reversed.csv")
    user.sees("No floor can be stated", "#answer")
    column = next(one for one in user.all(".column") if "Reversed scores" in one.text)
    assert column.text.startswith("score")  # next to the column that it is about
    user.clicks("Flip: class 1 is 0")
    user.sees("is reachable (95 %", "#answer")
    assert user.one("[name=positive]").get_attribute("value") == "0"


def test_an_error_offers_what_helps(user):
    user.drops("words.csv")
    user.clicks("Class 1 is left")
    user.sees("Reversed scores", "#columns")
    user.chooses("positive", "right")
    user.sees("is reachable (95 %", "#answer")
    user.drops("missing.csv")
    user.clicks("Leave out rows with missing values")
    user.sees("is reachable (95 %", "#answer")
    user.sees("Left out", "#rest")


def test_ratings_get_a_threshold(user):
    user.drops("ratings.csv")
    assert eventually(lambda: user.all("[name=positive_from]"))
    user.types("positive_from", "4")
    user.sees("is reachable (95 %", "#answer")
    user.opens("The exact command line and Python")
    user.sees("--positive-from 4", "#downloads")


def test_roles_can_be_chosen_where_names_do_not_tell(user):
    user.drops("odd.csv")
    user.sees("Which columns should be used?", "#answer")
    assert user.text("#question") == ""  # which has no sense yet
    roles = [one.text for one in user.all("[name='role:b'] option")]
    assert roles[0] == "not used"
    assert len(roles) == 7  # five to choose from, and the rest behind more
    user.chooses("role:b", "weight")  # from behind more, where it stays in sight
    user.sees("no column holds labels", "#answer")
    chosen = [one.text for one in user.all("[name='role:b'] option") if one.is_selected()]
    assert chosen == ["weight"]
    user.chooses("role:b", "score")
    user.sees("true label", "#result")  # asked for, or no column that fits
    user.chooses("role:b", "label")
    user.sees("is reachable (95 %", "#answer")
    assert user.text("#problem") == ""
    assert user.one("[name='role:a']").get_attribute("value") == "score"  # as it was taken


def test_the_planner_follows_its_sliders(user):
    from selenium.webdriver.common.keys import Keys

    user.clicks("Vote counts")
    user.sees("The best possible accuracy", "#answer")
    user.rests()
    user.opens("Plan: which labels to buy next")
    user.sees("1,000 items", "#plan-body")
    user.one("#f-items").send_keys(Keys.ARROW_RIGHT)
    user.sees("2,000 items", "#plan-body")
    assert user.one("#f-items").get_attribute("aria-valuetext") == "2,000"
    user.one("#f-target").send_keys(Keys.END)
    user.sees("20 points", "#plan-body")


def test_methods_are_compared(user):
    user.drops("scores.csv")
    user.sees("is reachable (95 %", "#answer")
    user.rests()
    user.opens("Compare methods")
    user.sees("hist-25", "#compare-body")
    user.sees("platt", "#compare-body")
    user.chooses("method", "beta")
    user.sees("beta", "#answer")


def test_reports_are_saved(user, tmp_path):
    where = {"behavior": "allow", "downloadPath": str(tmp_path)}
    user.driver.execute_cdp_cmd("Browser.setDownloadBehavior", where)
    user.drops("scores.csv")
    user.sees("is reachable (95 %", "#answer")
    for words, name in (("Report", "report.html"), ("Markdown", "report.md"),
                        ("JSON", "report.json")):  # fmt: skip
        user.clicks(words)
        assert eventually(lambda name=name: (tmp_path / name).exists())
        assert "is reachable (95 %" in (tmp_path / name).read_text(encoding="utf-8")
    found = json.loads((tmp_path / "report.json").read_text(encoding="utf-8"))
    assert found["command"].startswith("errorfloor estimate scores.csv")


def test_all_can_be_done_by_keyboard(user):
    from selenium.webdriver import ActionChains
    from selenium.webdriver.common.keys import Keys

    def press(*keys):
        ActionChains(user.driver).send_keys(*keys).perform()

    def focused():
        return user.driver.execute_script(
            "const e = document.activeElement; return e.name || e.textContent || e.id"
        )

    press(Keys.TAB)
    assert focused() == "Go to the answer"
    for _ in range(10):
        press(Keys.TAB)
        if focused() == "Scores and labels":
            break
    press(Keys.ENTER)
    user.sees("is reachable (95 %", "#answer")
    user.rests()
    for _ in range(40):
        press(Keys.TAB)
        if focused() == "method":
            break
    press(Keys.ARROW_DOWN)
    user.sees("corrupted", "#answer")
    assert eventually(lambda: focused() == "method")  # it keeps the focus
    for _ in range(10):
        press(Keys.TAB)
        if focused() == "errors":
            break
    press("900")
    press(Keys.TAB)
    press("10000")
    user.sees("Model", "#answer")
    assert focused() == "n"


def violations(driver):
    """Return what axe finds against WCAG and its best practices."""
    import axe_core_python

    script = Path(axe_core_python.__file__).with_name("axe.min.js").read_text(encoding="utf-8")
    driver.execute_script(script)
    found = driver.execute_async_script(
        "const done = arguments[0]; axe.run(document, {resultTypes: ['violations']})"
        ".then(r => done(r.violations.map(v => [v.id, v.nodes.map(n => n.html.slice(0, 200))])))"
    )
    return [one for one in found if one[1]]


@pytest.mark.parametrize("name", ["", "scores.csv", "reversed.csv", "odd.csv", "bad.parquet"])
def test_the_page_is_accessible_in_both_themes_and_fits_a_phone(user, name):
    if name:
        user.drops(name)
        user.sees("Could not" if "bad" in name else "What the columns are")
    if name == "scores.csv":
        user.rests()
        user.opens("The exact command line and Python")
        user.opens("More options")
        user.opens("Plan: which labels to buy next")
        user.sees("points", "#plan-body")
        user.opens("Compare methods")
        user.sees("isotonic", "#compare-body")
    for width in (SCREEN, PHONE):
        for theme in ("light", "dark"):
            sized(user.driver, width, theme)
            assert violations(user.driver) == []
        inner, outer = user.driver.execute_script(
            "return [document.documentElement.scrollWidth, window.innerWidth]"
        )
        assert outer == width
        assert inner <= width
        outside = user.driver.execute_script(
            "return [...document.querySelectorAll('main *')].filter(e => e.checkVisibility() &&"
            " !e.closest('.wide, svg, .errorfloor, pre, .values, #demos') &&"
            " e.getBoundingClientRect().right > innerWidth + 0.5)"
            ".map(e => e.outerHTML.slice(0, 99))"
        )
        assert outside == []


def test_nothing_in_a_file_runs(user):
    name = next(name for name in FILES if name.startswith("xx"))
    user.drops(name)
    user.sees("<img src=x onerror=", "#columns")
    user.chooses("positive", ATTACK)
    user.sees("is reachable (95 %", "#answer")
    user.chooses(f"role:{ATTACK}", "group")
    user.sees("Groups\n2", "#answer")
    user.rests()
    user.opens("The exact command line and Python")
    user.sees("onerror", "#downloads")
    assert user.driver.execute_script("return window.owned === undefined")
    assert user.driver.title == "errorfloor"
    assert user.all("main img, main script, main iframe, main style") == []
    # What slipped in would not run either: the policy is that of the server.
    user.driver.execute_script(
        "document.body.insertAdjacentHTML('beforeend', '<img src=x onerror=\"window.owned=1\">')"
    )
    time.sleep(0.2)
    assert user.driver.execute_script("return window.owned === undefined")
    blocked = [entry["message"] for entry in user.driver.get_log("browser")]
    assert any("Content Security Policy" in message for message in blocked)


def test_the_page_asks_its_own_server_only(user):
    user.drops("scores.csv")
    user.sees("is reachable (95 %", "#answer")
    user.rests()
    messages = [json.loads(one["message"])["message"] for one in user.driver.get_log("performance")]
    asked = [
        one["params"]["request"]["url"]
        for one in messages
        if one["method"] == "Network.requestWillBeSent"
    ]
    assert len(asked) > 5
    assert all(one.startswith((user.app.address, "data:,")) for one in asked)


FOREIGN = """<!DOCTYPE html><title>waiting</title><script>
const found = [];
const note = (name, go) => go().then(r => r.text()).then(t => found.push(`${name} read ${t}`),
                                                        () => found.push(`${name} refused`));
(async () => {
  await note("get", () => fetch("ADDRESS"));
  await note("post", () => fetch("ADDRESSpages", {method: "POST"}));
  await note("plain", () => fetch("ADDRESSpages", {method: "POST", mode: "no-cors"}));
  await note("json", () => fetch("ADDRESSpages", {method: "POST", body: "{}",
    headers: {"Content-Type": "application/json"}}));
  document.title = JSON.stringify(found);
})();
</script><iframe src="ADDRESS"></iframe><form method="post" action="ADDRESSpages"></form>"""


def test_a_foreign_page_can_neither_read_nor_post(driver, app):
    from http.server import BaseHTTPRequestHandler

    class Handler(BaseHTTPRequestHandler):
        def do_GET(self):
            self.send_response(200)
            self.send_header("Content-Type", "text/html")
            self.end_headers()
            self.wfile.write(FOREIGN.replace("ADDRESS", app.address).encode())

        def log_message(self, *_):
            pass

    before = set(app.folders())
    with serving(Handler) as address:
        driver.get(address)
        assert eventually(lambda: driver.title != "waiting")
        found = json.loads(driver.title)
        driver.switch_to.frame(0)
        assert "errorfloor" not in driver.find_element("tag name", "body").text
        driver.switch_to.default_content()
        driver.execute_script("document.forms[0].submit()")
        assert eventually(lambda: "another page" in driver.page_source)
    assert found == ["get refused", "post refused", "plain refused", "json refused"]
    assert set(app.folders()) <= before
    driver.get("about:blank")
    driver.get_log("browser")


def test_long_work_can_be_stopped(driver, files, tmp_path):
    with running(tmp_path, workers=1) as app:
        driver.get(app.address)
        user = User(driver, app, files)
        app.stall()
        user.drops("scores.csv")
        assert eventually(lambda: user.one("#stop").is_displayed())
        user.one("#stop").click()
        user.sees("Stopped.", "#problem")
        user.drops("words.csv")
        user.drops("scores.csv")
        user.sees("is reachable (95 %", "#answer")
        user.rests()
        driver.get("about:blank")  # the page goes, and its file with it
        assert eventually(lambda: not app.folders())
    driver.get_log("browser")


def test_a_crash_is_told_and_the_page_goes_on(driver, files, tmp_path):
    content = (files / "scores.csv").read_text(encoding="utf-8")
    (files / "wide.csv").write_text(content, encoding="utf-16")
    with halting(tmp_path, workers=1) as found:
        driver.get(found.app.address)
        user = User(driver, found.app, files)
        found.halt.touch()
        user.drops("wide.csv")
        assert eventually(found.copies)  # a worker is at work
        for pid in found.app.workers():
            os.kill(pid, signal.SIGKILL)
        user.sees("came to an end", "#problem")
        found.halt.unlink()
        user.drops("scores.csv")
        user.sees("is reachable (95 %", "#answer")
        user.rests()
        driver.get("about:blank")
    driver.get_log("browser")


def test_an_upload_can_be_stopped_or_replaced_by_another(driver, files, tmp_path):
    ends = ("stop", "replace")
    for end in ends:
        (files / f"{end}.csv").write_bytes(b"score,label\n" + b"0.5,1\n" * 3_000_000)
    with running(tmp_path) as app:
        driver.get(app.address)
        user = User(driver, app, files)
        user.drops("scores.csv")
        user.rests()
        for end in ends:
            os.kill(app.process.pid, signal.SIGSTOP)  # so that the upload takes for ever
            try:
                user.drops(f"{end}.csv")
                user.sees(f"uploading {end}.csv", "#doing")
                if end == "stop":
                    user.one("#stop").click()
                    user.sees("Stopped.", "#problem")
                else:
                    user.drops("scores.csv")
            finally:
                os.kill(app.process.pid, signal.SIGCONT)
            if end == "stop":
                assert eventually(lambda: not list(tmp_path.rglob("*.csv")))
                assert user.text("#answer") == ""
        user.sees("is reachable (95 %", "#answer")
        user.rests()
        assert [path.name for path in tmp_path.rglob("*.csv")] == ["scores.csv"]
        driver.get_log("browser")
