"""Speech for `train_estimate.py`: recordings of people, clips of the VITS, and what is measured of both. An example of the training is
a crop of the speech, clean or damaged, from which the network estimates a voice whose targets are means over the clean crops.
"""

import argparse
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import soundfile
import torch
import torch.nn.functional as F
from decoder import FRAME, RATE
from ecapa import load_ecapa
from generate import CLIP_SECONDS, vits_pool
from packed import load_packed
from people import played
from refinement import FRAMES, TRIAL_RMS, X_VECTOR_WEIGHTS, Listener, x_vector_tensors
from speak import damage, resample
from speaker_encoder import LISTEN_RATE, Measure, load_ear
from teacher import Teacher
from torch import Tensor

#: Recordings of people: shortest and longest, the speeds at which they are played, the length of a clip, how much longer a recording
#: must be to give two clips, and utterances that are joined where they are short.
SHORTEST_SECONDS, LONGEST_SECONDS = 9, 13
SPEEDS = (1.0, 0.86, 0.93, 1.07, 1.15)
CLIP_SIZE, SECOND_CLIP_SIZE = int(8.7 * LISTEN_RATE), LISTEN_RATE
JOINED_UTTERANCES, ADULT_AGE = 5, 18
#: Crops are measured at the start, in the middle and at the end of a clip, of which at most so much is used.
CROP_SECONDS, PLACES, MEASURED_SECONDS = (6.0, 3.6), 3, 9.5
CROPS, VERSIONS = PLACES * len(CROP_SECONDS), 2
#: Samples that ECAPA-TDNN is given, and the length from which a crop has two such windows.
EMBEDDED_SIZE, TWO_WINDOWS_SIZE = 3 * LISTEN_RATE, 5 * LISTEN_RATE
#: Frames of a clip of the VITS, and samples of a trial.
CLIP_FRAMES, TRIAL_SIZE = CLIP_SECONDS * 40, FRAMES * FRAME
#: Transform of the background noise, and share of the frames that are background.
WINDOW, HOP, QUIET_SHARE = 512, 128, 0.1
CHUNK, VITS_SEED = 64, 7


def read_samples(path: Path) -> np.ndarray:
    samples, rate = soundfile.read(path, dtype="float32")
    if rate != LISTEN_RATE:
        raise ValueError(f"{path} has {rate} Hz instead of {LISTEN_RATE}")
    return samples


def read_recordings(folder: Path, without: set[str]) -> list[np.ndarray]:
    """The first recording of each speaker that is long enough, from files named `SPEAKER-….flac`."""
    chosen: dict[str, np.ndarray] = {}
    for path in sorted(folder.rglob("*.flac")):
        speaker = path.name.split("-")[0]
        if speaker in without or speaker in chosen:
            continue
        samples = read_samples(path)
        if len(samples) >= SHORTEST_SECONDS * LISTEN_RATE:
            chosen[speaker] = samples[: LONGEST_SECONDS * LISTEN_RATE]
    return list(chosen.values())


def read_adults(checkout: Path) -> list[np.ndarray]:
    """The longest utterances of each adult of speechocean762, joined."""
    ages = dict(line.split() for part in ("train", "test") for line in (checkout / part / "spk2age").read_text().splitlines())
    joined = []
    for speaker in sorted(speaker for speaker, age in ages.items() if int(age) >= ADULT_AGE):
        utterances = map(read_samples, sorted((checkout / "WAVE" / f"SPEAKER{speaker}").glob("*.WAV")))
        longest = sorted(utterances, key=len, reverse=True)[:JOINED_UTTERANCES]
        joined.append(np.concatenate(longest)[: LONGEST_SECONDS * LISTEN_RATE])
    return [samples for samples in joined if len(samples) >= SHORTEST_SECONDS * LISTEN_RATE]


