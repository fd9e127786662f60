"""Stage 3, on any CPU: exports the trained students as the ONNX files of the server.

    python export.py --run run --out ../../server/assets/fast-front

The linear layers become int8 with seven-bit weights, which avoids saturation on processors without VNNI. The output
layers of the prosody predictor stay in float32.
"""

import argparse
import hashlib
import math
import sys
import tempfile
from pathlib import Path

import numpy as np
import onnx
import onnxruntime
import torch
from onnxruntime.quantization import QuantType, quantize_dynamic
from torch import Tensor, nn

sys.path.insert(0, str(Path(__file__).resolve().parent.parent / "fast-decoder"))
from packed import load_packed  # noqa: E402
from students import HEADS, WIDTH, ProsodyPredictor, TextEncoder  # noqa: E402


class ExportedTextEncoder(nn.Module):
    """The text encoder with attention as matrix products; the scale of the queries is folded into their weights."""

    def __init__(self, reader: TextEncoder):
        super().__init__()
        self.reader = reader
        with torch.no_grad():
            for layer in reader.layers:
                for values in (layer.attend.weight, layer.attend.bias):
                    values[:WIDTH] /= math.sqrt(WIDTH // HEADS)

    def forward(self, ids: Tensor) -> Tensor:
        reader = self.reader
        x = reader.enter(reader.norm(reader.words(ids) + reader.places.weight[: ids.shape[1]]))
        for layer in reader.layers:
            query, key, value = (
                part.view(1, -1, HEADS, WIDTH // HEADS).permute(0, *order)
                for part, order in zip(layer.attend(x).split(WIDTH, -1), ((2, 1, 3), (2, 3, 1), (2, 1, 3)))
            )
            seen = torch.softmax(query @ key, -1) @ value
            x = layer.norms[0](x + layer.gather(seen.permute(0, 2, 1, 3).reshape(1, -1, WIDTH)))
            x = layer.norms[1](x + layer.narrow(nn.functional.gelu(layer.widen(x), approximate="tanh")))
        return reader.leave(x)


class ExportedProsodyPredictor(nn.Module):
    """The prosody predictor for features as aligned by the front, [1, 640, T]; the style part of the features is dropped."""

    def __init__(self, melody: ProsodyPredictor):
        super().__init__()
        self.melody = melody

    def forward(self, said: Tensor, prosody: Tensor) -> tuple[Tensor, Tensor]:
        return self.melody(said[:, :512].transpose(1, 2), prosody)


def load(student: nn.Module, folder: Path, name: str) -> nn.Module:
    weights: dict[str, Tensor] = {}
    for path in sorted(folder.rglob(f"{name}-*.npz")):
        weights |= load_packed(path)
    student.load_state_dict(weights)
    return student.eval()


def fuse(source: Path, target: Path) -> None:
    """Fuses operators as the runtime does on load, except sums and norms, whose fused operator is eight times slower."""
    options = onnxruntime.SessionOptions()
    options.graph_optimization_level = onnxruntime.GraphOptimizationLevel.ORT_ENABLE_EXTENDED
    options.optimized_model_filepath = str(target)
    onnxruntime.InferenceSession(str(source), options, providers=["CPUExecutionProvider"], disabled_optimizers=["SkipLayerNormFusion"])


def write(module: nn.Module, example: tuple[Tensor, ...], target: Path, *, inputs: dict[str, dict], outputs: dict[str, dict], kept: tuple[str, ...] = ()) -> None:
    """Exports the module in int8; linear layers with a name prefix in `kept` stay in float32."""
    with tempfile.TemporaryDirectory() as folder:
        plain = Path(folder) / "plain.onnx"
        torch.onnx.export(module.eval(), example, str(plain), input_names=list(inputs), output_names=list(outputs), dynamic_axes=inputs | outputs, opset_version=20, dynamo=False)
        excluded = [node.name for node in onnx.load(plain).graph.node if node.name.startswith(kept)] if kept else []
        rounded = Path(folder) / "rounded.onnx"
        quantize_dynamic(plain, rounded, op_types_to_quantize=["MatMul", "Gemm"], weight_type=QuantType.QInt8, per_channel=True, reduce_range=True, nodes_to_exclude=excluded)
        fuse(rounded, target)
    with torch.no_grad():
        expected = module(*example)
    unoptimized = onnxruntime.SessionOptions()
    unoptimized.graph_optimization_level = onnxruntime.GraphOptimizationLevel.ORT_DISABLE_ALL
    session = onnxruntime.InferenceSession(str(target), unoptimized, providers=["CPUExecutionProvider"])
    made = session.run(None, {name: value.numpy() for name, value in zip(inputs, example)})
    for name, actual, reference in zip(outputs, made, expected if isinstance(expected, tuple) else (expected,)):
        off = np.square(actual - reference.numpy()).sum() / np.square(reference.numpy()).sum()
        print(f"{target.name}, {name}: int8 is {10 * np.log10(off):.1f} dB below the student")
    digest = hashlib.sha256(target.read_bytes()).hexdigest()
    target.with_name(f"{target.name}.sha256").write_text(f"{digest}  {target.name}\n")


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("--run", type=Path, required=True)
    parser.add_argument("--out", type=Path, required=True)
    options = parser.parse_args()
    options.out.mkdir(parents=True, exist_ok=True)
    rng = torch.Generator().manual_seed(1)
    ids = torch.randint(40, 160, (1, 61), generator=rng)
    reader = ExportedTextEncoder(load(TextEncoder(), options.run, "reader"))
    write(reader, (ids,), options.out / "reader-int8.onnx", inputs={"input_ids": {1: "tokens"}}, outputs={"read": {1: "tokens"}})
    said, prosody = torch.randn(1, 640, 97, generator=rng), 0.3 * torch.randn(1, 128, generator=rng)
    melody = ExportedProsodyPredictor(load(ProsodyPredictor(), options.run, "melody"))
    write(melody, (said, prosody), options.out / "melody-int8.onnx", inputs={"said": {2: "frames"}, "prosody": {}},
          outputs={"pitch": {1: "half_frames"}, "energy": {1: "half_frames"}}, kept=("/melody/leave", "/melody/style", "/melody/film"))


if __name__ == "__main__":
    main()
