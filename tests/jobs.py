"""Jobs of people who have not read the help: their files, and what they type first.

`python -m tests.jobs` runs them and writes `tests/jobs.txt`, with which the tests compare. What is
typed was written down before the commands were tried, and is not to be changed.
"""

from __future__ import annotations

import contextlib
import json
import shlex
import tempfile
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
from click.testing import CliRunner

from errorfloor.apps.cli.commands import cli

PLACE = Path(__file__).with_suffix(".txt")
CLASSES = ("cat", "dog", "bird")
ANSWER = "answered"  # at the first try
STOP = "rightly refused"  # what was typed is wrong, or cannot be known, and the message says so
PASTE = "one more command"  # which the message has


@dataclass(frozen=True)
class Job:
    """What somebody has and wants, how the file is made, what they type, and how that ends."""

    name: str
    wants: str
    make: Callable[[], None]
    typed: str
    ends: str  # ANSWER, STOP or PASTE


def _two_classes(n: int = 800, seed: int = 0) -> tuple[np.ndarray, np.ndarray]:
    """Return probabilities of class 1, and labels drawn from them; the floor is about 16 %."""
    rng = np.random.default_rng(seed)
    probabilities = rng.beta(0.6, 0.8, n)
    return probabilities, (rng.random(n) < probabilities).astype(int)


def _three_classes(n: int = 600) -> tuple[np.ndarray, np.ndarray]:
    """Return probabilities of three classes, and labels drawn from them."""
    rng = np.random.default_rng(3)
    probabilities = rng.dirichlet([0.5] * 3, n)
    labels = (rng.random((n, 1)) > probabilities.cumsum(axis=1)).sum(axis=1)
    return probabilities, np.minimum(labels, 2)


def _votes() -> None:
    probabilities, _ = _two_classes(400)
    yes = np.random.default_rng(1).binomial(5, probabilities)
    pd.DataFrame({"text": [f"comment {i}" for i in range(400)], "yes": yes, "no": 5 - yes}).to_csv(
        "votes.csv", index=False
    )


def _labelling_tool() -> None:
    rng = np.random.default_rng(2)
    probabilities, _ = _two_classes(300)
    rows = [
        {"task": i, "completed_by": f"user{who}", "sentiment": "pos" if rng.random() < p else "neg"}
        for i, p in enumerate(probabilities)
        for who in rng.choice(8, 3, replace=False)
    ]
    pd.DataFrame(rows).to_csv("export.csv", index=False)


def _logits() -> None:
    probabilities, labels = _three_classes()
    np.savez("model.npz", logits=np.log(probabilities + 1e-9), labels=labels)


def _predictions_of_churn() -> None:
    probabilities, labels = _two_classes()
    frame = pd.DataFrame({"customerID": [f"{i:04}-XYZ" for i in range(800)]})
    frame["Churn"] = np.where(labels == 1, "Yes", "No")
    frame["proba_0"], frame["proba_1"] = 1 - probabilities, probabilities
    frame["pred"] = (probabilities > 0.3) * 1
    frame.round(4).to_csv("churn_predictions.csv", index=False)


def _texts() -> None:
    rng = np.random.default_rng(8)
    _, labels = _two_classes(300)
    words = np.array([f"word{i}" for i in range(60)])
    frame = pd.DataFrame({"review": [" ".join(rng.choice(words, 8)) for _ in labels]})
    frame["sentiment"] = np.where(labels == 1, "pos", "neg")
    frame.to_csv("reviews.csv", index=False)


def _excel() -> None:
    probabilities, labels = _two_classes()
    words = np.where(labels == 1, "churned", "stayed")
    frame = pd.DataFrame({"Customer ID": np.arange(800), "Churn probability": probabilities})
    frame["Outcome"] = words
    frame.round(4).to_excel("churn.xlsx", index=False)


def _judge() -> None:
    probabilities, labels = _two_classes(1000)
    with open("judge.jsonl", "w") as file:
        for i, (score, label) in enumerate(zip(probabilities, labels, strict=True)):
            human = ("good" if label else "bad") if i % 10 == 0 else None
            row = {"id": i, "judge_score": round(float(score), 4), "human_label": human}
            file.write(json.dumps(row) + "\n")


def _versions() -> None:
    probabilities, labels = _two_classes()
    rng = np.random.default_rng(5)
    for name, noise in (("v1", 0.35), ("v2", 0.1)):
        score = np.clip(probabilities + rng.normal(0, noise, 800), 0, 1)
        pd.DataFrame({"score": score.round(4), "label": labels}).to_csv(f"{name}.csv", index=False)


def _ratings() -> None:
    rng = np.random.default_rng(6)
    quality = rng.normal(5.5, 1.2, 200)
    rows = [
        {"paper": i, "reviewer": f"r{who}", "rating": int(np.clip(round(q + rng.normal()), 1, 10))}
        for i, q in enumerate(quality)
        for who in rng.choice(30, 3, replace=False)
    ]
    pd.DataFrame(rows).to_csv("reviews.csv", index=False)


def _groups() -> None:
    probabilities, labels = _two_classes(900)
    country = np.array(["DE", "FR", "US"])[np.arange(900) % 3]
    frame = pd.DataFrame({"country": country, "y_prob": probabilities.round(4), "y_true": labels})
    frame.to_csv("countries.csv", index=False)


def _weights() -> None:
    probabilities, labels = _two_classes()
    weight = np.where(labels == 1, 1, 5)
    frame = pd.DataFrame({"prob": probabilities.round(4), "label": labels, "sample_weight": weight})
    frame.to_csv("weighted.csv", index=False)


