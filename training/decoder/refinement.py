"""Writes `refinement.onnx`: the gradient of the similarity between a trial of the decoder and a recording with respect to the
vector of a cloned voice (voice vector and changes of the decoder's weights), and `statistics.onnx`: what the gradient needs
of the recording besides its measures. With them the server refines a cloned voice without PyTorch.

    PYTHONPATH=../fast-decoder:../voice-encoder python refinement.py --run checkpoint --xvector xvector.npz --ear EAR.onnx \
      --ecapa embedding_model.ckpt --spread spread.npy --out weights

Besides the embeddings, the means and deviations over time of all layers of both networks are compared, in units of how far
they are spread among people (`spread`, which `statistics_spread.py` measures): an embedding alone leaves the decoder too much
freedom, and the similarity by other networks grows less.

The trial has a fixed length. The measures are those of `../voice-encoder/features.py`, except that frames without speech are
weighted with zero where those leave them out: gradients need not be exact, since trials are measured afterwards. The
background noise of the recording is added to the trial before it is measured: otherwise the decoder learns to imitate that noise,
since the networks hear it too. A trial that says a part of the recording is also compared with it by log mel energies, frame by frame;
for other trials the weights of the frames are zero. The weights of the x-vector network and of ECAPA-TDNN (`speaker_network.py`), which are not ours, are inputs of the graph;
given one value for each tensor, it leaves ECAPA-TDNN out. Weights of the decoder are stored as int8 like in `decoder-int8.onnx`.
"""

import argparse
import json
import math
from pathlib import Path

import numpy as np
import torch
import torch.nn.functional as F
from decoder import WEIGHT_STEPS, Decoder, Int8Linear
from export import Exported, example, fold_gains, source_spectra
from features import MelFrames, XVector
from frames import cut_frames
from gradient_graph import add_optional, graph_of, save
from losses import mel_bands
from networks import DVectorNetwork
from speaker_encoder import load_ear
from speaker_network import EMBEDDING_SIZE, SpeakerNetwork, read_weights, stored_weights
from speaker_network import WEIGHTS as ECAPA_WEIGHTS
from torch import Tensor, nn
from train import Student, load

#: Frames of a trial: 3 s.
FRAMES = 120
RATE = 24000
#: Weights of the similarities and of the squared distance of the spectra. That of the long-term spectrum is an input of the graph.
X_VECTOR, D_VECTOR, SPECTRUM, STATISTICS = 2.0, 1.0, 0.05, 0.3
#: Level of a sentence before the background of the recording, which has the same level, is added.
TRIAL_RMS = 0.06
#: Transform of the frames that are compared with the recording, mel bands of 80 that lie below 8 kHz, and floor relative to the mean energy.
MEL_WINDOW, MEL_HOP, MEL_BANDS, MEL_FLOOR = 512, 128, 66, 1e-5
#: Energy of speech relative to the loudest frame.
SPEECH_SHARE = 10**-3.5
INPUTS = ("voice", "asr", "F0", "N", "cyc", "pulse_real", "pulse_imaginary", "noise_real", "noise_imaginary",
          "modulated_real", "modulated_imaginary", "background", "target_x_vector", "target_d_vector", "target_spectrum", "target_statistics",
          "level", "spectrum_weight", "recorded_mel", "mel_weights")
OUTPUTS = ("gradient", "x_vector_similarity", "d_vector_similarity", "spectrum_distance", "statistics_distance", "mel_distance")
#: The clip at the rate of the speaker networks, and the slope that ECAPA-TDNN adds to it.
CLIP, CLIP_SLOPE = "clip_16k", "clip_slope"
#: ECAPA-TDNN is computed if this input has more than one value.
KEY = "ecapa.fc.conv.bias"
#: Samples of the clip.
CLIP_SIZE = FRAMES * 400
#: Weights of the x-vector network, in the order of the inputs that take them.
X_VECTOR_WEIGHTS = tuple(f"{part}{layer}" for layer in range(5) for part in ("weight", "bias", "mean", "scale")) + ("fc_weight", "fc_bias", "centre", "whitening")


