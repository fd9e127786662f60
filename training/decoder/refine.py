"""Evaluation of clones on a GPU: how near speaker embeddings, or voice vectors, can come to people when gradients through the
decoder and the measuring networks guide them.

    PYTHONPATH=../fast-decoder:../voice-encoder python refine.py --run run --clips clips.npz --features features.npz --xvector xvector.npz \
      --ear EAR.onnx --out out [--space embedding|voice] [--steps 120]

`clips` holds one 16 kHz recording per speaker (int16), `features` the outputs `train.G.I.{asr,pitch,energy}` and `test.G.I.…` of
Kokoro's front for training and test sentences I by a low (G = 0) and a high voice (G = 1). Similarity is that of x-vector, ear
and long-term spectrum; no other judge is heard. Writes the test sentences of every speaker, 24 kHz int16, and the result.
"""

import argparse
import math
from pathlib import Path

import numpy as np
import torch
from decoder import draw_noise, pitch_cycles
from features import embed, long_term_spectrum, pack_left, pitch_statistics, speech_frames
from speak import resample
from speaker_encoder import LISTEN_RATE, Measure
from synthesis import RATE
from torch import Tensor
from train import Student, load

LOW_PITCH = math.log2(165.0)
VOICED_HZ, QUIET_SHARE, RANGE_FACTORS = 40.0, 0.4, (0.6, 1.6)
#: What counts in a search, and how far it may go: learning rate and weight of the distance from the start.
X_VECTOR, EAR, SPECTRUM = 2.0, 1.0, 0.05
RATES, ANCHORS = {"embedding": 0.08, "voice": 0.15}, {"embedding": 0.02, "voice": 0.01}
#: Change of the voice vector per unit that is searched.
VOICE_STEP = 0.1
#: Pitch is corrected every so many steps, by this share of what is measured and so many octaves at most.
PITCH_STEPS, PITCH_SHARE, PITCH_STEP_MAX, PITCH_MAX = 6, 0.3, 0.06, 0.25

Features = list[tuple[Tensor, Tensor, Tensor]]


def read_features(path: Path, device: str) -> dict[str, list[Features]]:
    stored = np.load(path)
    take = lambda key: torch.from_numpy(stored[key].astype(np.float32)).to(device)
    count = lambda kind: 1 + max(int(name.split(".")[2]) for name in stored.files if name.startswith(f"{kind}.0."))
    return {kind: [[tuple(take(f"{kind}.{group}.{i}.{part}") for part in ("asr", "pitch", "energy")) for i in range(count(kind))]
                   for group in (0, 1)] for kind in ("train", "test")}


def move_pitch(features: Features, aims: Tensor) -> list[Tensor]:
    """Contours of each sentence for speakers whose log2 median and range are `aims` [B, 2]."""
    pitch, energy = (torch.cat([one[part][0] for one in features]) for part in (1, 2))
    voiced = torch.log2(pitch[(pitch > VOICED_HZ) & (energy > energy.quantile(QUIET_SHARE))])
    low, middle, high = voiced.quantile(torch.tensor([0.16, 0.5, 0.84], device=pitch.device))
    factor = (aims[:, 1:] / ((high - low) / 2)).clamp(*RANGE_FACTORS)
    move = lambda contour: 2 ** (aims[:, :1] + factor * (torch.log2(contour.clamp(min=VOICED_HZ)) - middle))
    return [torch.where(contour > VOICED_HZ, move(contour), contour) for _, contour, _ in features]


