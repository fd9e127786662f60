"""Evaluation of clones, first half: clones every speaker of an evaluation kit and lets the clones speak.

    PYTHONPATH=../fast-decoder:../voice-encoder python clone.py --data KIT/data --xvector KIT/models/xvector.onnx --ear EAR.onnx \
      --tokens sentences.jsonl --voices VOICES --front FRONT.onnx \
      --decoder DECODER --out out [--variant decoder] [--refine 3] [--language fr]

Of each speaker the longest clip is cloned. A Kokoro voice of similar pitch gives rhythm and melody; its pitch is moved to
the median and the range of the person's. Writes out/SPEAKER.VARIANT.wav (all sentences in a row) and `transcripts.tsv`.
"""

import argparse
import json
from pathlib import Path

import numpy as np
import soundfile
import torch
from say import LOUDNESS, Front
from speak import resample
from speaker_encoder import LISTEN_RATE, Measure
from synthesis import RATE, Decoder

#: Kokoro voices whose prosody clones take, by language: of low and of high voices.
PROSODY = {"en-US": ("am_michael", "af_heart"), "es": ("em_alex", "ef_dora"), "fr": ("ff_siwis", "ff_siwis"), "it": ("im_nicola", "if_sara"), "pt-BR": ("pm_alex", "pf_dora")}
#: Median pitch that separates them, log2 of Hz.
LOW_PITCH = np.log2(165.0)
VOICED_HZ = 40.0
QUIET_SHARE = 0.4
#: By how much the range of the melody may be changed.
RANGE_FACTORS = (0.6, 1.6)
#: Share of the measured deviation of the embedding that a step of refinement corrects.
CORRECTION = 0.7


def clips_by_speaker(data: Path) -> dict[str, Path]:
    """The longest clip of each speaker."""
    found: dict[str, Path] = {}
    for path in (*data.glob("speech/*.flac"), *data.glob("refs/*.flac")):
        speaker = path.name.split("-")[0]
        if speaker not in found or path.stat().st_size > found[speaker].stat().st_size:
            found[speaker] = path
    return dict(sorted(found.items()))


def move_pitch(contours: list[np.ndarray], energies: list[np.ndarray], median: float, spread: float) -> list[np.ndarray]:
    """Contours in Hz with another median and another range, both in octaves. Quiet parts, where Kokoro's pitch glides, do not
    count."""
    loud = np.quantile(np.concatenate([energy.ravel() for energy in energies]), QUIET_SHARE)
    voiced = np.log2(np.concatenate([pitch[(pitch > VOICED_HZ) & (energy > loud)] for pitch, energy in zip(contours, energies)]))
    low, middle, high = np.quantile(voiced, (0.16, 0.5, 0.84))
    factor = np.clip(spread / max((high - low) / 2, 0.02), *RANGE_FACTORS)
    move = lambda pitch: 2 ** (median + factor * (np.log2(np.maximum(pitch, VOICED_HZ)) - middle))
    return [np.where(pitch > VOICED_HZ, move(pitch), pitch).astype(np.float32) for pitch in contours]


class Cloner:
    def __init__(self, options: argparse.Namespace):
        weights = np.load(options.xvector) if options.xvector.suffix == ".npz" else None
        self.measure = Measure(dict(weights), options.ear, "cpu")
        self.front = Front(options.front)
        self.decoder = Decoder(options.decoder)
        self.sentences = [json.loads(line) for line in options.tokens.read_text().splitlines()]
        self.sentences = [one for one in self.sentences if one["language"] == options.language]
        tables = [np.fromfile(options.voices / f"{name}.bin", np.float32).reshape(510, 1, 256) for name in PROSODY[options.language]]
        self.features = [[self.front(one["ids"], table[len(one["ids"]) - 1]) for one in self.sentences] for table in tables]

    def embed(self, wave: np.ndarray, rate: int) -> tuple[np.ndarray, np.ndarray]:
        """Speaker embedding and measurements of a recording."""
        clip = torch.from_numpy(np.ascontiguousarray(wave, np.float32))[None]
        clip = clip if rate == LISTEN_RATE else resample(clip, rate, LISTEN_RATE)
        measures, mel, counts = self.measure(clip)
        heard = 10 ** mel[:, : int(counts[0])]
        return self.decoder.speaker.run(None, {"measures": measures.numpy(), "mel": heard.numpy()})[0], measures[0].numpy()

    def speak(self, embedding: np.ndarray, measures: np.ndarray, count: int | None = None) -> np.ndarray:
        """Sentences in a row, at the pitch of the measurements."""
        features = self.features[int(measures[424] > LOW_PITCH)][:count]
        voice = self.decoder.voice_of(embedding)
        _, contours, energies = zip(*features)
        pitches = move_pitch(contours, energies, measures[424], measures[425])
        return np.concatenate([self.decoder.decode(asr, pitch, energy, voice, number)
                               for number, ((asr, _, energy), pitch) in enumerate(zip(features, pitches))])

    def refine(self, wanted: np.ndarray, measures: np.ndarray, steps: int) -> np.ndarray:
        """Speaks, embeds what was said and corrects the embedding by the difference."""
        embedding = wanted
        for _ in range(steps):
            heard, _ = self.embed(self.speak(embedding, measures, 3), RATE)
            embedding = embedding + CORRECTION * (wanted - heard)
        return embedding


def main() -> None:
    parser = argparse.ArgumentParser()
    for name in ("data", "xvector", "ear", "tokens", "voices", "front", "decoder", "out"):
        parser.add_argument(f"--{name}", type=Path, required=True)
    parser.add_argument("--variant", default="decoder")
    parser.add_argument("--refine", type=int, default=0)
    parser.add_argument("--language", default="en-US")
    options = parser.parse_args()
    torch.set_num_threads(1)
    options.out.mkdir(parents=True, exist_ok=True)
    cloner = Cloner(options)
    said = " ".join(one["text"] for one in cloner.sentences)
    with (options.out / f"transcripts-{options.variant}.tsv").open("w") as transcripts:
        for speaker, path in clips_by_speaker(options.data).items():
            embedding, measures = cloner.embed(*soundfile.read(path, dtype="float32"))
            embedding = cloner.refine(embedding, measures, options.refine)
            wave = cloner.speak(embedding, measures)
            wave = np.clip(wave * (LOUDNESS / np.sqrt(np.mean(wave**2))), -1, 1)
            soundfile.write(options.out / f"{speaker}.{options.variant}.wav", wave, RATE, subtype="PCM_16")
            transcripts.write(f"{speaker}.{options.variant}\t{said}\n")


if __name__ == "__main__":
    main()