class Resampler(nn.Module):
    """As `speak.resample`, for one clip. One matrix makes `STEPS` outputs of each phase from a frame: a frame for each output would be
    copied 24,001 times."""

    STEPS = 64

    def __init__(self, source: int, target: int, width: int = 24):
        super().__init__()
        divisor = math.gcd(source, target)
        self.up, self.down = target // divisor, source // divisor
        cutoff = 0.97 * min(1.0, self.up / self.down)
        self.reach = math.ceil(width / cutoff)
        offsets = torch.arange(-self.reach, self.reach + self.down).double()[None]
        t = (offsets - torch.arange(self.up).double()[:, None] * self.down / self.up) * cutoff
        taper = torch.special.i0(9 * (1 - (t / width).square()).clamp_min(0).sqrt()) / torch.special.i0(torch.tensor(9.0).double())
        kernel = (torch.sinc(t) * cutoff * taper * (t.abs() <= width)).float().T
        hop = self.STEPS * self.down
        kernels = torch.zeros(hop - self.down + len(kernel), self.STEPS, self.up)
        for step in range(self.STEPS):
            kernels[step * self.down : step * self.down + len(kernel), step] = kernel
        self.register_buffer("kernels", kernels.flatten(1))

    def forward(self, samples: Tensor) -> Tensor:
        length = len(samples) * self.up // self.down
        hop, size = self.STEPS * self.down, len(self.kernels)
        count = math.ceil(length / (self.STEPS * self.up))
        padded = F.pad(samples, (self.reach, (count - 1) * hop + size - self.reach - len(samples)))
        return (cut_frames(padded, size, hop) @ self.kernels).reshape(-1)[:length]