class Refinement:
    def __init__(self, options: argparse.Namespace, device: str):
        self.measure = Measure(dict(np.load(options.xvector)), options.ear, device)
        self.student = Student().to(device).eval().requires_grad_(False)
        self.student.load_state_dict(load(options.run, "student"))
        self.device = device

    def say(self, sentence: tuple[Tensor, Tensor, Tensor], pitch: Tensor, voice: Tensor) -> Tensor:
        asr, _, energy = sentence
        count = len(voice)
        noise = draw_noise(count, asr.shape[2], self.device)
        return self.student.decoder(asr.expand(count, -1, -1), pitch, energy.expand(count, -1), pitch_cycles(pitch), voice, noise)

    def hear(self, wave: Tensor) -> tuple[Tensor, Tensor, Tensor, Tensor]:
        """X-vector, ear and spectrum of clips, with gradients, and their pitch."""
        wave = resample(wave, RATE, LISTEN_RATE)
        mel = self.measure.mel(wave)
        packed, counts = pack_left(mel, speech_frames(mel.sum(-1).detach()))
        narrow = resample(wave, LISTEN_RATE, 8000)
        return self.measure.x_vector(narrow), embed(self.measure.ear, packed, counts), long_term_spectrum(mel), pitch_statistics(narrow.detach())

    def search(self, wanted: Tensor, start: Tensor, features: Features, space: str, steps: int) -> tuple[Tensor, Tensor]:
        """Voice vectors for measurements [B, 426], from embeddings [B, 256], and the pitch to speak with."""
        first, spread, aims = self.student.voice(start), start.std(), wanted[:, 424:426].clone()
        x = (start.clone() if space == "embedding" else torch.zeros_like(first)).requires_grad_(True)
        voice = lambda: self.student.voice(x) if space == "embedding" else first + VOICE_STEP * x
        rate = RATES[space] * (float(spread) if space == "embedding" else 1)
        optimizer = torch.optim.Adam([x], rate, (0.9, 0.98))
        for step in range(steps):
            optimizer.param_groups[0]["lr"] = rate * (1 - 0.95 * step / steps)
            number = step % len(features)
            heard, ear, spectrum, pitch = self.hear(self.say(features[number], move_pitch(features, aims)[number], voice()))
            likeness = X_VECTOR * (heard * wanted[:, :128]).sum(1) + EAR * (ear * wanted[:, 128:384]).sum(1)
            distance = SPECTRUM * (spectrum - wanted[:, 384:424]).square().sum(1)
            away = ((x - start) / spread if space == "embedding" else x).square().mean(1)
            optimizer.zero_grad()
            (distance - likeness + ANCHORS[space] * away).sum().backward()
            optimizer.step()
            if step % PITCH_STEPS == PITCH_STEPS - 1 and step < 0.8 * steps:
                change = (PITCH_SHARE * (wanted[:, 424] - pitch[:, 0])).clamp(-PITCH_STEP_MAX, PITCH_STEP_MAX)
                aims[:, 0] = torch.minimum(torch.maximum(aims[:, 0] + change, wanted[:, 424] - PITCH_MAX), wanted[:, 424] + PITCH_MAX)
        return voice().detach(), aims


def main() -> None:
    parser = argparse.ArgumentParser()
    for name in ("run", "clips", "features", "xvector", "ear", "out"):
        parser.add_argument(f"--{name}", type=Path, required=True)
    parser.add_argument("--space", choices=("embedding", "voice"), default="embedding")
    parser.add_argument("--steps", type=int, default=120)
    options = parser.parse_args()
    device = "cuda" if torch.cuda.is_available() else "cpu"
    refinement, features, clips = Refinement(options, device), read_features(options.features, device), np.load(options.clips)
    measured = {}
    for name in clips.files:
        measures, mel, counts = refinement.measure(torch.from_numpy(clips[name].astype(np.float32) / 32768)[None].to(device))
        measured[name] = measures.clone(), refinement.student.encoder(measures.clone(), mel[:, : int(counts[0])].clone(), counts.clone())
    said = {}
    for group in (0, 1):
        names = [name for name, (measures, _) in measured.items() if int(measures[0, 424] > LOW_PITCH) == group]
        wanted, start = (torch.cat([measured[name][part] for name in names]).float() for part in (0, 1))
        voice, aims = refinement.search(wanted, start, features["train"][group], options.space, options.steps)
        sentences = features["test"][group]
        with torch.no_grad():
            wave = torch.cat([refinement.say(*pair, voice) for pair in zip(sentences, move_pitch(sentences, aims))], 1)
        wave = (wave * (0.06 / wave.std(1, keepdim=True))).clamp(-1, 1).mul(32767).short().cpu().numpy()
        said |= dict(zip(names, wave))
    options.out.mkdir(parents=True, exist_ok=True)
    np.savez_compressed(options.out / f"{options.space}.npz", **said)


if __name__ == "__main__":
    main()
