"""Train a ResNet-18 on Fashion-MNIST by the paper's recipe, or by a better one, on one GPU.

Run `python -m benchmarks.reference_model --recipe paper --folder FOLDER` with PyTorch and CUDA. The
folder holds the four files of Fashion-MNIST (`train-images-idx3-ubyte.gz` and so on); Debian's
package dataset-fashion-mnist puts them into /usr/share/datasets/fashion-mnist. One network per seed
learns the ten classes; the chance of "tops" (the paper's task) is the sum over their five classes.

The recipe `paper`: the appendix names a ResNet-18, 100 epochs, batches of 128 and Adam at 0.001;
the rest is what the authors' released notebook does. Pixels go from -1 to 1, three equal channels,
the network for large images (its first layers shrink an image to 7 by 7), 12,000 of the 60,000
training images held out, the rate divided by ten after six epochs without a smaller held-out loss,
and the epoch with the smallest one counts. That notebook starts from weights learnt on ImageNet,
which the paper does not mention; `--start FILE` takes such weights (torchvision's file of its
resnet18), without it the weights are random. All seeds train at the same time.

The recipe `better`: 50 epochs, batches of 256, SGD with one cycle of rates, averaged weights,
varied images, smoothed labels, the network for small images. The last epoch counts: nothing is
chosen by the test images.
"""

from __future__ import annotations

import argparse
import gzip
import json
import sys
import time
from collections.abc import Iterator
from importlib import import_module
from pathlib import Path
from typing import Any

import numpy as np

FOLDER = Path("/usr/share/datasets/fashion-mnist")
TOPS = (0, 2, 3, 4, 6)  # T-shirt, pullover, dress, coat, shirt
EPOCHS = {"paper": 100, "better": 50}
PIXELS = {"paper": (0.5, 0.5), "better": (0.2860, 0.3530)}  # what is subtracted; what divides
PAPER_BATCH, PAPER_RATE, HELD_OUT = 128, 0.001, 0.2
BATCH, RATE, DECAY, SMOOTH = 256, 0.15, 5e-4, 0.1
KEPT = 0.998  # of the averaged weights at each step
torch: Any = None
functional: Any = None


def read(folder: Path, name: str) -> np.ndarray[Any, np.dtype[np.uint8]]:
    """Return the images or labels of one file."""
    with gzip.open(folder / f"{name}-ubyte.gz") as file:
        raw = np.frombuffer(file.read(), dtype=np.uint8)
    return raw[16:].reshape(-1, 28, 28) if "images" in name else raw[8:]


def images_of(folder: Path, part: str, recipe: str, device: str) -> tuple[Any, Any]:
    """Return the images of a part, scaled as a recipe says, and their labels, on the device."""
    centre, spread = PIXELS[recipe]
    x = torch.tensor(read(folder, f"{part}-images-idx3")).to(device).float()
    y = torch.tensor(read(folder, f"{part}-labels-idx1").astype(np.int64)).to(device)
    x = (x[:, None] / 255 - centre) / spread
    return x.to(memory_format=torch.channels_last), y


