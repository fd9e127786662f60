import assert from 'node:assert/strict';
import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import { get, type IncomingMessage } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { FishAudioClient } from 'fish-audio';
import { pack } from 'msgpackr';
import { clipTranscriber } from '../../../src/compose/voices.ts';
import { SAMPLE_TEXT } from '../../../src/domain/voices/library/voice-previews.ts';
import { form, OTHER_RECORDING, PICTURE, RECORDING } from '../../support/calls/voice-forms.ts';
import { startTestServer, type TestServer } from '../../support/servers/http-server.ts';
import { until } from '../../support/servers/real-server.ts';
import { RecordingCloner } from '../../support/workers/recording-cloner.ts';
import { ScriptedTranscription } from '../../support/workers/scripted-transcription.ts';
import { voicesOf } from '../../support/workers/tone-speech.ts';

const cloner = new RecordingCloner();
let server: TestServer;
let strangerKey: string;

before(async () => {
  server = await startTestServer({ voices: { cloner } });
  strangerKey = await server.createKeyFor('acc_stranger');
});
after(() => server.close());

type Entity = Record<string, unknown> & {
  readonly _id: string;
  readonly samples: readonly { readonly text: string; readonly audio: string }[];
  readonly quality: { readonly audios: readonly Record<string, unknown>[] };
};
const read = async (response: Response) => (await response.json()) as Entity;
const as = (key: string) => ({ authorization: `Bearer ${key}` });

async function create(fields: Parameters<typeof form>[0] = {}): Promise<Entity> {
  const body = form({ title: 'Ada', voices: RECORDING, ...fields });
  const response = await server.call('/model', { method: 'POST', body });
  assert.equal(response.status, 201, await response.clone().text());
  return read(response);
}

test('a voice is created, read, sampled, changed and deleted with its files', async () => {
  const made = await create({
    title: 'Ada',
    description: 'A test',
    voices: [RECORDING, OTHER_RECORDING],
    texts: ['one', 'two'],
    tags: ['calm', 'test'],
    cover_image: PICTURE,
    consent: 'It is my own voice.',
  });
  assert.match(made._id, /^[0-9a-f]{32}$/);
  assert.equal(made.state, 'trained');
  assert.equal(made.visibility, 'private');
  assert.equal(made.train_mode, 'fast');
  assert.deepEqual(made.tags, ['calm', 'test']);
  assert.deepEqual(
    made.samples.map(({ text }) => text),
    ['one', 'two'],
  );
  assert.ok(made.quality.audios.every(({ quality_passed }) => quality_passed === true));

  const got = await read(await server.call(`/model/${made._id}`));
  assert.deepEqual(got, made);
  const sample = await fetch(made.samples[1]?.audio as string, { headers: as(server.key) });
  assert.equal(sample.headers.get('content-type'), 'audio/wav');
  assert.deepEqual(Buffer.from(await sample.arrayBuffer()), OTHER_RECORDING);
  const cover = await fetch(made.cover_image as string, { headers: as(server.key) });
  assert.equal(cover.headers.get('content-type'), 'image/png');

  const changed = await server.call(`/model/${made._id}`, {
    method: 'PATCH',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ title: 'Ada II', visibility: 'unlist' }),
  });
  assert.equal(changed.status, 200);
  const after = await read(changed);
  assert.equal(after.status, 'ok');
  assert.equal(after.title, 'Ada II');
  assert.equal(after.description, 'A test');

  assert.equal((await server.call(`/model/${made._id}`, { method: 'DELETE' })).status, 204);
  for (const path of ['', '/samples/0', '/cover']) {
    assert.equal((await server.call(`/model/${made._id}${path}`)).status, 404);
  }
  assert.equal((await server.call(`/model/${made._id}`, { method: 'DELETE' })).status, 404);
  assert.ok(!(await server.storedFiles.list()).some((name) => name.includes(made._id)));
});

