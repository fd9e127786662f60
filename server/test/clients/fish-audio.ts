import assert from 'node:assert/strict';
import { readFile } from 'node:fs/promises';
import { buffer } from 'node:stream/consumers';
import { test } from 'node:test';
import { FishAudioClient, FishAudioError } from 'fish-audio';
import { sniffAudio } from '../../src/audio/sniff.ts';
import { until } from '../support/servers/real-server.ts';
import type { ClientsServer } from './server.ts';

/** Tests of npm `fish-audio` against a running server. */
export function testFishAudio(server: () => ClientsServer): void {
  const client = (apiKey = server().key) => new FishAudioClient({ apiKey, baseUrl: server().url });
  const read = (stream: ReadableStream<Uint8Array>) => buffer(stream);
  const wav = async (path: string) => new File([new Uint8Array(await readFile(path))], 'recording.wav');

  const FORMATS = { mp3: 'mp3', wav: 'wav', opus: 'ogg/opus', pcm: undefined } as const;

  for (const format of ['mp3', 'wav', 'opus', 'pcm'] as const) {
    test(`synthesizes ${format}`, async () => {
      const request = { text: 'Hello there.', format, prosody: { speed: 1.1, volume: 2 }, normalize: true };
      const audio = await read(await client().textToSpeech.convert(request));
      assert.ok(audio.length > 1000);
      if (format !== 'pcm') assert.equal(sniffAudio(audio), FORMATS[format]);
    });
  }

  for (const backend of ['speech-1.5', 'speech-1.6', 'agent-x0', 's1', 's1-mini'] as const) {
    test(`synthesizes with ${backend}, and reads the response headers`, async () => {
      const { data, rawResponse } = await client()
        .textToSpeech.convert({ text: 'Hello there.', reference_id: 'af_bella' }, backend)
        .withRawResponse();
      assert.ok((await read(data)).length > 1000);
      assert.equal(rawResponse.headers.get('x-mynah-voice'), 'af_bella');
      assert.equal(rawResponse.headers.get('content-type'), 'audio/mpeg');
    });
  }

  test('audio arrives before the end of synthesis, and aborting stops synthesis', async () => {
    const abort = new AbortController();
    const text = 'This sentence is one of very many that follow each other. '.repeat(300);
    const stream = await client().textToSpeech.convert({ text, format: 'pcm' }, 's1', {
      abortSignal: abort.signal,
    });
    const { value } = await stream.getReader().read();
    assert.ok((value?.length ?? 0) > 0);
    assert.equal(await server().isSynthesizing(), true);
    abort.abort();
    await until('synthesis stops', async () => !(await server().isSynthesizing()));
  });

  test('transcribes with and without timestamps', async () => {
    const audio = await wav(server().sentencePath);
    const plain = await client().speechToText.convert({ audio, language: 'en' });
    assert.match(plain.text ?? '', /little boat came home/i);
    assert.deepEqual(plain.segments, []);
    const timed = await client().speechToText.convert({ audio, ignore_timestamps: false });
    assert.ok((timed.segments?.length ?? 0) > 10);
  });

  test('creates, finds, changes and deletes voices, and synthesizes with them', async () => {
    const { voices, textToSpeech } = client();
    const found = await voices.search({ page_size: 3, tag: ['female'], language: 'en', sort_by: 'score' });
    assert.equal(found.items?.length, 3);
    const created = await voices.ivc.create({
      title: 'Ada',
      voices: [await wav(server().storyPath)],
      tags: ['calm', 'test'],
      texts: ['The little boat came home at last.'],
    });
    const id = created._id!;
    assert.deepEqual([created.title, created.tags, created.state], ['Ada', ['calm', 'test'], 'trained']);
    const audio = await read(await textToSpeech.convert({ text: 'Hello there.', reference_id: id }));
    assert.ok(audio.length > 1000);
    await voices.update(id, { title: 'Eve', tags: ['new', 'tags'], visibility: 'unlist' });
    const { title, tags } = await voices.get(id);
    assert.deepEqual([title, tags], ['Eve', ['new', 'tags']]);
    assert.equal((await voices.search({ self: true })).total, 1);
    assert.equal(await voices.delete(id), undefined);
    await assert.rejects(async () => voices.get(id), { statusCode: 404 });
  });

  test('synthesizes with a reference recording in the request', async () => {
    const references = [{ audio: await wav(server().storyPath), text: 'The little boat came home at last.' }];
    const audio = await read(await client().textToSpeech.convert({ text: 'Hello there.', references }));
    assert.ok(audio.length > 1000);
  });

  test('reads the account', async () => {
    const credit = await client().user.get_api_credit();
    assert.ok(Number(credit.credit) > 9);
    const plan = await client().user.get_package();
    assert.equal(plan.user_id, credit.user_id);
  });

  const REFUSALS = [
    { what: 'a wrong key', key: () => 'wrong', request: {}, status: 401, message: /Invalid Token/ },
    {
      what: 'no credit',
      key: () => server().keyWithoutCredit,
      request: {},
      status: 402,
      message: /Insufficient/,
    },
    {
      what: 'an unknown voice',
      key: () => server().key,
      request: { reference_id: 'nobody' },
      status: 400,
      message: /Reference not found/,
    },
    {
      what: 'an unsupported sample rate',
      key: () => server().key,
      request: { sample_rate: 22_050 },
      status: 400,
      message: /Invalid sample rate 22050 for format audio\/mpeg/,
    },
  ];

  for (const { what, key, request, status, message } of REFUSALS) {
    test(`${what} is reported`, async () => {
      const call = async () =>
        client(key()).textToSpeech.convert({ text: 'Hello.', ...request }, 's1', { maxRetries: 0 });
      await assert.rejects(call, (error) => {
        assert.ok(error instanceof FishAudioError);
        assert.equal(error.statusCode, status);
        assert.match(JSON.stringify(error.body ?? (error as Error).message), message);
        return true;
      });
    });
  }

  test('invalid fields are reported with their locations', async () => {
    await assert.rejects(async () => client().voices.search({ page_size: 101 }), {
      statusCode: 422,
      body: {
        status: 422,
        message: 'page_size must be in [1, 100]',
        detail: [
          { loc: ['query', 'page_size'], type: 'too_big', msg: 'page_size must be in [1, 100]', in: 'query' },
        ],
      },
    });
  });

  test('a rate-limited request has Retry-After', async () => {
    const limited = client(server().limitedKey);
    const search = async () => limited.voices.search({}, { maxRetries: 0 });
    await assert.rejects(
      async () => Promise.all([search(), search(), search()]),
      (error) => {
        assert.ok(error instanceof FishAudioError);
        assert.equal(error.statusCode, 429);
        assert.ok(Number(error.rawResponse?.headers.get('retry-after')) > 0);
        return true;
      },
    );
  });
}
