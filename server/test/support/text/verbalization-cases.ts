import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { textToPieces } from '../../../src/text/front-end/text-to-pieces.ts';
import type { Language } from '../../../src/text/piece.ts';

/** What is said, with spelled letters in capitals and no punctuation. */
function spoken(text: string, language: Language = 'en-US'): string {
  const options = {
    language,
    normalize: true,
    chunkLength: 300,
    minChunkLength: 50,
    cueStyle: 'both',
  } as const;
  return [...textToPieces(text, options)].flatMap((piece) => piece.words.map((word) => word.text)).join(' ');
}

/** One test for each entry: what is written, and what is to be said. */
export function testVerbalizations(
  title: string,
  table: Readonly<Record<string, string>>,
  language: Language = 'en-US',
): void {
  describe(title, () => {
    for (const [written, expected] of Object.entries(table)) {
      it(`${JSON.stringify(written)} is said "${expected}"`, () =>
        assert.equal(spoken(written, language), expected));
    }
  });
}
