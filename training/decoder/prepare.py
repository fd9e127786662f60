"""Stage 1, on any CPU: collects what the GPU needs into one folder of about 130 MB.

    python prepare.py --kokoro kokoro-fp32.onnx --voices VOICES --tokens tokens.jsonl --vits DERIVED --paired paired.jsonl \
      --xvector XVECTOR.onnx --ear EAR.onnx --released DECODER.onnx --discriminators disc_fp16.pt --out lab

VOICES is the model `kokoro-voices` of the server's model store, DERIVED the folder `derived` of its model
`piper-libritts-r-medium`. RELEASED is an earlier decoder with the same first blocks, whose weights are taken over.
"""

import argparse
import importlib.util
import json
import re
import shutil
from pathlib import Path

import numpy as np
import onnx
import onnxruntime
import torch
from onnx import numpy_helper
from decoder import SLOW
from packed import save_packed
from torch import Tensor

#: Style rows kept of each voice: those of texts of 6, 12, ... 198 phonemes.
ROWS = range(6, 204, 6)
LONGEST_TEXT = 200
DURATION_NOISE, DURATIONS_PER_SENTENCE = 0.333, 12
#: The first letter of a voice's name says which language is its own.
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


def voice_encoder_stage() -> object:
    """`../voice-encoder/prepare.py`, which has the same module name as this file."""
    path = Path(__file__).parent.parent / "voice-encoder/prepare.py"
    spec = importlib.util.spec_from_file_location("voice_encoder_prepare", path)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def paired_sentences(vits: Path, paired: Path, speakers: np.ndarray) -> dict[str, np.ndarray]:
    """Prior, durations by several speakers and tokens of every sentence that the VITS says. Priors have 8 bits, which is
    plenty beside their own noise."""
    rng = np.random.default_rng(2)
    front = onnxruntime.InferenceSession(vits / "front.v1.onnx", providers=["CPUExecutionProvider"])
    out: dict[str, np.ndarray] = {}
    for number, line in enumerate(paired.read_text().splitlines()):
        sentence = json.loads(line)
        ids = np.array([sentence["piper"]], np.int64)
        durations = []
        for row in rng.choice(len(speakers), DURATIONS_PER_SENTENCE, replace=False):
            frames, mean, log_scale = front.run(["duration_frames", "latent_mean", "latent_log_scale"], {
                "input": ids, "input_lengths": np.array([ids.size], np.int64),
                "scales": np.array([0, 1, DURATION_NOISE], np.float32), "speaker_vector": speakers[row][None],
                "duration_noise": rng.standard_normal((1, 2, ids.size), np.float32),
            })
            durations.append(frames[0, 0].astype(np.uint8))
        for name, value in (("mean", mean[0]), ("log_scale", log_scale[0])):
            step = np.abs(value).max(1, keepdims=True) / 127
            out[f"{name}_{number}"] = np.round(value / step).astype(np.int8)
            out[f"{name}_step_{number}"] = step.astype(np.float32)
        out[f"durations_{number}"] = np.stack(durations)
        out[f"owner_{number}"] = np.array(sentence["owner"], np.uint8)
        out[f"ids_{number}"] = np.array([0, *sentence["kokoro"], 0], np.uint8)
    return out


