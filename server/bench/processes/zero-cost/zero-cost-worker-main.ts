import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { fromPcm16Bytes } from '../../../src/audio/encode/pcm16.ts';
import { packSamples } from '../../../src/audio/packed-samples.ts';
import type { WordTime } from '../../../src/domain/engines/tts-engine.ts';
import { planWindows } from '../../../src/inference/engines/kokoro/decoders/windows.ts';
import {
  FRAMES_PER_SECOND,
  SAMPLE_RATE_HZ,
  SAMPLES_PER_FRAME,
} from '../../../src/inference/engines/kokoro/networks/features.ts';
import { serveParent } from '../../../src/inference/runtime/process/serve-parent.ts';
import type { SpeechEvent, SpeechJob } from '../../../src/inference/runtime/speech/speech-job.ts';
import { RECORDED_SPEECH } from './recorded-speech.ts';

/**
 * Entry point of a speech worker without an engine. It returns recorded speech in the windows of the real engine, each of
 * them a second before it is due, as an engine under full load does.
 */

/** As `synthesizePieces` estimates the duration of a piece. */
const SECONDS_PER_LETTER = 0.07;
const LEAD_MS = 1000;
/** Reported cost, so that admission control admits every stream. */
const WORK_SECONDS = 1e-6;

serveParent<SpeechJob, SpeechEvent, never>((settings, { beginStep }) => {
  const recorded = readFile(join(settings.modelsRoot, RECORDED_SPEECH)).then(fromPcm16Bytes);
  return {
    load: () => recorded,
    loadedEngines: () => ['kokoro-fast'],
    async run({ utterance, dueAtMs, isFirstAudio }, { id, signal, send }) {
      const speech = await recorded;
      const letters = utterance.words.reduce((sum, { text }) => sum + text.length + 1, 0);
      const frames = Math.max(1, Math.round(letters * SECONDS_PER_LETTER * FRAMES_PER_SECOND));
      const offset = (utterance.seed * SAMPLES_PER_FRAME) % (speech.length - frames * SAMPLES_PER_FRAME);
      const startMs = isFirstAudio ? Date.now() : dueAtMs;
      const windows = planWindows({ from: 0, to: frames }, utterance.isLatencyCritical === true);
      for (const [index, { from, to }] of windows.entries()) {
        const waitMs = startMs + (from / FRAMES_PER_SECOND) * 1000 - LEAD_MS - Date.now();
        if (waitMs > 0) await sleep(waitMs);
        if (signal.aborted) return;
        beginStep(id);
        const [start, end] = [from, to].map((frame) => offset + frame * SAMPLES_PER_FRAME);
        send({
          packed: packSamples(speech.subarray(start, end)),
          sampleRateHz: SAMPLE_RATE_HZ,
          workSeconds: WORK_SECONDS,
          ...(index === 0 && { wordTimes: wordTimes(utterance.words.length, frames / FRAMES_PER_SECOND) }),
        });
      }
      beginStep(undefined);
    },
  };
});

function wordTimes(words: number, seconds: number): WordTime[] {
  return Array.from({ length: words }, (_, wordIndex) => ({
    wordIndex,
    startSeconds: (seconds * wordIndex) / words,
    endSeconds: (seconds * (wordIndex + 1)) / words,
  }));
}
