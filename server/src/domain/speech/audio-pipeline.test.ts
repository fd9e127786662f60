import assert from 'node:assert/strict';
import { test } from 'node:test';
import { measureLoudness } from '../../audio/dsp/loudness.ts';
import type { Boundary, Piece } from '../../text/piece.ts';
import { type JoinOptions, joinPieces } from './audio-pipeline.ts';
import { pauseAfterPiece, TYPICAL_PAUSES } from './piece-pause.ts';
import type { PieceEvent, PiecePlan, PlannedPiece } from './piece-synthesizer.ts';
import { Timeline } from './timing/timeline.ts';

const RATE = 24000;
const PLAIN: JoinOptions = { speed: 1, volumeDb: 0, loudness: undefined };

const PLAN: PiecePlan = {
  engine: 'tone',
  voice: { kind: 'named', name: 'a' },
  language: 'en-US',
  voiceLufs: -20,
  pauses: TYPICAL_PAUSES,
};

function planned(boundary: Boundary, changes: Partial<Piece> = {}): PlannedPiece {
  const words = [{ text: 'm'.repeat(50), start: 0, end: 50, before: '', after: '' }];
  const piece = { index: 0, words, cues: [], boundary, start: 0, end: 0, ...changes };
  return { piece, plan: PLAN, source: { text: '', start: 0 } };
}

/** One second of a tone between half seconds of silence, in parts of uneven length. */
async function* speak(...boundaries: Boundary[]): AsyncGenerator<PieceEvent> {
  for (const boundary of boundaries) {
    const samples = new Float32Array(2 * RATE);
    for (let index = RATE / 2; index < 1.5 * RATE; index++) samples[index] = 0.2 * Math.sin(index / 8);
    for (let from = 0; from < samples.length; from += 5001) {
      const part = { samples: samples.slice(from, from + 5001), sampleRateHz: RATE };
      yield { ...planned(boundary), kind: 'audio', part };
    }
    yield { ...planned(boundary), kind: 'end' };
  }
}

async function join(events: AsyncGenerator<PieceEvent>, options: JoinOptions = PLAIN): Promise<Float32Array> {
  const samples: number[] = [];
  for await (const part of joinPieces(events, options)) samples.push(...part.samples);
  return Float32Array.from(samples);
}

const seconds = (samples: Float32Array) => samples.length / RATE;

test('silence around pieces is replaced by pauses that depend on the boundary', async () => {
  const phrase = seconds(await join(speak('phrase', 'end')));
  const clause = seconds(await join(speak('clause', 'end')));
  const sentence = seconds(await join(speak('sentence', 'end')));
  const paragraph = seconds(await join(speak('paragraph', 'end')));
  assert.ok(phrase < clause && clause < sentence && sentence < paragraph);
  assert.ok(phrase > 2 && paragraph < 3.5, `${phrase} to ${paragraph} s for two seconds of tone`);
});

test('noise after the last word is a part of the pause', async () => {
  const withTail = async function* (factor: number): AsyncGenerator<PieceEvent> {
    const samples = new Float32Array(2 * RATE);
    for (let index = 0; index < 1.2 * RATE; index++)
      samples[index] = (index < RATE ? 0.2 : 0.2 * factor) * Math.sin(index / 8);
    yield { ...planned('sentence'), kind: 'audio', part: { samples, sampleRateHz: RATE } };
    yield { ...planned('sentence'), kind: 'end' };
  };
  const difference = seconds(await join(withTail(0.02))) - seconds(await join(withTail(0)));
  assert.ok(Math.abs(difference) < 0.03, `${difference} s`);
});

test('a higher speed has shorter pauses', async () => {
  const slow = seconds(await join(speak('sentence', 'end'), { ...PLAIN, speed: 0.5 }));
  const fast = seconds(await join(speak('sentence', 'end'), { ...PLAIN, speed: 2 }));
  assert.ok(slow - fast > 0.5);
});

