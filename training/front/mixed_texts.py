"""Texts made of the words of other texts: shuffled, with random punctuation, some words joined from two halves. They need
not be meaningful, because Kokoro labels any text; real texts alone have too small a vocabulary."""

import random

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
