import assert from 'node:assert/strict';
import { before, describe, test } from 'node:test';
import { measureSpeech, type SpeechMeasures } from '../../../src/audio/dsp/speech-measures.ts';
import { joinSamples } from '../../../src/audio/pcm.ts';
import { type Delivery, NEUTRAL_DELIVERY } from '../../../src/domain/engines/delivery.ts';
import type { SpeechPart, TtsEngine, Utterance, WordTime } from '../../../src/domain/engines/tts-engine.ts';
import { VOCAL_SOUNDS, type VocalSound } from '../../../src/domain/engines/vocal-sound.ts';
import { spokenWords } from './tts-engine-contract.ts';

const TEXT = 'We walked along the river until the sun went down.';

/** Measures of a synthesized utterance. */
interface Measured extends SpeechMeasures {
  readonly samples: Float32Array;
  readonly times: readonly WordTime[];
}

/** Tests the contract of `Delivery` and `Insertion` with an English engine, which the caller closes. */
export function testActing(
  name: string,
  openEngine: () => Promise<TtsEngine>,
  { voice, sounds = VOCAL_SOUNDS }: { readonly voice: string; readonly sounds?: readonly VocalSound[] },
): void {
  describe(`${name} implements acting`, () => {
    let engine: TtsEngine;
    let neutral: Measured;
    before(async () => {
      engine = await openEngine();
      neutral = await measureUtterance({});
    });

    const words = spokenWords(TEXT);
    const speak = async (changes: Partial<Utterance>): Promise<SpeechPart[]> => {
      const utterance: Utterance = {
        ...{ words, language: 'en-US', speed: 1, seed: 3 },
        voice: { kind: 'named', name: voice },
        ...changes,
      };
      const parts: SpeechPart[] = [];
      for await (const part of engine.speak(utterance, new AbortController().signal)) parts.push(part);
      return parts;
    };
    const measureUtterance = async (changes: Partial<Utterance>) => measure(await speak(changes));
    const act = (changes: Partial<Delivery>) =>
      measureUtterance({ deliveries: words.map(() => ({ ...NEUTRAL_DELIVERY, ...changes })) });
    const semitones = (measured: Measured) => 12 * Math.log2(measured.pitchHz / neutral.pitchHz);

    test('a pitch shift changes the measured pitch by the same interval', async () => {
      for (const wanted of [-3, 3]) {
        const shift = semitones(await act({ pitchSemitones: wanted }));
        assert.ok(Math.abs(shift - wanted) < 1, `${shift} instead of ${wanted} semitones`);
      }
    });

    test('the pitch range scales the measured range', async () => {
      const wide = (await act({ pitchRange: 1.6 })).rangeSemitones / neutral.rangeSemitones;
      const narrow = (await act({ pitchRange: 0.5 })).rangeSemitones / neutral.rangeSemitones;
      assert.ok(wide > 1.25, `${wide} times the range`);
      assert.ok(narrow < 0.75, `${narrow} times the range`);
    });

    test('the level changes by the given decibels, and effort changes the brightness', async () => {
      const gain = (await act({ levelDb: 4 })).levelDb - neutral.levelDb;
      assert.ok(Math.abs(gain - 4) < 1, `${gain} dB`);
      const raised = (await act({ effort: 1 })).brightnessDb - neutral.brightnessDb;
      const soft = (await act({ effort: -0.8 })).brightnessDb - neutral.brightnessDb;
      assert.ok(raised > 3 && soft < -1.5, `${raised} and ${soft} dB`);
    });

    test('the rate changes the duration, not the pitch', async () => {
      for (const rate of [0.8, 1.25]) {
        const measured = await act({ rate });
        const ratio = neutral.seconds / measured.seconds;
        assert.ok(Math.abs(ratio / rate - 1) < 0.12, `${ratio} instead of ${rate}`);
        assert.ok(Math.abs(semitones(measured)) < 0.8);
      }
    });

    test('a whisper is unvoiced', async () => {
      const { voicedShare, levelDb } = await act({ breath: 1 });
      assert.ok(neutral.voicedShare > 0.5);
      assert.ok(voicedShare < 0.1, `${100 * voicedShare} % voiced`);
      assert.ok(
        levelDb < neutral.levelDb - 3 && levelDb > neutral.levelDb - 15,
        `${levelDb - neutral.levelDb} dB`,
      );
    });

    test('a delivery affects only its words', async () => {
      const loud = words.map((_, index) => ({ ...NEUTRAL_DELIVERY, levelDb: index < 6 ? -12 : 0 }));
      const measured = await measureUtterance({ deliveries: loud });
      const cut = Math.round(neutral.times[6]!.startSeconds * engine.sampleRateHz);
      const change = (from: number, to?: number) =>
        levelDb(measured.samples.subarray(from, to)) - levelDb(neutral.samples.subarray(from, to));
      assert.ok(change(0, cut) < -8, `${change(0, cut)} dB before`);
      assert.ok(Math.abs(change(cut)) < 2, `${change(cut)} dB after`);
    });

    test('a pause between two words is silence of its duration and shifts the word times', async () => {
      const insertions = [{ wordIndex: 6, content: { kind: 'pause', seconds: 0.7 } }] as const;
      const measured = await measureUtterance({ insertions });
      assert.ok(Math.abs(measured.seconds - neutral.seconds - 0.7) < 0.02);
      const gap = measured.times[6]!.startSeconds - measured.times[5]!.endSeconds;
      const ownGap = neutral.times[6]!.startSeconds - neutral.times[5]!.endSeconds;
      // A word time includes the space before the word, which the pause shortens.
      assert.ok(Math.abs(gap - ownGap - 0.7) < 0.06, `${gap} s`);
      const middle = Math.round(
        ((measured.times[5]!.endSeconds + measured.times[6]!.startSeconds) / 2) * engine.sampleRateHz,
      );
      const around = Math.round(0.3 * engine.sampleRateHz);
      assert.ok(
        measured.samples
          .subarray(middle - around, middle + around)
          .every((sample) => Math.abs(sample) < 1e-3),
      );
    });

    test(`${sounds.length} vocal sounds can be rendered alone at the level of a voice`, async () => {
      for (const sound of sounds) {
        const insertions = [{ wordIndex: 0, content: { kind: 'sound', sound, intensity: 1 } }] as const;
        const samples = samplesOf(await speak({ words: [], insertions }));
        const seconds = samples.length / engine.sampleRateHz;
        assert.ok(seconds > 0.1 && seconds < 5, `${sound}: ${seconds} s`);
        const peak = samples.reduce((max, sample) => Math.max(max, Math.abs(sample)), 0);
        assert.ok(peak > 0.01 && peak <= 1.5, `${sound}: peak ${peak}`);
        assert.ok(samples.every(Number.isFinite));
      }
    });

    test('a vocal sound before a word shifts the times by its duration', async () => {
      const insertions = [
        { wordIndex: 0, content: { kind: 'sound', sound: 'laugh', intensity: 1 } },
      ] as const;
      const measured = await measureUtterance({ insertions });
      const added = measured.seconds - neutral.seconds;
      const shift = measured.times[0]!.startSeconds - neutral.times[0]!.startSeconds;
      assert.ok(added > 0.5 && Math.abs(added - shift) < 0.001, `${added} s longer, ${shift} s later`);
    });

    test('word times are in order and inside the audio with any deliveries', async () => {
      const deliveries = words.map((_, index) => ({
        ...NEUTRAL_DELIVERY,
        rate: index % 2 === 0 ? 0.7 : 1.4,
        pitchSemitones: index % 3,
        breath: index % 4 === 0 ? 0.3 : 0,
        pauses: 2,
      }));
      const { times, seconds } = await measureUtterance({ deliveries });
      assert.equal(times.length, words.length);
      for (const [index, time] of times.entries()) {
        assert.ok(time.startSeconds >= (times[index - 1]?.endSeconds ?? 0) - 1e-9);
        assert.ok(time.endSeconds > time.startSeconds && time.endSeconds <= seconds + 1e-9);
      }
    });

    test('equal seeds give equal samples', async () => {
      const changes = { pitchSemitones: 2, breath: 0.3, effort: 0.5 };
      assert.deepEqual((await act(changes)).samples, (await act(changes)).samples);
    });
  });
}

function measure(parts: readonly SpeechPart[]): Measured {
  const samples = samplesOf(parts);
  const times = parts.flatMap((part) => part.wordTimes ?? []);
  return { ...measureSpeech(samples, parts[0]!.sampleRateHz), samples, times };
}

function samplesOf(parts: readonly SpeechPart[]): Float32Array {
  return joinSamples(parts.map(({ samples }) => samples));
}

function levelDb(samples: Float32Array): number {
  return 10 * Math.log10(samples.reduce((sum, sample) => sum + sample * sample, 0) / samples.length);
}