test('loudness normalization brings a voice to the target level, and volume is relative to it', async () => {
  const loudness = { targetLufs: -16 };
  const even = await join(speak('end'), { ...PLAIN, loudness });
  const before = measureLoudness(await join(speak('end')), RATE);
  assert.ok(Math.abs(measureLoudness(even, RATE) - before - 4) < 1);
  const softer = await join(speak('end'), { ...PLAIN, loudness, volumeDb: -6 });
  assert.ok(Math.abs(measureLoudness(even, RATE) - measureLoudness(softer, RATE) - 6) < 0.5);
});

test('only speech that is not levelled in the engine is corrected by its measured loudness', async () => {
  const loudness = { targetLufs: -16 };
  const pieces = Array<Boundary>(8).fill('clause');
  const typical = (async function* (): AsyncGenerator<PieceEvent> {
    for await (const event of speak(...pieces))
      yield { ...event, plan: { ...PLAN, isLoudnessTypical: true } };
  })();
  const changeDb = (audio: Float32Array) => {
    const peak = (samples: Float32Array) => samples.reduce((max, sample) => Math.max(max, sample), 0);
    return 20 * Math.log10(peak(audio.subarray(-2 * RATE)) / peak(audio.subarray(0, RATE / 2)));
  };
  const levelled = changeDb(await join(speak(...pieces), { ...PLAIN, loudness }));
  const corrected = changeDb(await join(typical, { ...PLAIN, loudness }));
  assert.ok(Math.abs(levelled) < 0.1, `${levelled} dB`);
  assert.ok(corrected < -0.5, `${corrected} dB`);
});

test('the output never clips, whatever the volume', async () => {
  const loud = await join(speak('end'), { ...PLAIN, volumeDb: 20 });
  assert.ok(loud.every((sample) => Math.abs(sample) < 1));
});

test('a piece without audio adds nothing to the output', async () => {
  const silent = (async function* (): AsyncGenerator<PieceEvent> {
    yield { ...planned('sentence'), kind: 'end' };
  })();
  assert.equal((await join(silent)).length, 0);
});

/** Pieces of half a second of silence, followed by words of one second of a tone each. */
async function* speakWords(
  pieces: readonly (readonly string[])[],
  sampleRateHz = RATE,
): AsyncGenerator<PieceEvent> {
  let start = 0;
  for (const texts of pieces) {
    const words = texts.map((text) => {
      const word = { text, start, end: start + text.length, before: '', after: '' };
      start += text.length + 1;
      return word;
    });
    const text = texts.join(' ');
    const piece = {
      index: 0,
      words,
      cues: [],
      boundary: 'sentence',
      start: words[0]!.start,
      end: start,
    } as const;
    const source = { text, start: piece.start };
    const samples = new Float32Array((0.5 + texts.length) * sampleRateHz);
    for (let index = sampleRateHz / 2; index < samples.length; index++)
      samples[index] = 0.2 * Math.sin(index / 8);
    const wordTimes = words.map((_, wordIndex) => ({
      wordIndex,
      startSeconds: 0.5 + wordIndex,
      endSeconds: 1.5 + wordIndex,
    }));
    yield {
      piece,
      plan: PLAN,
      source,
      kind: 'audio',
      part: { samples: samples.slice(0, 100), sampleRateHz, wordTimes },
    };
    yield { piece, plan: PLAN, source, kind: 'audio', part: { samples: samples.slice(100), sampleRateHz } };
    yield { piece, plan: PLAN, source, kind: 'end' };
  }
}

