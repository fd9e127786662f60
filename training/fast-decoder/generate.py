"""Stage 2, on a GPU: the teacher synthesizes speech with voices, mixes and perturbed styles, partly with changed pitch.

    python generate.py --lab lab --out pool.pt --seconds 65        (a time limit, not a number of utterances)
"""

import argparse
import time
from pathlib import Path

import numpy as np
import torch
from packed import load_packed
from prepare import ROWS
from teacher import Teacher
from torch import Tensor

BATCH = 64
#: Approximate total frames of a batch, which bounds its memory.
BATCH_FRAMES = 10000
FRAMES_PER_TOKEN = 3.2
#: Share of utterances with voices of their own language only; the others use any voice.
OWN_LANGUAGE_SHARE = 0.6
#: Shares of utterances by kind of voice; the rest is a mix of all voices.
ONE_VOICE, TWO_VOICES, THREE_VOICES = 0.5, 0.2, 0.1
#: Share of utterances with noise on the style, and the maximum amplitude.
STYLE_NOISE_SHARE, STYLE_NOISE_MAX = 0.3, 0.4
#: Share of utterances with changed pitch. None are whispered: Kokoro without pitch is hoarse.
PITCH_CHANGED = 0.2
PITCH_RANGE = (0.6, 1.6)
PITCH_SPREAD_RANGE = (0.3, 1.8)
PEAK_MAX = 3.0


