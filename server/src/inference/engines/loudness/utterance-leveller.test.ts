import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { Limiter } from '../../../audio/dsp/limiter.ts';
import { measureLoudness } from '../../../audio/dsp/loudness.ts';
import { StepMeter } from '../../../audio/dsp/step-levels.ts';
import { decibelsToFactor } from '../../../audio/gain.ts';
import { joinSamples } from '../../../audio/pcm.ts';
import type { UtteranceLoudness } from '../../../domain/engines/tts-engine.ts';
import { UtteranceLeveller } from './utterance-leveller.ts';

const RATE_HZ = 24_000;
const STEP = 300;
const STEPS_PER_SECOND = RATE_HZ / STEP;
const meter = new StepMeter(RATE_HZ, STEP);
const TARGET_LUFS = -28;
/** The loss in the limiter that voices have on average. */
const TYPICAL_LOSS_LU = 0.4;
const UNLIMITED = { targetLufs: TARGET_LUFS + TYPICAL_LOSS_LU, ceilingDbfs: 40 };

/** A tone with syllables; `levelDb` changes its level over time. */
function tone(seconds: number, levelDb: (seconds: number) => number): Float32Array {
  return Float32Array.from({ length: seconds * RATE_HZ }, (_, at) => {
    const time = at / RATE_HZ;
    const syllable = 0.6 + 0.4 * Math.sin(2 * Math.PI * 4 * time);
    return decibelsToFactor(levelDb(time)) * syllable * Math.sin(2 * Math.PI * 400 * time);
  });
}

/** Levels an utterance in windows of these lengths; the last one takes the rest. */
function level(
  samples: Float32Array,
  {
    windowSeconds,
    levelsDb,
    loudness = UNLIMITED,
  }: {
    windowSeconds: readonly number[];
    levelsDb?: Float32Array;
    loudness?: UtteranceLoudness;
  },
): Float32Array[] {
  const leveller = new UtteranceLeveller({ loudness, meter });
  leveller.predict(levelsDb ?? new Float32Array(samples.length / STEP));
  let from = 0;
  const windows = [...windowSeconds, Number.POSITIVE_INFINITY].map((seconds) => {
    const window = samples.slice(from, from + seconds * RATE_HZ);
    from += window.length;
    return window;
  });
  for (const window of windows) leveller.process(window);
  return windows;
}

function gainDb(from: Float32Array, to: Float32Array, at: number): number {
  return 20 * Math.log10(to[at]! / from[at]!);
}

