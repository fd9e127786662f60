import assert from 'node:assert/strict';
import { createReadStream } from 'node:fs';
import { test } from 'node:test';
import OpenAI from 'openai';
import { OpenAIRealtimeWS } from 'openai/realtime/ws';
import { sniffAudio } from '../../src/audio/sniff.ts';
import { until } from '../support/servers/real-server.ts';
import type { ClientsServer } from './server.ts';
import { startTlsProxy } from './tls-proxy.ts';

/** Tests of npm `openai` against a running server. */
export function testOpenAi(server: () => ClientsServer): void {
  const client = (path = '/v1', apiKey = server().key) =>
    new OpenAI({ apiKey, baseURL: server().url + path, maxRetries: 0 });

  for (const path of ['/v1', '/compat/v1', '/compat/api/v1', '/compat/openai/v1']) {
    test(`synthesizes and transcribes at ${path}`, async () => {
      const { audio } = client(path);
      const speech = await audio.speech.create({
        model: 'tts-1',
        voice: 'default',
        input: 'Hello there.',
        response_format: 'mp3',
      });
      assert.equal(sniffAudio(Buffer.from(await speech.arrayBuffer())), 'mp3');
      const file = createReadStream(server().sentencePath);
      const transcript = await audio.transcriptions.create({ model: 'whisper-1', file });
      assert.match(transcript.text, /little boat came home/i);
    });
  }

  test('a transcript is available with words, as captions and as plain text', async () => {
    const { transcriptions } = client().audio;
    const transcribe = (more: object) =>
      transcriptions.create({
        model: 'gpt-4o-transcribe',
        file: createReadStream(server().sentencePath),
        ...more,
      });
    const verbose = (await transcribe({
      response_format: 'verbose_json',
      timestamp_granularities: ['word'],
    })) as unknown as OpenAI.Audio.TranscriptionVerbose;
    assert.ok((verbose.words?.length ?? 0) > 10);
    assert.equal(verbose.language, 'english');
    assert.match(String(await transcribe({ response_format: 'vtt' })), /^WEBVTT[\s\S]*-->/);
    assert.match(String(await transcribe({ response_format: 'text' })), /boat/);
  });

  test('audio arrives before the end of synthesis, and aborting stops synthesis', async () => {
    const abort = new AbortController();
    const input = 'This sentence is one of very many that follow each other. '.repeat(300);
    const request = { model: 'kokoro', voice: 'alloy', input, response_format: 'pcm' } as const;
    const response = await client().audio.speech.create(request, { signal: abort.signal });
    await response.body!.getReader().read();
    assert.equal(await server().isSynthesizing(), true);
    abort.abort();
    await until('synthesis stops', async () => !(await server().isSynthesizing()));
  });

  test('a chat is synthesized, and a recording in a chat is transcribed', async () => {
    const chat = client('/compat/v1').chat.completions;
    const speech = await chat.create({
      model: 'fish-audio/s2.1-pro',
      modalities: ['text', 'audio'],
      audio: { voice: 'default', format: 'wav' },
      messages: [{ role: 'user', content: 'Hello there.' }],
    });
    const data = speech.choices[0]?.message.audio?.data ?? '';
    assert.equal(sniffAudio(Buffer.from(data, 'base64')), 'wav');
    const transcript = await chat.create({
      model: 'fish-audio/transcribe-1',
      messages: [{ role: 'user', content: [{ type: 'input_audio', input_audio: { data, format: 'wav' } }] }],
    });
    assert.match(transcript.choices[0]?.message.content ?? '', /hello there/i);
  });

  test('a realtime socket synthesizes and transcribes', async (t) => {
    const secure = new OpenAI({
      apiKey: server().key,
      baseURL: `${await startTlsProxy(t, server())}/compat/v1`,
    });
    const realtime = new OpenAIRealtimeWS({ model: 'fish-audio/s1' }, secure);
    const audio: Buffer[] = [];
    const transcripts: string[] = [];
    const errors: unknown[] = [];
    realtime.on('error', (error) => errors.push(error));
    realtime.on('response.output_audio.delta', ({ delta }) => audio.push(Buffer.from(delta, 'base64')));
    realtime.on('conversation.item.input_audio_transcription.completed', ({ transcript }) =>
      transcripts.push(transcript),
    );
    await new Promise<void>((resolve) => realtime.on('session.created', () => resolve()));
    const content = [{ type: 'input_text' as const, text: 'The little boat came home at last.' }];
    realtime.send({ type: 'conversation.item.create', item: { type: 'message', role: 'user', content } });
    realtime.send({ type: 'response.create' });
    await new Promise<void>((resolve) => realtime.on('response.done', () => resolve()));
    assert.ok(Buffer.concat(audio).length > 24_000 * 2);
    for (const chunk of audio) {
      realtime.send({ type: 'input_audio_buffer.append', audio: chunk.toString('base64') });
    }
    realtime.send({ type: 'input_audio_buffer.commit' });
    await until('a transcript', () => transcripts.length > 0 || errors.length > 0);
    realtime.close();
    assert.deepEqual(errors, []);
    assert.match(transcripts[0] ?? '', /little boat came home/i);
  });

  test('translations and streamed transcriptions', async () => {
    const { translations, transcriptions } = client('/v1').audio;
    const file = () => createReadStream(server().sentencePath);
    assert.match((await translations.create({ model: 'whisper-1', file: file() })).text, /boat/i);
    let text = '';
    const request = { model: 'gpt-4o-transcribe', file: file(), stream: true } as const;
    for await (const event of await transcriptions.create(request)) {
      if (event.type === 'transcript.text.delta') text += event.delta;
    }
    assert.match(text, /little boat came home/i);
  });

  test('errors have the client’s error classes', async () => {
    const request = { model: 'tts-1', voice: 'alloy', input: 'Hello.' };
    const speak = (more: object, key?: string) =>
      client('/v1', key).audio.speech.create({ ...request, ...more });
    await assert.rejects(speak({}, 'wrong'), OpenAI.AuthenticationError);
    await assert.rejects(speak({ voice: 'nobody' }), OpenAI.BadRequestError);
    await assert.rejects(speak({}, server().keyWithoutCredit), { status: 402 });
    await assert.rejects(client('/v1').images.generate({ prompt: 'a bird' }), OpenAI.NotFoundError);
    const limited = client('/v1', server().limitedKey).audio.speech;
    const flood = Promise.all([limited.create(request), limited.create(request), limited.create(request)]);
    await assert.rejects(flood, OpenAI.RateLimitError);
  });
}
