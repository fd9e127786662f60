"""Stage 2, on a GPU: synthesizes clips with random voices and measures each one clean, degraded and warped.

    python generate.py --lab lab --out data --seconds 130        (a time limit, not a number of clips)

A warped clip is resampled to another rate, so that the d-vector network also sees voices beyond the engine's range.
"""

import argparse
import time
from pathlib import Path

import numpy as np
import torch
import torch.nn.functional as F
from features import MelFrames, XVector, embed, long_term_spectrum, pack_left, pitch_statistics, speech_frames
from networks import DVectorNetwork
from speak import RATE, Speaker, SpeakerSpace, damage, resample
from teacher import Ge2e
from torch import Tensor

CLIP_SECONDS = 10.0
MEL_FRAMES = 1001
#: Durations of degraded references, one per batch.
REFERENCE_SECONDS = (3.0, 5.0, 8.0, 10.0)
WARPED_RATES = (12800, 13600, 14400, 15200, 16800, 17600, 18400, 19200)


class Measure:
    """A clip at 16 kHz to its 426 measures: x-vector 128, d-vector 256, spectrum 40, pitch 2."""

    def __init__(self, lab: Path, device: str, d_vector: DVectorNetwork | None = None):
        self.x_vector = XVector(np.load(lab / "xvector.npz")).to(device)
        self.mel = MelFrames().to(device)
        self.d_vector = d_vector

    @torch.inference_mode()
    def without_d_vector(self, wave16: Tensor) -> tuple[Tensor, Tensor, Tensor]:
        """All measures with zeros for the d-vector; the mel energies of speech, and their number of frames."""
        wave8 = resample(wave16, 16000, 8000)
        mel, packed, counts = self.speech(wave16)
        zeros = torch.zeros(len(wave16), 256, device=wave16.device)
        numbers = torch.cat([self.x_vector(wave8), zeros, long_term_spectrum(mel), pitch_statistics(wave8)], 1)
        return numbers, packed, counts

    @torch.inference_mode()
    def speech(self, wave16: Tensor) -> tuple[Tensor, Tensor, Tensor]:
        mel = self.mel(wave16)
        return mel, *pack_left(mel, speech_frames(mel.sum(-1)))

    @torch.inference_mode()
    def __call__(self, wave16: Tensor) -> Tensor:
        numbers, packed, counts = self.without_d_vector(wave16)
        numbers[:, 128:384] = embed(self.d_vector, packed, counts)
        return numbers


def to_store(packed: Tensor) -> Tensor:
    """Logarithms, which fit into 16 bits."""
    logarithms = torch.log10(packed.clamp_min(1e-8)).half()
    return F.pad(logarithms, (0, 0, 0, MEL_FRAMES - packed.shape[1]), value=-8)[:, :MEL_FRAMES]


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
    teacher = Ge2e(options.lab / "ge2e.npz").to(device).eval()
    store: dict[str, list[np.ndarray]] = {}
    started = time.time()
    number = 0
    while time.time() - started < options.seconds:
        voice = space.draw(options.batch, rng)
        wave = resample(speaker.speak(space.to_vectors(voice)), RATE, 16000)
        length = int(16000 * REFERENCE_SECONDS[number % len(REFERENCE_SECONDS)])
        warped = resample(wave, 16000, WARPED_RATES[number % len(WARPED_RATES)])[:, : int(16000 * CLIP_SECONDS)]
        values = {"voice": voice.half()}
        with torch.inference_mode():
            for kind, clip in (("clean", wave), ("damaged", damage(wave[:, :length], rng))):
                numbers, packed, counts = measure.without_d_vector(clip)
                values |= {kind: numbers.half(), f"{kind}-mel": to_store(packed), f"{kind}-frames": counts.int()}
                if kind == "clean":
                    values["clean-teacher"] = embed(teacher, packed, counts).half()
            _, packed, counts = measure.speech(warped)
            values["warped-teacher"] = embed(teacher, packed, counts).half()
            if number % 2 == 1:
                _, packed, counts = measure.speech(damage(warped, rng))
            values |= {"warped-mel": to_store(packed), "warped-frames": counts.int()}
        for name, value in values.items():
            store.setdefault(name, []).append(value.cpu().numpy())
        if number % 50 == 0:
            count, spent = (number + 1) * options.batch, time.time() - started
            print(f"{count} clips in {spent:.0f} s, {count * CLIP_SECONDS / spent:.0f} times real time", flush=True)
        number += 1
    options.out.mkdir(parents=True, exist_ok=True)
    for name, parts in store.items():
        np.save(options.out / f"{name}.npy", np.concatenate(parts))
    print("clips:", number * options.batch, flush=True)


if __name__ == "__main__":
    main()
