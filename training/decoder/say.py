"""Evaluation, first half: speaks sentences with Kokoro itself or with its front half and a decoder of ours.

    python say.py --tokens eval.jsonl --voices VOICES --stock kokoro-fp32.onnx --out out/stock
    python say.py --tokens eval.jsonl --voices VOICES --front FRONT.onnx --decoder DECODER --out out/new [--pitch 1.25] [--native]

FRONT is the file of `../front`. DECODER is the folder of a decoder as
`export.py` writes it, or the file of the one before. Writes one WAV per sentence, all equally loud, and `transcripts.tsv`.
"""

import argparse
import json
from collections import Counter
from pathlib import Path

import numpy as np
import soundfile
from prepare import LANGUAGES
from synthesis import FRAME, PAD, RATE, Decoder, open_model, pitch_cycles

#: One voice after the other says a sentence; with `--native`, those of the sentence's language.
VOICES = ("af_heart", "am_michael", "bf_emma", "am_fenrir", "af_bella", "bm_george")
LOUDNESS = 0.06


class EarlierDecoder:
    """The decoder before this one: takes a style, and noise in samples."""

    def __init__(self, path: Path):
        self.session = open_model(path)

    def voice_of_style(self, style: np.ndarray) -> np.ndarray:
        return style[:, :128]

    def decode(self, asr: np.ndarray, pitch: np.ndarray, energy: np.ndarray, voice: np.ndarray, seed: int) -> np.ndarray:
        pad = lambda values, steps: np.pad(values, [(0, 0)] * (values.ndim - 1) + [(PAD * steps, PAD * steps)])
        noise = np.random.default_rng(seed).standard_normal((1, FRAME * asr.shape[2]), np.float32)
        inputs = {"asr": pad(asr, 1), "F0": pad(pitch, 2), "N": pad(energy, 2), "cyc": pad(pitch_cycles(pitch[0])[None], 2),
                  "style": voice, "noise": pad(noise, FRAME)}
        return self.session.run(["wav"], inputs)[0][0, PAD * FRAME : -PAD * FRAME]


def open_decoder(path: Path) -> Decoder | EarlierDecoder:
    return Decoder(path) if path.is_dir() else EarlierDecoder(path)


class Front:
    """Tokens to text features, pitch and energy (`../front`)."""

    def __init__(self, path: Path):
        self.session = open_model(path)

    def __call__(self, ids: list[int], style: np.ndarray, speed: float = 1.0) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        inputs = {"input_ids": np.array([[0, *ids, 0]], np.int64), "style": style, "speed": np.full(1, speed, np.float32)}
        return tuple(self.session.run(["asr", "pitch", "energy"], inputs))


def save_speech(path: Path, wave: np.ndarray) -> None:
    soundfile.write(path, np.clip(wave * (LOUDNESS / np.sqrt(np.mean(wave**2))), -1, 1), RATE, subtype="PCM_16")


def main() -> None:
    parser = argparse.ArgumentParser()
    for name in ("tokens", "voices", "out"):
        parser.add_argument(f"--{name}", type=Path, required=True)
    for name in ("stock", "front"):
        parser.add_argument(f"--{name}", type=Path)
    parser.add_argument("--decoder", type=Path)
    parser.add_argument("--pitch", type=float, default=1, help="factor on the pitch; 0 whispers")
    parser.add_argument("--native", action="store_true", help="the voices of the sentence's language in turn")
    parser.add_argument("--count", type=int, default=1000)
    options = parser.parse_args()
    stock = open_model(options.stock) if options.stock else None
    front = None if stock else Front(options.front)
    decoder = None if stock else open_decoder(options.decoder)
    tables = {path.stem: np.fromfile(path, np.float32).reshape(510, 1, 256) for path in sorted(options.voices.glob("*.bin"))}
    said: Counter[str] = Counter()
    options.out.mkdir(parents=True, exist_ok=True)
    seconds = 0.0
    transcripts = []
    for number, line in enumerate(options.tokens.read_text().splitlines()[: options.count]):
        sentence = json.loads(line)
        ids = sentence["ids"]
        language = sentence["language"]
        voices = [name for name in tables if name[0] == LANGUAGES[language]] if options.native else VOICES
        name = voices[(said[language] if options.native else number) % len(voices)]
        said[language] += 1
        style = tables[name][len(ids) - 1]
        if stock:
            inputs = {"input_ids": np.array([[0, *ids, 0]], np.int64), "style": style, "speed": np.ones(1, np.float32)}
            wave = stock.run(None, inputs)[0].ravel()
        else:
            asr, pitch, energy = front(ids, style)
            voice = decoder.voice_of_style(style)
            wave = decoder.decode(asr, pitch * np.float32(options.pitch), energy, voice, number)
        seconds += len(wave) / RATE
        save_speech(options.out / f"{number:03d}.wav", wave)
        transcripts.append(f"{number:03d}\t{sentence['text']}\n")
    (options.out / "transcripts.tsv").write_text("".join(transcripts))
    print(f"{options.out}: {len(transcripts)} sentences, {seconds:.0f} s", flush=True)


if __name__ == "__main__":
    main()
