import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { Language } from './piece.ts';
import { readText } from './read-text.ts';

function spoken(language: Language, text: string, normalize = true): string {
  const options = { language, normalize, chunkLength: 300, minChunkLength: 50, cueStyle: 'both' } as const;
  return [...readText(text, options)].flatMap((piece) => piece.words.map((word) => word.text)).join(' ');
}

describe('languages other than English', () => {
  const table: [Language, string, string][] = [
    ['es', 'Compramos 12 manzanas por 9 €.', 'Compramos doce manzanas por nueve euros'],
    ['es', 'El Sr. García, n.º 5', 'El señor García número cinco'],
    ['es', '10-20 personas', 'diez a veinte personas'],
    ['fr', 'Les 21 élèves, le 1er mai', 'Les vingt et un élèves le premier mai'],
    ['fr', 'M. Dupont arrive à 15h30.', 'monsieur Dupont arrive à quinze heures trente'],
    ['it', '18 chilometri, il 50%', 'diciotto chilometri il cinquanta per cento'],
    ['pt-BR', 'em 1962, R$ 5', 'em mil novecentos e sessenta e dois cinco reais'],
    ['hi', '12 किताबें', 'बारह किताबें'],
    ['hi', '१२ किताबें', 'बारह किताबें'],
    ['ja', '3つで400円です。', '三つで四百円です'],
    ['ja', '気温は-5℃です', '気温はマイナス五度です'],
    ['ja', 'iPhoneを2台', 'iPhone を二台'],
    ['zh', '我买了2个苹果。', '我买了两个苹果'],
    ['zh', '2019年', '二零一九年'],
    ['zh', '增长了50%', '增长了百分之五十'],
  ];
  for (const [language, written, expected] of table) {
    it(`${language}: ${JSON.stringify(written)} is said "${expected}"`, () => {
      assert.equal(spoken(language, written), expected);
    });
  }

  it('numbers too long for any name are read figure by figure, each with its own place', () => {
    const digits = '123456789'.repeat(5);
    const options = {
      language: 'fr',
      normalize: true,
      chunkLength: 300,
      minChunkLength: 50,
      cueStyle: 'both',
    } as const;
    const words = [...readText(digits, options)].flatMap((piece) => piece.words);
    assert.deepEqual(
      words.map((word) => [word.start, word.end]),
      Array.from(digits, (_, i) => [i, i + 1]),
    );
  });
});

describe('text that is not to be normalised', () => {
  const table: [string, string][] = [
    [
      'Dr. Smith paid $1,234.50 & left',
      'Dr Smith paid one thousand two hundred thirty four point five zero left',
    ],
    ['10% of 3 kg', 'ten of three kg'],
    ['the 3rd at 14:30', 'the third at fourteen thirty'],
    ['a -4 b', 'a minus four b'],
    ['see www.example.com', 'see www example com'],
  ];
  for (const [written, expected] of table) {
    it(`${JSON.stringify(written)} is said "${expected}"`, () =>
      assert.equal(spoken('en-US', written, false), expected));
  }
});
