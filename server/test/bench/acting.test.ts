import assert from 'node:assert/strict';
import { test } from 'node:test';
import { compareCue, compareWords } from '../../bench/acting/acting-comparison.ts';
import { measureSpeech, type SpeechMeasures } from '../../src/audio/dsp/speech-measures.ts';

const OWN: SpeechMeasures = {
  seconds: 3,
  pitchHz: 200,
  rangeSemitones: 6,
  levelDb: -20,
  brightnessDb: -15,
  voicedShare: 0.7,
  longestPauseSeconds: 0.1,
};
const pair = (changes: Partial<SpeechMeasures>) => ({ own: OWN, acted: { ...OWN, ...changes } });

test('an effect is met when the median reaches its value and no sentence has the opposite effect', () => {
  const [up] = compareCue({ pitchSemitones: 2 }, [
    pair({ pitchHz: 225 }),
    pair({ pitchHz: 230 }),
    pair({ pitchHz: 203 }),
  ]);
  assert.ok(up!.isMet && up!.median > 2 && up!.least < 1);
  const [mixed] = compareCue({ pitchSemitones: 2 }, [
    pair({ pitchHz: 230 }),
    pair({ pitchHz: 230 }),
    pair({ pitchHz: 190 }),
  ]);
  assert.equal(mixed!.isMet, false);
});

test('values below neutral are compared as upper limits', () => {
  const slow = compareCue({ rate: 0.9, levelDb: -2 }, [pair({ seconds: 3.5, levelDb: -23 })]);
  assert.ok(slow.every(({ isMet }) => isMet));
  assert.equal(compareCue({ rate: 0.9 }, [pair({ seconds: 3.1 })])[0]!.isMet, false);
});

test('a whisper must be unvoiced in every sentence', () => {
  const shares = (...values: number[]) => values.map((voicedShare) => pair({ voicedShare }));
  assert.equal(compareCue({ voicedShareMax: 0.1 }, shares(0.02, 0.05))[0]!.isMet, true);
  assert.equal(compareCue({ voicedShareMax: 0.1 }, shares(0.02, 0.02, 0.2))[0]!.isMet, false);
});

test('a cue may raise the word error rate by 3 percentage points over all sentences', () => {
  const takes = (...errors: number[]) => errors.map((count) => ({ errors: count, words: 50 }));
  const within = compareWords(takes(4, 0), takes(0, 1));
  assert.ok(within.isMet && within.errorRate === 0.04 && within.neutralErrorRate === 0.01);
  assert.equal(compareWords(takes(4, 1), takes(0, 1)).isMet, false);
});

test('pitch, voicing and pauses of speech are measured', () => {
  const rateHz = 16000;
  const tone = (seconds: number) =>
    Array.from({ length: seconds * rateHz }, (_, index) => {
      const phase = (2 * Math.PI * 140 * index) / rateHz;
      return 0.1 * (Math.sin(phase) + 0.6 * Math.sin(2 * phase) + 0.4 * Math.sin(3 * phase));
    });
  const silence = new Array<number>(0.5 * rateHz).fill(0);
  const measured = measureSpeech(Float32Array.from([...tone(0.6), ...silence, ...tone(0.6)]), rateHz);
  assert.ok(Math.abs(measured.pitchHz - 140) < 2);
  assert.ok(Math.abs(measured.longestPauseSeconds - 0.5) < 0.03);
  assert.ok(measured.voicedShare > 0.85 && measured.rangeSemitones < 0.5);
});
