"""Measures recordings of people, for `first_voice.py`: both halves of each, also played faster and slower, clean and damaged.

    PYTHONPATH=../fast-decoder:../voice-encoder python people.py --recordings FOLDER --xvector xvector.npz --ear EAR.onnx \
      --without SPEAKERS --out people.npz

FOLDER holds recordings named `SPEAKER-….flac` at 16 kHz; the first of each speaker with 9 s or more is used. `--without` lists
the speakers of the evaluation.
"""

import argparse
from pathlib import Path

import numpy as np
import soundfile
import torch
from speak import damage
from speaker_encoder import LISTEN_RATE, Measure
from torch import Tensor

SPEEDS = (1.0, 0.9, 1.1)
SHORTEST_SECONDS, HALF_SECONDS_MAX = 9, 7


def played(samples: np.ndarray, speed: float) -> np.ndarray:
    """Faster or slower: pitch and formants move with the speed."""
    places = np.arange(int(len(samples) / speed)) * speed
    return np.interp(places, np.arange(len(samples)), samples).astype(np.float32)


def halves(samples: np.ndarray) -> list[Tensor]:
    size = min(len(samples) // 2, LISTEN_RATE * HALF_SECONDS_MAX)
    return [torch.from_numpy(samples[start : start + size])[None] for start in (0, size)]


def main() -> None:
    parser = argparse.ArgumentParser()
    for name in ("recordings", "xvector", "ear", "out"):
        parser.add_argument(f"--{name}", type=Path, required=True)
    parser.add_argument("--without", default="", help="speakers, separated by commas")
    options = parser.parse_args()
    torch.set_num_threads(1)
    measure, noise = Measure(dict(np.load(options.xvector)), options.ear, "cpu"), torch.Generator().manual_seed(3)
    seen, names, clean, damaged = set(options.without.split(",")), [], [], []
    for path in sorted(options.recordings.rglob("*.flac")):
        speaker = path.name.split("-")[0]
        if speaker in seen:
            continue
        seen.add(speaker)
        samples, _ = soundfile.read(path, dtype="float32")
        if len(samples) < LISTEN_RATE * SHORTEST_SECONDS:
            continue
        for speed in SPEEDS:
            parts = halves(samples if speed == 1 else played(samples, speed))
            clean.append(np.concatenate([measure(part)[0].numpy() for part in parts]))
            damaged.append(np.concatenate([measure(damage(part, noise))[0].numpy() for part in parts]))
            names.append(speaker)
    np.savez(options.out, clean=np.array(clean, np.float32), damaged=np.array(damaged, np.float32), names=np.array(names))
    print(f"{len(set(names))} people, {len(names)} voices")


if __name__ == "__main__":
    main()
