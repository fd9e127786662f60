import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { encodeWavFile } from '../../../src/audio/encode/wav.ts';
import { startTestServer, type TestServer } from '../../support/servers/http-server.ts';
import { synthesizeTalk } from '../../support/voices/synthetic-talk.ts';
import { RandomVoiceMaker } from '../../support/workers/random-voice-maker.ts';
import { RecordingCloner } from '../../support/workers/recording-cloner.ts';
import { voicesOf } from '../../support/workers/tone-speech.ts';

let server: TestServer;
/** Creates voices. */
let voiceServer: TestServer;
before(async () => {
  server = await startTestServer();
  voiceServer = await startTestServer({
    voices: { cloner: new RecordingCloner() },
    maker: new RandomVoiceMaker(),
  });
});
after(async () => {
  await server.close();
  await voiceServer.close();
});

/** A call with the key in ElevenLabs' header. */
function call(path: string, init: RequestInit = {}): Promise<Response> {
  return fetch(`${server.url}/compat/elevenlabs${path}`, {
    ...init,
    headers: { 'xi-api-key': server.key, ...init.headers },
  });
}

function speak(body: object, { path = '/v1/text-to-speech/default', headers = {} } = {}): Promise<Response> {
  return call(path, {
    method: 'POST',
    headers: { 'content-type': 'application/json', ...headers },
    body: JSON.stringify({ text: 'hello', ...body }),
  });
}

test('every voice setting is mapped or ignored', async () => {
  const response = await speak(
    {
      model_id: 'eleven_multilingual_v2',
      language_code: 'en',
      seed: 7,
      apply_text_normalization: 'off',
      voice_settings: {
        stability: 0.25,
        speed: 1.1,
        similarity_boost: 0.5,
        style: 0.3,
        use_speaker_boost: true,
      },
      previous_text: 'before',
      next_request_ids: ['x'],
    },
    { path: '/v1/text-to-speech/bf_emma?output_format=mp3_44100_32&optimize_streaming_latency=3' },
  );
  assert.equal(response.status, 200, await response.clone().text());
  assert.equal(response.headers.get('content-type'), 'audio/mpeg');
  assert.match(response.headers.get('x-generation-id') ?? '', /^[0-9a-f]{32}$/);
  await response.arrayBuffer();
  const spoken = server.speech.requests.at(-1)!;
  assert.deepEqual(
    [
      spoken.model,
      voicesOf(spoken)[0]?.name,
      spoken.temperature,
      spoken.speed,
      spoken.seed,
      spoken.normalize,
    ],
    ['s2.1-pro', 'bf_emma', 0.75, 1.1, 7, false],
  );
  assert.deepEqual(
    [spoken.format, spoken.sampleRateHz, spoken.mp3BitrateKbps, spoken.latency, spoken.language],
    ['mp3', 44_100, 64, 'low', undefined],
  );
});

const FORMATS = [
  { name: 'mp3_32000_192', format: 'mp3', rateHz: 32_000 },
  { name: 'pcm_16000', format: 'pcm', rateHz: 16_000 },
  { name: 'wav_24000', format: 'wav', rateHz: 24_000 },
  { name: 'opus_48000_96', format: 'opus', rateHz: 48_000 },
  { name: 'mp3_22050_32', format: 'mp3', rateHz: 22_050 },
  { name: 'mp3_24000_48', format: 'mp3', rateHz: 24_000 },
  { name: 'pcm_22050', format: 'pcm', rateHz: 22_050 },
  { name: 'pcm_48000', format: 'pcm', rateHz: 48_000 },
  { name: 'ulaw_8000', format: 'ulaw', rateHz: 8000 },
  { name: 'alaw_8000', format: 'alaw', rateHz: 8000 },
];

for (const { name, format, rateHz } of FORMATS) {
  test(`output_format ${name} is ${format} at ${rateHz} Hz`, async () => {
    const response = await speak({}, { path: `/v1/text-to-speech/-/stream?output_format=${name}` });
    assert.equal(response.status, 200);
    await response.arrayBuffer();
    const { format: got, sampleRateHz, voice } = server.speech.requests.at(-1)!;
    assert.deepEqual([got, sampleRateHz, voice], [format, rateHz, undefined]);
  });
}

test('a language other than the voice’s own is passed on, and an unknown language is rejected', async () => {
  for (const [language_code, language] of [
    ['fr', 'fr'],
    ['fra', 'fr'],
    ['eng', undefined],
  ]) {
    await (await speak({ language_code })).arrayBuffer();
    assert.equal(server.speech.requests.at(-1)?.language, language);
  }
  assert.equal((await speak({ language_code: 'xx' })).status, 400);
});

