"""Stage 4, on a GPU: trains the other networks of the voice encoder on the measures of the previous stages.

    python train.py --lab lab --data data --out models --seconds 200

The measure predictor maps a voice to the measures of its speech, the encoder maps a recording to a voice. A search
through a learned predictor exploits its errors. Therefore, in rounds, voices are searched for realistic targets,
synthesized and measured, and the predictor is trained on these as well.
"""

import math
import time
from pathlib import Path

import numpy as np
import torch
import torch.nn.functional as F
from generate import CLIP_SECONDS, Measure
from networks import EMBEDDINGS, GROUPS, DVectorNetwork, Encoder, Gender, MeasurePredictor, descend, distance
from speak import RATE, Speaker, SpeakerSpace, resample
from stage import begin_stage
from torch import Tensor, nn

ROUNDS = 2
#: Shares of the time: predictor and encoder before each round, trials in the round, and both at the end.
SHARES = {"predictor": 0.09, "encoder": 0.04, "trials": 0.23, "last predictor": 0.17, "last encoder": 0.11}
PULL = 3e-4
GENDER_BORDER_HZ, GENDER_DAMPING = 160, 0.003
PITCH_DAMPING = 50


def schedule(optimizer: torch.optim.Optimizer, peak: float, done: float) -> None:
    for group in optimizer.param_groups:
        group["lr"] = peak * min(1, done * 20) * (1 - done) ** 1.5 + 1e-7


def batches(seconds: float, count: int, rng: torch.Generator, size: int = 2048):
    """Random rows until the time limit, with the elapsed share."""
    started = time.time()
    while (done := (time.time() - started) / seconds) < 1:
        yield torch.randint(count, (size,), generator=rng, device=rng.device), done


def spread_of(values: Tensor) -> Tensor:
    """Standard deviation of each measure; one value per embedding, because a cosine weighs all dimensions equally."""
    spread = values.std(0).clamp_min(3e-3)
    for name in EMBEDDINGS:
        spread[GROUPS[name]] = spread[GROUPS[name]].square().mean().sqrt()
    return spread


def train_predictor(data: dict[str, Tensor], held: int, seconds: float, rng: torch.Generator) -> MeasurePredictor:
    model = MeasurePredictor().to(rng.device)
    optimizer = torch.optim.AdamW(model.parameters(), weight_decay=0.02, fused=rng.device.type == "cuda")
    spread = spread_of(data["clean"])
    for pick, done in batches(seconds, len(data["voice"]) - held, rng):
        schedule(optimizer, 1e-3, done)
        error = (model(data["voice"][pick + held]) - data["clean"][pick + held]) / spread
        optimizer.zero_grad()
        error.square().mean().backward()
        optimizer.step()
    with torch.no_grad():
        for kind, rows in (("drawn", slice(0, held)), ("newest", slice(-2048, None))):
            predicted, true = model(data["voice"][rows]), data["clean"][rows]
            cosines = [F.cosine_similarity(predicted[:, GROUPS[n]], true[:, GROUPS[n]]).mean().item() for n in EMBEDDINGS]
            pitch = 12 * (predicted[:, 424] - true[:, 424]).abs().median().item()
            print(f"predictor, {kind} voices: x-vector {cosines[0]:.3f}, d-vector {cosines[1]:.3f}, pitch {pitch:.2f} semitones", flush=True)
    return model.requires_grad_(False)


