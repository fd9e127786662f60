import assert from 'node:assert/strict';
import { once } from 'node:events';
import { createReadStream } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { buffer } from 'node:stream/consumers';
import { type TestContext, test } from 'node:test';
import { WebSocket } from 'ws';
import { sniffAudio } from '../../src/audio/sniff.ts';
import { until } from '../support/servers/real-server.ts';
import type { ClientsServer } from './server.ts';
import { importThirdParty } from './third-party-packages.ts';

const PACKAGE = '@elevenlabs/elevenlabs-js@2.73.0';

/** The part of the client that the tests call. */
interface ElevenLabs {
  readonly ElevenLabsClient: new (options: { apiKey: string; baseUrl: string }) => Client;
  readonly ElevenLabsError: new () => Error & { statusCode: number; body: unknown };
}
interface Client {
  readonly textToSpeech: {
    convert(voice: string, request: object, options?: object): Promise<ReadableStream<Uint8Array>>;
    stream(voice: string, request: object, options?: object): Promise<ReadableStream<Uint8Array>>;
    convertWithTimestamps(voice: string, request: object): Promise<Timed>;
    streamWithTimestamps(voice: string, request: object): Promise<AsyncIterable<Timed>>;
  };
  readonly speechToText: {
    convert(request: object): Promise<{
      text: string;
      languageCode: string;
      words: { text: string; type: string; start: number; end: number; speakerId?: string }[];
    }>;
    readonly realtime: { connect(options: object): Promise<Realtime> };
  };
  readonly voices: {
    getAll(): Promise<{ voices: { voiceId: string; name: string }[] }>;
    search(query: object): Promise<{ voices: { voiceId: string }[]; hasMore: boolean; totalCount: number }>;
    get(id: string): Promise<{ voiceId: string; name: string; previewUrl: string }>;
  };
  readonly pronunciationDictionaries: {
    createFromRules(request: object): Promise<{ id: string; versionId: string; versionRulesNum: number }>;
    createFromFile(request: object): Promise<{ id: string; versionRulesNum: number }>;
    get(id: string): Promise<{ latestVersionId: string; rules: object[] }>;
    list(): Promise<{ pronunciationDictionaries: { id: string }[] }>;
    update(id: string, request: object): Promise<{ archivedTimeUnix?: number }>;
    download(id: string, versionId: string): Promise<ReadableStream<Uint8Array>>;
    readonly rules: { add(id: string, request: object): Promise<{ versionRulesNum: number }> };
  };
  readonly models: { list(): Promise<{ modelId: string; canDoTextToSpeech: boolean }[]> };
  readonly user: { get(): Promise<{ userId: string; subscription: { status: string } }> };
}
interface Realtime {
  on(event: string, listener: (message: { text: string; words?: unknown[]; error?: string }) => void): void;
  send(chunk: { audioBase64: string }): void;
  commit(): void;
  close(): void;
}
interface Timed {
  readonly audioBase64: string;
  readonly alignment?: {
    readonly characters: readonly string[];
    readonly characterStartTimesSeconds: readonly number[];
    readonly characterEndTimesSeconds: readonly number[];
  };
}