test('a recording is streamed: a client that does not read it holds no copy in memory', async (t) => {
  const { _id: id } = await create();
  const size = 256 * 2 ** 20;
  await server.storedFiles.resize(`voices/${id}/sample-0`, size);
  const before = process.memoryUsage().arrayBuffers;
  const request = get(`${server.url}/model/${id}/samples/0`, { headers: as(server.key) });
  t.after(() => request.destroy());
  const [response] = (await once(request, 'response')) as [IncomingMessage];
  assert.equal(response.statusCode, 200);
  assert.equal(Number(response.headers['content-length']), size);
  assert.ok(process.memoryUsage().arrayBuffers - before < size / 4);
});

test('a repeated Idempotency-Key creates no second voice, and another recording is rejected', async () => {
  const make = (recording: Uint8Array) =>
    server.call('/model', {
      method: 'POST',
      headers: { 'idempotency-key': 'voice-1' },
      body: form({ title: 'Once', voices: recording }),
    });
  const first = await make(RECORDING);
  assert.equal(first.status, 201);
  const again = await make(RECORDING);
  assert.equal(again.status, 201);
  assert.equal(again.headers.get('idempotency-replayed'), 'true');
  assert.deepEqual(await again.json(), await first.json());
  const other = await make(OTHER_RECORDING);
  assert.equal(other.headers.get('x-fish-error-code'), 'idempotency_key_reused');
  const found = await server.call('/model?self=true&title=Once');
  assert.equal(((await found.json()) as { total: number }).total, 1);
});

test('the same fields work as multipart, urlencoded, JSON and MessagePack', async () => {
  const base64 = RECORDING.toString('base64');
  const bodies: readonly (readonly [string, NonNullable<RequestInit['body']>, string | undefined])[] = [
    ['multipart', form({ title: 'x', voices: RECORDING, tags: 'a, b' }), undefined],
    ['urlencoded', new URLSearchParams({ title: 'x', voices: base64, tags: 'a,b' }), undefined],
    [
      'JSON',
      JSON.stringify({ title: 'x', voices: [base64], tags: ['a', 'b'], texts: null }),
      'application/json',
    ],
    [
      'a Buffer in JSON',
      JSON.stringify({ title: 'x', voices: [RECORDING], tags: 'a,b' }),
      'application/json',
    ],
    [
      'MessagePack',
      new Uint8Array(pack({ title: 'x', voices: [RECORDING], tags: ['a', 'b'] })),
      'application/msgpack',
    ],
  ];
  for (const [name, body, type] of bodies) {
    const headers = type === undefined ? {} : { 'content-type': type };
    const response = await server.call('/model', { method: 'POST', body, headers });
    assert.equal(response.status, 201, `${name}: ${await response.clone().text()}`);
    const { tags, _id } = await read(response);
    assert.deepEqual(tags, ['a', 'b'], name);
    const encoded = new URLSearchParams({ title: `y ${name}`, tags: 'c,d' });
    const patched = await server.call(`/model/${_id}`, { method: 'PATCH', body: encoded });
    assert.deepEqual((await read(patched)).tags, ['c', 'd']);
    await server.call(`/model/${_id}`, { method: 'DELETE' });
  }
});

test('with generate_sample a synthesized sample follows the recordings', async () => {
  const { _id } = await create({ title: 'Vera', texts: 'Mine.', generate_sample: 'true' });
  let samples: Entity['samples'] = [];
  await until('it has a sample', async () => {
    ({ samples } = await read(await server.call(`/model/${_id}`)));
    return samples.length === 2;
  });
  assert.equal(samples[1]?.text, SAMPLE_TEXT);
  const audio = await server.call(new URL(samples[1]!.audio).pathname);
  assert.equal(audio.status, 200);
  assert.ok((await audio.arrayBuffer()).byteLength > 100);
});

