"""The decoder: ConvNeXt blocks at 40 and 80 frames a second predict spectral filters for a pulse train and for noise;
one inverse short-time Fourier transform makes the samples. The voice enters as one vector of block scales, block shifts
and spectral offsets, which `Voice` computes from a Kokoro style or from a speaker embedding.

A frame has 600 samples at 24 kHz. Pitch and energy have two values a frame, the Fourier transform four hops."""

import math
import os

import torch
import torch.nn.functional as F
from torch import Tensor, nn

RATE, FRAME = 24000, 600
HALF = FRAME // 2
WINDOW, HOP = 512, 150
BINS = WINDOW // 2 + 1
FEATURES, STYLE, EMBEDDING = 512, 128, 256
#: Pitch below this is unvoiced, in Hz.
VOICED_HZ = 10.0
PITCH_FEATURES = 7
#: Width and number of blocks at 40 and at 80 frames a second, of the decoder for clones and of the one for Kokoro's voices.
SIZES = {"clones": ((512, 5), (256, 2)), "kokoro": ((384, 5), (192, 2))}
#: Hidden values of a block per channel.
FACTORS = {"clones": 3, "kokoro": 2}
#: Which of them this process is about: the environment variable `DECODER`.
KIND = os.environ.get("DECODER", "clones")
SLOW, FAST = SIZES[KIND]
FACTOR = FACTORS[KIND]
#: Initial log gains of pulses and noise.
PULSE_GAIN, NOISE_GAIN = -4.0, -5.0
GAIN_MAX = 4.0
#: Weights are rounded to this many steps on each side of zero: 7 bits, which no processor's int8 products overflow.
WEIGHT_STEPS = 63
#: Rank of the change of a block's last layer that a voice may have.
CHANGE_RANK = 4
#: Hidden values between the embedding of a Kokoro voice and its changes.
CHANGE_WIDTH = 48


class Int8Linear(nn.Linear):
    """A linear layer that, while `rounding`, computes what its int8 version will: weights rounded per output,
    activations per utterance, as ONNX Runtime rounds them. Gradients pass as if nothing had been rounded."""

    rounding = False

    def forward(self, x: Tensor) -> Tensor:
        if not self.rounding:
            return super().forward(x)
        step = self.weight.detach().abs().amax(1, keepdim=True).clamp_min(1e-8) / WEIGHT_STEPS
        weight = straight_through(self.weight, torch.round(self.weight / step) * step)
        values = x.detach().float()
        axes = tuple(range(1, x.dim()))
        low, high = values.amin(axes, keepdim=True).clamp(max=0), values.amax(axes, keepdim=True).clamp(min=0)
        step = (high - low).clamp_min(1e-8) / 255
        zero = torch.round(-low / step)
        rounded = (torch.clamp(torch.round(values / step) + zero, 0, 255) - zero) * step
        return F.linear(straight_through(x, rounded.to(x.dtype)), weight, self.bias)


def rectify(x: Tensor) -> Tensor:
    """GELU is an eighth of the cost of the decoder for Kokoro's voices, ReLU nearly free."""
    return F.relu(x) if KIND == "kokoro" else F.gelu(x, approximate="tanh")


def straight_through(value: Tensor, rounded: Tensor) -> Tensor:
    return value + (rounded - value).detach()


