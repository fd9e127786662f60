"""Stage 1, on any CPU: collects the inputs of the other stages in one small folder.

    python prepare.py --vits DERIVED --xvector XVECTOR.onnx --ge2e pretrained.pt --ids token-ids.jsonl --out lab

DERIVED is the folder `derived` of the model `piper-libritts-r-medium` in the server's model store.
"""

import argparse
import json
from pathlib import Path

import numpy as np
import onnx
import onnxruntime
import torch
from onnx import numpy_helper

DURATION_NOISE = 0.333
SENTENCES, DURATIONS_PER_SENTENCE = 120, 12


def halve(source: Path, target: Path) -> None:
    """Stores the weights of a graph as float16; they are converted back when read."""
    model = onnx.load(source)
    for tensor in model.graph.initializer:
        array = numpy_helper.to_array(tensor)
        if array.dtype == np.float32:
            tensor.CopyFrom(numpy_helper.from_array(array.astype(np.float16), tensor.name))
    onnx.save(model, target)


def x_vector_weights(source: Path) -> dict[str, np.ndarray]:
    w = {t.name: numpy_helper.to_array(t) for t in onnx.load(source).graph.initializer}
    weights = {"fc_weight": w["fc.weight"], "fc_bias": w["fc.bias"], "centre": w["mean"], "whitening": w["onnx::MatMul_83"]}
    for layer in range(5):
        weights |= {f"weight{layer}": w[f"L.{layer}.weight"], f"bias{layer}": w[f"L.{layer}.bias"],
                    f"mean{layer}": w[f"m{layer + 1}"], f"scale{layer}": w[f"sc{layer + 1}"]}
    return weights


def sentence_priors(vits: Path, ids_file: Path, speakers: np.ndarray) -> dict[str, np.ndarray]:
    """Prior of every sentence (8 bits per value, far below its noise) and durations of several speakers."""
    rng = np.random.default_rng(2)
    front = onnxruntime.InferenceSession(vits / "front.v1.onnx", providers=["CPUExecutionProvider"])
    out: dict[str, np.ndarray] = {}
    lines = ids_file.read_text().splitlines()
    for number, line in enumerate(lines[:: len(lines) // SENTENCES][:SENTENCES]):
        ids = np.array([json.loads(line)], np.int64)
        count = ids.shape[1]
        durations = []
        for row in rng.choice(len(speakers), DURATIONS_PER_SENTENCE, replace=False):
            frames, mean, log_scale = front.run(["duration_frames", "latent_mean", "latent_log_scale"], {
                "input": ids, "input_lengths": np.array([count], np.int64),
                "scales": np.array([0, 1, DURATION_NOISE], np.float32), "speaker_vector": speakers[row][None],
                "duration_noise": rng.standard_normal((1, 2, count), np.float32),
            })
            durations.append(frames[0, 0].astype(np.uint8))
        for name, value in (("mean", mean[0]), ("log_scale", log_scale[0])):
            step = np.abs(value).max(1, keepdims=True) / 127
            out[f"{name}_{number}"] = np.round(value / step).astype(np.int8)
            out[f"{name}_step_{number}"] = step.astype(np.float32)
        out[f"durations_{number}"] = np.stack(durations)
    return out


def main() -> None:
    parser = argparse.ArgumentParser()
    for name in ("vits", "xvector", "ge2e", "ids", "out"):
        parser.add_argument(f"--{name}", type=Path, required=True)
    options = parser.parse_args()
    options.out.mkdir(parents=True, exist_ok=True)
    for part in ("flow", "decoder"):
        halve(options.vits / f"{part}.v1.onnx", options.out / f"{part}.onnx")
    speakers = np.fromfile(options.vits / "speakers.v1.f32", np.float32).reshape(904, 512)
    np.save(options.out / "speakers.npy", speakers.astype(np.float16))
    half = lambda weights: {name: value.astype(np.float16) for name, value in weights.items()}
    np.savez(options.out / "xvector.npz", **half(x_vector_weights(options.xvector)))
    state = torch.load(options.ge2e, map_location="cpu", weights_only=False)["model_state"]
    np.savez(options.out / "ge2e.npz", **half({k: v.numpy() for k, v in state.items() if not k.startswith("similarity")}))
    np.savez_compressed(options.out / "priors.npz", **sentence_priors(options.vits, options.ids, speakers))


if __name__ == "__main__":
    main()