def _plain_scores() -> None:
    probabilities, labels = _two_classes()
    frame = pd.DataFrame({"score": probabilities.round(4), "label": labels})
    frame.to_csv("scores.csv", index=False)


def _spam() -> None:
    probabilities, labels = _two_classes()
    words = np.where(labels == 1, "spam", "ham")
    frame = pd.DataFrame({"score": probabilities.round(4), "label": words})
    frame.to_csv("spam.csv", index=False)


def _twice() -> None:
    rng = np.random.default_rng(9)
    probabilities, _ = _two_classes(200)
    rows = [
        {"item": i, "annotator": f"a{who}", "vote": int(rng.random() < p)}
        for i, p in enumerate(probabilities)
        for who in range(3)
    ]
    frame = pd.DataFrame([*rows, *rows[:40]])
    frame.to_csv("twice.csv", index=False)


def _training() -> None:
    rng = np.random.default_rng(10)
    labels = rng.integers(0, 2, 500)
    scores = np.clip(labels + rng.normal(0, 0.03, 500), 0, 1)
    pd.DataFrame({"score": scores.round(4), "label": labels}).to_csv("train.csv", index=False)


def _one_annotator() -> None:
    rng = np.random.default_rng(11)
    labels = np.where(rng.random(300) < 0.4, "toxic", "ok")
    frame = pd.DataFrame({"text": [f"comment {i}" for i in range(300)], "label": labels})
    frame.to_csv("labels.csv", index=False)


def _predictions() -> None:
    _, labels = _two_classes(500)
    wrong = np.random.default_rng(12).random(500) < 0.1
    frame = pd.DataFrame({"label": labels, "prediction": np.where(wrong, 1 - labels, labels)})
    frame.to_csv("predictions.csv", index=False)


def _class_columns() -> None:
    probabilities, labels = _three_classes()
    frame = pd.DataFrame(probabilities.round(4), columns=CLASSES)
    frame.insert(0, "image", [f"{i}.png" for i in range(len(labels))])
    frame["label"] = np.array(CLASSES)[labels]
    frame.to_csv("animals.csv", index=False)


def _people() -> None:
    rng = np.random.default_rng(14)
    probabilities, _ = _two_classes(300)
    frame = pd.DataFrame({"id": np.arange(300)})
    for name in ("alice", "bob", "carol"):
        frame[name] = np.where(rng.random(300) < probabilities, "yes", "no")
    frame.to_csv("people.csv", index=False)


def _pandas() -> None:
    probabilities, labels = _two_classes()
    frame = pd.DataFrame({"y_true": labels, "y_pred_proba": probabilities.round(4)})
    frame.to_csv("predictions_with_index.csv")


def _predict_and_probabilities() -> None:
    probabilities, labels = _three_classes()
    noisy = probabilities + np.random.default_rng(20).normal(0, 0.05, probabilities.shape)
    frame = pd.DataFrame(
        {
            "id": np.arange(600),
            "true_label": np.array(CLASSES)[labels],
            "predicted_label": np.array(CLASSES)[noisy.argmax(axis=1)],
        }
    )
    for k, name in enumerate(CLASSES):
        frame[f"prob_{name}"] = probabilities[:, k].round(4)
    frame.to_csv("preds.csv", index=False)


def _two_models() -> None:
    rng = np.random.default_rng(21)
    words = np.array(["ham", "spam"])
    y = (rng.random(1000) < 0.3).astype(int)
    a = np.where(rng.random(1000) < 0.12, 1 - y, y)
    b = np.where(rng.random(1000) < 0.07, 1 - y, y)
    pd.DataFrame(
        {
            "message": [f"m{i}" for i in range(1000)],
            "y": words[y],
            "model_a": words[a],
            "model_b": words[b],
        }
    ).to_csv("test.csv", index=False)


def _blanks() -> None:
    rng = np.random.default_rng(22)
    p, _ = _two_classes(300)
    frame = pd.DataFrame({"note_id": np.arange(300)})
    for name in ("ann1", "ann2", "ann3"):
        answer = np.where(rng.random(300) < p, "relevant", "irrelevant").astype(object)
        answer[rng.random(300) < 0.2] = None
        frame[name] = answer
    frame.to_csv("notes.csv", index=False)


def _stars() -> None:
    rng = np.random.default_rng(23)
    quality = rng.normal(3.6, 0.8, 250)
    rows = [
        {
            "product": f"p{i}",
            "user": f"u{who}",
            "stars": int(np.clip(round(q + rng.normal(0, 0.9)), 1, 5)),
        }
        for i, q in enumerate(quality)
        for who in rng.choice(60, 4, replace=False)
    ]
    pd.DataFrame(rows).to_csv("stars.csv", index=False)


def _judge_runs() -> None:
    rng = np.random.default_rng(24)
    p, _ = _two_classes(400)
    with open("verdicts.jsonl", "w") as file:
        for i, one in enumerate(p):
            runs = ["pass" if x else "fail" for x in rng.random(5) < one]
            file.write(
                json.dumps({"question_id": i, "answer": f"text {i}", "verdicts": runs}) + "\n"
            )


def _predict_proba() -> None:
    p, y = _two_classes()
    np.save("proba.npy", np.column_stack((1 - p, p)))
    np.save("y_test.npy", y)


def _snli() -> None:
    rng = np.random.default_rng(25)
    names = np.array(["entailment", "neutral", "contradiction"])
    p, _ = _three_classes(400)
    with open("dev.jsonl", "w") as file:
        for i, one in enumerate(p):
            votes = rng.choice(names, 5, p=one).tolist()
            top = max(set(votes), key=votes.count)
            gold = top if votes.count(top) > 2 else "-"
            file.write(
                json.dumps(
                    {
                        "sentence1": f"premise {i}",
                        "sentence2": f"hypothesis {i}",
                        "gold_label": gold,
                        "annotator_labels": votes,
                    }
                )
                + "\n"
            )


