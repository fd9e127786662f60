"""Stage 3, on any CPU: the trained networks as the ONNX files the server loads.

    PYTHONPATH=../fast-decoder:../voice-encoder python export.py --run run --out weights

`clone-decoder-int8.onnx` is the decoder for cloned voices, which also change its weights; with `DECODER=kokoro` there is only the decoder for
Kokoro's voices, whose `voice.onnx` gives such changes too. The decoder's linear layers become int8, as they were trained to be. The inverse Fourier transform stays in float32: in 8
bits the quiet parts of a spectrum drown in the rounding of its loud ones. `style.onnx` and `speaker.onnx` give the speaker
embedding of a Kokoro style and of a recording, `voice.onnx` makes of it the voice vector that the decoder takes. They run
once per voice and stay in float32.
"""

import argparse
import hashlib
import math
from pathlib import Path

import onnx
import onnxruntime
import torch
import torch.nn.functional as F
from decoder import BINS, CHANGE_PARTS, EMBEDDING, HOP, KIND, RATE, STYLE, VOICE_PARTS, WINDOW, Decoder, draw_noise, pitch_cycles, split_changes
from networks import MEASURES
from onnxruntime.quantization import QuantType, quantize_dynamic
from speaker_encoder import MELS
from torch import Tensor, nn
from train import Student, load

MARGIN = (WINDOW - HOP) // 2
MIDDLE = WINDOW // 2
#: Hops that one window reaches into.
REACH = 4
#: Without pitch the decoder is breathy: the spectrum of a voice, made of noise. A whisper has little below its formants.
WHISPER_ABOVE_HZ, WHISPER_GAIN = 300.0, 0.9
CONTOURS = ("F0", "N", "cyc")
SPECTRA = ("pulse_real", "pulse_imaginary", "noise_real", "noise_imaginary", "modulated_real", "modulated_imaginary")
NAMES = ("asr", *CONTOURS, "voice", *SPECTRA)


class VoiceNorm(torch.autograd.Function):
    """Layer normalisation whose scale and shift come from the voice, as one operator."""

    @staticmethod
    def forward(_, x: Tensor, scale: Tensor, shift: Tensor) -> Tensor:
        return F.layer_norm(x, (x.shape[-1],), scale, shift)

    @staticmethod
    def symbolic(graph, x, scale, shift):
        return graph.op("LayerNormalization", x, scale, shift, axis_i=-1, epsilon_f=1e-5).setType(x.type())


class Exported(nn.Module):
    """The decoder for one utterance. Spectra of pulses and noise come from outside; the inverse transform is a matrix
    product in which cosines make the even part of a window and sines the odd one."""

    def __init__(self, decoder: Decoder):
        super().__init__()
        self.decoder = decoder
        for block in (*decoder.slow, *decoder.fast):
            block.normalize = VoiceNorm.apply
        angle = 2 * math.pi * torch.arange(1, MIDDLE + 1).double()[:, None] * torch.arange(BINS).double() / WINDOW
        window = torch.hann_window(WINDOW).double()[1 : MIDDLE + 1, None]
        both = torch.full((BINS,), 2.0).double()
        both[0] = both[-1] = 1
        unit = math.sqrt(WINDOW * 0.375)
        self.register_buffer("cosine_back", (window * unit / WINDOW * both * torch.cos(angle)).T.contiguous().float())
        self.register_buffer("sine_back", (-window * unit / WINDOW * both * torch.sin(angle))[:-1].T.contiguous().float())
        self.register_buffer("evenness", 1 / decoder.overlap)
        height = torch.arange(BINS) * (RATE / WINDOW / WHISPER_ABOVE_HZ)
        self.register_buffer("whisper", WHISPER_GAIN * height / torch.sqrt(1 + height**2))

    def transform_back(self, real: Tensor, imaginary: Tensor) -> Tensor:
        even, odd = real @ self.cosine_back, imaginary @ self.sine_back
        sides, middle = even[..., :-1], even[..., -1:]
        pieces = torch.cat([torch.zeros_like(middle), sides + odd, middle, (sides - odd).flip(-1)], -1)
        batch, hops, _ = pieces.shape
        pieces = F.pad(pieces, (0, REACH * HOP - WINDOW)).reshape(batch, hops, REACH, HOP)
        wave = sum(F.pad(pieces[:, :, i], (0, 0, i, REACH - 1 - i)) for i in range(REACH)).reshape(batch, -1)
        wave = wave[:, MARGIN : MARGIN + hops * HOP].reshape(batch, hops, HOP) * self.evenness
        return wave.reshape(batch, hops * HOP)

    def forward(self, asr: Tensor, pitch: Tensor, energy: Tensor, cycles: Tensor, voice: Tensor, *spectra: Tensor) -> Tensor:
        pulse_real, pulse_imaginary, noise_real, noise_imaginary, modulated_real, modulated_imaginary = spectra
        size = sum(VOICE_PARTS)
        parts = list(voice[0, :size].split(VOICE_PARTS))
        changes = split_changes(voice) if voice.shape[1] > size else None
        gain, real, imaginary, noise_gain, depth = self.decoder.filters(asr, pitch, energy, cycles, parts, changes)
        # A whisper has a pitch of exactly 0, which the front never gives.
        whispered = (pitch == 0).float().repeat_interleave(2, 1)[..., None]
        noise_gain = noise_gain * (1 + whispered * (self.whisper - 1))
        real, imaginary = gain * real, gain * imaginary
        made_real = pulse_real * real - pulse_imaginary * imaginary + (noise_real + depth * modulated_real) * noise_gain
        made_imaginary = pulse_real * imaginary + pulse_imaginary * real + (noise_imaginary + depth * modulated_imaginary) * noise_gain
        return self.transform_back(made_real, made_imaginary)


