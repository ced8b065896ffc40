"""Images with a known floor: a normalising flow learns Fashion-MNIST, and is drawn from.

The way of R. Theisen et al., "Evaluating state-of-the-art classification models against Bayes
optimality" (NeurIPS 2021): one invertible map takes images to a space where each class is a
Gaussian. A map that can be inverted changes no floor, so that of the images is that of ten
Gaussians, which is known. What is drawn is not Fashion-MNIST; it looks like it, and its floor is
exact. Moving the means of the Gaussians together makes classes harder to tell apart.

`python -m benchmarks.flow train FOLDER OUT` needs PyTorch and a GPU for about ten minutes; FOLDER
holds the four files of Fashion-MNIST. It writes a file per floor to OUT. `python -m benchmarks.flow
judge OUT` lets every method from features, scores and votes answer on these, and writes
benchmarks/FLOW.md.
"""

from __future__ import annotations

import argparse
import json
import math
import time
import warnings
from collections.abc import Iterator
from importlib import import_module
from pathlib import Path
from typing import Any

import numpy as np

import errorfloor as ef
from benchmarks.reference_model import TOPS, read
from errorfloor._typing import Counts, Floats

DOCUMENT = Path(__file__).parent / "FLOW.md"
FLOORS = (0.01, 0.05, 0.15)  # of tops against the rest
ITEMS, LEARNT = 4_000, 60_000  # to judge by, and for the classifier to learn from
DRAWS = 2_000_000  # for the floor, whose standard error is below 0.0003
EDGE = 0.05  # pixels are kept so far from 0 and 1 before their log-odds are taken
STEPS, WIDE, BATCH, RATE = 8, 128, 256, 1e-3
torch: Any = None
functional: Any = None


# The truth, which needs no flow: Gaussians of unit variance around means.


def posterior(z: Floats, means: Floats) -> Floats:
    """Return the probability of each class at points, where classes are equally common."""
    logs = z @ means.T - 0.5 * (means**2).sum(axis=1)
    shares = np.exp(logs - logs.max(axis=1, keepdims=True))
    return np.asarray(shares / shares.sum(axis=1, keepdims=True))