class Styles:
    """Draws style vectors: voices, mixes, timbre and prosody of different voices, and additive noise."""

    def __init__(self, path: Path, rng: torch.Generator):
        stored = np.load(path)
        self.tables = torch.from_numpy(stored["styles"].astype(np.float32))
        self.letters = stored["letters"]
        self.spread = self.tables[:, len(ROWS) // 3].std(0)
        self.rng = rng

    def uniform(self, *shape: int) -> Tensor:
        return torch.rand(*shape, generator=self.rng)

    def allowed(self, letters: np.ndarray) -> Tensor:
        """Which voices may take part in each style, [count, voices]."""
        own = torch.from_numpy(letters[:, None] == self.letters)
        return own | (self.uniform(len(letters), 1) >= OWN_LANGUAGE_SHARE)

    def weights(self, allowed: Tensor) -> Tensor:
        """Shares of the voices in each style, [count, voices]."""
        count, voices = allowed.shape
        spacing = -torch.log(self.uniform(count, voices) + 1e-6)
        order = (self.uniform(count, voices) + ~allowed).argsort(1).argsort(1)
        kind = self.uniform(count, 1)
        two, three = ONE_VOICE + TWO_VOICES, ONE_VOICE + TWO_VOICES + THREE_VOICES
        chosen = torch.where(kind < ONE_VOICE, 1, torch.where(kind < two, 2, torch.where(kind < three, 3, voices)))
        chosen = torch.minimum(chosen, allowed.sum(1, keepdim=True))
        weights = torch.where(order < chosen, torch.where(kind < three, spacing, spacing**3), 0)
        return weights / weights.sum(1, keepdim=True)

    def draw(self, lengths: Tensor, letters: np.ndarray) -> Tensor:
        count = len(lengths)
        row = (lengths - ROWS.start) // ROWS.step + torch.randint(-1, 2, (count,), generator=self.rng)
        tables = self.tables[:, row.clamp(0, len(ROWS) - 1)].transpose(0, 1)
        allowed = self.allowed(letters)
        timbre = self.weights(allowed)
        prosody = torch.where(self.uniform(count, 1) < 0.15, self.weights(allowed), timbre)
        mixed = [(share[..., None] * part).sum(1) for share, part in zip((timbre, prosody), tables.split(128, 2))]
        noise = (self.uniform(count, 1) < STYLE_NOISE_SHARE) * self.uniform(count, 1) * STYLE_NOISE_MAX
        return torch.cat(mixed, 1) + noise * self.spread * torch.randn(count, 256, generator=self.rng)


def vary_pitch(pitch: Tensor, rng: torch.Generator) -> Tensor:
    """Shifts the pitch and scales its range, at random."""
    uniform = lambda low, high: low + (high - low) * torch.rand(len(pitch), 1, generator=rng).to(pitch.device)
    voiced = pitch > 40
    mean = (pitch * voiced).sum(1, keepdim=True) / voiced.sum(1, keepdim=True).clamp(min=1)
    factor = torch.exp(uniform(*np.log(PITCH_RANGE)))
    spread = torch.where(uniform(0, 1) < 0.4, uniform(*PITCH_SPREAD_RANGE), 1)
    scaled = mean * (pitch.clamp(min=1) / mean.clamp(min=1)) ** spread
    changed = torch.where(voiced, (factor * scaled).clamp(45, 700), pitch)
    return torch.where(uniform(0, 1) < PITCH_CHANGED, changed, pitch)


def batches(texts: list[list[int]], rng: torch.Generator) -> list[list[int]]:
    """Groups of texts of similar length, in random order."""
    jitter = torch.rand(len(texts), generator=rng).tolist()
    groups: list[list[int]] = [[]]
    for index in sorted(range(len(texts)), key=lambda i: len(texts[i]) + 6 * jitter[i]):
        size = len(groups[-1]) + 1
        if size > BATCH or size * len(texts[index]) * FRAMES_PER_TOKEN > BATCH_FRAMES:
            groups.append([])
        groups[-1].append(index)
    return [groups[i] for i in torch.randperm(len(groups), generator=rng).tolist()]


@torch.inference_mode()
def speak(teacher: Teacher, texts: list[list[int]], letters: np.ndarray, styles: Styles, rng: torch.Generator, noise: torch.Generator) -> list[dict[str, Tensor]]:
    lengths = torch.tensor([len(ids) + 2 for ids in texts])
    ids = torch.zeros(len(texts), int(lengths.max()), dtype=torch.long)
    for row, text in zip(ids, texts):
        row[1 : len(text) + 1] = torch.tensor(text)
    speed = torch.exp((torch.rand(len(texts), 1, generator=rng) - 0.45) * 0.6)
    speed = torch.where(torch.rand(len(texts), 1, generator=rng) < 0.5, speed, 1)
    style = styles.draw(lengths - 2, letters)
    ids, lengths, speed, style = (value.to(teacher.device) for value in (ids, lengths, speed, style))
    asr, pitch, energy, frames = teacher.front(ids, lengths, style, speed)
    pitch = vary_pitch(pitch, rng)
    wave = teacher.decode(asr, pitch, energy, style[:, :128], frames, noise)
    is_valid = wave.isfinite().all(1) & (wave.abs().amax(1) < PEAK_MAX)
    return [
        {"asr": asr[i, :, :t].T.half(), "pitch": pitch[i, : 2 * t].clone(), "energy": energy[i, : 2 * t].clone(),
         "wave": wave[i, : 600 * t].half(), "style": style[i, :128]}
        for i, (t, keep) in enumerate(zip(frames.tolist(), is_valid.tolist())) if keep
    ]


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("--lab", type=Path, required=True)
    parser.add_argument("--out", type=Path, required=True)
    parser.add_argument("--seconds", type=float, required=True)
    parser.add_argument("--seed", type=int, default=1)
    options = parser.parse_args()
    device = "cuda" if torch.cuda.is_available() else "cpu"
    torch.backends.cuda.matmul.allow_tf32 = torch.backends.cudnn.allow_tf32 = True
    rng = torch.Generator().manual_seed(options.seed)
    noise = torch.Generator(device).manual_seed(options.seed)
    teacher = Teacher(load_packed(options.lab / "teacher.npz"), device)
    styles = Styles(options.lab / "voices.npz", rng)
    stored = np.load(options.lab / "texts.npz")
    texts = [row[:length].tolist() for row, length in zip(stored["ids"], stored["lengths"])]
    spoken: list[dict[str, Tensor]] = []
    started = time.time()
    for number, group in enumerate(batches(texts, rng)):
        spoken += speak(teacher, [texts[i] for i in group], stored["letters"][group], styles, rng, noise)
        if number % 20 == 0:
            hours = sum(len(one["asr"]) for one in spoken) / 40 / 3600
            print(f"{len(spoken)} utterances, {hours:.2f} hours in {time.time() - started:.0f} s", flush=True)
        if time.time() - started > options.seconds:
            break
    pool = {name: torch.cat([one[name] for one in spoken]) for name in ("asr", "pitch", "energy", "wave")}
    pool["style"] = torch.stack([one["style"] for one in spoken])
    pool["frames"] = torch.tensor([len(one["asr"]) for one in spoken])
    torch.save(pool, options.out)
    print(f"pool: {len(spoken)} utterances, {pool['frames'].sum() / 144000:.2f} hours", flush=True)


if __name__ == "__main__":
    main()