test('well-known voice ids map to built-in voices, and a setting takes precedence', async () => {
  const spokenBy = async (at: TestServer, id: string) => {
    const response = await at.call(`/compat/elevenlabs/v1/text-to-speech/${id}`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ text: 'hello' }),
    });
    assert.equal(response.status, 200, await response.clone().text());
    await response.arrayBuffer();
    return voicesOf(at.speech.requests.at(-1))[0]?.name;
  };
  assert.equal(await spokenBy(server, '21m00Tcm4TlvDq8ikWAM'), 'af_heart');
  assert.equal(await spokenBy(server, 'JBFqnCBsd6RMkjVDRZzb'), 'bm_george');
  const elevenLabsVoices = { '21m00Tcm4TlvDq8ikWAM': 'af_sky', ownId: 'bf_emma' };
  const other = await startTestServer({ config: { elevenLabsVoices } });
  assert.equal(await spokenBy(other, '21m00Tcm4TlvDq8ikWAM'), 'af_sky');
  assert.equal(await spokenBy(other, 'ownId'), 'bf_emma');
  assert.equal(await spokenBy(other, 'JBFqnCBsd6RMkjVDRZzb'), 'bm_george');
  await other.close();
});

async function ask(path: string, init: RequestInit = {}) {
  const response = await voiceServer.call(`/compat/elevenlabs/v1${path}`, init);
  return { status: response.status, body: (await response.json()) as Record<string, unknown> };
}

test('a voice is cloned from files and deleted; subscription and settings can be read', async () => {
  const talk = synthesizeTalk({ seconds: 10, pitchHz: 110, sampleRateHz: 16_000 });
  const form = new FormData();
  form.append('name', 'Ada');
  form.append('labels', '{"accent": "british"}');
  form.append('files', new Blob([encodeWavFile({ samples: talk, sampleRateHz: 16_000 })]), 'ada.wav');
  const created = await ask('/voices/add', { method: 'POST', body: form });
  assert.deepEqual([created.status, created.body.requires_verification], [200, false]);
  const path = `/voices/${created.body.voice_id}`;
  assert.deepEqual([(await ask(path)).body.name, (await ask(path)).body.category], ['Ada', 'cloned']);
  assert.equal((await ask('/user/subscription')).body.voice_slots_used, 1);
  assert.equal((await ask(`${path}/settings`)).body.speed, 1);
  assert.equal((await ask('/voices/settings/default')).body.speed, 1);
  assert.deepEqual((await ask(path, { method: 'DELETE' })).body, { status: 'ok' });
  assert.equal((await ask(path)).status, 404);
  assert.equal((await ask(`${path}/settings`)).status, 404);
  assert.equal((await ask('/voices/af_heart', { method: 'DELETE' })).status, 403);
  const empty = new FormData();
  empty.append('name', 'Ada');
  assert.equal((await ask('/voices/add', { method: 'POST', body: empty })).status, 400);
});

test('a voice is designed from a description, and a preview becomes a voice', async () => {
  const post = (path: string, body: object) =>
    ask(path, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify(body),
    });
  for (const path of ['/text-to-voice/design', '/text-to-voice/create-previews']) {
    const designed = await post(path, { voice_description: 'A calm old man', text: 'Hello there.' });
    assert.deepEqual([designed.status, designed.body.text], [200, 'Hello there.']);
    const previews = designed.body.previews as { generated_voice_id: string; audio_base_64: string }[];
    assert.equal(previews.length, 3);
    const { generated_voice_id, audio_base_64 } = previews[1]!;
    assert.equal(Buffer.from(audio_base_64, 'base64').toString('latin1', 0, 4), 'RIFF');
    const created = await post('/text-to-voice', { voice_name: 'Captain', generated_voice_id });
    assert.deepEqual(
      [created.status, created.body.name, created.body.category],
      [200, 'Captain', 'generated'],
    );
    assert.equal((await ask(`/voices/${created.body.voice_id}`, { method: 'DELETE' })).status, 200);
  }
  assert.equal((await post('/text-to-voice/design', { voice_description: ' ' })).status, 400);
  const forged = await post('/text-to-voice', { voice_name: 'Captain', generated_voice_id: 'a.b.c' });
  assert.ok(forged.status === 400 || forged.status === 422);
});

test('the history is empty, because nothing is kept', async () => {
  const { body } = await ask('/history?page_size=10');
  assert.deepEqual([body.history, body.has_more], [[], false]);
});

