"""Annotators as a sample: what tables keep of them, the interval, and who carries the floor."""

import json
from dataclasses import replace
from decimal import Decimal

import numpy as np
import pandas as pd
import pytest
from click.testing import CliRunner
from engines import ENGINES
from hypothesis import given, settings
from hypothesis import strategies as st
from needs import needs_data
from scipy import stats

import errorfloor as ef
from benchmarks import annotators as study
from errorfloor.data.annotators import bucket_of, effective_number, number_of
from errorfloor.data.ballots import Ballots
from errorfloor.data.values import text_of
from errorfloor.intervals.votes import annotators as interval
from errorfloor.questions import annotators as question
from errorfloor.questions.annotators import rows_of
from errorfloor.results.annotators import Annotator

COLUMNS = {"item": "item", "annotator": "annotator", "vote": "vote"}


def crowd(rng, n=120, people=30, votes=4):
    """Return single votes of a small crowd, a third of whom guess."""
    item = np.repeat(np.arange(n), votes)
    who = np.array([rng.choice(people, votes, replace=False) for _ in range(n)]).ravel()
    easy = np.repeat(rng.random(n) < 0.5, votes)
    vote = np.where(who % 3 == 0, rng.random(item.size) < 0.5, easy ^ (rng.random(item.size) < 0.1))
    return pd.DataFrame({"item": item, "annotator": who, "vote": vote.astype(int)})


@pytest.fixture(scope="module")
def votes():
    return crowd(np.random.default_rng(0))


@pytest.mark.parametrize("same", [[7, 7.0, "7", "7.0", " 7 ", np.int64(7), np.float32(7)]])
def test_the_text_of_an_id_does_not_depend_on_its_type(same):
    assert {text_of(one) for one in same} == {"7"}
    assert len({bucket_of(one) for one in same}) == 1
    assert bucket_of("7") != bucket_of("8")
    assert [text_of(one) for one in (7.5, np.inf, -np.inf, Decimal("Infinity"))] == [
        *("7.5", "inf", "-inf", "Infinity")
    ]
    # Written down, because saved tables depend on it.
    assert (bucket_of("ann"), bucket_of(7)) == (998029, 479463)


@pytest.mark.parametrize("engine", ENGINES)
def test_every_engine_keeps_the_same_of_annotators(votes, engine):
    columns = {name: ("int64", votes[name].tolist()) for name in votes}
    expected = Ballots.of(*(votes[name] for name in COLUMNS)).table()
    found = ef.frames.vote_table(ENGINES[engine](columns), **COLUMNS)
    assert found == expected
    assert found.by_group is not None
    texts = {**columns, "annotator": ("text", [f"{one}.0" for one in votes["annotator"]])}
    assert ef.frames.vote_table(ENGINES[engine](texts), **COLUMNS) == expected


@pytest.mark.parametrize("engine", ["pandas", "polars", "pyarrow", "duckdb"])
def test_a_column_per_annotator_keeps_the_same_as_rows(votes, engine):
    few = votes[votes["annotator"] < 8]
    wide = few.pivot(index="item", columns="annotator", values="vote")
    lists = {str(one): ("int64", [None if v != v else int(v) for v in wide[one]]) for one in wide}
    found = ef.frames.vote_table(ENGINES[engine](lists), annotators=list(lists))
    assert found == ef.frames.vote_table(few, **COLUMNS)


LIMITS = {
    "annotators": ("errorfloor.data.rows.MOST_ANNOTATORS", 3),
    "rows": ("errorfloor.data.rows.MOST_ROWS", 3),
}


@pytest.mark.parametrize("limit", LIMITS)
def test_beyond_a_limit_annotators_are_not_told_apart_and_votes_are_counted(limit, monkeypatch):
    rng = np.random.default_rng(0)
    rows = pd.DataFrame(
        {
            "item": np.repeat(np.arange(50), 4),
            "annotator": np.tile(np.arange(4), 50),
            "vote": rng.integers(2, size=200),
        }
    )
    named = {"item": "item", "annotator": "annotator", "vote": "vote"}
    plain = ef.frames.vote_table(rows, **named)
    assert plain.workloads[:, 1].tolist() == [50] * 4
    monkeypatch.setattr(*LIMITS[limit])
    found = ef.frames.vote_table(rows, **named)
    assert found.workloads is None
    assert found.by_group is None
    np.testing.assert_array_equal(found.votes, plain.votes)
    np.testing.assert_array_equal(found.counts, plain.counts)


