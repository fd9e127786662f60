"""Fits the gradient of predicted naturalness over the engine's speaker vectors, and writes it as float32.

    python naturalness.py --speakers lab/speakers.npy --ratings NISQA_results.csv --out naturalness.f32

`--ratings` is the output of NISQA's `run_predict.py` (weights `nisqa_tts.tar`) for a folder with one sentence of each
speaker, `0.wav` to `903.wav`. Ridge regression; the printed correlation is cross-validated.
"""

import argparse
import csv
from pathlib import Path

import numpy as np

RIDGE = 100.0
FOLDS = 8


def fit(vectors: np.ndarray, ratings: np.ndarray) -> np.ndarray:
    size = vectors.shape[1]
    return np.linalg.solve(vectors.T @ vectors + RIDGE * np.eye(size), vectors.T @ (ratings - ratings.mean()))


def left_out_correlation(vectors: np.ndarray, ratings: np.ndarray) -> float:
    order = np.random.default_rng(0).permutation(len(ratings))
    expected = np.zeros(len(ratings))
    for fold in range(FOLDS):
        tested = order[fold::FOLDS]
        known = np.setdiff1d(order, tested)
        expected[tested] = vectors[tested] @ fit(vectors[known], ratings[known])
    return float(np.corrcoef(expected, ratings)[0, 1])


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("--speakers", type=Path, required=True)
    parser.add_argument("--ratings", type=Path, required=True)
    parser.add_argument("--out", type=Path, required=True)
    options = parser.parse_args()
    speakers = np.load(options.speakers).astype(np.float64)
    with options.ratings.open() as file:
        rated = {int(Path(row["deg"]).stem): float(row["mos_pred"]) for row in csv.DictReader(file)}
    ratings = np.array([rated[number] for number in range(len(speakers))])
    vectors = speakers - speakers.mean(0)
    slope = fit(vectors, ratings)
    slope.astype("<f4").tofile(options.out)
    print(f"{len(ratings)} speakers, rated {ratings.mean():.2f}; cross-validated correlation {left_out_correlation(vectors, ratings):.2f}")
    print(f"{np.linalg.norm(slope):.3f} points per unit; speakers are {np.linalg.norm(vectors, axis=1).mean():.2f} from their mean")


if __name__ == "__main__":
    main()
