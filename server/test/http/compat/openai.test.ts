import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import OpenAI from 'openai';
import { FIRST_ACCOUNT_ID } from '../../../src/domain/accounts/keys/first-key.ts';
import { startTestServer, type TestServer } from '../../support/servers/http-server.ts';
import { until } from '../../support/servers/real-server.ts';
import { voicesOf } from '../../support/workers/tone-speech.ts';

let server: TestServer;
before(async () => {
  server = await startTestServer();
});
after(() => server.close());

function client(path: string, apiKey = server.key): OpenAI {
  return new OpenAI({ apiKey, baseURL: server.url + path, maxRetries: 0 });
}

test('the official OpenAI client synthesizes, and its voice names map to built-in voices', async () => {
  const response = await client('/v1').audio.speech.create({
    model: 'tts-1',
    voice: 'nova',
    input: 'hello',
    speed: 1.5,
  });
  assert.equal(response.headers.get('content-type'), 'audio/mpeg');
  assert.ok((await response.arrayBuffer()).byteLength > 0);
  const request = server.speech.requests.at(-1);
  assert.deepEqual(
    [request?.text, request?.model, voicesOf(request)[0]?.name, request?.speed, request?.format],
    ['hello', 's2.1-pro', 'af_nova', 1.5, 'mp3'],
  );
});

const FORMATS = [
  { path: '/v1', response_format: 'pcm', rateHz: 24_000 },
  { path: '/compat/v1', response_format: 'pcm', rateHz: 44_100 },
  { path: '/compat/v1', response_format: undefined, rateHz: 44_100 },
  { path: '/compat/api/v1', response_format: 'pcm16', rateHz: 24_000 },
  { path: '/compat/openai/v1', response_format: 'wav', rateHz: 44_100 },
] as const;

for (const { path, response_format, rateHz } of FORMATS) {
  test(`${path} with ${response_format ?? 'no format'} gives ${rateHz} Hz`, async () => {
    const response = await server.call(`${path}/audio/speech`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ model: 'fish-audio/s1', input: 'hello', voice: 'default', response_format }),
    });
    assert.equal(response.status, 200, await response.clone().text());
    await response.arrayBuffer();
    const request = server.speech.requests.at(-1);
    assert.deepEqual([request?.sampleRateHz, request?.model, request?.voice], [rateHz, 's1', undefined]);
  });
}

/** The error code, and the value or field that the message names. */
const REFUSALS: readonly (readonly [string, Record<string, unknown>, string, RegExp])[] = [
  ['an unknown model', { model: 'llama-9' }, 'invalid_request', /llama-9/],
  ['an unknown voice', { voice: 'nobody' }, 'voice_not_found', /Reference/],
  ['a voice of OpenAI’s own, under /compat', { voice: 'shimmer' }, 'voice_not_found', /Reference/],
  ['an unsupported speed', { speed: 5 }, 'invalid_request', /speed/],
  ['an unknown stream format', { stream_format: 'xml' }, 'invalid_request', /xml/],
];

for (const [what, fields, code, mention] of REFUSALS) {
  test(`${what} is rejected with an error in OpenAI’s format`, async () => {
    const body = { model: 'tts-1', voice: 'default', input: 'hello', ...fields };
    await assert.rejects(client('/compat/v1').audio.speech.create(body as never), (error) => {
      assert.ok(error instanceof OpenAI.BadRequestError);
      assert.equal(error.headers.get('x-fish-error-code'), code);
      assert.equal(error.code, code);
      assert.match(error.message, mention);
      return true;
    });
  });
}

test('speech as events has the audio of the file', async () => {
  const request = { model: 'tts-1', voice: 'alloy', input: 'hellö', response_format: 'pcm' } as const;
  const response = await client('/v1').audio.speech.create({ ...request, stream_format: 'sse' });
  assert.match(response.headers.get('content-type') ?? '', /^text\/event-stream/);
  const events = (await response.text())
    .split('\n\n')
    .filter((line) => line !== '')
    .map(
      (line) => JSON.parse(line.replace(/^data: /, '')) as { type: string; audio?: string; usage?: object },
    );
  const file = Buffer.from(await (await client('/v1').audio.speech.create(request)).arrayBuffer());
  const audio = events.filter(({ type }) => type === 'speech.audio.delta');
  assert.deepEqual(Buffer.concat(audio.map((event) => Buffer.from(event.audio!, 'base64'))), file);
  assert.deepEqual(events.at(-1), {
    type: 'speech.audio.done',
    usage: { input_tokens: 6, output_tokens: 0, total_tokens: 6 },
  });
});