def _rare() -> None:
    rng = np.random.default_rng(26)
    disease = rng.random(3000) < 0.02
    risk = 1 / (1 + np.exp(-(rng.normal(0, 1, 3000) + 2.5 * disease - 4.5)))
    pd.DataFrame(
        {"patient": np.arange(3000), "risk": risk.round(5), "disease": disease.astype(int)}
    ).to_csv("screening.csv", index=False)


def _hospitals() -> None:
    rng = np.random.default_rng(27)
    p, y = _two_classes(900)
    hospital = np.array(["Aachen", "Bonn", "Celle"])[np.arange(900) % 3]
    pred = np.where(
        rng.random(900) < 0.25 * (hospital == "Celle"), rng.random(900) < 0.5, p > 0.5
    ).astype(int)
    pd.DataFrame({"hospital": hospital, "prob": p.round(4), "label": y, "pred": pred}).to_csv(
        "hospitals.csv", index=False
    )


def _german() -> None:
    p, y = _two_classes()
    frame = pd.DataFrame(
        {
            "Kunde": np.arange(800),
            "Wahrscheinlichkeit": p.round(4),
            "gekündigt": np.where(y, "ja", "nein"),
        }
    )
    frame.to_csv("kunden.csv", index=False, sep=";", decimal=",", encoding="cp1252")


def _coding_sheet() -> None:
    rng = np.random.default_rng(28)
    p, _ = _three_classes(250)
    names = np.array(["positive", "neutral", "negative"])
    frame = pd.DataFrame({"Interview": [f"I{i}" for i in range(250)]})
    for who in (1, 2, 3):
        frame[f"Rater {who}"] = [rng.choice(names, p=one) for one in p]
    frame["Comment"] = ""
    frame.to_excel("coding.xlsx", index=False)


def _unsure() -> None:
    rng = np.random.default_rng(29)
    p, _ = _two_classes(300)
    frame = pd.DataFrame({"claim": [f"claim {i}" for i in range(300)]})
    for who in ("p1", "p2", "p3", "p4"):
        answer = np.where(rng.random(300) < p, "yes", "no")
        frame[who] = np.where(rng.random(300) < 0.1, "unsure", answer)
    frame.to_csv("survey.csv", index=False)


def _appended_twice() -> None:
    p, y = _two_classes()
    frame = pd.DataFrame({"id": np.arange(800), "score": p.round(6), "label": y})
    pd.concat([frame, frame]).to_csv("appended.csv", index=False)


def _forest() -> None:
    rng = np.random.default_rng(30)
    y = rng.integers(0, 2, 1200)
    score = np.where(y == 1, rng.uniform(0.62, 1, 1200), rng.uniform(0, 0.38, 1200))
    pd.DataFrame({"rf_probability": score.round(2), "y_train": y}).to_csv("forest.csv", index=False)


def _wine() -> None:
    rng = np.random.default_rng(31)
    y = rng.integers(0, 2, 600)
    x = rng.normal(size=(600, 4)) + 0.7 * y[:, None]
    frame = pd.DataFrame(x.round(3), columns=["acidity", "sugar", "alcohol", "ph"])
    frame["quality"] = np.where(y, "good", "bad")
    frame.to_csv("wine.csv", index=False)


def _misspelt_classes() -> None:
    rng = np.random.default_rng(32)
    p, _ = _three_classes(300)
    names = np.array(["positive", "neutral", "negative"])
    rows = [
        {"tweet": i, "worker": f"w{w}", "label": rng.choice(names, p=one)}
        for i, one in enumerate(p)
        for w in rng.choice(20, 3, replace=False)
    ]
    pd.DataFrame(rows).to_csv("tweets.csv", index=False)


def _survey_weights() -> None:
    rng = np.random.default_rng(33)
    p, y = _two_classes()
    w = np.where(rng.random(800) < 0.5, 1.0, 3.0)
    pd.DataFrame({"prob": p.round(4), "label": y, "pred": (p > 0.5).astype(int), "w": w}).to_csv(
        "weighted.csv", index=False
    )


def _two_files() -> None:
    rng = np.random.default_rng(34)
    p, y = _two_classes(1500)
    for name, noise in (("model_a", 0.6), ("model_b", 0.1)):
        score = np.clip(p + rng.normal(0, noise, 1500), 0, 1)
        pd.DataFrame({"id": np.arange(1500), "label": y, "score": score.round(4)}).to_csv(
            f"{name}.csv", index=False
        )


def _parquet() -> None:
    p, y = _three_classes()
    pd.DataFrame(
        {"idx": np.arange(600), "logits": np.log(p + 1e-9).tolist(), "label": y}
    ).to_parquet("eval.parquet")


def _confidence() -> None:
    p, y = _three_classes()
    pred = p.argmax(axis=1)
    pd.DataFrame(
        {
            "image": [f"{i}.png" for i in range(600)],
            "confidence": p.max(axis=1).round(4),
            "correct": pred == y,
        }
    ).to_csv("confidence.csv", index=False)


def _titled_sheet() -> None:
    rng = np.random.default_rng(60)
    p = rng.dirichlet([0.6, 0.6, 0.2], 300)
    names = np.array(["benign", "malignant", "unsure"])
    frame = pd.DataFrame({"Patient": [f"P{i // 2}" for i in range(300)]})
    for who in "ABC":
        frame[f"Reader {who}"] = [rng.choice(names, p=one) for one in p]
    with pd.ExcelWriter("scans.xlsx") as book:
        frame.to_excel(book, index=False, startrow=2, sheet_name="Reads")
        book.sheets["Reads"]["A1"] = "Reader study 2024, Department of Radiology"


