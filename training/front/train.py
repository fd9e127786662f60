"""Stage 2, on a GPU: distils the front from Kokoro's for a given time.

    PYTHONPATH=../fast-decoder:../decoder python train.py --lab lab --out run --speak-seconds 70 --seconds 300

Kokoro labels the texts first, each with several voices; what it says stays on the GPU. In the last part of the time the
linear layers compute as their int8 versions will. `run` receives the running average of the weights.
"""

import argparse
import math
import time
from pathlib import Path

import numpy as np
import torch
import torch.nn.functional as F
from decoder import Int8Linear
from generate import Styles
from network import UNITS, Front, alignment
from packed import load_packed, save_packed
from teacher import Teacher
from torch import Tensor, nn

HELD_OUT = 0.02
TOKENS_PER_BATCH = 12000
RATE_PEAK, WARM_UP, AVERAGING = 1.5e-3, 0.04, 0.9995
#: Share of the time after which layers compute as int8.
ROUNDING_FROM = 0.7
VOICED_HZ = 40
SAVE_SECONDS = 45

Batch = dict[str, Tensor]


class FrontTeacher(Teacher):
    """Kokoro's front with durations before they are rounded."""

    def label(self, ids: Tensor, lengths: Tensor, valid: Tensor, prosody: Tensor, speed: Tensor) -> Batch:
        kept: list[Tensor] = []
        linear = self.linear

        def keep(name: str, x: Tensor) -> Tensor:
            out = linear(name, x)
            if name.startswith("predictor.duration_proj"):
                kept.append(torch.sigmoid(out).sum(-1))
            return out

        self.linear = keep
        features, durations = self.predict_durations(self.encode_text(ids, valid), lengths, valid, prosody, speed)
        self.linear = linear
        pitch, energy = self.contours(self.align(features, durations), durations.sum(1), prosody)
        return {"ids": ids.to(torch.int16), "valid": valid, "prosody": prosody, "exact": kept[0] * valid, "durations": durations,
                "text": self.text(ids, lengths).half(), "pitch": pitch, "energy": energy}


class Texts:
    def __init__(self, path: Path, rng: torch.Generator, device: str):
        stored = np.load(path)
        self.ids = np.split(stored["ids"], np.cumsum(stored["lengths"])[:-1])
        self.lengths, self.letters = stored["lengths"].astype(int), stored["letters"]
        self.rng, self.device = rng, device

    def groups(self) -> list[list[int]]:
        """Texts of like length, in random order."""
        jitter = torch.rand(len(self.ids), generator=self.rng).numpy()
        groups: list[list[int]] = [[]]
        for index in np.argsort(self.lengths * (1 + 0.1 * jitter)).tolist():
            if (len(groups[-1]) + 1) * (self.lengths[index] + 2) > TOKENS_PER_BATCH and groups[-1]:
                groups.append([])
            groups[-1].append(index)
        return [groups[i] for i in torch.randperm(len(groups), generator=self.rng).tolist()]

    def batch(self, group: list[int]) -> tuple[Tensor, Tensor, Tensor]:
        lengths = torch.tensor(self.lengths[group]) + 2
        ids = torch.zeros(len(group), int(lengths.max()), dtype=torch.long)
        for row, index in zip(ids, group):
            row[1 : self.lengths[index] + 1] = torch.from_numpy(self.ids[index].astype(np.int64))
        ids, lengths = ids.to(self.device), lengths.to(self.device)
        return ids, lengths, torch.arange(ids.shape[1], device=self.device) < lengths[:, None]


@torch.no_grad()
def label(teacher: FrontTeacher, texts: Texts, styles: Styles, seconds: float) -> list[Batch]:
    pool: list[Batch] = []
    started = time.time()
    while time.time() - started < seconds:
        for group in texts.groups():
            ids, lengths, valid = texts.batch(group)
            uniform = lambda: torch.rand(len(group), 1, generator=texts.rng)
            speed = torch.where(uniform() < 0.5, torch.exp((uniform() - 0.45) * 0.6), 1).to(texts.device)
            prosody = styles.draw(torch.tensor(texts.lengths[group]), texts.letters[group])[:, 128:].to(texts.device)
            pool.append(teacher.label(ids, lengths, valid, prosody, speed))
            if time.time() - started > seconds:
                break
    hours = sum(int(batch["durations"].sum()) for batch in pool) / 144000
    print(f"{len(pool)} batches, {hours:.0f} hours in {time.time() - started:.0f} s", flush=True)
    return pool


