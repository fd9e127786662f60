import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import type { RecordedPart } from '../../../../domain/engines/voice-search.ts';
import { DECODER_VOICE_SIZE } from '../clone-vectors/clone-vector.ts';
import { FEATURE_ROWS, type Features, SAMPLE_RATE_HZ } from '../networks/features.ts';
import { backgroundSpectrum } from './background-noise.ts';
import { TrialArticulation } from './trial-articulation.ts';
import { makeTrials, TRIAL_FRAMES, TRIAL_RMS, type TrialSentence } from './trials.ts';

const MEL_VALUES = 559 * 66;
const EDGE_FRAMES = 35;

/** A sentence whose pitch names it. */
function sentenceAt(pitchHz: number): TrialSentence {
  const features: Features = {
    frames: TRIAL_FRAMES,
    text: new Float32Array(FEATURE_ROWS),
    frameTokens: new Int32Array(TRIAL_FRAMES),
    f0: new Float32Array(2 * TRIAL_FRAMES).fill(pitchHz),
    energy: new Float32Array(2 * TRIAL_FRAMES),
  };
  return { features };
}

function partAt(pitchHz: number): RecordedPart {
  return {
    textFeatures: new Float32Array(FEATURE_ROWS * TRIAL_FRAMES),
    pitchHz: new Float32Array(2 * TRIAL_FRAMES).fill(pitchHz),
    energy: new Float32Array(2 * TRIAL_FRAMES),
    rms: 0.05,
    logMel: new Float32Array(MEL_VALUES),
    statistics: Float32Array.of(2),
  };
}

const recording = {
  statistics: Float32Array.of(1),
  background: backgroundSpectrum(new Float32Array(SAMPLE_RATE_HZ).map((_, index) => 0.01 * Math.sin(index))),
};

function pitchesOf(trials: ReturnType<typeof makeTrials>): number[] {
  return trials.map((trial) => Number(trial.inputs().F0!.data[0]));
}

describe('the trials of a voice search', () => {
  test('are the sentences where the recording has no parts', () => {
    const trials = makeTrials([sentenceAt(100), sentenceAt(110)], { ...recording, parts: [] });
    assert.deepEqual(pitchesOf(trials), [100, 110]);
  });

  test('are a sentence and a part in turn, until all have been combined', () => {
    const parts = [partAt(200), partAt(210), partAt(220)];
    const trials = makeTrials([sentenceAt(100), sentenceAt(110)], { ...recording, parts });
    assert.deepEqual(pitchesOf(trials), [100, 200, 110, 210, 100, 220, 110, 200, 100, 210, 110, 220]);
  });

  test('have the articulation of their sentence, parts of the recording have none', () => {
    const voice = new Float32Array(DECODER_VOICE_SIZE);
    const articulation = new TrialArticulation(voice, voice, { values: voice, shares: [] });
    const sentences = [{ ...sentenceAt(100), articulation }, sentenceAt(110)];
    const trials = makeTrials(sentences, { ...recording, parts: [partAt(200)] });
    assert.deepEqual(
      pitchesOf(trials).map((hz, index) => [hz, trials[index]!.articulation !== undefined]),
      pitchesOf(trials).map((hz) => [hz, hz === 100]),
    );
  });

  test('are made once', () => {
    const [trial] = makeTrials([sentenceAt(100)], { ...recording, parts: [] });
    assert.equal(trial!.inputs(), trial!.inputs());
  });

  test('compare sentences by statistics and spectrum, and parts by mel energies that do not count at the edges', () => {
    const [sentence, part] = makeTrials([sentenceAt(100)], { ...recording, parts: [partAt(200)] });
    const weightsOf = (trial: typeof sentence) => trial!.inputs().mel_weights!.data as Float32Array;
    const sum = (values: Float32Array) => values.reduce((total, value) => total + value, 0);
    assert.equal(sum(weightsOf(sentence)), 0);
    assert.ok(Math.abs(sum(weightsOf(part)) - 10) < 1e-4);
    assert.equal(sum(weightsOf(part).subarray(0, EDGE_FRAMES)), 0);
    assert.deepEqual(
      [sentence, part].map((trial) => [
        Number(trial!.inputs().target_statistics!.data[0]),
        Number(trial!.inputs().spectrum_weight!.data[0]) > 0,
        Number(trial!.inputs().level!.data[0]),
      ]),
      [
        [1, true, Math.fround(TRIAL_RMS)],
        [2, false, Math.fround(0.05)],
      ],
    );
  });
});
