import assert from 'node:assert/strict';
import { test } from 'node:test';
import { repeatTrials } from './speech-measurement.ts';

/** Measures these real-time factors in turn. */
function measureInTurn(realTimeFactors: number[]) {
  return async () => ({ firstAudioSeconds: 1, realTimeFactor: realTimeFactors.shift()! });
}

test('the best of the trials counts', async () => {
  const left = [3, 1, 2, 9];
  const { realTimeFactor } = await repeatTrials(measureInTurn(left), { trials: 3 });
  assert.equal(realTimeFactor, 1);
  assert.deepEqual(left, [9]);
});

test('a conclusive trial is the last one', async () => {
  const left = [0.5, 2, 0.1];
  const isConclusive = ({ realTimeFactor }: { readonly realTimeFactor: number }) => realTimeFactor > 1;
  const { realTimeFactor } = await repeatTrials(measureInTurn(left), { trials: 3, isConclusive });
  assert.equal(realTimeFactor, 0.5);
  assert.deepEqual(left, [0.1]);
});