def draw_unseen_targets(data: dict[str, Tensor], pick: Tensor, rng: torch.Generator) -> Tensor:
    """Targets outside the range of the engine, like real speakers: mixes of two voices, and noise."""
    count, device = len(pick), rng.device
    uniform = lambda low, high: low + (high - low) * torch.rand(count, 1, generator=rng, device=device)
    other = pick[torch.randperm(count, generator=rng, device=device)]
    damaged = torch.rand(count, 1, generator=rng, device=device) < 0.4
    known = data["damaged"].shape[0]
    own = torch.where(damaged, data["damaged"][pick % known], data["clean"][pick % known])
    foreign = data["clean"][other % known]
    target = own.clone()
    for name in EMBEDDINGS:
        part = GROUPS[name]
        noise = torch.randn(count, part.stop - part.start, generator=rng, device=device)
        mixed = own[:, part] + uniform(0, 0.7) * foreign[:, part] + uniform(0, 0.6) * F.normalize(noise, dim=1)
        target[:, part] = F.normalize(mixed, dim=1)
    target[:, GROUPS["spectrum"]] += uniform(0, 0.5) * (foreign - own)[:, GROUPS["spectrum"]]
    target[:, GROUPS["pitch"]] += 0.1 * torch.randn(count, 1, generator=rng, device=device)
    return target


def train_encoder(data: dict[str, Tensor], predictor: MeasurePredictor, held: int, seconds: float, rng: torch.Generator) -> Encoder:
    model = Encoder().to(rng.device)
    model.mean.copy_(data["clean"].mean(0))
    model.scale.copy_(spread_of(torch.cat([data["clean"], data["damaged"]])))
    optimizer = torch.optim.AdamW(model.parameters(), weight_decay=0.02, fused=rng.device.type == "cuda")
    known = len(data["damaged"])
    for pick, done in batches(seconds, known - held, rng):
        schedule(optimizer, 1e-3, done)
        pick = pick + held
        damaged = torch.rand(len(pick), 1, generator=rng, device=rng.device) < 0.6
        measured = torch.where(damaged, data["damaged"][pick], data["clean"][pick])
        unseen = draw_unseen_targets(data, pick, rng)
        voice = model(torch.cat([measured, unseen]))
        target = torch.cat([predictor(data["voice"][pick]), unseen])
        loss = (distance(predictor(voice), target) + PULL * voice.square().sum(1)).mean()
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
    with torch.no_grad():
        for kind in ("clean", "damaged"):
            voice = model(data[kind][:held])
            made, target = predictor(voice), predictor(data["voice"][:held])
            cosines = [F.cosine_similarity(made[:, GROUPS[n]], target[:, GROUPS[n]]).mean().item() for n in EMBEDDINGS]
            pitch = 12 * (made[:, 424] - target[:, 424]).abs().median().item()
            print(f"encoder, {kind}: x-vector {cosines[0]:.3f}, d-vector {cosines[1]:.3f}, pitch {pitch:.2f} semitones, length {voice.norm(dim=1).mean():.1f}", flush=True)
    return model


def fit_gender(data: dict[str, Tensor]) -> Gender:
    """Ridge regression. The gender of a voice is unknown, so its pitch is the label; x-vectors do not encode pitch."""
    known = len(data["damaged"])
    embeddings = torch.cat([data["clean"][:known], data["damaged"]])[:, GROUPS["x_vector"]].double()
    is_high = (data["clean"][:known, GROUPS["pitch"]] > math.log2(GENDER_BORDER_HZ)).repeat(2, 1)
    rows = F.pad(embeddings, (0, 1), value=1.0)
    # Both genders have the same total weight.
    weights = torch.where(is_high, 1 / is_high.sum(), 1 / (~is_high).sum()).double()
    damping = torch.full((rows.shape[1],), GENDER_DAMPING, dtype=torch.float64, device=rows.device)
    damping[-1] = 0
    sign = torch.where(is_high, 1.0, -1.0).double()
    solution = torch.linalg.solve(rows.T @ (rows * weights) + damping.diag(), rows.T @ (weights * sign)).float()
    model = Gender().to(rows.device)
    with torch.no_grad():
        model.judge.weight.copy_(solution[:-1].T)
        model.judge.bias.copy_(solution[-1])
        right = ((model(torch.cat([data["clean"][:known], data["damaged"]])) > 0) == is_high).float().mean()
    print(f"gender: agrees with pitch for {100 * right:.1f} %", flush=True)
    return model


