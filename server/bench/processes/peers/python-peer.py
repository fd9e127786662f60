"""Runs a Python text-to-speech library for the benchmark.

Reads one JSON object per line: first {"library", ...}, then {"text", "path"} for each text. Writes 16-bit samples to the path
and one JSON object per text to the standard output. CPU time is that of this process with all of its threads.
"""
import json
import sys
import time


def load_hibari(_):
    from hibari import Hibari

    tts = Hibari(threads=1)
    return tts.sample_rate, tts.stream


def load_piper(call):
    import onnxruntime
    from piper import PiperVoice, SynthesisConfig

    voice = PiperVoice.load(call["model"], config_path=call["config"])
    options = onnxruntime.SessionOptions()
    options.intra_op_num_threads = options.inter_op_num_threads = 1
    # The library has no setting of threads.
    voice.session = onnxruntime.InferenceSession(
        call["model"], options, providers=["CPUExecutionProvider"]
    )
    speaker = SynthesisConfig(speaker_id=call["speaker"])
    return voice.config.sample_rate, lambda text: (
        chunk.audio_float_array for chunk in voice.synthesize(text, speaker)
    )


def main():
    import numpy as np

    call = json.loads(sys.stdin.readline())
    sample_rate, stream = {"hibari": load_hibari, "piper": load_piper}[call["library"]](call)
    print(json.dumps({"sampleRateHz": sample_rate}), flush=True)
    for line in sys.stdin:
        call = json.loads(line)
        started, cpu = time.perf_counter(), time.process_time()
        first, parts = None, []
        for part in stream(call["text"]):
            first = first or time.perf_counter() - started
            parts.append((np.clip(part, -1.0, 1.0) * 32767.0).astype("<i2"))
        samples = np.concatenate(parts)
        cost = time.process_time() - cpu
        samples.tofile(call["path"])
        result = {"firstSamplesMs": first * 1000, "cpuSeconds": cost, "audioSeconds": len(samples) / sample_rate}
        print(json.dumps(result), flush=True)


main()
