import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { textToPieces } from '../../../src/text/front-end/text-to-pieces.ts';
import type { Language } from '../../../src/text/piece.ts';

/** The words of a text, with spelled letters in capitals and without punctuation. */
function verbalize(text: string, language: Language = 'en-US'): string {
  const options = {
    language,
    normalize: true,
    chunkLength: 300,
    minChunkLength: 50,
    cueStyle: 'both',
  } as const;
  return [...textToPieces(text, options)].flatMap((piece) => piece.words.map((word) => word.text)).join(' ');
}

/** Defines one test per entry: the written text and its expected words. */
export function testVerbalizations(
  title: string,
  table: Readonly<Record<string, string>>,
  language: Language = 'en-US',
): void {
  describe(title, () => {
    for (const [written, expected] of Object.entries(table)) {
      it(`${JSON.stringify(written)} is verbalized as "${expected}"`, () =>
        assert.equal(verbalize(written, language), expected));
    }
  });
}
