"""The GE2E speaker encoder of Resemblyzer, the teacher of the d-vector network."""

from pathlib import Path

import numpy as np
import torch
import torch.nn.functional as F
from features import MelFrames
from torch import Tensor


class Ge2e(torch.nn.Module):
    """Windows of mel energies to embeddings."""

    def __init__(self, path: Path):
        super().__init__()
        self.lstm = torch.nn.LSTM(MelFrames.MELS, 256, 3, batch_first=True)
        self.linear = torch.nn.Linear(256, 256)
        weights = np.load(path)
        self.load_state_dict({name: torch.from_numpy(weights[name].astype(np.float32)) for name in weights.files})

    def forward(self, windows: Tensor) -> Tensor:
        _, (hidden, _) = self.lstm(windows)
        return F.normalize(F.relu(self.linear(hidden[-1])), dim=1)
