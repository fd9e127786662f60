import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { LiveSpeech, SpeechRequest } from '../../domain/speech/speech-service.ts';
import { LiveSpeechSession } from './live-speech-session.ts';

test('queued texts are joined, and flushes without text between them are dropped', async () => {
  const calls: string[] = [];
  let end = () => {};
  const ended = new Promise<void>((resolve) => {
    end = resolve;
  });
  const speech: LiveSpeech = {
    write: (text) => void calls.push(text),
    flush: () => void calls.push('flush'),
    end,
    deliveredBytes: () => 0,
    dictionaryBytes: () => 0,
    body: (async function* () {
      await ended;
      yield* [];
    })(),
  };
  const session = new LiveSpeechSession({
    speech: { speakLive: () => speech },
    writer: { send: async () => {} },
    admit: async () => ({
      // The session reads only these fields.
      request: { text: '', model: 's1', voice: undefined } as unknown as SpeechRequest,
      charge: { hold: async () => {}, holdDictionary: async () => {}, settle: async () => {} },
      begin: () => {},
      leave: () => {},
    }),
    hasTimings: false,
    bufferMaxChars: 100,
    onSent: () => {},
  });
  for (let index = 0; index < 50_000; index += 1) {
    session.receive({ event: 'flush' });
    session.receive({ event: 'text', text: '' });
  }
  session.receive({ event: 'text', text: 'Hel' });
  session.receive({ event: 'text', text: 'lo.' });
  for (let index = 0; index < 50_000; index += 1) session.receive({ event: 'flush' });
  session.receive({ event: 'stop' });
  await session.run();
  assert.deepEqual(calls, ['flush', 'Hello.', 'flush']);
});
