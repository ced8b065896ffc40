"""Whether names of classes are what they seem: one class in two spellings, or none at all."""

from __future__ import annotations

import re
from collections.abc import Iterator

from errorfloor._checks import Sentence, aside
from errorfloor.checks.record import ANY, Check, Checked
from errorfloor.data.naming import as_long, no_answers
from errorfloor.results.claim import Finding
from errorfloor.results.estimate import Estimate
from errorfloor.results.models import ModelComparison

# What people who leave an item out are often made to choose.
ABSTENTIONS = frozenset(
    {"unsure", "not sure", "dont know", "i dont know", "idk", "skip", "skipped", "cant tell"}
    | {"no answer", "abstain", "not assessable"}
    | {"unsicher", "weiß nicht", "weiss nicht", "keine antwort", "nicht beurteilbar"}
    | {"incertain", "ne sait pas", "je ne sais pas", "sans réponse", "non évaluable"}
    | {"no sé", "no sabe", "sin respuesta", "no evaluable"}
    | {"não sei", "não sabe", "sem resposta", "não avaliável"}
    | {"non so", "incerto", "nessuna risposta", "non valutabile"}
    | {"onzeker", "weet niet", "weet ik niet", "geen antwoord", "niet te beoordelen"}
)


def _values_by_class(estimate: Checked) -> list[list[str]]:
    """Return the values that were taken for each class; of one against the rest, all others."""
    classes = None if estimate.source is None else estimate.source.facts.get("classes")
    if isinstance(classes, dict):
        return [[*map(str, values)] for values in classes.values()]
    return [[name] for name in estimate.classes]


def _spellings(estimate: Checked) -> Iterator[Finding]:
    spelt: dict[str, list[str]] = {}
    for values in _values_by_class(estimate):
        for plain, value in {_plain(one): one for one in values}.items():
            spelt.setdefault(plain, []).append(value)
    same = [several for several in spelt.values() if len(several) > 1]
    if not same:
        return
    listed = estimate.source is not None and estimate.source.options.classes is not None
    given = "answers" if isinstance(estimate, ModelComparison) else "votes"
    yield Finding(
        "One class in two spellings",
        " and ".join(same[0]),
        "note" if listed else "refuted",
        f"{'; '.join(map(' and '.join, same[:3]))} are treated as different classes, so that "
        f"{given} and labels that agree count as different.",
        Sentence(
            "Spell them the same way; if they are different classes, list all classes",
            aside("classes"),
            ".",
        ),
    )


def _abstentions(estimate: Estimate) -> Iterator[Finding]:
    sides = _values_by_class(estimate)
    names = [name for values in sides for name in values]
    options = None if estimate.source is None else estimate.source.options
    found = [
        name for name in names if _plain(re.sub(r"\W+", " ", name.replace("'", ""))) in ABSTENTIONS
    ] + no_answers(names)
    asked = None if options is None or options.positive is None else str(options.positive)
    found = [name for name in found if name != asked]
    if found and len(names) > 2:
        (side,) = (values for values in sides if found[0] in values)
        others = [name for name in side if name not in found]
        meant = f"counts as the same answer as {', '.join(others[:3])}"
        if not others:
            meant = "is counted as a class, so a model must predict it, too"
        yield Finding(
            "Answers that are no class",
            ", ".join(found),
            "note" if options is not None and options.classes is not None else "warn",
            f"{', '.join(found)} {meant}.",
            Sentence("If it means no answer, leave it out", aside("missing", ",".join(found)), "."),
        )


def _plain(name: str) -> str:
    """Return a name without what people take no notice of: capitals, and kinds of blanks."""
    return as_long(re.sub(r"[\s_]+", " ", name))


RECORDS = (
    Check(
        name="spelling of classes",
        classes=ANY,
        run=_spellings,
        asks="Do two class names differ only in capitals or spaces?",
        results=(Estimate, ModelComparison),
    ),
    Check(
        name="answers that are no class",
        classes=ANY,
        run=_abstentions,
        asks="Where people choose among three or more answers: does one of them, such as unsure or "
        "skip, mean that no answer was given?",
    ),
)
