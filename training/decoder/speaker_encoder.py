"""The speaker encoder: from a recording to the speaker embedding that the decoder's `Voice` takes. It sees the 426
measurements of `../voice-encoder` (x-vector, ear, long-term spectrum, pitch) and the mel energies they come from."""

from pathlib import Path

import numpy as np
import onnx
import torch
import torch.nn.functional as F
from decoder import EMBEDDING
from features import MelFrames, XVector, embed, long_term_spectrum, pack_left, pitch_statistics, speech_frames
from networks import MEASURES, DVectorNetwork
from onnx import numpy_helper
from speak import resample
from torch import Tensor, nn

MELS = MelFrames.MELS
LISTEN_RATE = MelFrames.RATE
#: Scales of the measurements: embeddings have unit length, pitch is log2 of Hz.
PITCH_CENTRE = 7.3


class MelBlock(nn.Module):
    def __init__(self, width: int, dilation: int):
        super().__init__()
        self.mix = nn.Conv1d(width, width, 5, padding=2 * dilation, dilation=dilation, groups=width)
        self.norm = nn.LayerNorm(width)
        self.widen, self.narrow = nn.Linear(width, 2 * width), nn.Linear(2 * width, width)

    def forward(self, x: Tensor) -> Tensor:
        y = self.norm(self.mix(x.transpose(1, 2)).transpose(1, 2))
        return x + self.narrow(F.gelu(self.widen(y)))


class SpeakerEncoder(nn.Module):
    """Measurements [B, 426] and log10 mel energies of speech [B, N, 40], of which the first `counts` [B] are valid, to a
    speaker embedding [B, 256]."""

    def __init__(self, width: int = 192):
        super().__init__()
        self.enter = nn.Linear(5 * MELS, width)
        self.blocks = nn.ModuleList(MelBlock(width, dilation) for dilation in (1, 2, 4, 1))
        self.leave = nn.Linear(2 * width, 384)
        self.measured = nn.Sequential(nn.Linear(MEASURES, 512), nn.GELU(), nn.Linear(512, 384))
        self.join = nn.Sequential(nn.LayerNorm(384), nn.Linear(384, 512), nn.GELU(), nn.Linear(512, EMBEDDING))

    @staticmethod
    def scaled(measures: Tensor) -> Tensor:
        embeddings, spectrum, pitch = measures[:, :384] * 8, measures[:, 384:424], measures[:, 424:]
        return torch.cat([embeddings, spectrum, (pitch[:, :1] - PITCH_CENTRE) * 2, pitch[:, 1:] * 4], 1)

    def forward(self, measures: Tensor, mel: Tensor, counts: Tensor, share: Tensor | None = None) -> Tensor:
        """`share` [B, 2] weighs what the measurements and the mel energies say; training leaves one out at times."""
        x = mel / 2 + 2.5
        valid = (torch.arange(x.shape[1], device=x.device)[None] < counts[:, None]).to(x.dtype)[..., None]
        padded = F.pad(x * valid, (0, 0, 2, 2))
        x = self.enter(torch.cat([padded[:, i : i + x.shape[1]] for i in range(5)], -1)) * valid
        for block in self.blocks:
            x = block(x) * valid
        x = x.float()
        number = valid.float().sum(1)
        mean = x.sum(1) / number
        deviation = ((x.square().sum(1) / number) - mean.square()).clamp_min(1e-5).sqrt()
        heard = self.leave(torch.cat([mean, deviation], 1))
        known = self.measured(self.scaled(measures))
        return self.join(known + heard if share is None else share[:, :1] * known + share[:, 1:] * heard)


class Measure:
    """A clip at 16 kHz to its 426 measurements, the log10 mel energies of its speech and how many frames they are."""

    def __init__(self, x_vector: dict[str, np.ndarray], ear: Path, device: str):
        self.x_vector = XVector(x_vector).to(device)
        self.mel = MelFrames().to(device)
        self.ear = load_ear(ear).to(device)

    @torch.inference_mode()
    def __call__(self, wave: Tensor) -> tuple[Tensor, Tensor, Tensor]:
        mel = self.mel(wave)
        packed, counts = pack_left(mel, speech_frames(mel.sum(-1)))
        narrow = resample(wave, LISTEN_RATE, 8000)
        measures = torch.cat([self.x_vector(narrow), embed(self.ear, packed, counts), long_term_spectrum(mel), pitch_statistics(narrow)], 1)
        return measures, torch.log10(packed.clamp_min(1e-8)), counts


def load_ear(path: Path) -> DVectorNetwork:
    stored = {tensor.name.removesuffix(".half"): numpy_helper.to_array(tensor) for tensor in onnx.load(path).graph.initializer}
    ear = DVectorNetwork()
    state = ear.state_dict()
    ear.load_state_dict({name: torch.from_numpy(np.array(stored[name], np.float32)) if name in stored else value for name, value in state.items()})
    return ear.eval()