test('instructions are followed as far as they have cues, and the response says so', async () => {
  const speak = async (instructions: string) => {
    const request = { model: 'tts-1', voice: 'nova', input: 'hello', instructions };
    const { headers } = await client('/v1').audio.speech.create(request);
    const directions = server.speech.requests.at(-1)?.directions ?? [];
    return [
      headers.get('x-mynah-instructions'),
      headers.get('x-mynah-ignored'),
      directions.map(({ delivery }) => delivery.breath),
    ];
  };
  assert.deepEqual(await speak('Whisper.\nTalk like a pirate.'), [
    'whispering',
    'instructions (1 of 2 parts)',
    [1],
  ]);
  assert.deepEqual(await speak('Talk like a pirate.'), [null, 'instructions', []]);
});

test('names of models that OpenAI may add map to ours by task', async () => {
  for (const model of ['gpt-9-mini-tts', 'gpt-audio']) {
    await client('/v1').audio.speech.create({ model, voice: 'alloy', input: 'hello' });
    assert.equal(server.speech.requests.at(-1)?.model, 's2.1-pro');
  }
  const { transcriptions } = client('/v1').audio;
  for (const model of ['gpt-9-transcribe', 'gpt-transcribe']) {
    await transcriptions.create({ model, file: recording() });
    assert.equal(server.transcription.requests.at(-1)?.model, 'transcribe-1');
  }
});

test('a model can be retrieved by its name', async () => {
  assert.equal((await client('/v1').models.retrieve('whisper-1')).id, 'whisper-1');
  await assert.rejects(client('/v1').models.retrieve('nothing'), OpenAI.NotFoundError);
});

test('the list of voices needs no key where voices are public', async () => {
  for (const publicVoices of [true, false]) {
    const other = await startTestServer({ config: { publicVoices } });
    assert.equal((await fetch(`${other.url}/v1/audio/voices`)).status, publicVoices ? 200 : 401);
    await other.close();
  }
});

test('responses have a request id, and unknown paths under /v1 have the fields of both APIs', async () => {
  const request = { model: 'tts-1', voice: 'alloy', input: 'hello' };
  const spoken = await client('/v1').audio.speech.create(request);
  assert.match(spoken.headers.get('x-request-id') ?? '', /^[0-9a-f]{32}$/);
  await spoken.arrayBuffer();
  await assert.rejects(client('/v1').images.generate({ prompt: 'a bird' }), (error) => {
    assert.ok(error instanceof OpenAI.NotFoundError);
    assert.equal(error.code, 'not_found');
    assert.equal(error.requestID, error.headers.get('x-fish-trace-id'));
    return true;
  });
  const unknown = await server.call('/v1/images/generations', { method: 'POST' });
  assert.equal(((await unknown.json()) as { status: number }).status, 404);
  const elsewhere = (await (await server.call('/nope')).json()) as object;
  assert.deepEqual(Object.keys(elsewhere), ['status', 'message']);
});

test('a wrong key is an authentication error', async () => {
  const request = { model: 'tts-1', voice: 'alloy', input: 'hello' };
  await assert.rejects(client('/v1', 'wrong').audio.speech.create(request), OpenAI.AuthenticationError);
});

test('disconnecting stops synthesis', async () => {
  const abort = new AbortController();
  const request = {
    model: 'tts-1',
    voice: 'alloy',
    input: 'long '.repeat(20_000),
    response_format: 'pcm',
  } as const;
  const response = await client('/v1').audio.speech.create(request, { signal: abort.signal });
  await response.body?.getReader().read();
  abort.abort();
  await until('synthesis stops', () => server.speech.active === 0);
});

test('models and voices are listed', async () => {
  const models = await client('/v1').models.list();
  assert.ok(models.data.some(({ id }) => id === 's1'));
  assert.ok(models.data.some(({ id }) => id === 'whisper-1'));
  const { voices } = (await (await server.call('/v1/audio/voices')).json()) as {
    voices: { id: string; name: string }[];
  };
  assert.ok(voices.some(({ id, name }) => id === 'af_heart' && name.length > 0));
});

/** A recording for `ScriptedTranscription`. */
function recording(): File {
  return new File(['audio:hello there\nwho are you'], 'speech.wav');
}

test('the official OpenAI client transcribes, in every format', async () => {
  const { transcriptions } = client('/v1').audio;
  const plain = await transcriptions.create({ model: 'whisper-1', file: recording(), language: 'en' });
  assert.match(plain.text, /hello there/);
  const verbose = await transcriptions.create({
    model: 'gpt-4o-transcribe',
    file: recording(),
    response_format: 'verbose_json',
    timestamp_granularities: ['word'],
  });
  assert.deepEqual(
    verbose.words?.map(({ word }) => word),
    ['hello', 'there', 'who', 'are', 'you'],
  );
  const [segment] = verbose.segments ?? [];
  assert.deepEqual([segment?.seek, segment?.tokens, segment?.temperature], [0, [], 0]);
  assert.ok(segment!.avg_logprob <= 0 && segment!.compression_ratio > 0 && segment!.no_speech_prob === 0);
  const srt = await transcriptions.create({ model: 'whisper-1', file: recording(), response_format: 'srt' });
  assert.match(String(srt), /-->/);
});

