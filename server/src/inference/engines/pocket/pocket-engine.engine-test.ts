import assert from 'node:assert/strict';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { writeTinyPocket } from '../../../../test/support/engines/tiny-pocket.ts';
import { spokenWords } from '../../../../test/support/engines/tts-engine-contract.ts';
import { joinSamples } from '../../../audio/pcm.ts';
import type { TtsEngine, Utterance } from '../../../domain/engines/tts-engine.ts';
import { ApiError } from '../../../errors.ts';
import { loadPocket } from './load-pocket.ts';
import { POCKET } from './pocket-files.ts';

let folder: string;
let engine: TtsEngine;
before(async () => {
  folder = await mkdtemp(join(tmpdir(), 'mynah-pocket-'));
  await writeTinyPocket(folder);
  engine = await loadPocket({
    threads: 1,
    file: async (model, name) => {
      assert.equal(model, POCKET);
      return join(folder, name);
    },
  });
});
after(async () => {
  await engine.close();
  await rm(folder, { recursive: true });
});

/** A recording of one second whose mean is its level. */
const recording = (level: number) => new Float32Array(24_000).fill(level);
const utterance = (changes: Partial<Utterance> = {}): Utterance => ({
  words: spokenWords('The little boat came home at last.'),
  language: 'en-US',
  voice: { kind: 'recording', samples: recording(0.5), text: '' },
  speed: 1,
  seed: 1,
  ...changes,
});

async function said(changes: Partial<Utterance> = {}): Promise<Float32Array> {
  const parts: Float32Array[] = [];
  for await (const part of engine.speak(utterance(changes), new AbortController().signal)) {
    assert.equal(part.sampleRateHz, 24_000);
    parts.push(part.samples);
  }
  return joinSamples(parts);
}
const loudest = (samples: Float32Array) =>
  samples.reduce((max, sample) => Math.max(max, Math.abs(sample)), 0);

test('it speaks like the recording it is given', async () => {
  const [loud, quiet] = [
    await said(),
    await said({ voice: { kind: 'recording', samples: recording(0.1), text: '' } }),
  ];
  assert.ok(Math.abs(loudest(loud) - 0.5) < 0.02, `${loudest(loud)}`);
  assert.ok(Math.abs(loudest(quiet) - 0.1) < 0.02, `${loudest(quiet)}`);
});

test('a longer text takes longer, and both are whole', async () => {
  const short = await said({ words: spokenWords('Home.') });
  const long = await said();
  assert.ok(short.length >= 4 * 1920, `${short.length} samples`);
  assert.ok(long.length > 3 * short.length, `${long.length} and ${short.length} samples`);
});

test('whoever leaves is let go, and the next is served', async () => {
  const leaving = new AbortController();
  leaving.abort(new Error('gone'));
  await assert.rejects(async () => {
    for await (const _ of engine.speak(utterance(), leaving.signal));
  }, /gone/);
  for await (const _ of engine.speak(utterance(), new AbortController().signal)) break;
  assert.ok((await said()).length > 0);
});

test('a name, numbers, or hardly any recording, is refused', async () => {
  for (const voice of [
    { kind: 'named', name: 'af_heart' },
    { kind: 'vector', values: recording(0.5) },
    { kind: 'recording', samples: recording(0.5).subarray(0, 1000), text: '' },
  ] as const) {
    await assert.rejects(said({ voice }), ApiError);
  }
});
