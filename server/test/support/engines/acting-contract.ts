import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { measureSpeech, type SpeechMeasures } from '../../../src/audio/dsp/speech-measures.ts';
import { type Delivery, NEUTRAL_DELIVERY } from '../../../src/domain/engines/delivery.ts';
import type { SpeechPart, TtsEngine, Utterance, WordTime } from '../../../src/domain/engines/tts-engine.ts';
import { VOCAL_SOUNDS } from '../../../src/domain/engines/vocal-sound.ts';
import { spokenWords } from './tts-engine-contract.ts';

const TEXT = 'We walked along the river until the sun went down behind the hills.';

/** What a test hears of an utterance. */
interface Heard extends SpeechMeasures {
  readonly samples: Float32Array;
  readonly times: readonly WordTime[];
}

/** Runs what `Delivery` and `Insertion` promise against an engine that speaks English. */
export function testActing(name: string, createEngine: () => Promise<TtsEngine>, voice?: string): void {
  describe(`${name} acts`, () => {
    let engine: TtsEngine;
    let own: Heard;
    before(async () => {
      engine = await createEngine();
      own = await hear({});
    });
    after(() => engine.close());

    const words = spokenWords(TEXT);
    const hear = async (changes: Partial<Utterance>): Promise<Heard> => {
      const utterance: Utterance = {
        ...{ words, language: 'en-US', speed: 1, seed: 3 },
        voice: { kind: 'named', name: voice ?? engine.voices[0]! },
        ...changes,
      };
      const parts: SpeechPart[] = [];
      for await (const part of engine.speak(utterance, new AbortController().signal)) parts.push(part);
      return measure(parts);
    };
    const act = (changes: Partial<Delivery>) =>
      hear({ deliveries: words.map(() => ({ ...NEUTRAL_DELIVERY, ...changes })) });
    const semitones = (heard: Heard) => 12 * Math.log2(heard.pitchHz / own.pitchHz);

    test('a pitch that is raised or lowered is heard higher or lower, by about as much', async () => {
      for (const wanted of [-3, 3]) {
        const moved = semitones(await act({ pitchSemitones: wanted }));
        assert.ok(Math.abs(moved - wanted) < 1, `${moved} instead of ${wanted} semitones`);
      }
    });

    test('a wider range is livelier, a narrower one flatter', async () => {
      const lively = (await act({ pitchRange: 1.6 })).rangeSemitones / own.rangeSemitones;
      const flat = (await act({ pitchRange: 0.5 })).rangeSemitones / own.rangeSemitones;
      assert.ok(lively > 1.25, `${lively} times the range`);
      assert.ok(flat < 0.75, `${flat} times the range`);
    });

    test('a level is heard in decibels, and effort as brightness', async () => {
      const louder = (await act({ levelDb: 4 })).levelDb - own.levelDb;
      assert.ok(Math.abs(louder - 4) < 1, `${louder} dB`);
      const raised = (await act({ effort: 1 })).brightnessDb - own.brightnessDb;
      const soft = (await act({ effort: -0.8 })).brightnessDb - own.brightnessDb;
      assert.ok(raised > 3 && soft < -1.5, `${raised} and ${soft} dB`);
    });

    test('a rate changes the length and not the pitch', async () => {
      for (const rate of [0.8, 1.25]) {
        const heard = await act({ rate });
        const measured = own.seconds / heard.seconds;
        assert.ok(Math.abs(measured / rate - 1) < 0.12, `${measured} instead of ${rate}`);
        assert.ok(Math.abs(semitones(heard)) < 0.8);
      }
    });

    test('a whisper has no voice', async () => {
      const { voicedShare, levelDb } = await act({ breath: 1 });
      assert.ok(own.voicedShare > 0.5);
      assert.ok(voicedShare < 0.1, `${100 * voicedShare} % voiced`);
      assert.ok(levelDb < own.levelDb - 3 && levelDb > own.levelDb - 15, `${levelDb - own.levelDb} dB`);
    });

    test('only the words that are told are said differently', async () => {
      const loud = words.map((_, index) => ({ ...NEUTRAL_DELIVERY, levelDb: index < 6 ? -12 : 0 }));
      const heard = await hear({ deliveries: loud });
      const cut = Math.round(own.times[6]!.startSeconds * engine.sampleRateHz);
      const change = (from: number, to?: number) =>
        levelDb(heard.samples.subarray(from, to)) - levelDb(own.samples.subarray(from, to));
      assert.ok(change(0, cut) < -8, `${change(0, cut)} dB before`);
      assert.ok(Math.abs(change(cut)) < 2, `${change(cut)} dB after`);
    });

    test('a pause between two words is silence of its length, and the times of words know it', async () => {
      const insertions = [{ wordIndex: 6, content: { kind: 'pause', seconds: 0.7 } }] as const;
      const heard = await hear({ insertions });
      assert.ok(Math.abs(heard.seconds - own.seconds - 0.7) < 0.02);
      const gap = heard.times[6]!.startSeconds - heard.times[5]!.endSeconds;
      const ownGap = own.times[6]!.startSeconds - own.times[5]!.endSeconds;
      // A word is heard from the space before it on, and the pause cuts that space.
      assert.ok(Math.abs(gap - ownGap - 0.7) < 0.06, `${gap} s`);
      const middle = Math.round(
        ((heard.times[5]!.endSeconds + heard.times[6]!.startSeconds) / 2) * engine.sampleRateHz,
      );
      const around = Math.round(0.3 * engine.sampleRateHz);
      assert.ok(
        heard.samples.subarray(middle - around, middle + around).every((sample) => Math.abs(sample) < 1e-3),
      );
    });

    test('every sound can be made, alone and as loud as a voice is', async () => {
      for (const sound of VOCAL_SOUNDS) {
        const insertions = [{ wordIndex: 0, content: { kind: 'sound', sound, intensity: 1 } }] as const;
        const heard = await hear({ words: [], insertions });
        assert.ok(heard.seconds > 0.1 && heard.seconds < 5, `${sound}: ${heard.seconds} s`);
        const peak = heard.samples.reduce((max, sample) => Math.max(max, Math.abs(sample)), 0);
        assert.ok(peak > 0.01 && peak <= 1.5, `${sound}: peak ${peak}`);
        assert.ok(heard.samples.every(Number.isFinite));
      }
    });

    test('a sound before a word moves the times by its length', async () => {
      const insertions = [
        { wordIndex: 0, content: { kind: 'sound', sound: 'laugh', intensity: 1 } },
      ] as const;
      const heard = await hear({ insertions });
      const longer = heard.seconds - own.seconds;
      const moved = heard.times[0]!.startSeconds - own.times[0]!.startSeconds;
      assert.ok(longer > 0.5 && Math.abs(longer - moved) < 0.001, `${longer} s longer, ${moved} s later`);
    });

    test('times are in order and inside the audio, however it is acted', async () => {
      const deliveries = words.map((_, index) => ({
        ...NEUTRAL_DELIVERY,
        rate: index % 2 === 0 ? 0.7 : 1.4,
        pitchSemitones: index % 3,
        breath: index % 4 === 0 ? 0.3 : 0,
        pauses: 2,
      }));
      const { times, seconds } = await hear({ deliveries });
      assert.equal(times.length, words.length);
      for (const [index, time] of times.entries()) {
        assert.ok(time.startSeconds >= (times[index - 1]?.endSeconds ?? 0) - 1e-9);
        assert.ok(time.endSeconds > time.startSeconds && time.endSeconds <= seconds + 1e-9);
      }
    });

    test('acting is the same for equal seeds', async () => {
      const changes = { pitchSemitones: 2, breath: 0.3, effort: 0.5 };
      assert.deepEqual((await act(changes)).samples, (await act(changes)).samples);
    });
  });
}

function measure(parts: readonly SpeechPart[]): Heard {
  const samples = Float32Array.from(parts.flatMap((part) => [...part.samples]));
  const times = parts.flatMap((part) => part.wordTimes ?? []);
  return { ...measureSpeech(samples, parts[0]!.sampleRateHz), samples, times };
}

function levelDb(samples: Float32Array): number {
  return 10 * Math.log10(samples.reduce((sum, sample) => sum + sample * sample, 0) / samples.length);
}