def test_very_many_votes_of_many_classes_on_an_item_do_not_tell_annotators_apart(monkeypatch):
    rows = pd.DataFrame(
        {"item": [0] * 6 + [1] * 3, "annotator": [*range(6), *range(3)], "vote": [*"aaabbcabc"]}
    )
    named = {"item": "item", "annotator": "annotator", "vote": "vote"}
    assert ef.frames.vote_table(rows, **named).workloads is not None
    monkeypatch.setattr("errorfloor.data.rows.MOST_FOR_A_CLASS", 2)  # and one has three
    found = ef.frames.vote_table(rows, **named)
    assert found.workloads is None
    assert found.votes.tolist() == [[1, 1, 1], [3, 2, 1]]


def test_columns_of_annotators_that_do_not_fit_into_memory_are_counted_by_pattern(monkeypatch):
    columns = dict(zip("abc", np.random.default_rng(0).integers(2, size=(3, 60)), strict=True))
    rows = pd.DataFrame(columns)
    plain = ef.frames.vote_table(rows, annotators=["a", "b", "c"])
    assert plain.workloads[:, 1].tolist() == [60] * 3
    monkeypatch.setattr("errorfloor.data.rows._MOST_ENTRIES", 3 * 8)  # three votes, 8 patterns
    assert ef.frames.vote_table(rows, annotators=["a", "b", "c"]) == plain
    monkeypatch.setattr("errorfloor.data.rows._MOST_ENTRIES", 3 * 7)
    found = ef.frames.vote_table(rows, annotators=["a", "b", "c"])
    assert found.workloads is None
    np.testing.assert_array_equal(found.counts, plain.counts)


@pytest.mark.parametrize("kind", ["float", "decimal", "date"])
@pytest.mark.parametrize("engine", ["pandas", "polars", "pyarrow", "duckdb"])
def test_ids_of_annotators_may_be_of_any_kind(kind, engine):
    import datetime
    import decimal

    item, people = np.repeat(np.arange(20), 3), np.tile([1, 2, 3], 20)
    vote = np.random.default_rng(0).integers(2, size=60)
    make = {
        "float": float,
        "decimal": decimal.Decimal,
        "date": lambda day: datetime.date(2026, 11, day),
    }[kind]
    text = [f"2026-11-0{one}" if kind == "date" else str(one) for one in people]
    values = {"item": item, "annotator": [make(int(one)) for one in people], "vote": vote}
    if engine == "pandas":
        frame = pd.DataFrame(values)
    elif engine == "polars":
        frame = pytest.importorskip("polars").DataFrame(values)
    else:
        frame = pytest.importorskip("pyarrow").table(values)
        if engine == "duckdb":
            frame = pytest.importorskip("duckdb").connect().from_arrow(frame)
    named = {"item": "item", "annotator": "annotator", "vote": "vote"}
    plain = ef.frames.vote_table(pd.DataFrame({**values, "annotator": text}), **named)
    assert ef.frames.vote_table(frame, **named) == plain


def test_single_votes_that_do_not_fit_into_memory_are_refused(monkeypatch):
    rows = pd.DataFrame({"item": [0, 0, 1], "annotator": [*"aba"], "vote": [0, 1, 1]})
    monkeypatch.setattr("errorfloor.data.ballots.MOST_VOTES", 2)
    with pytest.raises(ef.InputError) as error:
        ef.annotators(rows, item="item", annotator="annotator", vote="vote")
    assert str(error.value) == (
        "There are more than 2 votes, which is too many to look at one by one. Take a sample of "
        "the items, with all of their votes."
    )


def test_tables_with_annotators_add_up_and_are_saved_whole(votes, tmp_path):
    whole = ef.frames.vote_table(votes, **COLUMNS)
    parts = ef.frames.vote_tables(votes.assign(half=votes["item"] % 2), group="half", **COLUMNS)
    assert parts[0] + parts[1] == whole
    assert parts[0] + ef.VoteTable.empty() == parts[0] == ef.VoteTable.empty() + parts[0]
    for name, part in parts.items():
        part.save(tmp_path / f"{name}.npz")
    assert ef.merge([tmp_path / "0.npz", tmp_path / "1.npz"]) == whole
    assert ef.from_votes(whole).interval == ef.from_votes(votes).interval
    assert number_of(whole.workloads) == 30
    assert not whole.workloads.flags.writeable
    assert not whole.by_group.flags.writeable