def _no_names() -> None:
    p, labels = _three_classes(800)
    pd.DataFrame(p.round(5)).assign(y=labels).to_csv("preds.csv", header=False)


def _printed_lists() -> None:
    rng = np.random.default_rng(61)
    p, _ = _two_classes(500)
    words = np.array(["neg", "pos"])
    votes = [list(words[(rng.random(4) < one).astype(int)]) for one in p]
    pd.DataFrame({"text": [f"t{i}" for i in range(500)], "votes": votes}).to_csv(
        "lists.csv", index=False
    )


def _points_of_a_judge() -> None:
    rng = np.random.default_rng(62)
    p, labels = _two_classes(3000)
    gold = pd.Series(labels, dtype="Int64")
    gold[rng.permutation(3000)[300:]] = pd.NA
    points = (10 * p).round().astype(int)
    pd.DataFrame({"id": range(3000), "judge": points, "gold": gold}).to_csv(
        "judge.csv", index=False
    )
    words = np.where(p > 0.5, "good", "bad")
    verdicts = pd.DataFrame({"id": range(3000), "judge": words, "gold": gold})
    verdicts["gold"] = verdicts["gold"].map({0: "bad", 1: "good"})
    verdicts.to_csv("verdicts.csv", index=False)


def _weather() -> None:
    p, labels = _two_classes(730)
    forecast = [f"{10 * round(10 * one)}%" for one in p]
    day = pd.date_range("2022-01-01", periods=730).strftime("%d.%m.%Y")
    pd.DataFrame({"date": day, "forecast": forecast, "rain": np.where(labels, "yes", "no")}).to_csv(
        "rain.csv", index=False
    )


def _refused_to_rate() -> None:
    rng = np.random.default_rng(63)
    true = rng.normal(4.3, 1.3, 300)
    rows = [
        (f"item{i}", f"resp{who}", int(np.clip(round(one + rng.normal(0, 1.2)), 1, 7)))
        for i, one in enumerate(true)
        for who in rng.choice(25, 4, replace=False)
    ]
    frame = pd.DataFrame(rows, columns=["item", "respondent", "rating"])
    frame.loc[rng.random(len(frame)) < 0.06, "rating"] = 99
    frame.to_csv("survey.csv", index=False)


def _images_of_patients() -> None:
    rng = np.random.default_rng(64)
    p, labels = _two_classes(150)
    patient = np.repeat(np.arange(150), rng.integers(1, 9, 150))
    prob = np.clip(p[patient] + rng.normal(0, 0.15, patient.size), 0, 1).round(4)
    pd.DataFrame(
        {"patient": patient, "image": range(patient.size), "prob": prob, "disease": labels[patient]}
    ).to_csv("images.csv", index=False)


def _matrix() -> None:
    names = ["cat", "dog", "fox"]
    pd.DataFrame([[412, 33, 9], [40, 388, 22], [6, 31, 211]], index=names, columns=names).to_csv(
        "cm.csv"
    )


FIRST = (
    Job(
        "votes",
        "A CSV of yes and no votes on comments: how good can a model get?",
        _votes,
        "errorfloor votes.csv",
        ANSWER,
    ),
    Job(
        "labelling tool",
        "An export with a row for each answer of each user.",
        _labelling_tool,
        "errorfloor export.csv",
        ANSWER,
    ),
    Job(
        "logits",
        "Logits and labels of three classes in an npz file.",
        _logits,
        "errorfloor model.npz",
        ANSWER,
    ),
    Job(
        "Excel",
        "A sheet with a probability of churn and what happened.",
        _excel,
        "errorfloor churn.xlsx",
        ANSWER,
    ),
    Job(
        "LLM judge",
        "An LLM's score of 1,000 answers, one in ten of them judged by people as well.",
        _judge,
        "errorfloor judge.jsonl",
        ANSWER,
    ),
    Job(
        "two versions",
        "Scores of two model versions on the same test set: is the new one better?",
        _versions,
        "errorfloor difference v1.csv v2.csv",
        PASTE,
    ),
    Job(
        "ratings",
        "Ratings from 1 to 10 by three reviewers of each paper.",
        _ratings,
        "errorfloor reviews.csv",
        ANSWER,
    ),
    Job(
        "groups",
        "The floor of each country.",
        _groups,
        "errorfloor countries.csv --group country",
        ANSWER,
    ),
    Job(
        "weights",
        "A sample in which negatives count five times.",
        _weights,
        "errorfloor weighted.csv --weights sample_weight",
        ANSWER,
    ),
    Job(
        "wrong column",
        "A misspelt column.",
        _plain_scores,
        "errorfloor scores.csv --score scores --label label",
        STOP,
    ),
    Job(
        "wrong class",
        "Which class is positive, misspelt.",
        _spam,
        "errorfloor spam.csv --positive spams",
        STOP,
    ),
    Job(
        "duplicates",
        "Some rows of the export are there twice.",
        _twice,
        "errorfloor twice.csv",
        STOP,
    ),
    Job(
        "training scores",
        "The model's scores on the data that it was trained on.",
        _training,
        "errorfloor train.csv",
        ANSWER,
    ),
    Job(
        "one annotator",
        "One label for each comment, nothing else.",
        _one_annotator,
        "errorfloor labels.csv",
        STOP,
    ),
    Job(
        "gate",
        "Stop a pipeline if the floor is above 10 %.",
        _plain_scores,
        "errorfloor scores.csv --fail-if-floor-above 10%",
        ANSWER,
    ),
    Job(
        "predictions",
        "Predicted and true labels.",
        _predictions,
        "errorfloor predictions.csv",
        STOP,
    ),
    Job(
        "class columns",
        "A probability for each class in columns called by the classes.",
        _class_columns,
        "errorfloor animals.csv",
        ANSWER,
    ),
    Job(
        "people in columns",
        "The answers of three people, each in a column.",
        _people,
        "errorfloor people.csv",
        PASTE,
    ),
    Job(
        "accuracy",
        "Votes, and a model whose accuracy on 1,000 items is known.",
        _votes,
        "errorfloor headroom votes.csv --accuracy 0.81",
        ANSWER,
    ),
    Job(
        "pandas index",
        "A frame written by pandas, row numbers and all.",
        _pandas,
        "errorfloor predictions_with_index.csv",
        ANSWER,
    ),
)


