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

async function synthesize(changes: Partial<Utterance> = {}): Promise<Float32Array> {
  const parts: Float32Array[] = [];
  for await (const part of engine.speak(utterance(changes), new AbortController().signal)) {
    assert.equal(part.sampleRateHz, 24_000);
    parts.push(part.samples);
  }
  return joinSamples(parts);
}
const loudest = (samples: Float32Array) =>
  samples.reduce((max, sample) => Math.max(max, Math.abs(sample)), 0);

test('the output follows the reference recording', async () => {
  const [loud, quiet] = [
    await synthesize(),
    await synthesize({ voice: { kind: 'recording', samples: recording(0.1), text: '' } }),
  ];
  assert.ok(Math.abs(loudest(loud) - 0.5) < 0.02, `${loudest(loud)}`);
  assert.ok(Math.abs(loudest(quiet) - 0.1) < 0.02, `${loudest(quiet)}`);
});

test('a longer text gives longer audio, and both are complete', async () => {
  const short = await synthesize({ words: spokenWords('Home.') });
  const long = await synthesize();
  assert.ok(short.length >= 4 * 1920, `${short.length} samples`);
  assert.ok(long.length > 3 * short.length, `${long.length} and ${short.length} samples`);
});

test('an abort stops the generation, and the next request succeeds', async () => {
  const aborted = new AbortController();
  aborted.abort(new Error('gone'));
  await assert.rejects(async () => {
    for await (const _ of engine.speak(utterance(), aborted.signal));
  }, /gone/);
  for await (const _ of engine.speak(utterance(), new AbortController().signal)) break;
  assert.ok((await synthesize()).length > 0);
});

test('a named voice, a vector or a too short recording is rejected', async () => {
  for (const voice of [
    { kind: 'named', name: 'af_heart' },
    { kind: 'vector', values: recording(0.5) },
    { kind: 'recording', samples: recording(0.5).subarray(0, 1000), text: '' },
  ] as const) {
    await assert.rejects(synthesize({ voice }), ApiError);
  }
});
