import assert from 'node:assert/strict';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { writeModel } from '../../src/inference/engines/onnx/model.ts';
import { makeTinyVits, TINY_CONFIG } from '../support/engines/tiny-vits.ts';
import { type RealServer, startRealServer } from '../support/servers/real-server.ts';

let folder: string;
let server: RealServer;
before(async () => {
  folder = await mkdtemp(join(tmpdir(), 'mynah-piper-'));
  await writeFile(join(folder, 'de_DE-tiny-low.onnx'), writeModel(makeTinyVits({ speakerCount: 0 })));
  await writeFile(join(folder, 'de_DE-tiny-low.onnx.json'), JSON.stringify(germanDescription()));
  await writeFile(join(folder, 'lonely.onnx'), 'not a model');
  server = await startRealServer({ env: { MYNAH_PIPER_VOICES: folder } });
});
after(async () => {
  await server.close();
  await rm(folder, { recursive: true });
});

/** As Piper writes it beside a voice. */
function germanDescription() {
  return {
    audio: { sample_rate: TINY_CONFIG.sampleRateHz },
    phoneme_type: 'text',
    espeak: { voice: 'de' },
    language: { code: 'de_DE' },
    phoneme_id_map: Object.fromEntries(TINY_CONFIG.symbolIds),
    num_speakers: 1,
    inference: { noise_scale: 0.5, length_scale: 1, noise_w: 0.2 },
  };
}

test('a Piper voice dropped into the folder is listed in its own language and speaks', async () => {
  const list = await fetch(`${server.url}/model?language=de&page_size=100`, {
    headers: { authorization: `Bearer ${server.key}` },
  });
  const { items } = (await list.json()) as { items: { title: string; languages: string[] }[] };
  assert.deepEqual(
    items.map(({ title, languages }) => ({ title, languages })),
    [{ title: 'de_DE-tiny-low', languages: ['de'] }],
  );

  const text = 'Der Zug nach Bonn kostet heute 12 Euro.';
  const response = await server.speak({ text, reference_id: 'de_DE-tiny-low', format: 'pcm' });
  assert.equal(response.status, 200, response.ok ? '' : await response.text());
  assert.equal(response.headers.get('x-mynah-engine'), 'piper-folder:de_DE-tiny-low');
  assert.ok((await response.arrayBuffer()).byteLength > 1000);
});

test('half a voice is told to the operator and harms nobody', () => {
  assert.match(server.output(), /lonely\.onnx/);
});
