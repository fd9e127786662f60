"""Extracts the weights of a released decoder, to continue training from them.

    python released.py --decoder ../../server/assets/fast-decoder/decoder-int8.onnx --out start
"""

import argparse
import re
from pathlib import Path

import numpy as np
import onnx
import torch
from onnx import numpy_helper
from packed import save_packed
from student import Student
from torch import Tensor

PREFIX = "student."


def read_released(path: Path) -> dict[str, Tensor]:
    graph = onnx.load(path).graph
    stored = {tensor.name: numpy_helper.to_array(tensor) for tensor in graph.initializer}
    weights = {name.removeprefix(PREFIX): value for name, value in stored.items()
               if name.startswith(PREFIX) and re.search(r"\.(weight|bias)$", name)}
    for node in graph.node:
        if node.op_type == "MatMulInteger":
            name = node.input[1].removesuffix("_quantized")
            scaled = stored[node.input[1]].astype(np.float32) * stored[f"{name}_scale"]
            # A node is named after the module it was traced from: `/slow.0/widen/MatMul_quant`, `/style/style.0/Gemm_...`.
            module = re.sub(r"/[^/]*$", "", node.name).strip("/").replace("/", ".").removeprefix(PREFIX)
            weights[f"{module.replace('style.style', 'style')}.weight"] = scaled.T
    student = Student()
    gains = {name: torch.ones_like(value) for name, value in student.state_dict().items() if name.endswith(".gain")}
    weights = gains | {name: torch.from_numpy(np.array(value)) for name, value in weights.items()}
    student.load_state_dict(weights)
    return weights


def main() -> None:
    parser = argparse.ArgumentParser()
    for name in ("decoder", "out"):
        parser.add_argument(f"--{name}", type=Path, required=True)
    options = parser.parse_args()
    options.out.mkdir(parents=True, exist_ok=True)
    save_packed(read_released(options.decoder), options.out / "student.npz")


if __name__ == "__main__":
    main()