def floors_of(means: Floats, rng: np.random.Generator, draws: int = DRAWS) -> tuple[float, float]:
    """Return the floors of all classes, and of tops against the rest, by many draws.

    Only the plane that the means span matters; the rest is noise that says nothing.
    """
    centred = means - means.mean(axis=0)
    basis = np.linalg.svd(centred, full_matrices=False)[2][: len(means) - 1]
    flat = centred @ basis.T
    wrong = np.zeros(2)
    for part in range(20):
        del part
        label = rng.integers(len(flat), size=draws // 20)
        p = posterior(flat[label] + rng.normal(size=(len(label), flat.shape[1])), flat)
        top = p[:, list(TOPS)].sum(axis=1)
        wrong += (1 - p.max(axis=1)).mean(), np.minimum(top, 1 - top).mean()
    return float(wrong[0] / 20), float(wrong[1] / 20)


def blend_for(means: Floats, floor: float, rng: np.random.Generator, draws: int = 100_000) -> float:
    """Return by what to shrink the means towards their mean, so that tops have that floor."""
    low, high = 0.0, 1.0
    seed = rng.integers(2**32)
    for _ in range(20):
        middle = (low + high) / 2
        found = floors_of(_blended(means, middle), np.random.default_rng(seed), draws)[1]
        low, high = (middle, high) if found > floor else (low, middle)
    return high


def _blended(means: Floats, share: float) -> Floats:
    centre = means.mean(axis=0)
    return np.asarray(centre + share * (means - centre))


# The flow.


def flow(means_at: float = 0.01) -> Any:
    """Return a flow of couplings on images in two scales, with a Gaussian for each class."""
    nn = torch.nn

    class Coupling(nn.Module):  # type: ignore[misc,name-defined]
        def __init__(self, channels: int, size: int, seed: int) -> None:
            super().__init__()
            half = channels // 2
            self.half = half
            generator = torch.Generator().manual_seed(seed)
            turn = torch.linalg.qr(torch.randn(channels, channels, generator=generator))[0]
            self.register_buffer("turn", turn)
            self.scale = nn.Parameter(torch.zeros(1, channels, 1, 1))
            self.shift = nn.Parameter(torch.zeros(1, channels, 1, 1))
            self.net = nn.Sequential(
                nn.Conv2d(half, WIDE, 3, 1, 1),
                nn.ReLU(),
                nn.Conv2d(WIDE, WIDE, 1),
                nn.ReLU(),
                nn.Conv2d(WIDE, WIDE, 3, 1, 1),
                nn.ReLU(),
                nn.Conv2d(WIDE, 2 * (channels - half), 3, 1, 1),
            )
            nn.init.zeros_(self.net[-1].weight)
            nn.init.zeros_(self.net[-1].bias)
            self.size = size

        def moves(self, kept: Any) -> tuple[Any, Any]:
            log_scale, shift = self.net(kept).chunk(2, 1)
            return 1.5 * torch.tanh(log_scale / 1.5), shift

        def forward(self, x: Any) -> tuple[Any, Any]:
            x = (x + self.shift) * self.scale.exp()
            x = torch.einsum("ij,njhw->nihw", self.turn, x)
            kept, moved = x[:, : self.half], x[:, self.half :]
            log_scale, shift = self.moves(kept)
            moved = moved * log_scale.exp() + shift
            gain = self.scale.sum() * self.size**2 + log_scale.sum(dim=(1, 2, 3))
            return torch.cat((kept, moved), 1), gain

        def inverse(self, y: Any) -> Any:
            kept, moved = y[:, : self.half], y[:, self.half :]
            log_scale, shift = self.moves(kept)
            x = torch.cat((kept, (moved - shift) * (-log_scale).exp()), 1)
            x = torch.einsum("ji,njhw->nihw", self.turn, x)
            return x * (-self.scale).exp() - self.shift

    class Flow(nn.Module):  # type: ignore[misc,name-defined]
        def __init__(self) -> None:
            super().__init__()
            scales = ((4, 14), (16, 7))
            self.scales = nn.ModuleList(
                nn.ModuleList(Coupling(c, size, 100 * c + at) for at in range(STEPS))
                for c, size in scales
            )
            self.means = nn.Parameter(means_at * torch.randn(10, 784))

        def forward(self, x: Any) -> tuple[Any, Any]:
            gain = 0
            for steps in self.scales:
                x = functional.pixel_unshuffle(x, 2)
                for step in steps:
                    x, more = step(x)
                    gain = gain + more
            return x.flatten(1), gain

        def inverse(self, z: Any) -> Any:
            x = z.view(-1, 16, 7, 7)
            for steps in reversed(self.scales):
                for step in reversed(steps):
                    x = step.inverse(x)
                x = functional.pixel_shuffle(x, 2)
            return x

    return Flow().cuda()


def log_odds(pixels: Any) -> Any:
    """Return pixels from 0 to 1 on a line without ends."""
    p = EDGE + (1 - 2 * EDGE) * pixels
    return p.log() - (1 - p).log()


def pixels_of(x: Any) -> Any:
    """Return what `log_odds` was taken of, whatever it is."""
    return (torch.sigmoid(x) - EDGE) / (1 - 2 * EDGE)


def trained(images: Any, labels: Any, seconds: float) -> Any:
    """Return a flow that learnt for so long, and its loss in nats per pixel."""
    torch.manual_seed(0)
    model = flow()
    optimiser = torch.optim.Adam(model.parameters(), RATE)
    start, loss, step = time.perf_counter(), 0.0, 0
    while (gone := (time.perf_counter() - start) / seconds) < 1:
        for group in optimiser.param_groups:
            group["lr"] = RATE * min(1, step / 500) * 0.5 * (1 + math.cos(math.pi * gone))
        some = torch.randint(len(images), (BATCH,), device="cuda")
        x = log_odds((images[some].float() + torch.rand_like(images[some].float())) / 256)
        z, gain = model(x)
        nearness = 0.5 * ((z - model.means[labels[some]]) ** 2).sum(1)
        value = (nearness - gain).mean() / 784
        optimiser.zero_grad(set_to_none=True)
        value.backward()
        torch.nn.utils.clip_grad_norm_(model.parameters(), 1.0)
        optimiser.step()
        step += 1
        if step % 500 == 0:
            loss = float(value.detach())
            print(f"step {step}: {loss:.4f}", flush=True)
    return model.eval(), loss, step


def draw(model: Any, means: Floats, n: int, rng: np.random.Generator) -> tuple[Any, Counts, Floats]:
    """Return images on the line without ends, their classes, and the true probabilities."""
    label = rng.integers(len(means), size=n)
    z = means[label] + rng.normal(size=(n, means.shape[1]))
    parts = np.array_split(z, max(n // 2000, 1))
    with torch.no_grad():
        made = [model.inverse(torch.tensor(one, dtype=torch.float32).cuda()) for one in parts]
    return torch.cat(made), label, posterior(z, means)


def classifier_scores(x: Any, y: Any, new: Any) -> Floats:
    """Return what a small network that learnt from other draws says of new ones."""
    nn = torch.nn
    torch.manual_seed(1)
    layers = []
    for wide, out in ((1, 64), (64, 128), (128, 256)):
        layers += [nn.Conv2d(wide, out, 3, 1, 1), nn.BatchNorm2d(out), nn.ReLU(), nn.MaxPool2d(2)]
    model = nn.Sequential(*layers, nn.Flatten(), nn.Dropout(0.3), nn.Linear(256 * 9, 10)).cuda()
    epochs = 12
    steps = epochs * (len(x) // BATCH)
    optimiser = torch.optim.AdamW(model.parameters(), 2e-3, weight_decay=1e-2)
    rates = torch.optim.lr_scheduler.OneCycleLR(optimiser, 2e-3, steps)
    for _ in range(steps):
        some = torch.randint(len(x), (BATCH,), device="cuda")
        loss = functional.cross_entropy(model(x[some]), y[some])
        optimiser.zero_grad(set_to_none=True)
        loss.backward()
        optimiser.step()
        rates.step()
    model.eval()
    with torch.no_grad():
        shares = torch.cat([model(part).double().softmax(1) for part in new.split(2000)])
    return np.asarray(shares.cpu().numpy())


def train(folder: Path, out: Path, seconds: float) -> None:
    """Train the flow, and write a file of items for each floor."""
    global torch, functional
    torch = import_module("torch")
    functional = import_module("torch.nn.functional")
    images = torch.tensor(read(folder, "train-images-idx3")).cuda()[:, None]
    labels = torch.tensor(read(folder, "train-labels-idx1").astype(np.int64)).cuda()
    start = time.perf_counter()
    model, loss, steps = trained(images, labels, seconds)
    took = time.perf_counter() - start
    with torch.no_grad():
        x = log_odds((images[:1000].float() + 0.5) / 256)
        off = float((model.inverse(model(x)[0]) - x).abs().max())
    means = model.means.detach().double().cpu().numpy()
    rng = np.random.default_rng(0)
    told = {"seconds": took, "steps": steps, "nats_per_pixel": loss, "inverse_off_by": off}
    told["whole"] = floors_of(means, rng, 200_000)
    print(json.dumps(told), flush=True)
    for floor in FLOORS:
        share = blend_for(means, floor, rng)
        own = _blended(means, share)
        ten, tops = floors_of(own, rng)
        start = time.perf_counter()
        learnt, its_labels, _ = draw(model, own, LEARNT, rng)
        new, label, truth = draw(model, own, ITEMS, rng)
        scores = classifier_scores(learnt, torch.tensor(its_labels).cuda(), new)
        errors = float((scores.argmax(1) != label).mean())
        about = {**told, "blend": share, "ten": ten, "tops": tops, "classifier": errors}
        print(json.dumps(about), flush=True)
        np.savez_compressed(
            out / f"flow-{floor:g}.npz",
            features=new.flatten(1).cpu().numpy(),
            pixels=(255 * pixels_of(new[:64]).clamp(0, 1)).byte().cpu().numpy(),
            labels=label,
            truth=truth,
            scores=scores,
            about=json.dumps(about),
        )


# The judgement.


def judged(
    features: Floats, labels: Counts, truth: Floats, scores: Floats, seed: int = 0
) -> Iterator[tuple[str, Any]]:
    """Yield every answer on tops against the rest, with what it is from."""
    tops = np.isin(labels, TOPS).astype(np.int64)
    p, score = (rows[:, list(TOPS)].sum(axis=1).clip(0, 1) for rows in (truth, scores))
    rng = np.random.default_rng(seed)
    for method in ("isotonic", "isotonic-cf", "beta", "platt", "hist-25"):
        yield f"a network's scores, {method}", ef.from_scores(score, tops, method=method, rng=0)
    yield "a network's scores, certified", ef.from_scores(score, tops, interval="certified", rng=0)
    for votes in (3, 10):
        yield f"{votes} votes, mixture", ef.from_votes(rng.binomial(votes, p), votes)
    yield "true probabilities", ef.from_soft_labels(p)
    for method in ("sequential", "1nn", "knn-15", "ghp"):
        yield f"images, {method}", ef.from_features(features, tops, method=method, rng=0)


def judge(out: Path) -> str:
    """Return the page: every answer next to the floor that is known."""
    lines: list[str] = []
    for path in sorted(out.glob("flow-*.npz")):
        with np.load(path) as file:
            held = {name: file[name] for name in file.files}
        about = json.loads(str(held["about"]))
        if not lines:
            lines += [_head(about)]
        lines += [_section(about), *_table(held, about["tops"])]
    return "\n".join(lines) + "\n"


def _head(about: dict[str, Any]) -> str:
    return f"""# Images with a known floor

`python -m benchmarks.flow train FOLDER OUT`, then `python -m benchmarks.flow judge OUT`. A
normalising flow of {2 * STEPS} couplings learnt Fashion-MNIST for {about["seconds"]:.0f} seconds
({about["steps"]:,} steps) on one NVIDIA H200, to {about["nats_per_pixel"]:.3f} nats per pixel of
the log-odds; going there and back again moves a pixel by at most {about["inverse_off_by"]:.0e}. Its
classes are Gaussians in the space that it maps to, so the floor of what is drawn from it is known:
{100 * about["whole"][0]:.3f} % for ten classes as it was learnt. With the means of the Gaussians
moved together classes are harder to tell apart, and images look like several things at once. The
task is the paper's, tops against the rest, on {ITEMS:,} items; the network learnt from
{LEARNT:,} other draws. "Holds" says whether limits that an answer claims hold the floor."""


def _section(about: dict[str, Any]) -> str:
    return f"""
## Floor {100 * about["tops"]:.2f} %

Means moved to {about["blend"]:.3f} of their distances. The floor of ten classes is
{100 * about["ten"]:.2f} %; the network errs on {100 * about["classifier"]:.2f} % of the items.
"""


def _table(held: dict[str, Any], floor: float) -> Iterator[str]:
    yield "| from | value | less the floor | limits | claims | holds |"
    yield "| --- | --- | --- | --- | --- | --- |"
    arrays = (held[name] for name in ("features", "labels", "truth", "scores"))
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ef.ErrorFloorWarning)
        for name, found in judged(*arrays):
            if found.refuted:
                yield f"| {name} | refuted | | | | |"
                continue
            limits = (
                "" if found.low is None else f"{100 * found.low:.2f} to {100 * found.high:.2f} %"
            )
            claim = found.claim
            held_up = (not claim.low or found.low <= floor) and (
                not claim.high or floor <= found.high
            )
            holds = "" if claim.limits == "none" else "yes" if held_up else "**no**"
            yield (
                f"| {name} | {100 * found.value:.2f} % | {100 * (found.value - floor):+.2f} | "
                f"{limits} | {claim.limits} | {holds} |"
            )


def main() -> None:
    """Train, or judge."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    commands = parser.add_subparsers(dest="command", required=True)
    learning = commands.add_parser("train")
    learning.add_argument("folder", type=Path)
    learning.add_argument("out", type=Path)
    learning.add_argument("--seconds", type=float, default=420)
    commands.add_parser("judge").add_argument("out", type=Path)
    given = parser.parse_args()
    if given.command == "train":
        train(given.folder, given.out, given.seconds)
    else:
        DOCUMENT.write_text(judge(given.out), encoding="utf-8")
        print(DOCUMENT.read_text(encoding="utf-8"))


if __name__ == "__main__":
    main()
