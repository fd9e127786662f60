"""Stage 2, on a GPU: both teachers speak, then decoder, voice and speaker encoder learn from what they said, first by its
spectra, then against discriminators as well.

    PYTHONPATH=../fast-decoder:../voice-encoder python train.py --lab lab --out run --kokoro-seconds 60 --vits-seconds 45 --seconds 1200

In the second phase the linear layers compute as their int8 versions will, so that rounding costs nothing later. The
folder `run` receives the running average of the weights every minute, in parts of at most 15 MB; `--start` takes such a
folder to begin with.
"""

import argparse
import math
import time
from collections.abc import Callable
from pathlib import Path

import numpy as np
import torch
import torch.nn.functional as F
from decoder import EMBEDDING, FRAME, RATE, Decoder, Int8Linear, Voice, draw_noise, split_changes, split_voice
from discriminators import Discriminators, adversarial_losses, discriminator_loss
from generate import Casting, kokoro_pool, vits_pool
from losses import SpectralLoss
from packed import load_packed
from speaker_encoder import Measure, SpeakerEncoder
from torch import Tensor, nn

SPECTRAL_RATE, ADVERSARIAL_RATE, DISCRIMINATOR_RATE = 4e-4, 3e-4, 2e-4
WARM_UP_SECONDS, RAMP_SECONDS = 8.0, 15.0
#: Examples of a batch by source of speech and of the voice: Kokoro by its style, Kokoro by a recording, VITS by a recording.
BY_STYLE, BY_KOKORO_CLIP, BY_VITS_CLIP = 38, 4, 6
KOKORO = BY_STYLE + BY_KOKORO_CLIP
BATCH = KOKORO + BY_VITS_CLIP
#: Frames of a training example that count, and frames around them that give context.
HEARD, MARGIN = 64, 8
#: Mel frames of a recording that the speaker encoder hears, and how often one of its two inputs is left out.
REFERENCE, LEFT_OUT = 300, 0.15
#: Samples of an example that the discriminators judge.
JUDGED = 15000
#: Weights of losses: consistency of embeddings, high band, verdicts of the discriminators and distance of their features.
CONSISTENCY, HIGH_BAND = 1.0, 4.0
ADVERSARIAL, FEATURES = 2.5, 10.0
AVERAGING = 0.999
REPORT_STEPS, SAVE_SECONDS, PART_BYTES = 200, 60, 15_000_000


class Pool:
    """Draws examples from a teacher's utterances, with silence where they begin and end."""

    def __init__(self, data: dict[str, Tensor]):
        self.data = data
        self.frames = data["frames"]
        self.ends = self.frames.cumsum(0)
        self.total = int(self.ends[-1])
        #: Frames of the utterances of which there are recordings for the speaker encoder; they come first.
        self.heard = int(self.ends[len(data["counts"]) - 1]) if "counts" in data else 0

    def draw(self, count: int, heard: int) -> tuple[Tensor, ...]:
        """Text features, pitch, energy, cycles and wave of `count` examples, and which utterances they are from. The last
        `heard` of them are from utterances that the speaker encoder can hear."""
        device, size = self.frames.device, HEARD + 2 * MARGIN
        frame = torch.randint(self.total, (count - heard,), device=device)
        if heard:
            frame = torch.cat([frame, torch.randint(self.heard, (heard,), device=device)])
        utterance = torch.searchsorted(self.ends, frame, right=True)
        frames = self.frames[utterance]
        room = (frames - size + 2 * MARGIN).clamp(min=0) + 1
        start = (torch.rand(count, device=device) * room).long() - MARGIN
        place = start[:, None] + torch.arange(size, device=device)
        inside = (place >= 0) & (place < frames[:, None])
        frame = torch.minimum(place.clamp(min=0), frames[:, None] - 1) + (self.ends[utterance] - frames)[:, None]

        def take(values: Tensor, per_frame: int) -> Tensor:
            index = (frame[..., None] * per_frame + torch.arange(per_frame, device=device)).flatten(1)
            return values[index].float() * inside.repeat_interleave(per_frame, 1)

        asr = (self.data["asr"][frame].float() * inside[..., None]).transpose(1, 2)
        contours = [take(self.data[name], 2) for name in ("pitch", "energy", "cycles")]
        return asr, *contours, take(self.data["wave"], FRAME), utterance

    def reference(self, utterance: Tensor) -> tuple[Tensor, Tensor, Tensor]:
        """What the speaker encoder is given of these utterances: clean or damaged, some seconds of it."""
        device, count = utterance.device, len(utterance)
        version = torch.randint(2, (count,), device=device)
        valid = self.data["counts"][utterance, version]
        start = (torch.rand(count, device=device) * (valid - REFERENCE + 1).clamp(min=1)).long()
        place = (start[:, None] + torch.arange(REFERENCE, device=device)).clamp(max=self.data["mel"].shape[2] - 1)
        mel = self.data["mel"][utterance[:, None], version[:, None], place].float()
        return self.data["measures"][utterance, version].float(), mel, (valid - start).clamp(1, REFERENCE)


