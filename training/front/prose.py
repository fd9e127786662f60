"""Sentences of plain text files and random word sequences of a dictionary, as `en-US<TAB>sentence` lines.

    python prose.py --dictionary MODELS/lexicon-en-us/en-us.txt --count 8000 book.txt ...

The vocabulary of the grammars in `../fast-decoder/texts.py` is small.
"""

import argparse
import random
import re
from pathlib import Path


def sentences(text: str) -> list[str]:
    plain = re.sub(r"\s+", " ", re.sub(r"[_*\[\]|#`<>]", " ", text))
    found = re.split(r"(?<=[.!?;:]) ", plain)
    return [one for one in found if 15 < len(one) < 260 and re.fullmatch(r"[A-Za-z0-9 ,.;:!?'\"()-]+", one)]


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("--dictionary", type=Path, required=True)
    parser.add_argument("--count", type=int, default=8000)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("files", type=Path, nargs="*")
    options = parser.parse_args()
    rng = random.Random(options.seed)
    for path in options.files:
        for sentence in sentences(path.read_text(errors="ignore")):
            print(f"en-US\t{sentence}")
    words = [line.split()[0].lower() for line in options.dictionary.read_text().splitlines() if re.match(r"[A-Z']+\s", line)]
    for _ in range(options.count):
        print(f"{rng.choice(('en-US', 'en-US', 'en-GB'))}\t{' '.join(rng.sample(words, rng.randint(3, 12)))}.")


if __name__ == "__main__":
    main()
