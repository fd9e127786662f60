"""Stage 2, on a GPU: speaks with random voices and measures every clip, clean and damaged.

    python generate.py --lab lab --out data --seconds 300        (that much time, not that many clips)
"""

import argparse
import time
from pathlib import Path

import numpy as np
import torch
from features import Ge2e, XVector, pitch_statistics
from speak import RATE, Speaker, SpeakerSpace, damage, resample

CLIP_SECONDS = 10.0
#: Damaged references are heard for as long as this, one length per batch.
HEARD_SECONDS = (3.0, 5.0, 8.0, 10.0)


class Measure:
    """A clip at 16 kHz to its 426 numbers: x-vector 128, GE2E 256, spectrum 40, pitch 2."""

    def __init__(self, lab: Path, device: str):
        self.x_vector = XVector(lab / "xvector.npz").to(device)
        self.ge2e = Ge2e(lab / "ge2e.npz").to(device)

    @torch.inference_mode()
    def __call__(self, wave16: torch.Tensor) -> torch.Tensor:
        wave8 = resample(wave16, 16000, 8000)
        embedding, spectrum = self.ge2e(wave16)
        return torch.cat([self.x_vector(wave8), embedding, spectrum, pitch_statistics(wave8)], 1)


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("--lab", type=Path, required=True)
    parser.add_argument("--out", type=Path, required=True)
    parser.add_argument("--seconds", type=float, required=True)
    parser.add_argument("--batch", type=int, default=96)
    parser.add_argument("--seed", type=int, default=1)
    options = parser.parse_args()
    device = "cuda" if torch.cuda.is_available() else "cpu"
    torch.backends.cudnn.benchmark = True
    torch.backends.cuda.matmul.allow_tf32 = True
    rng = torch.Generator(device).manual_seed(options.seed)
    space = SpeakerSpace(torch.from_numpy(np.load(options.lab / "speakers.npy").astype(np.float32)).to(device))
    speaker = Speaker(str(options.lab), CLIP_SECONDS, device, options.seed)
    measure = Measure(options.lab, device)
    store: dict[str, list[np.ndarray]] = {"voice": [], "clean": [], "damaged": []}
    started = time.time()
    while time.time() - started < options.seconds:
        voice = space.draw(options.batch, rng)
        wave = speaker.speak(space.to_vectors(voice))
        wave = resample(wave, RATE, 16000)
        heard = int(16000 * HEARD_SECONDS[len(store["voice"]) % len(HEARD_SECONDS)])
        values = {"voice": voice, "clean": measure(wave), "damaged": measure(damage(wave[:, :heard], rng))}
        for name, value in values.items():
            store[name].append(value.half().cpu().numpy())
        if len(store["voice"]) % 50 == 1:
            count, spent = len(store["voice"]) * options.batch, time.time() - started
            print(f"{count} clips in {spent:.0f} s, {count * CLIP_SECONDS / spent:.0f} times real time", flush=True)
    options.out.mkdir(parents=True, exist_ok=True)
    for name, parts in store.items():
        np.save(options.out / f"{name}.npy", np.concatenate(parts))
    print("clips:", len(store["voice"]) * options.batch, flush=True)


if __name__ == "__main__":
    main()
