"""Stage 4, on any CPU: exports the trained student as the ONNX file of the server.

    python export.py --student run/student.pt --out ../../server/assets/fast-decoder

The linear layers become int8, as in the training. The Fourier transforms stay in float32: with 8 bits, the rounding
error of loud bins exceeds the level of quiet ones. Symmetry saves half of their products.
"""

import argparse
import hashlib
import math
from pathlib import Path

import onnx
import onnxruntime
import torch
import torch.nn.functional as F
from onnxruntime.quantization import QuantType, quantize_dynamic
from student import BINS, FRAME, HOP, RATE, STYLE, WINDOW, Student, pitch_cycles
from torch import Tensor, nn

NAMES = ("asr", "F0", "N", "cyc", "style", "noise")
MARGIN = (WINDOW - HOP) // 2
MIDDLE = WINDOW // 2
#: Hops covered by one window.
REACH = 4
#: Without pitch the student outputs noise with the spectrum of a voice. A whisper has little energy below its formants.
WHISPER_ABOVE_HZ, WHISPER_GAIN = 300.0, 0.9


class Exported(nn.Module):
    """The student with its Fourier transforms as matrix products: cosines for the even part of a window, sines for the odd."""

    def __init__(self, student: Student):
        super().__init__()
        self.student = student
        angle = 2 * math.pi * torch.arange(1, MIDDLE + 1).double()[:, None] * torch.arange(BINS).double() / WINDOW
        window = torch.hann_window(WINDOW).double()[1 : MIDDLE + 1, None]
        unit = math.sqrt(WINDOW * 0.375)
        both = torch.full((BINS,), 2.0).double()
        both[0] = both[-1] = 1
        self.register_buffer("cosine", (window / unit * torch.cos(angle)).float())
        self.register_buffer("sine", (-window / unit * torch.sin(angle))[:-1].float())
        self.register_buffer("cosine_back", (window * unit / WINDOW * both * torch.cos(angle)).T.contiguous().float())
        self.register_buffer("sine_back", (-window * unit / WINDOW * both * torch.sin(angle))[:-1].T.contiguous().float())
        self.register_buffer("evenness", 1 / student.overlap)
        height = torch.arange(BINS) * (RATE / WINDOW / WHISPER_ABOVE_HZ)
        self.register_buffer("whisper", WHISPER_GAIN * height / torch.sqrt(1 + height**2))
        self.register_buffer("unshaded", torch.ones(BINS))

    @staticmethod
    def windows(signal: Tensor) -> Tensor:
        """All windows of a signal, [.., M, 512], from shifted copies."""
        hops = signal.shape[-1] // HOP
        signal = F.pad(signal, (MARGIN, REACH * HOP - MARGIN + HOP))
        shifted = [signal[..., i * HOP : (i + hops) * HOP].reshape(*signal.shape[:-1], hops, HOP) for i in range(REACH)]
        return torch.cat(shifted, -1)[..., :WINDOW]

    def transform(self, signal: Tensor) -> tuple[Tensor, Tensor]:
        windows = self.windows(signal)
        # The first sample of a window has weight zero; the centre sample has no mirror image.
        rising, middle, falling = windows[..., 1:MIDDLE], windows[..., MIDDLE : MIDDLE + 1], windows[..., MIDDLE + 1 :].flip(-1)
        return torch.cat([rising + falling, middle], -1) @ self.cosine, (rising - falling) @ self.sine

    def transform_back(self, real: Tensor, imaginary: Tensor) -> Tensor:
        even, odd = real @ self.cosine_back, imaginary @ self.sine_back
        sides, middle = even[..., :-1], even[..., -1:]
        pieces = torch.cat([torch.zeros_like(middle), sides + odd, middle, (sides - odd).flip(-1)], -1)
        batch, hops, _ = pieces.shape
        pieces = F.pad(pieces, (0, REACH * HOP - WINDOW)).reshape(batch, hops, REACH, HOP)
        wave = sum(F.pad(pieces[:, :, i], (0, 0, i, REACH - 1 - i)) for i in range(REACH)).reshape(batch, -1)
        wave = wave[:, MARGIN : MARGIN + hops * HOP].reshape(batch, hops, HOP) * self.evenness
        return wave.reshape(batch, hops * HOP)

    def forward(self, asr: Tensor, pitch: Tensor, energy: Tensor, cycles: Tensor, style: Tensor, noise: Tensor) -> Tensor:
        curves = self.student.curves(asr, pitch, energy, cycles, style)
        real, imaginary = self.transform(self.student.sources(pitch, cycles, noise))
        # A pitch of exactly 0 requests a whisper; the front never outputs it.
        whispered = (pitch == 0).repeat_interleave(2, 1)[..., None]
        gain, phase, *noise_gains = self.student.filters(curves, torch.where(whispered, self.whisper, self.unshaded))
        turn_real, turn_imaginary = gain * torch.cos(phase), gain * torch.sin(phase)
        made_real = real[:, 0] * turn_real - imaginary[:, 0] * turn_imaginary
        made_imaginary = real[:, 0] * turn_imaginary + imaginary[:, 0] * turn_real
        for source, noise_gain in enumerate(noise_gains, 1):
            made_real = made_real + real[:, source] * noise_gain
            made_imaginary = made_imaginary + imaginary[:, source] * noise_gain
        return self.transform_back(made_real, made_imaginary)


