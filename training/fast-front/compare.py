"""Evaluation: differences of the front to the teacher, with the student networks and in the official q8 file.

    python compare.py --lab lab --official MODELS/kokoro-82m-q8/model.onnx --timing MODELS/kokoro-82m-q8/derived/timing.v3.onnx \
      --assets ../../server/assets/fast-front --voices MODELS/kokoro-voices --tokens eval.jsonl

Prints by language: shares of tokens with another duration and of half frames with another voicing, mean absolute and mean
signed pitch error (cents), energy error, and CPU milliseconds per second of speech.
"""

import argparse
import json
import sys
import tempfile
import time
from collections import defaultdict
from pathlib import Path

import numpy as np
import onnx
import onnx.utils
import torch

sys.path.insert(0, str(Path(__file__).resolve().parent.parent / "fast-decoder"))
from packed import load_packed  # noqa: E402
from speak import ASR, TEXT_ENCODING, PROSODY_FEATURES, open_model  # noqa: E402
from teacher import Teacher  # noqa: E402

DURATIONS, PITCH, ENERGY = "/encoder/Round_output_0", "/encoder/Reshape_output_0", "/encoder/Reshape_1_output_0"
#: Voices of each language.
VOICES = {"en-US": ("af_heart", "am_michael"), "en-GB": ("bf_emma", "bm_george"), "fr": ("ff_siwis",), "es": ("ef_dora", "em_alex"),
          "it": ("if_sara", "im_nicola"), "pt-BR": ("pf_dora", "pm_alex"), "hi": ("hf_alpha", "hm_omega"),
          "ja": ("jf_alpha", "jm_kumo"), "zh": ("zf_xiaobei", "zm_yunxi")}
VOICED_HZ = 40

FrontOutput = tuple[np.ndarray, np.ndarray, np.ndarray]


class Official:
    def __init__(self, path: Path):
        with tempfile.TemporaryDirectory() as folder:
            front = f"{folder}/front.onnx"
            onnx.save(onnx.utils.Extractor(onnx.load(path)).extract_model(["input_ids", "style", "speed"], [ASR, DURATIONS, PITCH, ENERGY]), front)
            self.front = open_model(front)

    def run(self, ids: np.ndarray, style: np.ndarray) -> FrontOutput:
        durations, pitch, energy = self.front.run([DURATIONS, PITCH, ENERGY], {"input_ids": ids, "style": style, "speed": np.ones(1, np.float32)})
        return durations, pitch, energy


class StudentFront:
    def __init__(self, timing: Path, assets: Path):
        self.reader, self.timing, self.melody = (open_model(str(path)) for path in (assets / "reader-int8.onnx", timing, assets / "melody-int8.onnx"))

    def run(self, ids: np.ndarray, style: np.ndarray) -> FrontOutput:
        read = self.reader.run(None, {"input_ids": ids})[0]
        _, said, durations = self.timing.run([ASR, PROSODY_FEATURES, DURATIONS], {"input_ids": ids, "style": style, "speed": np.ones(1, np.float32), TEXT_ENCODING: read})
        pitch, energy = self.melody.run(["pitch", "energy"], {"said": said, "prosody": style[:, 128:]})
        return durations, pitch, energy


@torch.no_grad()
def run_teacher(teacher: Teacher, ids: np.ndarray, style: np.ndarray) -> FrontOutput:
    tokens, lengths = torch.from_numpy(ids), torch.tensor([ids.shape[1]])
    valid, prosody = torch.ones_like(tokens, dtype=torch.bool), torch.from_numpy(style[:, 128:])
    features, durations = teacher.predict_durations(teacher.encode_text(tokens, valid), lengths, valid, prosody, torch.ones(1, 1))
    pitch, energy = teacher.contours(teacher.align(features, durations), durations.sum(1), prosody)
    return durations.numpy(), pitch.numpy(), energy.numpy()


def retimed(values: np.ndarray, lengths: np.ndarray, wanted: np.ndarray) -> np.ndarray:
    """Half-frame values resampled to the wanted token durations."""
    out, at = [], 0
    for length, want in zip(2 * lengths, 2 * wanted):
        out.append(np.interp((np.arange(want) + 0.5) * length / want - 0.5, np.arange(length), values[at : at + length]))
        at += length
    return np.concatenate(out)


def differences(output: FrontOutput, reference: FrontOutput) -> list[float]:
    lengths, wanted = (np.maximum(1, np.round(durations[0])).astype(int) for durations in (output[0], reference[0]))
    pitch, energy = (retimed(values[0], lengths, wanted) for values in output[1:])
    both = (reference[1][0] > VOICED_HZ) & (pitch > VOICED_HZ)
    cents = 1200 * np.log2(pitch[both] / reference[1][0][both])
    return [100 * np.mean(lengths != wanted), 100 * np.mean((pitch > VOICED_HZ) != (reference[1][0] > VOICED_HZ)),
            np.abs(cents).mean(), cents.mean(), np.abs(energy - reference[2][0]).mean()]


def main() -> None:
    parser = argparse.ArgumentParser()
    for name in ("lab", "official", "timing", "assets", "voices", "tokens"):
        parser.add_argument(f"--{name}", type=Path, required=True)
    options = parser.parse_args()
    teacher = Teacher(load_packed(options.lab / "reading.npz") | load_packed(options.lab / "prosody.npz"), "cpu")
    fronts = {"official q8": Official(options.official), "students": StudentFront(options.timing, options.assets)}
    found, spent, seconds = defaultdict(list), defaultdict(float), 0.0
    for number, line in enumerate(options.tokens.read_text().splitlines()):
        text = json.loads(line)
        voice = VOICES[text["language"]][number % len(VOICES[text["language"]])]
        style = np.fromfile(options.voices / f"{voice}.bin", np.float32).reshape(510, 1, 256)[len(text["ids"]) - 1]
        ids = np.array([[0, *text["ids"], 0]], np.int64)
        reference = run_teacher(teacher, ids, style)
        seconds += reference[0].sum() / 40
        for name, front in fronts.items():
            before = time.process_time()
            output = front.run(ids, style)
            spent[name] += time.process_time() - before
            found[name, text["language"]].append(differences(output, reference))
    for name in fronts:
        print(f"{name}: {1000 * spent[name] / seconds:.1f} ms per second")
        for language in sorted({language for _, language in found}):
            row = np.mean(found[name, language], 0)
            print(f"  {language} ({len(found[name, language])}): durations {row[0]:.1f} %, voicing {row[1]:.1f} %, pitch {row[2]:.0f} cents ({row[3]:+.0f}), energy {row[4]:.2f}")


if __name__ == "__main__":
    main()