class Student(nn.Module):
    def __init__(self):
        super().__init__()
        self.decoder, self.voice, self.encoder = Decoder(), Voice(), SpeakerEncoder()

    def start_from(self, weights: dict[str, Tensor]) -> None:
        """Takes over what has the same name; tensors with fewer rows fill the first ones."""
        own = self.state_dict()
        for name, value in weights.items():
            own[name][: len(value)].copy_(value)
        # Released decoders have the gains of their blocks in the layer before.
        if "decoder.slow.0.gain" not in weights:
            for block in self.decoder.slow:
                nn.init.ones_(block.gain)


class ScaledVoice(nn.Module):
    """The speaker embedding of a voice whose formants are scaled by a ratio. Needed for training only."""

    def __init__(self):
        super().__init__()
        self.hidden, self.leave = nn.Linear(EMBEDDING + 1, EMBEDDING), nn.Linear(EMBEDDING, EMBEDDING)
        nn.init.normal_(self.leave.weight, std=0.01)

    def forward(self, embedding: Tensor, ratio: Tensor) -> Tensor:
        octaves = torch.log2(ratio)[:, None]
        return embedding + 4 * octaves * self.leave(F.gelu(self.hidden(torch.cat([embedding, 4 * octaves], -1))))


class HighBandPower(nn.Module):
    """Distance of log power above 3 kHz, averaged over cells of 375 Hz and 64 ms before it is compared. Distances of single
    bins are smallest when noise is quieter than the teacher's, since they differ even where both are equally loud."""

    WINDOW, HOP, FROM_HZ = 512, 128, 3000
    CELL, FLOOR = (8, 12), 1e-5

    def __init__(self):
        super().__init__()
        self.register_buffer("window", torch.hann_window(self.WINDOW), persistent=False)

    def cells(self, wave: Tensor) -> Tensor:
        spectrum = torch.stft(wave, self.WINDOW, self.HOP, self.WINDOW, self.window, return_complex=True)
        power = (spectrum.real**2 + spectrum.imag**2)[:, self.FROM_HZ * self.WINDOW // RATE :]
        return F.avg_pool2d(power[:, None], self.CELL, tuple(size // 2 for size in self.CELL)).clamp(min=self.FLOOR).log()

    def forward(self, made: Tensor, real: Tensor) -> Tensor:
        return (self.cells(made) - self.cells(real)).abs().mean()


class Trainer:
    """Student, its running average, discriminators and optimizers. All of a step stays on the GPU. Without the VITS all
    examples are of Kokoro with the voice by its style, and the speaker encoder learns nothing."""

    def __init__(self, kokoro: Pool, vits: Pool | None, device: str):
        self.kokoro, self.vits, self.device = kokoro, vits, device
        self.student, self.average = Student().to(device), Student().to(device).requires_grad_(False)
        self.scaled_voice = ScaledVoice().to(device)
        self.learning = nn.ModuleList([self.student.decoder, self.student.voice, self.scaled_voice] + ([self.student.encoder] if vits else []))
        #: Examples of a batch that are of Kokoro.
        self.kokoro_count = KOKORO if vits else BATCH
        self.discriminators = Discriminators().to(device)
        self.spectral, self.high_band = SpectralLoss().to(device), HighBandPower().to(device)
        self.optimizers = [self.optimizer(self.learning), self.optimizer(self.discriminators)]
        self.adversarial_weight = torch.zeros((), device=device)
        self.sums = torch.zeros(9, device=device)
        self.elapsed = 0.0

    def optimizer(self, model: nn.Module) -> torch.optim.Optimizer:
        rate = torch.zeros((), device=self.device)
        return torch.optim.AdamW(model.parameters(), rate, (0.8, 0.99), weight_decay=0.01, capturable=self.device == "cuda")

    def set_rates(self, *rates: float) -> None:
        for optimizer, rate in zip(self.optimizers, rates):
            optimizer.param_groups[0]["lr"].fill_(rate)

    def half_precision(self) -> torch.autocast:
        return torch.autocast(self.device, torch.bfloat16)

    def embeddings(self, kokoro: Tensor, vits: Tensor | None = None) -> tuple[Tensor, Tensor]:
        """Speaker embeddings of the batch, and how far recordings of Kokoro's voices are from their styles."""
        by_style = self.scaled_voice(self.student.voice.embed(self.kokoro.data["style"][kokoro]), self.kokoro.data["ratio"][kokoro])
        if vits is None:
            return by_style, torch.zeros((), device=self.device)
        references = [self.kokoro.reference(kokoro[BY_STYLE:]), self.vits.reference(vits ^ 1)]
        measures, mel, counts = (torch.cat(parts) for parts in zip(*references))
        left_out = torch.rand(len(measures), 1, device=self.device)
        share = torch.cat([left_out > LEFT_OUT, left_out < 1 - LEFT_OUT], 1).float()
        by_clip = self.student.encoder(measures, mel, counts, share)
        wanted = by_style[BY_STYLE:].detach().float()
        distance = (by_clip[:BY_KOKORO_CLIP].float() - wanted).square().mean() / wanted.var().clamp_min(1e-4)
        return torch.cat([by_style[:BY_STYLE], by_clip]), distance

    def make(self) -> tuple[Tensor, Tensor, Tensor]:
        """The student's wave and the teacher's, without margins, and the distance of embeddings."""
        drawn = [self.kokoro.draw(self.kokoro_count, BY_KOKORO_CLIP if self.vits else 0)]
        if self.vits:
            drawn.append(self.vits.draw(BY_VITS_CLIP, BY_VITS_CLIP))
        asr, pitch, energy, cycles, real = (torch.cat(parts) for parts in list(zip(*drawn))[:-1])
        with self.half_precision():
            embeddings, distance = self.embeddings(*(utterances for *_, utterances in drawn))
            voice = self.student.voice(embeddings)
            changes = split_changes(voice) if self.student.voice.change else None
            filters = self.student.decoder.filters(asr, pitch, energy, cycles, split_voice(voice), changes)
        noise = draw_noise(len(asr), asr.shape[2], self.device)
        made = self.student.decoder.synthesize(filters, pitch, cycles, noise)
        return made[:, MARGIN * FRAME : -MARGIN * FRAME], real[:, MARGIN * FRAME : -MARGIN * FRAME], distance

    def descend(self, model: nn.Module, optimizer: torch.optim.Optimizer, gradients: tuple[Tensor, ...], longest: float) -> None:
        for parameter, gradient in zip(model.parameters(), gradients):
            parameter.grad = gradient
        nn.utils.clip_grad_norm_(model.parameters(), longest)
        optimizer.step()

    def finish(self, loss: Tensor, terms: list[Tensor]) -> None:
        gradients = torch.autograd.grad(loss, list(self.learning.parameters()))
        self.descend(self.learning, self.optimizers[0], gradients, 20.0)
        torch._foreach_lerp_(list(self.average.parameters()), list(self.student.parameters()), 1 - AVERAGING)
        self.sums[: len(terms)] += torch.stack([term.detach().float() for term in terms])

    def distances(self, made: Tensor, real: Tensor) -> tuple[Tensor, Tensor, Tensor, Tensor]:
        """Spectral distances of Kokoro's and the VITS's examples; the latter have no phase to compare. The fourth is the
        mel distance of the latter."""
        if self.vits is None:
            mel, spectrum, phase = self.spectral(made, real)
            return mel, spectrum, phase, torch.zeros_like(mel)
        kokoro, vits = (self.spectral(made[rows], real[rows]) for rows in (slice(KOKORO), slice(KOKORO, None)))
        share = KOKORO / len(made)
        mel, spectrum = (share * a + (1 - share) * b for a, b in zip(kokoro[:2], vits[:2]))
        return mel, spectrum, kokoro[2], vits[0]

    def spectral_step(self) -> None:
        made, real, distance = self.make()
        mel, spectrum, phase, vits_mel = self.distances(made, real)
        high = self.high_band(made, real)
        loss = 20 * mel + 4 * spectrum + 3 * phase + HIGH_BAND * high + CONSISTENCY * distance
        self.finish(loss, [mel, spectrum, phase, vits_mel, distance, high])

    def adversarial_step(self) -> None:
        made, real, distance = self.make()
        mel, spectrum, phase, vits_mel = self.distances(made, real)
        start = torch.randint(made.shape[1] - JUDGED + 1, (1,), device=self.device)
        part = start + torch.arange(JUDGED, device=self.device)
        with self.half_precision():
            real_verdicts = self.discriminators(real.index_select(1, part))
            made_verdicts = self.discriminators(made.index_select(1, part))
        judging = discriminator_loss(real_verdicts, made_verdicts)
        judged, far = adversarial_losses(real_verdicts, made_verdicts)
        gradients = torch.autograd.grad(judging, list(self.discriminators.parameters()), retain_graph=True)
        high = self.high_band(made, real)
        loss = 20 * mel + 4 * spectrum + 1.5 * phase + HIGH_BAND * high + CONSISTENCY * distance
        loss = loss + self.adversarial_weight * (ADVERSARIAL * judged + FEATURES * far)
        self.finish(loss, [mel, spectrum, phase, vits_mel, distance, high, judging, judged, far])
        self.descend(self.discriminators, self.optimizers[1], gradients, 10.0)


def recorded(step: Callable[[], None], device: str) -> Callable[[], None]:
    """The step as one CUDA graph: launching its thousands of small kernels takes longer than they run."""
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


def save(model: nn.Module, folder: Path, name: str) -> None:
    """Weights as float16, in files `name-0.pt`, `name-1.pt`, … of at most 15 MB."""
    parts: list[dict[str, Tensor]] = [{}]
    size = 0
    for key, value in model.state_dict().items():
        size += 2 * value.numel()
        if size > PART_BYTES:
            parts.append({})
            size = 2 * value.numel()
        parts[-1][key] = value.half().cpu().clone()
    for number, part in enumerate(parts):
        torch.save(part, folder / f"{name}-{number}.tmp")
        (folder / f"{name}-{number}.tmp").replace(folder / f"{name}-{number}.pt")


def load(folder: Path, name: str) -> dict[str, Tensor]:
    parts = [torch.load(path, map_location="cpu") for path in sorted(folder.glob(f"{name}-*.pt"))]
    return {key: value.float() for part in parts for key, value in part.items()}


def run_phase(trainer: Trainer, step: Callable[[], None], until: float, schedule: Callable[[float], None], out: Path) -> None:
    """Steps until so much time is spent; `schedule` sets the rates from the time."""
    schedule(trainer.elapsed)
    last = saved = time.time()
    step = recorded(step, trainer.device)
    trainer.sums.zero_()
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
        if count % REPORT_STEPS == 0 or trainer.device == "cpu":
            means = " ".join(f"{value:.3f}" for value in (trainer.sums / (REPORT_STEPS if trainer.device == "cuda" else 1)).tolist())
            print(f"{trainer.elapsed:.0f} s, {count} steps: {means}", flush=True)
            trainer.sums.zero_()
        if last - saved > SAVE_SECONDS:
            saved = last
            save(trainer.average, out, "student")


def wait_for(path: Path) -> None:
    """The lab may still be on its way to the GPU while Kokoro speaks; the file `ready` is written last."""
    while not path.exists():
        time.sleep(1)


#: What Kokoro's utterances consist of, without what the speaker encoder is given of them.
SHARED = ("asr", "pitch", "energy", "cycles", "wave", "style", "ratio", "frames")


def save_pool(pool: dict[str, Tensor], path: Path) -> None:
    unfinished = path.with_suffix(".tmp")
    torch.save({name: pool[name].cpu() for name in SHARED}, unfinished)
    unfinished.replace(path)


def extend_pool(pool: dict[str, Tensor], path: Path) -> None:
    """Appends the utterances of another run, once it has saved them. The speaker encoder is not given any of them."""
    wait_for(path)
    more = torch.load(path)
    for name in SHARED:
        pool[name] = torch.cat([pool[name], more[name].to(pool[name].device)])


def main() -> None:
    parser = argparse.ArgumentParser()
    for name in ("lab", "out"):
        parser.add_argument(f"--{name}", type=Path, required=True)
    parser.add_argument("--start", type=Path)
    parser.add_argument("--kokoro-seconds", type=float, required=True)
    parser.add_argument("--vits-seconds", type=float, required=True, help="0: Kokoro only, no speaker encoder")
    parser.add_argument("--languages", default=Casting.languages, help="letters of the languages that Kokoro speaks, as in the names of its voices; all if empty")
    parser.add_argument("--at-home", type=float, default=Casting.at_home, help="share of Kokoro's utterances in the language of their main voice")
    parser.add_argument("--acted", type=float, default=Casting.acted, help="share of Kokoro's utterances whose pitch is acted")
    parser.add_argument("--scaled", type=float, default=Casting.scaled, help="share of Kokoro's utterances whose formants are scaled")
    parser.add_argument("--save-pool", type=Path, help="where Kokoro's utterances are saved for a run beside this one")
    parser.add_argument("--more-pools", type=Path, nargs="*", default=[], help="Kokoro's utterances of other runs")
    length = parser.add_mutually_exclusive_group(required=True)
    length.add_argument("--seconds", type=float, help="how long to train")
    length.add_argument("--until", type=float, help="when to end, as Unix time")
    parser.add_argument("--spectral-share", type=float, default=0.25, help="share of the time of the first phase")
    parser.add_argument("--seed", type=int, default=1)
    options = parser.parse_args()
    device = "cuda" if torch.cuda.is_available() else "cpu"
    torch.backends.cuda.matmul.allow_tf32 = torch.backends.cudnn.allow_tf32 = True
    options.out.mkdir(parents=True, exist_ok=True)
    torch.manual_seed(options.seed)
    with_vits = options.vits_seconds > 0
    measure = Measure(dict(np.load(options.lab / "xvector.npz")), options.lab / "ear.onnx", device) if with_vits else None
    casting = Casting(options.languages, options.at_home, options.acted, options.scaled)
    kokoro, teacher = kokoro_pool(options.lab, measure, options.kokoro_seconds, options.seed, device, casting)
    wait_for(options.lab / "ready")
    vits = None
    if with_vits:
        vits = Pool(vits_pool(options.lab, teacher, measure, options.vits_seconds, options.seed, device))
    del teacher
    if options.save_pool:
        save_pool(kokoro, options.save_pool)
    for path in options.more_pools:
        extend_pool(kokoro, path)
    torch.backends.cudnn.benchmark = True
    trainer = Trainer(Pool(kokoro), vits, device)
    if options.start:
        trainer.student.start_from(load(options.start, "student"))
        trainer.discriminators.load_state_dict(load(options.start, "discriminators"), strict=False)
    else:
        trainer.student.start_from(load_packed(options.lab / "start.npz"))
        trainer.discriminators.load_state_dict(load_packed(options.lab / "discriminators.npz"), strict=False)
    trainer.average.load_state_dict(trainer.student.state_dict())
    end = options.seconds or options.until - time.time()
    turn = options.spectral_share * end

    def warm_up(now: float) -> float:
        return min(1, 0.02 + now / WARM_UP_SECONDS)

    def spectral_schedule(now: float) -> None:
        trainer.set_rates(SPECTRAL_RATE * warm_up(now), 0)

    def adversarial_schedule(now: float) -> None:
        left = 0.5 + 0.5 * math.cos(math.pi * min(1, max(0, now - turn) / (end - turn)))
        trainer.set_rates(ADVERSARIAL_RATE * left * warm_up(now), DISCRIMINATOR_RATE * left * warm_up(now))
        trainer.adversarial_weight.fill_(min(1, max(0, now - turn) / RAMP_SECONDS))

    if turn > 0:
        run_phase(trainer, trainer.spectral_step, turn, spectral_schedule, options.out)
    Int8Linear.rounding = True
    run_phase(trainer, trainer.adversarial_step, end, adversarial_schedule, options.out)
    save(trainer.average, options.out, "student")
    save(trainer.discriminators, options.out, "discriminators")
    print("finished", flush=True)


if __name__ == "__main__":
    main()