# Written down later, with other data in mind; of these six were answered before they were mended.
FRESH = (
    Job(
        "classes and probabilities",
        "Predicted class, true class and a probability of each class: how good can it get?",
        _predict_and_probabilities,
        "errorfloor preds.csv",
        ANSWER,
    ),
    Job(
        "two models",
        "What two models predict for the same messages: which one is better?",
        _two_models,
        "errorfloor compare test.csv --label y --prediction model_a,model_b",
        ANSWER,
    ),
    Job(
        "blanks",
        "Three annotators in columns, each skipped some notes.",
        _blanks,
        "errorfloor notes.csv",
        STOP,
    ),
    Job(
        "stars",
        "Stars from 1 to 5; four or more count as liked.",
        _stars,
        "errorfloor stars.csv --positive-from 4",
        ANSWER,
    ),
    Job(
        "judge runs",
        "An LLM judge asked five times about each answer.",
        _judge_runs,
        "errorfloor verdicts.jsonl",
        ANSWER,
    ),
    Job(
        "predict_proba",
        "What predict_proba returned and the labels, each saved by NumPy.",
        _predict_proba,
        "errorfloor proba.npy --labels y_test.npy",
        PASTE,
    ),
    Job(
        "SNLI",
        "A JSON Lines file with five annotators' labels in a list and a gold label.",
        _snli,
        "errorfloor dev.jsonl",
        ANSWER,
    ),
    Job(
        "rare disease",
        "A risk score for a disease of 2 % of patients.",
        _rare,
        "errorfloor screening.csv --metric balanced_accuracy",
        ANSWER,
    ),
    Job(
        "hospitals",
        "Can the model still improve, at each hospital?",
        _hospitals,
        "errorfloor headroom hospitals.csv --prediction pred --group hospital",
        ANSWER,
    ),
    Job(
        "German CSV",
        "Semicolons, decimal commas, Windows letters.",
        _german,
        "errorfloor kunden.csv",
        ANSWER,
    ),
    Job(
        "coding sheet",
        "An Excel sheet with the codes of three raters.",
        _coding_sheet,
        "errorfloor coding.xlsx",
        ANSWER,
    ),
    Job(
        "unsure",
        "Four people answered yes, no or unsure.",
        _unsure,
        "errorfloor survey.csv --annotators p1,p2,p3,p4",
        ANSWER,
    ),
    Job(
        "appended twice",
        "A script appended all rows twice.",
        _appended_twice,
        "errorfloor appended.csv",
        ANSWER,
    ),
    Job(
        "forest",
        "A random forest's scores of its own training data.",
        _forest,
        "errorfloor forest.csv --metric auc",
        ANSWER,
    ),
    Job(
        "features",
        "Four measurements and a label of each wine.",
        _wine,
        "errorfloor wine.csv --label quality",
        STOP,
    ),
    Job(
        "misspelt classes",
        "Names of classes, one of them misspelt.",
        _misspelt_classes,
        "errorfloor tweets.csv --classes postive,neutral,negative",
        STOP,
    ),
    Job(
        "survey weights",
        "Predictions, scores and survey weights: can the model still improve?",
        _survey_weights,
        "errorfloor headroom weighted.csv --prediction pred --weights w",
        ANSWER,
    ),
    Job(
        "two files",
        "Scores of two models on the same items, a file each: which one is better?",
        _two_files,
        "errorfloor compare model_a.csv model_b.csv",
        ANSWER,
    ),
    Job(
        "Parquet",
        "Logits in a list column of a Parquet file.",
        _parquet,
        "errorfloor eval.parquet",
        ANSWER,
    ),
    Job(
        "confidence",
        "The confidence of a model, and whether it was right.",
        _confidence,
        "errorfloor confidence.csv",
        STOP,
    ),
)


def _shares_of(n: int, seed: int, a: float = 0.6, b: float = 0.9) -> tuple[Any, Any]:
    """Return a generator, and the probability of yes on each item."""
    rng = np.random.default_rng(seed)
    return rng, rng.beta(a, b, n)


def _mammograms() -> None:
    rng, share = _shares_of(400, 21)
    answers = (rng.random((5, 400)) < share).astype(int)
    names = (*(f"reader_{k}" for k in range(1, 5)), "biopsy")
    words = np.array(["benign", "malignant"])
    columns = {name: words[one] for name, one in zip(names, answers, strict=True)}
    pd.DataFrame({"case": [f"M{i}" for i in range(400)], **columns}).to_csv(
        "mammograms.csv", index=False
    )


