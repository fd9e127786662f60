import assert from 'node:assert/strict';
import { test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { CloneArticulation } from './clone-articulation.ts';
import { DECODER_VOICE_SIZE } from './clone-vectors/clone-vector.ts';
import { NATIVE_VALUES, type NativeArticulation } from './clone-vectors/native-articulation.ts';

const ASSETS = new URL('../../../../../assets/', import.meta.url);

const cloneOf = (value: number) => ({
  decoderVoice: new Float32Array(DECODER_VOICE_SIZE).fill(value),
  medianHz: 120,
  rangeOctaves: 0.2,
});

/** An articulation whose decoder marks the first value of a voice. */
function createArticulation() {
  const calls: { native: NativeArticulation; f0: Float32Array }[] = [];
  const articulation = new CloneArticulation({
    front: {
      run: async (tokens) => ({
        frames: 1,
        text: new Float32Array(512),
        frameTokens: new Int32Array(1),
        f0: Float32Array.of(206.4, 0),
        energy: new Float32Array(2),
        tokenFrames: new Int32Array(tokens.length + 2),
      }),
    },
    styles: { row: async () => new Float32Array(256) },
    decoder: {
      articulate: async (voice, native, { f0 }) => {
        calls.push({ native, f0 });
        if (calls.length === 1 && voice[0] === -1) throw new Error('It fails once.');
        const changed = voice.slice();
        changed[0]! += 100;
        return changed;
      },
    },
    tokenTable: new Map([['a', 1]]),
    asset: (name) => fileURLToPath(new URL(name, ASSETS)),
  });
  return { articulation, calls };
}

test('a clone is adapted to French once, with the native values and at its own pitch', async () => {
  const { articulation, calls } = createArticulation();
  const clone = cloneOf(1);
  const voices = await Promise.all([1, 2].map(() => articulation.decoderVoice(clone, 'fr')));
  assert.equal(voices[0], voices[1]);
  assert.equal(voices[0]![0], 101);
  assert.equal(calls.length, 1);
  const { native, f0 } = calls[0]!;
  const { values } = native;
  assert.equal(values.length, NATIVE_VALUES);
  assert.ok(values.every(Number.isFinite) && values.some((value) => value !== 0));
  assert.equal(Math.round(f0[0]!), 120);
  assert.equal((await articulation.decoderVoice(cloneOf(2), 'fr'))[0], 102);
});

test('each language has native values of its own', async () => {
  const { articulation, calls } = createArticulation();
  const clone = cloneOf(1);
  for (const language of ['fr', 'it'] as const) await articulation.decoderVoice(clone, language);
  const [french, italian] = calls.map(({ native }) => native.values);
  assert.equal(italian!.length, NATIVE_VALUES);
  assert.ok(italian!.every(Number.isFinite));
  assert.notDeepEqual(italian, french);
});

test('other languages are spoken with the voice itself', async () => {
  const { articulation, calls } = createArticulation();
  const clone = cloneOf(1);
  assert.equal(await articulation.decoderVoice(clone, 'en-US'), clone.decoderVoice);
  assert.equal(await articulation.decoderVoice(clone, 'es'), clone.decoderVoice);
  assert.equal(calls.length, 0);
});

test('an adaptation that failed is tried again', async () => {
  const { articulation } = createArticulation();
  const clone = cloneOf(-1);
  await assert.rejects(articulation.decoderVoice(clone, 'fr'));
  assert.equal((await articulation.decoderVoice(clone, 'fr'))[0], 99);
});