class Losses:
    def __init__(self, student: Front, pool: list[Batch], gates: Tensor, device: str):
        self.student, self.gates, self.device = student, gates, device
        seen = torch.cat([batch["text"][batch["valid"]].float() for batch in pool[:8]])
        self.spread, self.gate_spread = seen.std(0).clamp_min(1e-3), (seen @ gates.T).std()

    def made(self, batch: Batch) -> tuple[Tensor, ...]:
        durations = batch["durations"]
        frames = batch["pitch"].shape[1] // 2
        mask = (torch.arange(frames, device=self.device) < durations.sum(1)[:, None]).float()
        token, places = alignment(durations, frames)
        with torch.autocast(self.device, torch.bfloat16):
            text, exact, entered, films = self.student.read(batch["ids"].long(), batch["prosody"], batch["valid"])
            pitch, energy = self.student.sing(entered, token, places, films, mask)
        return text.float(), exact, pitch, energy, mask.repeat_interleave(2, 1)

    def __call__(self, batch: Batch) -> tuple[Tensor, ...]:
        valid, count = batch["valid"], batch["valid"].sum()
        text, exact, pitch, energy, mask = self.made(batch)
        off = (text - batch["text"].float()) * valid[..., None]
        features = (off / self.spread).square().sum() / count / off.shape[-1]
        entering = ((off @ self.gates.T) / self.gate_spread).square().sum() / count / len(self.gates)
        timing = ((exact - batch["exact"]).abs() / (1 + 0.1 * batch["exact"]) * valid).sum() / count
        length = (((exact - batch["exact"]) * valid).sum(1).abs() / batch["exact"].sum(1)).mean()
        losses = [4 * features, 4 * entering, timing, length]
        for predicted, wanted, unit in zip((pitch, energy), (batch["pitch"], batch["energy"]), UNITS):
            away = (predicted - wanted) * mask / unit
            losses += [2 * away.abs().sum() / mask.sum(), away.diff(dim=1).abs().sum() / mask.sum()]
        return tuple(losses)

    @torch.no_grad()
    def compare(self, batches: list[Batch]) -> str:
        """Differences to Kokoro as `../fast-front/compare.py` reports them, on its own durations."""
        sums = torch.zeros(6, device=self.device)
        for batch in batches:
            valid = batch["valid"]
            text, exact, pitch, energy, mask = self.made(batch)
            inside = mask.bool()
            voiced, both = batch["pitch"] > VOICED_HZ, (batch["pitch"] > VOICED_HZ) & (pitch > VOICED_HZ) & inside
            cents = 1200 * torch.log2(pitch[both] / batch["pitch"][both])
            wanted = batch["text"].float()[valid]
            sums += torch.stack([
                100 * (exact.round().clamp(min=1) != batch["exact"].round().clamp(min=1))[valid].float().mean(),
                100 * ((exact * valid).sum() / batch["exact"].sum() - 1),
                100 * (text[valid] - wanted).square().mean() / wanted.var(),
                100 * ((pitch > VOICED_HZ) != voiced)[inside].float().mean(),
                cents.abs().mean(),
                (energy - batch["energy"])[inside].abs().mean(),
            ])
        other, longer, features, voicing, cents, force = (sums / len(batches)).tolist()
        return f"other durations {other:.1f} %, length {longer:+.2f} %, features {features:.2f} %, voicing {voicing:.2f} %, pitch {cents:.0f} cents, energy {force:.2f}"


def main() -> None:
    parser = argparse.ArgumentParser()
    for name in ("lab", "out"):
        parser.add_argument(f"--{name}", type=Path, required=True)
    parser.add_argument("--start", type=Path, help="weights to begin with, as `checkpoint/front.npz` has them")
    parser.add_argument("--speak-seconds", type=float, required=True)
    parser.add_argument("--seconds", type=float, required=True)
    parser.add_argument("--seed", type=int, default=1)
    options = parser.parse_args()
    device = "cuda" if torch.cuda.is_available() else "cpu"
    torch.backends.cuda.matmul.allow_tf32 = torch.backends.cudnn.allow_tf32 = True
    torch.manual_seed(options.seed)
    rng = torch.Generator().manual_seed(options.seed)
    teacher = FrontTeacher(load_packed(options.lab / "front.npz"), device)
    pool = label(teacher, Texts(options.lab / "front-texts.npz", rng, device), Styles(options.lab / "voices.npz", rng), options.speak_seconds)
    kept = max(1, int(len(pool) * HELD_OUT))
    held_out, pool = pool[:kept], pool[kept:]
    gates = torch.from_numpy(np.load(options.lab / "gates.npy").astype(np.float32)).to(device)
    student, average = Front().to(device), Front().to(device).requires_grad_(False)
    if options.start:
        student.load_state_dict(load_packed(options.start))
    average.load_state_dict(student.state_dict())
    losses, averaged = Losses(student, pool, gates, device), Losses(average, pool, gates, device)
    optimizer = torch.optim.AdamW(student.parameters(), RATE_PEAK, (0.9, 0.98), weight_decay=0.01, fused=device == "cuda")
    options.out.mkdir(parents=True, exist_ok=True)
    started, step, shown, saved = time.time(), 0, 0.0, time.time()
    order: list[int] = []
    while (done := (time.time() - started) / options.seconds) < 1:
        order = order or torch.randperm(len(pool), generator=rng).tolist()
        Int8Linear.rounding = done > ROUNDING_FROM
        for group in optimizer.param_groups:
            group["lr"] = RATE_PEAK * min(1, done / WARM_UP) * 0.5 * (1 + math.cos(math.pi * done))
        terms = losses(pool[order.pop()])
        optimizer.zero_grad(set_to_none=True)
        sum(terms).backward()
        nn.utils.clip_grad_norm_(student.parameters(), 1.0)
        optimizer.step()
        step += 1
        share = min(AVERAGING, 1 - 10 / (step + 10))
        torch._foreach_lerp_(list(average.parameters()), list(student.parameters()), 1 - share)
        if done >= shown:
            shown += 0.05
            print(f"{100 * done:3.0f} %, step {step}:", " ".join(f"{float(term):.3f}" for term in terms), "|", averaged.compare(held_out), flush=True)
        if time.time() - saved > SAVE_SECONDS:
            saved = time.time()
            save_packed(average.state_dict(), options.out / "front.npz")
    save_packed(average.state_dict(), options.out / "front.npz")
    print(f"finished, step {step}:", averaged.compare(held_out), flush=True)


if __name__ == "__main__":
    main()
