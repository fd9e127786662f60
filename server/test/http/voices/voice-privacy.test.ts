import assert from 'node:assert/strict';
import { once } from 'node:events';
import { after, before, test } from 'node:test';
import { pack } from 'msgpackr';
import { WebSocket } from 'ws';
import { form, PICTURE, RECORDING } from '../../support/calls/voice-forms.ts';
import { startTestServer, type TestServer } from '../../support/servers/http-server.ts';
import { RecordingCloner } from '../../support/workers/recording-cloner.ts';
import { voicesOf } from '../../support/workers/tone-speech.ts';

const TITLE = 'Secret Sally';
const NAME = 'sally-by-name';

let server: TestServer;
/** Another process over the same data. */
let neighbour: TestServer;
let strangerKey: string;
/** The id of a private voice. */
let secret: string;
before(async () => {
  const voices = { cloner: new RecordingCloner() };
  server = await startTestServer({ voices });
  neighbour = await startTestServer({ voices, dataFolder: server.dataFolder });
  strangerKey = await server.createKeyFor('acc_stranger');
  secret = await makeSecret();
});
after(async () => {
  await neighbour.close();
  await server.close();
});

/** A private voice with an id, a title and a reference name. */
async function makeSecret(): Promise<string> {
  const body = form({ title: TITLE, voices: RECORDING, cover_image: PICTURE, tags: ['hidden'] });
  const made = await server.call('/model', { method: 'POST', body });
  assert.equal(made.status, 201);
  const added = await server.call('/v1/references/add?format=json', {
    method: 'POST',
    body: form({ id: NAME, audio: RECORDING, text: 'hello' }),
  });
  assert.equal(added.status, 200, await added.text());
  return ((await made.json()) as { _id: string })._id;
}

type Ask = (url: string, key: string, voice: string) => Promise<Response>;
const bearer = (key: string) => ({ authorization: `Bearer ${key}` });
const post =
  (path: string, bodyOf: (voice: string) => unknown, headers: Record<string, string> = {}): Ask =>
  (url, key, voice) =>
    fetch(url + path.replace('{voice}', voice), {
      method: 'POST',
      headers: { ...bearer(key), 'xi-api-key': key, 'content-type': 'application/json', ...headers },
      body: JSON.stringify(bodyOf(voice)),
    });
const at =
  (method: string, path: string, body?: () => FormData): Ask =>
  (url, key, voice) =>
    fetch(url + path.replace('{voice}', voice), {
      method,
      headers: { ...bearer(key), 'xi-api-key': key },
      ...(body && { body: body() }),
    });

/** The result of a socket session with the voice as a response: an error unless there is audio. */
const socket =
  (path: string, messages: (voice: string) => readonly (string | Uint8Array)[]): Ask =>
  async (url, key, voice) => {
    const live = new WebSocket(url.replace('http', 'ws') + path.replace('{voice}', voice), {
      headers: { ...bearer(key), 'xi-api-key': key, model: 's1' },
    });
    let heard = '';
    live.on('message', (data) => {
      heard += Buffer.from(data as Buffer).toString('latin1');
      // Audio was received; OpenAI's session does not end by itself.
      if (/audio.delta|response.done|"error"|\xa6finish/.test(heard)) live.close();
    });
    live.on('error', () => {});
    await Promise.race([once(live, 'open'), once(live, 'close')]);
    for (const message of messages(voice)) live.send(message);
    if (live.readyState !== WebSocket.CLOSED) await once(live, 'close');
    const isSpoken = /\xa5audio[\xc4-\xc6]|"audio":"|audio\.delta/.test(heard);
    return new Response(heard, { status: isSpoken ? 200 : 403 });
  };

/** All speech routes. */
const SPEAKING: Readonly<Record<string, Ask>> = {
  'POST /v1/tts': post('/v1/tts', (voice) => ({ text: 'Hello.', reference_id: voice }), { model: 's1' }),
  'POST /v1/tts for several speakers': post(
    '/v1/tts',
    (voice) => ({ text: '<|speaker:0|>Hello.<|speaker:1|>Bye.', reference_id: ['af_heart', voice] }),
    { model: 's2-pro' },
  ),
  'POST /v1/tts/stream/with-timestamp': post(
    '/v1/tts/stream/with-timestamp',
    (voice) => ({ text: 'Hello.', reference_id: voice }),
    { model: 's1' },
  ),
  'POST /compat/v1/audio/speech': post('/compat/v1/audio/speech', (voice) => ({
    model: 'tts-1',
    input: 'Hello.',
    voice,
  })),
  'POST /compat/v1/chat/completions': post('/compat/v1/chat/completions', (voice) => ({
    model: 'fish-audio/s1',
    modalities: ['text', 'audio'],
    audio: { voice, format: 'wav' },
    messages: [{ role: 'user', content: 'Hello.' }],
  })),
  'POST /v1/text-to-speech/{voice}': post('/compat/elevenlabs/v1/text-to-speech/{voice}', () => ({
    text: 'Hello.',
  })),
  'POST /v1/text-to-speech/{voice}/stream': post(
    '/compat/elevenlabs/v1/text-to-speech/{voice}/stream',
    () => ({
      text: 'Hello.',
    }),
  ),
  'POST /v1/text-to-speech/{voice}/with-timestamps': post(
    '/compat/elevenlabs/v1/text-to-speech/{voice}/with-timestamps',
    () => ({
      text: 'Hello.',
    }),
  ),
  'the live socket': socket('/v1/tts/live', (voice) => [
    pack({ event: 'start', request: { text: '', format: 'pcm', reference_id: voice } }),
    pack({ event: 'text', text: 'Hello. ' }),
    pack({ event: 'stop' }),
  ]),
  'the live socket with timestamps': socket('/v1/tts/live/with-timestamp', (voice) => [
    pack({ event: 'start', request: { text: '', format: 'pcm', reference_id: voice } }),
    pack({ event: 'text', text: 'Hello. ' }),
    pack({ event: 'stop' }),
  ]),
  'ElevenLabs’ socket': socket('/compat/elevenlabs/v1/text-to-speech/{voice}/stream-input', () => [
    JSON.stringify({ text: ' ' }),
    JSON.stringify({ text: 'Hello. ' }),
    JSON.stringify({ text: '' }),
  ]),
  'OpenAI’s socket': socket('/compat/v1/realtime?model=fish-audio/s1', (voice) => [
    JSON.stringify({ type: 'session.update', session: { type: 'realtime', audio: { output: { voice } } } }),
    JSON.stringify({
      type: 'conversation.item.create',
      item: { type: 'message', role: 'user', content: [{ type: 'input_text', text: 'Hello.' }] },
    }),
    JSON.stringify({ type: 'response.create' }),
  ]),
};

