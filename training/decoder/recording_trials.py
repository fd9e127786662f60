"""Evaluation of clones on a GPU: a refinement whose trials are in turn sentences, compared by the speaker networks as in the server, and
parts of the recording itself, which the decoder says again and which are also compared frame by frame.

    PYTHONPATH=../fast-decoder:../voice-encoder python recording_trials.py --run checkpoint --clips clips.npz --texts texts.npz \
      --features features.npz --xvector xvector.npz --ear EAR.onnx --spread spread.npy --first clone-voice.onnx --changes changes.f32 --out out \
      [--weight 10]

`clips`, `features` and the result are those of `refine.py`; training sentences have 120 frames. `texts` holds for each clip what Kokoro's
front says for its transcript: `NAME.tok` [N, 512] (text features), and with a low (G = 0) and a high voice (G = 1) `NAME.G.dur` (frames of
each token), `NAME.G.pitch` and `NAME.G.energy`. The transcript is that of speech recognition; its errors are few enough. With `--weight 0`
all trials are sentences. `changes` is the file of `initial-changes.mjs`.
"""

import argparse
import math
from pathlib import Path

import numpy as np
import onnxruntime
import torch
import torch.nn.functional as F
from contours import STRICT, Energy, measure_pitch
from decoder import FRAME, HALF, RATE, VOICE_PARTS, Int8Linear, draw_noise, pitch_cycles
from estimate import read_first_matrices, with_changes
from losses import mel_bands
from refine import LOW_PITCH, Features, move_pitch, read_features
from refinement import D_VECTOR, FRAMES, SPECTRUM, STATISTICS, TRIAL_RMS, X_VECTOR, X_VECTOR_WEIGHTS, Listener, x_vector_tensors
from speak import resample
from speaker_encoder import LISTEN_RATE, Measure, load_ear
from speaker_network import EMBEDDING_SIZE
from torch import Tensor
from train import Student, load

VOICE = sum(VOICE_PARTS)
FIRST_STEPS, STEPS, SENTENCES = 8, 48, 6
STEP_SIZES, LEARNING, LAST_LEARNING, ANCHOR = (0.1, 0.05), 0.15, 0.05, 0.01
#: Share of the weight changes that a voice keeps: of a first voice, and of one refined with parts of the recording.
FIRST_SHARE, SHARE = 0.5, 0.75
#: Parts of a recording; each has the length of a trial.
PARTS = 4
#: Level of the recording where its energy is measured: that of the training.
ENERGY_LEVEL = 0.055
#: Transform of the frames that are compared, and mel bands of 80 that lie below 8 kHz.
WINDOW, HOP, BANDS = 512, 128, 66
#: Cepstra that align, and cost of advancing by 0 to 3 half frames of the synthetic speech in one of the recording.
CEPSTRA, ADVANCE_COSTS = 16, (0.25, 0.0, 0.25, 0.6)
#: Half frames of synthetic speech that may be left out at its start and at its end.
FREE_START, FREE_END = 60, 100


def log_mel(wave: Tensor, window: int, hop: int, floor: float) -> Tensor:
    """Log mel energies [B, 66, N] with a floor relative to the mean."""
    spectrum = torch.stft(wave, window, hop, window, torch.hann_window(window, device=wave.device), return_complex=True)
    power = (mel_bands(window, 80).to(wave.device) @ (spectrum.real**2 + spectrum.imag**2))[:, :BANDS]
    return torch.log(power + floor * power.detach().mean((1, 2), keepdim=True))


def reconstruction_distance(made: Tensor, recorded: Tensor) -> Tensor:
    """Distance of log mel energies, without the edges; quiet frames count less."""
    a, b = (log_mel(wave, WINDOW, HOP, 1e-5) for wave in (made, recorded))
    level = b.mean(1, keepdim=True)
    weight = torch.where(level > level.amax(2, keepdim=True) - 6, 1.0, 0.3)
    edge = a.shape[2] // 15
    weight[..., :edge] = weight[..., -edge:] = 0
    return ((a - b).abs() * weight).mean((1, 2)) / weight.mean((1, 2))


