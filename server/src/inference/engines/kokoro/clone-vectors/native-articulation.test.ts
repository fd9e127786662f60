import assert from 'node:assert/strict';
import { test } from 'node:test';
import { BINS } from '../networks/excitation.ts';
import { DECODER_VOICE_SIZE } from './clone-vector.ts';
import { type LogFilters, matchSpectrum, mixArticulation, NATIVE_VALUES } from './native-articulation.ts';
import { WEIGHT_CHANGES_SIZE } from './weight-changes.ts';

const native = { values: new Float32Array(NATIVE_VALUES).fill(1), shares: [0.8, 0.4, 0.2] };

test('only the first blocks of a voice get values of the native voice', () => {
  const voice = new Float32Array(DECODER_VOICE_SIZE);
  const mixed = mixArticulation(voice, native);
  assert.equal(NATIVE_VALUES, 3 * 2 * 512);
  assert.ok(mixed.subarray(0, NATIVE_VALUES).every((value) => value > 0 && value < 1));
  assert.ok(mixed.subarray(NATIVE_VALUES).every((value) => value === 0));
  assert.ok(
    voice.every((value) => value === 0),
    'the voice itself is unchanged',
  );
});

test('weight changes of these blocks are reduced by the same share, by their second matrix', () => {
  const voice = new Float32Array(DECODER_VOICE_SIZE + WEIGHT_CHANGES_SIZE).fill(1);
  const mixed = mixArticulation(voice, { ...native, values: new Float32Array(NATIVE_VALUES) });
  const blockSize = 4 * 4 * 512;
  for (const block of [0, 1, 2]) {
    const changes = mixed.subarray(DECODER_VOICE_SIZE + block * blockSize).subarray(0, blockSize);
    const kept = mixed[block * 2 * 512]!;
    assert.ok(changes.subarray(0, 3 * 4 * 512).every((value) => value === 1));
    assert.ok(changes.subarray(3 * 4 * 512).every((value) => value === kept));
  }
  assert.ok(mixed.subarray(DECODER_VOICE_SIZE + 3 * blockSize).every((value) => value === 1));
});

test('gains are changed by the mean difference of loud hops, those of the pulses of voiced ones', () => {
  const hops = 10;
  const filters = (pulse: (hop: number) => number, noise: (hop: number) => number): LogFilters => ({
    pulses: Float32Array.from({ length: hops * BINS }, (_, index) => pulse(Math.floor(index / BINS))),
    noise: Float32Array.from({ length: hops * BINS }, (_, index) => noise(Math.floor(index / BINS))),
    isVoiced: Array.from({ length: hops }, (_, hop) => hop < 5),
  });
  const voice = new Float32Array(DECODER_VOICE_SIZE);
  // Hops become louder; the quietest three of the noise and the quietest one of the pulses are not compared.
  const target = filters(
    (hop) => hop,
    (hop) => hop,
  );
  const own = filters(
    (hop) => (hop === 0 ? 50 : hop - 2),
    (hop) => (hop < 3 ? 50 : hop + 1),
  );
  matchSpectrum(voice, own, target);
  const gains = voice.subarray(DECODER_VOICE_SIZE - 2 * BINS);
  for (const gain of gains.subarray(0, BINS)) assert.ok(Math.abs(gain - 2) < 1e-5);
  for (const gain of gains.subarray(BINS)) assert.ok(Math.abs(gain + 1) < 1e-5);
  assert.ok(voice.subarray(0, DECODER_VOICE_SIZE - 2 * BINS).every((value) => value === 0));
});
