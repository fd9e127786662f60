import assert from 'node:assert/strict';
import { before, describe, test } from 'node:test';
import type { SpeechPart, TtsEngine, Utterance } from '../../../src/domain/engines/tts-engine.ts';
import { ApiError } from '../../../src/errors.ts';
import type { SpokenWord } from '../../../src/text/piece.ts';
import { rms } from '../audio/signals.ts';
import { IS_COMPLETE_RUN } from './complete-run.ts';

const TEXT = 'The little boat came home at last, and nobody on the shore had seen it leave.';
const SPEEDS = IS_COMPLETE_RUN ? [0.5, 0.8, 1.25, 2] : [0.8, 2];
/** One decoding step may be in progress when the signal is aborted. */
const PARTS_AFTER_ABORT_MAX = 1;

interface ContractOptions {
  /** The seed has no effect on the model. */
  readonly isDeterministic?: boolean;
  /** Sentence for an engine that is slower than real time. */
  readonly text?: string;
  readonly speeds?: readonly number[];
  /** Leaves out the tests that synthesize the sentence again, for an engine that is slower than real time. */
  readonly isShort?: boolean;
}

/** Tests the contract of `TtsEngine` with an English engine, which the caller closes. */
export function testEngineContract(
  name: string,
  openEngine: () => Promise<TtsEngine>,
  { isDeterministic = false, isShort = false, text = TEXT, speeds = SPEEDS }: ContractOptions = {},
): void {
  describe(`${name} implements the engine contract`, () => {
    let engine: TtsEngine;
    before(async () => {
      engine = await openEngine();
    });

    const utterance = (changes: Partial<Utterance> = {}): Utterance => ({
      words: spokenWords(text),
      language: 'en-US',
      voice: { kind: 'named', name: engine.voices[0]! },
      speed: 1,
      seed: 7,
      ...changes,
    });
    const speak = (changes: Partial<Utterance> = {}) => collect(engine, utterance(changes));
    /** The unchanged utterance, synthesized once: slow engines need seconds for it, and most tests check the same audio. */
    let unchanged: Promise<SpeechPart[]> | undefined;
    const speakUnchanged = () => {
      unchanged ??= speak();
      return unchanged;
    };

    test('the engine has a name, a sample rate and voices', () => {
      assert.notEqual(engine.name, '');
      assert.ok(engine.sampleRateHz >= 8000 && engine.sampleRateHz <= 48000);
      assert.ok(engine.voices.length > 0);
      assert.equal(new Set(engine.voices).size, engine.voices.length);
    });

    test('the audio is audible, finite, within full scale and at the sample rate of the engine', async () => {
      const parts = await speakUnchanged();
      for (const part of parts) {
        assert.equal(part.sampleRateHz, engine.sampleRateHz);
        assert.ok(part.samples.length > 0);
      }
      const samples = join(parts);
      assert.ok(samples.every((sample) => Number.isFinite(sample) && Math.abs(sample) <= 1));
      const seconds = samples.length / engine.sampleRateHz;
      const words = spokenWords(text).length;
      assert.ok(seconds > 0.1 * words && seconds < words, `${seconds} s for a sentence of ${words} words`);
      assert.ok(rms(samples) > 0.005, 'the audio is not silence');
    });

    test('consecutive parts join without a discontinuity', async () => {
      const parts = await speakUnchanged();
      const samples = join(parts);
      let largest = 0;
      for (let index = 1; index < samples.length; index++) {
        largest = Math.max(largest, Math.abs(samples[index]! - samples[index - 1]!));
      }
      let boundary = 0;
      for (const part of parts.slice(0, -1)) {
        boundary += part.samples.length;
        const step = Math.abs(samples[boundary]! - samples[boundary - 1]!);
        assert.ok(
          step <= largest * 0.95,
          `a step of ${step} at a boundary; the largest step in the audio is ${largest}`,
        );
      }
    });

    test('word times are in order and inside the audio', async () => {
      const parts = await speakUnchanged();
      const times = parts.flatMap((part) => part.wordTimes ?? []);
      if (!engine.capabilities.wordTimes) {
        assert.deepEqual(times, []);
        return;
      }
      const seconds = join(parts).length / engine.sampleRateHz;
      assert.deepEqual(
        times.map((time) => time.wordIndex),
        spokenWords(text).map((_, index) => index),
      );
      let last = 0;
      for (const time of times) {
        assert.ok(
          time.startSeconds >= last - 1e-9,
          `word ${time.wordIndex} starts before the previous one ends`,
        );
        assert.ok(time.endSeconds > time.startSeconds);
        last = time.endSeconds;
      }
      assert.ok(last <= seconds + 1e-9, `the last word ends at ${last} s of ${seconds} s`);
    });

    if (!isShort) {
      test('equal seeds give equal samples, beside another utterance too', async () => {
        const alone = join(await speakUnchanged());
        const [together] = await Promise.all([speak(), speak({ words: spokenWords('Something else.') })]);
        assert.deepEqual(join(together), alone);
      });

      if (!isDeterministic) {
        test('other seeds give other samples', async () => {
          assert.notDeepEqual(join(await speak({ seed: 8 })), join(await speakUnchanged()));
        });
      }

      test('speed scales the duration', async () => {
        const seconds = async (speed: number) => join(await speak({ speed })).length / engine.sampleRateHz;
        const own = join(await speakUnchanged()).length / engine.sampleRateHz;
        for (const speed of speeds) {
          const ratio = own / (await seconds(speed));
          assert.ok(Math.abs(ratio / speed - 1) < 0.15, `speed ${speed} measured as ${ratio}`);
        }
      });

      test('preceding words are not spoken and do not shift word times', async () => {
        const precedingWords = spokenWords('We waited for hours on the pier,');
        const parts = await speak({ precedingWords });
        const ratio = join(parts).length / join(await speakUnchanged()).length;
        assert.ok(ratio > 0.8 && ratio < 1.2, `${ratio} times the duration without context`);
        const times = parts.flatMap((part) => part.wordTimes ?? []);
        if (!engine.capabilities.wordTimes) return;
        assert.deepEqual(
          times.map((time) => time.wordIndex),
          spokenWords(text).map((_, index) => index),
        );
        assert.ok(times[0]!.startSeconds >= 0 && times[0]!.startSeconds < 0.4);
      });
    }

    test('a voice vector of the wrong size is rejected', async () => {
      const vector = { kind: 'vector', values: new Float32Array(3) } as const;
      await assert.rejects(speak({ voice: vector }), isVoiceNotFound);
    });

    test('an unknown voice is rejected before any audio', async () => {
      await assert.rejects(speak({ voice: { kind: 'named', name: 'nobody' } }), isVoiceNotFound);
    });

    test('an abort before the first step yields no audio', async () => {
      await assert.rejects(collect(engine, utterance(), AbortSignal.abort()), { name: 'AbortError' });
    });

    test('an abort stops the engine before the next step', async () => {
      const controller = new AbortController();
      let partsAfterAbort = 0;
      await assert.rejects(
        async () => {
          // An engine without windows decodes an utterance in one step, however long.
          const { windowedDecoding } = engine.capabilities;
          const words = windowedDecoding
            ? Array.from({ length: 6 }, () => spokenWords(text)).flat()
            : spokenWords('Hello.');
          for await (const _ of engine.speak(utterance({ words }), controller.signal)) {
            if (controller.signal.aborted) partsAfterAbort++;
            controller.abort();
          }
        },
        { name: 'AbortError' },
      );
      assert.ok(partsAfterAbort <= PARTS_AFTER_ABORT_MAX);
    });

    test('the engine works after an abort, and after an early return from the iteration', async () => {
      let parts = 0;
      const words = spokenWords(engine.capabilities.windowedDecoding ? text : 'Hello.');
      for await (const _ of engine.speak(utterance({ words }), new AbortController().signal)) {
        parts++;
        break;
      }
      assert.equal(parts, 1);
      assert.ok((await speak({ words: spokenWords('Hello.') })).length > 0);
    });
  });
}

/** Splits plain text (letters and closing punctuation only) into words as the text front end does. */
export function spokenWords(text: string): SpokenWord[] {
  return [...text.matchAll(/([\p{L}'’-]+)([^\p{L}\s]*)/gu)].map((match) => ({
    text: match[1]!,
    start: match.index,
    end: match.index + match[1]!.length,
    before: '',
    after: match[2]!,
  }));
}

async function collect(
  engine: TtsEngine,
  utterance: Utterance,
  signal: AbortSignal = new AbortController().signal,
): Promise<SpeechPart[]> {
  const parts: SpeechPart[] = [];
  for await (const part of engine.speak(utterance, signal)) parts.push(part);
  return parts;
}

function join(parts: readonly SpeechPart[]): Float32Array {
  const samples = new Float32Array(parts.reduce((length, part) => length + part.samples.length, 0));
  let offset = 0;
  for (const part of parts) {
    samples.set(part.samples, offset);
    offset += part.samples.length;
  }
  return samples;
}

function isVoiceNotFound(error: unknown): boolean {
  return error instanceof ApiError && error.code === 'voice_not_found';
}