def _preferences() -> None:
    rng = np.random.default_rng(22)
    answers = ("model_a", "model_b", "tie")
    rows = [
        (f"prompt-{i}", f"judge_{j}", rng.choice(answers, p=share), f"2026-03-{1 + i % 28:02d}")
        for i, share in enumerate(rng.dirichlet([0.8, 0.6, 0.3], 300))
        for j in rng.choice(60, 4, replace=False)
    ]
    names = ["prompt_id", "judge", "preference", "created_at"]
    pd.DataFrame(rows, columns=names).to_csv("arena.csv", index=False)


def _doctors() -> None:
    rng, share = _shares_of(400, 23)
    doctors = {f"dr_{one}": (rng.random(400) < share).astype(int) for one in ("an", "bo", "cy")}
    network = (share > 0.5).astype(int)
    pd.DataFrame({"scan": [f"S{i}" for i in range(400)], **doctors, "cnn": network}).to_csv(
        "xray.csv", index=False
    )


def _sampled_payments() -> None:
    rng = np.random.default_rng(31)
    share = 1 / (1 + np.exp(-rng.normal(-5.2, 2, 30_000)))
    fraud = rng.random(30_000) < share
    kept = fraud | (rng.random(30_000) < 0.05)
    score = np.round(999 * share**0.3).astype(int)
    frame = pd.DataFrame(
        {"transaction_id": [f"tx{i}" for i in range(30_000)], "fraud_score": score}
    )
    frame["is_fraud"], frame["sample_weight"] = fraud.astype(int), np.where(fraud, 1, 20)
    frame[kept].to_csv("fraud_sample.csv", index=False)


def _competition() -> None:
    probabilities, labels = _two_classes()
    ids, order = 50_000 + np.arange(800), np.random.default_rng(32).permutation(800)
    pd.DataFrame({"id": ids, "target": probabilities}).to_csv("submission.csv", index=False)
    usage = np.where(np.arange(800) % 3 == 0, "Public", "Private")
    frame = pd.DataFrame({"id": ids[order], "target": labels[order], "Usage": usage})
    frame.to_csv("solution.csv", index=False)


def _two_annotators() -> None:
    rng = np.random.default_rng(71)
    names = np.array(["billing", "technical", "other"])
    true = rng.choice(3, 400, p=[0.5, 0.35, 0.15])
    for who in ("anna", "ben"):
        given = np.where(rng.random(400) < 0.1, rng.choice(3, 400), true)
        rows = [
            (f"T{i:04}", f"ticket {i}, please help", None if i % 90 == 7 else names[given[i]])
            for i in rng.permutation(400)[:390]
        ]
        frame = pd.DataFrame(rows, columns=["task_id", "text", "label"])
        frame.to_csv(f"{who}.csv", index=False)


def _readme_first() -> None:
    rng = np.random.default_rng(72)
    shares = rng.dirichlet([0.5, 0.4, 0.2], 300)
    names = np.array(["Urgent", "Normal", "Spam"])
    frame = pd.DataFrame({"Ticket": 5000 + np.arange(300)})
    for who in ("Marta", "Jonas", "Priya"):
        frame[who] = [rng.choice(names, p=one) for one in shares]
    with pd.ExcelWriter("triage.xlsx") as book:
        pd.DataFrame(["Triage study, third quarter"]).to_excel(
            book, index=False, header=False, sheet_name="Readme"
        )
        frame.to_excel(book, index=False, sheet_name="Ratings")


def _radiologists() -> None:
    rng = np.random.default_rng(73)
    share = np.where(rng.random(900) < 0.4, 0.92, 0.08)
    frame = pd.DataFrame({"image": range(900), "hospital": rng.choice(["Nord", "Ost"], 900)})
    for k in range(1, 6):
        frame[f"rad{k}"] = (rng.random(900) < share).astype(int)
    frame.to_csv("images.csv", index=False)


def _graders() -> None:
    rng = np.random.default_rng(33)
    shares = rng.dirichlet([0.8, 0.5, 0.4, 0.5], 350)
    for who in ("anna", "bob", "cem"):
        rows = [
            (f"query {i // 10}", f"https://shop.example/p/{i}", rng.choice(4, p=shares[i]))
            for i in rng.permutation(350)[:340]
        ]
        pd.DataFrame(rows, columns=["query", "url", "relevance"]).to_csv(
            f"grades_{who}.csv", index=False
        )


def _failed_verdicts() -> None:
    rng = np.random.default_rng(34)
    with open("judgements.jsonl", "w") as file:
        for i, share in enumerate(rng.dirichlet([0.9, 0.7, 0.35], 250)):
            for judge in ("gpt-4o", "claude", "gemini", "llama-70b", "mistral"):
                verdict = str(rng.choice(["model_a", "model_b", "tie"], p=share))
                row: dict[str, Any] = {"prompt_id": f"p{i:04d}", "judge": judge}
                row |= {
                    "model_a": "ours",
                    "model_b": "baseline",
                    "winner": None if rng.random() < 0.02 else verdict,
                }
                file.write(json.dumps(row) + "\n")


def _coders() -> None:
    rng = np.random.default_rng(35)
    shares = rng.dirichlet([0.6, 0.5, 0.4, 0.3, 0.3], 400)
    codes = np.array([[rng.choice(5, p=share) + 1 for share in shares] for _ in range(3)])
    codes = np.where(rng.random(codes.shape) < 0.04, 99, codes)
    coders = dict(zip(("Coder_AB", "Coder_KL", "Coder_MS"), codes, strict=True))
    answers = [f"because of reason {i}" for i in range(400)]
    frame = pd.DataFrame({"resp_id": np.arange(400) + 1, "wave": rng.choice([1, 2], 400)})
    frame.assign(open_answer=answers, **coders).to_csv("coding.csv", index=False)


