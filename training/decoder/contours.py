"""Pitch, pitch cycles and energy measured from 24 kHz audio, in batches of clips of equal length. The contours have
80 values a second, centred in half frames of 300 samples, like those that Kokoro's front predicts."""

import math

import torch
import torch.nn.functional as F
from losses import mel_bands
from torch import Tensor, nn

RATE, HALF = 24000, 300
#: Analysis window of the pitch tracker and range of its lags, in samples.
WINDOW, SHORTEST, LONGEST = 600, 48, 400
#: States of the Viterbi search: lags on a logarithmic scale, and one for unvoiced.
LAGS = 112
#: Cost of a change of voicing and of an octave.
VOICING_COST, OCTAVE_COST = 0.2, 2.0
#: Preference for short lags, which avoids errors to the lower octave.
LONG_LAG_COST = 0.06
#: Score of the unvoiced state, and the energy relative to the loudest half frame below which all is unvoiced. Kokoro's
#: front calls nearly all of an utterance voiced; real speech is less so. Training sees both.
STRICT, LENIENT = (0.4, 10**-2.5), (0.3, 10**-4)


def low_pass(wave: Tensor, cutoff: float = 1800.0) -> Tensor:
    place = torch.arange(-40, 41, device=wave.device)
    kernel = torch.sinc(2 * cutoff / RATE * place) * torch.hann_window(81, periodic=False, device=wave.device)
    return F.conv1d(wave[:, None], (kernel / kernel.sum())[None, None], padding=40)[:, 0]