def example(frames: int, seed: int) -> tuple[Tensor, ...]:
    rng = torch.Generator().manual_seed(seed)
    normal = lambda *shape: torch.randn(*shape, generator=rng)
    pitch = 150 + 50 * normal(1, 2 * frames).cumsum(1).tanh()
    pitch[:, frames // 2 : frames] = 1
    return 0.3 * normal(1, 512, frames), pitch, 3 + normal(1, 2 * frames), pitch_cycles(pitch), 0.2 * normal(1, STYLE), normal(1, FRAME * frames)


def fold_gains(student: Student) -> None:
    """Folds the output gain of each block into its last layer."""
    for block in (*student.slow, *student.fast):
        gain = block.gain.detach()
        block.narrow.weight.data *= gain[:, None]
        block.narrow.bias.data *= gain
        del block.gain
        block.gain = 1.0


def write_float(student: Student, path: Path) -> None:
    length = {"asr": {2: "frames"}, "noise": {1: "samples"}, "wav": {1: "samples"}}
    axes = length | {name: {1: "half_frames"} for name in ("F0", "N", "cyc")}
    exported = Exported(student).eval()
    torch.onnx.export(exported, example(40, 1), str(path), input_names=list(NAMES), output_names=["wav"], dynamic_axes=axes, opset_version=20, dynamo=False)


def write_int8(source: Path, target: Path) -> None:
    tables = {"cosine", "sine", "cosine_back", "sine_back"}
    kept = [node.name for node in onnx.load(source).graph.node if tables & set(node.input)]
    assert len(kept) == len(tables), kept
    quantize_dynamic(source, target, op_types_to_quantize=["MatMul", "Gemm"], weight_type=QuantType.QInt8, per_channel=True, nodes_to_exclude=kept)


def compare(path: Path, student: Student) -> float:
    """Error of the file relative to the student on another shape, in dB."""
    session = onnxruntime.InferenceSession(str(path), providers=["CPUExecutionProvider"])
    inputs = example(61, 2)
    with torch.no_grad():
        expected = student(*inputs)
    made = torch.from_numpy(session.run(["wav"], {name: value.numpy() for name, value in zip(NAMES, inputs)})[0])
    return float(10 * torch.log10((made - expected).square().sum() / expected.square().sum()))


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("--student", type=Path, required=True)
    parser.add_argument("--out", type=Path, required=True)
    options = parser.parse_args()
    student = Student().eval()
    student.load_state_dict({name: value.float() for name, value in torch.load(options.student, map_location="cpu").items()})
    whole, small = options.student.with_suffix(".onnx"), options.out / "decoder-int8.onnx"
    fold_gains(student)
    write_float(student, whole)
    write_int8(whole, small)
    print(f"float32: {compare(whole, student):.1f} dB, int8: {compare(small, student):.1f} dB below the student")
    digest = hashlib.sha256(small.read_bytes()).hexdigest()
    (options.out / "decoder-int8.onnx.sha256").write_text(f"{digest}  decoder-int8.onnx\n")


if __name__ == "__main__":
    main()
