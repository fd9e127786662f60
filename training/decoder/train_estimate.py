"""Trains the network of the first estimate of a cloned voice (`estimate.py`) on a GPU, through the decoder.

    PYTHONPATH=../fast-decoder:../voice-encoder python train_estimate.py --lab lab --run checkpoint --recordings PEOPLE --without SPEAKERS \
      --accents speechocean762 --features features.npz --ecapa embedding_model.ckpt --spread spread.npy --changes changes.f32 \
      --linear weights/clone-voice-linear.npz --out out --seconds 600 --vits-seconds 30

`lab` is that of `prepare.py`, `--changes` the file of `initial-changes.mjs`, `--accents` a checkout of `jimbozhang/speechocean762`, whose adults
are further people; speakers of the evaluation (`--without`) are left out. `features` has the training sentences of `refine.py`, each with 120
frames or more: the released run had 57 for each group (English 40, Spanish and Portuguese 4 each, Hindi, Japanese and Mandarin 3 each).

The estimated voice says sentences, and for the VITS also what the VITS said. What the speaker networks measure of it is compared with means
over the clean speech of the same person, and what the VITS said also frame by frame. The background noise of the recording is added before:
otherwise the decoder learns to imitate it. The mean squares of both outputs of the network are held at budgets by Lagrange multipliers:
voices that are far from the linear estimate are less natural. `out/estimate.npz` receives the running average of the weights every minute.
The released run made 2,019 steps, beside two others on one H200.
"""

import argparse
import math
import time
from pathlib import Path

import numpy as np
import torch
from decoder import draw_noise, pitch_cycles
from estimate import EstimateNetwork, FirstEstimate, LinearEstimate, read_first_matrices, read_floats, with_changes
from estimate_speech import CROPS, SPEEDS, AlignedSpeech, MeasuredSpeech, SpeechNetworks, draw_background, measure_people, read_adults, read_recordings
from estimate_trials import Sentences, mel_distance, round_weights, similarities
from refinement import D_VECTOR, FRAMES, SPECTRUM, STATISTICS, X_VECTOR
from torch import Tensor, nn
from train import Student, load

#: Examples of a batch: people who say sentences, speakers of the VITS who say what they have said, and speakers of the VITS who say sentences.
PEOPLE, ALIGNED, SPEAKERS = 24, 12, 12
BATCH = PEOPLE + ALIGNED + SPEAKERS
#: Shares of examples whose speech is damaged, and whose embedding is known.
DAMAGED, KNOWN = 0.4, 0.6
#: Weights in the loss of the similarity by ECAPA-TDNN and of the distance of log mel energies. The others are those of `refinement.py`.
EMBEDDING, MEL = 5.0, 10.0
#: Level of what the decoder says.
LEVEL = math.log(0.05)
#: First value, least value and relative step of a Lagrange multiplier.
MULTIPLIER, LEAST_MULTIPLIER, MULTIPLIER_STEP = 0.02, 1e-4, 0.02
WARM_UP_STEPS, LAST_RATE, WEIGHT_DECAY, AVERAGING = 100, 1e-6, 0.02, 0.998
#: People of the evaluation, and sentences that they say: each `SENTENCE_STEP`th.
HELD_OUT, TEST_SENTENCES, SENTENCE_STEP = 24, 6, 5
SAVE_SECONDS = 60
REPORTED = ("x-vector", "d-vector", "ecapa", "spectrum", "statistics", "mel", "changes", "voice", "change-multiplier", "voice-multiplier", "level",
            "ecapa-similarity-of-people")


class Budget:
    """A Lagrange multiplier that holds a mean square at a budget."""

    def __init__(self, budget: float, device: str):
        self.budget, self.multiplier = max(budget, 1e-6), torch.tensor(MULTIPLIER, device=device)

    @torch.no_grad()
    def update(self, value: Tensor) -> None:
        excess = (value / self.budget - 1).clamp(-1, 1)
        self.multiplier = self.multiplier.clamp(min=LEAST_MULTIPLIER) * torch.exp(MULTIPLIER_STEP * excess)


