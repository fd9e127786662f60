"""Stage 2, on a GPU: speaks with random voices and measures every clip, clean, damaged and warped.

    python generate.py --lab lab --out data --seconds 130        (that much time, not that many clips)

A warped clip is played faster or slower, so that our ear also hears voices the engine cannot make.
"""

import argparse
import time
from pathlib import Path

import numpy as np
import torch
import torch.nn.functional as F
from features import MelFrames, XVector, embed, long_term_spectrum, pack_left, pitch_statistics, speech_frames
from networks import Ear
from speak import RATE, Speaker, SpeakerSpace, damage, resample
from teacher import Ge2e
from torch import Tensor

CLIP_SECONDS = 10.0
MEL_FRAMES = 1001
#: Damaged references are heard for as long as this, one length per batch.
HEARD_SECONDS = (3.0, 5.0, 8.0, 10.0)
WARPED_RATES = (12800, 13600, 14400, 15200, 16800, 17600, 18400, 19200)


class Measure:
    """A clip at 16 kHz to its 426 numbers: x-vector 128, ear 256, spectrum 40, pitch 2."""

    def __init__(self, lab: Path, device: str, ear: Ear | None = None):
        self.x_vector = XVector(np.load(lab / "xvector.npz")).to(device)
        self.mel = MelFrames().to(device)
        self.ear = ear

    @torch.inference_mode()
    def without_ear(self, wave16: Tensor) -> tuple[Tensor, Tensor, Tensor]:
        """All numbers but those of the ear (as zeros); the mel energies of speech, and how many frames they are."""
        wave8 = resample(wave16, 16000, 8000)
        mel, packed, counts = self.speech(wave16)
        unheard = torch.zeros(len(wave16), 256, device=wave16.device)
        numbers = torch.cat([self.x_vector(wave8), unheard, long_term_spectrum(mel), pitch_statistics(wave8)], 1)
        return numbers, packed, counts

    @torch.inference_mode()
    def speech(self, wave16: Tensor) -> tuple[Tensor, Tensor, Tensor]:
        mel = self.mel(wave16)
        return mel, *pack_left(mel, speech_frames(mel.sum(-1)))

    @torch.inference_mode()
    def __call__(self, wave16: Tensor) -> Tensor:
        numbers, packed, counts = self.without_ear(wave16)
        numbers[:, 128:384] = embed(self.ear, packed, counts)
        return numbers


def to_store(packed: Tensor) -> Tensor:
    """Powers of ten fit into 16 bits."""
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
        heard = int(16000 * HEARD_SECONDS[number % len(HEARD_SECONDS)])
        warped = resample(wave, 16000, WARPED_RATES[number % len(WARPED_RATES)])[:, : int(16000 * CLIP_SECONDS)]
        values = {"voice": voice.half()}
        with torch.inference_mode():
            for kind, clip in (("clean", wave), ("damaged", damage(wave[:, :heard], rng))):
                numbers, packed, counts = measure.without_ear(clip)
                values |= {kind: numbers.half(), f"{kind}-mel": to_store(packed), f"{kind}-frames": counts.int()}
                if kind == "clean":
                    values["clean-taught"] = embed(teacher, packed, counts).half()
            _, packed, counts = measure.speech(warped)
            values["warped-taught"] = embed(teacher, packed, counts).half()
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
