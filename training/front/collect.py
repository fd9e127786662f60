"""Stage 1, on any CPU: collects the inputs of the GPU stage in one folder.

    PYTHONPATH=../fast-decoder:../decoder python collect.py --decoder-lab ../decoder/lab --checkpoint ../decoder/checkpoint --tokens tokens.jsonl --out lab

Besides the texts of `tokens.jsonl`, others are made of their words (`mixed_texts.py`).
"""

import argparse
import json
import random
import shutil
from pathlib import Path

import numpy as np
import torch
from mixed_texts import LETTERS, LONGEST_EVER, mixed, words_of
from packed import load_packed, save_packed

FEATURES = 512


def entering_weights(checkpoint: Path) -> np.ndarray:
    """Weights of the decoder's first layer for the text features of a frame: they say which differences matter."""
    weights = {key: value for path in sorted(checkpoint.glob("student-*.pt")) for key, value in torch.load(path, map_location="cpu").items()}
    entering = weights["decoder.enter_slow.weight"]
    width = entering.shape[1] // 3
    return entering[:, width : width + FEATURES].numpy().astype(np.float16)


def main() -> None:
    parser = argparse.ArgumentParser()
    for name in ("decoder-lab", "checkpoint", "tokens", "out"):
        parser.add_argument(f"--{name}", type=Path, required=True)
    parser.add_argument("--count", type=int, default=70000)
    parser.add_argument("--seed", type=int, default=1)
    options = parser.parse_args()
    options.out.mkdir(parents=True, exist_ok=True)
    teacher = load_packed(options.decoder_lab / "teacher.npz")
    save_packed({name: value for name, value in teacher.items() if not name.startswith("decoder.")}, options.out / "front.npz")
    shutil.copy(options.decoder_lab / "voices.npz", options.out)
    np.save(options.out / "gates.npy", entering_weights(options.checkpoint))
    write_texts(options.tokens, options.count, options.seed, options.out / "front-texts.npz")


def write_texts(tokens: Path, count: int, seed: int, target: Path) -> None:
    rng = random.Random(seed)
    said = [json.loads(line) for line in tokens.read_text().splitlines()]
    texts = [(text["ids"], LETTERS[text["language"]]) for text in said if 0 < len(text["ids"]) <= LONGEST_EVER]
    words: dict[str, list[list[int]]] = {}
    for ids, letter in texts:
        words.setdefault(letter, []).extend(words_of(ids))
    letters = [letter for _, letter in texts]
    while len(texts) < count:
        letter = rng.choice(letters)
        texts.append((mixed(words[letter], rng), letter))
    np.savez_compressed(
        target,
        ids=np.concatenate([np.array(ids, np.uint8) for ids, _ in texts]),
        lengths=np.array([len(ids) for ids, _ in texts], np.uint16),
        letters=np.array([letter for _, letter in texts]),
    )


if __name__ == "__main__":
    main()