def clips_of(samples: np.ndarray) -> list[Tensor]:
    """One clip of a recording or two."""
    samples = torch.from_numpy(samples if len(samples) >= CLIP_SIZE else np.tile(samples, 2))
    rest = len(samples) - CLIP_SIZE
    return [samples[start : start + CLIP_SIZE] for start in ((0, rest) if rest >= SECOND_CLIP_SIZE else (rest // 2,))]


def at_trial_level(wave: Tensor) -> Tensor:
    return wave * (TRIAL_RMS / wave.square().mean(1, keepdim=True).sqrt().clamp_min(1e-5))


class SpeechNetworks:
    """The networks that measure speech. Trials at 24 kHz are measured with gradients."""

    def __init__(self, options: argparse.Namespace, device: str):
        weights = dict(np.load(options.lab / "xvector.npz"))
        self.measure = Measure(weights, options.lab / "ear.onnx", device)
        spread = torch.from_numpy(np.load(options.spread).astype(np.float32))
        listener = Listener(load_ear(options.lab / "ear.onnx"), spread).to(device).eval().requires_grad_(False)
        sliding_mean = listener.x_vector.sliding_mean
        listener.x_vector.sliding_mean = lambda count: sliding_mean(count).to(device)
        tensors = dict(zip(X_VECTOR_WEIGHTS, (tensor.to(device) for tensor in x_vector_tensors(weights))))
        self.listen = torch.func.vmap(lambda wave: listener(wave, tensors))
        self.ecapa = load_ecapa(options.ecapa).to(device).requires_grad_(False)

    def measure_trial(self, wave: Tensor, background: Tensor | float = 0.0) -> tuple[Tensor, Tensor, Tensor, Tensor, Tensor]:
        """X-vectors, d-vectors, long-term spectra, statistics of layers and ECAPA-TDNN embeddings."""
        *measured, clip = self.listen(at_trial_level(wave) + background)
        return *measured, self.ecapa(clip)

    def embed(self, crop: Tensor) -> Tensor:
        starts = (0,) if crop.shape[1] < TWO_WINDOWS_SIZE else (0, crop.shape[1] - EMBEDDED_SIZE)
        return F.normalize(sum(self.ecapa(crop[:, start : start + EMBEDDED_SIZE]) for start in starts), dim=1)

    def measure_crops(self, clips: Tensor, rng: torch.Generator) -> tuple[Tensor, Tensor]:
        """Measures [B, 6, 2, 426] and embeddings [B, 6, 2, 192] of crops, clean and damaged, of clips at 16 kHz."""
        measures, embeddings = [], []
        for seconds in CROP_SECONDS:
            size = int(seconds * LISTEN_RATE)
            rest = clips.shape[1] - size
            for start in (0, rest // 2, rest):
                crop = clips[:, start : start + size]
                for version in (crop, damage(crop, rng)):
                    measures.append(self.measure(version)[0].clone())
                    embeddings.append(self.embed(version))
        return tuple(torch.stack(values, 1).unflatten(1, (CROPS, VERSIONS)) for values in (measures, embeddings))

    def mean_statistics(self, clips: Tensor) -> Tensor:
        """Statistics of layers [B, N] of clips at 24 kHz: means over windows of the length of a trial."""
        starts = range(0, clips.shape[1] - TRIAL_SIZE + 1, TRIAL_SIZE)
        return torch.stack([self.listen(at_trial_level(clips[:, start : start + TRIAL_SIZE]))[3] for start in starts]).mean(0)


def quiet_spectra(clips: Tensor) -> Tensor:
    """Mean power [B, 257] of the quietest frames of clips at the level of a trial."""
    window = torch.hann_window(WINDOW, device=clips.device)
    power = torch.stft(at_trial_level(clips), WINDOW, HOP, WINDOW, window, return_complex=True).abs().square()
    quietest = power.sum(1).argsort(1)[:, : max(1, int(power.shape[2] * QUIET_SHARE))]
    return power.gather(2, quietest[:, None].expand(-1, power.shape[1], -1)).mean(2)


def draw_background(quiet: Tensor) -> Tensor:
    """Noise with these spectra, of the length of a trial."""
    window = torch.hann_window(WINDOW, device=quiet.device)
    noise = torch.stft(torch.randn(len(quiet), TRIAL_SIZE, device=quiet.device), WINDOW, HOP, WINDOW, window, return_complex=True)
    return torch.istft(noise * (quiet / (window**2).sum()).sqrt()[:, :, None], WINDOW, HOP, WINDOW, window, length=TRIAL_SIZE)


@dataclass(frozen=True)
class MeasuredSpeech:
    """`measures` and `embeddings` [N, 6, 2, …] of the crops of N clips, clean and damaged, `quiet` [N, 257], the clips of each voice, and the
    targets of each voice."""

    measures: Tensor
    embeddings: Tensor
    quiet: Tensor
    clips: list[list[int]]
    target_measures: Tensor
    target_embeddings: Tensor
    target_statistics: Tensor

    def targets(self, voice: Tensor) -> tuple[Tensor, Tensor, Tensor]:
        return self.target_measures[voice], self.target_embeddings[voice], self.target_statistics[voice]


@torch.no_grad()
def measure_speech(networks: SpeechNetworks, chunks: Iterable[Tensor], rate: int, clips: list[list[int]], rng: torch.Generator) -> MeasuredSpeech:
    parts = []
    for chunk in chunks:
        narrow, wide = (chunk if rate == wanted else resample(chunk, rate, wanted) for wanted in (LISTEN_RATE, RATE))
        crops = networks.measure_crops(narrow[:, : int(MEASURED_SECONDS * LISTEN_RATE)], rng)
        parts.append((*crops, networks.mean_statistics(wide), quiet_spectra(wide)))
    measures, embeddings, statistics, quiet = (torch.cat(values) for values in zip(*parts))
    mean = torch.stack([measures[rows, :, 0].flatten(0, 1).mean(0) for rows in clips])
    target_measures = torch.cat([F.normalize(mean[:, :128], dim=1), F.normalize(mean[:, 128:384], dim=1), mean[:, 384:]], 1)
    target_embeddings = F.normalize(torch.stack([embeddings[rows, :, 0].flatten(0, 1).mean(0) for rows in clips]), dim=1)
    target_statistics = torch.stack([statistics[rows].mean(0) for rows in clips])
    return MeasuredSpeech(measures, embeddings, quiet, clips, target_measures, target_embeddings, target_statistics)


def measure_people(networks: SpeechNetworks, recordings: list[np.ndarray], rng: torch.Generator) -> MeasuredSpeech:
    """Voice `len(SPEEDS) * N + K` is recording N at speed K."""
    voices = [clips_of(samples if speed == 1 else played(samples, speed)) for samples in recordings for speed in SPEEDS]
    numbers = iter(range(sum(map(len, voices))))
    stacked = torch.stack([clip for clips in voices for clip in clips])
    chunks = (chunk.to(rng.device) for chunk in stacked.split(CHUNK))
    return measure_speech(networks, chunks, LISTEN_RATE, [[next(numbers) for _ in clips] for clips in voices], rng)


class AlignedSpeech:
    """Clips of the VITS, of which text features, pitch, energy and cycles are known. Clips 2 i and 2 i + 1 have the same voice i."""

    def __init__(self, networks: SpeechNetworks, lab: Path, seconds: float, rng: torch.Generator):
        self.device = rng.device
        pool = vits_pool(lab, Teacher(load_packed(lab / "teacher.npz"), str(rng.device)), self.unmeasured, seconds, VITS_SEED, str(rng.device))
        self.count = len(pool["frames"])
        self.asr = pool["asr"].view(self.count, CLIP_FRAMES, -1)
        self.contours = [pool[name].view(self.count, -1) for name in ("pitch", "energy", "cycles")]
        self.wave = pool["wave"].view(self.count, -1)
        voices = [[number, number + 1] for number in range(0, self.count, 2)]
        self.speech = measure_speech(networks, (chunk.float() for chunk in self.wave.split(CHUNK)), RATE, voices, rng)

    @staticmethod
    def unmeasured(wave: Tensor) -> tuple[Tensor, Tensor, Tensor]:
        """Stands for `Measure`, whose results are not needed here."""
        return wave.new_zeros(len(wave), 1), wave.new_zeros(len(wave), 1, 1), torch.ones(len(wave), dtype=torch.long, device=wave.device)

    def draw(self, clip: Tensor) -> tuple[Tensor, Tensor, Tensor, Tensor, Tensor]:
        """Text features, pitch, energy, cycles and samples of random trials of these clips."""
        start = torch.randint(CLIP_FRAMES - FRAMES + 1, (len(clip), 1), device=self.device)
        take = lambda values, step: values[clip[:, None], start * step + torch.arange(FRAMES * step, device=self.device)].float()
        return take(self.asr, 1).transpose(1, 2), *(take(contour, 2) for contour in self.contours), take(self.wave, FRAME)
