import assert from 'node:assert/strict';
import { test } from 'node:test';
import { findClicks } from '../../../../test/support/audio/clicks.ts';
import { IS_COMPLETE_RUN } from '../../../../test/support/engines/complete-run.ts';
import { spokenWords } from '../../../../test/support/engines/tts-engine-contract.ts';
import { useSpeechHost } from '../../../../test/support/workers/shared-speech-host.ts';
import { Resampler } from '../../../audio/dsp/resampler.ts';
import { applyGain } from '../../../audio/gain.ts';
import { joinSamples } from '../../../audio/pcm.ts';
import type { SpeechPart, TtsEngine } from '../../../domain/engines/tts-engine.ts';
import { suppressTransients } from './suppress-transients.ts';

/** Texts with many plosives, between vowels and after silence. */
const PASSAGES = [
  'Seven people at the pipe shop kept a copper kettle, a pepper pot and eighty apples.',
  'Put the paper cup back before the big black dog at the door can get at it.',
  'At midnight today the keeper of the park locked up both gates and took the key.',
  'Ten percent of the packets dropped out, but the operator kept repeating that it was okay.',
  'Thick cotton blankets, a backpack, a tent: pick up whatever you can, and keep it dry.',
  'Please book a table by the library, and ask the cook to stop baking at about a quarter past eight.',
] as const;

/** `hasClicks`: the unfiltered speech of these passages has some, which shows that the detector finds them. */
const CASTS = [
  { engineName: 'kokoro-fast', voices: ['af_heart', 'am_michael', 'bf_emma', 'af_bella'], hasClicks: false },
  { engineName: 'vits', voices: ['14', '712', '871'], hasClicks: true },
] as const;
/** Passages of each voice, so that the voices of an engine speak all of them. */
const PASSAGES_PER_VOICE = IS_COMPLETE_RUN ? PASSAGES.length : 2;
/** Gain of the loudness normalization for these voices. */
const GAIN_DB = 3;
/** The default output sample rate. */
const OUTPUT_RATE_HZ = 44100;

const host = useSpeechHost();

for (const { engineName, voices, hasClicks } of CASTS) {
  test(`the output of a worker with ${engineName} has no clicks and differs in few samples`, async () => {
    const engine = await host.engine(engineName);
    const clicks = { before: 0, after: 0 };
    let [total, changed] = [0, 0];
    for (const [index, name] of voices.entries()) {
      for (let number = 0; number < PASSAGES_PER_VOICE; number++) {
        const seed = (PASSAGES_PER_VOICE * index + number) % PASSAGES.length;
        const passage = PASSAGES[seed]!;
        const utterance = { words: spokenWords(passage), language: 'en-US', speed: 1, seed } as const;
        const parts = await collect(
          engine.speak({ ...utterance, voice: { kind: 'named', name } }, new AbortController().signal),
        );
        const before = samplesOf(parts);
        const after = samplesOf(await collect(suppressTransients(streamOf(parts))));
        assert.equal(after.length, before.length);
        clicks.before += countClicks(before, engine);
        clicks.after += countClicks(after, engine);
        total += before.length;
        changed += before.reduce((count, sample, at) => count + (sample === after[at] ? 0 : 1), 0);
      }
    }
    if (hasClicks) assert.ok(clicks.before > 0, 'the detector finds clicks in the unfiltered audio');
    assert.equal(clicks.after, 0);
    assert.ok(changed < 0.004 * total, `${changed} of ${total} samples were changed`);
  });
}

async function collect(speech: AsyncIterable<SpeechPart>): Promise<SpeechPart[]> {
  const parts: SpeechPart[] = [];
  for await (const part of speech) parts.push(part);
  return parts;
}

async function* streamOf(parts: readonly SpeechPart[]): AsyncGenerator<SpeechPart> {
  yield* parts;
}

function samplesOf(parts: readonly SpeechPart[]): Float32Array {
  return joinSamples(parts.map(({ samples }) => samples));
}

/** Clicks at the sample rate of the engine and at the default output rate. */
function countClicks(samples: Float32Array, { sampleRateHz }: TtsEngine): number {
  const loud = applyGain(samples, GAIN_DB);
  const resampler = new Resampler({ fromHz: sampleRateHz, toHz: OUTPUT_RATE_HZ });
  const output = joinSamples([resampler.process(loud), resampler.flush()]);
  return findClicks(loud, sampleRateHz).length + findClicks(output, OUTPUT_RATE_HZ).length;
}
