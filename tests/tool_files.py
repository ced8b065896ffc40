"""Small files as evaluation harnesses and crowd tools write them, in two versions each.

They are made here by hand, after what the makers of the tools publish; no tool wrote them.
"""

import csv
import io
import json
import math
import random
import zipfile

ANSWERS = ("yes", "no")


def lines(records):
    return "".join(f"{json.dumps(one)}\n" for one in records).encode()


def table(head, rows, delimiter=","):
    text = io.StringIO()
    writer = csv.writer(text, delimiter=delimiter, lineterminator="\n")
    writer.writerow(head)
    writer.writerows(rows)
    return text.getvalue().encode()


def draws(seed=0):
    return random.Random(seed)


# Votes: 40 items, three workers each; and the same labels next to a judge's scores.


def votes(items=40, workers=3, seed=0):
    """Yield item, worker and vote."""
    rng = draws(seed)
    for i in range(items):
        share = rng.choice([0.05, 0.2, 0.8, 0.95])
        for j in range(workers):
            yield i, f"W{(i + j) % 5}", ANSWERS[rng.random() < share]


def choices(documents=60, number=4, seed=0):
    """Yield a document, the log-likelihoods of its choices and the place of the right one."""
    rng = draws(seed)
    for i in range(documents):
        right = rng.randrange(number)
        yield i, [rng.gauss(-20, 2) + 4 * (k == right) for k in range(number)], right


def lm_eval_new(number=4, **more):
    """As version 0.4.3 and later write them: lines, objects of arguments, all values as text."""
    for i, likely, right in choices(number=number):
        best = likely.index(max(likely))
        yield {
            "doc_id": i,
            "doc": {"question": f"q{i}"},
            "target": str(right),
            "arguments": {
                f"gen_args_{k}": {"arg_0": f"Q{i}", "arg_1": f" choice {k}"} for k in range(number)
            },
            "resps": [[[str(one), "False"]] for one in likely],
            "filtered_resps": [[str(one), "False"] for one in likely],
            "filter": "none",
            "metrics": ["acc"],
            "doc_hash": "0",
            "acc": float(best == right),
            **more,
        }


def lm_eval_old(number=4):
    """As versions 0.4.0 to 0.4.2 wrote them: an array of objects, with numbers."""
    for i, likely, right in choices(number=number):
        yield {
            "doc_id": i,
            "doc": {"question": f"q{i}"},
            "target": right,
            "arguments": [[f"Q{i}", f" choice {k}"] for k in range(number)],
            "resps": [[[one, False]] for one in likely],
            "filtered_resps": [[one, False] for one in likely],
            "acc": 1.0,
        }


