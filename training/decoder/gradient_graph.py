"""ONNX graphs of functions and of their gradients: from PyTorch to a file with small tables, and two graphs joined into one of
which the second is optional.
"""

import hashlib
from collections.abc import Callable
from pathlib import Path

import numpy as np
import onnx
import onnxruntime
import torch
from decoder import WEIGHT_STEPS
from onnx import TensorProto, helper, numpy_helper
from torch import Tensor
from torch._decomp import core_aten_decompositions
from torch.fx.experimental.proxy_tensor import make_fx


def slice_backward(gradient: Tensor, sizes: list[int], axis: int, start: int, end: int, step: int) -> Tensor:
    """The gradient of a slice is a padding; the default, a scatter into zeros, is large and slow."""
    assert step == 1
    axis %= len(sizes)
    start, end = (min(at + sizes[axis] if at < 0 else at, sizes[axis]) for at in (start, end))
    return torch.ops.aten.constant_pad_nd(gradient, [0, 0] * (len(sizes) - 1 - axis) + [start, sizes[axis] - end])


def select_backward(gradient: Tensor, sizes: list[int], axis: int, index: int) -> Tensor:
    axis, index = axis % len(sizes), index % sizes[axis]
    return slice_backward(gradient.unsqueeze(axis), sizes, axis, index, index + 1, 1)


BACKWARD = {torch.ops.aten.slice_backward.default: slice_backward, torch.ops.aten.select_backward.default: select_backward}


def shrink(model: onnx.ModelProto) -> None:
    """Stores large tables as int8 with one scale per row or column where that loses nothing, else as float16."""
    kept, nodes = [], []
    for tensor in model.graph.initializer:
        values = numpy_helper.to_array(tensor)
        if values.dtype != np.float32 or values.size < 4096:
            kept.append(tensor)
            continue
        packed = pack_int8(values)
        if packed is None:
            half = numpy_helper.from_array(values.astype(np.float16), f"{tensor.name}.half")
            kept.append(half)
            nodes.append(helper.make_node("Cast", [half.name], [tensor.name], to=TensorProto.FLOAT))
            continue
        steps, scale, axis = packed
        names = [f"{tensor.name}.steps", f"{tensor.name}.scale"]
        kept += [numpy_helper.from_array(steps, names[0]), numpy_helper.from_array(scale, names[1])]
        nodes.append(helper.make_node("DequantizeLinear", names, [tensor.name], axis=axis))
    del model.graph.initializer[:]
    model.graph.initializer.extend(kept)
    existing = list(model.graph.node)
    del model.graph.node[:]
    model.graph.node.extend(nodes + existing)


def remove_unit_powers(model: onnx.ModelProto) -> None:
    """The gradient of a square has powers of 1, each of which costs as much as any other power."""
    values = {tensor.name: tensor for tensor in model.graph.initializer}
    values |= {node.output[0]: part.t for node in model.graph.node if node.op_type == "Constant" for part in node.attribute if part.name == "value"}
    for node in model.graph.node:
        if node.op_type == "Pow" and node.input[1] in values and np.all(numpy_helper.to_array(values[node.input[1]]) == 1):
            node.op_type = "Identity"
            del node.input[1]


def pack_int8(values: np.ndarray) -> tuple[np.ndarray, np.ndarray, int] | None:
    if values.ndim != 2:
        return None
    for axis in (0, 1):
        largest = np.abs(values).max(1 - axis, keepdims=True)
        scale = np.maximum(largest, 1e-8) / WEIGHT_STEPS
        steps = np.round(values / scale)
        if np.abs(steps * scale - values).max() <= 1e-6 * np.abs(values).max():
            return steps.astype(np.int8), scale.ravel().astype(np.float32), axis
    return None


def graph_of(function: Callable, inputs: list[Tensor], names: list[str], outputs: list[str]) -> onnx.ModelProto:
    graph = make_fx(function, decomposition_table=core_aten_decompositions() | BACKWARD)(*inputs)
    model = torch.onnx.export(graph, tuple(inputs), dynamo=True, input_names=names, output_names=outputs).model_proto
    shrink(model)
    remove_unit_powers(model)
    return model


