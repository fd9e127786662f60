"""Trials of `train_estimate.py`: sentences at the pitch of a speaker, the rounding of the decoder, and how speech is compared."""

from pathlib import Path

import numpy as np
import torch
from decoder import WEIGHT_STEPS, Decoder, Int8Linear
from recording_trials import log_mel
from refine import LOW_PITCH, QUIET_SHARE, RANGE_FACTORS, VOICED_HZ
from refinement import FRAMES, MEL_FLOOR, MEL_HOP, MEL_WINDOW
from torch import Tensor


class Sentences:
    """Text features, pitch and energy of sentences by a low and by a high voice."""

    def __init__(self, path: Path, device: str):
        stored = np.load(path)
        take = lambda key, shape: torch.from_numpy(stored[key].astype(np.float32)).to(device).view(shape)
        self.groups = []
        for group in ("train.0.", "train.1."):
            numbers = sorted(int(name.split(".")[2]) for name in stored.files if name.startswith(group) and name.endswith(".asr"))
            sentences = [(take(f"{group}{i}.asr", (512, -1)), take(f"{group}{i}.pitch", -1), take(f"{group}{i}.energy", -1)) for i in numbers]
            pitch, energy = (torch.cat([sentence[part] for sentence in sentences]) for part in (1, 2))
            voiced = torch.log2(pitch[(pitch > VOICED_HZ) & (energy > energy.quantile(QUIET_SHARE))])
            low, middle, high = voiced.quantile(torch.tensor([0.16, 0.5, 0.84], device=device)).tolist()
            self.groups.append((sentences, middle, (high - low) / 2))

    def draw(self, aims: Tensor, rng: torch.Generator | None = None, number: int = 0) -> tuple[Tensor, Tensor, Tensor]:
        """For speakers whose log2 median and range are `aims` [B, 2], random windows, or those in the middle of sentence `number`."""
        windows = []
        for median, spread in aims.tolist():
            sentences, middle, group_spread = self.groups[int(median > LOW_PITCH)]
            chosen = number % len(sentences) if rng is None else int(torch.randint(len(sentences), (1,), generator=rng))
            asr, pitch, energy = sentences[chosen]
            rest = asr.shape[1] - FRAMES
            start = rest // 2 if rng is None else int(torch.randint(rest + 1, (1,), generator=rng))
            halves = slice(2 * start, 2 * (start + FRAMES))
            factor = min(max(spread / group_spread, RANGE_FACTORS[0]), RANGE_FACTORS[1])
            contour = pitch[halves]
            moved = 2 ** (median + factor * (torch.log2(contour.clamp(min=VOICED_HZ)) - middle))
            windows.append((asr[:, start : start + FRAMES], torch.where(contour > VOICED_HZ, moved, contour), energy[halves]))
        return tuple(torch.stack(values) for values in zip(*windows))


def round_weights(decoder: Decoder) -> None:
    """Rounds the weights as in the int8 version of the decoder."""
    for module in decoder.modules():
        if isinstance(module, Int8Linear):
            step = module.weight.abs().amax(1, keepdim=True).clamp_min(1e-8) / WEIGHT_STEPS
            module.weight.data = torch.round(module.weight / step) * step


def similarities(measured: tuple[Tensor, ...], measures: Tensor, embeddings: Tensor) -> list[Tensor]:
    """By x-vector, d-vector and ECAPA-TDNN."""
    x_vector, d_vector, *_, embedding = measured
    return [(x_vector * measures[:, :128]).sum(1), (d_vector * measures[:, 128:384]).sum(1), (embedding * embeddings).sum(1)]


def mel_distance(made: Tensor, recorded: Tensor) -> Tensor:
    """Distance of log mel energies at the level of the recording."""
    gain = recorded.square().mean(1, keepdim=True).sqrt() / made.square().mean(1, keepdim=True).sqrt().clamp_min(1e-5)
    log_mels = [log_mel(wave, MEL_WINDOW, MEL_HOP, MEL_FLOOR) for wave in (made * gain, recorded)]
    return (log_mels[0] - log_mels[1]).abs().mean()
