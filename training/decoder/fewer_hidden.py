"""First weights of a network whose blocks have fewer hidden values: those with the largest weights are kept.

    export DECODER=kokoro PYTHONPATH=../fast-decoder:../voice-encoder
    python fewer_hidden.py --weights checkpoint/kokoro.npz --factor 2 --out lab/start.npz     (decoder)
    python fewer_hidden.py --weights ../front/checkpoint/front.npz --factor 2 --out ../front/lab/start.npz
"""

import argparse
from pathlib import Path

import torch
from packed import load_packed, save_packed
from torch import Tensor

Weights = dict[str, Tensor]

#: The last layer of the network that changes a decoder's blocks for a voice.
CHANGES = "voice.change.2"


def kept_hidden(weights: Weights, block: str, factor: int) -> Tensor:
    widen, narrow = weights[f"{block}.widen.weight"], weights[f"{block}.narrow.weight"]
    return (widen.norm(dim=1) * narrow.norm(dim=0)).topk(factor * len(narrow)).indices.sort().values


def fewer_changes(values: Tensor, blocks: list[tuple[int, int, Tensor]], rank: int) -> Tensor:
    """The rows of the changes' last layer that belong to kept hidden values. `blocks` are width, hidden values and those kept."""
    kept, start = [], 0
    for width, hidden, chosen in blocks:
        down, up = values[start : start + hidden * rank], values[start + hidden * rank : start + (hidden + width) * rank]
        kept += [down.unflatten(0, (hidden, rank))[chosen].flatten(0, 1), up]
        start += (hidden + width) * rank
    return torch.cat(kept)


def fewer_hidden(weights: Weights, factor: int) -> Weights:
    small, blocks = dict(weights), []
    for name, narrow in weights.items():
        # The speaker encoder of a decoder's file has blocks too, and keeps them.
        if not name.endswith(".narrow.weight") or name.startswith("encoder."):
            continue
        block = name.removesuffix(".narrow.weight")
        chosen = kept_hidden(weights, block, factor)
        blocks.append((*narrow.shape, chosen))
        small[name] = narrow[:, chosen]
        for kind in ("weight", "bias"):
            small[f"{block}.widen.{kind}"] = weights[f"{block}.widen.{kind}"][chosen]
    if f"{CHANGES}.bias" in weights:
        rank = len(weights[f"{CHANGES}.bias"]) // sum(width + hidden for width, hidden, _ in blocks)
        small |= {f"{CHANGES}.{kind}": fewer_changes(weights[f"{CHANGES}.{kind}"], blocks, rank) for kind in ("weight", "bias")}
    return small


def main() -> None:
    parser = argparse.ArgumentParser()
    for name in ("weights", "out"):
        parser.add_argument(f"--{name}", type=Path, required=True)
    parser.add_argument("--factor", type=int, required=True, help="hidden values per channel")
    options = parser.parse_args()
    options.out.parent.mkdir(parents=True, exist_ok=True)
    save_packed(fewer_hidden(load_packed(options.weights), options.factor), options.out)


if __name__ == "__main__":
    main()
