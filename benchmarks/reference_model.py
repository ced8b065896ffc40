"""Train the paper's reference model, a ResNet-18 on Fashion-MNIST, on one GPU.

Run `python -m benchmarks.reference_model --folder FOLDER` with PyTorch and CUDA. The folder holds
the four files of Fashion-MNIST (`train-images-idx3-ubyte.gz` and so on); Debian's package
dataset-fashion-mnist puts them into /usr/share/datasets/fashion-mnist. One network per seed learns
the ten classes; the chance of "tops" (the paper's task) is the sum over their five classes.
The last epoch counts: nothing is chosen by the test images.
"""

from __future__ import annotations

import argparse
import gzip
import json
import time
from importlib import import_module
from pathlib import Path
from typing import Any

import numpy as np

FOLDER = Path("/usr/share/datasets/fashion-mnist")
TOPS = (0, 2, 3, 4, 6)  # T-shirt, pullover, dress, coat, shirt
EPOCHS, BATCH, RATE, DECAY, SMOOTH = 50, 256, 0.15, 5e-4, 0.1
KEPT = 0.998  # of the averaged weights at each step
torch: Any = None
functional: Any = None


def read(folder: Path, name: str) -> np.ndarray[Any, np.dtype[np.uint8]]:
    """Return the images or labels of one file."""
    with gzip.open(folder / f"{name}-ubyte.gz") as file:
        raw = np.frombuffer(file.read(), dtype=np.uint8)
    return raw[16:].reshape(-1, 28, 28) if "images" in name else raw[8:]


def images_of(folder: Path, part: str) -> tuple[Any, Any]:
    """Return the images of a part, with mean 0 and spread 1, and their labels, on the GPU."""
    x = torch.tensor(read(folder, f"{part}-images-idx3")).cuda().float()
    y = torch.tensor(read(folder, f"{part}-labels-idx1").astype(np.int64)).cuda()
    x = (x[:, None] / 255 - 0.2860) / 0.3530
    return x.to(memory_format=torch.channels_last), y


def network() -> Any:
    """Return a ResNet-18 for small images: its first convolution keeps their size."""
    nn = torch.nn

    class Block(nn.Module):  # type: ignore[misc,name-defined]
        def __init__(self, wide: int, out: int, stride: int) -> None:
            super().__init__()
            self.one = nn.Conv2d(wide, out, 3, stride, 1, bias=False)
            self.two = nn.Conv2d(out, out, 3, 1, 1, bias=False)
            self.norms = nn.ModuleList([nn.BatchNorm2d(out) for _ in range(3)])
            self.past = None
            if stride > 1 or wide != out:
                self.past = nn.Conv2d(wide, out, 1, stride, bias=False)

        def forward(self, x: Any) -> Any:
            inner = functional.relu(self.norms[0](self.one(x)), inplace=True)
            around = x if self.past is None else self.norms[2](self.past(x))
            return functional.relu(self.norms[1](self.two(inner)) + around, inplace=True)

    blocks, wide = [], 64
    for out, stride in ((64, 1), (128, 2), (256, 2), (512, 2)):
        blocks += [Block(wide, out, stride), Block(out, out, 1)]
        wide = out
    start = [nn.Conv2d(1, 64, 3, 1, 1, bias=False), nn.BatchNorm2d(64), nn.ReLU(inplace=True)]
    end = [nn.AdaptiveAvgPool2d(1), nn.Flatten(), nn.Linear(512, 10)]
    return nn.Sequential(*start, *blocks, *end).cuda().to(memory_format=torch.channels_last)


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


def trained(x: Any, y: Any, seed: int, epochs: int) -> Any:
    """Return a network trained from one seed: the running mean of its weights."""
    torch.manual_seed(seed)
    generator = torch.Generator(device="cuda").manual_seed(seed)
    model = network()
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
    tops = torch.zeros(10, device="cuda")
    tops[list(TOPS)] = 1
    found = {}
    for name, chances in (("", plain), ("_mirrored", (plain + mirrored) / 2)):
        found[f"ten{name}"] = int((chances.argmax(1) != y).sum())
        found[f"tops{name}"] = int(((chances @ tops > 0.5) != (tops[y] > 0)).sum())
    return found


def main() -> None:
    """Train one network per seed, and print the test errors."""
    global torch, functional
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--folder", type=Path, default=FOLDER)
    parser.add_argument("--seeds", type=int, nargs="+", default=[0, 1, 2, 3, 4])
    parser.add_argument("--epochs", type=int, default=EPOCHS)
    given = parser.parse_args()
    torch = import_module("torch")
    functional = import_module("torch.nn.functional")
    torch.backends.cudnn.benchmark = True
    train, test = images_of(given.folder, "train"), images_of(given.folder, "t10k")
    for seed in given.seeds:
        start = time.perf_counter()
        found = errors_of(trained(*train, seed, given.epochs), *test)
        seconds = round(time.perf_counter() - start, 1)
        print(json.dumps({"seed": seed, **found, "seconds": seconds}), flush=True)


if __name__ == "__main__":
    main()
