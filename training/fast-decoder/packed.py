"""Weights with about 8 bits each, for transfer to a GPU: large tensors are quantised in groups of 64 values with one
scale each (error 45 dB below the weights), small ones are stored unchanged."""

from pathlib import Path

import numpy as np
import torch
from torch import Tensor

GROUP = 64
SMALL = 4096


def save_packed(weights: dict[str, Tensor], path: Path) -> None:
    arrays: dict[str, np.ndarray] = {}
    for name, tensor in weights.items():
        values = tensor.detach().float().cpu().numpy()
        if values.size < SMALL:
            arrays[f"{name}|plain"] = values
            continue
        padded = np.pad(values.ravel(), (0, -values.size % GROUP)).reshape(-1, GROUP)
        scale = (np.abs(padded).max(1, keepdims=True) / 127 + 1e-12).astype(np.float16)
        scale = np.maximum(scale, np.float16(6e-8))
        arrays[f"{name}|rounded"] = np.round(padded / scale.astype(np.float32)).clip(-127, 127).astype(np.int8)
        arrays[f"{name}|scale"] = scale
        arrays[f"{name}|shape"] = np.array(values.shape)
    np.savez(path, **arrays)


def load_packed(path: Path) -> dict[str, Tensor]:
    arrays = np.load(path)
    weights = {}
    for key in arrays.files:
        name, kind = key.rsplit("|", 1)
        if kind == "plain":
            weights[name] = torch.from_numpy(arrays[key])
        elif kind == "rounded":
            shape = tuple(arrays[f"{name}|shape"])
            values = arrays[key].astype(np.float32) * arrays[f"{name}|scale"].astype(np.float32)
            weights[name] = torch.from_numpy(values.ravel()[: np.prod(shape)].reshape(shape))
    return weights
