import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { LiveSpeech, SpeechRequest } from '../../domain/speech/speech-service.ts';
import { LiveSpeechSession } from './live-speech-session.ts';

/** An admitted session without billing. */
const admit = async () => ({
  // The session reads only these fields.
  request: { text: '', model: 's1', voice: undefined } as unknown as SpeechRequest,
  charge: { hold: async () => {}, holdDictionary: async () => {}, settle: async () => {} },
  begin: () => {},
  leave: () => {},
});

test('text counts towards the budget of the socket until it is spoken, and no longer than the session', async () => {
  let heldBytes = 0;
  const budget = {
    tryAdd: (bytes: number) => {
      if (heldBytes + bytes > 100) return false;
      heldBytes += bytes;
      return true;
    },
    release: (bytes: number) => {
      heldBytes -= bytes;
    },
  };
  const written: string[] = [];
  let deliveredBytes = 0;
  let session: LiveSpeechSession | undefined;
  const speech: LiveSpeech = {
    write: (text) => void written.push(text),
    flush: () => {},
    end: () => {},
    deliveredBytes: () => deliveredBytes,
    dictionaryBytes: () => 0,
    body: (async function* () {
      for (let part = 0; part < 10; part++) {
        session?.receive({ event: 'text', text: 'ü'.repeat(40) });
        assert.ok(heldBytes >= 80 && heldBytes <= 100);
        deliveredBytes += 80;
        yield { audio: new Uint8Array(8000), timing: undefined };
        yield { audio: new Uint8Array(8000), timing: undefined };
      }
      session?.receive({ event: 'text', text: 'rest' });
      assert.throws(() => session?.receive({ event: 'text', text: 'x'.repeat(99) }), {
        code: 'text_too_long',
      });
    })(),
  };
  session = new LiveSpeechSession({
    speech: { speakLive: () => speech },
    writer: { send: async () => {} },
    admit,
    hasTimings: false,
    bufferMaxChars: 1000,
    budget,
    onSent: () => {},
  });
  await session.run();
  assert.equal(heldBytes, 0);
});

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
    admit,
    hasTimings: false,
    bufferMaxChars: 100,
    budget: { tryAdd: () => true, release: () => {} },
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
