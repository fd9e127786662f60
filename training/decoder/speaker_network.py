"""ECAPA-TDNN (SpeechBrain `spkrec-ecapa-voxceleb`, Apache-2.0) as parts of `refinement.onnx` and `statistics.onnx`. Its weights are not ours: they are
inputs of both graphs, which compute this network only when they are given. As `../voice-encoder/ecapa.py`, with time before channels and all
convolutions as products, for one clip.
"""

import hashlib
import struct
import zipfile
from pathlib import Path

import numpy as np
import torch
import torch.nn.functional as F
from ecapa import DILATIONS, FRAME, HOP, SCALE, SHA_256, Ecapa
from frames import cut_frames
from torch import Tensor, nn

#: Layers of a convolution, a rectifier and a normalization, with the taps of the convolution.
NORMALIZED = {"blocks.0": 5, "mfa": 1, "asp.tdnn": 1} | {
    f"blocks.{block}.{part}": taps
    for block in (1, 2, 3)
    for part, taps in [("tdnn1", 1), *((f"res2net_block.blocks.{number}", 3) for number in range(SCALE - 1)), ("tdnn2", 1)]
}
#: Convolutions without a normalization.
PLAIN = [f"blocks.{block}.se_block.{part}" for block in (1, 2, 3) for part in ("conv1", "conv2")] + ["asp.conv", "fc"]
NORM_PARTS = ("weight", "bias", "running_mean", "running_var")
#: The public names of the weights, in the order of the inputs that take them.
WEIGHTS = tuple(
    [f"{layer}.conv.conv.{part}" for layer in NORMALIZED for part in ("weight", "bias")]
    + [f"{layer}.norm.norm.{part}" for layer in NORMALIZED for part in NORM_PARTS]
    + [f"{layer}.conv.{part}" for layer in PLAIN for part in ("weight", "bias")]
    + [f"asp_bn.norm.{part}" for part in NORM_PARTS]
)
EMBEDDING_SIZE = 192
#: Constant of all normalizations.
EPSILON = 1e-5


