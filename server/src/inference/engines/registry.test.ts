import assert from 'node:assert/strict';
import { test } from 'node:test';
import { DEFAULT_WIRE_MODELS, ENGINE_PROFILES } from '../../domain/speech/engine-selector.ts';
import { ENGINES, findEngine, modelsFor } from './registry.ts';

test('every engine profile is an engine, except the one that is chosen by measurement', () => {
  const names = ENGINES.map(({ name }) => name);
  for (const profile of ENGINE_PROFILES) assert.ok(profile === 'best' || names.includes(profile), profile);
  for (const profile of Object.values(DEFAULT_WIRE_MODELS)) assert.ok(ENGINE_PROFILES.includes(profile));
});

test('both fast decoders of Kokoro need the same models', () => {
  assert.deepEqual(modelsFor('kokoro-fast-v1', 'en-US'), modelsFor('kokoro-fast', 'en-US'));
});

test('an unknown engine is an error', () => {
  assert.throws(() => findEngine('kokoro-fast-v0'));
});
