"""What the two teachers say, kept on the GPU that trains: Kokoro with voices, mixes of them and noise around them, in
nine languages; the 904-speaker VITS with its speakers and others drawn around them, in English."""

import math
import time
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import torch
import torch.nn.functional as F
from contours import LENIENT, STRICT, Energy, lock_phase, measure_pitch
from decoder import FRAME, RATE, pitch_cycles
from packed import load_packed
from prepare import ROWS
from speak import NOISE_SCALE, SAMPLES_PER_FRAME, SpeakerSpace, damage, resample
from speak import RATE as VITS_RATE
from speaker_encoder import LISTEN_RATE, Measure
from teacher import Teacher
from torch import Tensor
from vits import Vits

BATCH = 64
#: Utterances of one batch have about this many frames together, so that long ones fit too.
BATCH_FRAMES = 10000
FRAMES_PER_TOKEN = 3.2
#: A language with n voices is said by them together in proportion to this power of n: every voice is heard often enough,
#: and so is French, which has one.
VOICES_POWER = 0.65
#: Where only some languages are trained, the voices of the others are heard this much less; they may speak them too.
FOREIGN_VOICES = 0.25
#: Shares of utterances by kind of voice; the rest is a mix of all voices. The main voice is part of the first three.
ONE_VOICE, TWO_VOICES, THREE_VOICES = 0.7, 0.12, 0.06
#: Share of utterances with noise on the style, and how much at most.
STRANGERS, STRANGENESS = 0.15, 0.4
#: Every so many batches the speaker encoder is given recordings of Kokoro, the first time at once.
REFERENCE_BATCHES = 6
#: Utterances that are planned; how many are said depends on the time.
CAST = 30000
#: How far an acted pitch is moved and its deviations scaled. Nothing is whispered: Kokoro without pitch is hoarse.
PITCH_RANGE = (0.6, 1.6)
MELODY_RANGE = (0.3, 1.8)
#: Ratios by which formants, and the pitch with them, are scaled.
FORMANT_RANGE = (0.82, 1.22)
LOUDEST = 3.0
#: Length of what the speaker encoder hears, and of a clip of the VITS, in seconds.
HEARD_SECONDS, CLIP_SECONDS = 6, 10
#: Level of the VITS's clips: that of Kokoro's speech.
CLIP_LEVEL = 0.055
#: Share of the VITS's speakers that are rows of its table; the others lie between and around them.
ROW_SPEAKERS = 0.5
VITS_BATCH = 64
#: Damaged versions of a clip are heard for as long as this, one length per batch.
DAMAGED_SECONDS = (3, 4, 6)


@dataclass(frozen=True)
class Casting:
    """Who says what. `languages` are letters of those that are spoken, or empty for all; `at_home` is the share of utterances
    whose main voice says a text of its own language (the others are texts of any language); `acted` is the share whose
    pitch is acted, and `scaled` that whose formants are scaled."""

    languages: str = ""
    at_home: float = 0.75
    acted: float = 0.2
    scaled: float = 0.0


