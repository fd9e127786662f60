"""Fits the linear part of the first estimate of a cloned voice, `clone-voice-linear.npz`: a map from the measures of a recording to the
voice vector, learnt from voices that gradients have found for people. `train_estimate.py` trains a network that is added to it, and
`estimate.py` exports both.

    PYTHONPATH=../fast-decoder:../voice-encoder python first_voice.py --run checkpoint --people people.npz --features features.npz \
      --xvector xvector.npz --ear EAR.onnx --out weights          # GPU: 20 s; CPU: hours

`people` holds `clean` [N, 2, 426], the measures of both halves of N recordings of people, and `names` [N]; recordings played
faster and slower count as further people. Speakers of the evaluation are not among them. `features` is that of `refine.py`.
The weight of the ridge is the best of five folds of people. The map has rank 128.
"""

import argparse
from pathlib import Path

import numpy as np
import torch
import torch.nn.functional as F
from networks import MEASURES
from refine import LOW_PITCH, Refinement, move_pitch, read_features
from speaker_encoder import SpeakerEncoder
from torch import Tensor

STEPS, RATE, VOICE_STEP, ANCHOR = 60, 0.15, 0.1, 0.01
X_VECTOR, D_VECTOR, SPECTRUM = 2.0, 1.0, 0.05
RIDGES, FOLDS, RANK = (3.0, 10.0, 30.0, 100.0, 300.0, 1000.0), 5, 128
#: Frames of a trial, from the middle of a sentence, and sentences in turn.
TRIAL, SENTENCES = 120, 3


def mean_measures(halves: Tensor) -> Tensor:
    mean = halves.mean(1)
    return torch.cat([F.normalize(mean[:, :128], dim=1), F.normalize(mean[:, 128:384], dim=1), mean[:, 384:]], 1)


def first_guess(refinement: Refinement, measures: Tensor) -> Tensor:
    """Voice vectors by the speaker encoder, from measures alone."""
    count, device = len(measures), measures.device
    no_mel, counts = torch.full((count, 160, 40), -5.0, device=device), torch.full((count,), 160, device=device)
    only_measures = torch.tensor([[1.0, 0.0]], device=device).expand(count, -1)
    return refinement.student.voice(refinement.student.encoder(measures, no_mel, counts, only_measures)).detach()


def search(refinement: Refinement, wanted: Tensor, start: Tensor, features: list) -> Tensor:
    """Voice vectors nearer to the measures, by gradients."""
    moved = torch.zeros_like(start).requires_grad_(True)
    optimizer, contours = torch.optim.Adam([moved], RATE, (0.9, 0.98)), move_pitch(features, wanted[:, 424:426])
    for step in range(STEPS):
        optimizer.param_groups[0]["lr"] = RATE * (1 - 0.95 * step / STEPS)
        asr, _, energy = features[step % SENTENCES]
        at = max(0, (asr.shape[2] - TRIAL) // 2)
        sentence = (asr[:, :, at : at + TRIAL], None, energy[:, 2 * at : 2 * (at + TRIAL)])
        pitch = contours[step % SENTENCES][:, 2 * at : 2 * (at + TRIAL)]
        heard, ear, spectrum, _ = refinement.hear(refinement.say(sentence, pitch, start + VOICE_STEP * moved))
        likeness = X_VECTOR * (heard * wanted[:, :128]).sum(1) + D_VECTOR * (ear * wanted[:, 128:384]).sum(1)
        distance = SPECTRUM * (spectrum - wanted[:, 384:424]).square().sum(1) + ANCHOR * moved.square().mean(1)
        optimizer.zero_grad()
        (distance - likeness).sum().backward()
        optimizer.step()
    return (start + VOICE_STEP * moved).detach()


def solve(inputs: Tensor, outputs: Tensor, ridge: float) -> Tensor:
    return torch.linalg.solve(inputs.T @ inputs + ridge * torch.eye(inputs.shape[1], device=inputs.device), inputs.T @ outputs)


def best_ridge(inputs: Tensor, outputs: Tensor, names: np.ndarray) -> float:
    fold = torch.from_numpy(np.unique(names, return_inverse=True)[1] % FOLDS).to(inputs.device)
    errors = {}
    for ridge in RIDGES:
        parts = [(inputs[fold == k] @ solve(inputs[fold != k], outputs[fold != k], ridge) - outputs[fold == k]).square().sum() for k in range(FOLDS)]
        errors[ridge] = float(sum(parts))
        print(f"ridge {ridge:g}: explains {1 - errors[ridge] / float(outputs.square().sum()):.3f}", flush=True)
    return min(errors, key=errors.get)


def fit(measures: Tensor, voices: Tensor, names: np.ndarray) -> dict[str, np.ndarray]:
    """Scaled measures times `left`, times `right`, plus `mean`."""
    scaled = SpeakerEncoder.scaled(measures)
    centre, mean = scaled.mean(0), voices.mean(0)
    inputs = torch.cat([scaled - centre, torch.ones(len(scaled), 1, device=scaled.device)], 1)
    weights = solve(inputs, voices - mean, best_ridge(inputs, voices - mean, names))
    u, s, v = torch.linalg.svd(weights, full_matrices=False)
    parts = {"left": u[:, :RANK] * s[:RANK], "right": v[:RANK], "mu": centre, "ym": mean}
    return {name: value.cpu().numpy() for name, value in parts.items()}


def write(parts: dict[str, np.ndarray], path: Path) -> None:
    """The tables of `estimate.LinearEstimate`, large ones as float16. The scales of `SpeakerEncoder.scaled` are part of them."""
    probes = SpeakerEncoder.scaled(torch.cat([torch.zeros(1, MEASURES), torch.ones(1, MEASURES)]))
    offset, scale = probes[0].numpy(), (probes[1] - probes[0]).numpy()
    left, bias = parts["left"][:-1].astype(np.float32), parts["left"][-1].astype(np.float32)
    np.savez(path, left=(scale[:, None] * left).astype(np.float16), right=parts["right"].astype(np.float16),
             bias=((offset - parts["mu"]) @ left + bias).astype(np.float32), mean=parts["ym"].astype(np.float32))


def main() -> None:
    parser = argparse.ArgumentParser()
    for name in ("run", "people", "features", "xvector", "ear", "out"):
        parser.add_argument(f"--{name}", type=Path, required=True)
    options = parser.parse_args()
    device = "cuda" if torch.cuda.is_available() else "cpu"
    torch.manual_seed(1)
    refinement, features, people = Refinement(options, device), read_features(options.features, device)["train"], np.load(options.people)
    measures = mean_measures(torch.from_numpy(people["clean"]).float().to(device))
    start = first_guess(refinement, measures)
    voices = start.clone()
    for group in (0, 1):
        rows = torch.nonzero((measures[:, 424] > LOW_PITCH) == bool(group))[:, 0]
        voices[rows] = search(refinement, measures[rows], start[rows], features[group])
    options.out.mkdir(parents=True, exist_ok=True)
    write(fit(measures, voices, people["names"]), options.out / "clone-voice-linear.npz")


if __name__ == "__main__":
    main()
