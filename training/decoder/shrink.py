"""Before stage 2 of the decoder for Kokoro's voices: its first weights, those of the channels and hidden units of the decoder
for clones that have the largest weights.

    export DECODER=kokoro PYTHONPATH=../fast-decoder:../voice-encoder
    python shrink.py --checkpoint checkpoint --out lab        (start.npz and discriminators.npz)
"""

import argparse
from pathlib import Path

import torch
from decoder import BINS, FACTOR, FAST, SIZES, SLOW
from packed import save_packed
from torch import Tensor
from train import load

HEADS = ("pulse_gain", "pulse_real", "pulse_imaginary", "noise_gain")

Weights = dict[str, Tensor]


def largest(score: Tensor, count: int) -> Tensor:
    return score.topk(count).indices.sort().values


def channel_score(weights: Weights, blocks: list[str], entering: Tensor, leaving: Tensor) -> Tensor:
    """How much is written to and read from each channel of the blocks."""
    written, read = entering.norm(dim=1) ** 2, leaving.norm(dim=0) ** 2
    for block in blocks:
        written = written + (weights[f"{block}.narrow.weight"] * weights[f"{block}.gain"][:, None]).norm(dim=1) ** 2
        read = read + weights[f"{block}.widen.weight"].norm(dim=0) ** 2
    return written * read


def shrunk_block(weights: Weights, block: str, channels: Tensor) -> Weights:
    widen, narrow = weights[f"{block}.widen.weight"][:, channels], weights[f"{block}.narrow.weight"][channels]
    hidden = largest(widen.norm(dim=1) * narrow.norm(dim=0), FACTOR * len(channels))
    small = {f"{block}.{name}": weights[f"{block}.{name}"][channels] for name in ("mix.weight", "mix.bias", "narrow.bias", "gain")}
    return small | {f"{block}.widen.weight": widen[hidden], f"{block}.widen.bias": weights[f"{block}.widen.bias"][hidden],
                    f"{block}.narrow.weight": narrow[:, hidden]}


def shrink(weights: Weights) -> Weights:
    (slow_width, slow_count), (fast_width, fast_count) = SIZES["clones"]
    slow = [f"decoder.slow.{i}" for i in range(slow_count)]
    fast = [f"decoder.fast.{i}" for i in range(fast_count)]
    rise = weights["decoder.rise.weight"].view(2, fast_width, slow_width)
    heads = torch.cat([weights[f"decoder.{head}.weight"] for head in HEADS])
    of_slow = largest(channel_score(weights, slow, weights["decoder.enter_slow.weight"], weights["decoder.rise.weight"]), SLOW[0])
    of_fast = largest(channel_score(weights, fast, rise.norm(dim=0), heads), FAST[0])
    small = {f"decoder.enter_slow.{kind}": weights[f"decoder.enter_slow.{kind}"][of_slow] for kind in ("weight", "bias")}
    for blocks, channels in ((slow[: SLOW[1]], of_slow), (fast[: FAST[1]], of_fast)):
        for block in blocks:
            small |= shrunk_block(weights, block, channels)
    small["decoder.rise.weight"] = rise[:, of_fast][:, :, of_slow].reshape(-1, SLOW[0])
    small["decoder.rise.bias"] = weights["decoder.rise.bias"].view(2, fast_width)[:, of_fast].reshape(-1)
    small |= {f"decoder.{name}": weights[f"decoder.{name}"][of_fast] for name in ("enter_fast.weight", "enter_fast.bias", "norm.weight", "norm.bias")}
    for head in (*HEADS, "depth"):
        small[f"decoder.{head}.weight"] = weights[f"decoder.{head}.weight"][:, of_fast]
        if f"decoder.{head}.bias" in weights:
            small[f"decoder.{head}.bias"] = weights[f"decoder.{head}.bias"]
    small |= {name: value for name, value in weights.items() if name.startswith("voice.style.")}
    parts = [slow_width] * (2 * slow_count) + [fast_width] * (2 * fast_count) + [BINS, BINS]
    for kind in ("weight", "bias"):
        films = weights[f"voice.film.{kind}"].split(parts)
        kept = [part[of_slow] for part in films[: 2 * SLOW[1]]] + [part[of_fast] for part in films[2 * slow_count : 2 * slow_count + 2 * FAST[1]]]
        small[f"voice.film.{kind}"] = torch.cat([*kept, *films[-2:]])
    return small


def main() -> None:
    parser = argparse.ArgumentParser()
    for name in ("checkpoint", "out"):
        parser.add_argument(f"--{name}", type=Path, required=True)
    options = parser.parse_args()
    save_packed(shrink(load(options.checkpoint, "student")), options.out / "start.npz")
    save_packed(load(options.checkpoint, "discriminators"), options.out / "discriminators.npz")


if __name__ == "__main__":
    main()
