"""Scale and shift of the decoder's first blocks for the native voices of a language, their mean, of which cloned voices take a share.

    PYTHONPATH=../fast-decoder:../voice-encoder python native_values.py --run checkpoint --voices MODELS/kokoro-voices \\
        --voice ff_siwis --out ../../server/assets/small-decoder/native-fr.f32     # Italian: if_sara im_nicola, native-it.f32
"""

import argparse
from pathlib import Path

import numpy as np
import torch
from decoder import SLOW, STYLE
from train import Student, load

BLOCKS = 3
#: A voice has one style row per phoneme count; this one is that of a sentence of average length.
PHONEMES = 60
ROW = 2 * STYLE


def main() -> None:
    parser = argparse.ArgumentParser()
    for name in ("run", "voices", "out"):
        parser.add_argument(f"--{name}", type=Path, required=True)
    parser.add_argument("--voice", nargs="+", required=True)
    options = parser.parse_args()
    student = Student().eval()
    student.load_state_dict(load(options.run, "student"))
    tables = [np.fromfile(options.voices / f"{voice}.bin", np.float32).reshape(-1, ROW) for voice in options.voice]
    styles = torch.from_numpy(np.stack([table[PHONEMES, :STYLE] for table in tables]))
    with torch.inference_mode():
        voice = student.voice(student.voice.embed(styles)).mean(0)
    voice[: 2 * BLOCKS * SLOW[0]].numpy().astype("<f4").tofile(options.out)


if __name__ == "__main__":
    main()
