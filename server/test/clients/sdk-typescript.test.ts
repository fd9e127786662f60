import assert from 'node:assert/strict';
import { mkdtemp, readdir, readFile, rm } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import * as official from 'fish-audio';
import { AuthenticationError, InvalidRequestError, Mynah, NotFoundError } from 'mynah';
import * as switched from 'mynah/fish-audio';
import { startTestServer, type TestServer } from '../support/servers/http-server.ts';
import { until } from '../support/servers/real-server.ts';

const { FishAudioClient, FishAudioError, NotFoundError: FishNotFoundError } = switched;

let server: TestServer;
let mynah: Mynah;
before(async () => {
  server = await startTestServer();
  mynah = new Mynah({ apiKey: server.key, baseUrl: `${server.url}/` });
});
after(() => server.close());

test('speech comes as a stream, with who spoke', async () => {
  const audio = await mynah.textToSpeech.convert({ text: 'hello there', model: 's1', format: 'pcm' });
  const { model, engine, voice, contentType } = audio.facts;
  assert.deepEqual([model, engine, voice, contentType], ['s1', 'tone', 'af_heart', 'audio/pcm']);
  let length = 0;
  for await (const chunk of audio) length += chunk.length;
  assert.equal(length, 2 * Math.floor('hello there'.length * 0.05 * 44_100));
});

test('speech goes into a file, and only a whole one', async (t) => {
  const folder = await mkdtemp(join(tmpdir(), 'mynah-sdk-'));
  t.after(() => rm(folder, { recursive: true }));
  const audio = await mynah.textToSpeech.convert({ text: 'hello', format: 'pcm' });
  await audio.toFile(join(folder, 'hello.pcm'));
  assert.equal((await readFile(join(folder, 'hello.pcm'))).length, 2 * Math.floor(5 * 0.05 * 44_100));
  assert.deepEqual(await readdir(folder), ['hello.pcm']);
});

test('breaking out of the loop stops the server', async () => {
  const audio = await mynah.textToSpeech.convert({ text: 'long '.repeat(20_000), format: 'pcm' });
  for await (const _ of audio) break;
  await until('the server stops', () => server.speech.active === 0);
});

test('what the server refuses is an error with its class, code and request id', async () => {
  await assert.rejects(mynah.textToSpeech.convert({ text: 'x', reference_id: 'nobody' }), (error) => {
    assert.ok(error instanceof InvalidRequestError);
    assert.equal(error.code, 'voice_not_found');
    assert.match(error.requestId ?? '', /^[0-9a-f]{32}$/);
    return true;
  });
  const stranger = new Mynah({ apiKey: 'wrong', baseUrl: server.url });
  await assert.rejects(stranger.textToSpeech.convert({ text: 'x' }), AuthenticationError);
  await assert.rejects(mynah.voices.get('f'.repeat(32)), NotFoundError);
});

test('voices are listed over all pages', async () => {
  const ids: string[] = [];
  for await (const voice of mynah.voices.list({ page_size: 10 })) ids.push(voice._id);
  const { total } = await mynah.voices.page({ page_size: 1 });
  assert.equal(ids.length, total);
  assert.equal(new Set(ids).size, ids.length);
});

test('a program for npm fish-audio runs with another import', async () => {
  const client = new FishAudioClient({ apiKey: () => server.key, baseUrl: server.url });
  const stream = await client.textToSpeech.convert({ text: 'hello', format: 'pcm' });
  let length = 0;
  for await (const chunk of stream as unknown as AsyncIterable<Uint8Array>) length += chunk.length;
  assert.ok(length > 0);
  assert.equal(server.speech.requests.at(-1)?.model, 's1');
  const { rawResponse } = await client.textToSpeech.convert({ text: 'hello' }, 's2-pro').withRawResponse();
  assert.equal(rawResponse.headers.get('x-mynah-model'), 's2-pro');
  assert.ok((await client.voices.search({ page_size: 2 })).items.length === 2);
  await assert.rejects(client.voices.get('f'.repeat(32)), (error) => {
    assert.ok(error instanceof FishAudioError && error instanceof FishNotFoundError);
    assert.equal(error.statusCode, 404);
    return true;
  });
});

test('what npm fish-audio exports is there, with every method of its client', () => {
  const ofTheirs = new official.FishAudioClient({ apiKey: 'x' });
  const ofOurs: object = new FishAudioClient({ apiKey: 'x' });
  // Namespaces that its generator leaves behind; nothing in them is meant to be called.
  const names = Object.entries(official).filter(
    ([, value]) => typeof value === 'function' || value === official.RealtimeEvents,
  );
  assert.deepEqual(
    names.map(([name]) => name).filter((name) => !(name in switched)),
    [],
  );
  for (const resource of ['textToSpeech', 'speechToText', 'voices', 'user'] as const) {
    const mine = (ofOurs as Record<string, object>)[resource]!;
    const missing = methodsOf(ofTheirs[resource]).filter((name) => !(name in mine));
    assert.deepEqual(missing, [], resource);
  }
});

/** The public methods of an object, also those it inherits. */
function methodsOf(value: object): string[] {
  const names: string[] = [];
  for (let at = value; at !== Object.prototype; at = Object.getPrototypeOf(at)) {
    names.push(
      ...Object.getOwnPropertyNames(at).filter((name) => typeof Reflect.get(at, name, value) === 'function'),
    );
  }
  return names.filter((name) => !name.startsWith('_') && name !== 'getWebSocketUri');
}

test('the library can be required as well', () => {
  const required = createRequire(import.meta.url)('mynah') as { Mynah: typeof Mynah };
  assert.equal(typeof required.Mynah, 'function');
});