def test_a_sum_with_votes_of_unknown_people_knows_nobody_and_says_so(votes):
    known = ef.frames.vote_table(votes, **COLUMNS)
    with pytest.warns(ef.LostAnnotatorsWarning, match="hold for these annotators only"):
        total = known + ef.VoteTable.from_arrays([1, 2], 4)
    assert total.workloads is None
    assert total.by_group is None
    assert ef.from_votes(total).interval_method == "likelihood"


def test_what_does_not_go_with_the_votes_is_refused(votes):
    table = ef.frames.vote_table(votes, **COLUMNS)
    arrays = {"by_group": table.by_group, "workloads": table.workloads}
    for name in arrays:
        wrong = {**arrays, name: arrays[name][1:]}
        with pytest.raises(ValueError, match="does not go with its votes"):
            ef.VoteTable(table.votes, table.counts, **wrong)
    with pytest.raises(ValueError, match="must be counts with the columns"):
        ef.VoteTable(table.votes, table.counts, by_group=table.by_group)


@settings(max_examples=50, deadline=None)
@given(st.integers(2, 9), st.data())
def test_chance_without_a_group_is_hypergeometric(m, data):
    k, own = data.draw(st.integers(0, m)), data.draw(st.integers(1, m))
    slopes = (0.3, 1.7)
    rest = (np.array([one]) for one in (m, k, m - own))
    variance = interval._variance_if_exchanged(*rest, slopes)
    drawn = np.arange(own + 1)
    chance = stats.hypergeom(m, k, own).pmf(drawn)
    left, yes = m - own, k - drawn
    values = np.zeros(own + 1)
    if left >= 2:
        values = 0.3 * yes / left + 1.7 * yes * (left - yes) / (left * (left - 1))
    possible = chance > 0
    expected = chance[possible] @ values[possible]
    if left >= 2:  # nothing changes on average
        assert interval._mean(np.array([m]), np.array([k]), slopes)[0] == pytest.approx(expected)
    spread = chance[possible] @ (values[possible] - expected) ** 2
    assert variance[0] == pytest.approx(spread, abs=1e-13)


def test_the_spread_is_that_of_leaving_out_one_group_at_a_time(votes):
    ballots = Ballots.of(*(votes[name] for name in COLUMNS))
    table, slopes = ballots.table(), (0.0, 2.0)
    part = np.array([bucket_of(name) % 64 for name in ballots.names])[ballots.annotator]

    def mean(some):
        m = np.bincount(ballots.item[some], minlength=120)
        k = np.bincount(ballots.item[some], ballots.vote[some], 120)
        pairs = m >= 2
        return 2 * np.mean((k * (m - k))[pairs] / (m * (m - 1))[pairs])

    def spread(part):
        groups = np.unique(part)
        w = np.array([np.mean(part == g) for g in groups])
        u = (1 - w) / w * np.array([mean(part >= 0) - mean(part != g) for g in groups])
        return np.sum(w**2 * (u - w @ u) ** 2 / (1 - 2 * w + w @ w)), w

    found, w = spread(part)
    rng, by_chance = np.random.default_rng(1), []
    for _ in range(300):  # votes exchanged within items
        keys = rng.random(part.size)
        by_chance.append(spread(part[np.lexsort((keys, ballots.item))])[0])
    ours = interval.spread_of(table, slopes)
    error = 4 * np.std(by_chance) / np.sqrt(300)
    assert ours.variance == pytest.approx(found - np.mean(by_chance), abs=error)
    assert ours.freedom == pytest.approx((w @ w) ** 2 / np.sum(w**4) - 1)
    assert ours.variance > 0


def test_items_of_two_votes_go_whole_with_one_of_them():
    votes = crowd(np.random.default_rng(3), n=400, people=12, votes=2)
    ballots = Ballots.of(*(votes[name] for name in COLUMNS))
    part = np.array([bucket_of(name) % 64 for name in ballots.names])[ballots.annotator]
    part = part.reshape(400, 2)  # the votes of an item follow each other
    disagree = np.diff(ballots.vote.reshape(400, 2)).ravel() != 0
    groups = np.unique(part)
    weight = np.array([np.mean(part == g) for g in groups])
    scale = (1 - weight) / weight
    left = [~(part == g).any(axis=1) for g in groups]
    found = scale * np.array([disagree.mean() - disagree[kept].mean() for kept in left])
    size = np.array([kept.sum() for kept in left])
    # By chance any items would go, so that the mean stays but for noise.
    noise = scale**2 * (400 - size) * disagree.var() / size**2
    factor = weight**2 / (1 - 2 * weight + weight @ weight)
    expected = factor @ ((found - weight @ found) ** 2 - noise)
    assert expected > 0
    assert interval.spread_of(ballots.table(), (0.0, 2.0)).variance == pytest.approx(expected)