test('comma-separated transcripts are split if their number matches, else ignored', async () => {
  const fitting = await create({ voices: [RECORDING, OTHER_RECORDING], texts: 'one,two' });
  assert.deepEqual(
    fitting.samples.map(({ text }) => text),
    ['one', 'two'],
  );
  const unfitting = await create({ voices: [RECORDING, OTHER_RECORDING], texts: 'Well, one, two' });
  assert.deepEqual(
    unfitting.samples.map(({ text }) => text),
    ['', ''],
  );
});

test('a missing or invalid field is a 422 with the field name', async () => {
  const cases: readonly (readonly [Parameters<typeof form>[0], string])[] = [
    [{ voices: RECORDING }, 'title'],
    [{ title: 'x' }, 'voices'],
    [{ title: '  ', voices: RECORDING }, 'title'],
    [{ title: 'x', voices: RECORDING, visibility: 'secret' }, 'visibility'],
    [{ title: 'x', voices: RECORDING, voice_design_signatures: ['a', 'b'] }, 'voice_design_signatures'],
    [{ title: 'x', voices: RECORDING, cover_image: Buffer.from('no picture') }, 'cover_image'],
    [{ title: 'x', voices: Array.from({ length: 21 }, () => Buffer.from('x')) }, 'voices'],
  ];
  for (const [fields, field] of cases) {
    const response = await server.call('/model', { method: 'POST', body: form(fields) });
    const body = (await response.json()) as { status: number; detail: { loc: string[] }[] };
    assert.equal(response.status, 422, field);
    assert.deepEqual(body.detail[0]?.loc.slice(0, 2), ['body', field]);
  }
});

test('unsuitable recordings are rejected with their verdict, and nothing is stored', async () => {
  const before = (await read(await server.call('/model?self=true'))).total;
  const silent = Buffer.from(RECORDING);
  silent.fill(0, 44);
  const cases: readonly (readonly [Uint8Array, string, RegExp])[] = [
    [Buffer.from('Dear diary'), 'invalid_audio', /not audio/],
    [Buffer.alloc(0), 'invalid_audio', /empty/],
    [silent, 'unusable_recording', /silence/],
  ];
  for (const [voices, code, message] of cases) {
    const response = await server.call('/model', { method: 'POST', body: form({ title: 'x', voices }) });
    assert.equal(response.status, 400);
    assert.equal(response.headers.get('x-fish-error-code'), code);
    assert.match(((await response.json()) as { message: string }).message, message);
  }
  assert.equal((await read(await server.call('/model?self=true'))).total, before);
});

test('unsuitable recordings among several are omitted and reported', async () => {
  const silent = Buffer.from(OTHER_RECORDING);
  silent.fill(0, 44);
  const made = await create({ voices: [RECORDING, silent] });
  const verdicts = made.quality.audios.map(({ quality_passed, quality_reason }) => [
    quality_passed,
    quality_reason,
  ]);
  assert.deepEqual(verdicts[0], [true, '']);
  assert.equal(verdicts[1]?.[0], false);
  assert.match(String(verdicts[1]?.[1]), /^silence: /);
});

test('a private voice of another account can be neither read, listed, sampled, changed nor deleted', async () => {
  const { _id, samples } = await create({ title: 'Secret Sally', cover_image: PICTURE });
  const headers = as(strangerKey);
  const url = `${server.url}/model/${_id}`;
  assert.equal((await fetch(url, { headers })).status, 403);
  assert.equal((await fetch(samples[0]?.audio as string, { headers })).status, 403);
  assert.equal((await fetch(`${url}/cover`, { headers })).status, 403);
  assert.equal((await fetch(url, { headers, method: 'PATCH', body: form({ title: 'x' }) })).status, 403);
  assert.equal((await fetch(url, { headers, method: 'DELETE' })).status, 403);
  for (const query of ['', '&self=true', '&title=sally', `&author_id=${'acc_first'}`]) {
    const list = await fetch(`${server.url}/model?page_size=100${query}`, { headers });
    assert.ok(!(await list.text()).includes(_id), query);
  }

  await server.call(`/model/${_id}`, { method: 'PATCH', body: form({ visibility: 'public' }) });
  assert.equal((await fetch(url, { headers })).status, 200);
  assert.equal((await fetch(url, { headers, method: 'PATCH', body: form({ title: 'x' }) })).status, 403);
  assert.ok((await (await fetch(`${server.url}/model?title=SALLY`, { headers })).text()).includes(_id));
  await server.call(`/model/${_id}`, { method: 'DELETE' });
});

