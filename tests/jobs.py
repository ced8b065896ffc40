"""Twenty jobs of people who have not read the help: their files, and what they type first.

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


JOBS = (
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
        "errorfloor spam.csv --positive Spam",
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
