"""Multi-resolution spectral losses between the student's and the teacher's waveform."""

import math

import torch
from torch import Tensor, nn

#: Window, hop and mel bands of each resolution.
VIEWS = ((2048, 512, 100), (1024, 256, 80), (512, 128, 48), (256, 64, 24))
#: Upper limit of the phase comparison, and the windows that use it.
PHASE_HZ = 3000
PHASE_WINDOWS = (1024, 512)


def mel_bands(window: int, bands: int, rate: int = 24000) -> Tensor:
    to_mel = lambda hz: 2595 * math.log10(1 + hz / 700)
    corners = 700 * (10 ** (torch.linspace(to_mel(20), to_mel(rate / 2), bands + 2) / 2595) - 1)
    low, middle, high = corners[:-2, None], corners[1:-1, None], corners[2:, None]
    hz = torch.linspace(0, rate / 2, window // 2 + 1)
    return torch.minimum((hz - low) / (middle - low), (high - hz) / (high - middle)).clamp(min=0)


class SpectralLoss(nn.Module):
    """Distances of log mel spectra, of spectra, and of low complex spectra."""

    def __init__(self):
        super().__init__()
        for window, _, bands in VIEWS:
            self.register_buffer(f"window{window}", torch.hann_window(window), persistent=False)
            self.register_buffer(f"mel{window}", mel_bands(window, bands), persistent=False)

    def forward(self, made: Tensor, real: Tensor) -> tuple[Tensor, Tensor, Tensor]:
        mel, spectral, phase = [], [], []
        for window, hop, _ in VIEWS:
            hann, bank = getattr(self, f"window{window}"), getattr(self, f"mel{window}")
            m, r = (torch.stft(wave, window, hop, window, hann, return_complex=True) for wave in (made, real))
            m_size, r_size = magnitude(m), magnitude(r)
            mel.append(log_distance(bank @ m_size, bank @ r_size, 1e-4))
            spectral.append(log_distance(m_size, r_size, 1e-3) + (m_size - r_size).abs().mean() / r_size.mean())
            if window in PHASE_WINDOWS:
                top = int(PHASE_HZ / 24000 * window)
                phase.append(magnitude(m[:, :top] - r[:, :top]).mean() / r_size[:, :top].mean())
        return tuple(torch.stack(terms).mean() for terms in (mel, spectral, phase))


def magnitude(spectrum: Tensor) -> Tensor:
    return torch.sqrt(spectrum.real**2 + spectrum.imag**2 + 1e-9)


def log_distance(a: Tensor, b: Tensor, floor: float) -> Tensor:
    return (torch.log(a.clamp(min=floor)) - torch.log(b.clamp(min=floor))).abs().mean()
