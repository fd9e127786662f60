"""Stage 5, on any CPU: exports the ONNX graphs of the server.

    python export.py --lab lab --models models --out ../../server/assets/voice-encoder
"""

import argparse
import math
from collections.abc import Callable
from pathlib import Path

import numpy as np
import onnx
import torch
import torch.nn.functional as F
from features import MelFrames, XVector
from networks import D_VECTOR_SIZE, EMBEDDINGS, GROUPS, MEASURES, SEARCH_WEIGHTS, DVectorNetwork, Encoder, Gender, MeasurePredictor
from onnx import TensorProto, helper, numpy_helper
from speak import SpeakerSpace
from torch import Tensor, nn
from train import load_network

#: A measure predictor of an earlier training with other voices, without d-vectors.
SECOND_PREDICTOR = Path(__file__).parent / "second-listener.npz"


class FeatureExtractor(nn.Module):
    """Samples at 16 kHz to samples at 8 kHz, cepstra for the x-vector and mel energies for the d-vector.

    Mean removal, pre-emphasis, window and Fourier transform of a frame are combined in one matrix.
    """

    def __init__(self, x_vector: XVector, mel: MelFrames):
        super().__init__()
        self.x_vector, self.mel = x_vector, mel
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
        self.register_buffer("spectral", transform(MelFrames.FFT, MelFrames.FFT) @ torch.diag(mel.window))

    def forward(self, samples: Tensor) -> tuple[Tensor, Tensor, Tensor]:
        low = F.conv1d(F.pad(samples[:, None], (50, 51)), self.half_band, stride=2)
        scaled = low * 32768
        cepstra = torch.log((powers(scaled, self.cepstral, XVector.HOP) @ self.x_vector.filters).clamp_min(1.19e-7)) @ self.x_vector.dct
        mean = F.avg_pool1d(scaled, XVector.FRAME, XVector.HOP)
        energy = (F.avg_pool1d(scaled * scaled, XVector.FRAME, XVector.HOP) - mean * mean) * XVector.FRAME
        cepstra = torch.cat([torch.log(energy.clamp_min(1e-10)).transpose(1, 2), cepstra[:, :, 1:]], 2)
        padded = F.pad(samples[:, None], (MelFrames.FFT // 2, MelFrames.FFT // 2))
        return low[:, 0], cepstra, powers(padded, self.spectral, MelFrames.HOP) @ self.mel.filters


def transform(size: int, length: int) -> Tensor:
    """Cosines, then sines, of all frequencies up to the Nyquist frequency."""
    angle = 2 * math.pi * torch.arange(size // 2 + 1, dtype=torch.float64)[:, None] * torch.arange(length) / size
    return torch.cat([angle.cos(), angle.sin()]).float()


def powers(samples: Tensor, matrix: Tensor, hop: int) -> Tensor:
    real, imaginary = F.conv1d(samples, matrix[:, None], stride=hop).chunk(2, 1)
    return (real * real + imaginary * imaginary).transpose(1, 2)


class EncoderWithGender(nn.Module):
    """Measures of a recording to coordinates and a gender score."""

    def __init__(self, encoder: Encoder, gender: Gender):
        super().__init__()
        self.encoder, self.gender = encoder, gender

    def forward(self, measures: Tensor) -> tuple[Tensor, Tensor]:
        return self.encoder(measures), self.gender(measures)


class SearchStep(nn.Module):
    """Predicted distance of a voice from a target, and its gradient.

    The mean of two predictors is used, because a search exploits the errors of a single one; the second has no d-vector.
    Pitch comes from a linear fit, which is more accurate than the predictors where the search leads. `bias` is the
    prediction error of a trial. `anchor` is the centre of the second regularisation term.
    """

    def __init__(self, first: MeasurePredictor, second: MeasurePredictor, pitch: nn.Linear):
        super().__init__()
        self.first, self.second, self.pitch = first, second, pitch

    def forward(self, voice: Tensor, target: Tensor, bias: Tensor, pull: Tensor, anchor: Tensor):
        d_vector = GROUPS["d_vector"]
        first, backpropagate_first = with_gradient(self.first, voice)
        second, backpropagate_second = with_gradient(self.second, voice)
        common = torch.cat([first[:, : d_vector.start], first[:, d_vector.stop :]], 1) / 2 + second / 2
        spectrum, pitch_range = common[:, d_vector.start : -2], common[:, -1:]
        predicted = torch.cat([common[:, : d_vector.start], first[:, d_vector], spectrum, self.pitch(voice), pitch_range], 1)
        corrected = predicted + bias
        total, gradients = torch.zeros_like(pull[:, :1]), {}
        for name, part in GROUPS.items():
            x, y = corrected[:, part], target[:, part]
            if name in EMBEDDINGS:
                length = x.norm(dim=1, keepdim=True)
                unit = x / length
                cosine = (unit * y).sum(1, keepdim=True)
                total = total + 2 * SEARCH_WEIGHTS[name] * (1 - cosine)
                gradients[name] = -2 * SEARCH_WEIGHTS[name] * (y - cosine * unit) / length
            else:
                total = total + SEARCH_WEIGHTS[name] * (x - y).square().sum(1, keepdim=True)
                gradients[name] = 2 * SEARCH_WEIGHTS[name] * (x - y)
        gradient = gradients["pitch"] @ self.pitch.weight
        gradients["pitch"] = torch.zeros_like(gradients["pitch"])
        halves = {name: gradient_part if name == "d_vector" else gradient_part / 2 for name, gradient_part in gradients.items()}
        gradient = gradient + backpropagate_first(torch.cat(list(halves.values()), 1))
        gradient = gradient + backpropagate_second(torch.cat([gradient_part for name, gradient_part in halves.items() if name != "d_vector"], 1))
        gradient = gradient + 2 * pull[:, :1] * voice + 2 * pull[:, 1:] * (voice - anchor)
        return total, gradient, predicted


def with_gradient(model: MeasurePredictor, voice: Tensor) -> tuple[Tensor, Callable[[Tensor], Tensor]]:
    """Predicted measures of a voice, and a function that backpropagates a gradient to the voice."""
    a1 = model.enter(voice)
    h1 = F.silu(a1)
    a2 = model.middle(h1)
    predicted = model.leave(h1 + F.silu(a2)) + model.direct(voice)

    def back(output_gradient: Tensor) -> Tensor:
        back2 = output_gradient @ model.leave.weight
        back1 = back2 + (back2 * silu_derivative(a2)) @ model.middle.weight
        return (back1 * silu_derivative(a1)) @ model.enter.weight + output_gradient @ model.direct.weight

    return predicted, back


def silu_derivative(x: Tensor) -> Tensor:
    gate = torch.sigmoid(x)
    return gate * (1 + x * (1 - gate))


def change_basis(encoder: Encoder, linear_layers: list[nn.Linear], speakers: Tensor) -> None:
    """Changes the basis from the principal axes of the training to the Cholesky factor that the server computes."""
    space = SpeakerSpace(speakers)
    factor = torch.linalg.cholesky(torch.cov(speakers.double().T))
    trained_from_server = torch.linalg.solve((space.axes * space.scales[:, None]).T.double(), factor)
    server_from_trained = torch.linalg.inv(trained_from_server).float()
    encoder.leave.weight.copy_(server_from_trained @ encoder.leave.weight)
    encoder.leave.bias.copy_(server_from_trained @ encoder.leave.bias)
    for layer in linear_layers:
        layer.weight.copy_(layer.weight @ trained_from_server.float())


def write(model: nn.Module, inputs: dict[str, Tensor], outputs: list[str], dynamic: dict, path: Path) -> None:
    torch.onnx.export(model.eval(), tuple(inputs.values()), path, input_names=list(inputs), output_names=outputs,
                      dynamic_axes=dynamic, opset_version=17, dynamo=False)
    graph = onnx.load(path)
    halve_weights(graph.graph)
    onnx.save(graph, path)


def halve_weights(graph: onnx.GraphProto) -> None:
    """Stores large weights as float16; the runtime converts them when it loads the graph."""
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
    x_vector = XVector(np.load(options.lab / "xvector.npz"))
    row = lambda size: torch.zeros(1, size)
    write(FeatureExtractor(x_vector, MelFrames()), {"samples": torch.randn(1, 16000)}, ["low", "cepstra", "mel"],
          {"samples": {1: "samples"}, "low": {1: "low"}, "cepstra": {1: "cepstra"}, "mel": {1: "mel"}}, options.out / "front.onnx")
    write(load_network(DVectorNetwork(), options.models / "ear.npz"), {"windows": torch.rand(2, 160, 40)}, ["embeddings"],
          {"windows": {0: "windows"}, "embeddings": {0: "windows"}}, options.out / "ear.onnx")
    encoder = load_network(Encoder(), options.models / "encoder.npz")
    predictors = [load_network(MeasurePredictor(), options.models / "listener.npz"),
                  load_network(MeasurePredictor(MEASURES - D_VECTOR_SIZE), SECOND_PREDICTOR)]
    pitch = load_network(nn.Linear(512, 1), options.models / "pitch.npz")
    linear_layers = [pitch, *(layer for predictor in predictors for layer in (predictor.enter, predictor.direct))]
    change_basis(encoder, linear_layers, torch.from_numpy(np.load(options.lab / "speakers.npy").astype(np.float32)))
    gender = load_network(Gender(), options.models / "gender.npz")
    write(EncoderWithGender(encoder, gender), {"measures": row(MEASURES)}, ["coordinates", "gender"], {}, options.out / "encoder.onnx")
    write(SearchStep(*predictors, pitch),
          {"voice": row(512), "target": row(MEASURES), "bias": row(MEASURES), "pull": row(2), "anchor": row(512)},
          ["distance", "gradient", "predicted"], {}, options.out / "listener.onnx")


if __name__ == "__main__":
    main()