def _exported_twice() -> None:
    rng, share = _shares_of(500, 36)
    names = ("amira", "b.jones", "chen", "dmitri", "eva", "farid")
    rows = [
        (880_000 + i, who, "remove" if rng.random() < p else "keep")
        for i, p in enumerate(share)
        for who in rng.choice(names, 3, replace=False)
    ]
    frame = pd.DataFrame(rows, columns=["comment_id", "moderator", "decision"])
    pd.concat([frame, frame.sample(25, random_state=1)]).to_csv("decisions.csv", index=False)


def _tags() -> None:
    rng = np.random.default_rng(37)
    names = ("dog", "outdoor", "person", "car", "food")
    with open("tags.jsonl", "w") as file:
        for i, shares in enumerate(rng.beta(0.4, 0.6, (150, 5))):
            for who in rng.choice(14, 4, replace=False):
                tags = [one for one, p in zip(names, shares, strict=True) if rng.random() < p]
                row = {"image": f"img_{i}.jpg", "worker": f"w{who}", "tags": tags}
                file.write(json.dumps(row) + "\n")


def _churn() -> None:
    probabilities, labels = _two_classes()
    frame = pd.DataFrame({"customerID": [f"{i:04d}-XYZ" for i in range(800)]})
    frame["Churn"] = np.where(labels == 1, "Yes", "No")
    frame["proba_0"], frame["proba_1"] = 1 - probabilities, probabilities
    frame["pred"] = (probabilities > 0.3).astype(int)
    frame.to_csv("churn_predictions.csv")


def _toxicity() -> None:
    rng, share = _shares_of(1000, 24, 0.3, 1.5)
    raters = rng.integers(4, 11, 1000)
    toxicity = np.round(rng.binomial(raters, share) / raters, 6)
    columns = {"comment_text": [f"comment {i}" for i in range(1000)], "toxicity": toxicity}
    pd.DataFrame({**columns, "toxicity_annotator_count": raters}).to_csv("civil.csv", index=False)


def _fraud() -> None:
    rng = np.random.default_rng(25)
    odds = -4.5 + 1.9 * rng.normal(size=4000)
    share = 1 / (1 + np.exp(-odds))
    columns = {"transaction_id": np.arange(4000) + 10**6, "amount": rng.exponential(30, 4000)}
    fraud = (rng.random(4000) < share).astype(int)
    pd.DataFrame({**columns, "fraud_score": share, "is_fraud": fraud}).to_parquet("fraud.parquet")


def _essays() -> None:
    rng = np.random.default_rng(26)
    rows = [
        (f"E{i}", f"G{j}", int(np.clip(round(quality + rng.normal(0, 0.7)), 1, 6)))
        for i, quality in enumerate(rng.normal(3.5, 1, 200))
        for j in rng.choice(15, 3, replace=False)
    ]
    pd.DataFrame(rows, columns=["essay_id", "grader", "grade"]).to_csv("essays.csv", index=False)


def _search() -> None:
    rng = np.random.default_rng(27)
    rows = [
        (f"q{k}", f"d{j}", f"assessor{a}", rng.choice(["relevant", "partly", "not relevant"]))
        for k in range(30)
        for j in range(8)
        for a in rng.choice(30, 3, replace=False)
    ]
    names = ["query", "doc", "assessor", "judgment"]
    pd.DataFrame(rows, columns=names).to_csv("search.csv", index=False)


def _api() -> None:
    rng, share = _shares_of(300, 28)
    yes = rng.binomial(4, share).tolist()
    rows = [{"id": i, "votes": {"yes": k, "no": 4 - k}} for i, k in enumerate(yes)]
    Path("api.json").write_text(json.dumps({"project": "x", "results": rows}))