def read_released(path: Path) -> dict[str, Tensor]:
    """Weights of the decoder before this one that have a place here: its style network and its five slow blocks."""
    graph = onnx.load(path).graph
    stored = {tensor.name: numpy_helper.to_array(tensor) for tensor in graph.initializer}
    old = {name.removeprefix("student."): value for name, value in stored.items()
           if name.startswith("student.") and re.search(r"\.(weight|bias)$", name)}
    for node in graph.node:
        if node.op_type == "MatMulInteger":
            name = node.input[1].removesuffix("_quantized")
            scaled = stored[node.input[1]].astype(np.float32) * stored[f"{name}_scale"]
            # A node is called by the module it was traced from: `/slow.0/widen/MatMul_quant`, `/style/style.0/Gemm_...`.
            module = re.sub(r"/[^/]*$", "", node.name).strip("/").replace("/", ".").removeprefix("student.")
            old[f"{module.replace('style.style', 'style')}.weight"] = scaled.T
    found = {f"decoder.{name}": value for name, value in old.items() if name.startswith("slow.")}
    # Its first layer was a convolution over three frames; the pitch features of a frame were ordered by kind.
    weight = old["enter_slow.weight"]
    pitch = weight[:, 512:].reshape(-1, 7, 2, 3).transpose(0, 2, 1, 3).reshape(-1, 14, 3)
    found["decoder.enter_slow.weight"] = np.concatenate([weight[:, :512], pitch], 1).transpose(0, 2, 1).reshape(512, -1)
    found["decoder.enter_slow.bias"] = old["enter_slow.bias"]
    found |= {f"voice.{name}": value for name, value in old.items() if name.startswith("style.")}
    rows = 2 * SLOW[0] * SLOW[1]
    bias = old["film.bias"][:rows].copy().reshape(SLOW[1], 2, SLOW[0])
    bias[:, 0] += 1
    found["voice.film.weight"], found["voice.film.bias"] = old["film.weight"][:rows], bias.ravel()
    return {name: torch.from_numpy(np.array(value)) for name, value in found.items()}


def read_discriminators(path: Path) -> dict[str, Tensor]:
    """Discriminators of `studies/fast-decoder`, which had other names for the same layers."""
    names = {"d.": "parts.", ".cs.": ".layers.", ".st.": ".stacks.", ".o.": ".judge."}
    weights = {}
    for name, value in torch.load(path, map_location="cpu").items():
        if name.endswith(".w"):
            continue
        name = re.sub(r"^d\.", "parts.", name)
        for old, new in names.items():
            name = name.replace(old, new) if old != "d." else name
        name = name.replace("weight_g", "parametrizations.weight.original0").replace("weight_v", "parametrizations.weight.original1")
        weights[name] = value.float()
    return weights


def main() -> None:
    parser = argparse.ArgumentParser()
    for name in ("kokoro", "voices", "tokens", "vits", "paired", "xvector", "ear", "out"):
        parser.add_argument(f"--{name}", type=Path, required=True)
    for name in ("released", "discriminators"):
        parser.add_argument(f"--{name}", type=Path)
    options = parser.parse_args()
    options.out.mkdir(parents=True, exist_ok=True)
    earlier = voice_encoder_stage()
    for part in ("flow", "decoder"):
        earlier.halve(options.vits / f"{part}.v1.onnx", options.out / f"{part}.onnx")
    speakers = np.fromfile(options.vits / "speakers.v1.f32", np.float32).reshape(904, 512)
    np.save(options.out / "speakers.npy", speakers.astype(np.float16))
    np.savez(options.out / "xvector.npz", **{k: v.astype(np.float16) for k, v in earlier.x_vector_weights(options.xvector).items()})
    shutil.copy(options.ear, options.out / "ear.onnx")
    np.savez_compressed(options.out / "paired.npz", **paired_sentences(options.vits, options.paired, speakers))
    if options.released:
        save_packed(read_released(options.released), options.out / "start.npz")
    if options.discriminators:
        save_packed(read_discriminators(options.discriminators), options.out / "discriminators.npz")
    save_packed(read_teacher(options.kokoro), options.out / "teacher.npz")
    voices = sorted(options.voices.glob("*.bin"))
    tables = np.stack([np.fromfile(path, np.float32).reshape(510, 256)[list(ROWS)] for path in voices])
    np.savez(options.out / "voices.npz", styles=tables.astype(np.float16), letters=[path.name[0] for path in voices])
    texts = [json.loads(line) for line in options.tokens.read_text().splitlines()]
    texts = [text for text in texts if len(text["ids"]) <= LONGEST_TEXT]
    rows = [text["ids"] + [0] * (LONGEST_TEXT - len(text["ids"])) for text in texts]
    np.savez_compressed(options.out / "texts.npz", ids=np.array(rows, np.uint8), lengths=[len(text["ids"]) for text in texts],
                        letters=[LANGUAGES[text["language"]] for text in texts])
    (options.out / "ready").touch()


if __name__ == "__main__":
    main()