class Block(nn.Module):
    """ConvNeXt: a depthwise convolution over time, then two linear layers; the voice scales and shifts between."""

    def __init__(self, width: int, kernel: int = 7):
        super().__init__()
        self.width = width
        self.mix = nn.Conv1d(width, width, kernel, padding=kernel // 2, groups=width)
        self.widen = Int8Linear(width, FACTOR * width)
        self.narrow = Int8Linear(FACTOR * width, width)
        self.gain = nn.Parameter(torch.full((width,), 0.3))

    def normalize(self, y: Tensor, scale: Tensor, shift: Tensor) -> Tensor:
        return F.layer_norm(y, (self.width,)) * scale + shift

    def change_gain(self) -> Tensor:
        return self.gain

    def forward(self, x: Tensor, scale: Tensor, shift: Tensor, change: "Change | None" = None) -> Tensor:
        y = self.normalize(self.mix(x.transpose(1, 2)).transpose(1, 2), scale, shift)
        hidden = rectify(self.widen(y))
        x = x + self.gain * self.narrow(hidden)
        return x if change is None else x + self.change_gain() * ((hidden @ change[0]) @ change[1])


class Voice(nn.Module):
    """Speaker embedding [B, 256] to the voice vector [B, VOICE] of the decoder; `embed` gives the embedding of a style."""

    def __init__(self):
        super().__init__()
        self.style = nn.Sequential(nn.Linear(STYLE, EMBEDDING), nn.GELU(), nn.Linear(EMBEDDING, EMBEDDING), nn.GELU())
        self.film = nn.Linear(EMBEDDING, sum(VOICE_PARTS))
        #: Changes of the decoder's weights, which clones have of their own.
        self.change = change_network() if KIND == "kokoro" else None
        nn.init.normal_(self.film.weight, std=0.02)
        nn.init.zeros_(self.film.bias)
        with torch.no_grad():
            parts = self.film.bias.split(VOICE_PARTS)
            for scale in parts[:-2:2]:
                scale.fill_(1.0)
            parts[-2].fill_(PULSE_GAIN)
            parts[-1].fill_(NOISE_GAIN)

    def embed(self, style: Tensor) -> Tensor:
        return self.style(style * 2)

    def forward(self, embedding: Tensor) -> Tensor:
        voice = self.film(embedding)
        return voice if self.change is None else torch.cat([voice, self.change(embedding)], -1)


#: Scale and shift of each block, then log gain of pulses and of noise per bin.
VOICE_PARTS = [SLOW[0]] * (2 * SLOW[1]) + [FAST[0]] * (2 * FAST[1]) + [BINS, BINS]

#: Low-rank change of the weights of a block's last layer: [B, FACTOR W, rank] and [B, rank, W].
Change = tuple[Tensor, Tensor]
#: Both factors of each block, as they follow the voice vector of a cloned voice.
CHANGE_PARTS = [size for width, count in (SLOW, FAST) for _ in range(count) for size in (FACTOR * width * CHANGE_RANK, CHANGE_RANK * width)]


def change_network() -> nn.Sequential:
    """Speaker embedding to the factors of each block's change. They begin as changes of zero: the second factor is zero."""
    network = nn.Sequential(nn.Linear(EMBEDDING, CHANGE_WIDTH), nn.GELU(), nn.Linear(CHANGE_WIDTH, sum(CHANGE_PARTS)))
    last = network[2]
    nn.init.zeros_(last.weight)
    nn.init.zeros_(last.bias)
    with torch.no_grad():
        for values, spread in ((last.bias, 0.03), (last.weight, 0.01)):
            for down in values.split(CHANGE_PARTS)[::2]:
                nn.init.normal_(down, std=spread)
    return network


class Decoder(nn.Module):
    """`asr` [B, 512, T], pitch, energy and cycles [B, 2T] and voice [B, VOICE] to a wave [B, 600 T]."""

    def __init__(self):
        super().__init__()
        self.enter_slow = Int8Linear(3 * (FEATURES + 2 * PITCH_FEATURES), SLOW[0])
        self.slow = nn.ModuleList(Block(SLOW[0]) for _ in range(SLOW[1]))
        self.rise = Int8Linear(SLOW[0], 2 * FAST[0])
        self.enter_fast = nn.Linear(PITCH_FEATURES, FAST[0])
        self.fast = nn.ModuleList(Block(FAST[0]) for _ in range(FAST[1]))
        self.norm = nn.LayerNorm(FAST[0])
        self.pulse_gain = Int8Linear(FAST[0], 2 * BINS, bias=False)
        self.pulse_real = Int8Linear(FAST[0], 2 * BINS)
        self.pulse_imaginary = Int8Linear(FAST[0], 2 * BINS)
        self.noise_gain = Int8Linear(FAST[0], 2 * BINS, bias=False)
        self.depth = nn.Linear(FAST[0], 2)
        for head in (self.pulse_gain, self.pulse_real, self.pulse_imaginary, self.noise_gain, self.depth):
            nn.init.normal_(head.weight, std=0.01)
        for head, value in ((self.pulse_real, 1.0), (self.pulse_imaginary, 0.0), (self.depth, 0.3)):
            nn.init.constant_(head.bias, value)
        self.register_buffer("window", torch.hann_window(WINDOW), persistent=False)
        overlap = F.fold((self.window**2)[None, :, None].expand(1, WINDOW, 9), (1, WINDOW + 8 * HOP), (1, WINDOW), stride=(1, HOP))
        start = 4 * HOP + (WINDOW - HOP) // 2
        self.register_buffer("overlap", overlap.flatten()[start : start + HOP].clone(), persistent=False)

    def quarter_cycles(self, pitch: Tensor, cycles: Tensor) -> tuple[Tensor, Tensor]:
        """Pitch cycles at the centres of the two hops of each half frame."""
        quarter = pitch * (pitch > VOICED_HZ) * (HOP / 2 / RATE)
        return cycles - quarter, cycles + quarter

    def pitch_features(self, pitch: Tensor, energy: Tensor, cycles: Tensor) -> Tensor:
        """Log pitch, voicing, energy, and sine and cosine of the cycle in both hops of a half frame; [B, 2T, 7]."""
        voiced = (pitch > VOICED_HZ).float()
        height = voiced * (torch.log2(pitch.clamp(min=20.0)) - 7.3)
        place = [voiced * f(2 * math.pi * turns) for turns in self.quarter_cycles(pitch, cycles) for f in (torch.sin, torch.cos)]
        return torch.stack([height, voiced, energy * 0.2, *place], -1)

    def trunk(self, asr: Tensor, pitch: Tensor, energy: Tensor, cycles: Tensor, voice: list[Tensor], changes: list[Change] | None = None) -> Tensor:
        batch, _, frames = asr.shape
        features = self.pitch_features(pitch, energy, cycles)
        x = torch.cat([asr.transpose(1, 2) * 2, features.reshape(batch, frames, 2 * PITCH_FEATURES)], -1)
        padded = F.pad(x, (0, 0, 1, 1))
        x = self.enter_slow(torch.cat([padded[:, :-2], x, padded[:, 2:]], -1))
        change_of = lambda number: None if changes is None else changes[number]
        for number, block in enumerate(self.slow):
            x = block(x, voice[2 * number], voice[2 * number + 1], change_of(number))
        x = self.rise(x).reshape(batch, 2 * frames, FAST[0]) + self.enter_fast(features)
        for number, block in enumerate(self.fast, len(self.slow)):
            x = block(x, voice[2 * number], voice[2 * number + 1], change_of(number))
        return self.norm(x)

    def filters(self, asr: Tensor, pitch: Tensor, energy: Tensor, cycles: Tensor, voice: list[Tensor], changes: list[Change] | None = None) -> tuple[Tensor, ...]:
        """Gain of the pulses and its complex factor, gain of the noise [B, 4T, 257], and how much of the noise follows
        the pitch [B, 4T, 1]."""
        x = self.trunk(asr, pitch, energy, cycles, voice, changes)
        hops = lambda values: values.reshape(len(asr), 4 * asr.shape[2], -1)
        pulse_gain = torch.exp((hops(self.pulse_gain(x)) + voice[-2]).clamp(max=GAIN_MAX).float())
        noise_gain = torch.exp((hops(self.noise_gain(x)) + voice[-1]).clamp(max=GAIN_MAX).float())
        depth = 0.5 * torch.tanh(hops(self.depth(x)).float())
        return pulse_gain, hops(self.pulse_real(x)).float(), hops(self.pulse_imaginary(x)).float(), noise_gain, depth

    def pulses(self, pitch: Tensor, cycles: Tensor) -> Tensor:
        """A band-limited pulse train of unit power, [B, 600 T]."""
        batch, _ = pitch.shape
        voiced = (pitch > VOICED_HZ).float()[..., None]
        advance = pitch * (HALF / RATE)
        onward = F.pad(advance[:, 1:], (0, 1))[..., None]
        so_far = F.pad(advance[:, 1:], (1, 0))[..., None]
        # Between the centres of two half frames the phase runs evenly, as in Kokoro.
        place = (torch.arange(HALF, device=pitch.device, dtype=pitch.dtype) + 0.5) / HALF - 0.5
        turns = cycles[..., None] + torch.where(place < 0, place * so_far, place * onward)
        angle = math.pi * (turns - torch.round(turns))
        harmonics = torch.floor(11500.0 / pitch.clamp(min=40.0))[..., None]
        sine = torch.sin(angle)
        sine = torch.where(sine.abs() < 1e-4, torch.full_like(sine, 1e-4), sine)
        comb = torch.where(angle.abs() < 1e-4, 2 * harmonics + 1, torch.sin((2 * harmonics + 1) * angle) / sine)
        return ((comb - 1) * 0.5 * torch.sqrt(2 / harmonics) * voiced).reshape(batch, -1)

    def modulated(self, noise: Tensor, pitch: Tensor, cycles: Tensor) -> Tensor:
        """Spectra of noise [B, 4T, 257] times twice the cosine of the pitch cycle, which is a shift to both sides by the
        pitch in bins; zero where unvoiced."""
        shift = torch.round(pitch.clamp(min=40.0) * (WINDOW / RATE)).repeat_interleave(2, 1)
        turns = torch.stack(self.quarter_cycles(pitch, cycles), -1).flatten(1)
        voiced = (pitch > VOICED_HZ).float().repeat_interleave(2, 1)
        # The window's first sample is the origin of the transform, its middle that of the cycle.
        turn = torch.polar(voiced, 2 * math.pi * turns - math.pi * shift)[..., None]
        bins = torch.arange(BINS, device=pitch.device)
        below, above = bins - shift[..., None].long(), bins + shift[..., None].long()
        lower = torch.gather(noise, 2, below.clamp(min=0)) * (below >= 0)
        upper = torch.gather(noise, 2, above.clamp(max=BINS - 1)) * (above < BINS)
        return turn * lower + turn.conj() * upper

    def synthesize(self, filters: tuple[Tensor, ...], pitch: Tensor, cycles: Tensor, noise: Tensor) -> Tensor:
        margin, unit = (WINDOW - HOP) // 2, math.sqrt(WINDOW * 0.375)
        windows = F.pad(self.pulses(pitch, cycles), (margin, margin)).unfold(-1, WINDOW, HOP)
        pulses = torch.fft.rfft(windows * self.window) / unit
        gain, real, imaginary, noise_gain, depth = filters
        spectrum = pulses * torch.complex(gain * real, gain * imaginary)
        spectrum = spectrum + (noise + depth * self.modulated(noise, pitch, cycles)) * noise_gain
        pieces = torch.fft.irfft(spectrum, n=WINDOW) * self.window * unit
        length = (pieces.shape[1] - 1) * HOP + WINDOW
        wave = F.fold(pieces.transpose(1, 2), (1, length), (1, WINDOW), stride=(1, HOP))[:, 0, 0]
        return wave[:, margin : length - margin] / self.overlap.repeat(pieces.shape[1])

    def forward(self, asr: Tensor, pitch: Tensor, energy: Tensor, cycles: Tensor, voice: Tensor, noise: Tensor) -> Tensor:
        """`noise` is complex and Gaussian, [B, 4T, 257]. `voice` is that of a Kokoro voice, or with changes that of a clone."""
        changes = split_changes(voice) if voice.shape[1] > sum(VOICE_PARTS) else None
        return self.synthesize(self.filters(asr, pitch, energy, cycles, split_voice(voice), changes), pitch, cycles, noise)


def split_voice(voice: Tensor) -> list[Tensor]:
    return list(voice[:, None, : sum(VOICE_PARTS)].split(VOICE_PARTS, -1))


def split_changes(voice: Tensor) -> list[Change]:
    """The changes of a clone's voice [B, VOICE + CHANGES] for each block."""
    parts = voice[:, sum(VOICE_PARTS) :].split(CHANGE_PARTS, -1)
    return [(down.reshape(len(voice), -1, CHANGE_RANK), up.reshape(len(voice), CHANGE_RANK, -1)) for down, up in zip(parts[::2], parts[1::2])]


def draw_noise(batch: int, frames: int, device: str) -> Tensor:
    return torch.view_as_complex(torch.randn(batch, 4 * frames, BINS, 2, device=device) * math.sqrt(0.5))


def pitch_cycles(pitch: Tensor) -> Tensor:
    """Cycles so far at the centre of each half frame, modulo 1."""
    return (torch.cumsum(pitch.double() * (HALF / RATE), 1) % 1).float()