/** Tests of npm `@elevenlabs/elevenlabs-js` against a running server. */
export function testElevenLabs(server: () => ClientsServer): void {
  /** Runs a test with the client, where it can be installed. */
  function testClient(
    name: string,
    run: (open: (apiKey?: string) => Client, library: ElevenLabs) => Promise<void>,
  ): void {
    test(name, async (t: TestContext) => {
      const library = await importThirdParty<ElevenLabs>(t, '@elevenlabs/elevenlabs-js/index.js', [PACKAGE]);
      if (library === undefined) return;
      const baseUrl = `${server().url}/compat/elevenlabs`;
      await run((apiKey = server().key) => new library.ElevenLabsClient({ apiKey, baseUrl }), library);
    });
  }

  const read = (stream: ReadableStream<Uint8Array>) => buffer(stream);

  testClient('synthesizes files and streams in every format', async (open) => {
    const { textToSpeech } = open();
    for (const [outputFormat, kind] of [
      ['mp3_44100_128', 'mp3'],
      ['opus_48000_64', 'ogg/opus'],
      ['wav_24000', 'wav'],
    ]) {
      const request = {
        text: 'Hello there.',
        modelId: 'eleven_multilingual_v2',
        outputFormat,
        voiceSettings: { stability: 0.4, similarityBoost: 0.7, speed: 1.1 },
      };
      assert.equal(sniffAudio(await read(await textToSpeech.convert('default', request))), kind);
    }
    const pcm = await textToSpeech.stream('bf_emma', { text: 'Hello there.', outputFormat: 'pcm_16000' });
    assert.ok((await read(pcm)).length > 16_000);
  });

  testClient('gets character timestamps, in one response and as a stream', async (open) => {
    const text = 'Hello there! Dr. Smith paid $5.';
    const { textToSpeech } = open();
    const whole = await textToSpeech.convertWithTimestamps('default', { text, outputFormat: 'pcm_24000' });
    const parts: Timed[] = [];
    const stream = await textToSpeech.streamWithTimestamps('default', { text, outputFormat: 'pcm_24000' });
    for await (const part of stream) parts.push(part);
    const cases = [
      { audio: Buffer.from(whole.audioBase64, 'base64'), alignments: [whole.alignment] },
      {
        audio: Buffer.concat(parts.map(({ audioBase64 }) => Buffer.from(audioBase64, 'base64'))),
        alignments: parts.map(({ alignment }) => alignment),
      },
    ];
    for (const { audio, alignments } of cases) {
      const characters = alignments.flatMap((alignment) => alignment?.characters ?? []);
      assert.equal(characters.join(''), text);
      const starts = alignments.flatMap((alignment) => alignment?.characterStartTimesSeconds ?? []);
      const ends = alignments.flatMap((alignment) => alignment?.characterEndTimesSeconds ?? []);
      assert.deepEqual(
        starts,
        starts.toSorted((a, b) => a - b),
      );
      const seconds = audio.length / 48_000;
      assert.ok(seconds > 1.5 && ends.at(-1)! <= seconds + 0.01, `${ends.at(-1)} of ${seconds} s`);
      const dollar = characters.indexOf('$');
      assert.ok(ends[dollar + 1]! - starts[dollar]! > 0.2, 'the spoken form of "$5" takes at least 0.2 s');
    }
  });

  testClient('transcribes with words and spacing', async (open) => {
    const transcript = await open().speechToText.convert({
      file: createReadStream(server().sentencePath),
      modelId: 'scribe_v1',
      languageCode: 'en',
      timestampsGranularity: 'word',
    });
    assert.match(transcript.text, /little boat came home/i);
    assert.equal(transcript.words.map(({ text }) => text).join(''), transcript.text);
    assert.ok(transcript.words.filter(({ type }) => type === 'word').length > 10);
  });

  testClient('transcribes live audio at each commit', async (open) => {
    const connection = await open().speechToText.realtime.connect({
      modelId: 'scribe_v2_realtime',
      audioFormat: 'pcm_44100',
      sampleRate: 44_100,
      commitStrategy: 'manual',
    });
    const committed: { text: string; words?: unknown[] }[] = [];
    const errors: unknown[] = [];
    connection.on('committed_transcript_with_timestamps', (message) => committed.push(message));
    connection.on('error', (error) => errors.push(error));
    await new Promise<void>((resolve) => connection.on('session_started', () => resolve()));
    const samples = (await readFile(server().sentencePath)).subarray(44);
    for (let turn = 1; turn <= 2; turn++) {
      for (let at = 0; at < samples.length; at += 16_384) {
        connection.send({ audioBase64: samples.subarray(at, at + 16_384).toString('base64') });
      }
      connection.commit();
      await until('a committed transcript', () => committed.length === turn || errors.length > 0);
    }
    connection.close();
    assert.deepEqual(errors, []);
    for (const { text, words } of committed) {
      assert.match(text, /little boat came home/i);
      assert.ok((words?.length ?? 0) > 10);
    }
  });

  test('streamed text is synthesized with character timestamps', async () => {
    const url = `${server().url.replace('http', 'ws')}/compat/elevenlabs/v1/text-to-speech/default/stream-input`;
    const query = '?model_id=eleven_flash_v2_5&output_format=pcm_24000&sync_alignment=true';
    const socket = new WebSocket(url + query, { headers: { 'xi-api-key': server().key } });
    const frames: {
      audio?: string;
      isFinal?: boolean;
      alignment?: { chars: string[]; charStartTimesMs: number[] };
    }[] = [];
    socket.on('message', (data) => frames.push(JSON.parse(String(data))));
    await once(socket, 'open');
    const texts = ['Hello there! ', 'Dr. Smith ', 'paid $5. '];
    for (const text of [' ', ...texts, '']) socket.send(JSON.stringify({ text }));
    await once(socket, 'close');
    assert.equal(frames.at(-1)?.isFinal, true);
    const audio = Buffer.concat(frames.map((frame) => Buffer.from(frame.audio ?? '', 'base64')));
    const chars = frames.flatMap(({ alignment }) => alignment?.chars ?? []);
    const starts = frames.flatMap(({ alignment }) => alignment?.charStartTimesMs ?? []);
    assert.equal(chars.join(''), texts.join(''));
    assert.deepEqual(
      starts,
      starts.toSorted((a, b) => a - b),
    );
    assert.ok(starts.at(-1)! <= audio.length / 48 + 10);
  });

  testClient('lists voices, models and the user', async (open) => {
    const { voices, models, user } = open();
    const { voices: all } = await voices.getAll();
    const page = await voices.search({ pageSize: 5, search: 'female' });
    assert.ok(all.length > 50 && page.voices.length === 5 && page.hasMore && page.totalCount > 5);
    const voice = await voices.get(page.voices[0]!.voiceId);
    assert.equal(voice.voiceId, page.voices[0]!.voiceId);
    const preview = await fetch(voice.previewUrl, { headers: { authorization: `Bearer ${server().key}` } });
    assert.equal(preview.status, 200);
    await preview.arrayBuffer();
    assert.ok(
      (await models.list()).some(({ modelId, canDoTextToSpeech }) => modelId === 's1' && canDoTextToSpeech),
    );
    assert.equal((await user.get()).subscription.status, 'active');
  });

  testClient('manages pronunciation dictionaries', async (open) => {
    const { pronunciationDictionaries: dictionaries } = open();
    const rule = (stringToReplace: string) => ({
      type: 'phoneme',
      stringToReplace,
      phoneme: 'ˈɛndʒɪn',
      alphabet: 'ipa',
    });
    const { id, versionId } = await dictionaries.createFromRules({ name: 'Terms', rules: [rule('nginx')] });
    const lexicon = await read(await dictionaries.download(id, versionId));
    const file = new File([lexicon], 'terms.pls');
    assert.equal((await dictionaries.createFromFile({ name: 'Copy', file })).versionRulesNum, 1);
    assert.equal((await dictionaries.rules.add(id, { rules: [rule('Caddy')] })).versionRulesNum, 2);
    assert.equal((await dictionaries.get(id)).rules.length, 2);
    assert.ok((await dictionaries.update(id, { archived: true })).archivedTimeUnix);
    const { pronunciationDictionaries: left } = await dictionaries.list();
    assert.ok(left.length > 0 && left.every((dictionary) => dictionary.id !== id));
  });

  testClient('errors have the client’s error class', async (open, { ElevenLabsError }) => {
    const cases = [
      { key: 'wrong', voice: 'default', status: 401, kind: 'unauthorized' },
      { key: server().keyWithoutCredit, voice: 'default', status: 402, kind: 'quota_exceeded' },
      { key: server().key, voice: 'nobody', status: 400, kind: 'voice_not_found' },
    ];
    for (const { key, voice, status, kind } of cases) {
      const call = open(key).textToSpeech.convert(voice, { text: 'Hello.' }, { maxRetries: 0 });
      await assert.rejects(call, (error) => {
        assert.ok(error instanceof ElevenLabsError);
        assert.equal(error.statusCode, status);
        assert.equal((error.body as { detail: { status: string } }).detail.status, kind);
        return true;
      });
    }
  });

  testClient('audio arrives before the end of synthesis, and aborting stops synthesis', async (open) => {
    const abort = new AbortController();
    const text = 'This sentence is one of very many that follow each other. '.repeat(300);
    const stream = await open().textToSpeech.stream(
      'default',
      { text, modelId: 's1', outputFormat: 'pcm_44100' },
      { abortSignal: abort.signal },
    );
    const { value } = await stream.getReader().read();
    assert.ok((value?.length ?? 0) > 0);
    assert.equal(await server().isSynthesizing(), true);
    abort.abort();
    await until('synthesis stops', async () => !(await server().isSynthesizing()));
  });
}
