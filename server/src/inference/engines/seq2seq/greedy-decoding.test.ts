import assert from 'node:assert/strict';
import { test } from 'node:test';
import { decodeGreedily } from './greedy-decoding.ts';
import type { DecoderState, DecoderStep, StepDecoder } from './step-decoder.ts';

const END = 0;
const START = 1;
const VOCABULARY = 10;
const FRAMES = 400;

/**
 * A decoder that says `text` and then ends. The attention of a token is at `frameOf` its position in the text; it has
 * one head of one layer.
 */
function scriptedDecoder(text: readonly number[], frameOf: (position: number) => number = () => 0) {
  const fed: (readonly number[])[] = [];
  const decoder: Pick<StepDecoder, 'step'> = {
    async step(
      state: DecoderState,
      tokens: readonly number[],
      { logitCount = 1 } = {},
    ): Promise<DecoderStep> {
      fed.push(tokens);
      const length = state.length + tokens.length;
      const logits = Array.from({ length: logitCount }, (_, index) => {
        const values = new Float32Array(VOCABULARY);
        values[text[length - logitCount + index] ?? END] = 10;
        return values;
      });
      const frames = new Float32Array(tokens.length * FRAMES);
      for (const index of tokens.keys()) frames[index * FRAMES + frameOf(state.length + index)] = 1;
      const attention = [
        { data: frames, dims: [1, tokens.length, FRAMES] },
      ] as unknown as DecoderStep['attention'];
      return { state: { ...state, length }, logits, attention };
    },
  };
  // The only method that is used.
  return { fed, decoder: decoder as StepDecoder };
}

const state = { length: 0 } as DecoderState;
const options = { endToken: END, tokensMax: 200, signal: new AbortController().signal };

test('earlier tokens are given in the first step and are part of the result', async () => {
  const text = [2, 3, 4, 5, 6, 7];
  const { fed, decoder } = scriptedDecoder(text);
  const earlier = { tokens: [2, 3, 4], logProbabilities: [-0.1, -0.2, -0.3] };
  const decoded = await decodeGreedily(
    decoder,
    { state, tokens: [START], earlier },
    { ...options, heads: [] },
  );
  assert.deepEqual(decoded.tokens, text);
  assert.equal(decoded.logProbabilities.length, text.length);
  assert.deepEqual(fed, [[START, 2, 3, 4], [5], [6], [7]]);
});

for (const { name, draft, steps } of [
  { name: 'a correct draft', draft: [2, 3, 4, 5, 6, 7], steps: [[START, 2, 3, 4, 5, 6, 7]] },
  { name: 'a wrong token', draft: [2, 3, 9, 5], steps: [[START, 2, 3, 9, 5], [4], [5], [6], [7]] },
  { name: 'the beginning of the text', draft: [2, 3, 4], steps: [[START, 2, 3, 4], [5], [6], [7]] },
  { name: 'more than the text', draft: [2, 3, 4, 5, 6, 7, 8], steps: [[START, 2, 3, 4, 5, 6, 7, 8]] },
]) {
  test(`${name} as a draft gives the text and attention of decoding without one`, async () => {
    const text = [2, 3, 4, 5, 6, 7];
    const decode = async (begin: { readonly draft?: readonly number[] }) => {
      const { fed, decoder } = scriptedDecoder(text, (position) => position * 10);
      const decoded = await decodeGreedily(decoder, { state, tokens: [START], ...begin }, withHead);
      return { fed, decoded };
    };
    const { fed, decoded } = await decode({ draft });
    assert.deepEqual(decoded, (await decode({})).decoded);
    assert.deepEqual(fed, steps);
  });
}

const PHRASE = [2, 3, 4, 5, 6, 7];
const SIX_TIMES = Array.from({ length: 6 }, () => PHRASE).flat();
const withHead = { ...options, heads: [{ layer: 0, head: 0 }], framesPerTokenMin: 4 };

test('a phrase that is spoken six times is decoded six times: the attention advances', async () => {
  const { decoder } = scriptedDecoder(SIX_TIMES, (position) => position * 10);
  const decoded = await decodeGreedily(decoder, { state, tokens: [START] }, withHead);
  assert.deepEqual(decoded.tokens, SIX_TIMES);
  assert.equal(decoded.isCut, false);
});

test('a loop of the model is cut: the attention stays in the same audio', async () => {
  const { decoder } = scriptedDecoder(SIX_TIMES, (position) => (position % PHRASE.length) * 10);
  const decoded = await decodeGreedily(decoder, { state, tokens: [START] }, withHead);
  assert.deepEqual(decoded.tokens, PHRASE);
  assert.equal(decoded.isCut, true);
});

test('without attention every repetition counts as a loop', async () => {
  const { decoder } = scriptedDecoder(SIX_TIMES, (position) => position * 10);
  const decoded = await decodeGreedily(decoder, { state, tokens: [START] }, { ...withHead, heads: [] });
  assert.deepEqual(decoded.tokens, PHRASE);
});
