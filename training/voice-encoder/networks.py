"""The networks of the voice encoder, and the distance between voices."""

import torch
import torch.nn.functional as F
from torch import Tensor, nn

GROUPS = {
    "x_vector": slice(0, 128),
    "d_vector": slice(128, 384),
    "spectrum": slice(384, 424),
    "pitch": slice(424, 425),
    "range": slice(425, 426),
}
MEASURES, D_VECTOR_SIZE = 426, 256
#: Weights of the squared deviations; embeddings have unit length, pitch is in octaves.
WEIGHTS = {"x_vector": 1.0, "d_vector": 0.25, "spectrum": 0.05, "pitch": 40.0, "range": 2.0}
#: Weights of the search. Pitch has a lower weight than in the distance, because the search overshoots otherwise; it is
#: adjusted afterwards.
SEARCH_WEIGHTS = WEIGHTS | {"pitch": 10.0}
EMBEDDINGS = ("x_vector", "d_vector")


class DVectorNetwork(nn.Module):
    """Windows of 160 frames of 40 mel energies to speaker embeddings (d-vectors)."""

    def __init__(self, width: int = 320, size: int = 256):
        super().__init__()
        self.enter = nn.Conv1d(40, width, 5, padding=2)
        self.blocks = nn.ModuleList(
            nn.Sequential(nn.BatchNorm1d(width), nn.ReLU(), nn.Conv1d(width, width, 3, padding=dilation, dilation=dilation))
            for dilation in (1, 2, 4, 8, 1))
        self.norm = nn.BatchNorm1d(width)
        self.leave = nn.Linear(2 * width, size)

    def forward(self, windows: Tensor) -> Tensor:
        x = self.enter(torch.log10(windows.clamp_min(1e-8)).transpose(1, 2) / 2 + 2.5)
        for block in self.blocks:
            x = x + block(x)
        x = F.relu(self.norm(x)).float()
        mean = x.mean(2)
        deviation = ((x * x).mean(2) - mean * mean).clamp_min(1e-6).sqrt()
        return F.normalize(self.leave(torch.cat([mean, deviation], 1)), dim=1)


class MeasurePredictor(nn.Module):
    """Coordinates of a voice to the predicted measures of its speech."""

    def __init__(self, measures: int = MEASURES, width: int = 1024):
        super().__init__()
        self.enter = nn.Linear(512, width)
        self.middle = nn.Linear(width, width)
        self.leave = nn.Linear(width, measures)
        self.direct = nn.Linear(512, measures, bias=False)

    def forward(self, voice: Tensor) -> Tensor:
        hidden = F.silu(self.enter(voice))
        hidden = hidden + F.silu(self.middle(hidden))
        return self.leave(hidden) + self.direct(voice)


class Encoder(nn.Module):
    """Measures of a recording to coordinates of a voice."""

    def __init__(self, width: int = 1024):
        super().__init__()
        self.register_buffer("mean", torch.zeros(426))
        self.register_buffer("scale", torch.ones(426))
        self.enter = nn.Linear(426, width)
        self.middle = nn.Linear(width, width)
        self.leave = nn.Linear(width, 512)

    def forward(self, measured: Tensor) -> Tensor:
        hidden = F.silu(self.enter((measured - self.mean) / self.scale))
        hidden = hidden + F.silu(self.middle(hidden))
        return self.leave(hidden)


class Gender(nn.Module):
    """Measures of a recording to a gender score: positive for female, negative for male voices."""

    def __init__(self):
        super().__init__()
        self.judge = nn.Linear(GROUPS["x_vector"].stop, 1)

    def forward(self, measured: Tensor) -> Tensor:
        return self.judge(measured[:, GROUPS["x_vector"]])


def distance(a: Tensor, b: Tensor) -> Tensor:
    """Weighted squared deviation; embeddings are normalised to unit length."""
    total = torch.zeros(len(a), device=a.device)
    for name, part in GROUPS.items():
        x, y = a[:, part], b[:, part]
        if name in EMBEDDINGS:
            x, y = F.normalize(x, dim=1), F.normalize(y, dim=1)
        total = total + WEIGHTS[name] * (x - y).square().sum(1)
    return total


def descend(predictor: MeasurePredictor, start: Tensor, target: Tensor, pull: Tensor, steps: int, rate: float = 0.3) -> Tensor:
    """Coordinates whose predicted measures are close to the target, regularised toward the mean voice."""
    voice = start.clone().requires_grad_(True)
    optimizer = torch.optim.Adam([voice], lr=rate)
    for step in range(steps):
        optimizer.param_groups[0]["lr"] = rate * (1 - step / steps)
        loss = (distance(predictor(voice), target) + pull * voice.square().sum(1)).sum()
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
    return voice.detach()
