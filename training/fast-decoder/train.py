"""Stage 3, on a GPU: trains the student on the pool, first with spectral losses, then also with discriminators.

    python train.py --pool pool.pt --out run --seconds 780

In the second phase the linear layers simulate int8 (quantisation-aware training). `--start` is a folder of initial weights
(student.npz and, optionally, discriminators.npz). An interrupted run continues from `run/checkpoint.pt`; `--sitting`
interrupts it after the given seconds.
"""

import argparse
import math
import sys
import time
from collections.abc import Callable
from pathlib import Path

import torch
from discriminators import Discriminators, adversarial_losses, discriminator_loss
from losses import SpectralLoss
from packed import load_packed
from student import FRAME, Int8Linear, Student, pitch_cycles
from torch import Tensor, nn

#: Share of the time of the first phase.
SPECTRAL_SHARE = 0.22
SPECTRAL_RATE, ADVERSARIAL_RATE, DISCRIMINATOR_RATE = 4e-4, 3e-4, 2e-4
WARM_UP_SECONDS, RAMP_SECONDS = 8.0, 15.0
#: Frames of a training example in the loss, and context frames on either side.
LOSS_FRAMES, MARGIN = 64, 8
#: Samples of an example given to the discriminators.
DISCRIMINATOR_SAMPLES = 15000
AVERAGING = 0.999
REPORT_STEPS, CHECKPOINT_SECONDS = 200, 120


class Pool:
    """Draws examples from the teacher's utterances, padded with silence."""

    def __init__(self, path: Path, device: str):
        data = torch.load(path, map_location=device)
        self.data = data
        self.frames = data["frames"].to(device)
        self.ends = self.frames.cumsum(0)
        self.total = int(self.ends[-1])
        begins = self.ends - self.frames
        cycles = [pitch_cycles(data["pitch"][None, 2 * a : 2 * b])[0] for a, b in zip(begins.tolist(), self.ends.tolist())]
        self.cycles = torch.cat(cycles)

    def draw(self, count: int) -> tuple[Tensor, ...]:
        device, size = self.frames.device, LOSS_FRAMES + 2 * MARGIN
        utterance = torch.searchsorted(self.ends, torch.randint(self.total, (count,), device=device), right=True)
        frames = self.frames[utterance]
        slack = (frames - size + 2 * MARGIN).clamp(min=0) + 1
        start = (torch.rand(count, device=device) * slack).long() - MARGIN
        place = start[:, None] + torch.arange(size, device=device)
        inside = (place >= 0) & (place < frames[:, None])
        frame = torch.minimum(place.clamp(min=0), frames[:, None] - 1) + (self.ends[utterance] - frames)[:, None]

        def take(values: Tensor, per_frame: int) -> Tensor:
            index = (frame[..., None] * per_frame + torch.arange(per_frame, device=device)).flatten(1)
            return values[index].float() * inside.repeat_interleave(per_frame, 1)

        asr = (self.data["asr"][frame].float() * inside[..., None]).transpose(1, 2)
        contours = [take(values, 2) for values in (self.data["pitch"], self.data["energy"], self.cycles)]
        return asr, *contours, self.data["style"][utterance], take(self.data["wave"], FRAME)