test('built-in voices have samples but cannot be changed', async () => {
  const voice = await read(await server.call('/model/af_heart'));
  assert.equal(voice.gender, 'female');
  assert.deepEqual(voice.languages, ['en']);
  const [sample] = voice.samples;
  const spoken = server.speech.requests.length;
  for (let i = 0; i < 2; i++) {
    const audio = await fetch(sample?.audio as string, { headers: as(server.key) });
    assert.equal(audio.status, 200);
    assert.ok((await audio.arrayBuffer()).byteLength > 1000);
  }
  assert.equal(server.speech.requests.length, spoken + 1);
  assert.equal((await server.call('/model/af_heart', { method: 'DELETE' })).status, 403);
  assert.equal(
    (await server.call('/model/af_heart', { method: 'PATCH', body: form({ title: 'x' }) })).status,
    403,
  );
});

test('lists paginate, search and sort built-in and public voices', async () => {
  const ids: string[] = [];
  for (const title of ['Zed one', 'Zed two', 'Zed three']) {
    ids.push((await create({ title, visibility: 'public', tags: 'zed' }))._id);
    await sleep(5);
  }
  type List = { total: number; has_more: boolean; items: Entity[] };
  const list = async (query: string) => (await (await server.call(`/model?${query}`)).json()) as List;
  const newest = await list('tag=zed&sort_by=created_at');
  assert.deepEqual(
    newest.items.map(({ _id }) => _id),
    ids.toReversed(),
  );
  const second = await list('tag=zed&sort_by=created_at&page_size=2&page_number=2');
  assert.deepEqual([second.total, second.has_more, second.items.length], [3, false, 1]);
  assert.equal((await list('title=two&tag=zed')).total, 1);
  assert.equal((await list('title=50%25')).total, 0);
  assert.equal((await list('tag=zed&language=fr')).total, 0);
  assert.ok((await list('')).total > 54);
  for (const id of ids) await server.call(`/model/${id}`, { method: 'DELETE' });
});

test('full training runs in the background, and the voice is usable in the meantime', async () => {
  let goOn: () => void = () => {};
  cloner.refining = new Promise((resolve) => {
    goOn = resolve;
  });
  const made = await create({ train_mode: 'full' });
  assert.deepEqual([made.state, made.train_mode, made.refinement], ['training', 'fast', 'pending']);
  goOn();
  await until('it is trained', async () => {
    const { state, refinement } = await read(await server.call(`/model/${made._id}`));
    return state === 'trained' && refinement === 'done';
  });
});

test('a first estimate is refined without being asked, also after a restart; a setting turns it off', async () => {
  const dataFolder = await mkdtemp(join(tmpdir(), 'mynah-refinement-'));
  const clone = async (at: TestServer) =>
    read(await at.call('/model', { method: 'POST', body: form({ title: 'Ada', voices: RECORDING }) }));
  const stuck = new RecordingCloner('kokoro-fast');
  stuck.refining = new Promise(() => {});
  const first = await startTestServer({ dataFolder, voices: { cloner: stuck } });
  const made = await clone(first);
  assert.deepEqual([made.state, made.refinement], ['trained', 'pending']);
  assert.deepEqual(made.languages, ['en', 'es', 'fr', 'hi', 'it', 'ja', 'pt', 'zh']);
  await first.close();

  const second = await startTestServer({
    dataFolder,
    voices: { cloner: new RecordingCloner('kokoro-fast') },
    config: { voiceRefinement: 'on_request' },
  });
  try {
    await until('it is refined', async () => {
      const { refinement } = await read(await second.call(`/model/${made._id}`));
      return refinement === 'done';
    });
    assert.equal((await clone(second)).refinement, 'none');
  } finally {
    await second.close();
    await rm(dataFolder, { recursive: true });
  }
});