def fit_pitch(data: dict[str, Tensor]) -> nn.Linear:
    """Linear fit from coordinates to pitch, which a search cannot exploit."""
    pitch = data["clean"][:, GROUPS["pitch"]].double()
    # Values outside are errors of the pitch tracker.
    sure = ((pitch > math.log2(80)) & (pitch < math.log2(360)))[:, 0]
    rows, pitch = F.pad(data["voice"][sure], (0, 1), value=1.0).double(), pitch[sure]
    damping = torch.eye(rows.shape[1], dtype=torch.float64, device=rows.device) * PITCH_DAMPING
    slope = torch.linalg.solve(rows.T @ rows + damping, rows.T @ pitch)
    rest = pitch - rows @ slope
    print(f"pitch: a linear fit explains {100 * (1 - rest.var() / pitch.var()):.1f} %, off by {12 * rest.abs().median():.2f} semitones", flush=True)
    model = nn.Linear(512, 1).to(rows.device)
    with torch.no_grad():
        model.weight.copy_(slope[:-1].T)
        model.bias.copy_(slope[-1])
    return model


class Trials:
    """Searches voices for unseen targets, synthesizes them and measures."""

    def __init__(self, lab: Path, d_vector: DVectorNetwork, device: str, seed: int):
        self.space = SpeakerSpace(torch.from_numpy(np.load(lab / "speakers.npy").astype(np.float32)).to(device))
        self.speaker = Speaker(str(lab), CLIP_SECONDS, device, seed)
        self.measure = Measure(lab, device, d_vector)

    def run(self, data: dict[str, Tensor], predictor: MeasurePredictor, encoder: Encoder, seconds: float, rng: torch.Generator, size: int = 128) -> None:
        voices, measured, expected = [], [], []
        for pick, _ in batches(seconds, len(data["damaged"]), rng, size):
            target = draw_unseen_targets(data, pick, rng)
            pull = 10 ** (-4 + 1.2 * torch.rand(size, generator=rng, device=rng.device))
            with torch.no_grad():
                start = encoder(target)
            voice = descend(predictor, start, target, pull, steps=int(torch.randint(20, 120, (1,), generator=rng, device=rng.device)))
            vectors = self.space.to_vectors(voice)
            clean = self.measure(resample(self.speaker.speak(vectors), RATE, 16000))
            voices.append(voice)
            measured.append(clean.clone())
            expected.append(distance(clean, target).mean())
        print(f"trials: {len(voices) * size} voices, distance to their targets {torch.stack(expected).mean():.3f}", flush=True)
        data["voice"] = torch.cat([data["voice"], *voices])
        data["clean"] = torch.cat([data["clean"], *measured])


def load_network(network: nn.Module, path: Path) -> nn.Module:
    """Loads the weights of a network for inference."""
    weights = np.load(path)
    network.load_state_dict({name: torch.from_numpy(weights[name].astype(np.float32)) for name in weights.files})
    return network.eval().requires_grad_(False)


def main() -> None:
    options, rng = begin_stage(("lab", "data", "out"), seed=3)
    device = rng.device.type
    data = {name: torch.from_numpy(np.load(options.data / f"{name}.npy")).float().to(device)
            for name in ("voice", "clean", "damaged")}
    held = len(data["voice"]) // 50
    print(len(data["voice"]), "clips,", held, "held out", flush=True)
    trials = Trials(options.lab, load_network(DVectorNetwork(), options.out / "ear.npz").to(device), device, options.seed)
    spend = lambda name: options.seconds * SHARES[name]
    for _ in range(ROUNDS):
        predictor = train_predictor(data, held, spend("predictor"), rng)
        encoder = train_encoder(data, predictor, held, spend("encoder"), rng)
        trials.run(data, predictor, encoder, spend("trials"), rng)
    predictor = train_predictor(data, held, spend("last predictor"), rng)
    encoder = train_encoder(data, predictor, held, spend("last encoder"), rng)
    for name, model in (("listener", predictor), ("encoder", encoder), ("gender", fit_gender(data)), ("pitch", fit_pitch(data))):
        np.savez(options.out / f"{name}.npz", **{k: v.half().cpu().numpy() for k, v in model.state_dict().items()})


if __name__ == "__main__":
    main()
