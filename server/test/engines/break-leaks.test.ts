import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { type BreakCase, findBreakLeaks } from '../../bench/acting/break-leaks.ts';
import type { TtsEngine } from '../../src/domain/engines/tts-engine.ts';
import { openSpeechHost } from '../support/workers/engine-context.ts';

/** Cases in which the onset of the second sentence was heard before the insertion when it was cut by alignment alone. */
const CASES: readonly BreakCase[] = [
  {
    voice: 'bf_emma',
    text: 'I am here with you.| She left.',
    content: { kind: 'pause', seconds: 0.5 },
  },
  {
    voice: 'am_adam',
    text: 'I knew it.| Now we have to go.',
    content: { kind: 'pause', seconds: 0.5 },
  },
  {
    voice: 'am_michael',
    text: 'I knew it.| Now we have to go.',
    content: { kind: 'sound', sound: 'sigh', intensity: 1 },
  },
];

describe('an insertion between two words', () => {
  let engine: TtsEngine;
  before(async () => {
    engine = await openSpeechHost().engine('kokoro-fast');
  });
  after(() => engine.close());

  for (const testCase of CASES) {
    it(`is between the words in "${testCase.text}" by ${testCase.voice}`, async () => {
      assert.deepEqual(await findBreakLeaks(engine, testCase), []);
    });
  }
});
