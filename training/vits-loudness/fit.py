"""Fits the loudness of an utterance of the embedded VITS model to the mean of its latent prior, by ridge regression.

    python fit.py --train train.jsonl --test test.jsonl --out ../../server/src/inference/engines/vits/libritts-loudness.ts

The files are those of `collect.mjs`; the speakers of the test are others. The means of the speakers are subtracted.
"""

import argparse
import json
from pathlib import Path

import numpy as np

RIDGE = 0.03
HEADER = """import type {{ TextLoudness }} from './text-loudness.ts';

/**
 * Loudness of the texts of the embedded model, by `training/vits-loudness`. Standard deviation between {count} sentences that
 * were not fitted, of other speakers: {before:.2f} LU, with the prediction {after:.2f} LU.
 */
// biome-ignore format: a table
export const LIBRITTS_R_LOUDNESS: TextLoudness = {{
  offset: {offset:.3f},
  weights: [
"""


def read(path: Path) -> tuple[np.ndarray, np.ndarray]:
    """Features, and loudness relative to the mean of the speaker."""
    rows = [json.loads(line) for line in path.read_text().splitlines()]
    speakers = np.array([row["speaker"] for row in rows])
    lufs = np.array([row["lufs"] for row in rows])
    for speaker in set(speakers):
        lufs[speakers == speaker] -= lufs[speakers == speaker].mean()
    return np.array([row["mean"] for row in rows]), lufs


def main() -> None:
    parser = argparse.ArgumentParser()
    for name in ("train", "test", "out"):
        parser.add_argument(f"--{name}", type=Path, required=True)
    options = parser.parse_args()
    features, lufs = read(options.train)
    # Channels that hardly vary get a smaller weight than with features of equal variance.
    middle, scale = features.mean(0), np.sqrt(features.std(0))
    scaled = (features - middle) / scale
    solved = np.linalg.solve(scaled.T @ scaled + RIDGE * np.eye(scaled.shape[1]), scaled.T @ lufs)
    weights = np.round(solved / scale, 3)
    offset = -float(middle @ weights)
    tested, test_lufs = read(options.test)
    errors = test_lufs - (offset + tested @ weights)
    errors -= errors.mean()
    print(f"{len(lufs)} sentences, {len(test_lufs)} for the test: {test_lufs.std():.2f} LU, after the prediction {errors.std():.2f}")
    rows = [", ".join(f"{value:g}" for value in weights[at : at + 12]) for at in range(0, len(weights), 12)]
    head = HEADER.format(count=len(test_lufs), before=test_lufs.std(), after=errors.std(), offset=offset)
    options.out.write_text(head + "".join(f"    {row},\n" for row in rows) + "  ],\n};\n")


if __name__ == "__main__":
    main()