def test_two_votes_per_item_show_that_annotators_differ():
    def spread(guessers):
        table = study.Setting(40, guessers, 2).draw(np.random.default_rng(0), 4000).table()
        return interval.spread_of(table, (0.0, 2.0)).variance

    assert spread(0.3) > 4 * spread(0.0)
    assert np.sqrt(spread(0.3)) > 0.01


def test_for_guessers_the_polynomial_answers_as_the_floor_does():
    points = np.linspace(0, 1, 513)
    weights = np.random.default_rng(0).dirichlet(np.ones(513))
    b, c = interval.slopes_of(points, weights)
    towards = 0.5 - points  # how probabilities move when some people guess
    floor = weights @ (np.sign(towards) * towards)
    assert weights @ ((b + c * (1 - 2 * points)) * towards) == pytest.approx(floor, rel=1e-2)


# 30 repetitions: a coverage of 0.95 stays above 0.8 but once in 3,000.
@pytest.mark.parametrize(
    ("setting", "likelihood"),
    [
        (study.Setting(40, 0.15, 10), 0.9),
        (study.Setting(40, 0.3, 10, "skewed", panels=True), 0.85),
    ],
)
def test_the_interval_covers_where_the_likelihood_interval_does_not(setting, likelihood):
    plain, ours, wider = study._held(setting, study.simulate(setting, 30))
    assert plain < likelihood
    assert ours > 0.8
    assert wider < 5


@pytest.mark.parametrize("classes", [2, 3])
@pytest.mark.parametrize("people", [10, 20, 40])
def test_the_upper_limit_allows_for_people_who_happen_to_be_missing(people, classes):
    # A sample lacks people with a chance of 5 % who are such a share of all.
    share = 1 - 0.05 ** (1 / people)
    rng = np.random.default_rng(people)
    items = rng.dirichlet(np.full(classes, 0.05), 500)
    votes = (rng.random((500, people, 1)) > items.cumsum(axis=1)[:, None]).sum(axis=2)
    found = ef.from_votes(annotators=votes, interval="annotators")
    assert found.interval_method == "annotators"
    # They answer any class but the one that they would.
    mixed = (1 - share) * items + share * (1 - items) / (classes - 1)
    assert np.mean(1 - mixed.max(axis=1)) < found.high
    assert found.low <= np.mean(1 - items.max(axis=1)) < found.value + 0.03


@pytest.mark.filterwarnings("ignore:All votes agree")
@pytest.mark.parametrize(("people", "bad"), [(6, 0), (10, 0), (20, 0), (20, 1), (20, 2), (20, 4),
                                             (50, 0), (50, 1), (50, 5), (50, 10)])  # fmt: skip
@pytest.mark.filterwarnings("ignore:The votes do not look independent")
def test_on_certain_items_the_upper_limit_is_that_of_the_share_of_bad_people(people, bad):
    truth = np.arange(200)[:, None] % 2
    votes = np.where(np.arange(people) < bad, 1 - truth, truth)
    found = ef.from_votes(annotators=votes, interval="annotators")
    assert found.value == pytest.approx(bad / people, abs=1e-3)
    exact = stats.beta.ppf(0.975, bad + 1, people - bad)  # Clopper and Pearson
    assert found.high == pytest.approx(exact, abs=0.015)
    exact = stats.beta.ppf(0.9, bad + 1, people - bad)
    assert found.at_level(0.8).high == pytest.approx(exact, abs=0.015)


@pytest.mark.filterwarnings("ignore:All votes agree")
def test_nothing_jumps_with_the_number_of_annotators():
    truth = np.arange(100)[:, None] % 2
    wide = [np.repeat(truth, people, axis=1) for people in range(12, 30)]
    high = [ef.from_votes(annotators=one, interval="annotators").high for one in wide]
    falls = -np.diff(high)
    assert (falls > 0).all()
    assert (falls[1:] < falls[:-1]).all()


