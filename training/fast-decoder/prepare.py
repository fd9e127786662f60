"""Stage 1, on any CPU: collects the inputs of the GPU stages in one folder of about 90 MB.

    python prepare.py --kokoro kokoro-fp32.onnx --voices VOICES --tokens tokens.jsonl --out lab

VOICES is the model `kokoro-voices` of the server's model store.
"""

import argparse
import json
import re
from pathlib import Path

import numpy as np
import onnx
import torch
from onnx import numpy_helper
from packed import save_packed
from torch import Tensor

#: Style rows used of each voice: those for texts of 6, 12, ... 198 phonemes.
ROWS = range(6, 204, 6)
LONGEST_TEXT = 200
#: First letter of the voice names of each language.
LANGUAGES = {"en-US": "a", "en-GB": "b", "es": "e", "fr": "f", "hi": "h", "it": "i", "ja": "j", "pt-BR": "p", "zh": "z"}


def module_of(node: str) -> str:
    """The module a node was traced from: `/decoder/decoder/encode/conv1/Conv` is `decoder.encode.conv1`."""
    name = node.strip("/").replace("/", ".").rsplit(".", 1)[0]
    return plain_name(re.sub(r"^encoder\.(F0|N)\.", r"predictor.\1.", name))


def plain_name(name: str) -> str:
    return re.sub(r"^encoder\.", "", name.replace("decoder.decoder.", "decoder."))


def torch_gates(values: np.ndarray) -> np.ndarray:
    """ONNX orders the gates of an LSTM input, output, forget, cell; PyTorch input, forget, cell, output."""
    i, o, f, c = np.split(values, 4, 0)
    return np.concatenate([i, f, c, o], 0)


def read_teacher(path: Path) -> dict[str, Tensor]:
    """The weights of the official file under the names of its modules."""
    graph = onnx.load(path).graph
    stored = {tensor.name: numpy_helper.to_array(tensor) for tensor in graph.initializer}
    found: dict[str, np.ndarray] = {}
    for node in graph.node:
        inputs = list(node.input)
        if node.op_type in ("Conv", "ConvTranspose") and inputs[1] in stored:
            named = len(inputs) > 2 and inputs[2].endswith(".bias")
            name = plain_name(inputs[2].removesuffix(".bias")) if named else module_of(node.name)
            found[f"{name}.weight"] = stored[inputs[1]]
        elif node.op_type == "MatMul":
            for weight in (stored[name] for name in inputs if name in stored):
                name = module_of(node.name)
                # The twelve layers of ALBERT share their weights; the trace numbers them.
                name = re.sub(r"_\d+$", "", name) if "albert" in name else name
                found[f"{name}.weight"] = weight.T
        elif node.op_type == "LSTM":
            name = module_of(node.name)
            name = "predictor.shared" if name == "shared" else name
            weight, recurrent, bias = (stored[key] for key in inputs[1:4])
            for direction, suffix in enumerate(("", "_reverse")):
                halves = np.split(bias[direction], 2)
                for key, value in (("weight_ih", weight[direction]), ("weight_hh", recurrent[direction]),
                                   ("bias_ih", halves[0]), ("bias_hh", halves[1])):
                    found[f"{name}.{key}_l0{suffix}"] = torch_gates(value)
    for key, value in stored.items():
        if re.search(r"\.(bias|weight|gamma|beta)$|\.alpha", key) and value.dtype == np.float32:
            found.setdefault(plain_name(key), value)
    return {name: torch.from_numpy(np.array(value)) for name, value in found.items()}


def main() -> None:
    parser = argparse.ArgumentParser()
    for name in ("kokoro", "voices", "tokens", "out"):
        parser.add_argument(f"--{name}", type=Path, required=True)
    options = parser.parse_args()
    options.out.mkdir(parents=True, exist_ok=True)
    save_packed(read_teacher(options.kokoro), options.out / "teacher.npz")
    voices = sorted(options.voices.glob("*.bin"))
    tables = np.stack([np.fromfile(path, np.float32).reshape(510, 256)[list(ROWS)] for path in voices])
    np.savez(options.out / "voices.npz", styles=tables.astype(np.float16), letters=[path.name[0] for path in voices])
    texts = [json.loads(line) for line in options.tokens.read_text().splitlines()]
    texts = [text for text in texts if len(text["ids"]) <= LONGEST_TEXT]
    rows = [text["ids"] + [0] * (LONGEST_TEXT - len(text["ids"])) for text in texts]
    np.savez_compressed(options.out / "texts.npz", ids=np.array(rows, np.uint8), lengths=[len(text["ids"]) for text in texts],
                        letters=[LANGUAGES[text["language"]] for text in texts])


if __name__ == "__main__":
    main()
