import assert from 'node:assert/strict';
import { test } from 'node:test';
import { CUES } from './cue-table.ts';
import { interpretInstructions, toDirections } from './instructions.ts';

const CASES: readonly (readonly [string, readonly string[], number])[] = [
  ['Speak in a cheerful and positive tone.', ['happy'], 0],
  ['Whisper.', ['whispering'], 0],
  ['Tone: calm, reassuring\nPacing: slow\nPronunciation: clear', ['calm', 'comforting'], 1],
  ['Do not sound sad. Be angry!', ['angry'], 1],
  ['Talk like a pirate.', [], 1],
  ['Laugh in the middle; pause before names.', [], 2],
  ['Use a British accent.', ['british accent'], 0],
  ['', [], 0],
];

for (const [text, cueNames, ignoredCount] of CASES) {
  test(`instructions ${JSON.stringify(text)} are followed as ${cueNames.join(', ') || 'nothing'}`, () => {
    const instructions = interpretInstructions(text);
    assert.deepEqual([instructions.cueNames, instructions.ignoredCount], [cueNames, ignoredCount]);
    assert.equal(toDirections(instructions).length, cueNames.length > 0 ? 1 : 0);
  });
}

test('one emotion has its full effect, several are averaged, and a tone is added', () => {
  assert.equal(interpretInstructions('Sound sad.').delivery.rate, CUES.get('sad')!.delivery!.rate);
  const both = interpretInstructions('Sad, bored.').delivery.rate!;
  const rates = ['sad', 'bored'].map((word) => interpretInstructions(word).delivery.rate!);
  assert.ok(Math.abs(both - Math.sqrt(rates[0]! * rates[1]!)) < 1e-9);
  assert.equal(interpretInstructions('Sad. Whisper.').delivery.breath, 1);
});

test('long instructions are bounded', () => {
  const { cueNames } = interpretInstructions(
    'happy sad angry bored calm proud scared curious excited '.repeat(100),
  );
  assert.equal(cueNames.length, 8);
});
