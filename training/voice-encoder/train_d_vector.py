"""Stage 3, on a GPU: trains the d-vector network and embeds the clips of stage 2 with it.

    python train_d_vector.py --data data --out models --seconds 75

The target for a single window of degraded speech is the GE2E embedding of the complete clean clip, minus the mean
embedding of all voices. This makes the network robust to noise and reverberation and spreads its cosines.
"""

from pathlib import Path

import numpy as np
import torch
import torch.nn.functional as F
from features import WINDOW, embed
from networks import DVectorNetwork
from stage import begin_stage
from torch import Tensor
from train import batches, schedule

KINDS = ("clean", "damaged", "warped")
BATCH = 1024


def load(data: Path, name: str, device: str) -> Tensor:
    return torch.from_numpy(np.load(data / f"{name}.npy")).to(device)


def pick_windows(mel: Tensor, frames: Tensor, pick: Tensor, rng: torch.Generator) -> Tensor:
    slack = (frames[pick] - WINDOW).clamp_min(0)
    start = (torch.rand(len(pick), generator=rng, device=rng.device) * (slack + 1)).long()
    index = start[:, None] + torch.arange(WINDOW, device=rng.device)
    return 10 ** mel[pick[:, None], index].float()


def train_d_vector(clips: dict[str, Tensor], held: int, seconds: float, rng: torch.Generator) -> DVectorNetwork:
    network = DVectorNetwork().to(rng.device)
    optimizer = torch.optim.AdamW(network.parameters(), weight_decay=0.02, fused=rng.device.type == "cuda")
    count = len(clips["clean-mel"])
    for pick, done in batches(seconds, count - held, rng, BATCH):
        schedule(optimizer, 1.5e-3, done)
        windows, targets = [], []
        for kind, part in zip(KINDS, (pick + held).chunk(len(KINDS))):
            windows.append(pick_windows(clips[f"{kind}-mel"], clips[f"{kind}-frames"], part, rng))
            targets.append(clips[f"{kind}-target"][part])
        with torch.autocast("cuda", torch.bfloat16, enabled=rng.device.type == "cuda"):
            embeddings = network(torch.cat(windows))
        loss = (1 - F.cosine_similarity(embeddings.float(), torch.cat(targets))).mean()
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
    return network.eval().requires_grad_(False)


def embed_clips(network: DVectorNetwork, mel: Tensor, frames: Tensor) -> Tensor:
    parts = zip(mel.split(256), frames.split(256))
    return torch.cat([embed(network, 10 ** m.float(), count) for m, count in parts])


def main() -> None:
    options, rng = begin_stage(("data", "out"), seed=5)
    device = rng.device.type
    clips = {f"{kind}-{part}": load(options.data, f"{kind}-{part}", device) for kind in KINDS for part in ("mel", "frames")}
    teacher = load(options.data, "clean-teacher", device).float()
    common = teacher.mean(0)
    clips["clean-target"] = clips["damaged-target"] = F.normalize(teacher - common, dim=1)
    clips["warped-target"] = F.normalize(load(options.data, "warped-teacher", device).float() - common, dim=1)
    held = len(teacher) // 50
    network = train_d_vector(clips, held, options.seconds, rng)
    np.savez(options.out / "ear.npz", **{name: value.half().cpu().numpy() for name, value in network.state_dict().items()})
    for kind in KINDS:
        embeddings = embed_clips(network, clips[f"{kind}-mel"], clips[f"{kind}-frames"])
        similarity = F.cosine_similarity(embeddings[:held], clips[f"{kind}-target"][:held])
        found = (embeddings[:held] @ clips[f"{kind}-target"][:held].T).argmax(1) == torch.arange(held, device=device)
        print(f"d-vector, {kind}: cosine {similarity.mean():.3f}, identifies {100 * found.float().mean():.0f} % of {held}", flush=True)
        if kind != "warped":
            numbers = np.load(options.data / f"{kind}.npy")
            numbers[:, 128:384] = embeddings.cpu().numpy()
            np.save(options.data / f"{kind}.npy", numbers)


if __name__ == "__main__":
    main()
