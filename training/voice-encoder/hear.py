"""Stage 3, on a GPU: our own ear, and how it hears the clips of stage 2.

    python hear.py --data data --out models --seconds 75

The ear learns from single windows of damaged speech what GE2E says of the whole clip before it was damaged, less
what GE2E says of all voices alike. So it hears past noise and rooms, and its cosines spread from strangers to equals.
"""

from pathlib import Path

import numpy as np
import torch
import torch.nn.functional as F
from features import WINDOW, embed
from networks import Ear
from stage import begin_stage
from torch import Tensor
from train import batches, schedule

KINDS = ("clean", "damaged", "warped")
BATCH = 1024


def load(data: Path, name: str, device: str) -> Tensor:
    return torch.from_numpy(np.load(data / f"{name}.npy")).to(device)


def pick_windows(mel: Tensor, frames: Tensor, pick: Tensor, rng: torch.Generator) -> Tensor:
    room = (frames[pick] - WINDOW).clamp_min(0)
    start = (torch.rand(len(pick), generator=rng, device=rng.device) * (room + 1)).long()
    index = start[:, None] + torch.arange(WINDOW, device=rng.device)
    return 10 ** mel[pick[:, None], index].float()


def train_ear(clips: dict[str, Tensor], held: int, seconds: float, rng: torch.Generator) -> Ear:
    ear = Ear().to(rng.device)
    optimizer = torch.optim.AdamW(ear.parameters(), weight_decay=0.02, fused=rng.device.type == "cuda")
    count = len(clips["clean-mel"])
    for pick, done in batches(seconds, count - held, rng, BATCH):
        schedule(optimizer, 1.5e-3, done)
        windows, taught = [], []
        for kind, part in zip(KINDS, (pick + held).chunk(len(KINDS))):
            windows.append(pick_windows(clips[f"{kind}-mel"], clips[f"{kind}-frames"], part, rng))
            taught.append(clips[f"{kind}-target"][part])
        with torch.autocast("cuda", torch.bfloat16, enabled=rng.device.type == "cuda"):
            said = ear(torch.cat(windows))
        loss = (1 - F.cosine_similarity(said.float(), torch.cat(taught))).mean()
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
    return ear.eval().requires_grad_(False)


def hear(ear: Ear, mel: Tensor, frames: Tensor) -> Tensor:
    parts = zip(mel.split(256), frames.split(256))
    return torch.cat([embed(ear, 10 ** m.float(), count) for m, count in parts])


def main() -> None:
    options, rng = begin_stage(("data", "out"), seed=5)
    device = rng.device.type
    clips = {f"{kind}-{part}": load(options.data, f"{kind}-{part}", device) for kind in KINDS for part in ("mel", "frames")}
    taught = load(options.data, "clean-taught", device).float()
    common = taught.mean(0)
    clips["clean-target"] = clips["damaged-target"] = F.normalize(taught - common, dim=1)
    clips["warped-target"] = F.normalize(load(options.data, "warped-taught", device).float() - common, dim=1)
    held = len(taught) // 50
    ear = train_ear(clips, held, options.seconds, rng)
    np.savez(options.out / "ear.npz", **{name: value.half().cpu().numpy() for name, value in ear.state_dict().items()})
    for kind in KINDS:
        heard = hear(ear, clips[f"{kind}-mel"], clips[f"{kind}-frames"])
        likeness = F.cosine_similarity(heard[:held], clips[f"{kind}-target"][:held])
        found = (heard[:held] @ clips[f"{kind}-target"][:held].T).argmax(1) == torch.arange(held, device=device)
        print(f"ear, {kind}: cosine {likeness.mean():.3f}, finds {100 * found.float().mean():.0f} % of {held}", flush=True)
        if kind != "warped":
            numbers = np.load(options.data / f"{kind}.npy")
            numbers[:, 128:384] = heard.cpu().numpy()
            np.save(options.data / f"{kind}.npy", numbers)


if __name__ == "__main__":
    main()