def network(device: Any, *, small: bool) -> Any:
    """Return a ResNet-18: for small images, or for large ones, whose first layers shrink them.

    The order of its layers is that of torchvision, whose weights can so be put into it.
    """
    nn = torch.nn

    class Block(nn.Module):  # type: ignore[misc,name-defined]
        def __init__(self, wide: int, out: int, stride: int) -> None:
            super().__init__()
            self.one = nn.Conv2d(wide, out, 3, stride, 1, bias=False)
            self.norm_one = nn.BatchNorm2d(out)
            self.two = nn.Conv2d(out, out, 3, 1, 1, bias=False)
            self.norm_two = nn.BatchNorm2d(out)
            self.past = None
            if stride > 1 or wide != out:
                past = nn.Conv2d(wide, out, 1, stride, bias=False)
                self.past = nn.Sequential(past, nn.BatchNorm2d(out))

        def forward(self, x: Any) -> Any:
            inner = functional.relu(self.norm_one(self.one(x)), inplace=True)
            around = x if self.past is None else self.past(x)
            return functional.relu(self.norm_two(self.two(inner)) + around, inplace=True)

    if small:
        start = [nn.Conv2d(1, 64, 3, 1, 1, bias=False), nn.BatchNorm2d(64), nn.ReLU(inplace=True)]
    else:
        start = [nn.Conv2d(3, 64, 7, 2, 3, bias=False), nn.BatchNorm2d(64), nn.ReLU(inplace=True)]
        start += [nn.MaxPool2d(3, 2, 1)]
    blocks, wide = [], 64
    for out, stride in ((64, 1), (128, 2), (256, 2), (512, 2)):
        blocks += [Block(wide, out, stride), Block(out, out, 1)]
        wide = out
    end = [nn.AdaptiveAvgPool2d(1), nn.Flatten(), nn.Linear(512, 10)]
    model = nn.Sequential(*start, *blocks, *end)
    return model.to(device).to(memory_format=torch.channels_last)


def varied(x: Any, generator: Any) -> Any:
    """Return images that are mirrored, moved by up to two pixels and partly blank, at random."""
    n, device = len(x), x.device
    mirror = torch.rand(n, 1, 1, 1, device=device, generator=generator) < 0.5
    x = torch.where(mirror, x.flip(3), x)
    padded = functional.pad(x, (2, 2, 2, 2), value=float(x.min()))
    by = torch.randint(0, 5, (2, n, 1), device=device, generator=generator)
    rows, columns = (torch.arange(28, device=device)[None] + one for one in by)
    picked = torch.arange(n, device=device)[:, None, None]
    x = padded[picked, 0, rows[:, :, None], columns[:, None, :]][:, None]
    # A square of 8 by 8 pixels is blank on half of the images.
    top = torch.randint(-8, 28, (2, n, 1), device=device, generator=generator)
    at = torch.arange(28, device=device)[None]
    inside = [(at >= one) & (at < one + 8) for one in top]
    some = torch.rand(n, 1, 1, 1, device=device, generator=generator) < 0.5
    blank = (inside[0][:, :, None] & inside[1][:, None, :])[:, None] & some
    return x.masked_fill(blank, 0.0).contiguous(memory_format=torch.channels_last)


