import assert from 'node:assert/strict';
import { test } from 'node:test';
import { resolveWireModel } from './wire-models.ts';

const config = { wireModels: { 'My-Model': 'kokoro-fast' }, defaultModel: 's2.1-pro' } as const;

const CASES = [
  ['s1', 's1'],
  ['S1', 's1'],
  ['s2-pro', 's2-pro'],
  ['S2 Pro', 's2-pro'],
  ['s2', 's2-pro'],
  ['s2_pro', 's2-pro'],
  [' speech-1.5 ', 'speech-1.5'],
  ['fish-audio/s1', 's1'],
  ['my-model', 'My-Model'],
  ['gpt-9', 's2.1-pro'],
  ['constructor', 's2.1-pro'],
  ['', 's2.1-pro'],
  [undefined, 's2.1-pro'],
] as const;

for (const [header, model] of CASES) {
  test(`the model header ${JSON.stringify(header)} resolves to ${model}`, () => {
    assert.equal(resolveWireModel(header, config), model);
  });
}