test('a dialogue is spoken by several voices', async () => {
  const inputs = [
    { text: 'Hello.', voice_id: '21m00Tcm4TlvDq8ikWAM' },
    { text: 'Hi.', voice_id: 'bm_george' },
    { text: 'Bye.', voice_id: '21m00Tcm4TlvDq8ikWAM' },
  ];
  const path = '/v1/text-to-dialogue?output_format=pcm_16000';
  const response = await speak({ inputs }, { path });
  assert.equal(response.status, 200, await response.clone().text());
  await response.arrayBuffer();
  const spoken = server.speech.requests.at(-1)!;
  assert.equal(spoken.text, '<|speaker:0|>Hello.<|speaker:1|>Hi.<|speaker:0|>Bye.');
  assert.deepEqual(
    voicesOf(spoken).map(({ name }) => name),
    ['af_heart', 'bm_george'],
  );
  assert.equal((await speak({ inputs: [] }, { path })).status, 400);
  const tagged = { text: '<|speaker:1|>Hi.', voice_id: 'bm_george' };
  assert.equal((await speak({ inputs: [tagged] }, { path })).status, 400);
});

test('native parameters in headers take precedence', async () => {
  const headers = { 'x-fish-latency': 'normal', 'x-fish-prosody': '{"volume": 3}', 'x-fish-seed': '5' };
  const response = await speak({ voice_settings: { speed: 1.5 } }, { headers });
  await response.arrayBuffer();
  const { latency, volumeDb, speed, seed } = server.speech.requests.at(-1)!;
  assert.deepEqual([latency, volumeDb, speed, seed], ['normal', 3, 1.5, 5]);
  const wrong = await speak({}, { headers: { 'x-fish-colour': 'blue' } });
  assert.equal(wrong.status, 400);
});

const REFUSALS: readonly (readonly [string, object, string, number, string, RegExp])[] = [
  ['µ-law at 16 kHz', {}, 'default?output_format=ulaw_16000', 400, 'invalid_request', /ulaw_16000/],
  ['11 kHz', {}, 'default?output_format=mp3_11025_32', 400, 'invalid_request', /11025/],
  ['256 kbps', {}, 'default?output_format=mp3_44100_256', 400, 'invalid_request', /192/],
  ['an unknown voice', {}, 'nobody', 400, 'voice_not_found', /Reference not found/],
  ['an unknown model', { model_id: 'llama-9' }, 'default', 400, 'invalid_request', /llama-9/],
  ['no text', { text: undefined }, 'default', 400, 'invalid_request', /text/],
  ['too fast', { voice_settings: { speed: 3 } }, 'default', 400, 'invalid_request', /speed/],
  [
    'a dictionary without a version',
    { pronunciation_dictionary_locators: [{ pronunciation_dictionary_id: 'a' }] },
    'default',
    400,
    'invalid_request',
    /version_id/,
  ],
];

for (const [what, body, path, status, kind, message] of REFUSALS) {
  test(`${what} is rejected with an error in ElevenLabs’ format`, async () => {
    const response = await speak(body, { path: `/v1/text-to-speech/${path}` });
    const { detail } = (await response.json()) as { detail: { status: string; message: string } };
    assert.deepEqual([response.status, detail.status], [status, kind]);
    assert.match(detail.message, message);
  });
}

test('a missing key, an unknown path and an unknown voice are errors in ElevenLabs’ format', async () => {
  const cases = [
    {
      response: await call('/v1/voices', { headers: { 'xi-api-key': 'wrong' } }),
      status: 401,
      kind: 'unauthorized',
    },
    { response: await call('/v1/music'), status: 404, kind: 'not_found' },
    { response: await call('/v1/voices/nobody'), status: 404, kind: 'voice_not_found' },
  ];
  for (const { response, status, kind } of cases) {
    const { detail } = (await response.json()) as { detail: { status: string } };
    assert.deepEqual([response.status, detail.status], [status, kind]);
  }
});

test('voices are listed, searched and paged', async () => {
  const all = (await (await call('/v1/voices')).json()) as { voices: { voice_id: string; name: string }[] };
  assert.ok(all.voices.length > 20);
  const page = async (query: string) =>
    (await (await call(`/v2/voices?${query}`)).json()) as {
      voices: { voice_id: string; name: string; category: string }[];
      has_more: boolean;
      total_count: number;
      next_page_token: string | null;
    };
  const first = await page('page_size=15&sort=name');
  const second = await page(`page_size=15&sort=name&next_page_token=${first.next_page_token}`);
  assert.deepEqual([first.has_more, first.total_count], [true, all.voices.length]);
  assert.equal(new Set([...first.voices, ...second.voices].map(({ voice_id }) => voice_id)).size, 30);
  const found = await page('search=heart');
  assert.deepEqual(
    found.voices.map(({ name, category }) => [name, category]),
    [['Heart', 'premade']],
  );
  const one = (await (await call(`/v1/voices/${found.voices[0]!.voice_id}`)).json()) as { name: string };
  assert.equal(one.name, 'Heart');
});