class Styles:
    """Draws style vectors: voices, mixes of them, timbre and prosody of different people, and noise on top."""

    def __init__(self, path: Path, rng: torch.Generator):
        stored = np.load(path)
        self.tables = torch.from_numpy(stored["styles"].astype(np.float32))
        self.letters = stored["letters"]
        self.spread = self.tables[:, len(ROWS) // 3].std(0)
        self.rng = rng

    def uniform(self, *shape: int) -> Tensor:
        return torch.rand(*shape, generator=self.rng)

    def cast(self, letters: np.ndarray, count: int, at_home: float) -> tuple[Tensor, Tensor]:
        """Draws a main voice and a text for each of `count` utterances; `letters` are the languages of the texts."""
        names, sizes = np.unique(self.letters, return_counts=True)
        share = torch.tensor([float(size) ** (VOICES_POWER - 1) for size in sizes])[np.searchsorted(names, self.letters)]
        share = torch.where(torch.from_numpy(np.isin(self.letters, letters)), share, FOREIGN_VOICES * share)
        voice = torch.multinomial(share, count, replacement=True, generator=self.rng)
        # Texts of a language in random order, again and again.
        text = torch.randint(len(letters), (count,), generator=self.rng)
        home = self.uniform(count) < at_home
        for letter in names:
            rows = torch.from_numpy(np.flatnonzero(letters == letter))
            if len(rows) == 0:
                continue
            mine = torch.nonzero(home & torch.from_numpy(self.letters == letter)[voice])[:, 0]
            rounds = -(-len(mine) // len(rows))
            order = torch.cat([rows[torch.randperm(len(rows), generator=self.rng)] for _ in range(rounds)]) if rounds else rows
            text[mine] = order[: len(mine)]
        return voice, text

    def weights(self, main: Tensor) -> Tensor:
        """Shares of the voices in each style, [count, voices]."""
        count, voices = len(main), len(self.letters)
        spacing = -torch.log(self.uniform(count, voices) + 1e-6)
        order = self.uniform(count, voices).scatter(1, main[:, None], -1.0).argsort(1).argsort(1)
        kind = self.uniform(count, 1)
        two, three = ONE_VOICE + TWO_VOICES, ONE_VOICE + TWO_VOICES + THREE_VOICES
        chosen = torch.where(kind < ONE_VOICE, 1, torch.where(kind < two, 2, torch.where(kind < three, 3, voices)))
        weights = torch.where(order < chosen, torch.where(kind < three, spacing, spacing**3), 0)
        return weights / weights.sum(1, keepdim=True)

    def draw(self, lengths: Tensor, main: Tensor) -> Tensor:
        count = len(lengths)
        row = (lengths - ROWS.start) // ROWS.step + torch.randint(-1, 2, (count,), generator=self.rng)
        tables = self.tables[:, row.clamp(0, len(ROWS) - 1)].transpose(0, 1)
        timbre = self.weights(main)
        other = torch.randint(len(self.letters), (count,), generator=self.rng)
        prosody = torch.where(self.uniform(count, 1) < 0.08, self.weights(other), timbre)
        mixed = [(share[..., None] * part).sum(1) for share, part in zip((timbre, prosody), tables.split(128, 2))]
        noise = (self.uniform(count, 1) < STRANGERS) * self.uniform(count, 1) * STRANGENESS
        return torch.cat(mixed, 1) + noise * self.spread * torch.randn(count, 256, generator=self.rng)


def act(pitch: Tensor, acted_share: float, rng: torch.Generator) -> Tensor:
    """Pitch as an actor would move it in a share of the utterances: up or down, livelier or flatter."""
    uniform = lambda low, high: low + (high - low) * torch.rand(len(pitch), 1, generator=rng).to(pitch.device)
    voiced = pitch > 40
    middle = (pitch * voiced).sum(1, keepdim=True) / voiced.sum(1, keepdim=True).clamp(min=1)
    factor = torch.exp(uniform(*np.log(PITCH_RANGE)))
    melody = torch.where(uniform(0, 1) < 0.4, uniform(*MELODY_RANGE), 1)
    lively = middle * (pitch.clamp(min=1) / middle.clamp(min=1)) ** melody
    acted = torch.where(voiced, (factor * lively).clamp(45, 700), pitch)
    return torch.where(uniform(0, 1) < acted_share, acted, pitch)


def batches(texts: list[list[int]], rng: torch.Generator) -> list[list[int]]:
    """Texts of like length together, in random order."""
    jitter = torch.rand(len(texts), generator=rng).tolist()
    groups: list[list[int]] = [[]]
    for index in sorted(range(len(texts)), key=lambda i: len(texts[i]) + 6 * jitter[i]):
        size = len(groups[-1]) + 1
        if size > BATCH or size * len(texts[index]) * FRAMES_PER_TOKEN > BATCH_FRAMES:
            groups.append([])
        groups[-1].append(index)
    return [groups[i] for i in torch.randperm(len(groups), generator=rng).tolist()]


def draw_ratios(count: int, share: float, rng: torch.Generator) -> Tensor:
    """Ratios of formants, [count]: drawn for a share of the utterances, 1 for the others."""
    uniform = lambda: torch.rand(count, generator=rng)
    low, high = np.log(FORMANT_RANGE)
    return torch.where(uniform() < share, torch.exp(low + (high - low) * uniform()), 1.0)


def at_ratio(wave: Tensor, ratio: float, count: int) -> Tensor:
    """The first `count` samples of a wave that is played `ratio` times as fast. Slower speech would lack what lies above its new
    highest frequency; there the filter passes the mirror image of what lies below."""
    reach = 16
    place = torch.arange(count, device=wave.device, dtype=torch.float64) * ratio
    first = place.floor().long()
    taps = torch.arange(-reach + 1, reach + 1, device=wave.device)
    away = (place - first).float()[:, None] - taps
    cutoff = 1 / ratio
    weights = cutoff * torch.sinc(cutoff * away) * (0.5 + 0.5 * torch.cos(math.pi * away / (reach + 1)))
    padded = F.pad(wave, (reach, reach + max(0, int(first[-1]) + 1 - len(wave))))
    return (padded[first[:, None] + taps + reach] * weights).sum(1)


def scale_formants(one: dict[str, Tensor], ratio: float) -> dict[str, Tensor]:
    """An utterance that is played `ratio` times as fast: as of a person whose vocal tract is shorter by this ratio, with all that the
    decoder is given of it. It was spoken slower before, so that its rate is as usual."""
    if ratio == 1:
        return one
    frames = int(len(one["asr"]) / ratio)
    device = one["asr"].device
    moments = lambda count: (torch.arange(count, device=device) + 0.5) * ratio
    frame = moments(frames).long().clamp(max=len(one["asr"]) - 1)
    last = len(one["pitch"]) - 1
    half = moments(2 * frames).long().clamp(max=last)
    turns = torch.cumsum(one["pitch"].double() * (FRAME / 2 / RATE), 0)
    place = (moments(2 * frames) - 0.5).clamp(0, last).double()
    before = place.floor().long().clamp(max=last - 1)
    between = turns[before] + (place - before) * (turns[before + 1] - turns[before])
    return one | {"asr": one["asr"][frame], "pitch": one["pitch"][half] * ratio, "energy": one["energy"][half], "cycles": (between % 1).float(),
                  "wave": at_ratio(one["wave"].float(), ratio, FRAME * frames).half()}


@torch.inference_mode()
def speak(
    teacher: Teacher, texts: list[list[int]], main: Tensor, styles: Styles, casting: Casting, rng: torch.Generator, noise: torch.Generator
) -> list[dict[str, Tensor]]:
    lengths = torch.tensor([len(ids) + 2 for ids in texts])
    ids = torch.zeros(len(texts), int(lengths.max()), dtype=torch.long)
    for row, text in zip(ids, texts):
        row[1 : len(text) + 1] = torch.tensor(text)
    speed = torch.exp((torch.rand(len(texts), 1, generator=rng) - 0.45) * 0.6)
    speed = torch.where(torch.rand(len(texts), 1, generator=rng) < 0.5, speed, 1)
    style = styles.draw(lengths - 2, main)
    ratio = draw_ratios(len(texts), casting.scaled, rng)
    speed = speed / ratio[:, None]
    ids, lengths, speed, style = (value.to(teacher.device) for value in (ids, lengths, speed, style))
    asr, pitch, energy, frames = teacher.front(ids, lengths, style, speed)
    pitch = act(pitch, casting.acted, rng)
    wave = teacher.decode(asr, pitch, energy, style[:, :128], frames, noise)
    sound = wave.isfinite().all(1) & (wave.abs().amax(1) < LOUDEST)
    return [
        scale_formants({
            "asr": asr[i, :, :t].T.half(), "pitch": pitch[i, : 2 * t].clone(), "energy": energy[i, : 2 * t].clone(),
            "cycles": pitch_cycles(pitch[i : i + 1, : 2 * t])[0], "wave": wave[i, : FRAME * t].half(), "style": style[i, :128], "ratio": ratio[i],
        }, float(ratio[i]))
        for i, (t, keep) in enumerate(zip(frames.tolist(), sound.tolist())) if keep
    ]


class References:
    """What the speaker encoder is given of each clip: measurements and mel energies, clean and damaged."""

    def __init__(self, measure: Measure, rng: torch.Generator):
        self.measure, self.rng = measure, rng
        self.number = 0
        self.kept: dict[str, list[Tensor]] = {"measures": [], "mel": [], "counts": []}

    def add(self, waves: Tensor) -> None:
        """Clips [B, L] at 16 kHz."""
        damaged = LISTEN_RATE * DAMAGED_SECONDS[self.number % len(DAMAGED_SECONDS)]
        self.number += 1
        versions = [self.measure(clip) for clip in (waves, damage(waves[:, :damaged], self.rng))]
        longest = waves.shape[1] // 160 + 1
        pad = lambda mel: F.pad(mel, (0, 0, 0, longest - mel.shape[1]), value=-8)[:, :longest]
        for name, values in zip(self.kept, zip(*versions)):
            values = [pad(value) for value in values] if name == "mel" else values
            self.kept[name].append(torch.stack([value.half() if value.is_floating_point() else value for value in values], 1))

    def all(self) -> dict[str, Tensor]:
        """Measurements [N, 2, 426], mel energies [N, 2, frames, 40], numbers of valid frames [N, 2]."""
        return {name: torch.cat(values) for name, values in self.kept.items()}


def joined(spoken: list[dict[str, Tensor]]) -> dict[str, Tensor]:
    pool = {name: torch.cat([one[name] for one in spoken]) for name in ("asr", "pitch", "energy", "cycles", "wave")}
    pool["frames"] = torch.tensor([len(one["asr"]) for one in spoken], device=pool["asr"].device)
    return pool


def repeated(wave: Tensor, length: int) -> Tensor:
    return wave.repeat(-(-length // len(wave)))[:length]


def kokoro_pool(lab: Path, measure: Measure | None, seconds: float, seed: int, device: str, casting: Casting) -> tuple[dict[str, Tensor], Teacher]:
    """Without `measure` nothing is given to the speaker encoder."""
    rng, noise = torch.Generator().manual_seed(seed), torch.Generator(device).manual_seed(seed)
    teacher = Teacher(load_packed(lab / "teacher.npz"), device)
    styles = Styles(lab / "voices.npz", rng)
    stored = np.load(lab / "texts.npz")
    chosen = np.isin(stored["letters"], list(casting.languages)) | (not casting.languages)
    stored_texts = [row[:length].tolist() for row, length in zip(stored["ids"][chosen], stored["lengths"][chosen])]
    voice, text = styles.cast(stored["letters"][chosen], CAST, casting.at_home)
    texts = [stored_texts[i] for i in text.tolist()]
    # Utterances that the speaker encoder hears come first.
    heard: list[dict[str, Tensor]] = []
    others: list[dict[str, Tensor]] = []
    references = References(measure, noise) if measure else None
    started = time.time()
    for number, group in enumerate(batches(texts, rng)):
        said = speak(teacher, [texts[i] for i in group], voice[group], styles, casting, rng, noise)
        if said and references and number % REFERENCE_BATCHES == 0:
            heard += said
            waves = torch.stack([repeated(one["wave"].float(), HEARD_SECONDS * RATE) for one in said])
            references.add(resample(waves, RATE, LISTEN_RATE))
        else:
            others += said
        if time.time() - started > seconds:
            break
    spoken = heard + others
    pool = joined(spoken) | (references.all() if references else {})
    pool["style"] = torch.stack([one["style"] for one in spoken])
    pool["ratio"] = torch.stack([one["ratio"] for one in spoken]).to(device)
    print(f"Kokoro: {len(spoken)} utterances, {pool['frames'].sum() / 144000:.2f} hours in {time.time() - started:.0f} s", flush=True)
    return pool, teacher


class PairedSpeaker:
    """The VITS says clips of one length whose tokens are known to Kokoro as well."""

    def __init__(self, lab: Path, teacher: Teacher, device: str, seed: int):
        self.device = device
        self.vits = Vits(str(lab)).to(device).eval()
        self.frames = math.ceil(CLIP_SECONDS * VITS_RATE / SAMPLES_PER_FRAME)
        self.rng, self.noise = np.random.default_rng(seed), torch.Generator(device).manual_seed(seed)
        stored = np.load(lab / "paired.npz")
        self.sentences = []
        for number in range(sum(name.startswith("owner_") for name in stored.files)):
            prior = [torch.from_numpy(stored[f"{part}_{number}"] * stored[f"{part}_step_{number}"]).to(device) for part in ("mean", "log_scale")]
            text = teacher.text(torch.from_numpy(stored[f"ids_{number}"].astype(np.int64))[None].to(device))[0]
            owner = torch.from_numpy(stored[f"owner_{number}"].astype(np.int64)).to(device)
            self.sentences.append((*prior, text[owner], stored[f"durations_{number}"]))
        # Which frame of the VITS lies at the centre of each frame of ours.
        centres = (torch.arange(CLIP_SECONDS * 40, device=device) + 0.5) / 40 * VITS_RATE / SAMPLES_PER_FRAME
        self.frame_at = centres.long().clamp(max=self.frames - 1)

    def draw(self) -> tuple[Tensor, Tensor, Tensor]:
        """Mean and log scale of the prior [C, frames] and text features [400, 512] of sentences in a row."""
        chosen, lengths = [], 0
        while lengths < self.frames:
            *tensors, durations = self.sentences[self.rng.integers(len(self.sentences))]
            repeats = torch.from_numpy(durations[self.rng.integers(len(durations))].astype(np.int64)).to(self.device)
            mean, log_scale, text = tensors
            chosen.append((mean.repeat_interleave(repeats, 1), log_scale.repeat_interleave(repeats, 1), text.repeat_interleave(repeats, 0)))
            lengths += chosen[-1][0].shape[1]
        mean, log_scale, text = (torch.cat(parts, axis) for parts, axis in zip(zip(*chosen), (1, 1, 0)))
        return mean[:, : self.frames], log_scale[:, : self.frames], text[self.frame_at]

    @torch.inference_mode()
    def speak(self, vectors: Tensor) -> tuple[Tensor, Tensor]:
        """Waves at 22.05 kHz [B, L] and text features [B, 400, 512]."""
        mean, log_scale, text = (torch.stack(parts) for parts in zip(*(self.draw() for _ in vectors)))
        noise = torch.randn(mean.shape, generator=self.noise, device=self.device)
        with torch.autocast("cuda", torch.float16, enabled=self.device == "cuda"):
            return self.vits(mean + noise * log_scale.exp() * NOISE_SCALE, vectors).float(), text


def draw_speakers(space: SpeakerSpace, count: int, rng: torch.Generator) -> Tensor:
    """Speaker vectors: rows of the table, and others between and around them."""
    device = space.rows.device
    row = space.rows[torch.randint(len(space.rows), (count,), generator=rng, device=device)]
    is_row = torch.rand(count, 1, generator=rng, device=device) < ROW_SPEAKERS
    return space.to_vectors(torch.where(is_row, row, space.draw(count, rng)))


@torch.inference_mode()
def vits_pool(lab: Path, teacher: Teacher, measure: Measure, seconds: float, seed: int, device: str) -> dict[str, Tensor]:
    """Clips 2 i and 2 i + 1 have the same speaker and other sentences."""
    rng = torch.Generator(device).manual_seed(seed)
    space = SpeakerSpace(torch.from_numpy(np.load(lab / "speakers.npy").astype(np.float32)).to(device))
    speaker, energy = PairedSpeaker(lab, teacher, device, seed), Energy().to(device)
    references = References(measure, rng)
    parts: dict[str, list[Tensor]] = {}
    started = time.time()
    while time.time() - started < seconds:
        vectors = draw_speakers(space, VITS_BATCH // 2, rng).repeat_interleave(2, 0)
        wave, text = speaker.speak(vectors)
        length = CLIP_SECONDS * RATE
        wave = F.pad(resample(wave, VITS_RATE, RATE), (0, length))[:, :length]
        wave = wave * (CLIP_LEVEL / wave.std(1, keepdim=True).clamp_min(1e-4))
        pitch, cycles = lock_phase(wave, measure_pitch(wave, (STRICT, LENIENT)[references.number % 2]))
        references.add(resample(wave[:, : HEARD_SECONDS * RATE], RATE, LISTEN_RATE))
        for name, value in (("asr", text.half()), ("pitch", pitch), ("energy", energy(wave)), ("cycles", cycles), ("wave", wave.clamp(-3, 3).half())):
            parts.setdefault(name, []).append(value.flatten(0, 1))
    pool = {name: torch.cat(values) for name, values in parts.items()} | references.all()
    count = len(pool["asr"]) // (CLIP_SECONDS * 40)
    pool["frames"] = torch.full((count,), CLIP_SECONDS * 40, device=device)
    print(f"VITS: {count} clips, {count * CLIP_SECONDS / 3600:.2f} hours in {time.time() - started:.0f} s", flush=True)
    return pool