def cepstra(wave: Tensor) -> Tensor:
    """Cepstra and level of each half frame, in units of their deviation."""
    mel = log_mel(wave[None], 1024, HALF, 1e-4)[0].T[: len(wave) // HALF]
    level = mel.mean(1, keepdim=True)
    loud = level[:, 0] > level.max() - 6
    angles = math.pi / BANDS * (torch.arange(BANDS, device=wave.device)[:, None] + 0.5) * torch.arange(1, CEPSTRA + 1, device=wave.device)
    values = mel @ torch.cos(angles)
    values = (values - values[loud].mean(0)) / values[loud].std(0)
    return torch.cat([values, 3 * (level - level[loud].mean()) / level.std()], 1)


def align(recorded: Tensor, synthetic: Tensor) -> Tensor:
    """For each row of `recorded` the row of `synthetic` that it corresponds to, by dynamic time warping."""
    distances = torch.cdist(recorded, synthetic).cpu()
    costs = torch.tensor(ADVANCE_COSTS) * distances.mean()
    rows = distances.shape[1]
    total = distances[0].clone()
    total[FREE_START:] = math.inf
    origins = []
    for row in distances[1:]:
        reached = torch.stack([F.pad(total, (k, 0), value=math.inf)[:rows] + cost for k, cost in enumerate(costs)])
        best, advance = reached.min(0)
        total = best + row
        origins.append(advance)
    start = max(0, rows - FREE_END)
    at = start + int(total[start:].argmin())
    path = [at]
    for advance in reversed(origins):
        at -= int(advance[at])
        path.append(at)
    return torch.tensor(path[::-1], device=recorded.device)


def background(recording: Tensor) -> Tensor:
    """Noise with the spectrum of the quietest tenth of the frames, of the length of a trial."""
    window = torch.hann_window(512, device=recording.device)
    power = torch.stft(recording, 512, 128, 512, window, return_complex=True).abs().square()
    quiet = power[:, power.sum(0).argsort()[: max(1, power.shape[1] // 10)]].mean(1)
    noise = torch.stft(torch.randn(FRAMES * FRAME, device=recording.device), 512, 128, 512, window, return_complex=True)
    return torch.istft(noise * (quiet / (window**2).sum()).sqrt()[:, None], 512, 128, 512, window, length=FRAMES * FRAME)


class Search:
    """Voices of several people of one prosody voice. `recordings` are at 24 kHz and have the level of a trial."""

    def __init__(self, options: argparse.Namespace, device: str):
        self.device = device
        weights = dict(np.load(options.xvector))
        self.measure = Measure(weights, options.ear, device)
        student = Student()
        student.load_state_dict(load(options.run, "student"))
        self.decoder = student.decoder.to(device).eval().requires_grad_(False)
        listener = Listener(load_ear(options.ear), torch.from_numpy(np.load(options.spread).astype(np.float32))).to(device).eval().requires_grad_(False)
        sliding_mean = listener.x_vector.sliding_mean
        listener.x_vector.sliding_mean = lambda count: sliding_mean(count).to(device)
        tensors = dict(zip(X_VECTOR_WEIGHTS, (tensor.to(device) for tensor in x_vector_tensors(weights))))
        self.listen = torch.func.vmap(lambda wave: listener(wave, tensors))
        self.energy = Energy().to(device)
        self.first = onnxruntime.InferenceSession(str(options.first), providers=["CPUExecutionProvider"])
        self.first_matrices = read_first_matrices(options.changes)

    def start(self, measures: Tensor) -> Tensor:
        """Voice vectors and weight changes by the first estimate, which is not given an embedding."""
        embedding = np.zeros((1, EMBEDDING_SIZE), np.float32)
        estimates = [self.first.run(["voice", "changes"], {"measures": one[None].cpu().numpy(), "embedding": embedding}) for one in measures]
        voices, changes = (torch.from_numpy(np.concatenate(values)) for values in zip(*estimates))
        return with_changes(voices, changes, self.first_matrices).to(self.device)

    def say(self, asr: Tensor, pitch: Tensor, energy: Tensor, voice: Tensor) -> Tensor:
        noise = draw_noise(1, asr.shape[2], self.device).expand(len(voice), -1, -1)
        return self.decoder(asr.expand(len(voice), -1, -1), pitch, energy.expand(len(voice), -1), pitch_cycles(pitch), voice, noise)

    @torch.no_grad()
    def parts_of(self, recording: Tensor, text: dict[str, Tensor], voice: Tensor, pitch: Tensor) -> dict[str, Tensor]:
        """Text features, pitch, energy, samples and statistics of parts of a recording. `pitch` is that of its text at the person's pitch."""
        asr = text["tok"].repeat_interleave(text["dur"].long(), 0)
        count = max(FRAMES, len(recording) // FRAME)
        recording = F.pad(recording, (0, max(0, count * FRAME - len(recording))))[: count * FRAME]
        synthetic = self.say(asr.T[None], pitch, text["energy"][None], voice[None])[0]
        at = align(cepstra(recording), cepstra(synthetic))[::2].div(2, rounding_mode="floor").clamp(max=len(asr) - 1)
        loud = recording[None] * (ENERGY_LEVEL / TRIAL_RMS)
        contours = torch.stack([measure_pitch(loud, STRICT)[0], self.energy(loud)[0]])
        starts = [round(number * (count - FRAMES) / (PARTS - 1)) for number in range(PARTS)]
        halves = torch.stack([contours[:, 2 * a : 2 * (a + FRAMES)] for a in starts])
        waves = torch.stack([recording[a * FRAME : (a + FRAMES) * FRAME] for a in starts])
        return {"asr": torch.stack([asr[at[a : a + FRAMES]].T for a in starts]), "pitch": halves[:, 0], "energy": halves[:, 1], "wave": waves,
                "statistics": self.listen(waves)[3]}

    def likeness(self, heard: Tensor, measures: Tensor, statistics: Tensor) -> tuple[Tensor, Tensor]:
        x_vector, d_vector, spectrum, found = self.listen(heard)
        like = X_VECTOR * (x_vector * measures[:, :128]).sum(1) + D_VECTOR * (d_vector * measures[:, 128:384]).sum(1)
        return like - STATISTICS * (found - statistics).square().mean(1), spectrum

    def descend(self, start: Tensor, people: dict[str, Tensor], sentences: Features, options: tuple[int, float, float]) -> Tensor:
        """`options`: steps, weight of the reconstruction (0: sentences only) and share of the weight changes that is kept."""
        steps, weight, share = options
        measures, contours = people["measures"], move_pitch(sentences, people["measures"][:, 424:426])
        size = torch.cat([torch.full((VOICE,), STEP_SIZES[0]), torch.full((start.shape[1] - VOICE,), STEP_SIZES[1])]).to(self.device)
        moved = torch.zeros_like(start).requires_grad_(True)
        optimizer = torch.optim.Adam([moved], LEARNING, (0.9, 0.98))
        for step in range(steps):
            optimizer.param_groups[0]["lr"] = LEARNING * (1 - (1 - LAST_LEARNING) * step / steps)
            voice, turn = start + size * moved, step // 2 if weight else step
            if weight and step % 2:
                number = turn % PARTS
                take = lambda name: people[name][:, number]
                wave = self.say(take("asr"), take("pitch"), take("energy"), voice)
                level = take("wave").square().mean(1, keepdim=True).sqrt() / wave.square().mean(1, keepdim=True).sqrt().clamp_min(1e-5)
                heard = wave * level + people["background"]
                loss = weight * reconstruction_distance(heard, take("wave")) - self.likeness(heard, measures, take("statistics"))[0]
            else:
                number = turn % SENTENCES
                wave = self.say(sentences[number][0], contours[number], sentences[number][2], voice)
                heard = wave * (TRIAL_RMS / wave.square().mean(1, keepdim=True).sqrt().clamp_min(1e-5)) + people["background"]
                like, spectrum = self.likeness(heard, measures, people["mean_statistics"])
                loss = SPECTRUM * (spectrum - measures[:, 384:424]).square().sum(1) - like
            optimizer.zero_grad()
            (loss + ANCHOR * moved[:, :VOICE].square().mean(1)).sum().backward()
            optimizer.step()
        size[VOICE:] *= share
        return (start + size * moved).detach()

    def refine(self, clips: list[Tensor], texts: list[dict[str, Tensor]], sentences: Features, weight: float) -> tuple[Tensor, Tensor]:
        """Voices of clips at 16 kHz, and the median and range of their pitch."""
        recordings = [resample(clip[None], LISTEN_RATE, RATE)[0] for clip in clips]
        recordings = [recording * (TRIAL_RMS / recording.square().mean().sqrt()) for recording in recordings]
        people = {"measures": torch.cat([self.measure(clip[None])[0].clone() for clip in clips]), "background": torch.stack([background(one) for one in recordings])}
        start = self.start(people["measures"])
        moved = [move_pitch([(None, text["pitch"][None], text["energy"][None])], one[None, 424:426])[0] for text, one in zip(texts, people["measures"])]
        parts = [self.parts_of(*one) for one in zip(recordings, texts, start, moved)]
        people |= {name: torch.stack([part[name] for part in parts]) for name in parts[0]}
        people["mean_statistics"] = people["statistics"].mean(1)
        first = self.descend(start, people, sentences, (FIRST_STEPS, 0.0, FIRST_SHARE))
        return self.descend(first, people, sentences, (STEPS, weight, SHARE if weight else FIRST_SHARE)), people["measures"][:, 424:426]


def main() -> None:
    parser = argparse.ArgumentParser()
    for name in ("run", "clips", "texts", "features", "xvector", "ear", "spread", "first", "changes", "out"):
        parser.add_argument(f"--{name}", type=Path, required=True)
    parser.add_argument("--weight", type=float, default=10.0)
    options = parser.parse_args()
    device = "cuda" if torch.cuda.is_available() else "cpu"
    torch.manual_seed(1)
    search, features = Search(options, device), read_features(options.features, device)
    stored = np.load(options.clips)
    clips = {name: torch.from_numpy(stored[name].astype(np.float32) / 32768).to(device) for name in stored.files}
    texts, said = np.load(options.texts), {}
    is_high = {name: int(search.measure(clip[None])[0][0, 424] > LOW_PITCH) for name, clip in clips.items()}
    for group in (0, 1):
        names = [name for name in clips if is_high[name] == group]
        if not names:
            continue
        take = lambda name: {part: torch.from_numpy(texts[f"{name}.{key}"].astype(np.float32)).to(device)
                             for part, key in (("tok", "tok"), *((part, f"{group}.{part}") for part in ("dur", "pitch", "energy")))}
        voice, aims = search.refine([clips[name] for name in names], [take(name) for name in names], features["train"][group], options.weight)
        sentences = features["test"][group]
        Int8Linear.rounding = True
        with torch.no_grad():
            waves = [search.say(asr, pitch, energy, voice) for (asr, _, energy), pitch in zip(sentences, move_pitch(sentences, aims))]
        Int8Linear.rounding = False
        wave = torch.cat(waves, 1)
        wave = (wave * (TRIAL_RMS / wave.std(1, keepdim=True))).clamp(-1, 1).mul(32767).short().cpu().numpy()
        said |= dict(zip(names, wave))
    options.out.mkdir(parents=True, exist_ok=True)
    np.savez_compressed(options.out / "refined.npz", **said)


if __name__ == "__main__":
    main()