class Training:
    def __init__(self, options: argparse.Namespace, device: str):
        self.device, self.networks = device, SpeechNetworks(options, device)
        rng, self.rng = torch.Generator(device).manual_seed(5), torch.Generator().manual_seed(6)
        recordings = read_recordings(options.recordings, set(options.without.split(",")))
        held_out = set(np.random.default_rng(4).permutation(len(recordings))[:HELD_OUT].tolist())
        everyone = recordings + (read_adults(options.accents) if options.accents else [])
        self.people = measure_people(self.networks, everyone, rng)
        self.voices = [voice for voice in range(len(self.people.clips)) if voice // len(SPEEDS) not in held_out]
        self.test_voices = [voice for voice in range(0, len(self.people.clips), len(SPEEDS)) if voice // len(SPEEDS) in held_out]
        self.aligned = AlignedSpeech(self.networks, options.lab, options.vits_seconds, rng)
        self.sentences = Sentences(options.features, device)
        self.first_matrices = [matrix.to(device) for matrix in read_first_matrices(options.changes)]
        student = Student()
        student.load_state_dict(load(options.run, "student"))
        student = student.to(device).eval().requires_grad_(False)
        self.decoder = student.decoder
        round_weights(self.decoder)
        linear = LinearEstimate(read_floats(options.linear))
        self.estimate, self.average = (FirstEstimate(linear, EstimateNetwork()).to(device) for _ in range(2))
        for one in (self.estimate, self.average):
            one.network.start_from(student.encoder)
        self.average.requires_grad_(False)
        self.optimizer = torch.optim.AdamW(self.estimate.network.parameters(), options.rate, (0.9, 0.98), weight_decay=WEIGHT_DECAY)
        self.rate, self.steps = options.rate, 0
        self.voice_budget, self.change_budget = Budget(options.voice_budget, device), Budget(options.change_budget, device)
        print(f"{len(everyone)} people, {len(self.voices)} voices, {len(self.test_voices)} held out, {self.aligned.count} clips of the VITS", flush=True)

    def say(self, asr: Tensor, pitch: Tensor, energy: Tensor, cycles: Tensor, voice: Tensor) -> Tensor:
        return self.decoder(asr, pitch, energy, cycles, voice, draw_noise(len(asr), FRAMES, self.device))

    def crops(self, speech: MeasuredSpeech, clip: Tensor) -> tuple[Tensor, Tensor]:
        """Measures and embeddings of one crop of each of these clips."""
        crop = torch.randint(CROPS, (len(clip),), device=self.device)
        version = (torch.rand(len(clip), device=self.device) < DAMAGED).long()
        return speech.measures[clip, crop, version], speech.embeddings[clip, crop, version]

    def draw(self) -> tuple[Tensor, Tensor, Tensor]:
        """Voices of people, a clip of each, and clips of the VITS."""
        choose = lambda count: int(torch.randint(count, (1,), generator=self.rng))
        voices = [self.voices[choose(len(self.voices))] for _ in range(PEOPLE)]
        clips = [rows[choose(len(rows))] for rows in (self.people.clips[voice] for voice in voices)]
        vits_clips = torch.randint(self.aligned.count, (ALIGNED + SPEAKERS,), device=self.device)
        return torch.tensor(voices, device=self.device), torch.tensor(clips, device=self.device), vits_clips

    def say_examples(self, aims: Tensor, vits_clip: Tensor, voice: Tensor) -> tuple[Tensor, Tensor]:
        """What the voices say, and what the VITS said."""
        sentences = self.sentences.draw(torch.cat([aims[:PEOPLE], aims[PEOPLE + ALIGNED :]]), self.rng)
        *aligned, recorded = self.aligned.draw(vits_clip[:ALIGNED])
        inserted = zip((*sentences, pitch_cycles(sentences[1])), aligned)
        return self.say(*(torch.cat([values[:PEOPLE], own, values[PEOPLE:]]) for values, own in inserted), voice), recorded

    def loss(self) -> tuple[Tensor, dict[str, Tensor]]:
        """The loss of a batch in the order people, aligned speech of the VITS, speakers of the VITS with sentences."""
        person, clip, vits_clip = self.draw()
        # Of a speaker of the VITS, the other clip is known.
        given = zip(self.crops(self.people, clip), self.crops(self.aligned.speech, vits_clip ^ 1))
        measures, embeddings = (torch.cat(pair) for pair in given)
        targets = zip(self.people.targets(person), self.aligned.speech.targets(vits_clip // 2))
        target_measures, target_embeddings, target_statistics = (torch.cat(pair) for pair in targets)
        is_known = (torch.rand(BATCH, 1, device=self.device) < KNOWN).float()
        voice, changes = self.estimate.network(measures, is_known * embeddings)
        estimated = with_changes(*self.estimate.combined(measures, voice, changes), self.first_matrices)
        wave, recorded = self.say_examples(target_measures[:, 424:426], vits_clip, estimated)
        background = draw_background(torch.cat([self.people.quiet[clip], self.aligned.speech.quiet[vits_clip]]))
        measured = self.networks.measure_trial(wave, background)
        likenesses = similarities(measured, target_measures, target_embeddings)
        x_vector, d_vector, embedding = (1 - likeness.mean() for likeness in likenesses)
        values = {
            "x-vector": x_vector, "d-vector": d_vector, "ecapa": embedding,
            "spectrum": (measured[2] - target_measures[:, 384:424]).square().sum(1).mean(),
            "statistics": (measured[3] - target_statistics).square().mean(),
            "mel": mel_distance(wave[PEOPLE : PEOPLE + ALIGNED], recorded),
            "changes": changes.square().mean(), "voice": voice.square().mean(),
            "level": (0.5 * torch.log(wave.square().mean(1).clamp_min(1e-12)) - LEVEL).square().mean(),
            "ecapa-similarity-of-people": likenesses[2][:PEOPLE].mean(),
        }
        self.voice_budget.update(values["voice"])
        self.change_budget.update(values["changes"])
        values |= {"change-multiplier": self.change_budget.multiplier, "voice-multiplier": self.voice_budget.multiplier}
        held = values["voice-multiplier"] * values["voice"] + values["change-multiplier"] * values["changes"]
        likeness = X_VECTOR * x_vector + D_VECTOR * d_vector + EMBEDDING * embedding
        distance = SPECTRUM * values["spectrum"] + STATISTICS * values["statistics"] + MEL * ALIGNED / BATCH * values["mel"]
        return held + values["level"] + likeness + distance, values

    def step(self, done: float) -> Tensor:
        """`done` is the share of the time that has passed. Returns the values that are reported."""
        rate = self.rate * min(1, self.steps / WARM_UP_STEPS) * (0.5 + 0.5 * math.cos(math.pi * done)) + LAST_RATE
        for group in self.optimizer.param_groups:
            group["lr"] = rate
        loss, values = self.loss()
        self.optimizer.zero_grad()
        loss.backward()
        nn.utils.clip_grad_norm_(self.estimate.network.parameters(), 1.0)
        self.optimizer.step()
        kept = min(AVERAGING, self.steps / (self.steps + 10))
        with torch.no_grad():
            torch._foreach_lerp_(list(self.average.parameters()), list(self.estimate.parameters()), 1 - kept)
        self.steps += 1
        return torch.stack([values[name].detach() for name in REPORTED])

    @torch.no_grad()
    def evaluate(self, is_known: bool) -> str:
        """Similarities with people of the evaluation, from 0 for others of them to 100 for speech of the same person, and the distance of spectra."""
        first, last = ([self.people.clips[voice][at] for voice in self.test_voices] for at in (0, -1))
        measures, embeddings = self.people.measures[first, 0, 0], self.people.embeddings[first, 0, 0]
        target_measures, target_embeddings = self.people.measures[last, 2, 0], self.people.embeddings[last, 2, 0]
        voice = with_changes(*self.average(measures, is_known * embeddings), self.first_matrices)
        found = []
        for number in range(TEST_SENTENCES):
            asr, pitch, energy = self.sentences.draw(measures[:, 424:426], number=number * SENTENCE_STEP)
            measured = self.networks.measure_trial(self.say(asr, pitch, energy, pitch_cycles(pitch), voice))
            distance = (measured[2] - target_measures[:, 384:424]).square().sum(1)
            found.append(torch.stack([*similarities(measured, target_measures, target_embeddings), distance]).mean(1))
        mean = torch.stack(found).mean(0).tolist()
        pairs = [(measures[:, :128], target_measures[:, :128]), (measures[:, 128:384], target_measures[:, 128:384]), (embeddings, target_embeddings)]
        likeness = [one @ other.T for one, other in pairs]
        own = [float(values.diagonal().mean()) for values in likeness]
        others = [float((values.sum() - values.trace()) / (len(first) * (len(first) - 1))) for values in likeness]
        shares = [100 * (value - low) / (high - low) for value, low, high in zip(mean, others, own)]
        return " ".join(f"{name} {share:.1f}" for name, share in zip(REPORTED, shares)) + f" spectrum {mean[3]:.3f}"

    def save(self, path: Path) -> None:
        print(f"  with embedding: {self.evaluate(True)} | without: {self.evaluate(False)}", flush=True)
        np.savez(path, **{name: value.half().cpu().numpy() for name, value in self.average.network.state_dict().items()})


def main() -> None:
    parser = argparse.ArgumentParser()
    for name in ("lab", "run", "recordings", "features", "ecapa", "spread", "changes", "linear", "out"):
        parser.add_argument(f"--{name}", type=Path, required=True)
    parser.add_argument("--accents", type=Path, help="checkout of speechocean762")
    parser.add_argument("--without", default="", help="speakers, separated by commas")
    for name, value in (("seconds", 600.0), ("vits-seconds", 30.0), ("rate", 1e-3), ("voice-budget", 0.3), ("change-budget", 0.1)):
        parser.add_argument(f"--{name}", type=float, default=value)
    options = parser.parse_args()
    device = "cuda" if torch.cuda.is_available() else "cpu"
    torch.backends.cuda.matmul.allow_tf32 = torch.backends.cudnn.allow_tf32 = True
    torch.backends.cudnn.benchmark = True
    torch.manual_seed(3)
    options.out.mkdir(parents=True, exist_ok=True)
    training, path = Training(options, device), options.out / "estimate.npz"
    print(f"linear estimate: {training.evaluate(True)}", flush=True)
    began = saved = time.time()
    values = []
    while (passed := time.time() - began) < options.seconds:
        values.append(training.step(passed / options.seconds))
        if time.time() - saved > SAVE_SECONDS:
            saved, means = time.time(), torch.stack(values).mean(0).tolist()
            print(f"{passed:.0f} s, step {training.steps}:", " ".join(f"{name} {value:.3f}" for name, value in zip(REPORTED, means)), flush=True)
            values = []
            training.save(path)
    print(f"{training.steps} steps", flush=True)
    training.save(path)


if __name__ == "__main__":
    main()