class SpeakerNetwork(nn.Module):
    """A clip [N] at 16 kHz to an embedding [192] of unit length."""

    def __init__(self):
        super().__init__()
        tables = Ecapa({})
        angle = 2 * np.pi * np.arange(FRAME)[:, None] * np.arange(FRAME // 2 + 1) / FRAME
        window = tables.window.numpy()[:, None]
        self.register_buffer("cosine", torch.from_numpy((window * np.cos(angle)).astype(np.float32)))
        self.register_buffer("sine", torch.from_numpy((window * np.sin(angle)).astype(np.float32)))
        self.register_buffer("filters", tables.filters)

    def forward(self, wave: Tensor, *weights: Tensor) -> Tensor:
        w = dict(zip(WEIGHTS, weights))
        x = layer(w, "blocks.0", self.features(wave), 1)
        outputs = []
        for number in (1, 2, 3):
            x = block(w, number, x)
            outputs.append(x)
        x = layer(w, "mfa", torch.cat(outputs, 1), 1)
        mean = x.mean(0, keepdim=True)
        deviation = (x - mean).square().mean(0, keepdim=True).clamp_min(1e-12).sqrt()
        seen = layer(w, "asp.tdnn", torch.cat([x, mean.expand_as(x), deviation.expand_as(x)], 1), 1)
        share = plain(w, "asp.conv", torch.tanh(seen)).softmax(0)
        mean = (share * x).sum(0, keepdim=True)
        deviation = (share * (x - mean).square()).sum(0, keepdim=True).clamp_min(1e-12).sqrt()
        pooled = normalize(w, "asp_bn.norm", torch.cat([mean, deviation], 1))
        embedding = plain(w, "fc", pooled)[0]
        return embedding / embedding.square().sum().clamp_min(1e-12).sqrt()

    def features(self, wave: Tensor) -> Tensor:
        frames = cut_frames(F.pad(wave, (FRAME // 2, FRAME // 2)), FRAME, HOP)
        power = ((frames @ self.cosine).square() + (frames @ self.sine).square()) @ self.filters
        decibels = 10 * torch.log10(power.clamp_min(Ecapa.FLOOR))
        decibels = torch.maximum(decibels, decibels.detach().max() - Ecapa.RANGE_DB)
        return decibels - decibels.mean(0, keepdim=True)


def mirrored(x: Tensor, reach: int) -> Tensor:
    """[T, C] with its first and last frames repeated backwards."""
    before = [x[i : i + 1] for i in range(reach, 0, -1)]
    after = [x[len(x) - 2 - i : len(x) - 1 - i] for i in range(reach)]
    return torch.cat([*before, x, *after], 0)


def convolve(x: Tensor, weight: Tensor, bias: Tensor, taps: int, dilation: int) -> Tensor:
    """A convolution over time of [T, C]. Its weight has a row for each output, with a column for each input channel and tap."""
    if taps > 1:
        padded = mirrored(x, dilation * (taps - 1) // 2)
        x = torch.stack([padded[k * dilation : k * dilation + len(x)] for k in range(taps)], 2).flatten(1)
    return F.linear(x, weight, bias)


def normalize(w: dict[str, Tensor], name: str, x: Tensor) -> Tensor:
    scale = w[f"{name}.weight"] / torch.sqrt(w[f"{name}.running_var"] + EPSILON)
    return x * scale + (w[f"{name}.bias"] - w[f"{name}.running_mean"] * scale)


def layer(w: dict[str, Tensor], name: str, x: Tensor, dilation: int) -> Tensor:
    y = convolve(x, w[f"{name}.conv.conv.weight"], w[f"{name}.conv.conv.bias"], NORMALIZED[name], dilation)
    return normalize(w, f"{name}.norm.norm", F.relu(y))


def plain(w: dict[str, Tensor], name: str, x: Tensor) -> Tensor:
    return F.linear(x, w[f"{name}.conv.weight"], w[f"{name}.conv.bias"])


def block(w: dict[str, Tensor], number: int, x: Tensor) -> Tensor:
    name, dilation = f"blocks.{number}", DILATIONS[number - 1]
    parts = list(layer(w, f"{name}.tdnn1", x, 1).chunk(SCALE, 1))
    for part in range(1, SCALE):
        before = parts[part] if part == 1 else parts[part] + parts[part - 1]
        parts[part] = layer(w, f"{name}.res2net_block.blocks.{part - 1}", before, dilation)
    y = layer(w, f"{name}.tdnn2", torch.cat(parts, 1), 1)
    gate = F.relu(plain(w, f"{name}.se_block.conv1", y.mean(0, keepdim=True)))
    return x + y * torch.sigmoid(plain(w, f"{name}.se_block.conv2", gate))


def read_weights(path: Path) -> list[Tensor]:
    """The weights of the published file, as the graphs take them."""
    digest = hashlib.sha256(path.read_bytes()).hexdigest()
    if digest != SHA_256:
        raise ValueError(f"{path} is not the published file: its SHA-256 is {digest}")
    published = torch.load(path, map_location="cpu", weights_only=True)
    return [value.flatten(1) if value.ndim == 3 else value for value in (published[name] for name in WEIGHTS)]


def stored_weights(path: Path) -> list[dict[str, object]]:
    """Where the weights lie in the published file, a zip archive of uncompressed storages, and their dimensions as the graphs take them."""
    content = path.read_bytes()
    starts = []
    with zipfile.ZipFile(path) as archive:
        for entry in archive.infolist():
            name_size, extra_size = struct.unpack_from("<HH", content, entry.header_offset + 26)
            starts.append(entry.header_offset + 30 + name_size + extra_size)
    rows = []
    for name, weight in zip(WEIGHTS, read_weights(path)):
        values = weight.numpy().tobytes()
        # Weights of equal values are interchangeable.
        start = next(start for start in starts if start % 4 == 0 and content[start : start + len(values)] == values)
        rows.append({"name": name, "dims": list(weight.shape), "startByte": start})
    return rows
