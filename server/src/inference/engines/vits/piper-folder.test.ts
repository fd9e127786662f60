import assert from 'node:assert/strict';
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { findPiperVoices } from './piper-folder.ts';

const CONFIG = JSON.stringify({
  audio: { sample_rate: 16000 },
  espeak: { voice: 'fr' },
  phoneme_id_map: { _: [0], '^': [1], $: [2] },
});

test('complete voices are found, broken ones are reported, and other files are ignored', async (t) => {
  const folder = await mkdtemp(join(tmpdir(), 'piper-'));
  t.after(() => rm(folder, { recursive: true }));
  const files = {
    'fr_FR-lea-low.onnx': 'weights',
    'fr_FR-lea-low.onnx.json': CONFIG,
    'alone.onnx': 'weights',
    'orphan.onnx.json': CONFIG,
    'bad.onnx': 'weights',
    'bad.onnx.json': '{',
    'notes.txt': 'not a voice',
  };
  for (const [name, content] of Object.entries(files)) await writeFile(join(folder, name), content);
  await mkdir(join(folder, 'folder.onnx'));

  const { voices, broken } = await findPiperVoices(folder);
  assert.deepEqual(
    voices.map((voice) => [voice.name, voice.config.language, voice.config.sampleRateHz, voice.modelPath]),
    [['fr_FR-lea-low', 'fr', 16000, join(folder, 'fr_FR-lea-low.onnx')]],
  );
  assert.deepEqual(broken, [
    { path: join(folder, 'alone.onnx'), problem: 'The configuration alone.onnx.json is missing.' },
    { path: join(folder, 'bad.onnx.json'), problem: 'The file is not valid JSON.' },
    { path: join(folder, 'orphan.onnx.json'), problem: 'The model orphan.onnx is missing.' },
  ]);
});

test('a folder that is not there has no voices', async () => {
  assert.deepEqual(await findPiperVoices(join(tmpdir(), 'no', 'such', 'folder')), { voices: [], broken: [] });
});
