import { createReadStream } from 'node:fs';
import { decodeAudio } from '../audio/decode/decode-audio.ts';
import { toMono } from '../audio/decode/mono.ts';
import { HEARING_RATE_HZ } from '../engines/asr-engine.ts';
import type { HearingContext, HearingEvent, HearingInput, HearingJob } from './hearing-job.ts';
import { type CuttingRules, type Stretch, StretchCutter } from './stretch-cutter.ts';

const RULES: CuttingRules = {
  maxSeconds: 20,
  targetSeconds: 10,
  pauses: { early: 1.5, usual: 0.8, late: 0.3 },
};

/** Does one job: decodes, finds speech, cuts it at pauses and transcribes it stretch by stretch. */
export async function* hear(
  context: HearingContext,
  job: HearingJob,
  signal: AbortSignal,
): AsyncGenerator<HearingEvent> {
  const engine = await context.engine(job.engines[0]!);
  const voice = (await context.voiceActivity()).open();
  const cutter = new StretchCutter(RULES);

  async function* transcribe(stretches: Iterable<Stretch>): AsyncGenerator<HearingEvent> {
    for (const { samples, startSeconds } of stretches) {
      const heard = await engine.transcribe(samples, { ...job, wordTimes: true, signal });
      if (heard.text === '') continue;
      yield {
        type: 'segment',
        startSeconds,
        endSeconds: startSeconds + samples.length / HEARING_RATE_HZ,
        text: heard.text,
        words: heard.words.map((word) => ({
          ...word,
          startSeconds: word.startSeconds + startSeconds,
          endSeconds: word.endSeconds + startSeconds,
        })),
        language: heard.language,
        confidence: heard.confidence,
      };
    }
  }

  let heardSamples = 0;
  for await (const samples of samplesOf(context, job, signal)) {
    yield* transcribe(cutter.push(samples, await voice.push(samples)));
    heardSamples += samples.length;
    yield { type: 'progress', heardSeconds: heardSamples / HEARING_RATE_HZ };
  }
  const last = cutter.flush();
  if (last !== undefined) yield* transcribe([last]);
}

function samplesOf(
  context: HearingContext,
  job: HearingJob,
  signal: AbortSignal,
): AsyncIterable<HearingInput> {
  if (job.source.kind === 'stream') return context.input;
  return toMono(decodeAudio(createReadStream(job.source.path), { signal }), HEARING_RATE_HZ);
}
