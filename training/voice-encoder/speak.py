"""Synthetic speech with random voices: speaker vectors drawn around the 904 speakers, sentences, augmentation."""

import math

import numpy as np
import torch
import torch.nn.functional as F
from torch import Tensor
from vits import Vits

NOISE_SCALE = 0.333
RATE, SAMPLES_PER_FRAME = 22050, 256


class SpeakerSpace:
    """The 904 speaker vectors and whitened coordinates around their mean."""

    def __init__(self, rows: Tensor):
        self.mean = rows.mean(0)
        _, singular, axes = torch.linalg.svd(rows - self.mean, full_matrices=False)
        self.scales = singular / math.sqrt(len(rows) - 1)
        # The sign of an axis depends on the library.
        largest = axes.gather(1, axes.abs().argmax(1, keepdim=True))
        self.axes = axes * largest.sign()
        self.rows = self.to_coordinates(rows)

    def to_coordinates(self, vectors: Tensor) -> Tensor:
        return (vectors - self.mean) @ self.axes.T / self.scales

    def to_vectors(self, coordinates: Tensor) -> Tensor:
        return self.mean + (coordinates * self.scales) @ self.axes

    def draw(self, count: int, rng: torch.Generator) -> Tensor:
        """Coordinates: scaled speakers, mixes of speakers, and Gaussian draws of several widths."""
        device = self.rows.device
        uniform = lambda *shape: torch.rand(*shape, generator=rng, device=device)
        pick = lambda: self.rows[torch.randint(len(self.rows), (count,), generator=rng, device=device)]
        single = pick() * (0.8 + uniform(count, 1))
        weights = uniform(count, 3).clamp_min(1e-6).log().neg()
        weights[:, 2] *= uniform(count) < 0.5
        weights = weights / weights.norm(dim=1, keepdim=True)
        mix = sum(weights[:, [i]] * pick() for i in range(3)) * (0.8 + uniform(count, 1))
        gaussian = torch.randn(count, self.rows.shape[1], generator=rng, device=device) * (0.6 + uniform(count, 1))
        kind = uniform(count, 1)
        return torch.where(kind < 0.25, single, torch.where(kind < 0.6, mix, gaussian))


class Speaker:
    """Synthesizes clips of equal length, each with its own voice and sentences."""

    def __init__(self, folder: str, seconds: float, device: str, seed: int):
        self.device = device
        self.vits = Vits(folder).to(device).eval()
        self.frames = math.ceil(seconds * RATE / SAMPLES_PER_FRAME)
        self.rng = np.random.default_rng(seed)
        self.noise = torch.Generator(device).manual_seed(seed)
        priors = np.load(f"{folder}/priors.npz")
        self.sentences = []
        for number in range(sum(name.startswith("durations_") for name in priors.files)):
            tensors = [torch.from_numpy(priors[f"{part}_{number}"] * priors[f"{part}_step_{number}"]).to(device)
                       for part in ("mean", "log_scale")]
            self.sentences.append((*tensors, priors[f"durations_{number}"]))

    def _prior(self) -> tuple[Tensor, Tensor]:
        means, log_scales, have = [], [], 0
        while have < self.frames:
            mean, log_scale, durations = self.sentences[self.rng.integers(len(self.sentences))]
            repeats = torch.from_numpy(durations[self.rng.integers(len(durations))].astype(np.int64)).to(self.device)
            means.append(mean.repeat_interleave(repeats, 1))
            log_scales.append(log_scale.repeat_interleave(repeats, 1))
            have += means[-1].shape[1]
        return torch.cat(means, 1)[:, : self.frames], torch.cat(log_scales, 1)[:, : self.frames]

    @torch.inference_mode()
    def speak(self, vectors: Tensor) -> Tensor:
        mean, log_scale = (torch.stack(parts) for parts in zip(*(self._prior() for _ in vectors)))
        noise = torch.randn(mean.shape, generator=self.noise, device=self.device)
        prior = mean + noise * log_scale.exp() * NOISE_SCALE
        half = self.device != "cpu"
        with torch.autocast("cuda", torch.float16, enabled=half):
            return self.vits(prior, vectors).float()


