"""Stage 2, on a GPU: distils both students from the teacher for a given time.

    python train.py reader --lab lab --out run --seconds 130
    python train.py melody --lab lab --out run --seconds 90

The outputs of the teacher are computed first and stay on the GPU. Weights are written in 8 bits (`packed.py`), a few files
each.
"""

import argparse
import math
import sys
import time
from pathlib import Path
from typing import Callable, Iterator

import numpy as np
import torch
import torch.nn.functional as F
from torch import Tensor, nn

sys.path.insert(0, str(Path(__file__).resolve().parent.parent / "fast-decoder"))
from generate import Styles  # noqa: E402
from packed import load_packed, save_packed  # noqa: E402
from students import ProsodyPredictor, TextEncoder  # noqa: E402
from teacher import Teacher  # noqa: E402

HELD_OUT = 0.02
#: Approximate number of weights per file.
FILE_WEIGHTS = 11_000_000

Batch = tuple[Tensor, ...]


class Texts:
    """The prepared texts, in groups of similar length with about `tokens` tokens in total."""

    def __init__(self, path: Path, rng: torch.Generator, device: str):
        stored = np.load(path)
        self.ids = np.split(stored["ids"], np.cumsum(stored["lengths"])[:-1])
        self.lengths, self.letters = stored["lengths"].astype(int), stored["letters"]
        self.rng, self.device = rng, device

    def groups(self, tokens: int, count: int | None = None) -> list[list[int]]:
        size = len(self.ids) if count is None else count
        jitter = torch.rand(size, generator=self.rng).numpy()
        groups: list[list[int]] = [[]]
        for index in np.argsort(self.lengths[:size] * (1 + 0.1 * jitter)).tolist():
            if (len(groups[-1]) + 1) * (self.lengths[index] + 2) > tokens and groups[-1]:
                groups.append([])
            groups[-1].append(index)
        return [groups[i] for i in torch.randperm(len(groups), generator=self.rng).tolist()]

    def batch(self, group: list[int]) -> tuple[Tensor, Tensor, Tensor]:
        """Ids with pads, lengths, and the mask of valid positions."""
        lengths = torch.tensor(self.lengths[group]) + 2
        ids = torch.zeros(len(group), int(lengths.max()), dtype=torch.long)
        for row, index in zip(ids, group):
            row[1 : self.lengths[index] + 1] = torch.from_numpy(self.ids[index].astype(np.int64))
        ids, lengths = ids.to(self.device), lengths.to(self.device)
        return ids, lengths, torch.arange(ids.shape[1], device=self.device) < lengths[:, None]


def train(student: nn.Module, pool: list[Batch], loss_of: Callable[[Batch], tuple[Tensor, ...]], *, seconds: float, peak: float, rng: torch.Generator) -> None:
    """Trains for `seconds`; the learning rate warms up over the first 5 % and decays to zero."""
    kept = max(1, int(len(pool) * HELD_OUT))
    held_out, pool = pool[:kept], pool[kept:]
    optimiser = torch.optim.AdamW(student.parameters(), lr=peak, betas=(0.9, 0.98), weight_decay=0.01, fused=student_device(student) == "cuda")
    started, step, shown = time.time(), 0, 0.0
    order: Iterator[int] = iter(())
    while (done := (time.time() - started) / seconds) < 1:
        index = next(order, None)
        if index is None:
            order = iter(torch.randperm(len(pool), generator=rng).tolist())
            continue
        for group in optimiser.param_groups:
            group["lr"] = peak * min(1, done / 0.05) * 0.5 * (1 + math.cos(math.pi * done))
        losses = loss_of(pool[index])
        optimiser.zero_grad(set_to_none=True)
        sum(losses).backward()
        nn.utils.clip_grad_norm_(student.parameters(), 1.0)
        optimiser.step()
        step += 1
        if done >= shown:
            shown += 0.1
            report(f"{100 * done:3.0f} % step {step}", losses, held_out, loss_of)
    report(f"end, step {step}", losses, held_out, loss_of)


@torch.no_grad()
def report(title: str, losses: tuple[Tensor, ...], held_out: list[Batch], loss_of: Callable[[Batch], tuple[Tensor, ...]]) -> None:
    unseen = torch.tensor([[float(value) for value in loss_of(batch)] for batch in held_out]).mean(0)
    print(title, "seen", [f"{float(value):.5f}" for value in losses], "unseen", [f"{value:.5f}" for value in unseen.tolist()], flush=True)


def student_device(student: nn.Module) -> str:
    return next(student.parameters()).device.type


