"""Stage 3, on any CPU: the trained front as the ONNX file of the server.

    PYTHONPATH=../fast-decoder:../decoder python export.py --run run --out ../../server/assets/front

Linear layers become int8 with seven-bit weights; durations, pitch, energy and the style stay in float32.
"""

import argparse
import hashlib
import tempfile
from pathlib import Path

import numpy as np
import onnx
import onnxruntime
import torch
from network import Front, place_features
from onnxruntime.quantization import QuantType, quantize_dynamic
from packed import load_packed
from torch import Tensor, nn

KEPT = ("/front/duration", "/front/leave", "/front/style", "/front/film", "/front/place")
NAMES = ("input_ids", "style", "speed")
OUTPUTS = ("durations", "asr", "pitch", "energy")


class Exported(nn.Module):
    """One text: tokens with pads [1, L], style row [1, 256] and speed [1] to durations in frames [1, L], text features
    [1, 512, T], pitch and energy [1, 2T]."""

    def __init__(self, front: Front):
        super().__init__()
        self.front = front

    def forward(self, ids: Tensor, style: Tensor, speed: Tensor) -> tuple[Tensor, ...]:
        text, exact, entered, films = self.front.read(ids, style[:, 128:], None)
        durations = torch.round(exact / speed).clamp(min=1)
        ends = durations[0].cumsum(0)
        clock = torch.arange(ends[-1].long()).float()
        token = (clock[:, None] >= ends[None]).long().sum(1)
        length = durations[0][token]
        since = clock - (ends - durations[0])[token] + 0.5
        pitch, energy = self.front.sing(entered, token[None], place_features(since, length)[None], films, None)
        return durations, text[:, token].transpose(1, 2), pitch, energy


def fuse(source: Path, target: Path) -> None:
    """Fuses operators as the runtime does on load, except sums and norms, whose fused operator is slower."""
    options = onnxruntime.SessionOptions()
    options.graph_optimization_level = onnxruntime.GraphOptimizationLevel.ORT_ENABLE_EXTENDED
    options.optimized_model_filepath = str(target)
    onnxruntime.InferenceSession(str(source), options, providers=["CPUExecutionProvider"], disabled_optimizers=["SkipLayerNormFusion"])


@torch.no_grad()
def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("--run", type=Path, required=True)
    parser.add_argument("--out", type=Path, required=True)
    options = parser.parse_args()
    options.out.mkdir(parents=True, exist_ok=True)
    front = Front().eval()
    front.load_state_dict(load_packed(options.run / "front.npz"))
    module = Exported(front).eval()
    torch.manual_seed(1)
    example = (torch.randint(40, 160, (1, 61)), 0.2 * torch.randn(1, 256), torch.ones(1))
    target = options.out / "front-int8.onnx"
    axes = {"input_ids": {1: "tokens"}, "durations": {1: "tokens"}, "asr": {2: "frames"}, "pitch": {1: "half_frames"}, "energy": {1: "half_frames"}}
    with tempfile.TemporaryDirectory() as folder:
        plain, rounded = Path(folder) / "plain.onnx", Path(folder) / "rounded.onnx"
        torch.onnx.export(module, example, str(plain), input_names=list(NAMES), output_names=list(OUTPUTS), dynamic_axes=axes, opset_version=20, dynamo=False)
        excluded = [node.name for node in onnx.load(plain).graph.node if node.name.startswith(KEPT)]
        quantize_dynamic(plain, rounded, op_types_to_quantize=["MatMul", "Gemm"], weight_type=QuantType.QInt8, per_channel=True, reduce_range=True, nodes_to_exclude=excluded)
        fuse(rounded, target)
    session = onnxruntime.InferenceSession(str(target), providers=["CPUExecutionProvider"])
    example = (torch.randint(40, 160, (1, 33)), *example[1:])
    made = session.run(None, {name: value.numpy() for name, value in zip(NAMES, example)})
    expected = [value.numpy() for value in module(*example)]
    print("tokens with another duration:", int((made[0] != expected[0]).sum()), "of", made[0].size)
    for name, actual, reference in zip(OUTPUTS, made, expected):
        if actual.shape == reference.shape:
            print(f"{name}: {10 * np.log10(np.square(actual - reference).sum() / np.square(reference).sum() + 1e-12):.1f} dB below the network")
    digest = hashlib.sha256(target.read_bytes()).hexdigest()
    target.with_name(f"{target.name}.sha256").write_text(f"{digest}  {target.name}\n")


if __name__ == "__main__":
    main()