class Trainer:
    """Student, its moving average, discriminators and optimizers. A step runs entirely on the GPU."""

    def __init__(self, pool: Pool, batch: int, device: str):
        self.pool, self.batch, self.device = pool, batch, device
        self.student, self.average = Student().to(device), Student().to(device).requires_grad_(False)
        self.discriminators = Discriminators().to(device)
        self.spectral = SpectralLoss().to(device)
        self.optimizers = [self.optimizer(self.student), self.optimizer(self.discriminators)]
        self.adversarial_weight = torch.zeros((), device=device)
        self.sums = torch.zeros(6, device=device)
        self.elapsed = 0.0

    def optimizer(self, model: nn.Module) -> torch.optim.Optimizer:
        rate = torch.zeros((), device=self.device)
        return torch.optim.AdamW(model.parameters(), rate, (0.8, 0.99), weight_decay=0.01, capturable=self.device == "cuda")

    def set_rates(self, *rates: float) -> None:
        for optimizer, rate in zip(self.optimizers, rates):
            optimizer.param_groups[0]["lr"].fill_(rate)

    def half_precision(self) -> torch.autocast:
        return torch.autocast(self.device, torch.bfloat16)

    def make(self) -> tuple[Tensor, Tensor]:
        """Waveforms of the student and the teacher, without margins."""
        asr, pitch, energy, cycles, style, real = self.pool.draw(self.batch)
        with self.half_precision():
            curves = self.student.curves(asr, pitch, energy, cycles, style)
        noise = torch.randn(real.shape, device=self.device)
        made = self.student.synthesize(curves, pitch, cycles, noise)
        return made[:, MARGIN * FRAME : -MARGIN * FRAME], real[:, MARGIN * FRAME : -MARGIN * FRAME]

    def descend(self, model: nn.Module, optimizer: torch.optim.Optimizer, gradients: tuple[Tensor, ...], longest: float) -> None:
        for parameter, gradient in zip(model.parameters(), gradients):
            parameter.grad = gradient
        nn.utils.clip_grad_norm_(model.parameters(), longest)
        optimizer.step()

    def finish(self, loss: Tensor, terms: list[Tensor]) -> None:
        gradients = torch.autograd.grad(loss, list(self.student.parameters()))
        self.descend(self.student, self.optimizers[0], gradients, 20.0)
        torch._foreach_lerp_(list(self.average.parameters()), list(self.student.parameters()), 1 - AVERAGING)
        self.sums[: len(terms)] += torch.stack([term.detach() for term in terms])

    def spectral_step(self) -> None:
        mel, spectrum, phase = self.spectral(*self.make())
        self.finish(20 * mel + 4 * spectrum + 3 * phase, [mel, spectrum, phase])

    def adversarial_step(self) -> None:
        made, real = self.make()
        mel, spectrum, phase = self.spectral(made, real)
        start = torch.randint(made.shape[1] - DISCRIMINATOR_SAMPLES + 1, (1,), device=self.device)
        part = start + torch.arange(DISCRIMINATOR_SAMPLES, device=self.device)
        with self.half_precision():
            real_outputs = self.discriminators(real.index_select(1, part))
            made_outputs = self.discriminators(made.index_select(1, part))
        discrimination = discriminator_loss(real_outputs, made_outputs)
        adversarial, distance = adversarial_losses(real_outputs, made_outputs)
        gradients = torch.autograd.grad(discrimination, list(self.discriminators.parameters()), retain_graph=True)
        loss = 20 * mel + 4 * spectrum + 1.5 * phase + self.adversarial_weight * (2 * adversarial + 8 * distance)
        self.finish(loss, [mel, spectrum, phase, discrimination, adversarial, distance])
        self.descend(self.discriminators, self.optimizers[1], gradients, 10.0)

    def state(self) -> dict:
        parts = {"student": self.student, "average": self.average, "discriminators": self.discriminators}
        states = {name: part.state_dict() for name, part in parts.items()}
        return states | {"optimizers": [o.state_dict() for o in self.optimizers], "elapsed": self.elapsed}

    def restore(self, state: dict) -> None:
        for name in ("student", "average", "discriminators"):
            getattr(self, name).load_state_dict(state[name])
        for optimizer, stored in zip(self.optimizers, state["optimizers"]):
            optimizer.load_state_dict(stored)
        self.elapsed = state["elapsed"]

    def start_from(self, folder: Path) -> None:
        self.student.load_state_dict(load_packed(folder / "student.npz"))
        self.average.load_state_dict(self.student.state_dict())
        if (folder / "discriminators.npz").exists():
            self.discriminators.load_state_dict(load_packed(folder / "discriminators.npz"))


