import assert from 'node:assert/strict';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { writeTinyZipVoice } from '../../../../test/support/engines/tiny-zipvoice.ts';
import { spokenWords } from '../../../../test/support/engines/tts-engine-contract.ts';
import { joinSamples } from '../../../audio/pcm.ts';
import type { TtsEngine, Utterance } from '../../../domain/engines/tts-engine.ts';
import { ApiError } from '../../../errors.ts';
import { loadZipVoice } from './load-zipvoice.ts';
import { ZIPVOICE } from './zipvoice-files.ts';

const RATE_HZ = 24_000;
const TRANSCRIPT = 'A quiet morning by the sea.';

let folder: string;
let engine: TtsEngine;
before(async () => {
  folder = await mkdtemp(join(tmpdir(), 'mynah-zipvoice-'));
  await writeTinyZipVoice(folder);
  engine = await loadZipVoice({
    threads: 1,
    folder: async () => folder,
    file: async (model, name) => {
      assert.equal(model, ZIPVOICE);
      return join(folder, name);
    },
  });
});
after(async () => {
  await engine.close();
  await rm(folder, { recursive: true });
});

/** A tone of two seconds with this level. */
const recording = (level: number) =>
  Float32Array.from(
    { length: 2 * RATE_HZ },
    (_, index) => level * Math.sin((2 * Math.PI * 187.5 * index) / RATE_HZ),
  );
const voiceOf = (level: number, text = TRANSCRIPT) =>
  ({ kind: 'recording', samples: recording(level), text }) as const;

async function synthesize(changes: Partial<Utterance> = {}): Promise<Float32Array> {
  const utterance: Utterance = {
    words: spokenWords('The little boat came home at last.'),
    language: 'en-US',
    voice: voiceOf(0.5),
    speed: 1,
    seed: 1,
    ...changes,
  };
  const parts: Float32Array[] = [];
  for await (const part of engine.speak(utterance, new AbortController().signal)) {
    assert.equal(part.sampleRateHz, RATE_HZ);
    parts.push(part.samples);
  }
  return joinSamples(parts);
}
const loudest = (samples: Float32Array) =>
  samples.reduce((max, sample) => Math.max(max, Math.abs(sample)), 0);

test('the output follows the reference recording', async () => {
  const [loud, quiet] = [loudest(await synthesize()), loudest(await synthesize({ voice: voiceOf(0.25) }))];
  assert.ok(loud > 0.2, `${loud}`);
  assert.ok(Math.abs(loud / quiet - 2) < 0.05, `${loud} and ${quiet}`);
});

test('the transcript sets the speaking rate, and the requested speed scales it', async () => {
  const usual = (await synthesize({ words: spokenWords(TRANSCRIPT) })).length;
  assert.ok(Math.abs(usual - 2 * RATE_HZ) < 0.05 * usual, `${usual} samples for a text of two seconds`);
  const wordier = (
    await synthesize({ words: spokenWords(TRANSCRIPT), voice: voiceOf(0.5, `${TRANSCRIPT} ${TRANSCRIPT}`) })
  ).length;
  assert.ok(Math.abs(wordier / usual - 0.5) < 0.05, `${wordier} of ${usual}`);
  const faster = (await synthesize({ words: spokenWords(TRANSCRIPT), speed: 2 })).length;
  assert.ok(Math.abs(faster / usual - 0.5) < 0.05, `${faster} of ${usual}`);
});

test('an abort stops the generation, and the next request succeeds', async () => {
  const aborted = new AbortController();
  aborted.abort(new Error('gone'));
  const utterance = {
    words: spokenWords('Home.'),
    language: 'en-US',
    voice: voiceOf(0.5),
    speed: 1,
    seed: 1,
  };
  await assert.rejects(async () => {
    for await (const _ of engine.speak(utterance as Utterance, aborted.signal));
  }, /gone/);
  assert.ok((await synthesize()).length > 0);
});

test('a named voice, a too short recording or one without a transcript is rejected', async () => {
  for (const voice of [
    { kind: 'named', name: 'af_heart' },
    { kind: 'recording', samples: recording(0.5).subarray(0, 1000), text: TRANSCRIPT },
    voiceOf(0.5, ' '),
  ] as const) {
    await assert.rejects(synthesize({ voice }), ApiError);
  }
});
