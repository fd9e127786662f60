import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { TranscriptSegment } from '../transcription/transcription-service.ts';
import { PhraseSpeaker, type SpeakPhrase } from './phrase-speaker.ts';
import { planWords } from './plan-words.ts';
import { toSourcePhrases } from './source-phrases.ts';

const RATE_HZ = 24_000;

type Word = readonly [text: string, startSeconds: number, endSeconds: number, pitchHz?: number];

function segment(words: readonly Word[], language = 'en'): TranscriptSegment {
  const timed = words.map(([text, startSeconds, endSeconds, pitchHz]) => ({
    text,
    startSeconds,
    endSeconds,
    pitchHz,
    confidence: 1,
  }));
  const { startSeconds } = timed[0]!;
  const { endSeconds } = timed.at(-1)!;
  return { text: '', startSeconds, endSeconds, confidence: 1, language, words: timed };
}

const phrasesOf = (words: readonly Word[], language?: string) => toSourcePhrases([segment(words, language)]);

test('a recording is divided at its pauses, and words keep their offsets', () => {
  const phrases = phrasesOf([
    ['One', 1, 1.3],
    ['two,', 1.4, 1.8],
    ['three.', 2.3, 2.6],
  ]);
  assert.deepEqual(
    phrases.map(({ text, startSeconds, endSeconds }) => [text, startSeconds, endSeconds]),
    [
      ['One two,', 1, 1.8],
      ['three.', 2.3, 2.6],
    ],
  );
  assert.deepEqual(
    phrases[0]!.words.map(({ start, end }) => [start, end]),
    [
      [0, 3],
      [4, 8],
    ],
  );
  const unspaced = phrasesOf(
    [
      ['你', 0, 0.2],
      ['好', 0.2, 0.4],
    ],
    'zh',
  );
  assert.equal(unspaced[0]!.text, '你好');
});

test('long speech without long pauses is divided at short ones', () => {
  const words = Array.from({ length: 20 }, (_, index): Word => ['word', index, index + 0.85]);
  const phrases = phrasesOf(words);
  assert.ok(phrases.length > 1);
  assert.ok(phrases.every(({ startSeconds, endSeconds }) => endSeconds - startSeconds < 9));
});

test('directions give words their duration and their distance from the median pitch, within limits', () => {
  const [phrase] = phrasesOf([
    ['low', 0, 0.5, 100],
    ['high', 0.5, 1, 200],
    ['short', 1, 1.01],
  ]);
  const spoken = [
    { start: 0, end: 3, seconds: 0.4, pitchHz: 220 },
    { start: 4, end: 8, seconds: 0.6, pitchHz: 220 },
    { start: 9, end: 14, seconds: 0.5, pitchHz: 220 },
  ];
  const directions = planWords(phrase!, spoken, { sourceHz: 141.42, spokenHz: 220 });
  const deliveries = directions.map(({ delivery: { rate, pitchSemitones } }) => [
    Math.round(rate! * 100) / 100,
    Math.round(pitchSemitones!),
  ]);
  assert.deepEqual(deliveries, [
    [0.8, -5],
    [1.2, 5],
    [1.7, 0],
  ]);
  const withoutPitch = planWords(phrase!, spoken, { sourceHz: undefined, spokenHz: 220 });
  assert.ok(withoutPitch.every(({ delivery }) => delivery.pitchSemitones === 0));
});

test('a phrase is measured once, and spoken again with the differences', async () => {
  const phrases = phrasesOf([
    ['one', 0, 0.2, 150],
    ['two', 0.2, 0.6, 300],
  ]);
  const calls: Parameters<SpeakPhrase>[] = [];
  const speak: SpeakPhrase = async (...call) => {
    calls.push(call);
    const samples = new Float32Array(0.8 * RATE_HZ).map((_, index) =>
      Math.sin((2 * Math.PI * 200 * index) / RATE_HZ),
    );
    const words = [
      { charStart: 0, charEnd: 3, startSeconds: 0, endSeconds: 0.4 },
      { charStart: 4, charEnd: 7, startSeconds: 0.4, endSeconds: 0.8 },
    ];
    return { samples, words };
  };
  const speaker = new PhraseSpeaker(phrases, { speak, sampleRateHz: RATE_HZ, keepsPitch: true });
  await speaker.speak(phrases[0]!, 1);
  await speaker.speak(phrases[0]!, 1.2);
  assert.deepEqual(
    calls.map(([text, { speed, directions }]) => [text, speed, directions.length]),
    [
      ['one two', 1, 0],
      ['one two', 1, 2],
      ['one two', 1.2, 2],
    ],
  );
  const [first, second] = calls[1]![1].directions;
  assert.ok(first!.delivery.rate! > 1.6 && Math.abs(second!.delivery.rate! - 1) < 0.01);
  assert.ok(first!.delivery.pitchSemitones! < second!.delivery.pitchSemitones!);
});