test('a transcription is streamed; its deltas are the text', async () => {
  const stream = await client('/v1').audio.transcriptions.create({
    model: 'gpt-4o-transcribe',
    file: recording(),
    stream: true,
    include: ['logprobs'],
  });
  let text = '';
  let done: string | undefined;
  for await (const event of stream) {
    if (event.type === 'transcript.text.delta') {
      assert.equal(done, undefined);
      text += event.delta;
      assert.ok(event.logprobs?.every(({ logprob }) => logprob! <= 0));
    } else if (event.type === 'transcript.text.done') done = event.text;
  }
  assert.equal(done, 'hello there who are you');
  assert.equal(text, done);
});

test('a recording is translated to English', async () => {
  const { translations } = client('/v1').audio;
  assert.match((await translations.create({ model: 'whisper-1', file: recording() })).text, /hello there/);
  assert.equal(server.transcription.requests.at(-1)?.isTranslated, true);
  const verbose = await translations.create({
    model: 'whisper-1',
    file: recording(),
    response_format: 'verbose_json',
  });
  assert.equal((verbose as unknown as { task: string }).task, 'translate');
  await client('/v1').audio.transcriptions.create({ model: 'whisper-1', file: recording() });
  assert.equal(server.transcription.requests.at(-1)?.isTranslated, undefined);
});

test('log probabilities of words and speakers are given on request', async () => {
  const { transcriptions } = client('/v1').audio;
  const request = { model: 'gpt-4o-transcribe', file: recording() };
  assert.equal((await transcriptions.create(request)).logprobs, undefined);
  const { logprobs } = await transcriptions.create({ ...request, include: ['logprobs'] });
  assert.deepEqual(
    logprobs?.map(({ token }) => token),
    ['hello', 'there', 'who', 'are', 'you'],
  );
  assert.ok(logprobs?.every(({ logprob, token, bytes }) => logprob! < 0 && bytes?.length === token?.length));
  const diarized = await transcriptions.create({
    model: 'gpt-4o-transcribe-diarize',
    file: recording(),
    response_format: 'diarized_json',
  });
  const { segments } = diarized as unknown as { segments: { speaker: string; text: string; type: string }[] };
  assert.ok(segments.length > 0);
  assert.ok(
    segments.every(({ speaker, type }) => /^[A-Z]$/.test(speaker) && type === 'transcript.text.segment'),
  );
  assert.equal(server.transcription.requests.at(-1)?.model, 'transcribe-1-pro');
});

test('a speed that the engines do not reach is clamped, and the response says so', async () => {
  for (const [speed, spoken, hasWarning] of [
    [0.25, 0.5, true],
    [4, 2, true],
    [1.5, 1.5, false],
  ] as const) {
    const response = await client('/v1').audio.speech.create({
      model: 'tts-1',
      voice: 'alloy',
      input: 'hello',
      speed,
    });
    await response.arrayBuffer();
    assert.equal(server.speech.requests.at(-1)?.speed, spoken);
    assert.equal(response.headers.has('x-mynah-warning'), hasWarning);
  }
});

test('warnings about the text and about the speed are one header', async () => {
  server.speech.warnings = ['the text seems to be in es'];
  const request = { model: 'tts-1', voice: 'alloy', input: 'hello', speed: 4 } as const;
  const file = await client('/v1').audio.speech.create(request);
  const events = await client('/v1').audio.speech.create({ ...request, speed: 1, stream_format: 'sse' });
  server.speech.warnings = [];
  await Promise.all([file.arrayBuffer(), events.arrayBuffer()]);
  assert.equal(
    file.headers.get('x-mynah-warning'),
    'speed was clamped to 0.5..2; the text seems to be in es',
  );
  assert.equal(events.headers.get('x-mynah-warning'), 'the text seems to be in es');
});

test('a transcription with an unknown model or without a file is rejected', async () => {
  const { transcriptions } = client('/v1').audio;
  await assert.rejects(transcriptions.create({ model: 'llama-9', file: recording() }), /llama-9/);
  const empty = new FormData();
  empty.append('model', 'whisper-1');
  const response = await server.call('/v1/audio/transcriptions', { method: 'POST', body: empty });
  assert.equal(response.status, 400);
  assert.match(((await response.json()) as { error: { message: string } }).error.message, /file/);
});

const CHAT = { model: 'fish-audio/s1', modalities: ['text', 'audio'] as ('text' | 'audio')[] };
const userMessage = (content: string) => [{ role: 'user' as const, content }];

