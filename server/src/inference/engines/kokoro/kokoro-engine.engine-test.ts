import assert from 'node:assert/strict';
import { before, describe, test } from 'node:test';
import { testActing } from '../../../../test/support/engines/acting-contract.ts';
import { testEngineContract } from '../../../../test/support/engines/tts-engine-contract.ts';
import { useSpeechHost } from '../../../../test/support/workers/shared-speech-host.ts';
import { Limiter } from '../../../audio/dsp/limiter.ts';
import { measureLoudness } from '../../../audio/dsp/loudness.ts';
import { trackPitch } from '../../../audio/dsp/pitch-track.ts';
import { joinSamples } from '../../../audio/pcm.ts';
import { NEUTRAL_DELIVERY } from '../../../domain/engines/delivery.ts';
import type { SpeechPart, TtsEngine, Utterance } from '../../../domain/engines/tts-engine.ts';
import { textToPieces } from '../../../text/front-end/text-to-pieces.ts';
import type { Language, SpokenWord } from '../../../text/piece.ts';
import { medianPitchHz } from '../acting/pitch-contour.ts';

const host = useSpeechHost();
testEngineContract('kokoro-fast', () => host.engine('kokoro-fast'));
testEngineContract('kokoro-fast-v1', () => host.engine('kokoro-fast-v1'));

testActing('kokoro-fast', () => host.engine('kokoro-fast'), { voice: 'af_heart' });

const SENTENCE = 'The quick brown fox jumps over the lazy dog, and then it runs away into the forest.';

