import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { resolveCue } from './resolve-cue.ts';

function resolved(text: string): Record<string, number> | 'reset' {
  const resolution = resolveCue(text);
  if (resolution === 'reset') return resolution;
  return Object.fromEntries(resolution.map(({ name, intensity }) => [name, intensity]));
}

const CASES: readonly [text: string, expected: Record<string, number> | 'reset'][] = [
  ['sad', { sad: 1 }],
  ['very excited', { excited: 1.4 }],
  ['constructor excited', { excited: 1 }],
  ['slightly sad', { sad: 0.5 }],
  ['a little nervous', { nervous: 0.5 }],
  ['extremely happy', { happy: 1.8 }],
  ['very very very angry', { angry: 2 }],
  ['whispers sweetly', { whispering: 1, friendly: 1 }],
  ['whisper', { whispering: 1 }],
  ['laughing nervously', { laughing: 1, nervous: 1 }],
  ['laughing tone', { 'laughing tone': 1 }],
  ['professional broadcast tone', { narrator: 1 }],
  ['pitch up', { 'pitch up': 1 }],
  ['happily', { happy: 1 }],
  ['with great sadness', { sad: 1 }],
  ['gently', { 'soft tone': 1 }],
  ['gently teasing', { amused: 0.6 }],
  ['not angry, just disappointed', { disappointed: 1 }],
  ['in a hurry tone', { 'in a hurry tone': 1 }],
  ['speaking quickly and excitedly', { 'in a hurry tone': 1, excited: 1 }],
  ['lip-smacking', { 'lip-smacking': 1 }],
  ['long-break', { 'long-break': 1 }],
  ['clearing throat', { 'clear throat': 1 }],
  ['crowd laughing', { 'audience laughing': 1 }],
  ['crying loudly', { 'crying loudly': 1 }],
  ['normal voice', 'reset'],
  ['with a British accent', { 'british accent': 1 }],
  ['happy, in American English', { happy: 1, 'american accent': 1 }],
  ['with strong accent', {}],
  ['with a French accent', {}],
  ['purple monkey', {}],
  ['', {}],
];
for (const [text, expected] of CASES) {
  const meaning = expected === 'reset' ? 'a reset' : Object.keys(expected).join(' and ') || 'nothing';
  test(`[${text}] resolves to ${meaning}`, () => assert.deepEqual(resolved(text), expected));
}

test('any text resolves without an error, to intensities within the limits', () => {
  fc.assert(
    fc.property(fc.string({ unit: 'grapheme', maxLength: 80 }), (text) => {
      const resolution = resolveCue(text);
      return resolution === 'reset' || resolution.every(({ intensity }) => intensity > 0 && intensity <= 2);
    }),
  );
});
