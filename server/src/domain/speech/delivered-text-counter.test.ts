import assert from 'node:assert/strict';
import { test } from 'node:test';
import { createDictionaryMatcher } from '../../text/dictionary-matcher.ts';
import { textToPieces } from '../../text/front-end/text-to-pieces.ts';
import type { GivenPhonemes, Piece, SpokenWord } from '../../text/piece.ts';
import { DeliveredTextCounter } from './delivered-text-counter.ts';
import { dictionaryBytesOf } from './dictionary-bytes.ts';
import type { PieceEvent } from './piece-synthesizer.ts';

const SOURCE = { text: 'Grüße. Bye now.', start: 2 };

/** The counter reads only these fields. */
function event(kind: PieceEvent['kind'], start: number, end: number): PieceEvent {
  const piece = { start, end, words: [] as SpokenWord[] } as unknown as Piece;
  return { kind, piece, source: SOURCE } as unknown as PieceEvent;
}

test('a piece counts when the first bytes of its audio are read, and the text before it as well', async () => {
  const counter = new DeliveredTextCounter();
  const events = [event('audio', 2, 8), event('end', 2, 8), event('audio', 9, 17), event('end', 9, 17)];
  async function* source(): AsyncGenerator<PieceEvent> {
    yield* events;
  }
  const tracked = counter.track(source());
  async function* bytes(): AsyncGenerator<Uint8Array> {
    for await (const { kind } of tracked) if (kind === 'audio') yield new Uint8Array(1);
  }
  const body = counter.deliver(bytes());
  assert.equal(counter.bytes, 0);
  await body.next();
  assert.equal(counter.bytes, 2 + Buffer.byteLength('Grüße.'));
  await body.next();
  assert.equal(counter.bytes, 2 + Buffer.byteLength(SOURCE.text));
});

test('audio that was not read does not count', async () => {
  const counter = new DeliveredTextCounter();
  async function* source(): AsyncGenerator<PieceEvent> {
    yield event('audio', 2, 8);
  }
  await counter.track(source()).next();
  assert.equal(counter.bytes, 0);
});

for (const { name, value, text, phonemes, bytes } of [
  { name: 'Arpabet', value: 'AA1 B IY1', text: 'x', phonemes: 'arpabet', bytes: 3 - 1 },
  { name: 'IPA', value: '/eɪtʃːoʊ/', text: 'x', phonemes: 'ipa', bytes: 3 - 1 },
  { name: 'pinyin', value: 'zhong1 guo2', text: 'x', phonemes: 'pinyin', bytes: 6 - 1 },
  { name: 'a shorter pronunciation', value: 'AA1', text: 'xyz', phonemes: 'arpabet', bytes: 0 },
] as const) {
  test(`dictionary bytes: ${name}`, () => {
    const pronunciations = createDictionaryMatcher([{ key: text, value, isCaseSensitive: false }]);
    const source = `${text} and ${text}.`;
    const options = { normalize: true, chunkLength: 150, minChunkLength: 0, cueStyle: 'both' } as const;
    const words = [...textToPieces(source, { ...options, language: 'en-US', pronunciations })].flatMap(
      (piece) => piece.words,
    );
    const alphabet: GivenPhonemes['alphabet'] | undefined = words[0]?.phonemes?.alphabet;
    assert.equal(alphabet, phonemes);
    assert.equal(dictionaryBytesOf(words, source), 2 * bytes);
  });
}