def resample(wave: Tensor, source: int, target: int, width: int = 24) -> Tensor:
    """Band-limited resampling by a rational factor with a Kaiser window."""
    divisor = math.gcd(source, target)
    up, down = target // divisor, source // divisor
    cutoff = 0.97 * min(1.0, up / down)
    reach = math.ceil(width / cutoff)
    offsets = torch.arange(-reach, reach + down, device=wave.device, dtype=torch.float64)[None]
    phases = torch.arange(up, device=wave.device, dtype=torch.float64)[:, None] * down / up
    t = (offsets - phases) * cutoff
    taper = torch.special.i0(9 * (1 - (t / width).square()).clamp_min(0).sqrt()) / torch.special.i0(torch.tensor(9.0))
    kernel = torch.sinc(t) * cutoff * taper * (t.abs() <= width)
    out = F.conv1d(F.pad(wave[:, None], (reach, reach + down)), kernel.float()[:, None], stride=down)
    return out.transpose(1, 2).reshape(len(wave), -1)[:, : wave.shape[1] * up // down]


def damage(wave: Tensor, rng: torch.Generator) -> Tensor:
    """Augmentation of recordings at 16 kHz: reverberation, equalisation, band limits, noise, babble, clipping."""
    count, length = wave.shape
    device = wave.device
    uniform = lambda low, high: low + (high - low) * torch.rand(count, 1, generator=rng, device=device)
    happens = lambda share: torch.rand(count, 1, generator=rng, device=device) < share
    level = lambda x: x.square().mean(1, keepdim=True).sqrt().clamp_min(1e-5)
    size = 1 << (length + 8000).bit_length()

    time = torch.arange(8000, device=device)[None] / 16000
    tail = torch.randn(count, 8000, generator=rng, device=device) * 10 ** (-3 * time / uniform(0.12, 0.7)) * (time > 0.002)
    tail = tail / tail.norm(dim=1, keepdim=True) * 10 ** (-uniform(0, 15) / 20)
    tail[:, 0] += 1
    reverberant = torch.fft.irfft(torch.fft.rfft(wave, size) * torch.fft.rfft(tail, size), size)[:, :length]
    wave = torch.where(happens(0.4), reverberant, wave)

    hz = torch.fft.rfftfreq(size, 1 / 16000).to(device)[None]
    octaves = torch.log2(hz.clamp_min(50) / 1000)
    gain_db = uniform(-3, 3) * octaves + sum(uniform(-4, 4) * torch.cos(math.pi * k * octaves / 7 + uniform(0, 6)) for k in (1, 2, 3))
    response = torch.where(happens(0.7), 10 ** (gain_db / 20), torch.ones_like(gain_db))
    low_pass = torch.where(happens(0.3), uniform(3300, 7500), torch.full((count, 1), 9000.0, device=device))
    high_pass = torch.where(happens(0.4), uniform(60, 300), torch.full((count, 1), 1.0, device=device))
    response = response * torch.sigmoid((low_pass - hz) / 100) * torch.sigmoid((hz - high_pass) / 20)
    wave = torch.fft.irfft(torch.fft.rfft(wave, size) * response, size)[:, :length]

    white = torch.randn(count, length, generator=rng, device=device)
    tilt = (hz.clamp_min(30) / 1000) ** -uniform(0, 1)
    coloured = torch.fft.irfft(torch.fft.rfft(white, size) * tilt, size)[:, :length]
    babble = sum(wave.roll(shift, 0).roll(7919 * shift, 1) for shift in (1, 2, 3, 4))
    noise = torch.where(happens(0.3), babble, coloured)
    noise = noise / level(noise) * level(wave) * 10 ** (-uniform(8, 40) / 20)
    wave = torch.where(happens(0.6), wave + noise, wave)

    peak = wave.abs().amax(1, keepdim=True).clamp_min(1e-5)
    wave = wave / peak * 0.9
    clipped = wave.clamp(-0.4, 0.4)
    return torch.where(happens(0.07), clipped, wave)