def source_spectra(decoder: Decoder, pitch: Tensor, cycles: Tensor, noise: Tensor) -> list[Tensor]:
    """What the server computes for the inputs after `voice`: spectra of the pulse train, of noise, and of noise that
    follows the pitch, each real and imaginary, [1, 4T, 257]."""
    windows = F.pad(decoder.pulses(pitch, cycles), (MARGIN, MARGIN)).unfold(-1, WINDOW, HOP)
    pulses = torch.fft.rfft(windows * decoder.window) / math.sqrt(WINDOW * 0.375)
    spectra = (pulses, noise, decoder.modulated(noise, pitch, cycles))
    return [part.contiguous() for spectrum in spectra for part in (spectrum.real, spectrum.imag)]


def clone_voice(voice: Tensor) -> Tensor:
    """A voice vector with random changes of the decoder's weights behind it."""
    return torch.cat([voice, 0.03 * torch.randn(1, sum(CHANGE_PARTS))], 1)


def example(student: Student, frames: int, seed: int, *, is_clone: bool = False) -> tuple[tuple[Tensor, ...], Tensor]:
    """Inputs of the file, and the noise they were made with."""
    torch.manual_seed(seed)
    pitch = 150 + 50 * torch.randn(1, 2 * frames).cumsum(1).tanh()
    pitch[:, frames // 2 : frames] = 1
    cycles, noise = pitch_cycles(pitch), draw_noise(1, frames, "cpu")
    voice = student.voice(student.voice.embed(0.2 * torch.randn(1, STYLE)))
    voice = clone_voice(voice) if is_clone else voice
    contours = (pitch, 3 + torch.randn(1, 2 * frames), cycles)
    return (0.3 * torch.randn(1, 512, frames), *contours, voice, *source_spectra(student.decoder, pitch, cycles, noise)), noise


class StyleEmbedding(nn.Module):
    """First half of a Kokoro style row to a speaker embedding."""

    def __init__(self, student: Student):
        super().__init__()
        self.voice = student.voice

    def forward(self, style: Tensor) -> Tensor:
        return self.voice.embed(style)


class ClipEmbedding(nn.Module):
    """Measurements and mel energies of the speech of a recording to a speaker embedding."""

    def __init__(self, student: Student):
        super().__init__()
        self.encoder = student.encoder

    def forward(self, measures: Tensor, mel: Tensor) -> Tensor:
        return self.encoder(measures, torch.log10(mel.clamp(min=1e-8)), torch.ones(1) * mel.shape[1])


def fold_gains(decoder: Decoder) -> None:
    """The factor on a block's output can be part of its last layer."""
    for block in (*decoder.slow, *decoder.fast):
        gain = block.gain.detach()
        block.narrow.weight.data *= gain[:, None]
        block.narrow.bias.data *= gain
        del block.gain
        block.gain = 1.0
        block.change_gain = lambda gain=gain: gain


def write(module: nn.Module, inputs: tuple[Tensor, ...], names: tuple[str, ...], outputs: tuple[str, ...], axes: dict, path: Path) -> None:
    torch.onnx.export(module.eval(), inputs, str(path), input_names=list(names), output_names=list(outputs), dynamic_axes=axes, opset_version=20, dynamo=False)


def write_int8(source: Path, target: Path) -> None:
    tables = {"cosine_back", "sine_back", "decoder.depth.weight", "decoder.enter_fast.weight"}
    graph = onnx.load(source).graph
    kept = [node.name for node in graph.node if tables & set(node.input)]
    # Small layers, whose weights the exporter has transposed, stay as they are too.
    sizes = {tensor.name: list(tensor.dims) for tensor in graph.initializer}
    kept += [node.name for node in graph.node if node.op_type == "MatMul" and min(sizes.get(node.input[1], [99])) < 16]
    quantize_dynamic(source, target, op_types_to_quantize=["MatMul"], weight_type=QuantType.QInt8, per_channel=True, reduce_range=True, nodes_to_exclude=kept)


def compare(path: Path, student: Student, *, is_clone: bool) -> float:
    """How far the file is from the network on unseen shapes, in dB below the wave."""
    session = onnxruntime.InferenceSession(str(path), providers=["CPUExecutionProvider"])
    inputs, noise = example(student, 61, 2, is_clone=is_clone)
    expected = student.decoder(*inputs[:5], noise)
    made = torch.from_numpy(session.run(["wav"], {name: value.numpy() for name, value in zip(NAMES, inputs)})[0])
    return float(10 * torch.log10((made - expected).square().sum() / expected.square().sum()))


@torch.no_grad()
def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("--run", type=Path, required=True)
    parser.add_argument("--out", type=Path, required=True)
    options = parser.parse_args()
    options.out.mkdir(parents=True, exist_ok=True)
    student, untouched = Student().eval(), Student().eval()
    for one in (student, untouched):
        one.load_state_dict(load(options.run, "student"))
    fold_gains(student.decoder)
    axes = {"asr": {2: "frames"}, "wav": {1: "samples"}} | {name: {1: "half_frames"} for name in CONTOURS} | {name: {1: "hops"} for name in SPECTRA}
    exported = Exported(student.decoder)
    for name, is_clone in (("decoder", False), ("clone-decoder", True))[: 1 if KIND == "kokoro" else 2]:
        whole, small = options.out / f"{name}.float.onnx", options.out / f"{name}-int8.onnx"
        write(exported, example(untouched, 40, 1, is_clone=is_clone)[0], NAMES, ("wav",), axes, whole)
        write_int8(whole, small)
        print(f"{name}: float32 {compare(whole, untouched, is_clone=is_clone):.1f} dB, int8 {compare(small, untouched, is_clone=is_clone):.1f} dB below the network")
        whole.unlink()
    write(StyleEmbedding(student), (torch.randn(1, STYLE),), ("style",), ("embedding",), {}, options.out / "style.onnx")
    if KIND == "clones":
        clip = (torch.randn(1, MEASURES), torch.rand(1, 300, MELS))
        write(ClipEmbedding(student), clip, ("measures", "mel"), ("embedding",), {"mel": {1: "mel_frames"}}, options.out / "speaker.onnx")
    write(student.voice, (torch.randn(1, EMBEDDING),), ("embedding",), ("voice",), {}, options.out / "voice.onnx")
    for path in sorted(options.out.glob("*.onnx")):
        digest = hashlib.sha256(path.read_bytes()).hexdigest()
        path.with_name(f"{path.name}.sha256").write_text(f"{digest}  {path.name}\n")


if __name__ == "__main__":
    main()