/** All routes that read, change or mix a voice. */
const SEEING: Readonly<Record<string, Ask>> = {
  'GET /model/{voice}': at('GET', '/model/{voice}'),
  'its first recording': at('GET', '/model/{voice}/samples/0'),
  'its cover': at('GET', '/model/{voice}/cover'),
  'ElevenLabs’ view of it': at('GET', '/compat/elevenlabs/v1/voices/{voice}'),
  'a mix': post('/model', (voice) => ({ title: 'Mine', mix: [{ id: voice }, { id: 'af_heart' }] })),
  'PATCH /model/{voice}': at('PATCH', '/model/{voice}', () => form({ title: 'Mine' })),
  'DELETE /model/{voice}': at('DELETE', '/model/{voice}'),
};

const LISTS = [
  '/model?page_size=100',
  '/model?page_size=100&self=true',
  '/model?page_size=100&title=sally',
  '/model?page_size=100&tag=hidden',
  '/model?page_size=100&author_id=acc_first',
  '/compat/elevenlabs/v1/voices',
  '/compat/elevenlabs/v2/voices?page_size=100',
  '/v1/references/list?format=json',
  '/compat/v1/audio/voices',
];

for (const [route, speak] of Object.entries(SPEAKING)) {
  test(`${route} uses a private voice only for its owner`, async () => {
    const own = await speak(server.url, server.key, secret);
    assert.equal(own.status, 200, await own.text());
    for (const voice of [secret, NAME, encodeURIComponent(TITLE)]) {
      const before = server.speech.requests.length;
      const { status } = await speak(server.url, strangerKey, voice);
      assert.ok(status >= 400 && status < 500, `${voice}: ${status}`);
      const asked = server.speech.requests.slice(before);
      assert.deepEqual(asked.flatMap(voicesOf), []);
    }
  });
}

for (const [way, ask] of Object.entries(SEEING)) {
  test(`${way}: not for another account`, async () => {
    for (const key of [strangerKey, 'no-key']) {
      const refused = await ask(server.url, key, secret);
      assert.ok([401, 403, 404].includes(refused.status), `${refused.status}`);
      assert.ok(!(await refused.text()).includes(TITLE));
    }
  });
}

test('lists of other accounts and without a key contain neither private voices nor their names', async () => {
  for (const path of LISTS) {
    for (const headers of [{ ...bearer(strangerKey), 'xi-api-key': strangerKey }, {}]) {
      const list = await (await fetch(server.url + path, { headers })).text();
      for (const word of [secret, TITLE, NAME]) assert.ok(!list.includes(word), `${path}: ${word}`);
    }
  }
});

test('another account cannot rename or delete a voice by its name', async () => {
  for (const [path, fields] of [
    ['update', { old_reference_id: NAME, new_reference_id: 'mine' }],
    ['delete', { reference_id: NAME }],
  ] as const) {
    const method = path === 'delete' ? 'DELETE' : 'POST';
    const headers = { ...bearer(strangerKey), 'content-type': 'application/json' };
    const response = await fetch(`${server.url}/v1/references/${path}?format=json`, {
      method,
      headers,
      body: JSON.stringify(fields),
    });
    assert.equal(response.status, 404, path);
  }
});

test('a deleted voice is unknown at once, in every process and on every route, and its files are deleted', async () => {
  const processes = [server, neighbour];
  for (const { url } of processes) {
    for (const speak of Object.values(SPEAKING))
      assert.equal((await speak(url, server.key, secret)).status, 200);
  }
  const filesOf = async () => (await server.storedFiles.list()).filter((name) => name.includes(secret));
  assert.ok((await filesOf()).length > 0);
  assert.equal((await server.call(`/model/${secret}`, { method: 'DELETE' })).status, 204);
  for (const { url } of processes) {
    for (const [way, ask] of Object.entries({ ...SPEAKING, ...SEEING })) {
      const { status } = await ask(url, server.key, secret);
      const expected = way in SEEING ? [404] : [400, 403, 404];
      assert.ok(expected.includes(status), `${way}: ${status}`);
    }
  }
  assert.deepEqual(await filesOf(), []);
});