def add_optional(model: onnx.ModelProto, optional: onnx.ModelProto, key: str, absent: dict[str, np.ndarray]) -> None:
    """Adds a graph that is computed if its input `key` has more than one value; otherwise its outputs are those of `absent`. Its inputs become
    those of the model, with free dimensions, except the ones that the model computes. Outputs that are inputs of the model are connected."""
    branch, taken = optional.graph, {value.name for value in model.graph.input}
    produced = {name for node in model.graph.node for name in node.output}
    outputs = [value.name for value in branch.output]
    inner = {name for node in branch.node for name in node.output} | {tensor.name for tensor in branch.initializer}
    rename = {name: f"optional.{name}" for name in inner}
    for node in branch.node:
        node.name = node.name and f"optional.{node.name}"
        node.input[:] = [rename.get(name, name) for name in node.input]
        node.output[:] = [rename.get(name, name) for name in node.output]
    for tensor in branch.initializer:
        tensor.name = rename[tensor.name]
    for value in branch.input:
        if value.name not in taken | produced:
            free = [f"{value.name}.{axis}" for axis in range(len(value.type.tensor_type.shape.dim))]
            model.graph.input.append(helper.make_tensor_value_info(value.name, TensorProto.FLOAT, free))
    then = helper.make_graph(list(branch.node), "present", [], [renamed(value, rename) for value in branch.output], list(branch.initializer))
    constants = [helper.make_node("Constant", [], [f"absent.{name}"], value=numpy_helper.from_array(absent[name])) for name in outputs]
    other = helper.make_graph(constants, "absent", [], [renamed(value, {value.name: f"absent.{value.name}"}) for value in branch.output])
    nodes = [
        helper.make_node("Size", [key], ["optional.size"]),
        helper.make_node("Constant", [], ["optional.one"], value=numpy_helper.from_array(np.array(1, np.int64))),
        helper.make_node("Greater", ["optional.size", "optional.one"], ["optional.is_present"]),
        helper.make_node("If", ["optional.is_present"], outputs, then_branch=then, else_branch=other),
    ]
    # Behind what it needs, and before what needs it.
    place = 1 + max(index for index, node in enumerate(model.graph.node) if set(node.output) & {value.name for value in branch.input})
    existing = list(model.graph.node)
    del model.graph.node[:]
    model.graph.node.extend(existing[:place] + nodes + existing[place:])
    kept = [value for value in model.graph.input if value.name not in outputs]
    del model.graph.input[:]
    model.graph.input.extend(kept)
    model.graph.output.extend(value for value in branch.output if value.name not in taken)
    onnx.checker.check_model(model)


def renamed(value: onnx.ValueInfoProto, names: dict[str, str]) -> onnx.ValueInfoProto:
    copy = onnx.ValueInfoProto()
    copy.CopyFrom(value)
    copy.name = names.get(value.name, value.name)
    return copy


def basic_optimizations() -> onnxruntime.SessionOptions:
    """Those of the server. Further ones would multiply dequantised weights with rounded activations, unless `session.disable_quant_qdq` is set."""
    how = onnxruntime.SessionOptions()
    how.graph_optimization_level = onnxruntime.GraphOptimizationLevel.ORT_ENABLE_BASIC
    how.add_session_config_entry("session.disable_quant_qdq", "1")
    return how


def optimize(path: Path) -> None:
    """Optimizes a file as the server does when it opens it, except that small tables stay small. The results stay the same to the bit, and
    opening takes two thirds of the time."""
    how = basic_optimizations()
    how.optimized_model_filepath = str(path)
    onnxruntime.InferenceSession(path.read_bytes(), how, providers=["CPUExecutionProvider"], disabled_optimizers=["ConstantFolding"])


def save(model: onnx.ModelProto, inputs: dict[str, Tensor], expected: dict[str, Tensor], path: Path) -> None:
    """Writes a graph, and prints how far it is from PyTorch."""
    onnx.save(model, path)
    optimize(path)
    session = onnxruntime.InferenceSession(str(path), basic_optimizations(), providers=["CPUExecutionProvider"])
    made = session.run(list(expected), {name: value.numpy() for name, value in inputs.items()})
    for (name, b), a in zip(expected.items(), made):
        print(name, float(np.abs(a - b.numpy()).max()), float(b.abs().max()))
    digest = hashlib.sha256(path.read_bytes()).hexdigest()
    path.with_name(f"{path.name}.sha256").write_text(f"{digest}  {path.name}\n")
    print(f"{path.name}: {path.stat().st_size / 1e6:.1f} MB, {len(onnx.load(path).graph.node)} nodes")