describe('kokoro with the fast decoder', () => {
  let engine: TtsEngine;
  before(async () => {
    engine = await host.engine('kokoro-fast');
  });

  test('first audio is emitted long before the utterance is complete', async () => {
    const parts = await speak(engine, { words: wordsOf(SENTENCE) });
    assert.ok(parts.length >= 3);
    assert.ok(parts[0]!.samples.length <= 0.8 * 24000);
  });

  test('every word has a time, in order and inside the audio, and longer words last longer', async () => {
    const words = wordsOf(SENTENCE);
    const parts = await speak(engine, { words });
    const seconds = parts.reduce((sum, part) => sum + part.samples.length, 0) / 24000;
    const times = parts.flatMap((part) => part.wordTimes ?? []);
    assert.deepEqual(
      times.map((time) => time.wordIndex),
      words.map((_, index) => index),
    );
    for (const [index, time] of times.entries()) {
      assert.ok(time.startSeconds >= (times[index - 1]?.endSeconds ?? 0));
      assert.ok(time.endSeconds > time.startSeconds && time.endSeconds <= seconds);
    }
    const length = (word: string) => {
      const { startSeconds, endSeconds } = times[words.findIndex(({ text }) => text === word)]!;
      return endSeconds - startSeconds;
    };
    assert.ok(length('forest') > length('it'));
  });

  test('a sentence is as long, and its words at the same times, whether or not its opening is decoded early', async () => {
    const text =
      'The results of the experiment suggest that people who sleep less than six hours make more mistakes.';
    const words = [...textToPieces(text, { ...READING, firstPieceLength: 300 })].flatMap(
      (piece) => piece.words,
    );
    const early = await speak(engine, { words, isLatencyCritical: true });
    const whole = await speak(engine, { words, isLatencyCritical: false });
    assert.ok(early[0]!.samples.length > 0 && early[0]!.samples.length <= 0.8 * 24000);
    assert.ok(early[0]!.wordTimes!.length < words.length, 'the front has read the opening only');
    const times = early.flatMap((part) => part.wordTimes ?? []);
    const wholeTimes = whole.flatMap((part) => part.wordTimes ?? []);
    assert.deepEqual(
      times.map(({ wordIndex }) => wordIndex),
      words.map((_, index) => index),
    );
    assert.ok(Math.abs(samplesOf(early).length / samplesOf(whole).length - 1) < 0.06);
    for (const [index, { startSeconds }] of times.entries())
      assert.ok(Math.abs(startSeconds - wholeTimes[index]!.startSeconds) < 0.3, words[index]!.text);
  });

  test('neutral utterances have the loudness that is asked for, also those that begin with an opening', async () => {
    const texts = [
      'The kettle had just begun to whistle.',
      'Could you water the plants upstairs before you leave tomorrow?',
      'The results of the experiment suggest that people who sleep less than six hours make more mistakes.',
    ];
    // As the server asks for it with a target of -16 LUFS.
    const loudness = { targetLufs: -25.9, ceilingDbfs: -10.9 };
    for (const [index, text] of texts.entries()) {
      const words = [...textToPieces(text, { ...READING, firstPieceLength: 300 })].flatMap(
        (piece) => piece.words,
      );
      for (const isLatencyCritical of [true, false]) {
        const parts = await speak(engine, { words, isLatencyCritical, loudness });
        const limiter = new Limiter({ sampleRateHz: 24_000, ceilingDbtp: loudness.ceilingDbfs });
        const limited = joinSamples([limiter.process(samplesOf(parts)), limiter.flush()]);
        const lufs = measureLoudness(limited, 24_000);
        assert.ok(Math.abs(lufs - loudness.targetLufs + 0.4) < 0.5, `text ${index}: ${lufs} LUFS`);
      }
    }
  });

  test('a delivery keeps its level: acted speech is not brought to a loudness', async () => {
    const words = wordsOf('We walked along the river.');
    const deliveries = words.map(() => ({ ...NEUTRAL_DELIVERY, levelDb: -6 }));
    const own = samplesOf(await speak(engine, { words, deliveries }));
    const loudness = { targetLufs: -20, ceilingDbfs: 0 };
    assert.deepEqual(samplesOf(await speak(engine, { words, deliveries, loudness })), own);
  });

  test('a text beyond the token limit of the model is spoken completely', async () => {
    const words = wordsOf(`${SENTENCE} `.repeat(8));
    const parts = await speak(engine, { words });
    const times = parts.flatMap((part) => part.wordTimes ?? []);
    assert.equal(times.length, words.length);
    assert.ok(times.every((time, index) => time.startSeconds >= (times[index - 1]?.startSeconds ?? 0)));
  });

  test('above speed 1.1 word times scale exactly and the pitch is unchanged', async () => {
    const words = wordsOf(SENTENCE);
    const own = await speak(engine, { words, needsPhonemeTimes: true, speed: 1.1 });
    const fast = await speak(engine, { words, needsPhonemeTimes: true, speed: 2 });
    assert.ok(fast.length >= 3 && fast[0]!.samples.length > 0);
    const pitchOf = (parts: SpeechPart[]) => medianPitchHz(trackPitch(samplesOf(parts), 24000).pitchHz, 40)!;
    const semitones = 12 * Math.log2(pitchOf(fast) / pitchOf(own));
    assert.ok(Math.abs(semitones) < 0.7, `${semitones} semitones`);
    const [ownTimes, fastTimes] = [own, fast].map((parts) => parts.flatMap((part) => part.wordTimes ?? []));
    assert.equal(fastTimes!.length, ownTimes!.length);
    for (const [index, time] of fastTimes!.entries()) {
      const deviation = time.startSeconds - (ownTimes![index]!.startSeconds * 1.1) / 2;
      assert.ok(Math.abs(deviation) < 1e-6, `word ${index} is off by ${deviation} s`);
      const { phonemes } = time;
      assert.ok(phonemes!.at(-1)!.endSeconds <= time.endSeconds + 1e-9);
      assert.ok(phonemes![0]!.startSeconds >= time.startSeconds - 1e-9);
    }
  });

  test('a pause in fast speech keeps its duration and lies between its words', async () => {
    const words = wordsOf(SENTENCE);
    const deliveries = words.map(() => ({ ...NEUTRAL_DELIVERY, levelDb: 2, tremorSemitones: 0.3 }));
    const insertions = [
      { wordIndex: 9, content: { kind: 'pause', seconds: 0.7 } },
      { wordIndex: words.length, content: { kind: 'pause', seconds: 0.4 } },
    ] as const;
    const plain = samplesOf(await speak(engine, { words, deliveries, speed: 1.8 }));
    const parts = await speak(engine, { words, deliveries, insertions, speed: 1.8 });
    const samples = samplesOf(parts);
    assert.equal(samples.length, plain.length + 1.1 * 24000);
    const times = parts.flatMap((part) => part.wordTimes ?? []);
    assert.ok(times.at(-1)!.endSeconds <= samples.length / 24000 - 0.4);
    const middle = Math.round(12000 * (times[8]!.endSeconds + times[9]!.startSeconds));
    const gap = samples.subarray(middle - 0.3 * 24000, middle + 0.3 * 24000);
    assert.ok(gap.every((sample) => Math.abs(sample) < 1e-3));
  });

  test('every language is decoded by the decoder of the engine', async () => {
    const first = await host.engine('kokoro-fast-v1');
    const decode = async (one: TtsEngine, language: Language, text: string) =>
      samplesOf(await speak(one, { words: wordsOf(text, language), language }));
    for (const [language, text] of [
      ['en-US', 'Hello.'],
      ['es', 'Buenos días.'],
    ] as const) {
      const samples = await decode(engine, language, text);
      const other = await decode(first, language, text);
      assert.equal(samples.length, other.length);
      assert.notDeepEqual(samples, other);
    }
  });

  test('a voice can be given as a style vector', async () => {
    const parts = await speak(engine, {
      words: wordsOf('This is a voice of its own.'),
      voice: { kind: 'vector', values: new Float32Array(256).fill(0.01) },
    });
    assert.ok(parts.length > 0);
    await assert.rejects(
      speak(engine, { words: wordsOf('No.'), voice: { kind: 'vector', values: new Float32Array(3) } }),
      { code: 'voice_not_found' },
    );
  });
});

const READING = {
  language: 'en-US',
  normalize: true,
  chunkLength: 200,
  minChunkLength: 50,
  cueStyle: 'both',
} as const;

function wordsOf(text: string, language: Language = 'en-US'): SpokenWord[] {
  return [...textToPieces(text, { ...READING, language })].flatMap((piece) => piece.words);
}

function samplesOf(parts: readonly SpeechPart[]): Float32Array {
  return Float32Array.from(parts.flatMap(({ samples }) => [...samples]));
}

async function speak(engine: TtsEngine, changes: Partial<Utterance>): Promise<SpeechPart[]> {
  const utterance: Utterance = {
    words: [],
    language: 'en-US',
    voice: { kind: 'named', name: 'af_heart' },
    speed: 1,
    seed: 1,
    ...changes,
  };
  const parts: SpeechPart[] = [];
  for await (const part of engine.speak(utterance, new AbortController().signal)) parts.push(part);
  return parts;
}