def recorded(step: Callable[[], None], device: str) -> Callable[[], None]:
    """Captures the step as one CUDA graph; kernel launches would take longer than the kernels."""
    if device != "cuda":
        return step
    stream = torch.cuda.Stream()
    stream.wait_stream(torch.cuda.current_stream())
    with torch.cuda.stream(stream):
        for _ in range(3):
            step()
    torch.cuda.current_stream().wait_stream(stream)
    graph = torch.cuda.CUDAGraph()
    with torch.cuda.graph(graph):
        step()
    return graph.replay


def save(trainer: Trainer, out: Path) -> None:
    torch.save(trainer.state(), out / "checkpoint.tmp")
    (out / "checkpoint.tmp").replace(out / "checkpoint.pt")


def run_phase(trainer: Trainer, step: Callable[[], None], until: float, schedule: Callable[[float], None], out: Path, leave: float) -> None:
    """Runs steps until a time limit; `schedule` sets the learning rates from the elapsed time."""
    schedule(trainer.elapsed)
    step = recorded(step, trainer.device)
    trainer.sums.zero_()
    last = saved = time.time()
    count = 0
    while trainer.elapsed < until:
        schedule(trainer.elapsed)
        step()
        count += 1
        if count % 20 == 0 or trainer.device == "cpu":
            trainer.sums.sum().item()
            now = time.time()
            trainer.elapsed += now - last
            last = now
        if count % REPORT_STEPS == 0:
            means = " ".join(f"{value:.3f}" for value in (trainer.sums / REPORT_STEPS).tolist())
            print(f"{trainer.elapsed:.0f} s, {count} steps: {means}", flush=True)
            trainer.sums.zero_()
        if last - saved > CHECKPOINT_SECONDS:
            saved = last
            save(trainer, out)
        if last > leave:
            save(trainer, out)
            sys.exit("the sitting is over; the same command goes on")


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("--pool", type=Path, required=True)
    parser.add_argument("--out", type=Path, required=True)
    parser.add_argument("--start", type=Path)
    parser.add_argument("--seconds", type=float, required=True)
    parser.add_argument("--sitting", type=float, default=math.inf)
    parser.add_argument("--batch", type=int, default=48)
    parser.add_argument("--seed", type=int, default=1)
    options = parser.parse_args()
    leave = time.time() + options.sitting
    device = "cuda" if torch.cuda.is_available() else "cpu"
    torch.backends.cuda.matmul.allow_tf32 = torch.backends.cudnn.allow_tf32 = torch.backends.cudnn.benchmark = True
    options.out.mkdir(parents=True, exist_ok=True)
    torch.manual_seed(options.seed)
    trainer = Trainer(Pool(options.pool, device), options.batch, device)
    checkpoint = options.out / "checkpoint.pt"
    if checkpoint.exists():
        trainer.restore(torch.load(checkpoint, map_location=device))
    elif options.start:
        trainer.start_from(options.start)
    torch.manual_seed(options.seed + round(trainer.elapsed))
    turn, end = SPECTRAL_SHARE * options.seconds, options.seconds

    def spectral_schedule(now: float) -> None:
        trainer.set_rates(SPECTRAL_RATE * min(1, 0.02 + now / WARM_UP_SECONDS), 0)

    def adversarial_schedule(now: float) -> None:
        left = 0.5 + 0.5 * math.cos(math.pi * min(1, max(0, now - turn) / (end - turn)))
        trainer.set_rates(ADVERSARIAL_RATE * left, DISCRIMINATOR_RATE * left)
        trainer.adversarial_weight.fill_(min(1, max(0, now - turn) / RAMP_SECONDS))

    if trainer.elapsed < turn:
        run_phase(trainer, trainer.spectral_step, turn, spectral_schedule, options.out, leave)
    Int8Linear.rounding = True
    run_phase(trainer, trainer.adversarial_step, end, adversarial_schedule, options.out, leave)
    for name, part in (("student", trainer.average), ("discriminators", trainer.discriminators)):
        torch.save({key: value.half() for key, value in part.state_dict().items()}, options.out / f"{name}.pt")


if __name__ == "__main__":
    main()