test('a recording without a transcript is transcribed; if that fails, the voice is refined without it', async () => {
  const transcription = new ScriptedTranscription();
  const deaf = { transcribe: () => Promise.reject(new Error('No ears.')) };
  for (const transcriber of [clipTranscriber(transcription), deaf]) {
    const transcribing = await startTestServer({ voices: { cloner: new RecordingCloner(), transcriber } });
    try {
      const body = form({
        title: 'Ada',
        voices: [RECORDING, OTHER_RECORDING],
        texts: ['', 'two'],
        train_mode: 'full',
      });
      let voice = await read(await transcribing.call('/model', { method: 'POST', body }));
      const heard = transcriber === deaf ? '' : 'the rest';
      await until('it is trained and transcribed', async () => {
        voice = await read(await transcribing.call(`/model/${voice._id}`));
        return voice.state === 'trained' && voice.samples[0]?.text === heard;
      });
      assert.equal(voice.samples[1]?.text, 'two');
    } finally {
      await transcribing.close();
    }
  }
  assert.equal(transcription.active, 0);
});

test('the audit log has the creator and the consent of a voice', async () => {
  const { _id } = await create({ consent: 'My own voice, recorded today.' });
  await server.call(`/model/${_id}`, { method: 'DELETE' });
  const events: {
    action: string;
    target: string;
    facts: Record<string, unknown>;
    actor: { name: string };
  }[] = [];
  for await (const event of server.accounts.audit.read({ fromMs: 0, toMs: Date.now() + 1 }))
    events.push(event);
  const ours = events.filter(({ target }) => target === _id);
  assert.deepEqual(
    ours.map(({ action }) => action),
    ['voice.create', 'voice.delete'],
  );
  assert.equal(ours[0]?.facts.hasConsentStatement, true);
  assert.ok(!JSON.stringify(ours).includes('recorded today'), 'the text ends with the voice');
  assert.match(ours[0]?.actor.name ?? '', /^key_/);
});

test('a server without a cloner responds cloning_unavailable and still lists voices', async () => {
  const bare = await startTestServer();
  try {
    const response = await bare.call('/model', {
      method: 'POST',
      body: form({ title: 'x', voices: RECORDING }),
    });
    assert.equal(response.status, 501);
    assert.equal(response.headers.get('x-fish-error-code'), 'cloning_unavailable');
    assert.equal((await bare.call('/model')).status, 200);
    const references = [{ audio: RECORDING.toString('base64') }];
    assert.equal((await bare.speak({ text: 'hi', references })).status, 501);
  } finally {
    await bare.close();
  }
});

test('the npm client creates with files and texts, pages, updates with a cover, and deletes', async () => {
  const client = new FishAudioClient({ apiKey: server.key, baseUrl: server.url });
  const file = (bytes: Uint8Array, name: string) => new File([new Uint8Array(bytes)], name);
  const made = await client.voices.ivc.create({
    title: 'From npm',
    voices: [file(RECORDING, 'one.wav'), file(OTHER_RECORDING, 'two.wav')],
    texts: ['first words', 'second words'],
    tags: ['npm', 'client'],
    visibility: 'private',
    enhance_audio_quality: true,
  } as never);
  assert.equal(made.state, 'trained');
  assert.deepEqual(made.tags, ['npm', 'client']);
  assert.deepEqual(
    (made.samples as unknown as { text: string }[]).map(({ text }) => text),
    ['first words', 'second words'],
  );
  const mine = await client.voices.search({
    self: true,
    title: 'from npm',
    page_size: 1,
    page_number: 1,
  } as never);
  assert.equal(mine.total, 1);
  assert.equal(mine.items[0]?._id, made._id);
  await client.voices.update(made._id, {
    title: 'Renamed',
    cover_image: file(PICTURE, 'c.png'),
    tags: ['x', 'y'],
  } as never);
  const got = await client.voices.get(made._id);
  assert.equal(got.title, 'Renamed');
  assert.deepEqual(got.tags, ['x', 'y']);
  assert.ok(got.cover_image.endsWith('/cover'));
  await client.voices.delete(made._id);
  await assert.rejects(client.voices.get(made._id));
});