test('a chat synthesizes the last user message, as one object or as events', async () => {
  const chat = client('/compat/v1').chat.completions;
  const audio = { voice: 'default', format: 'pcm16' } as const;
  const messages = [{ role: 'system' as const, content: 'Be kind.' }, ...userMessage('Say @audio@ now')];
  const whole = await chat.create({ ...CHAT, audio, messages });
  const spoken = whole.choices[0]?.message.audio;
  assert.equal(spoken?.transcript, 'Say @audio@ now');
  const samples = Math.floor('Say @audio@ now'.length * 0.05 * 24_000);
  assert.equal(Buffer.from(spoken?.data ?? '', 'base64').length, 2 * samples);
  const { sampleRateHz, format, model } = server.speech.requests.at(-1)!;
  assert.deepEqual([sampleRateHz, format, model], [24_000, 'pcm', 's1']);

  let joined = '';
  let finish: string | null = null;
  for await (const chunk of await chat.create({ ...CHAT, audio, messages, stream: true })) {
    const delta = chunk.choices[0]?.delta as { audio?: { data?: string } };
    joined += delta.audio?.data ?? '';
    finish = chunk.choices[0]?.finish_reason ?? finish;
  }
  assert.equal(finish, 'stop');
  assert.equal(joined, spoken?.data);
});

const RECORDED = [
  {
    role: 'user' as const,
    content: [
      {
        type: 'input_audio' as const,
        input_audio: { data: Buffer.from('audio:hello there').toString('base64'), format: 'wav' as const },
      },
    ],
  },
];

test('a chat transcribes the recording in it, as one object or as events', async () => {
  const chat = client('/compat/v1').chat.completions;
  const whole = await chat.create({ model: 'whisper-1', messages: RECORDED });
  assert.equal(whole.choices[0]?.message.content, 'hello there');
  let text = '';
  for await (const chunk of await chat.create({ model: 'whisper-1', messages: RECORDED, stream: true })) {
    text += chunk.choices[0]?.delta.content ?? '';
  }
  assert.equal(text, 'hello there');
});

const CHAT_REFUSALS: readonly (readonly [string, object, string])[] = [
  ['several completions', { ...CHAT, messages: userMessage('Hi'), n: 2 }, 'invalid_request'],
  ['transcription and synthesis at once', { ...CHAT, messages: RECORDED }, 'not_supported'],
  ['a text completion', { model: 's1', messages: userMessage('Hi') }, 'not_supported'],
  ['an unknown model', { ...CHAT, model: 'llama-9', messages: userMessage('Hi') }, 'invalid_request'],
];

for (const [what, body, code] of CHAT_REFUSALS) {
  test(`a chat that requests ${what} is rejected`, async () => {
    await assert.rejects(client('/compat/v1').chat.completions.create(body as never), (error) => {
      assert.ok(error instanceof OpenAI.BadRequestError);
      assert.equal(error.headers.get('x-fish-error-code'), code);
      return true;
    });
  });
}

test('chat exists where clients look for it, and a key needs the scope of the requested operation', async () => {
  const request = {
    ...CHAT,
    audio: { voice: 'default', format: 'mp3' as const },
    messages: userMessage('Hi'),
  };
  const whole = await client('/v1').chat.completions.create(request);
  assert.ok(Buffer.from(whole.choices[0]?.message.audio?.data ?? '', 'base64').length > 0);
  const { key } = await server.keys.create({
    accountId: FIRST_ACCOUNT_ID,
    name: 'asr-only',
    scopes: ['asr'],
  });
  const asrOnly = client('/compat/v1', key).chat.completions;
  await assert.rejects(asrOnly.create(request), OpenAI.PermissionDeniedError);
  assert.ok(await asrOnly.create({ model: 'whisper-1', messages: RECORDED }));
});

test('native parameters are accepted in the body and in headers, which take precedence', async () => {
  const body = {
    model: 'tts-1',
    voice: 'default',
    input: 'hello',
    provider: { options: { 'fish-audio': { seed: 3, latency: 'normal' } } },
  };
  const headers = { 'X-Fish-Seed': '4', 'X-Fish-Mp3-Bitrate': '64' };
  const response = await client('/compat/v1').audio.speech.create(body as never, { headers });
  await response.arrayBuffer();
  const { seed, latency, mp3BitrateKbps } = server.speech.requests.at(-1)!;
  assert.deepEqual([seed, latency, mp3BitrateKbps], [4, 'normal', 64]);
  const wrong = client('/compat/v1').audio.transcriptions.create(
    { model: 'whisper-1', file: recording() },
    { headers },
  );
  await assert.rejects(wrong, /X-Fish/);
});
