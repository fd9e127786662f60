"""Evaluation, first half: synthesizes sentences with the official Kokoro, or with its front and a fast decoder.

    python say.py --tokens eval.jsonl --voices VOICES --stock kokoro-fp32.onnx --out out/stock
    python say.py --tokens eval.jsonl --voices VOICES --front FRONT.onnx --decoder DECODER.onnx --out out/new [--reader READER.onnx --melody MELODY.onnx]

FRONT is the front that the server derives from the official file: complete, or with `--reader` and `--melody` the part between
them.

Writes one WAV per sentence at equal loudness, and `transcripts.tsv`; prints the CPU seconds per second of speech.
"""

import argparse
import json
import resource
from pathlib import Path

import numpy as np
import onnxruntime
import soundfile

RATE, FRAME = 24000, 600
#: Frames of zeros around the utterance (silence), as in the server.
PAD = 12
#: Voices, used in turn.
VOICES = ("af_heart", "am_michael", "bf_emma", "am_fenrir", "af_bella", "bm_george")
LOUDNESS = 0.06
MODELS = ("stock", "front", "decoder", "reader", "melody")
#: Values of the official graph: text encodings, aligned text features, and prosody features.
TEXT_ENCODING, ASR, PROSODY_FEATURES = "/encoder/bert_encoder/Add_output_0", "/encoder/MatMul_1_output_0", "/encoder/MatMul_output_0"


def open_model(path: str) -> onnxruntime.InferenceSession:
    options = onnxruntime.SessionOptions()
    options.intra_op_num_threads = options.inter_op_num_threads = 1
    return onnxruntime.InferenceSession(path, options, providers=["CPUExecutionProvider"])


def cpu_seconds() -> float:
    usage = resource.getrusage(resource.RUSAGE_SELF)
    return usage.ru_utime + usage.ru_stime


def decoder_inputs(features: dict[str, np.ndarray], style: np.ndarray, seed: int) -> dict[str, np.ndarray]:
    """Inputs of the fast decoder, padded with silence."""
    frames = features["asr"].shape[2]
    cycles = np.cumsum(features["F0"].astype(np.float64) * (FRAME / 2 / RATE), 1) % 1
    noise = np.random.default_rng(seed).standard_normal((1, FRAME * frames), np.float32)
    pad = lambda values, steps: np.pad(values, [(0, 0)] * (values.ndim - 1) + [(PAD * steps, PAD * steps)])
    return {"asr": pad(features["asr"], 1), "F0": pad(features["F0"], 2), "N": pad(features["N"], 2),
            "cyc": pad(cycles.astype(np.float32), 2), "style": style[:, :128], "noise": pad(noise, FRAME)}


class Chain:
    """Kokoro's front and a fast decoder; with `stock` the official model alone."""

    def __init__(self, **paths: str | None):
        self.stock, self.front, self.decoder, self.reader, self.melody = (
            open_model(paths[name]) if paths[name] else None for name in MODELS
        )

    def features(self, ids: list[int], style: np.ndarray) -> dict[str, np.ndarray]:
        inputs = {"input_ids": np.array([[0, *ids, 0]], np.int64), "style": style, "speed": np.ones(1, np.float32)}
        if self.reader:
            inputs[TEXT_ENCODING] = self.reader.run(None, {"input_ids": inputs["input_ids"]})[0]
        if not self.melody:
            return dict(zip(("asr", "F0", "N"), self.front.run([ASR, "/encoder/Reshape_output_0", "/encoder/Reshape_1_output_0"], inputs)))
        asr, said = self.front.run([ASR, PROSODY_FEATURES], inputs)
        pitch, energy = self.melody.run(["pitch", "energy"], {"said": said, "prosody": style[:, 128:]})
        return {"asr": asr, "F0": pitch, "N": energy}

    def decode(self, features: dict[str, np.ndarray], style: np.ndarray, seed: int) -> np.ndarray:
        wave = self.decoder.run(["wav"], decoder_inputs(features, style, seed))[0]
        return wave[0, PAD * FRAME : -PAD * FRAME]

    def synthesize(self, ids: list[int], style: np.ndarray, seed: int, pitch: float) -> np.ndarray:
        if self.stock:
            inputs = {"input_ids": np.array([[0, *ids, 0]], np.int64), "style": style, "speed": np.ones(1, np.float32)}
            return self.stock.run(None, inputs)[0].ravel()
        features = self.features(ids, style)
        features["F0"] = features["F0"] * np.float32(pitch)
        return self.decode(features, style, seed)


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("--tokens", type=Path, required=True)
    parser.add_argument("--voices", type=Path, required=True)
    parser.add_argument("--out", type=Path, required=True)
    for name in MODELS:
        parser.add_argument(f"--{name}")
    parser.add_argument("--pitch", type=float, default=1, help="factor on the pitch; 0 whispers")
    parser.add_argument("--count", type=int, default=1000)
    options = parser.parse_args()
    chain = Chain(**{name: getattr(options, name) for name in MODELS})
    tables = [np.fromfile(options.voices / f"{name}.bin", np.float32).reshape(510, 1, 256) for name in VOICES]
    options.out.mkdir(parents=True, exist_ok=True)
    spent = seconds = 0.0
    transcripts = []
    for number, line in enumerate(options.tokens.read_text().splitlines()[: options.count]):
        sentence = json.loads(line)
        ids = sentence["ids"]
        style = tables[number % len(tables)][len(ids) - 1]
        before = cpu_seconds()
        wave = chain.synthesize(ids, style, number, options.pitch)
        spent += cpu_seconds() - before
        seconds += len(wave) / RATE
        wave = np.clip(wave * (LOUDNESS / np.sqrt(np.mean(wave**2))), -1, 1)
        soundfile.write(options.out / f"{number:03d}.wav", wave, RATE, subtype="PCM_16")
        transcripts.append(f"{number:03d}\t{sentence['text']}\n")
    (options.out / "transcripts.tsv").write_text("".join(transcripts))
    print(f"{options.out}: {len(transcripts)} sentences, {seconds:.0f} s, {spent / seconds:.4f} CPU seconds per second", flush=True)


if __name__ == "__main__":
    main()
