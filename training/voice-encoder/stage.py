"""Set-up of the GPU stages: command line, random number generator and device."""

import argparse
from pathlib import Path

import torch


def begin_stage(folders: tuple[str, ...], seed: int) -> tuple[argparse.Namespace, torch.Generator]:
    """Parses the command line and seeds the random number generator on the training device."""
    parser = argparse.ArgumentParser()
    for name in folders:
        parser.add_argument(f"--{name}", type=Path, required=True)
    parser.add_argument("--seconds", type=float, required=True)
    parser.add_argument("--seed", type=int, default=seed)
    options = parser.parse_args()
    torch.manual_seed(options.seed)
    torch.backends.cudnn.benchmark = True
    torch.backends.cuda.matmul.allow_tf32 = True
    options.out.mkdir(parents=True, exist_ok=True)
    return options, torch.Generator("cuda" if torch.cuda.is_available() else "cpu").manual_seed(options.seed)