def test_annotators_who_do_not_differ_cost_next_to_nothing():
    setting = study.Setting(800, votes=5, spread=0.0)
    assert study._held(setting, study.simulate(setting, 8))[2] < 1.08


def test_800_workers_with_guessers_are_at_most_half_as_wide_again():
    setting = study.Setting(800, 0.15, 10)
    assert study._held(setting, study.simulate(setting, 8))[2] < 1.5


def test_the_answer_says_for_whom_it_speaks(votes):
    known = ef.from_votes(votes)
    assert known.interval_method == "annotators"
    assert "the 30 annotators are each treated as a random sample" in known.assumptions
    assert known.low < known.at_level(0.8).low
    plain = ef.from_votes(votes, interval="likelihood")
    assert plain.value == known.value
    assert known.low <= plain.low
    assert plain.high <= known.high
    for name in ("likelihood", "certified"):
        found = ef.from_votes(votes, interval=name)
        assert "one more vote by one of these 30 annotators, not by a new one" in found.assumptions
    counts = ef.from_votes([1, 2, 3], 3)
    assert "It is not known who gave which vote" in counts.assumptions
    with pytest.raises(ValueError, match="needs to know whose vote each one is"):
        ef.from_votes([1, 2, 3], 3, interval="annotators")


@pytest.mark.filterwarnings("ignore:.*too few to speak for other people")
def test_too_few_people_are_no_sample_and_the_answer_says_so(votes):
    few = votes[votes["annotator"] < 4]
    found = ef.from_votes(few)
    assert found.interval_method == "likelihood"
    assert "one more vote by one of these 4 annotators" in found.sentence
    assert [finding.level for finding in found.findings if finding.name == "annotators"] == ["warn"]
    with pytest.warns(ef.DegenerateBootstrapWarning, match="5 are the fewest"):
        assert ef.from_votes(few, interval="annotators").interval_method == "likelihood"
    # Many people, but one of them cast most votes.
    one = pd.concat([votes, votes.drop_duplicates("item").assign(annotator="x")])
    work = ef.frames.vote_table(one, **COLUMNS).workloads
    assert number_of(work) == 31
    assert effective_number(work) < 20
    assert [f.level for f in ef.from_votes(one).findings if f.name == "annotators"] == ["note"]


def test_annotators_are_compared_with_the_others_on_their_items(votes):
    found = ef.annotators(votes)
    # Slow and obvious, for one of them.
    agree, pairs, share = 0.0, 0, {}
    for _, rows in votes.groupby("item"):
        for who, x in zip(rows["annotator"], rows["vote"], strict=True):
            others = rows.loc[rows["annotator"] != who, "vote"]
            share[who] = share.get(who, 0.0) + np.mean(others != x) / len(rows)
            if who == 4:
                agree, pairs = agree + np.mean(others == x), pairs + 1
    assert found["4"].agreement == pytest.approx(agree / pairs)
    assert found["4"].votes == pairs
    assert found["4"].share == pytest.approx(share[4] / sum(share.values()))
    assert sum(row.share for row in found) == pytest.approx(1)
    informed = {row.annotator for row in found if not row.may_guess}
    guess = {str(one) for one in range(0, 30, 3)}
    assert len(informed & guess) <= 1
    assert found.without < found.everyone
    assert found.floor.interval_method == "annotators"


def test_limits_of_informedness_hold():
    rng, held = np.random.default_rng(0), []
    for _ in range(60):
        n, truth = 60, rng.random(60) < 0.5
        sure = np.column_stack([truth] * 4)  # four who are always right, so the truth is known
        own = np.where(rng.random(n) < 0.8, truth, ~truth)
        votes = np.column_stack((own, sure)).astype(int)
        ballots = Ballots.side_by_side(votes, list("abcde"))
        row = rows_of(ballots, 0.95)[0]
        held.append(row.low <= 0.6 <= row.high)
    assert np.mean(held) >= 0.85


def test_nobody_is_left_out_of_a_few(votes):
    few = ef.annotators(votes[votes["annotator"] < 10])
    assert few.without is None
    assert "needs 20 annotators or more in all" in few.notes[0]
    assert few.notes[0] in str(few)
    with pytest.raises(ValueError, match="Counts do not say whose votes"):
        ef.annotators([1, 2, 3])
    with pytest.raises(ValueError, match="`annotator` is missing"):
        ef.annotators(votes[["item", "vote"]], item="item", vote="vote")