function form(fields: Record<string, string>): FormData {
  const data = new FormData();
  data.append('file', new File(['audio:hello there\nwho are you'], 'speech.wav'));
  for (const [name, value] of Object.entries(fields)) data.append(name, value);
  return data;
}

test('a transcript has words, the spacing between them, and speakers', async () => {
  const response = await call('/v1/speech-to-text', {
    method: 'POST',
    body: form({ model_id: 'scribe_v1', diarize: 'true', language_code: 'eng', tag_audio_events: 'false' }),
  });
  assert.equal(response.status, 200, await response.clone().text());
  const transcript = (await response.json()) as {
    text: string;
    language_code: string;
    words: { text: string; type: string; start: number; end: number; speaker_id: string | null }[];
  };
  assert.deepEqual([transcript.text, transcript.language_code], ['hello there who are you', 'en']);
  assert.equal(transcript.words.map(({ text }) => text).join(''), transcript.text);
  assert.deepEqual(
    transcript.words.slice(0, 2).map(({ type, start, end }) => [type, start, end]),
    [
      ['word', 0, 0.5],
      ['spacing', 0.5, 0.5],
    ],
  );
  assert.equal(server.transcription.requests.at(-1)?.model, 'transcribe-1-pro');
});

test('a text is aligned with a recording', async () => {
  const body = form({ text: 'Hello there, who is you?' });
  const response = await call('/v1/forced-alignment', { method: 'POST', body });
  assert.equal(response.status, 200, await response.clone().text());
  const { words, characters, loss } = (await response.json()) as {
    words: { text: string; start: number; end: number; loss: number }[];
    characters: { text: string; start: number; end: number }[];
    loss: number;
  };
  assert.deepEqual(
    words.map(({ text }) => text),
    ['Hello', 'there,', 'who', 'is', 'you?'],
  );
  assert.deepEqual([words[0]!.start, words[0]!.end], [0, 0.5]);
  assert.ok(words[3]!.loss > words[0]!.loss && loss > 0);
  assert.equal(characters.map(({ text }) => text).join(''), 'Hello there, who is you?');
  const empty = await call('/v1/forced-alignment', { method: 'POST', body: form({ text: ' ' }) });
  assert.equal(empty.status, 400);
});

test('raw PCM gets a header, so that its format is detected', async () => {
  const raw = new FormData();
  raw.set('file', new Blob([new Uint8Array(3200)]));
  raw.set('file_format', 'pcm_s16le_16');
  // The scripted transcription reads no WAV files: it refuses the file that it gets.
  const response = await call('/v1/speech-to-text', { method: 'POST', body: raw });
  assert.equal(response.status, 400);
  assert.equal(server.transcription.headers.at(-1), 'RIFF');
  const other = await call('/v1/speech-to-text', { method: 'POST', body: form({ file_format: 'flac' }) });
  assert.equal(other.status, 400);
});

for (const field of ['use_multi_channel', 'entity_detection', 'webhook', 'no_verbatim']) {
  test(`${field} is rejected, because it would change the transcript`, async () => {
    const body = form({ model_id: 'scribe_v1', [field]: 'true' });
    const response = await call('/v1/speech-to-text', { method: 'POST', body });
    assert.equal(response.status, 400);
    assert.match(await response.text(), new RegExp(field));
  });
}

test('a repeated field takes its last value, and the default tag_audio_events is ignored', async () => {
  const body = form({ model_id: 'scribe_v1', diarize: 'false', tag_audio_events: 'true' });
  body.append('diarize', 'true');
  const response = await call('/v1/speech-to-text', { method: 'POST', body });
  assert.equal(response.status, 200, await response.clone().text());
  assert.equal(response.headers.get('x-mynah-ignored'), 'tag_audio_events');
  assert.equal(server.transcription.requests.at(-1)?.model, 'transcribe-1-pro');
});

test('transcription rejects character timestamps, an unknown model and native headers', async () => {
  const requests = [
    { body: form({ timestamps_granularity: 'character' }) },
    { body: form({ model_id: 'llama-9' }) },
    { body: form({}), headers: { 'x-fish-latency': 'low' } },
  ];
  for (const request of requests) {
    assert.equal((await call('/v1/speech-to-text', { method: 'POST', ...request })).status, 400);
  }
});
