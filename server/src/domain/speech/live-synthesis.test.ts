import assert from 'node:assert/strict';
import { test } from 'node:test';
import { listKokoroVoices } from '../voices/catalogue/kokoro-voices.ts';
import { createVoiceCatalogue, requireVoice } from '../voices/catalogue/voice-catalogue.ts';
import { EngineSelector } from './engine-selector.ts';
import { LiveSynthesis } from './live-synthesis.ts';
import type { PlannedPiece } from './piece-synthesizer.ts';
import { VoiceAssigner } from './voice-assigner.ts';

/** A live synthesis whose pieces are collected instead of synthesized. */
function synthesize(options: { readonly voice?: readonly string[]; readonly bufferMaxChars?: number } = {}) {
  const pieces: PlannedPiece[] = [];
  const abort = new AbortController();
  const voices = createVoiceCatalogue(listKokoroVoices());
  const assigner = new VoiceAssigner({
    voices,
    engines: new EngineSelector({ overrides: {}, bestKokoro: () => 'kokoro-fast' }),
    defaultVoice: 'af_heart',
    request: {
      model: 's2-pro',
      voice: options.voice?.map((name) => requireVoice(voices, name)),
      language: undefined,
    },
  });
  const session = new LiveSynthesis({
    accountId: 'account',
    assigner,
    textOptions: {
      normalize: true,
      cueStyle: 'both',
      chunkLength: 150,
      minChunkLength: 50,
      firstPieceLength: 60,
    },
    bufferMaxChars: options.bufferMaxChars ?? 10_000,
    limits: {
      ssmlDepthMax: 20,
      ssmlBreakMaxSeconds: 10,
      cuesMax: 1000,
      pieceSilenceMaxSeconds: 60,
      silenceMaxSeconds: 600,
    },
    prepare: async () => {},
    render: async (source) => {
      for (let next = await source.next(); next.done !== true; next = await source.next())
        pieces.push(next.value);
      return { contentType: '', isEmpty: true, body: (async function* () {})() };
    },
    signal: abort.signal,
  });
  const completed = (async () => {
    for await (const _ of session.body);
    return pieces;
  })();
  return { session, completed, abort };
}

test('pieces have offsets into the complete text and ascending indices', async () => {
  const { session, completed } = synthesize();
  const text = 'The boat came home. Nobody saw it leave, and nobody asked. It cost $5!';
  for (const chunk of text.match(/.{1,7}/gs) ?? []) session.write(chunk);
  session.end();
  const pieces = await completed;
  assert.deepEqual(
    pieces.map(({ piece }) => piece.index),
    pieces.map((_, index) => index),
  );
  const written = pieces.flatMap(({ piece }) => piece.words.map(({ start, end }) => text.slice(start, end)));
  assert.equal(
    [...new Set(written)].join(' '),
    'The boat came home Nobody saw it leave and nobody asked It cost $5',
  );
  assert.equal(pieces.at(-1)!.piece.boundary, 'end');
});

test('a speaker applies until the next tag, across segments', async () => {
  const { session, completed } = synthesize({ voice: ['af_heart', 'am_michael'] });
  session.write('<|speaker:1|>Hello there, my friend. ');
  session.flush();
  session.write('How are you? <|speaker:0|>Fine.');
  session.end();
  const voices = (await completed).map(({ plan }) => (plan.voice.kind === 'named' ? plan.voice.name : ''));
  assert.deepEqual([...new Set(voices)], ['am_michael', 'af_heart']);
  assert.equal(voices.at(-1), 'af_heart');
});

test('a speaker without a voice and a full text buffer are refused', async () => {
  const { session, completed } = synthesize({ voice: ['af_heart'], bufferMaxChars: 100 });
  assert.throws(() => session.write('x'.repeat(101)), { code: 'text_too_long' });
  session.write('<|speaker:3|>Hello.');
  session.end();
  await assert.rejects(completed, { code: 'speaker_without_voice' });
});

test('a <speak> element is processed as SSML, with the voices it names', async () => {
  const { session, completed } = synthesize();
  for (const chunk of ['<speak>Hello. <voice na', 'me="am_michael">Good ', 'day.</voice></speak>'])
    session.write(chunk);
  session.end();
  const pieces = await completed;
  assert.deepEqual(
    pieces.flatMap(({ piece }) => piece.words.map((word) => word.text)),
    ['Hello', 'Good', 'day'],
  );
  assert.deepEqual(pieces.at(-1)!.plan.voice, { kind: 'named', name: 'am_michael' });
});

test('aborting ends a synthesis that waits for text', async () => {
  const { completed, abort } = synthesize();
  abort.abort(new Error('gone'));
  await assert.rejects(completed, /gone/);
});