def transform_tables(frame: int, size: int) -> tuple[Tensor, Tensor]:
    angle = 2 * math.pi * torch.arange(frame).double()[:, None] * torch.arange(size // 2 + 1).double() / size
    return torch.cos(angle).float(), torch.sin(angle).float()


def unfold(x: Tensor, taps: int, dilation: int) -> Tensor:
    """What each output of a convolution over time sees of [T, C], side by side."""
    length = len(x) - dilation * (taps - 1)
    return torch.cat([x[k * dilation : k * dilation + length] for k in range(taps)], 1)


def convolve(x: Tensor, weight: Tensor, bias: Tensor, dilation: int, padding: int = 0) -> Tensor:
    """A convolution over time of [..., T, C] as products of shifted slices."""
    padded = F.pad(x, (0, 0, padding, padding)) if padding else x
    taps = weight.shape[2]
    length = padded.shape[-2] - dilation * (taps - 1)
    return sum(padded[..., k * dilation : k * dilation + length, :] @ weight[:, :, k].T for k in range(taps)) + bias


def moments(x: Tensor, weight: Tensor) -> Tensor:
    """Weighted mean and deviation of [..., C] over all other axes, with weights [..., 1]."""
    rows, weight = x.reshape(-1, x.shape[-1]), weight.reshape(-1, 1)
    number = weight.sum().clamp_min(1)
    mean = (rows * weight).sum(0) / number
    return torch.cat([mean, (((rows - mean).square() * weight).sum(0) / number).clamp_min(1e-6).sqrt()])


class XVectorMeasure(nn.Module):
    """The x-vector of a clip at 8 kHz and the statistics of all layers, with frames of silence weighted with zero."""

    def __init__(self):
        super().__init__()
        zeros = {name: np.zeros(1, np.float32) for name in X_VECTOR_WEIGHTS}
        tables = XVector(zeros)
        self.register_buffer("window", tables.window)
        self.register_buffer("filters", tables.filters)
        self.register_buffer("dct", tables.dct)
        for name, table in zip(("cosine", "sine"), transform_tables(XVector.FRAME, XVector.FFT)):
            self.register_buffer(name, table)

    def forward(self, samples: Tensor, weights: dict[str, Tensor]) -> tuple[Tensor, Tensor]:
        frames = cut_frames(samples * 32768, XVector.FRAME, XVector.HOP)
        frames = frames - frames.mean(-1, keepdim=True)
        energy = torch.log(frames.square().sum(-1).clamp_min(1e-10))
        emphasised = (frames - 0.97 * torch.cat([frames[:, :1], frames[:, :-1]], 1)) * self.window
        power = (emphasised @ self.cosine).square() + (emphasised @ self.sine).square()
        cepstra = torch.log((power @ self.filters).clamp_min(1.19e-7)) @ self.dct
        cepstra = torch.cat([energy[:, None], cepstra[:, 1:]], 1)
        x = cepstra - self.sliding_mean(len(cepstra)) @ cepstra
        speech = (energy > 5.5 + 0.5 * energy.mean()).float().detach()
        statistics, seen = [], 0
        for layer, dilation in enumerate((1, 2, 3, 1, 1)):
            weight = weights[f"weight{layer}"]
            taps = weight.shape[1] // x.shape[1]
            x = F.relu(unfold(x, taps, dilation) @ weight.T + weights[f"bias{layer}"])
            x = (x - weights[f"mean{layer}"].reshape(-1)) * weights[f"scale{layer}"].reshape(-1)
            # How many frames on either side a frame of this layer has seen.
            seen += dilation * (taps - 1) // 2
            heard = speech[seen : seen + len(x), None]
            statistics.append(moments(x, heard))
        number = heard.sum().clamp_min(1)
        mean = (x * heard).sum(0) / number
        deviation = ((x.square() * heard).sum(0) / number - mean.square()).clamp_min(1e-10).sqrt()
        y = weights["fc_weight"] @ torch.cat([mean, deviation]) + weights["fc_bias"]
        return unit((y - weights["centre"]) @ weights["whitening"]), torch.cat(statistics)

    @staticmethod
    def sliding_mean(count: int) -> Tensor:
        """Mean over a sliding window of 3 s, as a matrix."""
        half = XVector.WINDOW // 2
        t = torch.arange(count)
        start = (t - half).clamp(0, max(0, count - XVector.WINDOW))
        end = (t + half).clamp_min(XVector.WINDOW).clamp_max(count)
        inside = (t[None] >= start[:, None]) & (t[None] < end[:, None])
        return inside.float() / (end - start)[:, None]


class DVectorMeasure(nn.Module):
    """The d-vector of mel energies [N, 40], which is the mean over windows of 1.6 s, and the statistics of all layers."""

    def __init__(self, ear: DVectorNetwork):
        super().__init__()
        self.ear = ear

    def forward(self, mel: Tensor) -> tuple[Tensor, Tensor]:
        windows = torch.stack([mel[start : start + 160] for start in range(0, len(mel) - 159, 80)])
        energy = windows.sum(-1, keepdim=True).detach()
        speech = (energy > SPEECH_SHARE * energy.max()).float()
        x = torch.log10(windows.clamp_min(1e-8)) / 2 + 2.5
        enter, statistics = self.ear.enter, []
        x = convolve(x, enter.weight, enter.bias, 1, 2)
        for block in self.ear.blocks:
            norm, _, conv = block
            x = x + convolve(F.relu(affine(norm, x)), conv.weight, conv.bias, conv.dilation[0], conv.padding[0])
            statistics.append(moments(x, speech))
        x = F.relu(affine(self.ear.norm, x))
        statistics.append(moments(x, speech))
        mean = x.mean(1)
        deviation = ((x * x).mean(1) - mean * mean).clamp_min(1e-6).sqrt()
        partial = self.ear.leave(torch.cat([mean, deviation], 1))
        partial = partial / partial.square().sum(1, keepdim=True).clamp_min(1e-12).sqrt()
        return unit(partial.sum(0)), torch.cat(statistics)


def affine(norm: nn.BatchNorm1d, x: Tensor) -> Tensor:
    scale = norm.weight / torch.sqrt(norm.running_var + norm.eps)
    return x * scale + (norm.bias - norm.running_mean * scale)


def unit(x: Tensor) -> Tensor:
    return x / x.square().sum().clamp_min(1e-12).sqrt()


class DepthwiseTaps(nn.Module):
    """A depthwise convolution over time as products of shifted slices."""

    def __init__(self, conv: nn.Conv1d):
        super().__init__()
        self.weight, self.bias, self.padding = conv.weight, conv.bias, conv.padding[0]

    def forward(self, x: Tensor) -> Tensor:
        padded = F.pad(x, (self.padding, self.padding))
        taps = self.weight.shape[2]
        length = padded.shape[2] - taps + 1
        return sum(padded[:, :, k : k + length] * self.weight[:, 0, k, None] for k in range(taps)) + self.bias[:, None]


class Listener(nn.Module):
    """What is measured of 3 s of speech at 24 kHz."""

    def __init__(self, ear: DVectorNetwork, spread: Tensor):
        super().__init__()
        self.register_buffer("spread", spread)
        self.to_16k, self.to_8k = Resampler(RATE, MelFrames.RATE), Resampler(RATE, XVector.RATE)
        mel = MelFrames()
        self.register_buffer("filters", mel.filters)
        cosine, sine = transform_tables(MelFrames.FFT, MelFrames.FFT)
        self.register_buffer("cosine", mel.window[:, None] * cosine)
        self.register_buffer("sine", mel.window[:, None] * sine)
        self.x_vector, self.d_vector = XVectorMeasure(), DVectorMeasure(ear)

    def mel(self, samples: Tensor) -> Tensor:
        level = samples.square().mean().sqrt().clamp_min(1e-6)
        padded = F.pad(samples * (MelFrames.RMS / level), (MelFrames.FFT // 2, MelFrames.FFT // 2))
        frames = cut_frames(padded, MelFrames.FFT, MelFrames.HOP)
        return ((frames @ self.cosine).square() + (frames @ self.sine).square()) @ self.filters

    def forward(self, wave: Tensor, weights: dict[str, Tensor]) -> tuple[Tensor, Tensor, Tensor, Tensor, Tensor]:
        """X-vector, d-vector, long-term spectrum, the statistics of all layers in units of their spread, and the clip at 16 kHz."""
        clip = self.to_16k(wave)
        mel = self.mel(clip)
        energy = mel.sum(1).detach()
        loud = (energy > 1e-2 * energy.max()).float()[:, None]
        spectrum = torch.log10(((mel * loud).sum(0) / loud.sum()).clamp_min(1e-12))
        (x_vector, x_statistics), (d_vector, d_statistics) = self.x_vector(self.to_8k(wave), weights), self.d_vector(mel)
        return x_vector, d_vector, spectrum - spectrum.mean(), torch.cat([x_statistics, d_statistics]) / self.spread, clip


class LogMel(nn.Module):
    """Log mel energies [N, 66] of 3 s of speech at 24 kHz."""

    def __init__(self):
        super().__init__()
        cosine, sine = transform_tables(MEL_WINDOW, MEL_WINDOW)
        window = torch.hann_window(MEL_WINDOW)[:, None]
        self.register_buffer("cosine", window * cosine)
        self.register_buffer("sine", window * sine)
        self.register_buffer("bands", mel_bands(MEL_WINDOW, 80)[:MEL_BANDS].T.contiguous())

    def forward(self, wave: Tensor) -> Tensor:
        frames = cut_frames(wave, MEL_WINDOW, MEL_HOP)[: (len(wave) - MEL_WINDOW) // MEL_HOP + 1]
        power = ((frames @ self.cosine).square() + (frames @ self.sine).square()) @ self.bands
        return torch.log(power + MEL_FLOOR * power.detach().mean())


class Statistics(nn.Module):
    """The statistics of 3 s of a recording, its log mel energies, and the clip at 16 kHz."""

    def __init__(self, listener: Listener):
        super().__init__()
        self.listener, self.log_mel = listener, LogMel()

    def forward(self, wave: Tensor, *weights: Tensor) -> tuple[Tensor, Tensor, Tensor]:
        *_, statistics, clip = self.listener(wave, dict(zip(X_VECTOR_WEIGHTS, weights)))
        return statistics, self.log_mel(wave), clip


class Likeness(nn.Module):
    """Similarities of a trial to the target, the squared distances of their spectra and statistics, the distance of the trial from a
    part of the recording, and the trial at 16 kHz."""

    def __init__(self, decoder: Decoder, listener: Listener):
        super().__init__()
        self.exported, self.listener, self.log_mel = Exported(decoder), listener, LogMel()
        for block in (*decoder.slow, *decoder.fast):
            block.normalize = lambda y, scale, shift: F.layer_norm(y, y.shape[-1:]) * scale + shift
            block.mix = DepthwiseTaps(block.mix)

    def forward(self, *inputs: Tensor) -> tuple[Tensor, ...]:
        voice, asr, pitch, energy, cycles, *rest = inputs
        spectra, background, targets, level = rest[:6], rest[6], rest[7:11], rest[11]
        recorded_mel, mel_weights, weights = rest[13], rest[14], dict(zip(X_VECTOR_WEIGHTS, rest[15:]))
        wave = self.exported(asr, pitch, energy, cycles, voice, *spectra)[0]
        heard = wave * (level / wave.square().mean().sqrt().clamp_min(1e-5)) + background
        x_vector, d_vector, spectrum, statistics, clip = self.listener(heard, weights)
        x_target, d_target, spectrum_target, statistics_target = targets
        distance = (statistics - statistics_target).square().mean()
        mel_distance = ((self.log_mel(heard) - recorded_mel).abs().mean(1) * mel_weights).sum()
        return (x_vector * x_target).sum(), (d_vector * d_target).sum(), (spectrum - spectrum_target).square().sum(), distance, mel_distance, clip


def gradient_of(likeness: Likeness):
    """The gradient of the loss, whose share of ECAPA-TDNN is known by its slope with respect to the clip."""

    def loss(voice: Tensor, clip_slope: Tensor, *others: Tensor):
        *reported, clip = likeness(voice, *others)
        x_like, d_like, spectrum, statistics, mel = reported
        spectrum_weight = others[INPUTS.index("spectrum_weight") - 1]
        own = spectrum_weight * spectrum + STATISTICS * statistics + mel - X_VECTOR * x_like - D_VECTOR * d_like
        return own + (clip * clip_slope).sum(), (*reported, clip)

    def gradient(*inputs: Tensor):
        slope, (_, reported) = torch.func.grad_and_value(loss, has_aux=True)(*inputs)
        return slope, *(value.detach() for value in reported)

    return gradient


def embedding_slope_of(network: SpeakerNetwork):
    """The slope of the loss by ECAPA-TDNN with respect to a clip, and the similarity."""

    def similarity(clip: Tensor, target: Tensor, *weights: Tensor):
        like = (network(clip, *weights) * target).sum()
        return like, like

    def slope(clip: Tensor, target: Tensor, weight: Tensor, *weights: Tensor):
        gradient, (_, like) = torch.func.grad_and_value(similarity, has_aux=True)(clip, target, *weights)
        return -weight * gradient, like.detach()

    return slope


def open_likeness(run: Path, listener: Listener) -> tuple[Likeness, Student]:
    student, untouched = Student().eval(), Student().eval()
    for one in (student, untouched):
        one.load_state_dict(load(run, "student"))
        one.requires_grad_(False)
    fold_gains(student.decoder)
    for module in student.decoder.modules():
        if isinstance(module, Int8Linear):
            step = module.weight.abs().amax(1, keepdim=True).clamp_min(1e-8) / WEIGHT_STEPS
            module.weight.data = torch.round(module.weight / step) * step
    return Likeness(student.decoder, listener).eval().requires_grad_(False), untouched


def example_inputs(untouched: Student, x_vector: dict[str, np.ndarray], statistics: int) -> list[Tensor]:
    (asr, pitch, energy, cycles, voice, *spectra), _ = example(untouched, FRAMES, 3, is_clone=True)
    targets = [F.normalize(torch.randn(size), dim=0) for size in (128, 256)] + [torch.randn(40), torch.randn(statistics)]
    background = 0.003 * torch.randn(FRAMES * RATE // 40)
    frames = (len(background) - MEL_WINDOW) // MEL_HOP + 1
    recorded = [torch.tensor(TRIAL_RMS), torch.tensor(SPECTRUM), torch.randn(frames, MEL_BANDS), torch.full((frames,), 10 / frames)]
    return [voice, asr, pitch, energy, cycles, *spectra, background, *targets, *recorded, *x_vector_tensors(x_vector)]


def x_vector_tensors(x_vector: dict[str, np.ndarray]) -> list[Tensor]:
    """The weights as the graph takes them, which is how Kaldi stores them: those of a convolution have a column for each tap and input channel."""
    tensors = [torch.from_numpy(np.asarray(x_vector[name], np.float32)) for name in X_VECTOR_WEIGHTS]
    return [tensor.transpose(1, 2).flatten(1).contiguous() if name.startswith("weight") else tensor for name, tensor in zip(X_VECTOR_WEIGHTS, tensors)]


def write_statistics(listener: Listener, x_vector: dict[str, Tensor], ecapa: dict[str, Tensor], path: Path) -> None:
    measure, network = Statistics(listener), SpeakerNetwork().eval()
    inputs = {"samples": 0.1 * torch.randn(FRAMES * RATE // 40)} | x_vector
    statistics, log_mel, clip = measure(*inputs.values())
    model = graph_of(measure, list(inputs.values()), list(inputs), ["statistics", "log_mel", CLIP])
    optional = graph_of(network, [clip, *ecapa.values()], [CLIP, *ecapa], ["embedding"])
    add_optional(model, optional, KEY, {"embedding": np.zeros(EMBEDDING_SIZE, np.float32)})
    expected = {"statistics": statistics, "log_mel": log_mel, "embedding": network(clip, *ecapa.values())}
    save(model, inputs | ecapa, expected, path)


def write_gradient(likeness: Likeness, inputs: dict[str, Tensor], ecapa: dict[str, Tensor], path: Path) -> None:
    gradient, slope = gradient_of(likeness), embedding_slope_of(SpeakerNetwork().eval())
    voice, *others = inputs.values()
    *_, clip = gradient(voice, torch.zeros(CLIP_SIZE), *others)
    target = F.normalize(torch.randn(EMBEDDING_SIZE), dim=0)
    compared = {"target_embedding": target, "embedding_weight": torch.tensor(1.0)} | ecapa
    clip_slope, similarity = slope(clip, *compared.values())
    model = graph_of(gradient, [voice, clip_slope, *others], ["voice", CLIP_SLOPE, *list(inputs)[1:]], [*OUTPUTS, CLIP])
    optional = graph_of(slope, [clip, *compared.values()], [CLIP, *compared], [CLIP_SLOPE, "embedding_similarity"])
    absent = {CLIP_SLOPE: np.zeros(CLIP_SIZE, np.float32), "embedding_similarity": np.zeros((), np.float32)}
    add_optional(model, optional, KEY, absent)
    expected = dict(zip(OUTPUTS, gradient(voice, clip_slope, *others))) | {"embedding_similarity": similarity}
    save(model, inputs | compared, expected, path)


def main() -> None:
    parser = argparse.ArgumentParser()
    for name in ("run", "xvector", "ear", "ecapa", "spread", "out"):
        parser.add_argument(f"--{name}", type=Path, required=True)
    options = parser.parse_args()
    torch.manual_seed(1)
    options.out.mkdir(parents=True, exist_ok=True)
    spread = torch.from_numpy(np.load(options.spread).astype(np.float32))
    listener = Listener(load_ear(options.ear), spread).eval().requires_grad_(False)
    # In the format of the linter.
    rows = ",\n".join(f"  {{ {json.dumps(row)[1:-1]} }}" for row in stored_weights(options.ecapa))
    (options.out / "ecapa-weights.json").write_text(f"[\n{rows}\n]\n")
    ecapa = dict(zip((f"ecapa.{name}" for name in ECAPA_WEIGHTS), read_weights(options.ecapa)))
    x_vector = dict(np.load(options.xvector))
    weight_names = [f"x_vector.{name}" for name in X_VECTOR_WEIGHTS]
    write_statistics(listener, dict(zip(weight_names, x_vector_tensors(x_vector))), ecapa, options.out / "statistics.onnx")
    likeness, untouched = open_likeness(options.run, listener)
    inputs = dict(zip([*INPUTS, *weight_names], example_inputs(untouched, x_vector, len(spread))))
    write_gradient(likeness, inputs, ecapa, options.out / "refinement.onnx")


if __name__ == "__main__":
    main()
