"""Stage 1, on any CPU: collects the inputs of the GPU stage in one folder of about 25 MB.

    python prepare.py --decoder-lab ../fast-decoder/lab --tokens tokens.jsonl --out lab [--count 90000]

In addition to the texts, new ones are generated from their words: shuffled, with random punctuation, and with some words
joined from two halves. The texts need not be meaningful, because the teacher labels any input.
"""

import argparse
import json
import random
import shutil
from pathlib import Path

import numpy as np
from packed import load_packed, save_packed

#: Weights of the teacher's text encoder.
READING = ("bert.", "bert_encoder.", "predictor.text_encoder.lstms.0.weight_ih")
LETTERS = {"en-US": "a", "en-GB": "b", "es": "e", "fr": "f", "hi": "h", "it": "i", "ja": "j", "pt-BR": "p", "zh": "z"}
SPACE = 16
#: Kokoro's ids of ; : , . ! ? — … and how often each ends a clause.
MARKS = {1: 1, 2: 1, 3: 8, 9: 1, 10: 1}
ENDS = {4: 10, 5: 2, 6: 4}
LONGEST = 200
LONG_SHARE, LONGEST_EVER = 0.03, 500
JOINED = 0.2


def words_of(ids: list[int]) -> list[list[int]]:
    marks = {*MARKS, *ENDS}
    words: list[list[int]] = [[]]
    for token in ids:
        if token == SPACE:
            words.append([])
        elif token not in marks:
            words[-1].append(token)
    return [word for word in words if word]


def draw(choices: dict[int, int], rng: random.Random) -> int:
    return rng.choices(list(choices), list(choices.values()))[0]


def mixed(words: list[list[int]], rng: random.Random) -> list[int]:
    """A random text with words of one language."""
    longest = LONGEST_EVER if rng.random() < LONG_SHARE else min(LONGEST, int(rng.lognormvariate(4.2, 0.5)))
    ids: list[int] = []
    while len(ids) < longest - 12:
        word = rng.choice(words)
        if rng.random() < JOINED:
            other = rng.choice(words)
            word = word[: (len(word) + 1) // 2] + other[len(other) // 2 :]
        ids += [SPACE, *word] if ids else word
        chance = rng.random()
        if chance < 0.13:
            ids.append(draw(MARKS if chance < 0.1 else ENDS, rng))
    if rng.random() < 0.8 and ids:
        ids.append(draw(ENDS, rng))
    return ids[:longest]


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("--decoder-lab", type=Path, required=True)
    parser.add_argument("--tokens", type=Path, required=True)
    parser.add_argument("--out", type=Path, required=True)
    parser.add_argument("--count", type=int, default=90000)
    parser.add_argument("--seed", type=int, default=1)
    options = parser.parse_args()
    options.out.mkdir(parents=True, exist_ok=True)
    rng = random.Random(options.seed)
    teacher = load_packed(options.decoder_lab / "teacher.npz")
    front = {name: value for name, value in teacher.items() if name.startswith(("bert", "predictor."))}
    save_packed({name: value for name, value in front.items() if name.startswith(READING)}, options.out / "reading.npz")
    save_packed({name: value for name, value in front.items() if not name.startswith(READING)}, options.out / "prosody.npz")
    shutil.copy(options.decoder_lab / "voices.npz", options.out)

    said = [json.loads(line) for line in options.tokens.read_text().splitlines()]
    texts = [(text["ids"], LETTERS[text["language"]]) for text in said if 0 < len(text["ids"]) <= LONGEST_EVER]
    words: dict[str, list[list[int]]] = {}
    for ids, letter in texts:
        words.setdefault(letter, []).extend(words_of(ids))
    letters = [letter for _, letter in texts]
    while len(texts) < options.count:
        letter = rng.choice(letters)
        texts.append((mixed(words[letter], rng), letter))
    np.savez_compressed(
        options.out / "texts.npz",
        ids=np.concatenate([np.array(ids, np.uint8) for ids, _ in texts]),
        lengths=np.array([len(ids) for ids, _ in texts], np.uint16),
        letters=np.array([letter for _, letter in texts]),
    )


if __name__ == "__main__":
    main()
