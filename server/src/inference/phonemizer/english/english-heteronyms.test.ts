import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { before, describe, it } from 'node:test';
import { fileURLToPath } from 'node:url';
import { wordsOf } from '../../../../test/support/phonemizer/phonemizer-words.ts';
import { PACKAGE_ROOT } from '../../../config/package-info.ts';
import type { Phonemizer } from '../../../domain/engines/phonemizer.ts';
import { createPhonemizer } from '../create-phonemizer.ts';

/** Proportion of the sentences of each section whose heteronym must be pronounced correctly. */
const CORRECT_MIN = 0.97;

function readSections(): Map<string, string[]> {
  const path = new URL('test/support/phonemizer/heteronyms.txt', PACKAGE_ROOT);
  const sections = new Map<string, string[]>();
  let lines: string[] = [];
  for (const line of readFileSync(fileURLToPath(path), 'utf8').split('\n')) {
    if (line.startsWith('# ')) {
      lines = [];
      sections.set(line.slice(2), lines);
    } else if (line.includes(' = ')) lines.push(line);
  }
  return sections;
}

/** A description of the mistake; undefined if the marked word is pronounced as expected. */
function mistakeIn(line: string, phonemizer: Phonemizer): string | undefined {
  const [sentence, expected] = line.split(' = ') as [string, string];
  const index = wordsOf(sentence.slice(0, sentence.indexOf('*'))).length;
  const { symbols, wordSpans } = phonemizer.kokoro(wordsOf(sentence.replaceAll('*', '')), 'en-US');
  const { start, end } = wordSpans[index]!;
  const spoken = symbols.slice(start, end);
  return expected.split(' or ').includes(spoken) ? undefined : `${sentence} ${spoken}, expected ${expected}`;
}

describe('heteronyms', () => {
  let phonemizer: Phonemizer;
  before(async () => {
    phonemizer = await createPhonemizer({
      dataFolder: fileURLToPath(new URL('assets/phonemes', PACKAGE_ROOT)),
    });
  });

  for (const [section, lines] of readSections()) {
    it(`${lines.length} sentences ${section}`, () => {
      assert.ok(lines.length >= 100);
      const mistakes = lines.map((line) => mistakeIn(line, phonemizer)).filter((line) => line !== undefined);
      assert.ok(1 - mistakes.length / lines.length >= CORRECT_MIN, mistakes.join('\n'));
    });
  }
});
