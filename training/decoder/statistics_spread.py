"""Writes how far the statistics of `refinement.py` are spread among people, as their standard deviation over recordings.

    PYTHONPATH=../fast-decoder:../voice-encoder python statistics_spread.py --xvector xvector.npz --ear EAR.onnx --recordings FOLDER --out spread.npy

FOLDER holds one recording of each person, named `SPEAKER-….flac`, 3 s or longer; speakers of the evaluation (`--without`) are
left out.
"""

import argparse
from pathlib import Path

import numpy as np
import soundfile
import torch
from refinement import FRAMES, RATE, Listener, Statistics, x_vector_tensors
from speak import resample
from speaker_encoder import load_ear

SIZE = FRAMES * RATE // 40
#: A spread is at least this share of the mean spread.
LEAST_SHARE = 0.1


def window_of(path: Path) -> torch.Tensor:
    """3 s from the middle of a recording."""
    samples, rate = soundfile.read(path, dtype="float32")
    wave = resample(torch.from_numpy(samples)[None], rate, RATE)[0]
    start = (len(wave) - SIZE) // 2
    return wave[start : start + SIZE]


@torch.no_grad()
def main() -> None:
    parser = argparse.ArgumentParser()
    for name in ("xvector", "ear", "recordings", "out"):
        parser.add_argument(f"--{name}", type=Path, required=True)
    parser.add_argument("--without", default="", help="speakers, separated by commas")
    parser.add_argument("--count", type=int, default=60)
    options = parser.parse_args()
    left_out = set(options.without.split(","))
    paths = {path.name.split("-")[0]: path for path in sorted(options.recordings.glob("*.flac"))}
    chosen = [path for speaker, path in paths.items() if speaker not in left_out][: options.count]
    weights = x_vector_tensors(dict(np.load(options.xvector)))
    measure = Statistics(Listener(load_ear(options.ear), torch.ones(1)).eval())
    spread = torch.stack([measure(window_of(path), *weights)[0] for path in chosen]).std(0)
    np.save(options.out, spread.clamp_min(LEAST_SHARE * spread.mean()).numpy())
    print(f"{len(chosen)} people, {len(spread)} values, mean spread {spread.mean():.3f}")


if __name__ == "__main__":
    main()
