import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { textToPieces } from '../../front-end/text-to-pieces.ts';
import type { Language } from '../../piece.ts';

function verbalize(language: Language, text: string, normalize = true): string {
  const options = { language, normalize, chunkLength: 300, minChunkLength: 50, cueStyle: 'both' } as const;
  return [...textToPieces(text, options)].flatMap((piece) => piece.words.map((word) => word.text)).join(' ');
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
    ['hi', '₹1,25,000 दिए', 'एक लाख पच्चीस हज़ार रुपये दिए'],
    ['hi', '1,25,00,000 लोग', 'एक करोड़ पच्चीस लाख लोग'],
    ['hi', '98765 43210', 'नौ आठ सात छह पाँच चार तीन दो एक शून्य'],
    [
      'es',
      'Cuesta $3.50 o €2,50.',
      'Cuesta tres dólares con cincuenta centavos o dos euros con cincuenta céntimos',
    ],
    [
      'es',
      'Son $1,234.50, 3.50 $',
      'Son mil doscientos treinta y cuatro dólares con cincuenta centavos tres dólares con cincuenta centavos',
    ],
    ['es', 'US$ 1.500 y 3.500 personas', 'mil quinientos dólares y tres mil quinientas personas'],
    ['es', 'Llame al 91 123 45 67', 'Llame al nueve uno uno dos tres cuatro cinco seis siete'],
    ['es', 'teléfono 612 345 678', 'teléfono seis uno dos tres cuatro cinco seis siete ocho'],
    ['fr', 'au 06 12 34 56 78', 'au zéro six douze trente-quatre cinquante-six soixante-dix-huit'],
    ['it', 'il 13812345678', 'il uno tre otto uno due tre quattro cinque sei sette otto'],
    ['pt-BR', '(11) 98765-4321', 'um um nove oito sete seis cinco quatro três dois um'],
    ['it', 'il 03.04.2024', 'il tre aprile duemilaventiquattro'],
    [
      'es',
      'Visite www.ejemplo.com o ana-2@correo.es.',
      'Visite W W W punto ejemplo punto com o ana guion dos arroba correo punto es',
    ],
    ['fr', 'sur https://exemple.fr/aide', 'sur exemple point F R slash aide'],
    ['zh', '请看example.com。', '请看 example 点 com'],
    ['ja', '電話は03-1234-5678です', '電話は ゼロサン イチニサンヨン ゴロクナナハチ です'],
    ['zh', '电话010-1234-5678', '电话 零一零 一二三四 五六七八'],
    ['zh', '一共€1.234,50', '一共一千二百三十四点五零欧元'],
    ['ja', '3つで400円です。', '三つで四百円です'],
    ['ja', '気温は-5℃です', '気温はマイナス五度です'],
    ['ja', 'iPhoneを2台', 'iPhone を二台'],
    ['zh', '我买了2个苹果。', '我买了两个苹果'],
    ['zh', '2019年', '二零一九年'],
    ['zh', '增长了50%', '增长了百分之五十'],
  ];
  for (const [language, written, expected] of table) {
    it(`${language}: ${JSON.stringify(written)} is verbalized as "${expected}"`, () => {
      assert.equal(verbalize(language, written), expected);
    });
  }

  it('numbers beyond the largest name are verbalized digit by digit, each with its own source span', () => {
    const digits = '123456789'.repeat(5);
    const options = {
      language: 'fr',
      normalize: true,
      chunkLength: 300,
      minChunkLength: 50,
      cueStyle: 'both',
    } as const;
    const words = [...textToPieces(digits, options)].flatMap((piece) => piece.words);
    assert.deepEqual(
      words.map((word) => [word.start, word.end]),
      Array.from(digits, (_, i) => [i, i + 1]),
    );
  });
});

describe('text without normalization', () => {
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
    it(`${JSON.stringify(written)} is verbalized as "${expected}"`, () =>
      assert.equal(verbalize('en-US', written, false), expected));
  }
});
