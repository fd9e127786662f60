import assert from 'node:assert/strict';
import { test } from 'node:test';
import { measureLoudness } from '../audio/loudness.ts';
import type { Boundary, Piece } from '../text/piece.ts';
import type { PieceEvent } from './piece-speaker.ts';
import { type JoinOptions, joinPieces } from './sound-chain.ts';

const RATE = 24000;
const PLAIN: JoinOptions = { speed: 1, volumeDb: 0, levelling: undefined };

function piece(boundary: Boundary): Piece {
  return { index: 0, words: [], cues: [], boundary, start: 0, end: 0 };
}

/** A second of a tone with half a second of silence on both sides, in uneven parts. */
async function* speak(...boundaries: Boundary[]): AsyncGenerator<PieceEvent> {
  for (const boundary of boundaries) {
    const samples = new Float32Array(2 * RATE);
    for (let index = RATE / 2; index < 1.5 * RATE; index++) samples[index] = 0.2 * Math.sin(index / 8);
    for (let from = 0; from < samples.length; from += 5001) {
      const part = { samples: samples.slice(from, from + 5001), sampleRateHz: RATE };
      yield { kind: 'audio', piece: piece(boundary), part };
    }
    yield { kind: 'end', piece: piece(boundary) };
  }
}

async function join(events: AsyncGenerator<PieceEvent>, options: JoinOptions = PLAIN): Promise<Float32Array> {
  const samples: number[] = [];
  for await (const part of joinPieces(events, options)) samples.push(...part.samples);
  return Float32Array.from(samples);
}

const seconds = (samples: Float32Array) => samples.length / RATE;

test('silence around pieces is replaced by pauses that follow the punctuation', async () => {
  const phrase = seconds(await join(speak('phrase', 'end')));
  const clause = seconds(await join(speak('clause', 'end')));
  const sentence = seconds(await join(speak('sentence', 'end')));
  const paragraph = seconds(await join(speak('paragraph', 'end')));
  assert.ok(phrase < clause && clause < sentence && sentence < paragraph);
  assert.ok(phrase > 2 && paragraph < 3.5, `${phrase} to ${paragraph} s for two seconds of sound`);
});

test('a faster pace has shorter pauses', async () => {
  const slow = seconds(await join(speak('sentence', 'end'), { ...PLAIN, speed: 0.5 }));
  const fast = seconds(await join(speak('sentence', 'end'), { ...PLAIN, speed: 2 }));
  assert.ok(slow - fast > 0.5);
});

test('levelling brings a voice to the target, and volume moves it from there', async () => {
  const levelling = { targetLufs: -16, voiceLufs: -20 };
  const even = await join(speak('end'), { ...PLAIN, levelling });
  const before = measureLoudness(await join(speak('end')), RATE);
  assert.ok(Math.abs(measureLoudness(even, RATE) - before - 4) < 1);
  const softer = await join(speak('end'), { ...PLAIN, levelling, volumeDb: -6 });
  assert.ok(Math.abs(measureLoudness(even, RATE) - measureLoudness(softer, RATE) - 6) < 0.5);
});

test('however loud it is asked for, nothing clips', async () => {
  const loud = await join(speak('end'), { ...PLAIN, volumeDb: 20 });
  assert.ok(loud.every((sample) => Math.abs(sample) < 1));
});

test('a piece without sound leaves no trace', async () => {
  const silent = (async function* (): AsyncGenerator<PieceEvent> {
    yield { kind: 'end', piece: piece('sentence') };
  })();
  assert.equal((await join(silent)).length, 0);
});
