"""The fast decoder: frame-rate ConvNeXt blocks predict filters for a pulse train and for noise; one inverse Fourier
transform produces the waveform. Frames have 600 samples at 24 kHz; pitch and energy have two values per frame."""

import math

import torch
import torch.nn.functional as F
from torch import Tensor, nn

RATE, FRAME = 24000, 600
HALF = FRAME // 2
WINDOW, HOP = 512, 150
BINS = WINDOW // 2 + 1
STYLE = 128
#: Lower pitch is unvoiced.
VOICED_HZ = 10.0
#: Predictions per bin: log gain and phase of the pulses, log gain of the noise, and its modulation by the pitch (cosine, sine).
CURVES = 5
PITCH_FEATURES = 7


class Int8Linear(nn.Linear):
    """A linear layer that, while `rounding`, simulates its int8 version: weights quantised per output, activations per
    utterance, as in ONNX Runtime. Gradients use the straight-through estimator."""

    rounding = False

    def forward(self, x: Tensor) -> Tensor:
        if not self.rounding:
            return super().forward(x)
        step = self.weight.detach().abs().amax(1, keepdim=True).clamp_min(1e-8) / 127
        weight = straight_through(self.weight, torch.round(self.weight / step) * step)
        values = x.detach().float()
        axes = tuple(range(1, x.dim()))
        low, high = values.amin(axes, keepdim=True).clamp(max=0), values.amax(axes, keepdim=True).clamp(min=0)
        step = (high - low).clamp_min(1e-8) / 255
        zero = torch.round(-low / step)
        rounded = (torch.clamp(torch.round(values / step) + zero, 0, 255) - zero) * step
        return F.linear(straight_through(x, rounded.to(x.dtype)), weight, self.bias)


def straight_through(value: Tensor, rounded: Tensor) -> Tensor:
    return value + (rounded - value).detach()