def test_the_command_says_the_same(votes, tmp_path):
    from errorfloor.apps.cli.commands import cli

    votes.to_csv(tmp_path / "votes.csv", index=False)
    found = ef.annotators(votes)
    arguments = ["annotators", str(tmp_path / "votes.csv"), "--json"]
    output = tmp_path / "people.csv"
    ran = CliRunner().invoke(cli, [*arguments, "-o", str(output)])
    assert ran.exit_code == 0, ran.output
    result = json.loads(ran.stdout)["result"]
    assert result["without"] == found.without
    assert result["rows"] == [row.to_dict() for row in found]
    people = pd.read_csv(output)
    assert people["share"].tolist() == pytest.approx([row.share for row in found])
    assert found.to_frame("pandas")["votes"].tolist() == people["votes"].tolist()
    piped = CliRunner().invoke(cli, ["annotators", "-"], input=(tmp_path / "votes.csv").read_text())
    assert piped.exit_code == 0, piped.output
    assert "guess" in piped.stdout


@needs_data
def test_the_crowd_of_rte_is_known_by_number():
    data = ef.datasets.load_rte()
    assert (data.n, data.votes.sum(), data.labels.sum()) == (800, 8000, 400)
    frame = pd.DataFrame(data.annotations)
    estimate = ef.from_votes(frame)
    assert estimate.value == ef.from_votes(data.vote_table).value == pytest.approx(0.2648, abs=1e-4)
    assert "164 annotators (worth 26 with equal numbers of votes" in estimate.assumptions
    found = ef.annotators(frame)
    assert found.without < 0.75 * found.everyone


@pytest.mark.filterwarnings("ignore::errorfloor.ErrorFloorWarning")
def test_files_of_many_columns_are_read_as_dataframes_are(tmp_path):
    rng = np.random.default_rng(3)
    # More than the 39 whose votes, or none, fit into one whole number.
    words = np.array(["0", "1", " 1", "TRUE", "false ", "0.0", "1e0", ""])
    wide = pd.DataFrame(rng.choice(words, (60, 45)), columns=[f"rater_{i}" for i in range(45)])
    wide.to_csv(tmp_path / "wide.csv", index=False)
    columns = {"annotators": list(wide)}
    number = {"": np.nan, "TRUE": 1, "false ": 0}
    plain = wide.map(lambda word: float(number.get(word, word)))
    expected = ef.frames.vote_table(plain, **columns)
    found = ef.frames.vote_table(tmp_path / "wide.csv", **columns)
    assert found == expected
    assert found.by_group is not None
    rated = ef.frames.vote_table(tmp_path / "wide.csv", **columns, positive_from=1)
    assert rated == expected
    named = ef.frames.vote_table(tmp_path / "wide.csv", **columns, positive="1e0")
    assert (named.positives @ named.counts) == (wide == "1e0").sum().sum()
    wide.iloc[5, 43] = "maybe"
    wide.to_csv(tmp_path / "wide.csv", index=False)
    with pytest.raises(ef.InputError, match=r"'rater_43'.* 1 of 60 are bad, for example 'maybe'"):
        ef.frames.vote_table(tmp_path / "wide.csv", **columns)


def test_a_table_whose_annotators_do_not_go_with_its_votes_is_refused():
    votes = np.array([1, 1, 2, 2]), np.array(["a", "b", "a", "b"]), np.array([1, 0, 1, 1])
    table = Ballots.of(*votes).table()
    # More votes of a group than there are on the item, more for class 1, or none.
    for column, value in ((3, 5), (4, 3), (3, 0)):
        for row in range(len(table.by_group)):
            rows = np.array(table.by_group)
            if rows[row, column] == value:
                continue
            rows[row, column] = value
            with pytest.raises(ef.InputError, match="does not go with its votes"):
                ef.VoteTable(table.votes, table.counts, by_group=rows, workloads=table.workloads)


@pytest.mark.parametrize(("low", "guess"), [(None, True), (0.0, True), (-0.1, True), (0.1, False)])
def test_annotators_may_guess_unless_their_limit_is_above_0(low, guess):
    rest = {"votes": 9, "agreement": 0.8, "informedness": 0.5, "high": 0.9, "share": 0.1}
    row = Annotator(annotator="ann", low=low, **rest)
    assert row.may_guess is guess
    assert row.to_dict()["may_guess"] is guess