# Ten of sixty that were written down after these; of the first twenty-two, eight were answered.
LATER = (
    Job(
        "readers and a biopsy",
        "Four radiologists read each case, and a biopsy says what it was.",
        _mammograms,
        "errorfloor mammograms.csv",
        ANSWER,
    ),
    Job(
        "preferences",
        "Which of two LLMs judges prefer: how well can that be predicted?",
        _preferences,
        "errorfloor arena.csv",
        ANSWER,
    ),
    Job(
        "network and doctors",
        "Is our network better than the doctors?",
        _doctors,
        "errorfloor people xray.csv --prediction cnn",
        ANSWER,
    ),
    Job(
        "shares of votes",
        "The share of annotators that call a comment toxic, and how many there were.",
        _toxicity,
        "errorfloor civil.csv",
        ANSWER,
    ),
    Job(
        "fraud",
        "A score and what turned out, with 2 % of fraud, in Parquet.",
        _fraud,
        "errorfloor fraud.parquet --metric average-precision",
        ANSWER,
    ),
    Job("essays", "Grades of essays by several graders.", _essays, "errorfloor essays.csv", ANSWER),
    Job(
        "search",
        "How relevant documents are to queries, by assessors.",
        _search,
        "errorfloor search.csv",
        PASTE,
    ),
    Job(
        "API",
        "What an API returned: numbers of votes inside of objects.",
        _api,
        "errorfloor api.json",
        ANSWER,
    ),
    Job(
        "recall at precision",
        "The best recall at a precision of 90 %.",
        _fraud,
        "errorfloor fraud.parquet --metric recall_at_precision",
        STOP,
    ),
    Job(
        "two models, no votes",
        "Can either of two models still improve?",
        _two_models,
        "errorfloor headroom test.csv --label y --prediction model_a,model_b",
        STOP,
    ),
)
NEWCOMERS = (
    Job(
        "titled sheet",
        "Three readers of each scan, in an Excel sheet with a title.",
        _titled_sheet,
        "errorfloor scans.xlsx",
        ANSWER,
    ),
    Job(
        "no names",
        "Probabilities of three classes and the label, without a row of names.",
        _no_names,
        "errorfloor preds.csv",
        PASTE,
    ),
    Job(
        "printed lists",
        "A column of lists of votes that pandas wrote.",
        _printed_lists,
        "errorfloor lists.csv",
        ANSWER,
    ),
    Job(
        "points of a judge",
        "An LLM's points from 0 to 10 for 3,000 answers, and gold labels for 300.",
        _points_of_a_judge,
        "errorfloor judge.csv",
        ANSWER,
    ),
    Job(
        "verdicts of a judge",
        "The same with good and bad in place of points.",
        _points_of_a_judge,
        "errorfloor verdicts.csv",
        STOP,
    ),
    Job(
        "weather",
        "Forecasts such as 80 %, and whether it rained: the best Brier score.",
        _weather,
        "errorfloor rain.csv --metric brier",
        ANSWER,
    ),
    Job(
        "refused to rate",
        "Ratings from 1 to 7, and 99 where people did not want to say.",
        _refused_to_rate,
        "errorfloor ratings survey.csv",
        ANSWER,
    ),
    Job(
        "images of patients",
        "A probability for each image, several images of each patient.",
        _images_of_patients,
        "errorfloor images.csv --score prob --label disease",
        ANSWER,
    ),
    Job(
        "confusion matrix",
        "Only a confusion matrix: how good can it get?",
        _matrix,
        "errorfloor cm.csv",
        STOP,
    ),
)
# Twenty more, by somebody else; those that told something new.
STRANGERS = (
    Job(
        "sampled payments",
        "Legit payments were kept 1 in 20: the lowest error of a fraud model in production.",
        _sampled_payments,
        "errorfloor fraud_sample.csv",
        ANSWER,
    ),
    Job(
        "submission and solution",
        "A competition's submission and its solution file, which have the same ids.",
        _competition,
        "errorfloor submission.csv solution.csv",
        PASTE,
    ),
    Job(
        "a file of each grader",
        "Three people's grades of search results, a file each.",
        _graders,
        "errorfloor grades_anna.csv grades_bob.csv grades_cem.csv",
        PASTE,
    ),
    Job(
        "verdicts that failed",
        "Five LLM judges, some of whose verdicts could not be read.",
        _failed_verdicts,
        "errorfloor judgements.jsonl --drop-missing",
        ANSWER,
    ),
    Job(
        "codes of open answers",
        "Three coders of a survey, with columns called after their initials.",
        _coders,
        "errorfloor coding.csv",
        PASTE,
    ),
    Job(
        "rows that were exported twice",
        "Decisions of moderators, 25 rows of which the export wrote twice.",
        _exported_twice,
        "errorfloor decisions.csv",
        PASTE,
    ),
    Job(
        "several tags of an image",
        "Lists of tags by several workers: how good can a tagger be?",
        _tags,
        "errorfloor tags.jsonl",
        STOP,
    ),
    Job(
        "predictions next to probabilities",
        "What scikit-learn gave: proba_0, proba_1 and the class at a threshold of 0.3.",
        _churn,
        "errorfloor churn_predictions.csv",
        ANSWER,
    ),
    Job(
        "predictions of churn",
        "Labels No and Yes, and a column pred of 0 and 1: can the classifier improve?",
        _predictions_of_churn,
        "errorfloor headroom churn_predictions.csv",
        PASTE,
    ),
    Job(
        "0 and 1 next to words",
        "The same with one column of scores.",
        _predictions_of_churn,
        "errorfloor headroom churn_predictions.csv --prediction pred --score proba_1 --label Churn",
        PASTE,
    ),
    Job(
        "reviews",
        "Texts with one sentiment each: how good can a classifier get?",
        _texts,
        "errorfloor reviews.csv",
        STOP,
    ),
    Job(
        "room in a build",
        "Stop the build unless a model of 85 % still has room.",
        _votes,
        "errorfloor headroom votes.csv --model-accuracy 85% --test-items 400 --fail-unless room",
        ANSWER,
    ),
    Job(
        "a file of each of two",
        "Two annotators' labels of texts, a file each, some blank.",
        _two_annotators,
        "errorfloor anna.csv ben.csv",
        PASTE,
    ),
    Job(
        "a readme in front",
        "An Excel file whose first sheet says what the second holds.",
        _readme_first,
        "errorfloor triage.xlsx",
        PASTE,
    ),
    Job(
        "radiologists by number",
        "Five radiologists' readings of images: a floor for each hospital.",
        _radiologists,
        "errorfloor images.csv --group hospital",
        ANSWER,
    ),
)
JOBS = (*FIRST, *FRESH, *LATER, *NEWCOMERS, *STRANGERS)


def transcript(job: Job) -> str:
    """Run what is typed in an empty folder, and return all that is shown."""
    with tempfile.TemporaryDirectory() as folder, contextlib.chdir(folder):
        job.make()
        shown = CliRunner().invoke(cli, shlex.split(job.typed)[1:])
    return f"# {job.name}: {job.wants}\n$ {job.typed}\n{shown.output}[{shown.exit_code}]\n"


def main() -> None:
    """Write the transcripts of all jobs."""
    PLACE.write_text("\n".join(map(transcript, JOBS)))
    for end in (ANSWER, STOP, PASTE):
        print(f"{end}: {sum(job.ends == end for job in JOBS)}")


if __name__ == "__main__":
    main()
