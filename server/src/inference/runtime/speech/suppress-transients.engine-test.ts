import assert from 'node:assert/strict';
import { test } from 'node:test';
import { findClicks } from '../../../../test/support/audio/clicks.ts';
import { openEngineHost } from '../../../../test/support/engine-context.ts';
import { spokenWords } from '../../../../test/support/engines/tts-engine-contract.ts';
import { Resampler } from '../../../audio/dsp/resampler.ts';
import { applyGain } from '../../../audio/gain.ts';
import { joinSamples } from '../../../audio/pcm.ts';
import type { SpeechPart, TtsEngine } from '../../../domain/engines/tts-engine.ts';
import { suppressTransients } from './suppress-transients.ts';

/** Full of p, b, t, d and k, between vowels and out of silence. */
const PASSAGES = [
  'Seven people at the pipe shop kept a copper kettle, a pepper pot and eighty apples.',
  'Put the paper cup back before the big black dog at the door can get at it.',
  'At midnight today the keeper of the park locked up both gates and took the key.',
  'Ten percent of the packets dropped out, but the operator kept repeating that it was okay.',
  'Thick cotton blankets, a backpack, a tent: pick up whatever you can, and keep it dry.',
  'Please book a table by the library, and ask the cook to stop baking at about a quarter past eight.',
] as const;

const CASTS = [
  { engineName: 'kokoro-fast', voices: ['af_heart', 'am_michael', 'bf_emma', 'af_bella'] },
  { engineName: 'vits', voices: ['14', '712', '871'] },
] as const;
/** What brings these voices to the level they are heard at. */
const GAIN_DB = 3;
/** The rate that clients get unless they ask for another. */
const HEARD_RATE_HZ = 44100;

const host = openEngineHost();

for (const { engineName, voices } of CASTS) {
  test(`speech of ${engineName} does not click as a worker sends it, and is the same speech`, async () => {
    const engine = await host.engine(engineName);
    const clicks = { before: 0, after: 0 };
    let [heard, changed] = [0, 0];
    for (const name of voices) {
      for (const [seed, passage] of PASSAGES.entries()) {
        const utterance = { words: spokenWords(passage), language: 'en-US', speed: 1, seed } as const;
        const parts = await collect(
          engine.speak({ ...utterance, voice: { kind: 'named', name } }, new AbortController().signal),
        );
        const before = samplesOf(parts);
        const after = samplesOf(await collect(suppressTransients(streamOf(parts))));
        assert.equal(after.length, before.length);
        clicks.before += countClicks(before, engine);
        clicks.after += countClicks(after, engine);
        heard += before.length;
        changed += before.reduce((count, sample, at) => count + (sample === after[at] ? 0 : 1), 0);
      }
    }
    assert.ok(clicks.before > 0, 'the detector hears something before');
    assert.equal(clicks.after, 0);
    assert.ok(changed < 0.004 * heard, `${changed} of ${heard} samples were changed`);
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

/** Clicks at the engine's own rate and at the one that most clients hear. */
function countClicks(samples: Float32Array, { sampleRateHz }: TtsEngine): number {
  const loud = applyGain(samples, GAIN_DB);
  const resampler = new Resampler({ fromHz: sampleRateHz, toHz: HEARD_RATE_HZ });
  const heard = joinSamples([resampler.process(loud), resampler.flush()]);
  return findClicks(loud, sampleRateHz).length + findClicks(heard, HEARD_RATE_HZ).length;
}