def slow_informedness(ballots, who, level):
    """Go over the votes of one annotator, and combine Wilson's limits as Newcombe does."""
    z = stats.norm.ppf((1 + level) / 2)
    same, total = {}, {}
    for item, by, vote in zip(ballots.item, ballots.annotator, ballots.vote, strict=True):
        others = [
            int(v)
            for i, b, v in zip(ballots.item, ballots.annotator, ballots.vote, strict=True)
            if i == item and b != by
        ]
        most = max((others.count(k) for k in set(others)), default=0)
        leading = [k for k in set(others) if others.count(k) == most]
        if by == who and len(leading) == 1:
            total[leading[0]] = total.get(leading[0], 0) + 1
            same[leading[0]] = same.get(leading[0], 0) + (vote == leading[0])
    if len(total) < 2:
        return None, None, None
    value, below, above = -1.0, 0.0, 0.0
    for k, n in total.items():
        p = same[k] / n
        middle = (p + z**2 / (2 * n)) / (1 + z**2 / n)
        half = z / (1 + z**2 / n) * np.sqrt(p * (1 - p) / n + z**2 / (4 * n**2))
        value, below, above = (
            value + p,
            below + (p - middle + half) ** 2,
            above + (middle + half - p) ** 2,
        )
    scale = len(total) - 1
    return value / scale, (value - below**0.5) / scale, (value + above**0.5) / scale


@pytest.mark.parametrize("classes", [2, 3, 4])
def test_informedness_is_that_of_going_over_the_votes(classes):
    rng = np.random.default_rng(classes)
    pattern = rng.integers(-1, classes, (40, 6))
    pattern[:, 0] = np.where(rng.random(40) < 0.8, pattern[:, 1], pattern[:, 0])
    pattern[:, 5] = -1
    pattern[:2, 5] = 0  # who has hardly voted
    names = [str(k) for k in range(classes)]
    ballots = Ballots.side_by_side(pattern, list("abcdef")).with_classes(tuple(names))
    found = rows_of(ballots, 0.9)
    assert [row.annotator for row in found] == list("abcdef")
    for who, row in enumerate(found):
        assert row.votes == np.count_nonzero(pattern[:, who] >= 0)
        slow = slow_informedness(ballots, who, 0.9)
        assert (row.informedness, row.low, row.high) == pytest.approx(slow)


def test_who_votes_alone_agrees_with_nobody_and_carries_nothing():
    pattern = np.array([[1, 1, -1, -1], [0, 0, -1, -1], [-1, -1, 1, -1]])
    found = rows_of(Ballots.side_by_side(pattern, list("abcd")), 0.95)
    assert [row.annotator for row in found] == ["a", "b", "c"]  # the last has no vote at all
    assert [row.agreement for row in found] == [1.0, 1.0, None]
    assert [row.share for row in found] == [0, 0, 0]
    assert found[2].informedness is None


def test_from_twenty_annotators_on_those_who_may_guess_are_left_out():
    rng = np.random.default_rng(1)
    truth = np.arange(24) % 2

    def asked(people):
        names = [f"p{i:02}" for i in range(people)]
        right = truth[:, None] ^ (rng.random((24, people)) < 0.1)
        frame = pd.DataFrame(right.astype(int), columns=names)
        return ef.annotators(frame, annotators=names)

    assert asked(19).notes == (
        "A floor that leaves out annotators who may be guessing needs 20 annotators or more "
        "in all.",
    )
    enough = asked(20)
    assert enough.notes == ()
    assert 0 <= enough.left_out < 1
    shares = [(-row.share, row.annotator) for row in enough]
    assert shares == sorted(shares)


