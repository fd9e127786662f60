"""Stage 4, on any CPU: the graphs the server runs.

    python export.py --lab lab --models out --out ../../server/assets/voice-encoder
"""

import argparse
import math
from pathlib import Path

import numpy as np
import onnx
import torch
import torch.nn.functional as F
from features import Ge2e, XVector
from networks import EMBEDDINGS, GROUPS, WEIGHTS, Encoder, Listener
from onnx import TensorProto, helper, numpy_helper
from speak import SpeakerSpace
from torch import Tensor, nn


class Front(nn.Module):
    """Samples at 16 kHz to the same at 8 kHz, cepstra for the x-vector and mel energies for GE2E.

    All that happens to a frame before its spectrum is taken (mean, emphasis, window, transform) is one matrix.
    """

    def __init__(self, x_vector: XVector, ge2e: Ge2e):
        super().__init__()
        self.x_vector, self.ge2e = x_vector, ge2e
        offsets = torch.arange(-50, 52, dtype=torch.float64)
        t = offsets * 0.485
        taper = torch.special.i0(9 * (1 - (t / 24).square()).clamp_min(0).sqrt()) / torch.special.i0(torch.tensor(9.0))
        self.register_buffer("half_band", (torch.sinc(t) * 0.485 * taper * (t.abs() <= 24)).float()[None, None])
        size = XVector.FRAME
        demean = torch.eye(size, dtype=torch.float64) - 1 / size
        emphasis = torch.eye(size, dtype=torch.float64) - 0.97 * torch.eye(size, dtype=torch.float64).roll(1, 1).triu(1).T
        emphasis[0, 0] = 1 - 0.97
        steps = torch.diag(x_vector.window.double()) @ emphasis @ demean
        self.register_buffer("cepstral", transform(XVector.FFT, size) @ steps.float())
        self.register_buffer("spectral", transform(Ge2e.FFT, Ge2e.FFT) @ torch.diag(ge2e.window))

    def forward(self, samples: Tensor) -> tuple[Tensor, Tensor, Tensor]:
        low = F.conv1d(F.pad(samples[:, None], (50, 51)), self.half_band, stride=2)
        scaled = low * 32768
        cepstra = torch.log((powers(scaled, self.cepstral, XVector.HOP) @ self.x_vector.filters).clamp_min(1.19e-7)) @ self.x_vector.dct
        mean = F.avg_pool1d(scaled, XVector.FRAME, XVector.HOP)
        energy = (F.avg_pool1d(scaled * scaled, XVector.FRAME, XVector.HOP) - mean * mean) * XVector.FRAME
        cepstra = torch.cat([torch.log(energy.clamp_min(1e-10)).transpose(1, 2), cepstra[:, :, 1:]], 2)
        padded = F.pad(samples[:, None], (Ge2e.FFT // 2, Ge2e.FFT // 2))
        return low[:, 0], cepstra, powers(padded, self.spectral, Ge2e.HOP) @ self.ge2e.filters


def transform(size: int, length: int) -> Tensor:
    """Cosines, then sines, of all frequencies up to half the rate."""
    angle = 2 * math.pi * torch.arange(size // 2 + 1, dtype=torch.float64)[:, None] * torch.arange(length) / size
    return torch.cat([angle.cos(), angle.sin()]).float()


def powers(samples: Tensor, matrix: Tensor, hop: int) -> Tensor:
    real, imaginary = F.conv1d(samples, matrix[:, None], stride=hop).chunk(2, 1)
    return (real * real + imaginary * imaginary).transpose(1, 2)


class Partials(nn.Module):
    """GE2E embeddings of windows of mel energies."""

    def __init__(self, ge2e: Ge2e):
        super().__init__()
        self.lstm, self.linear = ge2e.lstm, ge2e.linear

    def forward(self, windows: Tensor) -> Tensor:
        output, _ = self.lstm(windows)
        return F.normalize(F.relu(self.linear(output[:, -1])), dim=1)


class Descent(nn.Module):
    """How far a voice is from a target by what the listener expects, and the direction in which that falls.

    `bias` is what a trial showed the listener to be wrong by. `anchor` holds the coordinates near a known place.
    """

    def __init__(self, listener: Listener):
        super().__init__()
        self.listener = listener

    def forward(self, voice: Tensor, target: Tensor, bias: Tensor, pull: Tensor, anchor: Tensor):
        model = self.listener
        a1 = model.enter(voice)
        h1 = F.silu(a1)
        a2 = model.middle(h1)
        h2 = h1 + F.silu(a2)
        predicted = model.leave(h2) + model.direct(voice)
        heard = predicted + bias
        total, slopes = torch.zeros_like(pull[:, :1]), []
        for name, part in GROUPS.items():
            x, y = heard[:, part], target[:, part]
            if name in EMBEDDINGS:
                length = x.norm(dim=1, keepdim=True)
                unit = x / length
                cosine = (unit * y).sum(1, keepdim=True)
                total = total + 2 * WEIGHTS[name] * (1 - cosine)
                slopes.append(-2 * WEIGHTS[name] * (y - cosine * unit) / length)
            else:
                total = total + WEIGHTS[name] * (x - y).square().sum(1, keepdim=True)
                slopes.append(2 * WEIGHTS[name] * (x - y))
        slope = torch.cat(slopes, 1)
        back2 = slope @ model.leave.weight
        back1 = back2 + (back2 * silu_slope(a2)) @ model.middle.weight
        gradient = (back1 * silu_slope(a1)) @ model.enter.weight + slope @ model.direct.weight
        gradient = gradient + 2 * pull[:, :1] * voice + 2 * pull[:, 1:] * (voice - anchor)
        return total, gradient, predicted


def silu_slope(x: Tensor) -> Tensor:
    gate = torch.sigmoid(x)
    return gate * (1 + x * (1 - gate))


def load(model: nn.Module, path: Path) -> nn.Module:
    weights = np.load(path)
    model.load_state_dict({name: torch.from_numpy(weights[name].astype(np.float32)) for name in weights.files})
    return model.eval()


def write(model: nn.Module, inputs: dict[str, Tensor], outputs: list[str], dynamic: dict, path: Path) -> None:
    torch.onnx.export(model.eval(), tuple(inputs.values()), path, input_names=list(inputs), output_names=outputs,
                      dynamic_axes=dynamic, opset_version=17, dynamo=False)
    graph = onnx.load(path)
    halve_weights(graph.graph)
    onnx.save(graph, path)


def halve_weights(graph: onnx.GraphProto) -> None:
    """Keeps large weights as float16; the runtime widens them once, when it loads the graph."""
    casts = []
    for tensor in graph.initializer:
        array = numpy_helper.to_array(tensor)
        if array.dtype != np.float32 or array.size < 1024:
            continue
        casts.append(helper.make_node("Cast", [f"{tensor.name}.half"], [tensor.name], to=TensorProto.FLOAT))
        tensor.CopyFrom(numpy_helper.from_array(array.astype(np.float16), f"{tensor.name}.half"))
    nodes = casts + list(graph.node)
    del graph.node[:]
    graph.node.extend(nodes)


@torch.no_grad()
def main() -> None:
    parser = argparse.ArgumentParser()
    for name in ("lab", "models", "out"):
        parser.add_argument(f"--{name}", type=Path, required=True)
    options = parser.parse_args()
    options.out.mkdir(parents=True, exist_ok=True)
    x_vector, ge2e = XVector(options.lab / "xvector.npz"), Ge2e(options.lab / "ge2e.npz")
    row = lambda size: torch.zeros(1, size)
    write(Front(x_vector, ge2e), {"samples": torch.randn(1, 16000)}, ["low", "cepstra", "mel"],
          {"samples": {1: "samples"}, "low": {1: "low"}, "cepstra": {1: "cepstra"}, "mel": {1: "mel"}}, options.out / "front.onnx")
    write(Partials(ge2e), {"windows": torch.rand(2, 160, 40)}, ["embeddings"],
          {"windows": {0: "windows"}, "embeddings": {0: "windows"}}, options.out / "ge2e.onnx")
    write(load(Encoder(), options.models / "encoder.npz"), {"measures": row(426)}, ["coordinates"], {}, options.out / "encoder.onnx")
    write(Descent(load(Listener(), options.models / "listener.npz")),
          {"voice": row(512), "target": row(426), "bias": row(426), "pull": row(2), "anchor": row(512)},
          ["distance", "gradient", "predicted"], {}, options.out / "listener.onnx")
    space = SpeakerSpace(torch.from_numpy(np.load(options.lab / "speakers.npy").astype(np.float32)))
    # Mean first, then one row per coordinate: its axis times its scale.
    np.concatenate([space.mean[None], space.axes * space.scales[:, None]]).astype("<f2").tofile(options.out / "space.f16")


if __name__ == "__main__":
    main()
