"""Flow and decoder of the 904-speaker VITS in PyTorch, in batches, from the parts that the server derives."""

from functools import cache

import numpy as np
import onnx
import torch
import torch.nn.functional as F
from onnx import numpy_helper
from torch import Tensor


class OnnxPart(torch.nn.Module):
    """Runs an ONNX graph of the operators VITS uses, on any device and for any batch."""

    def __init__(self, path: str):
        super().__init__()
        graph = onnx.load(path).graph
        self.inputs = [value.name for value in graph.input]
        self.outputs = [value.name for value in graph.output]
        self.constants = {}
        for tensor in graph.initializer:
            array = numpy_helper.to_array(tensor)
            if array.dtype in (np.float32, np.float16):
                self.register_buffer(f"w{len(self.constants)}", torch.from_numpy(array.astype(np.float32)))
                self.constants[tensor.name] = f"w{len(self.constants)}"
            else:
                self.constants[tensor.name] = array
        self.nodes = [
            (n.op_type, list(n.input), list(n.output), {a.name: onnx.helper.get_attribute_value(a) for a in n.attribute})
            for n in graph.node
        ]

    def _constant(self, name: str):
        value = self.constants[name]
        return getattr(self, value) if isinstance(value, str) else value

    @cache
    def _nodes_for(self, given: frozenset[str]) -> list:
        """The nodes between the given values and the output."""
        wanted, nodes = set(self.outputs), []
        for node in reversed(self.nodes):
            if any(name in wanted and name not in given for name in node[2]):
                nodes.append(node)
                wanted.update(node[1])
        return nodes[::-1]

    def forward(self, **feeds: Tensor) -> Tensor:
        values = dict(feeds)

        def get(name):
            return values[name] if name in values else self._constant(name)

        def ints(name):
            value = get(name)
            return [int(v) for v in (value.reshape(-1).tolist())]

        for op, inputs, outputs, attributes in self._nodes_for(frozenset(feeds)):
            x = get(inputs[0]) if inputs and inputs[0] else None
            if op == "Conv":
                bias = get(inputs[2]) if len(inputs) > 2 else None
                y = F.conv1d(x, get(inputs[1]).to(x.dtype), None if bias is None else bias.to(x.dtype),
                             stride=attributes.get("strides", [1])[0], padding=attributes.get("pads", [0])[0],
                             dilation=attributes.get("dilations", [1])[0], groups=attributes.get("group", 1))
            elif op == "ConvTranspose":
                y = F.conv_transpose1d(x, get(inputs[1]).to(x.dtype), get(inputs[2]).to(x.dtype),
                                       stride=attributes["strides"][0], padding=attributes["pads"][0])
            elif op in ("Add", "Sub", "Mul", "Div"):
                a, b = (torch.as_tensor(get(name)) for name in inputs)
                a, b = (v.to(feeds["speaker_vector"].device) for v in (a, b))
                y = {"Add": torch.add, "Sub": torch.sub, "Mul": torch.mul, "Div": torch.div}[op](a, b)
                if y.dtype == torch.float32 and any(v.dtype == torch.float16 for v in (a, b)):
                    y = y.half()
            elif op == "LeakyRelu":
                y = F.leaky_relu(x, attributes.get("alpha", 0.01))
            elif op == "Tanh":
                y = torch.tanh(x)
            elif op == "Sigmoid":
                y = torch.sigmoid(x)
            elif op == "Exp":
                y = torch.exp(x)
            elif op == "Neg":
                y = -x
            elif op == "Unsqueeze":
                y = x
                for axis in sorted(attributes.get("axes") or ints(inputs[1])):
                    y = y.unsqueeze(axis)
            elif op == "Concat":
                y = torch.cat([get(name) for name in inputs], dim=attributes["axis"])
            elif op == "Split":
                sizes = attributes.get("split") or ints(inputs[1])
                values.update(zip(outputs, torch.split(x, list(sizes), dim=attributes.get("axis", 0))))
                continue
            elif op == "Slice":
                starts, ends = ints(inputs[1]), ints(inputs[2])
                axes = ints(inputs[3]) if len(inputs) > 3 else range(len(starts))
                steps = ints(inputs[4]) if len(inputs) > 4 else [1] * len(starts)
                y = x
                for start, end, axis, step in zip(starts, ends, axes, steps):
                    if step == -1:
                        y = torch.flip(torch.as_tensor(y), [axis])
                    elif isinstance(y, np.ndarray):
                        y = y[slice(start, end)]
                    else:
                        index = [slice(None)] * y.dim()
                        index[axis] = slice(start, None if end > 2**31 else end)
                        y = y[tuple(index)]
            elif op == "Shape":
                y = np.array(x.shape, dtype=np.int64)
            elif op == "ConstantOfShape":
                value = numpy_helper.to_array(attributes["value"])[0] if "value" in attributes else np.float32(0)
                y = np.full([int(v) for v in np.atleast_1d(x)], value)
                if y.dtype == np.float32:
                    y = torch.from_numpy(y).to(feeds["speaker_vector"].device)
            else:
                raise NotImplementedError(op)
            values[outputs[0]] = y
        return values[self.outputs[0]]


class Vits(torch.nn.Module):
    """Prior frames and speaker vectors to samples. All clips of a batch have equal length, so no mask is needed."""

    def __init__(self, folder: str):
        super().__init__()
        self.flow = OnnxPart(f"{folder}/flow.onnx")
        self.decoder = OnnxPart(f"{folder}/decoder.onnx")
        self.mask = self._mask_name()

    def _mask_name(self) -> str:
        """Name of the mask that the flow derives from the durations; here it is all ones."""
        cast = [outputs for op, _, outputs, _ in self.flow.nodes if op == "Cast"]
        return cast[-1][0]

    def forward(self, prior: Tensor, speaker: Tensor) -> Tensor:
        mask = torch.ones(prior.shape[0], 1, prior.shape[2], dtype=prior.dtype, device=prior.device)
        latent = self.flow(latent_prior=prior, speaker_vector=speaker, **{self.mask: mask})
        return self.decoder(latent=latent, speaker_vector=speaker).flatten(1)