def correlations(wave: Tensor) -> tuple[Tensor, Tensor]:
    """Normalised autocorrelation of each half frame for all lags up to the longest [B, N, 401], and its energy."""
    around = WINDOW + LONGEST
    margin = around // 2 - HALF // 2
    frames = F.pad(wave, (margin, margin + HALF)).unfold(1, around, HALF)[:, : wave.shape[1] // HALF]
    # The two parts that are compared lie symmetrically around the centre of the half frame.
    size = 2048
    squares = F.pad(frames.square().cumsum(-1), (1, 0))
    spectrum = torch.fft.rfft(frames, size)
    head = torch.fft.rfft(frames[..., :WINDOW], size)
    product = torch.fft.irfft(spectrum * head.conj(), size)[..., : LONGEST + 1]
    energy = squares[..., WINDOW : around + 1] - squares[..., : LONGEST + 1]
    return product / (energy[..., :1] * energy).clamp_min(1e-9).sqrt(), energy[..., 0]


def voicing_path(scores: Tensor, voiceless: Tensor, unvoiced_score: float) -> Tensor:
    """Viterbi search over lags [B, N, LAGS]; gives the state of each half frame, LAGS where it is unvoiced."""
    batch, count, lags = scores.shape
    octaves = math.log2(LONGEST / SHORTEST) / (lags - 1)
    step = torch.arange(lags, device=scores.device)
    cost = OCTAVE_COST * octaves * (step[:, None] - step).abs()
    cost = F.pad(cost.clamp(max=1.0), (0, 1, 0, 1), value=VOICING_COST)
    cost[-1, -1] = 0
    scores = torch.cat([scores - voiceless[..., None] * 9, torch.full_like(scores[..., :1], unvoiced_score)], -1)
    best, origins = scores[:, 0], []
    for number in range(1, count):
        reached, origin = (best[:, None] - cost).max(-1)
        best = reached + scores[:, number]
        origins.append(origin)
    state = best.argmax(-1)
    path = [state]
    for origin in reversed(origins):
        state = origin.gather(1, state[:, None])[:, 0]
        path.append(state)
    return torch.stack(path[::-1], 1)


def measure_pitch(wave: Tensor, voicing: tuple[float, float] = STRICT) -> Tensor:
    """Pitch in Hz [B, N], 0 where unvoiced."""
    unvoiced_score, quiet = voicing
    likeness, energy = correlations(low_pass(wave))
    states = torch.arange(LAGS, device=wave.device)
    lags = SHORTEST * (LONGEST / SHORTEST) ** (states / (LAGS - 1))
    low = lags.floor().long().clamp(max=LONGEST - 1)
    between = likeness[..., low] * (1 - (lags - low)) + likeness[..., low + 1] * (lags - low)
    scores = between - LONG_LAG_COST * torch.log2(lags / SHORTEST)
    path = voicing_path(scores, energy < quiet * energy.amax(1, keepdim=True), unvoiced_score)
    # The peak next to the chosen lag, with a parabola through its neighbours.
    chosen = lags[path.clamp(max=LAGS - 1)]
    near = (chosen[..., None].round().long() + torch.arange(-8, 9, device=wave.device)).clamp(SHORTEST, LONGEST - 1)
    peak = near.gather(-1, likeness.gather(-1, near).argmax(-1, keepdim=True))
    left, centre, right = (likeness.gather(-1, peak + shift)[..., 0] for shift in (-1, 0, 1))
    offset = (0.5 * (left - right) / (left - 2 * centre + right).clamp(max=-1e-6)).clamp(-0.5, 0.5)
    return torch.where(path < LAGS, RATE / (peak[..., 0] + offset), torch.zeros_like(offset))


def lock_phase(wave: Tensor, pitch: Tensor) -> tuple[Tensor, Tensor]:
    """Pitch and pitch cycles such that a pulse falls on each maximum of the fundamental: what is left of its phase after
    demodulation by the measured pitch corrects both."""
    advance = pitch * (HALF / RATE)
    steps = torch.cat([advance[:, :1] / 2, (advance[:, 1:] + advance[:, :-1]) / 2], 1)
    turns = torch.cumsum(steps.double(), 1)
    place = (torch.arange(HALF, device=wave.device) + 0.5) / HALF - 0.5
    phase = (turns[..., None] + place * advance[..., None]) % 1
    signal = wave.reshape(len(wave), -1, HALF)
    carrier = torch.polar(torch.ones_like(phase), -2 * math.pi * phase).to(torch.complex64)
    shifted = (signal * carrier).flatten(1)
    # A window of three periods hears the fundamental alone; one fixed length serves all.
    taps = torch.hann_window(901, periodic=False, device=wave.device)
    centred = F.pad(torch.view_as_real(shifted).transpose(1, 2), (450 - HALF // 2, 450 + HALF // 2))
    heard = F.conv1d(centred.reshape(-1, 1, centred.shape[-1]), taps[None, None], stride=HALF).reshape(len(wave), 2, -1)[..., : pitch.shape[1]]
    residue = torch.atan2(heard[:, 1], heard[:, 0]) / (2 * math.pi)
    cycles = (turns + residue) % 1
    change = (cycles - torch.roll(cycles, 1, 1) - steps) % 1
    change = torch.where(change > 0.5, change - 1, change)
    both = (pitch > 0) & (torch.roll(pitch, 1, 1) > 0)
    both[:, 0] = False
    locked = (steps + change) * (RATE / HALF)
    sound = both & (change.abs() < 0.1)
    return torch.where(sound, locked.float(), pitch), cycles.float()


class Energy(nn.Module):
    """Energy as Kokoro's front predicts it: the logarithm of the norm of 80 mel bands. Slope and offset were fitted to
    what the front predicts for speech that the official decoder makes of it."""

    SLOPE, OFFSET = 0.913, 0.992

    def __init__(self):
        super().__init__()
        # StyleTTS 2 computes its mel bands as if the sampling rate were 16 kHz.
        self.register_buffer("bands", mel_bands(2048, 80, 16000), persistent=False)
        self.register_buffer("window", torch.hann_window(1200), persistent=False)

    def forward(self, wave: Tensor) -> Tensor:
        power = torch.stft(wave, 2048, HALF, 1200, self.window, return_complex=True).abs().square()
        bands = (self.bands @ power)[..., : wave.shape[1] // HALF]
        return self.SLOPE * torch.log(bands.norm(dim=1).clamp_min(1e-5)) + self.OFFSET