def trained_better(x: Any, y: Any, seed: int, epochs: int) -> Any:
    """Return a network trained by the better recipe: the running mean of its weights."""
    torch.manual_seed(seed)
    generator = torch.Generator(device="cuda").manual_seed(seed)
    model = network(x.device, small=True)
    mean = torch.optim.swa_utils.AveragedModel(
        model, multi_avg_fn=torch.optim.swa_utils.get_ema_multi_avg_fn(KEPT), use_buffers=True
    )
    optimiser = torch.optim.SGD(model.parameters(), RATE, 0.9, weight_decay=DECAY, nesterov=True)
    steps = epochs * (len(x) // BATCH)
    rates = torch.optim.lr_scheduler.OneCycleLR(optimiser, RATE, steps, pct_start=0.15)
    quick = torch.compile(model)
    for _ in range(epochs):
        order = torch.randperm(len(x), device="cuda", generator=generator)
        for some in order[: steps // epochs * BATCH].split(BATCH):
            with torch.autocast("cuda", dtype=torch.bfloat16):
                loss = functional.cross_entropy(
                    quick(varied(x[some], generator)), y[some], label_smoothing=SMOOTH
                )
            optimiser.zero_grad(set_to_none=True)
            loss.backward()
            optimiser.step()
            rates.step()
            mean.update_parameters(model)
    return mean.module


class PaperRun:
    """One seed of the paper's recipe, on a stream of its own: seeds train at the same time."""

    def __init__(self, x: Any, y: Any, seed: int, start: Path | None) -> None:
        torch.manual_seed(seed)
        self.seed, self.x, self.y = seed, x, y
        self.generator = torch.Generator(device=x.device).manual_seed(seed)
        order = torch.randperm(len(x), device=x.device, generator=self.generator)
        self.held_out, self.learnt = order.tensor_split([int(HELD_OUT * len(x))])
        self.model = network(x.device, small=False)
        self._begin(start)
        self.rate = torch.tensor(PAPER_RATE, device=x.device)
        self.optimiser = torch.optim.Adam(
            self.model.parameters(), self.rate, fused=True, capturable=x.is_cuda
        )
        # The rate as PyTorch's own schedule has it: the schedule changes a number on the CPU.
        self.stand_in = torch.optim.SGD([torch.zeros(1)], PAPER_RATE)
        self.schedule = torch.optim.lr_scheduler.ReduceLROnPlateau(self.stand_in, patience=5)
        self.batch = self.learnt[:PAPER_BATCH].clone()
        self.best, self.best_epoch = float("inf"), 0
        self.best_weights: dict[str, Any] = {}
        self.stream = torch.cuda.Stream() if x.is_cuda else None
        self.replay = self._captured() if x.is_cuda else self.step

    def _begin(self, start: Path | None) -> None:
        """Put the first weights in: random ones as torchvision draws them, or those of a file."""
        for part in self.model.modules():
            if isinstance(part, torch.nn.Conv2d):
                torch.nn.init.kaiming_normal_(part.weight, mode="fan_out", nonlinearity="relu")
        if start is not None:
            given = list(torch.load(start, map_location=self.x.device).values())[:-2]
            with torch.no_grad():
                for own, value in zip(self.model.state_dict().values(), given, strict=False):
                    own.copy_(value)

    def outputs(self, which: Any) -> Any:
        """Return what the network says of some images, as three equal channels."""
        x = self.x[which].expand(-1, 3, -1, -1)
        return self.model(x.contiguous(memory_format=torch.channels_last))

    def step(self) -> None:
        """Learn from the batch."""
        loss = functional.cross_entropy(self.outputs(self.batch), self.y[self.batch])
        self.optimiser.zero_grad(set_to_none=True)
        loss.backward()
        self.optimiser.step()

    def _captured(self) -> Any:
        """Return the step as one launch (a CUDA graph): the network's own launches are too many."""
        before = {name: value.clone() for name, value in self.model.state_dict().items()}
        torch.cuda.synchronize()
        with torch.cuda.stream(self.stream):
            for _ in range(3):
                self.step()
        torch.cuda.synchronize()
        graph = torch.cuda.CUDAGraph()
        with torch.cuda.graph(graph, stream=self.stream):
            self.step()
        self.model.load_state_dict(before)
        for state in self.optimiser.state.values():
            for value in state.values():
                value.zero_()
        torch.cuda.synchronize()
        return graph.replay

    def held_out_loss(self) -> float:
        """Return the mean loss on the images held out of the training."""
        self.model.eval()
        with torch.no_grad():
            losses = [
                functional.cross_entropy(self.outputs(some), self.y[some], reduction="sum")
                for some in self.held_out.split(4000)
            ]
        self.model.train()
        return float(sum(losses)) / len(self.held_out)

    def end_epoch(self, epoch: int) -> None:
        """Keep the weights if they are the best so far, and set the rate of the next epoch."""
        loss = self.held_out_loss()
        if loss < self.best:
            self.best, self.best_epoch = loss, epoch + 1
            self.best_weights = {k: v.clone() for k, v in self.model.state_dict().items()}
        self.schedule.step(loss)
        self.rate.fill_(self.stand_in.param_groups[0]["lr"])


def trained_paper(
    x: Any, y: Any, seeds: list[int], epochs: int, start: Path | None
) -> list[PaperRun]:
    """Return a run of the paper's recipe per seed, all trained at the same time."""
    runs = [PaperRun(x, y, seed, start) for seed in seeds]
    for epoch in range(epochs):
        orders = []
        for run in runs:
            with torch.cuda.stream(run.stream):
                mixed = torch.randperm(len(run.learnt), device=x.device, generator=run.generator)
                orders.append(run.learnt[mixed])
        # 48,000 images are 375 batches and no rest.
        for at in range(0, len(orders[0]) - PAPER_BATCH + 1, PAPER_BATCH):
            for run, order in zip(runs, orders, strict=True):
                with torch.cuda.stream(run.stream):
                    run.batch.copy_(order[at : at + PAPER_BATCH])
                    run.replay()
        for run in runs:
            with torch.cuda.stream(run.stream):
                run.end_epoch(epoch)
        losses = " ".join(f"{run.best:.4f}" for run in runs)
        print(f"epoch {epoch + 1}: smallest held-out losses {losses}", file=sys.stderr, flush=True)
    return runs


def errors_of(model: Any, x: Any, y: Any) -> dict[str, int]:
    """Return how many test images are wrong, of ten classes and as tops or not.

    Once each image is looked at alone, once together with its mirror image.
    """
    model.eval()
    with torch.no_grad():
        plain, mirrored = (
            torch.cat([model(one).softmax(1) for one in view.split(1000)])
            for view in (x, x.flip(3))
        )
    tops = torch.zeros(10, device=y.device)
    tops[list(TOPS)] = 1
    found = {}
    for name, chances in (("", plain), ("_mirrored", (plain + mirrored) / 2)):
        found[f"ten{name}"] = int((chances.argmax(1) != y).sum())
        found[f"tops{name}"] = int(((chances @ tops > 0.5) != (tops[y] > 0)).sum())
    return found


def results(given: argparse.Namespace) -> Iterator[dict[str, Any]]:
    """Yield the test errors of each seed by the recipe asked for."""
    train, test = (
        images_of(given.folder, part, given.recipe, given.device) for part in ("train", "t10k")
    )
    epochs = given.epochs or EPOCHS[given.recipe]
    start = time.perf_counter()
    if given.recipe == "better":
        for seed in given.seeds:
            found = errors_of(trained_better(*train, seed, epochs), *test)
            yield {"seed": seed, **found, "seconds": round(time.perf_counter() - start, 1)}
            start = time.perf_counter()
        return
    runs = trained_paper(*train, given.seeds, epochs, given.start)
    seconds = round(time.perf_counter() - start, 1)  # of all seeds together
    colours = test[0].expand(-1, 3, -1, -1).contiguous(memory_format=torch.channels_last)
    for run in runs:
        last = errors_of(run.model, colours, test[1])
        run.model.load_state_dict(run.best_weights)
        best = errors_of(run.model, colours, test[1])
        yield {
            "seed": run.seed,
            **best,
            "epoch": run.best_epoch,
            "ten_last": last["ten"],
            "tops_last": last["tops"],
            "seconds": seconds,
        }


def main() -> None:
    """Train one network per seed, and print the test errors."""
    global torch, functional
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--recipe", choices=list(EPOCHS), default="paper")
    parser.add_argument("--folder", type=Path, default=FOLDER)
    parser.add_argument("--seeds", type=int, nargs="+", default=[0, 1, 2, 3, 4])
    parser.add_argument("--epochs", type=int, help="other than the recipe's own")
    parser.add_argument("--start", type=Path, help="file of ImageNet weights, for the paper's")
    parser.add_argument("--write", type=Path, help="also write the lines to this file")
    parser.add_argument("--device", default="cuda")
    given = parser.parse_args()
    torch = import_module("torch")
    functional = import_module("torch.nn.functional")
    torch.backends.cudnn.benchmark = True
    lines = []
    for found in results(given):
        lines.append(json.dumps({"recipe": given.recipe, **found}))
        print(lines[-1], flush=True)
    if given.write:
        given.write.write_text("\n".join(lines) + "\n")


if __name__ == "__main__":
    main()