test('word times match the audio after trimming', async () => {
  const timeline = new Timeline();
  const audio = await join(speakWords([['one', 'two'], ['three']]), { ...PLAIN, timeline });
  const [first, second] = timeline.take();
  assert.deepEqual([first!.sequence, second!.sequence], [0, 1]);
  const timed = [first!, second!].flatMap(({ offsetSeconds, words }) =>
    words.map((word) => ({
      ...word,
      startSeconds: offsetSeconds + word.startSeconds,
      endSeconds: offsetSeconds + word.endSeconds,
    })),
  );
  assert.deepEqual(
    timed.map(({ text, charStart, charEnd }) => [text, charStart, charEnd]),
    [
      ['one', 0, 3],
      ['two', 4, 7],
      ['three', 8, 13],
    ],
  );
  const loudAt = (at: number) =>
    audio.subarray(at * RATE, at * RATE + 240).some((sample) => Math.abs(sample) > 0.01);
  for (const { startSeconds, endSeconds } of timed) {
    assert.ok(
      loudAt(startSeconds + 0.01) && loudAt(endSeconds - 0.02),
      'a word is audible from start to end',
    );
  }
  assert.ok(!loudAt(timed[0]!.startSeconds - 0.02) && !loudAt(timed[1]!.endSeconds + 0.02));
  assert.ok(Math.abs(second!.offsetSeconds + second!.durationSeconds - seconds(audio)) < 1e-6);
});

test('pieces of different sample rates and levels are joined at one rate and level', async () => {
  const mixed = (async function* (): AsyncGenerator<PieceEvent> {
    yield* speakWords([['one']]);
    for await (const event of speakWords([['two']], 16000)) {
      const plan = { ...event.plan, voiceLufs: -14 };
      if (event.kind === 'end') yield { ...event, plan };
      else {
        const samples = event.part.samples.map((sample) => 2 * sample);
        yield { ...event, plan, part: { ...event.part, samples } };
      }
    }
  })();
  const audio = await join(mixed, { ...PLAIN, loudness: { targetLufs: -20 } });
  const [first, second] = [audio.subarray(0.2 * RATE, 0.9 * RATE), audio.subarray(1.4 * RATE, 1.9 * RATE)];
  const level = (samples: Float32Array) =>
    Math.sqrt(samples.reduce((sum, sample) => sum + sample ** 2, 0) / samples.length);
  assert.ok(Math.abs(level(first) / level(second) - 1) < 0.1, `${level(first)} beside ${level(second)}`);
  const word = { text: 'one', start: 0, end: 3, before: '', after: '' };
  const pauseSeconds = pauseAfterPiece({ words: [word], boundary: 'sentence' }, PLAN);
  assert.ok(Math.abs(seconds(audio) - 2 * (1 + pauseSeconds)) < 0.04, `${seconds(audio)} s`);
});

test('a change of speaker adds a pause', async () => {
  const talk = async (speaker: number) => {
    const events = (async function* (): AsyncGenerator<PieceEvent> {
      for await (const event of speakWords([['one'], ['two']])) {
        yield { ...event, piece: { ...event.piece, speaker: event.source.start === 0 ? 0 : speaker } };
      }
    })();
    return seconds(await join(events));
  };
  assert.ok((await talk(1)) - (await talk(0)) > 0.1);
});

test('a long pause is emitted in chunks of at most one second, with the exact length', async () => {
  async function* withPauses(leadingPauseSeconds: number, trailingPauseSeconds: number) {
    const acting = { utterance: { words: [] }, leadingPauseSeconds, trailingPauseSeconds };
    for await (const event of speak('end')) yield { ...event, piece: { ...event.piece, acting } };
  }
  const lengthsOf = async (events: AsyncGenerator<PieceEvent>) => {
    const lengths: number[] = [];
    for await (const { samples } of joinPieces(events, PLAIN)) lengths.push(samples.length);
    return lengths;
  };
  const sum = (lengths: readonly number[]) => lengths.reduce((total, length) => total + length, 0);
  const plain = await lengthsOf(withPauses(0, 0));
  const paused = await lengthsOf(withPauses(50.25, 40.5));
  assert.equal(sum(paused) - sum(plain), 90.75 * RATE);
  assert.ok(Math.max(...paused) <= 1.3 * RATE, `${Math.max(...paused)} samples`);
});
