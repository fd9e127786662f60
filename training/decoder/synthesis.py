"""What the server does around the exported networks, in NumPy: spectra of pulses and noise, and decoding of an utterance."""

from pathlib import Path

import numpy as np
import onnxruntime

RATE, FRAME, HALF, HOP, WINDOW = 24000, 600, 300, 150, 512
BINS = WINDOW // 2 + 1
#: Highest frequency of the pulses, in Hz, and the lowest pitch that is voiced.
PULSE_TOP_HZ, VOICED_HZ = 11500.0, 10.0
#: Frames of zeros around the utterance, which stand for silence.
PAD = 12


def open_model(path: Path | str) -> onnxruntime.InferenceSession:
    options = onnxruntime.SessionOptions()
    options.intra_op_num_threads = options.inter_op_num_threads = 1
    return onnxruntime.InferenceSession(str(path), options, providers=["CPUExecutionProvider"])


def pitch_cycles(pitch: np.ndarray) -> np.ndarray:
    return (np.cumsum(pitch.astype(np.float64) * (HALF / RATE)) % 1).astype(np.float32)


def pulse_times(pitch: np.ndarray, cycles: np.ndarray) -> list[tuple[float, float, float]]:
    """Where the pulses are, in samples, the pitch of their half frame and that of the phase, which runs evenly between the
    centres of two half frames."""
    pulses = []
    advance = pitch * (HALF / RATE)
    for half in range(len(pitch)):
        if pitch[half] <= VOICED_HZ:
            continue
        for side, step in ((-0.5, advance[half]), (0.5, advance[half + 1] if half + 1 < len(pitch) else 0)):
            # Turns from the centre of this half frame to its edge on one side.
            if step * (RATE / HALF) <= VOICED_HZ:
                continue
            low, high = sorted((cycles[half], cycles[half] + side * step))
            # The left edge of a stretch belongs to it, the right one to the next.
            for turn in range(int(np.ceil(low)), int(np.ceil(high))):
                time = (half + 0.5 + (turn - cycles[half]) / step) * HALF - 0.5
                pulses.append((time, pitch[half], step * (RATE / HALF)))
    return pulses


def pulse_spectra(pitch: np.ndarray, cycles: np.ndarray) -> np.ndarray:
    """Windowed transforms of a pulse train of unit power, [2 N, 257]."""
    hops = 2 * len(pitch)
    spectra = np.zeros((hops, BINS), np.complex128)
    window = 0.5 - 0.5 * np.cos(2 * np.pi * np.arange(WINDOW + 1) / WINDOW)
    bins = np.arange(BINS)
    for time, hertz, speed in pulse_times(pitch, cycles):
        harmonics = max(1.0, np.floor(PULSE_TOP_HZ / max(hertz, 40.0)))
        size = np.sqrt(2 / harmonics) * RATE / (2 * speed) / np.sqrt(WINDOW * 0.375)
        heard = bins <= (harmonics + 0.5) * speed * WINDOW / RATE
        for hop in range(max(0, int(np.ceil((time - 330) / HOP))), min(hops, int((time + 181) // HOP) + 1)):
            place = time - (hop * HOP - 181)
            weight = np.interp(place, np.arange(WINDOW + 1), window)
            spectra[hop] += size * weight * heard * np.exp(-2j * np.pi * bins * place / WINDOW)
    return spectra - mean_spectra(pitch)


def mean_spectra(pitch: np.ndarray) -> np.ndarray:
    """Windowed transforms of the mean of the pulse train, which the decoder was trained without: half of the size of a
    harmonic wherever it is voiced, [2 N, 257]. Pulses alone would have it, and a rumble below 60 Hz with it."""
    harmonics = np.maximum(1.0, np.floor(PULSE_TOP_HZ / np.maximum(pitch, 40.0)))
    mean = np.where(pitch > VOICED_HZ, 0.5 * np.sqrt(2 / harmonics), 0.0)
    around = np.stack([np.append(0, mean[:-1]), mean, np.append(mean[1:], 0)], 1)
    window = 0.5 - 0.5 * np.cos(2 * np.pi * np.arange(WINDOW) / WINDOW)
    spectra = np.empty((2 * len(pitch), BINS), np.complex128)
    for parity in (0, 1):
        # Which sample of the window lies in the half frame before, in this one and in the next.
        owner = np.floor_divide(np.arange(WINDOW) + parity * HOP - 181, HALF) + 1
        parts = np.fft.rfft(np.stack([window * (owner == number) for number in range(3)])) / np.sqrt(WINDOW * 0.375)
        spectra[parity::2] = around @ parts
    return spectra


def modulated(noise: np.ndarray, pitch: np.ndarray, cycles: np.ndarray) -> np.ndarray:
    """Noise [2 N, 257] times twice the cosine of the pitch cycle: shifted to both sides by the pitch, zero if unvoiced."""
    out = np.zeros_like(noise)
    for hop in np.flatnonzero(np.repeat(pitch > VOICED_HZ, 2)):
        half = hop // 2
        turns = cycles[half] + (1 if hop % 2 else -1) * pitch[half] * (HOP / 2 / RATE)
        shift = int(np.round(max(pitch[half], 40.0) * (WINDOW / RATE)))
        turn = np.exp(2j * np.pi * turns - 1j * np.pi * shift)
        out[hop, shift:] += turn * noise[hop, : BINS - shift]
        out[hop, : BINS - shift] += np.conj(turn) * noise[hop, shift:]
    return out


class Decoder:
    """The exported decoder in a folder, for whole utterances."""

    def __init__(self, folder: Path):
        self.decoder, self.style, self.voice = (open_model(folder / f"{name}.onnx") for name in ("decoder-int8", "style", "voice"))
        # Only clones need it; the server's folder has none.
        speaker = folder / "speaker.onnx"
        self.speaker = open_model(speaker) if speaker.exists() else None

    def voice_of_style(self, style: np.ndarray) -> np.ndarray:
        """Voice vector of a style row [1, 256]."""
        return self.voice_of(self.style.run(None, {"style": style[:, :128]})[0])

    def voice_of(self, embedding: np.ndarray) -> np.ndarray:
        return self.voice.run(None, {"embedding": embedding})[0]

    def decode(self, asr: np.ndarray, pitch: np.ndarray, energy: np.ndarray, voice: np.ndarray, seed: int) -> np.ndarray:
        """Text features [1, 512, T], pitch and energy [1, 2T] to samples."""
        cycles = pitch_cycles(pitch[0])
        rng = np.random.default_rng(seed)
        pad = lambda values, steps: np.pad(values, [(0, 0)] * (values.ndim - 1) + [(PAD * steps, PAD * steps)])
        pitch, energy, cycles = (pad(values, 2) for values in (pitch[0], energy[0], cycles))
        noise = (rng.standard_normal((2 * len(pitch), BINS, 2)) * np.sqrt(0.5)).view(np.complex128)[..., 0]
        inputs = {"asr": pad(asr, 1), "F0": pitch[None], "N": energy[None], "cyc": cycles[None], "voice": voice}
        spectra = {"pulse": pulse_spectra(pitch, cycles), "noise": noise, "modulated": modulated(noise, pitch, cycles)}
        for name, values in spectra.items():
            inputs[f"{name}_real"], inputs[f"{name}_imaginary"] = (part.astype(np.float32)[None] for part in (values.real, values.imag))
        return self.decoder.run(["wav"], inputs)[0][0, PAD * FRAME : -PAD * FRAME]