def lm_eval_generated():
    for i in range(30):
        yield {
            "doc_id": i,
            "doc": {},
            "target": str(i),
            "arguments": {"gen_args_0": {"arg_0": "Q", "arg_1": {"until": ["\n"]}}},
            "resps": [[f"It is {i}."]],
            "filtered_resps": [str(i + i % 3 // 2)],
            "filter": "strict-match",
            "metrics": ["exact_match"],
            "exact_match": float(i % 3 < 2),
        }


def judged(items=60, seed=1):
    """Yield an id, a judge's score and the label that a person gave."""
    rng = draws(seed)
    for i in range(items):
        label = rng.random() < 0.5
        score = min(max(rng.gauss(0.7 if label else 0.3, 0.2), 0), 1)
        yield f"case-{i}", round(score, 3), int(label)


def human(key="id"):
    return table([key, "label"], [[name, label] for name, _, label in judged()])


def inspect_samples(version=2):
    for i, (name, score, _) in enumerate(judged()):
        value = {"value": score, "answer": f"a{i}", "explanation": "because"}
        scores = {"score": value} if version == 1 else {"scores": {"model_graded_qa": value}}
        yield {"id": name, "epoch": 1, "input": f"q{i}", "target": f"t{i}", **scores}


def inspect_log(version=2, samples=None, status="success"):
    return {
        "version": version,
        "status": status,
        "eval": {"task": "qa", "model": "m", "created": "2025-01-01T00:00:00"},
        "plan": {"steps": []},
        "results": {"total_samples": 60},
        "stats": {},
        "samples": list(inspect_samples(version)) if samples is None else samples,
    }


def archive(parts):
    content = io.BytesIO()
    with zipfile.ZipFile(content, "w", zipfile.ZIP_DEFLATED) as packed:
        for name, part in parts.items():
            packed.writestr(name, part if isinstance(part, bytes) else json.dumps(part))
    return content.getvalue()


def inspect_archive(version=2, old=False):
    log = inspect_log(version)
    samples = log.pop("samples")
    parts = {f"samples/{one['id']}_epoch_1.json": one for one in samples}
    if old:  # as the first archives were
        start = {name: log[name] for name in ("version", "eval", "plan")}
        return archive({"start.json": start, **parts, "results.json": {"status": "success"}})
    return archive(
        {"_journal/start.json": {"version": version, "eval": log["eval"]}, **parts}
        | {"summaries.json": samples, "header.json": log}
    )


def promptfoo(version=3, providers=("openai:a",)):
    results = []
    for i, (name, score, _) in enumerate(judged()):
        for provider in providers:
            result = {
                "provider": {"id": provider},
                "prompt": {"raw": "Say {{q}}", "label": "p"},
                "vars": {"id": name, "q": f"q{i}"},
                "response": {"output": f"a{i}"},
                "success": score > 0.5,
                "score": score,
                "gradingResult": {"pass": score > 0.5, "score": score, "componentResults": []},
            }
            if version == 3:
                result |= {"id": f"r{i}", "promptIdx": 0, "testIdx": i}
            results.append(result)
    summary = {"version": version, "timestamp": "2025", "results": results, "stats": {}}
    summary |= {"prompts": []} if version == 3 else {"table": {}}
    return {"evalId": "eval-1", "results": summary, "config": {}}


def deepeval(new=True, metrics=("Faithfulness",)):
    cases = []
    for i, (name, score, _) in enumerate(judged()):
        key = "name" if new else "metric"
        data = [{key: one, "score": score, "success": score > 0.5} for one in metrics]
        case = {"name": name, "input": f"q{i}", "actualOutput": f"a{i}", "success": score > 0.5}
        cases.append({**case, ("metricsData" if new else "metricsMetadata"): data})
    return {"testCases": cases, "metricsScores": [], "testPassed": 1, "testFailed": 1}


def mturk(new=False, answers=("sentiment",), rejected=0):
    head = ["HITId", "HITTypeId", "Title", "AssignmentId", "WorkerId", "AssignmentStatus"]
    head += ["WorkTimeInSeconds", "Input.text"]
    head += ["Answer.taskAnswers"] if new else [f"Answer.{one}" for one in answers]
    head += ["Approve", "Reject"]
    rows = []
    for n, (i, worker, vote) in enumerate(votes()):
        status = "Rejected" if n < rejected else "Approved"
        row = [f"H{i}", "T", "Rate", f"A{n}", worker, status, 12, f"text {i}"]
        sent = json.dumps([{"sentiment": {"label": vote}}])
        rows.append([*row, *([sent] if new else [vote] * len(answers)), "", ""])
    return table(head, rows)


def toloka(new=True, golden=0, rejected=0):
    head = ["INPUT:image", "OUTPUT:result", "GOLDEN:result", "HINT:text"]
    head += [
        "ASSIGNMENT:link",
        *(["ASSIGNMENT:task_id"] if new else []),
        "ASSIGNMENT:assignment_id",
    ]
    head += ["ASSIGNMENT:worker_id", "ASSIGNMENT:status", "ASSIGNMENT:started"]
    rows = []
    for n, (i, worker, vote) in enumerate(votes()):
        status = "REJECTED" if n < rejected else "APPROVED"
        gold = "yes" if n >= 120 - golden else ""
        task = [f"t{i}"] if new else []
        rows.append([f"img{i}.png", vote, gold, "", "http", *task, n, worker, status, "2020"])
        if not new and n % 10 == 9:
            rows.append([])  # between two suites
    return table(head, rows, "\t")


def qualtrics(new=True, extra=()):
    answers = {}
    for i, worker, vote in votes(items=20, workers=5):
        answers.setdefault(worker, {})[i] = vote
    names = [f"Q{i + 1}" for i in range(20)]
    about = ["StartDate", "EndDate", "Status", "ResponseId"]
    if not new:
        about = ["V8", "V9", "V7", "V1"]
    extra_names = [name for name, _ in extra]
    rows = [
        ["2020", "2020", "IP Address", f"R_{who}", *(given.get(i, "") for i in range(20))]
        + [f"{value} {n}" if value == "text" else value for _, value in extra]
        for n, (who, given) in enumerate(sorted(answers.items()))
    ]
    head = [*about, *names, *extra_names]
    texts = ["Start Date", "End Date", "Response Type", "Response ID"]
    texts += [f"Is picture {i} nice,\nor not?" for i in range(20)]
    texts += [f"Question {name}" for name in extra_names]
    if not new:  # two rows, of which the second has what columns are called
        return table(
            head, [["StartDate", "EndDate", "ResponseSet", "ResponseID", *texts[4:]], *rows]
        )
    ids = ["startDate", "endDate", "status", "_recordId", *(f"QID{i}" for i in range(20))]
    ids += [f"QID{100 + i}" for i in range(len(extra_names))]
    return table(head, [texts, [json.dumps({"ImportId": one}) for one in ids], *rows])


def ground_truth(new=True):
    """Return what workers answered: for all items in one array, or of one item in a file."""
    items = {}
    for i, worker, vote in votes():
        items.setdefault(i, []).append((f"private.us.{worker}", vote))
    if new:
        return [
            {
                "datasetObjectId": str(i),
                "dataObject": {"s3Uri": f"s3://b/{i}.png"},
                "annotations": [
                    {
                        "workerId": worker,
                        "annotationData": {
                            "content": json.dumps({"crowd-image-classifier": {"label": vote}})
                        },
                    }
                    for worker, vote in given
                ],
            }
            for i, given in items.items()
        ]
    return [
        {
            "answers": [
                {
                    "acceptanceTime": "2020",
                    "answerContent": {"yes": {"on": vote == "yes"}, "no": {"on": vote == "no"}},
                    "workerId": worker,
                }
                for worker, vote in given
            ]
        }
        for given in items.values()
    ]


def manifest():
    for i, _, vote in votes(workers=1):
        about = {"class-name": vote, "confidence": 0.9, "type": "groundtruth/image-classification"}
        about |= {"human-annotated": "yes", "job-name": "labeling-job/a"}
        yield {"source-ref": f"s3://b/{i}.png", "a": ANSWERS.index(vote), "a-metadata": about}


def scale(new=True):
    items = {}
    for i, _, vote in votes():
        items.setdefault(i, []).append(vote)
    if not new:  # a task for each answer, about one attachment
        return [
            {
                "task_id": f"{i}-{k}",
                "type": "categorization",
                "status": "completed",
                "params": {"attachment": f"text {i}", "categories": list(ANSWERS)},
                "response": {"category": vote},
            }
            for i, given in items.items()
            for k, vote in enumerate(given)
        ]
    return [
        {
            "task_id": f"t{i}",
            "type": "textcollection",
            "status": "completed",
            "params": {"attachments": [{"type": "text", "content": f"text {i}"}]},
            "response": {
                "annotations": {"nice": {"type": "category", "response": [[one] for one in given]}}
            },
        }
        for i, given in items.items()
    ]


def arena(several=True):
    """Pairwise votes: with several judges on a question, or one vote on each conversation."""
    rng, rows = draws(3), []
    for i in range(60):
        ahead = rng.choice([0.1, 0.5, 0.9])
        for j in range(3 if several else 1):
            swap = rng.random() < 0.5
            pair = ["beta", "alpha"] if swap else ["alpha", "beta"]
            first = rng.random() < ahead
            winner = "tie" if rng.random() < 0.1 else "model_a" if first != swap else "model_b"
            question = i if several else f"conversation-{i}"
            rows.append([question, *pair, winner, f"judge_{j}"])
    return table(["question_id", "model_a", "model_b", "winner", "judge"], rows)


def arena_one_hot():
    rng, rows = draws(4), []
    for i in range(60):
        won = rng.randrange(3)
        rows.append([i, "alpha", "beta", f"p{i}", *(int(won == k) for k in range(3))])
    head = ["id", "model_a", "model_b", "prompt", "winner_model_a", "winner_model_b", "winner_tie"]
    return table(head, rows)


def shares(likely):
    total = math.fsum(math.exp(one) for one in likely)
    return [math.exp(one) / total for one in likely]


VOTES = {
    "mturk.csv": mturk(),
    "mturk_json.csv": mturk(new=True),
    "toloka.tsv": toloka(),
    "toloka_old.tsv": toloka(new=False),
    "consolidation.json": json.dumps(ground_truth()).encode(),
    "scale.json": json.dumps(scale()).encode(),
    "scale_docs.json": json.dumps({"docs": scale(new=False), "total": 120}).encode(),
}
VERDICTS = {
    "inspect.json": json.dumps(inspect_log()).encode(),
    "inspect_1.json": json.dumps(inspect_log(1)).encode(),
    "inspect.eval": inspect_archive(),
    "inspect_old.eval": inspect_archive(old=True),
    "promptfoo.json": json.dumps(promptfoo()).encode(),
    "promptfoo_2.json": json.dumps(promptfoo(2)).encode(),
    "promptfoo.jsonl": lines(promptfoo()["results"]["results"]),
    "deepeval.json": json.dumps(deepeval()).encode(),
    "deepeval_old.json": json.dumps({"testRunData": deepeval(new=False)}).encode(),
}
SCORES = {
    "samples_new.jsonl": lines(lm_eval_new()),
    "samples_old.jsonl": json.dumps(list(lm_eval_old()), indent=2).encode(),
}