def test_where_all_may_be_guessing_nobody_is_left():
    rows = pd.DataFrame({"item": np.arange(60) // 2, "annotator": np.arange(60) % 25})
    rows["vote"] = np.random.default_rng(0).integers(2, size=60)
    found = ef.annotators(rows, **COLUMNS)
    assert (found.everyone, found.without, found.left_out) == (None, None, None)
    assert found.notes == (
        "Without those who may be guessing, too few votes are left for a floor.",
    )


def test_floors_of_single_votes_are_those_of_their_table(votes):
    ballots = Ballots.of(*(votes[name] for name in COLUMNS))
    assert question._floor(ballots) == pytest.approx(ef.from_votes(votes).value, abs=1e-9)
    two = ballots.where(np.arange(ballots.item.size) % 4 < 2)
    assert two.totals.max() == 2
    assert 0 <= question._floor(two) <= 0.5
    assert question._floor(ballots.where(np.arange(ballots.item.size) % 4 < 1)) is None
    # All items in one half: there is none to choose on, or none to measure on.
    one_half = replace(ballots, half=np.ones_like(ballots.half))
    assert question._measured(one_half, 0.95) == (None, None, None)


def test_a_wide_interval_of_few_annotators_says_why_and_how_to_ask_for_these_alone():
    rng = np.random.default_rng(0)
    people, chance = 6, np.repeat(rng.beta(0.6, 0.8, 100), 6)
    rows = pd.DataFrame({"item": np.repeat(np.arange(100), people), "vote": rng.random(600)})
    rows["vote"] = (rows["vote"] < chance) * 1
    rows["annotator"] = np.tile(np.arange(people), 100)
    named = {"item": "item", "annotator": "annotator", "vote": "vote"}
    found = ef.from_votes(rows, **named, interval="annotators")
    assert "It is wide because they are few" in found.assumptions
    (finding,) = (one for one in found.findings if one.name == "annotators")
    assert "wide because there are only 6 annotators" in finding.sentence
    assert "For the votes of these 6 alone" in finding.remedy
    alone = ef.from_votes(rows, **named, interval="likelihood")
    assert "one more vote by one of these 6 annotators" in alone.assumptions
    assert alone.high < found.high
    (finding,) = (one for one in alone.findings if one.name == "annotators")
    assert finding.level == "note"
    assert "--interval annotators" in finding.remedy


# 16 repetitions: a coverage of 0.95 gives 12 or fewer once in 140 tries, one of 0.5 in 99 of 100.
@pytest.mark.parametrize("missing", [0.0, 0.3])
@pytest.mark.parametrize("people", [5, 8, 12])
def test_the_default_holds_the_floor_of_one_of_these_few_who_differ(people, missing):
    setting = study.Few(people, guessers=1, missing=missing, items=2000)
    assert study.simulate_few(setting, 16)[:, 1].sum() > 12


def test_one_guesser_of_five_needs_more_than_the_likelihood_alone():
    plain, ours, width, our_width, _ = study.simulate_few(study.Few(5, 1, items=5000), 16).T
    assert plain.sum() <= 12 < ours.sum()
    assert (our_width > width).all()


NOBODY_ELSE = "one more vote by one of these {} annotators"


@pytest.mark.filterwarnings("ignore:.*too few to speak for other people")
@pytest.mark.filterwarnings("ignore:The annotators interval of mixture is undefined")
@pytest.mark.parametrize("classes", [2, 3])
@pytest.mark.parametrize("asked", ["auto", "likelihood", "certified", "annotators", None])
@pytest.mark.parametrize("people", [4, 5, 19, 20])
def test_sentence_target_and_claim_say_whose_vote_it_is(people, asked, classes):
    rng = np.random.default_rng(people)
    items = rng.dirichlet(np.full(classes, 0.4), 60)
    votes = (rng.random((60, people, 1)) > items.cumsum(axis=1)[:, None]).sum(axis=2)
    found = ef.from_votes(annotators=votes, interval=asked)
    new = people >= {"auto": 20, "annotators": 5}.get(asked, 100)
    assert new == (found.interval_method == "annotators")
    whose = "one more annotator's vote" if new else NOBODY_ELSE.format(people)
    scope = "people like these annotators" if new else f"these {people} annotators"
    assert found.target == found.to_dict()["target"] == whose
    assert f"in predicting {whose} is" in found.sentence
    assert f" for {whose}" in str(found)
    assert f"for the answers of {scope}," in found.claim.sentence
    if asked is not None:
        assert ("not by a new one" in found.assumptions) == (not new and people >= 5)


def test_a_fifth_reader_does_not_change_the_question():
    rng = np.random.default_rng(1)
    votes = rng.random((400, 19)) < rng.beta(0.5, 0.7, 400)[:, None]
    found = [ef.from_votes(annotators=votes[:, :people] * 1) for people in (5, 6, 8, 12, 19)]
    assert max(one.high - one.low for one in found) < 0.15


def test_the_majority_of_a_few_is_theirs():
    votes = np.random.default_rng(0).integers(2, size=(60, 8))
    found = ef.from_votes(annotators=votes, majority=4)
    assert found.target == "the majority of 4 votes by these 8 annotators, ties broken at random"
    assert f"The interval is for {found.target}, not by new ones" in found.assumptions
    assert ef.from_votes(annotators=votes, metric="auc").target == NOBODY_ELSE.format(8)
