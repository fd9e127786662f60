"""The first estimate of a cloned voice, and its export as `clone-voice.onnx`: from the 426 measures of a recording and, if it is
known, its ECAPA-TDNN embedding to the voice vector and the second matrices of the weight changes.

    PYTHONPATH=../fast-decoder:../voice-encoder python estimate.py --linear clone-voice-linear.npz --network estimate.npz --out weights

A network (`train_estimate.py`) adds to the linear map of `first_voice.py`. An unknown embedding is zero; a known one has unit length.
"""

import argparse
from pathlib import Path

import numpy as np
import torch
import torch.nn.functional as F
from decoder import CHANGE_PARTS, EMBEDDING, VOICE_PARTS, WEIGHT_STEPS
from gradient_graph import graph_of, save
from networks import MEASURES
from speaker_encoder import SpeakerEncoder
from speaker_network import EMBEDDING_SIZE
from torch import Tensor, nn

VOICE, SECOND_MATRICES = sum(VOICE_PARTS), sum(CHANGE_PARTS[1::2])
#: Change of the voice vector and of a weight change per unit of the outputs of the network.
VOICE_STEP, WEIGHT_STEP = 0.1, 0.05
#: Embeddings have unit length.
EMBEDDING_SCALE = 8.0


def read_floats(path: Path) -> dict[str, Tensor]:
    return {name: torch.from_numpy(values.astype(np.float32)) for name, values in np.load(path).items()}


class LinearEstimate(nn.Module):
    """Measures [B, 426] to voice vectors, by the tables that `first_voice.py` writes."""

    def __init__(self, tables: dict[str, Tensor]):
        super().__init__()
        for name in ("left", "right", "bias", "mean"):
            self.register_buffer(name, tables[name])

    def forward(self, measures: Tensor) -> Tensor:
        return (measures @ self.left + self.bias) @ self.right + self.mean


class EstimateNetwork(nn.Module):
    """Measures [B, 426] and embeddings [B, 192] to what is added to the linear estimate, in units of the steps. It begins with zeros."""

    def __init__(self):
        super().__init__()
        self.known = nn.Sequential(nn.Linear(MEASURES, 512), nn.GELU(), nn.Linear(512, 384))
        self.heard = nn.Sequential(nn.Linear(EMBEDDING_SIZE, 384), nn.GELU(), nn.Linear(384, 384))
        self.join = nn.Sequential(nn.LayerNorm(384), nn.Linear(384, 512), nn.GELU(), nn.Linear(512, EMBEDDING))
        self.voice, self.up = nn.Linear(EMBEDDING, VOICE), nn.Linear(EMBEDDING, SECOND_MATRICES)
        for layer in (self.voice, self.up):
            nn.init.zeros_(layer.weight)
            nn.init.zeros_(layer.bias)

    def start_from(self, encoder: SpeakerEncoder) -> None:
        self.known.load_state_dict(encoder.measured.state_dict())
        self.join.load_state_dict(encoder.join.state_dict())

    def forward(self, measures: Tensor, embedding: Tensor) -> tuple[Tensor, Tensor]:
        is_known = embedding.square().sum(1, keepdim=True)
        joined = self.join(self.known(SpeakerEncoder.scaled(measures)) + is_known * self.heard(EMBEDDING_SCALE * embedding))
        return self.voice(joined), self.up(joined)


class FirstEstimate(nn.Module):
    """Measures and embeddings to voice vectors [B, 6658] and second matrices [B, 12288]."""

    def __init__(self, linear: LinearEstimate, network: EstimateNetwork):
        super().__init__()
        self.linear, self.network = linear, network

    def combined(self, measures: Tensor, voice: Tensor, changes: Tensor) -> tuple[Tensor, Tensor]:
        """`voice` and `changes` are outputs of the network."""
        return self.linear(measures) + VOICE_STEP * voice, WEIGHT_STEP * changes

    def forward(self, measures: Tensor, embedding: Tensor) -> tuple[Tensor, Tensor]:
        return self.combined(measures, *self.network(measures, embedding))


def read_first_matrices(path: Path) -> list[Tensor]:
    """The first matrices of the weight changes, which all voices share, as `initial-changes.mjs` writes them."""
    return list(torch.from_numpy(np.fromfile(path, np.float32)).split(CHANGE_PARTS))[::2]


def with_changes(voice: Tensor, second_matrices: Tensor, first_matrices: list[Tensor]) -> Tensor:
    """Voice vectors followed by their weight changes, as the decoder takes them."""
    pairs = zip(first_matrices, second_matrices.split(CHANGE_PARTS[1::2], 1))
    return torch.cat([voice, *(part for first, second in pairs for part in (first.expand(len(voice), -1), second))], 1)


def round_rows(layer: nn.Linear) -> None:
    """Rounds the weights so that they are stored as int8 with a scale for each output."""
    step = layer.weight.data.abs().amax(1, keepdim=True).clamp_min(1e-8) / WEIGHT_STEPS
    layer.weight.data = torch.round(layer.weight.data / step) * step


def main() -> None:
    parser = argparse.ArgumentParser()
    for name in ("linear", "network", "out"):
        parser.add_argument(f"--{name}", type=Path, required=True)
    options = parser.parse_args()
    torch.manual_seed(0)
    network = EstimateNetwork()
    network.load_state_dict(read_floats(options.network))
    for layer in (network.voice, network.up):
        round_rows(layer)
    estimate = FirstEstimate(LinearEstimate(read_floats(options.linear)), network).eval().requires_grad_(False)
    inputs = {"measures": 0.1 * torch.randn(1, MEASURES), "embedding": F.normalize(torch.randn(1, EMBEDDING_SIZE), dim=1)}
    expected = dict(zip(("voice", "changes"), estimate(*inputs.values())))
    options.out.mkdir(parents=True, exist_ok=True)
    save(graph_of(estimate, list(inputs.values()), list(inputs), list(expected)), inputs, expected, options.out / "clone-voice.onnx")


if __name__ == "__main__":
    main()
