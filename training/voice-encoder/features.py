"""Measures of a voice, in batches of equal length: x-vector, mel energies, spectrum, pitch.

The server computes the same measures in `server/src/inference/engines/voice-encoder/`.
"""

import math
from collections.abc import Mapping

import numpy as np
import torch
import torch.nn.functional as F
from torch import Tensor


def mel_filters_slaney(rate: int, fft: int, bands: int) -> np.ndarray:
    def to_mel(hz):
        hz = np.asarray(hz, float)
        return np.where(hz < 1000, hz * 3 / 200, 15 + np.log(np.maximum(hz, 1e-9) / 1000) * 27 / math.log(6.4))

    def to_hz(mel):
        return np.where(mel < 15, mel * 200 / 3, 1000 * np.exp((mel - 15) * math.log(6.4) / 27))

    edges = to_hz(np.linspace(0, to_mel(rate / 2), bands + 2))
    bins = np.linspace(0, rate / 2, fft // 2 + 1)
    rising = (bins[None] - edges[:-2, None]) / (edges[1:-1] - edges[:-2])[:, None]
    falling = (edges[2:, None] - bins[None]) / (edges[2:] - edges[1:-1])[:, None]
    return (np.maximum(0, np.minimum(rising, falling)) * (2 / (edges[2:] - edges[:-2]))[:, None]).astype(np.float32)


class XVector(torch.nn.Module):
    """Kaldi x-vector at 8 kHz, weights and mean of `vosk-model-spk-0.4`."""

    RATE, FRAME, HOP, FFT, MELS, WINDOW = 8000, 200, 80, 256, 23, 300

    def __init__(self, weights: Mapping[str, np.ndarray]):
        super().__init__()
        for name in weights:
            self.register_buffer(name, torch.from_numpy(weights[name].astype(np.float32)))
        hann = 0.5 - 0.5 * torch.cos(2 * math.pi * torch.arange(self.FRAME) / (self.FRAME - 1))
        self.register_buffer("window", hann**0.85)
        to_mel = lambda hz: 1127 * math.log(1 + hz / 700)
        step = (to_mel(3700) - to_mel(20)) / (self.MELS + 1)
        centres = np.array([1127 * math.log(1 + k * self.RATE / self.FFT / 700) for k in range(self.FFT // 2)])
        filters = np.zeros((self.FFT // 2 + 1, self.MELS), np.float32)
        for m in range(self.MELS):
            left = to_mel(20) + m * step
            filters[:-1, m] = np.maximum(0, np.minimum((centres - left) / step, (left + 2 * step - centres) / step))
        self.register_buffer("filters", torch.from_numpy(filters))
        n, k = np.meshgrid(np.arange(self.MELS), np.arange(self.MELS), indexing="ij")
        dct = np.sqrt(2 / self.MELS) * np.cos(np.pi / self.MELS * (n + 0.5) * k)
        self.register_buffer("dct", torch.from_numpy((dct * (1 + 11 * np.sin(np.pi * k / 22))).astype(np.float32)))

    def forward(self, wave: Tensor) -> Tensor:
        frames = (wave * 32768).unfold(1, self.FRAME, self.HOP)
        frames = frames - frames.mean(-1, keepdim=True)
        energy = torch.log(frames.square().sum(-1).clamp_min(1e-10))
        emphasised = frames - 0.97 * torch.cat([frames[..., :1], frames[..., :-1]], -1)
        power = torch.fft.rfft(emphasised * self.window, self.FFT).abs().square()
        cepstra = torch.log((power @ self.filters).clamp_min(1.19e-7)) @ self.dct
        cepstra = torch.cat([energy[..., None], cepstra[..., 1:]], -1)
        batch, count, _ = cepstra.shape
        sums = F.pad(cepstra.double().cumsum(1), (0, 0, 1, 0))
        t = torch.arange(count, device=wave.device)
        half = self.WINDOW // 2
        start = (t - half).clamp(0, max(0, count - self.WINDOW))
        end = (t + half).clamp_min(self.WINDOW).clamp_max(count)
        means = (sums[:, end] - sums[:, start]) / (end - start)[:, None]
        normalised = (cepstra - means).float()
        loud = (energy > 5.5 + 0.5 * energy.mean(1, keepdim=True)).float()[:, None]
        near = F.conv1d(F.pad(loud, (2, 2)), loud.new_ones(1, 1, 5))
        present = F.conv1d(F.pad(torch.ones_like(loud), (2, 2)), loud.new_ones(1, 1, 5))
        speech = (near / present >= 0.12)[:, 0]
        few = speech.sum(1, keepdim=True) <= 50
        packed, counts = pack_left(normalised, speech | few)
        return self._network(packed, counts)

    def _network(self, packed: Tensor, counts: Tensor) -> Tensor:
        x = packed.transpose(1, 2)
        for layer, dilation in enumerate((1, 2, 3, 1, 1)):
            x = F.relu(F.conv1d(x, getattr(self, f"weight{layer}"), getattr(self, f"bias{layer}"), dilation=dilation))
            x = (x - getattr(self, f"mean{layer}")) * getattr(self, f"scale{layer}")
        valid = (torch.arange(x.shape[2], device=x.device)[None] < (counts - 14)[:, None]).float()[:, None]
        number = valid.sum(2)
        mean = (x * valid).sum(2) / number
        deviation = ((x.square() * valid).sum(2) / number - mean.square()).clamp_min(1e-10).sqrt()
        y = torch.cat([mean, deviation], 1) @ self.fc_weight.T + self.fc_bias
        return F.normalize((y - self.centre) @ self.whitening, dim=1)


class MelFrames(torch.nn.Module):
    """Mel energies at 16 kHz, one row per 10 ms, of level-normalised speech."""

    RATE, FFT, HOP, MELS, RMS = 16000, 400, 160, 40, 10 ** (-30 / 20)

    def __init__(self):
        super().__init__()
        self.register_buffer("window", torch.hann_window(self.FFT))
        self.register_buffer("filters", torch.from_numpy(mel_filters_slaney(self.RATE, self.FFT, self.MELS).T.copy()))

    def forward(self, wave: Tensor) -> Tensor:
        level = wave.square().mean(1, keepdim=True).sqrt().clamp_min(1e-6)
        wave = wave * (self.RMS / level)
        frames = F.pad(wave, (self.FFT // 2, self.FFT // 2)).unfold(1, self.FFT, self.HOP)
        return torch.fft.rfft(frames * self.window).abs().square() @ self.filters


def long_term_spectrum(mel: Tensor) -> Tensor:
    """Log10 of the mean energy of each band over loud frames, with the mean removed."""
    energy = mel.sum(-1)
    loud = (energy > 1e-2 * energy.amax(1, keepdim=True)).float()[..., None]
    spectrum = torch.log10(((mel * loud).sum(1) / loud.sum(1)).clamp_min(1e-12))
    return spectrum - spectrum.mean(1, keepdim=True)


WINDOW, WINDOW_STEP = 160, 80


def embed(network: torch.nn.Module, packed: Tensor, counts: Tensor) -> Tensor:
    """The normalised mean embedding over windows of 1.6 s."""
    windows = packed.unfold(1, WINDOW, WINDOW_STEP).transpose(2, 3)
    batch, number = windows.shape[:2]
    starts = torch.arange(number, device=packed.device) * WINDOW_STEP
    valid = (starts[None] + WINDOW <= counts[:, None]).float()
    valid[:, 0] = 1
    partial = network(windows.reshape(batch * number, WINDOW, -1)).view(batch, number, -1)
    return F.normalize((partial * valid[..., None]).sum(1), dim=1)


def speech_frames(energy: Tensor) -> Tensor:
    """Frames within 35 dB of a loud one, and 150 ms on either side."""
    loud = energy > 10**-3.5 * energy.quantile(0.95, dim=1, keepdim=True)
    return F.max_pool1d(loud.float()[:, None], 31, 1, 15)[:, 0] > 0


def pack_left(values: Tensor, keep: Tensor) -> tuple[Tensor, Tensor]:
    """Moves the kept frames of every clip to its start, and returns their number."""
    order = torch.argsort((~keep).to(torch.int8), dim=1, stable=True)
    counts = keep.sum(1)
    packed = torch.gather(values, 1, order[..., None].expand_as(values))
    beyond = torch.arange(values.shape[1], device=values.device)[None] >= counts[:, None]
    return packed.masked_fill(beyond[..., None], 0), counts


PITCH = {"rate": 8000, "frame": 320, "hop": 80, "shortest": 20, "longest": 134}


def pitch_statistics(wave: Tensor) -> Tensor:
    """Median of log2 F0 in Hz and half the distance of its 16th to its 84th percentile, over voiced frames."""
    frame, hop, shortest, longest = (PITCH[key] for key in ("frame", "hop", "shortest", "longest"))
    long = wave.unfold(1, frame + longest, hop)
    head = long[..., :frame]
    product = torch.fft.irfft(torch.fft.rfft(long, 512) * torch.fft.rfft(head, 512).conj(), 512)[..., : longest + 1]
    squares = F.pad(long.square().cumsum(-1), (1, 0))
    energy = squares[..., frame : frame + longest + 1] - squares[..., : longest + 1]
    correlation = product / (energy[..., :1] * energy).clamp_min(1e-12).sqrt()
    inner = correlation[..., shortest:longest]
    is_peak = (inner >= correlation[..., shortest - 1 : longest - 1]) & (inner >= correlation[..., shortest + 1 : longest + 1])
    # Only peaks count: at short lags every smooth wave has a high correlation.
    best = (inner * is_peak).amax(-1, keepdim=True)
    first = ((inner > 0.9 * best) & is_peak).to(torch.int8).argmax(-1) + shortest
    left, centre, right = (correlation.gather(-1, (first + d)[..., None])[..., 0] for d in (-1, 0, 1))
    shift = 0.5 * (left - right) / (left - 2 * centre + right).clamp_max(-1e-6)
    pitch = torch.log2(PITCH["rate"] / (first + shift.clamp(-0.5, 0.5)))
    loudness = energy[..., 0]
    voiced = (best[..., 0] > 0.4) & (loudness > 1e-2 * loudness.amax(1, keepdim=True))
    pitch = pitch.masked_fill(~voiced, float("nan"))
    low, median, high = torch.nanquantile(pitch, torch.tensor([0.16, 0.5, 0.84], device=wave.device), dim=1)
    return torch.stack([median, (high - low) / 2], 1).nan_to_num(7.2)