test('a voice can be used only by its owner, its use is counted, and it is unknown after deletion', async () => {
  const { _id } = await create({ title: 'Speaker' });
  const body = JSON.stringify({ text: 'hello', reference_id: _id });
  const headers = { 'content-type': 'application/json' };
  const speak = (key: string) =>
    fetch(`${server.url}/v1/tts`, { method: 'POST', body, headers: { ...headers, ...as(key) } });
  const spoken = await speak(server.key);
  assert.equal(spoken.status, 200);
  assert.equal(spoken.headers.get('x-mynah-voice'), _id);
  const [asked] = voicesOf(server.speech.requests.at(-1));
  assert.deepEqual([asked?.id, asked?.engine, asked?.vector?.length], [_id, 'tone', 8]);

  const refused = await speak(strangerKey);
  assert.equal(refused.status, 400);
  assert.match(((await refused.json()) as { message: string }).message, /Reference not found/);

  const { task_count } = await read(await server.call(`/model/${_id}`));
  assert.equal(task_count, 1);
  await server.call(`/model/${_id}`, { method: 'DELETE' });
  assert.equal((await speak(server.key)).status, 400);
});

test('references in a request are cloned once per transcript and used, in every encoding and for several speakers', async () => {
  const before = cloner.clones;
  const reference = { audio: RECORDING, text: 'Whatever is said.' };
  const base64 = { audio: RECORDING.toString('base64'), text: '' };
  const bodies: readonly (readonly [string, NonNullable<RequestInit['body']>])[] = [
    ['application/msgpack', new Uint8Array(pack({ text: 'hi', references: [reference] }))],
    ['application/json', JSON.stringify({ text: 'hi', references: [base64] })],
    ['application/json', JSON.stringify({ text: 'hi', references: [reference] })],
    ['application/json', JSON.stringify({ text: 'hi', references: [[base64]], reference_id: ['any'] })],
  ];
  for (const [type, body] of bodies) {
    const headers = { 'content-type': type, model: 's2-pro' };
    const response = await server.call('/v1/tts', { method: 'POST', body, headers });
    assert.equal(response.status, 200, await response.clone().text());
    assert.equal(response.headers.get('x-mynah-voice'), 'reference');
  }
  assert.equal(cloner.clones, before + 2);
  assert.equal(voicesOf(server.speech.requests.at(-1)).length, 1);
  const named = await server.speak({ text: 'hi', references: [base64], reference_id: 'af_bella' });
  assert.equal(named.headers.get('x-mynah-voice'), 'af_bella');
});

test('references without audio or speech are rejected before synthesis', async () => {
  const silent = Buffer.from(RECORDING);
  silent.fill(0, 44);
  const cases: readonly (readonly [unknown, string])[] = [
    [[{ audio: '', text: '' }], 'invalid_audio'],
    [[{ audio: Buffer.from('no audio').toString('base64'), text: '' }], 'invalid_audio'],
    [[{ audio: silent.toString('base64') }], 'unusable_recording'],
    [['text'], 'invalid_request'],
  ];
  for (const [references, code] of cases) {
    const response = await server.speak({ text: 'hi', references });
    assert.equal(response.status, 400);
    assert.equal(response.headers.get('x-fish-error-code'), code);
  }
});
