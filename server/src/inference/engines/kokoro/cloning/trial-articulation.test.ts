import assert from 'node:assert/strict';
import { test } from 'node:test';
import { DECODER_VOICE_SIZE } from '../clone-vectors/clone-vector.ts';
import { mixArticulation, NATIVE_VALUES } from '../clone-vectors/native-articulation.ts';
import { WEIGHT_CHANGES_SIZE } from '../clone-vectors/weight-changes.ts';
import { TrialArticulation } from './trial-articulation.ts';

const SIZE = DECODER_VOICE_SIZE + WEIGHT_CHANGES_SIZE;
const GAIN = DECODER_VOICE_SIZE - 1;
const native = { values: new Float32Array(NATIVE_VALUES).fill(2), shares: [0.8, 0.4, 0.2] };

function articulationFrom(start: Float32Array): TrialArticulation {
  const articulated = mixArticulation(start, native);
  articulated[GAIN]! += 3;
  return new TrialArticulation(start, articulated, native);
}

test('a voice that changes is mixed with the native values and keeps the correction of the start', () => {
  const articulation = articulationFrom(new Float32Array(SIZE));
  const voice = new Float32Array(SIZE).fill(1);
  const articulated = articulation.articulate(voice);
  const mixed = mixArticulation(voice, native);
  assert.equal(articulated[GAIN], mixed[GAIN]! + 3);
  assert.deepEqual(articulated.subarray(0, GAIN), mixed.subarray(0, GAIN));
  assert.deepEqual(articulated.subarray(GAIN + 1), mixed.subarray(GAIN + 1));
});

test('slopes are those of the articulated voice', () => {
  const articulation = articulationFrom(new Float32Array(SIZE));
  // Of the sum of all values: its change when each value grows by 1.
  const slopes = articulation.slopesOfVoice(new Float32Array(SIZE).fill(1));
  const before = articulation.articulate(new Float32Array(SIZE));
  const after = articulation.articulate(new Float32Array(SIZE).fill(1));
  assert.ok(slopes.every((slope, index) => Math.abs(slope - (after[index]! - before[index]!)) < 1e-5));
  assert.ok(slopes[0]! < 1 && slopes[GAIN] === 1);
});
