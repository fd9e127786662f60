"""Stage 2, on a GPU: the teacher speaks with voices, mixes and strangers, most of it plainly, some acted.

    python generate.py --lab lab --out pool.pt --seconds 65        (that much time, not that many utterances)
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
#: Utterances of one batch have about this many frames together, so that long ones fit too.
BATCH_FRAMES = 10000
FRAMES_PER_TOKEN = 3.2
#: Share of utterances that only voices of their language say; any voice says the others.
AT_HOME = 0.6
#: Shares of utterances by kind of voice; the rest is a mix of all voices.
ONE_VOICE, TWO_VOICES, THREE_VOICES = 0.5, 0.2, 0.1
#: Share of utterances with noise on the style, and how much at most.
STRANGERS, STRANGENESS = 0.3, 0.4
#: Share whose pitch is acted; the rest is plain. Nothing is whispered: Kokoro without pitch is hoarse.
ACTED = 0.2
PITCH_RANGE = (0.6, 1.6)
MELODY_RANGE = (0.3, 1.8)
LOUDEST = 3.0


class Styles:
    """Draws style vectors: voices, mixes of them, timbre and prosody of different people, and noise on top."""

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
        return own | (self.uniform(len(letters), 1) >= AT_HOME)

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
        noise = (self.uniform(count, 1) < STRANGERS) * self.uniform(count, 1) * STRANGENESS
        return torch.cat(mixed, 1) + noise * self.spread * torch.randn(count, 256, generator=self.rng)


def act(pitch: Tensor, rng: torch.Generator) -> Tensor:
    """Pitch as an actor would move it: up or down, livelier or flatter."""
    uniform = lambda low, high: low + (high - low) * torch.rand(len(pitch), 1, generator=rng).to(pitch.device)
    voiced = pitch > 40
    middle = (pitch * voiced).sum(1, keepdim=True) / voiced.sum(1, keepdim=True).clamp(min=1)
    factor = torch.exp(uniform(*np.log(PITCH_RANGE)))
    melody = torch.where(uniform(0, 1) < 0.4, uniform(*MELODY_RANGE), 1)
    lively = middle * (pitch.clamp(min=1) / middle.clamp(min=1)) ** melody
    acted = torch.where(voiced, (factor * lively).clamp(45, 700), pitch)
    return torch.where(uniform(0, 1) < ACTED, acted, pitch)


def batches(texts: list[list[int]], rng: torch.Generator) -> list[list[int]]:
    """Texts of like length together, in random order."""
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
    pitch = act(pitch, rng)
    wave = teacher.decode(asr, pitch, energy, style[:, :128], frames, noise)
    sound = wave.isfinite().all(1) & (wave.abs().amax(1) < LOUDEST)
    return [
        {"asr": asr[i, :, :t].T.half(), "pitch": pitch[i, : 2 * t].clone(), "energy": energy[i, : 2 * t].clone(),
         "wave": wave[i, : 600 * t].half(), "style": style[i, :128]}
        for i, (t, keep) in enumerate(zip(frames.tolist(), sound.tolist())) if keep
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
