"""The mean of the weights of two runs, of which one started from the other.

    python average_weights.py --runs checkpoint run --out mean
"""

import argparse
from pathlib import Path

import torch


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("--runs", type=Path, nargs=2, required=True)
    parser.add_argument("--out", type=Path, required=True)
    options = parser.parse_args()
    first, second = options.runs
    options.out.mkdir(parents=True, exist_ok=True)
    for path in sorted(first.glob("student-*.pt")):
        one, other = (torch.load(run / path.name, map_location="cpu") for run in (first, second))
        mean = {key: ((one[key].float() + other[key].float()) / 2).half() for key in one}
        torch.save(mean, options.out / path.name)


if __name__ == "__main__":
    main()
