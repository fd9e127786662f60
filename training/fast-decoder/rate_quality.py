"""Evaluation, second half: predicts nisqa (NISQA-TTS) and quality (DNSMOS) of folders of speech.

    python rate_quality.py --nisqa NISQA --dnsmos SPEECHMOS out/stock out/old out/new

NISQA is a checkout of github.com/gabrielmittag/NISQA (weights `nisqa_tts.tar`), SPEECHMOS the folder `speechmos` of
the PyPI package of that name. Only sentences present in every folder are rated. Word errors are measured with an ASR tool.
"""

import argparse
import sys
from pathlib import Path

import numpy as np
import soundfile
import soxr
import torch


class NisqaTts:
    """NISQA-TTS: one score from 1 to 5."""

    def __init__(self, checkout: Path):
        sys.path.insert(0, str(checkout))
        from nisqa import NISQA_lib

        self.library = NISQA_lib
        stored = torch.load(checkout / "weights/nisqa_tts.tar", map_location="cpu", weights_only=False)
        self.settings = stored["args"]
        names = NISQA_lib.NISQA.__init__.__code__.co_varnames[1 : NISQA_lib.NISQA.__init__.__code__.co_argcount]
        self.model = NISQA_lib.NISQA(**{name: self.settings[name] for name in names if name in self.settings})
        self.model.load_state_dict(stored["model_state_dict"])
        self.model.eval()

    @torch.no_grad()
    def __call__(self, path: Path) -> float:
        s = self.settings
        spectrum = self.library.get_librosa_melspec(
            str(path), sr=s["ms_sr"], n_fft=s["ms_n_fft"], hop_length=s["ms_hop_length"], win_length=s["ms_win_length"],
            n_mels=s["ms_n_mels"], fmax=s["ms_fmax"], ms_channel=None)
        pieces, count = self.library.segment_specs(str(path), spectrum, s["ms_seg_length"], s["ms_seg_hop_length"], s["ms_max_segments"])
        return float(self.model(pieces[None], torch.tensor([int(count)])).squeeze())


class Dnsmos:
    """DNSMOS P.835: speech, background and overall, each from 1 to 5."""

    RATE, SECONDS = 16000, 9.01

    def __init__(self, speechmos: Path):
        import onnxruntime

        self.model = onnxruntime.InferenceSession(str(speechmos / "dnsmos_models/sig_bak_ovr.onnx"))

    def __call__(self, path: Path) -> list[float]:
        wave, rate = soundfile.read(path, dtype="float32")
        wave = soxr.resample(wave, rate, self.RATE)
        length = int(self.SECONDS * self.RATE)
        wave = np.tile(wave, -(-length // len(wave)))
        starts = range(0, len(wave) - length + 1, self.RATE)
        raw = np.mean([self.model.run(None, {"input_1": wave[None, i : i + length]})[0][0] for i in starts], 0)
        speech, background, overall = raw
        return [np.polyval(p, x) for p, x in (
            ([-0.08397278, 1.22083953, 0.0052439], speech),
            ([-0.13166888, 1.60915514, -0.39604546], background),
            ([-0.06766283, 1.11546468, 0.04602535], overall))]


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("--nisqa", type=Path, required=True)
    parser.add_argument("--dnsmos", type=Path, required=True)
    parser.add_argument("--count", type=int, default=1000)
    parser.add_argument("folders", type=Path, nargs="+")
    options = parser.parse_args()
    torch.set_num_threads(1)
    shared = set.intersection(*({path.name for path in folder.glob("*.wav")} for folder in options.folders))
    names = sorted(shared)[: options.count]
    nisqa, dnsmos = NisqaTts(options.nisqa), Dnsmos(options.dnsmos)
    for folder in options.folders:
        rows = np.array([[nisqa(folder / name), *dnsmos(folder / name)] for name in names])
        np.save(folder / "ratings.npy", rows)
        means = " ".join(f"{label} {mean:.3f}" for label, mean in zip(("NISQA-TTS", "speech", "background", "overall"), rows.mean(0)))
        print(f"{folder}: {len(names)} sentences, {means}, standard error {rows[:, 0].std() / len(names) ** 0.5:.3f}", flush=True)


if __name__ == "__main__":
    main()