class Block(nn.Module):
    """ConvNeXt: a depthwise convolution over time, then two linear layers; the style scales and shifts in between (FiLM)."""

    def __init__(self, width: int, factor: int = 3, kernel: int = 7):
        super().__init__()
        self.width = width
        self.mix = nn.Conv1d(width, width, kernel, padding=kernel // 2, groups=width)
        self.widen = Int8Linear(width, factor * width)
        self.narrow = Int8Linear(factor * width, width)
        self.gain = nn.Parameter(torch.full((width,), 0.3))

    def forward(self, x: Tensor, scale: Tensor, shift: Tensor) -> Tensor:
        y = self.mix(x.transpose(1, 2)).transpose(1, 2)
        y = F.layer_norm(y, (self.width,)) * (1 + scale) + shift
        return x + self.gain * self.narrow(F.gelu(self.widen(y), approximate="tanh"))


class Student(nn.Module):
    """`asr` [B, 512, T], pitch, energy and cycles [B, 2T], style [B, 128] and noise [B, 600 T] to a wave [B, 600 T]."""

    def __init__(self, slow: tuple[int, int] = (512, 5), fast: tuple[int, int] = (448, 6)):
        super().__init__()
        (slow_width, slow_blocks), (fast_width, fast_blocks) = slow, fast
        self.enter_slow = nn.Conv1d(512 + 2 * PITCH_FEATURES, slow_width, 3, padding=1)
        self.slow = nn.ModuleList(Block(slow_width) for _ in range(slow_blocks))
        self.rise = Int8Linear(slow_width, 2 * fast_width)
        self.enter_fast = nn.Conv1d(PITCH_FEATURES, fast_width, 3, padding=1)
        self.fast = nn.ModuleList(Block(fast_width) for _ in range(fast_blocks))
        self.norm = nn.LayerNorm(fast_width)
        self.head = Int8Linear(fast_width, 2 * CURVES * BINS)
        self.style = nn.Sequential(Int8Linear(STYLE, 256), nn.GELU(), Int8Linear(256, 256), nn.GELU())
        self.film = Int8Linear(256, 2 * (slow_blocks * slow_width + fast_blocks * fast_width))
        self.register_buffer("window", torch.hann_window(WINDOW), persistent=False)
        overlap = F.fold((self.window**2)[None, :, None].expand(1, WINDOW, 9), (1, WINDOW + 8 * HOP), (1, WINDOW), stride=(1, HOP))
        start = 4 * HOP + (WINDOW - HOP) // 2
        self.register_buffer("overlap", overlap.flatten()[start : start + HOP].clone(), persistent=False)
        nn.init.normal_(self.head.weight, std=0.01)
        nn.init.normal_(self.film.weight, std=0.02)
        nn.init.zeros_(self.film.bias)
        with torch.no_grad():
            self.head.bias.view(2, CURVES, BINS).copy_(torch.tensor([-4.0, 0, -5, 0, 0])[None, :, None])

    def pitch_features(self, pitch: Tensor, energy: Tensor, cycles: Tensor) -> Tensor:
        """Log pitch, voicing, energy, and the pulse phase in both quarters of a frame; [B, 7, 2T]."""
        voiced = (pitch > VOICED_HZ).float()
        height = voiced * (torch.log2(pitch.clamp(min=20.0)) - 7.3)
        quarter = pitch * voiced * (HOP / 2 / RATE)
        before, after = 2 * math.pi * (cycles - quarter), 2 * math.pi * (cycles + quarter)
        place = [voiced * f(angle) for angle in (before, after) for f in (torch.sin, torch.cos)]
        return torch.stack([height, voiced, energy * 0.2, *place], 1)

    def curves(self, asr: Tensor, pitch: Tensor, energy: Tensor, cycles: Tensor, style: Tensor) -> Tensor:
        """The filters, [B, 4T, 5, 257]."""
        batch, _, frames = asr.shape
        fast_in = self.pitch_features(pitch, energy, cycles)
        slow_in = fast_in.reshape(batch, PITCH_FEATURES, frames, 2).permute(0, 1, 3, 2).reshape(batch, -1, frames)
        film = self.film(self.style(style * 2))[:, None]
        at = 0

        def through(blocks: nn.ModuleList, x: Tensor) -> Tensor:
            nonlocal at
            width = x.shape[-1]
            for block in blocks:
                x = block(x, film[..., at : at + width], film[..., at + width : at + 2 * width])
                at += 2 * width
            return x

        x = through(self.slow, self.enter_slow(torch.cat([asr * 2, slow_in], 1)).transpose(1, 2))
        x = self.rise(x).reshape(batch, 2 * frames, -1) + self.enter_fast(fast_in).transpose(1, 2)
        x = through(self.fast, x)
        return self.head(self.norm(x)).reshape(batch, 4 * frames, CURVES, BINS).float()

    def sources(self, pitch: Tensor, cycles: Tensor, noise: Tensor) -> Tensor:
        """Pulses of unit power, noise, and the noise times cosine and sine of the pitch; [B, 4, 600 T]."""
        batch, steps = pitch.shape
        voiced = (pitch > VOICED_HZ).float()[..., None]
        advance = pitch * (HALF / RATE)
        onward = F.pad(advance[:, 1:], (0, 1))[..., None]
        so_far = F.pad(advance[:, 1:], (1, 0))[..., None]
        # The phase is linear between the centres of two half frames, as in Kokoro.
        place = (torch.arange(HALF, device=pitch.device, dtype=pitch.dtype) + 0.5) / HALF - 0.5
        turns = cycles[..., None] + torch.where(place < 0, place * so_far, place * onward)
        angle = math.pi * (turns - torch.round(turns))
        harmonics = torch.floor(11500.0 / pitch.clamp(min=40.0))[..., None]
        sine = torch.sin(angle)
        sine = torch.where(sine.abs() < 1e-4, torch.full_like(sine, 1e-4), sine)
        comb = torch.where(angle.abs() < 1e-4, 2 * harmonics + 1, torch.sin((2 * harmonics + 1) * angle) / sine)
        pulses = (comb - 1) * 0.5 * torch.sqrt(2 / harmonics) * voiced
        noise = noise.reshape(batch, steps, HALF)
        turning = [noise * f(2 * angle) * voiced for f in (torch.cos, torch.sin)]
        return torch.stack([pulses, noise, *turning], 1).reshape(batch, 4, -1)

    @staticmethod
    def filters(curves: Tensor, shade: Tensor | None = None) -> tuple[Tensor, Tensor, Tensor, Tensor, Tensor]:
        """Gain and phase of the pulses, and the gains of the three noise components, which are multiplied by `shade`."""
        pulse_gain, phase, noise_gain, cosine, sine = curves.unbind(2)
        noise_gain = torch.exp(noise_gain.clamp(max=4.0))
        if shade is not None:
            noise_gain = noise_gain * shade
        turning = [noise_gain * torch.tanh(part) * 1.4 for part in (cosine, sine)]
        return torch.exp(pulse_gain.clamp(max=4.0)), phase, noise_gain, *turning

    def synthesize(self, curves: Tensor, pitch: Tensor, cycles: Tensor, noise: Tensor) -> Tensor:
        margin, unit = (WINDOW - HOP) // 2, math.sqrt(WINDOW * 0.375)
        sources = F.pad(self.sources(pitch, cycles, noise), (margin, margin)).unfold(-1, WINDOW, HOP)
        pulses, plain, cosine, sine = (torch.fft.rfft(sources * self.window) / unit).unbind(1)
        pulse_gain, phase, *gains = self.filters(curves)
        spectrum = pulses * torch.polar(pulse_gain, phase) + plain * gains[0] + cosine * gains[1] + sine * gains[2]
        pieces = torch.fft.irfft(spectrum, n=WINDOW) * self.window * unit
        length = (pieces.shape[1] - 1) * HOP + WINDOW
        wave = F.fold(pieces.transpose(1, 2), (1, length), (1, WINDOW), stride=(1, HOP))[:, 0, 0]
        return wave[:, margin : length - margin] / self.overlap.repeat(pieces.shape[1])

    def forward(self, asr: Tensor, pitch: Tensor, energy: Tensor, cycles: Tensor, style: Tensor, noise: Tensor) -> Tensor:
        return self.synthesize(self.curves(asr, pitch, energy, cycles, style), pitch, cycles, noise)


def pitch_cycles(pitch: Tensor) -> Tensor:
    """Phase at the centre of each half frame, in cycles modulo 1."""
    return (torch.cumsum(pitch.double() * (HALF / RATE), 1) % 1).float()
