import assert from 'node:assert/strict';
import { test } from 'node:test';
import { DECODER_VOICE_SIZE } from '../clone-vectors/clone-vector.ts';
import { FEATURE_ROWS, type Features } from '../networks/features.ts';
import { SearchSentences } from './search-sentences.ts';
import type { ProsodyText } from './text-features.ts';
import { TRIAL_FRAMES } from './trials.ts';

const FRAMES = TRIAL_FRAMES + 10;

function featuresAt(pitchHz: number): Features {
  return {
    frames: FRAMES,
    text: new Float32Array(FEATURE_ROWS),
    frameTokens: new Int32Array(FRAMES),
    f0: new Float32Array(2 * FRAMES).fill(pitchHz),
    energy: new Float32Array(2 * FRAMES),
  };
}

function cloneAt(medianHz: number) {
  return { decoderVoice: new Float32Array(DECODER_VOICE_SIZE), medianHz, rangeOctaves: 0.2 };
}

/** Sentences whose prosody voices speak at their median. */
function createSentences() {
  const calls: (readonly ProsodyText[])[] = [];
  const sentences = new SearchSentences(async (texts) => {
    calls.push(texts);
    if (calls.length === 1) throw new Error('It fails once.');
    return texts.map(({ prosody }) => featuresAt(prosody.medianHz));
  });
  return { sentences, calls };
}

test('a first voice is compared in English, a refinement in languages with other sounds too', async () => {
  const { sentences } = createSentences();
  await assert.rejects(sentences.spokenBy(cloneAt(120), { isThorough: false }));
  const languagesOf = async (isThorough: boolean) => {
    const spoken = await sentences.spokenBy(cloneAt(120), { isThorough });
    return spoken.map(({ language }) => language);
  };
  assert.deepEqual(new Set(await languagesOf(false)), new Set(['en-US']));
  assert.deepEqual((await languagesOf(true)).slice(0, 3), ['en-US', 'fr', 'it']);
});

test('sentences are cut to a trial and moved to the pitch of the clone, and made once for voices of one kind', async () => {
  const { sentences, calls } = createSentences();
  await assert.rejects(sentences.spokenBy(cloneAt(120), { isThorough: true }));
  const low = await sentences.spokenBy(cloneAt(120), { isThorough: true });
  const lower = await sentences.spokenBy(cloneAt(100), { isThorough: true });
  await sentences.spokenBy(cloneAt(220), { isThorough: true });
  assert.equal(calls.length, 3);
  assert.notEqual(calls[1]![0]!.prosody, calls[2]![0]!.prosody);
  for (const [spoken, medianHz] of [
    [low, 120],
    [lower, 100],
  ] as const) {
    for (const { features } of spoken) {
      assert.equal(features.frames, TRIAL_FRAMES);
      assert.ok(features.f0.every((hz) => Math.abs(hz - medianHz) < 0.1));
    }
  }
});
