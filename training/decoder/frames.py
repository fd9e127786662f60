"""Frames of a clip for graphs with gradients."""

import torch
import torch.nn.functional as F
from torch import Tensor


def cut_frames(samples: Tensor, length: int, hop: int) -> Tensor:
    """Overlapping frames [N, length], made of slices, whose gradients are simple."""
    rows = F.pad(samples, (0, -len(samples) % hop)).reshape(-1, hop)
    whole, rest = divmod(length, hop)
    count = len(rows) - whole - (1 if rest else 0) + 1
    parts = [rows[i : i + count] for i in range(whole)]
    return torch.cat(parts + ([rows[whole : whole + count, :rest]] if rest else []), 1)