describe('UtteranceLeveller', () => {
  test('an utterance of one window has the target loudness', () => {
    for (const db of [-23, -20, -17]) {
      const [levelled] = level(
        tone(3, () => db),
        { windowSeconds: [] },
      );
      const lufs = measureLoudness(levelled!, RATE_HZ);
      assert.ok(Math.abs(lufs - TARGET_LUFS) < 0.05, `${lufs} LUFS`);
    }
  });

  test('an utterance of several windows has it as well', () => {
    const speech = tone(7, (time) => -19 - 0.3 * time);
    for (const windowSeconds of [[0.5], [0.5, 3], [0.36, 0.75, 1.5, 1.5, 1.5]]) {
      const lufs = measureLoudness(joinSamples(level(speech, { windowSeconds })), RATE_HZ);
      assert.ok(Math.abs(lufs - TARGET_LUFS) < 0.3, `${windowSeconds}: ${lufs} LUFS`);
    }
  });

  test('a predicted decline of the level does not change the gain', () => {
    const decline = (time: number) => -18 - time;
    const speech = tone(6, decline);
    const levelsDb = Float32Array.from({ length: speech.length / STEP }, (_, step) =>
      decline(step / STEPS_PER_SECOND),
    );
    const windows = level(speech, { windowSeconds: [2, 2], levelsDb });
    const [first, , last] = windows.map((window, index) => {
      const at = Math.round(1.003 * RATE_HZ);
      return gainDb(speech.subarray(2 * index * RATE_HZ), window, at);
    });
    assert.ok(Math.abs(last! - first!) < 0.6, `${first} and ${last} dB`);
  });

  test('the gain changes by at most 1.5 dB from window to window, without a step', () => {
    const speech = tone(8, (time) => (time < 2 ? -15 : -30));
    const levelled = joinSamples(level(speech, { windowSeconds: [2, 2, 2] }));
    const gains: number[] = [];
    for (let at = 0; at < speech.length; at++) {
      if (Math.abs(speech[at]!) > 0.001) gains.push(gainDb(speech, levelled, at));
    }
    const lowest = gains.reduce((one, two) => Math.min(one, two));
    const highest = gains.reduce((one, two) => Math.max(one, two));
    assert.ok(gains.every((gain, index) => index === 0 || Math.abs(gain - gains[index - 1]!) < 0.02));
    assert.ok(highest - lowest <= 4.51, `${lowest} to ${highest} dB`);
  });

  test('an utterance that loses loudness in the limiter has the same loudness after it', () => {
    // Clicks that the limiter reduces.
    const speech = tone(4, () => -20).map((sample, at) => (at % 6000 < 40 ? 5 * sample : sample));
    const ceilingDbfs = -12.5;
    const [levelled] = level(speech, {
      windowSeconds: [],
      loudness: { targetLufs: TARGET_LUFS + TYPICAL_LOSS_LU, ceilingDbfs },
    });
    const limiter = new Limiter({ sampleRateHz: RATE_HZ, ceilingDbtp: ceilingDbfs });
    const limited = joinSamples([limiter.process(levelled!), limiter.flush()]);
    const lufs = measureLoudness(limited, RATE_HZ);
    assert.ok(measureLoudness(levelled!, RATE_HZ) > lufs + 0.3);
    assert.ok(Math.abs(lufs - TARGET_LUFS) < 0.15, `${lufs} LUFS`);
  });

  test('the gain is bounded, so that a quiet utterance stays quiet', () => {
    const [levelled] = level(
      tone(3, () => -40),
      { windowSeconds: [] },
    );
    const lufs = measureLoudness(levelled!, RATE_HZ);
    assert.ok(lufs < TARGET_LUFS - 10, `${lufs} LUFS`);
  });

  test('silence stays silence, and what follows it is levelled', () => {
    const speech = joinSamples([new Float32Array(RATE_HZ), tone(3, () => -18)]);
    const [silence, levelled] = level(speech, { windowSeconds: [1] });
    assert.ok(silence!.every((sample) => sample === 0));
    assert.ok(levelled!.every(Number.isFinite));
    assert.ok(Math.abs(measureLoudness(levelled!, RATE_HZ) - TARGET_LUFS) < 1.5);
  });

  test('what follows a window that is almost silent is not too loud', () => {
    const speech = tone(4, (time) => (time < 0.4 ? -70 : -21));
    const windows = level(speech, { windowSeconds: [0.4, 0.8, 1.4] });
    const lufs = measureLoudness(joinSamples(windows), RATE_HZ);
    assert.ok(Math.abs(lufs - TARGET_LUFS) < 0.5, `${lufs} LUFS`);
  });

  test('a later prediction replaces the first one', () => {
    const speech = tone(5, () => -19);
    const leveller = new UtteranceLeveller({ loudness: UNLIMITED, meter });
    leveller.predict(new Float32Array(2 * STEPS_PER_SECOND));
    const windows = [speech.slice(0, RATE_HZ), speech.slice(RATE_HZ)];
    leveller.process(windows[0]!);
    leveller.predict(new Float32Array(5 * STEPS_PER_SECOND));
    leveller.process(windows[1]!);
    const lufs = measureLoudness(joinSamples(windows), RATE_HZ);
    assert.ok(Math.abs(lufs - TARGET_LUFS) < 0.2, `${lufs} LUFS`);
  });

  test('samples beyond the prediction get the last gain', () => {
    const speech = tone(2, () => -19);
    const leveller = new UtteranceLeveller({ loudness: UNLIMITED, meter });
    leveller.predict(new Float32Array(STEPS_PER_SECOND));
    const levelled = speech.slice();
    leveller.process(levelled);
    leveller.process(new Float32Array(STEP));
    assert.ok(levelled.every(Number.isFinite));
  });
});