def train_text_encoder(texts: Texts, weights: dict[str, Tensor], seconds: float, rng: torch.Generator) -> nn.Module:
    device = texts.device
    # The gates of the next layer determine which of the 512 values matter.
    gates = torch.cat([weights.pop(f"predictor.text_encoder.lstms.0.weight_ih_l0{side}")[:, :512] for side in ("", "_reverse")]).to(device)
    teacher = Teacher(weights, device)
    pool: list[Batch] = []
    with torch.no_grad():
        for group in texts.groups(16384):
            ids, _, valid = texts.batch(group)
            pool.append((ids.to(torch.int16), valid, teacher.encode_text(ids, valid).half()))
    total = sum(int(valid.sum()) for _, valid, _ in pool[:20])
    spread = torch.cat([target[valid] for _, valid, target in pool[:20]]).float().std(0).clamp_min(1e-3)
    gate_spread = (torch.cat([target[valid] for _, valid, target in pool[:5]]).float() @ gates.T).std()
    print(f"pool: {len(pool)} batches of about {total // 20} tokens", flush=True)
    student = TextEncoder()
    student.init_from_teacher({name: value.cpu() for name, value in teacher.weights.items()})
    student.to(device)

    def loss_of(batch: Batch) -> tuple[Tensor, ...]:
        ids, valid, target = batch
        with torch.autocast(device, torch.bfloat16):
            made = student(ids.long(), valid)
        off = (made.float() - target.float()) * valid[..., None]
        with torch.autocast(device, torch.bfloat16):
            projected = off @ gates.T
        count = valid.sum()
        return (off / spread).square().sum() / count / 512, (projected.float() / gate_spread).square().sum() / count / len(gates)

    train(student, pool, loss_of, seconds=seconds, peak=4e-4, rng=rng)
    return student


def train_prosody_predictor(texts: Texts, weights: dict[str, Tensor], voices: Path, seconds: float, rng: torch.Generator) -> nn.Module:
    device = texts.device
    teacher = Teacher(weights, device)
    styles = Styles(voices, rng)
    pool: list[Batch] = []
    started = time.time()
    with torch.no_grad():
        for group in texts.groups(12000):
            ids, lengths, valid = texts.batch(group)
            uniform = lambda: torch.rand(len(group), 1, generator=rng)
            speed = torch.where(uniform() < 0.5, torch.exp((uniform() - 0.45) * 0.6), 1).to(device)
            prosody = styles.draw(torch.tensor(texts.lengths[group]), texts.letters[group])[:, 128:].to(device)
            features, durations = teacher.predict_durations(teacher.encode_text(ids, valid), lengths, valid, prosody, speed)
            frames = durations.sum(1)
            pitch, energy = teacher.contours(teacher.align(features, durations), frames, prosody)
            pool.append((features[..., :512].half(), durations, prosody, pitch, energy))
            if time.time() - started > 0.25 * seconds:
                break
    print(f"pool: {len(pool)} batches, {sum(int(batch[1].sum()) for batch in pool) / 144000:.1f} hours", flush=True)
    student = ProsodyPredictor().to(device)

    def loss_of(batch: Batch) -> tuple[Tensor, ...]:
        features, durations, prosody, *contours = batch
        mask = (torch.arange(contours[0].shape[1] // 2, device=device) < durations.sum(1)[:, None]).float()
        # Noise in the range of the int8 quantisation error of the server.
        noisy = features.float() * (1 + 0.01 * torch.randn_like(features, dtype=torch.float32))
        with torch.autocast(device, torch.bfloat16):
            made = student(teacher.align(noisy, durations), prosody, mask)
        twice = mask.repeat_interleave(2, 1)
        losses = []
        for predicted, reference, unit in zip(made, contours, ProsodyPredictor.UNITS):
            off = (predicted - reference) * twice / unit
            losses += [off.abs().sum() / twice.sum(), 0.5 * off.diff(dim=1).abs().sum() / twice.sum()]
        return tuple(losses)

    train(student, pool, loss_of, seconds=seconds - (time.time() - started), peak=1.5e-3, rng=rng)
    return student


def save_parts(student: nn.Module, folder: Path, name: str) -> None:
    folder.mkdir(parents=True, exist_ok=True)
    part: dict[str, Tensor] = {}
    number = 0
    for key, value in student.state_dict().items():
        if sum(tensor.numel() for tensor in part.values()) + value.numel() > FILE_WEIGHTS:
            save_packed(part, folder / f"{name}-{number}.npz")
            part, number = {}, number + 1
        part[key] = value
    save_packed(part, folder / f"{name}-{number}.npz")


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("student", choices=("reader", "melody"))
    parser.add_argument("--lab", type=Path, required=True)
    parser.add_argument("--out", type=Path, required=True)
    parser.add_argument("--seconds", type=float, required=True)
    parser.add_argument("--seed", type=int, default=1)
    options = parser.parse_args()
    device = "cuda" if torch.cuda.is_available() else "cpu"
    torch.backends.cuda.matmul.allow_tf32 = torch.backends.cudnn.allow_tf32 = True
    torch.manual_seed(options.seed)
    rng = torch.Generator().manual_seed(options.seed)
    texts = Texts(options.lab / "texts.npz", rng, device)
    weights = load_packed(options.lab / "reading.npz")
    if options.student == "reader":
        student = train_text_encoder(texts, weights, options.seconds, rng)
    else:
        weights |= load_packed(options.lab / "prosody.npz")
        student = train_prosody_predictor(texts, weights, options.lab / "voices.npz", options.seconds, rng)
    save_parts(student, options.out, options.student)


if __name__ == "__main__":
    main()
