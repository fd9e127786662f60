/** The symbols in Kokoro's token table for phonemes, stress and tones. */
const PHONEMES =
  '̃ʣʥʦʨᵝꭧAIOQSTWYᵊabcdefhijklmnopqrstuvwxyzɑɐɒæβɔɕçɖðʤəɚɛɜɟɡɥɨɪʝɯɰŋɳɲɴøɸθœɹɾɻʁɽʂʃʈʧʊʋʌɣɤχʎʒʔˈˌːʰʲ↓→↗↘ᵻ';
const PUNCTUATION = ';:,.!?—…"()“” ';

const KNOWN = new Set(PHONEMES + PUNCTUATION);

/** Nearest Kokoro symbols for phonemes that are not in its token table. */
const NEAREST_PHONEMES: Readonly<Record<string, string>> = {
  ʐ: 'ʒ',
  ʑ: 'ʒ',
  ħ: 'h',
  ɦ: 'h',
  ɫ: 'l',
  ɭ: 'l',
  ɬ: 'l',
  ɱ: 'm',
  ɓ: 'b',
  ɗ: 'd',
  ɠ: 'ɡ',
  g: 'ɡ',
  ɝ: 'ɜɹ',
  ɞ: 'ɜ',
  ɘ: 'ə',
  ɵ: 'o',
  ʉ: 'u',
  ʏ: 'y',
  ʀ: 'ʁ',
  ʍ: 'w',
};

/** Nearest Kokoro symbols for punctuation that is not in its token table. */
const NEAREST_PUNCTUATION: Readonly<Record<string, string>> = {
  '«': '“',
  '»': '”',
  '„': '“',
  '‟': '”',
  '–': '—',
  '―': '—',
  '¿': '',
  '¡': '',
  '。': '.',
  '、': ',',
  '，': ',',
  '！': '!',
  '？': '?',
  '।': '.',
  '॥': '.',
  '：': ':',
  '；': ';',
  '（': '(',
  '）': ')',
  '[': '(',
  ']': ')',
};

/** Whether Kokoro's token table has this symbol. */
export function isKokoroSymbol(symbol: string): boolean {
  return KNOWN.has(symbol);
}

/** Replaces unknown phonemes by the nearest Kokoro symbols and removes other unknown symbols. */
export function toKokoroAlphabet(symbols: string): string {
  let kept = '';
  for (const symbol of symbols) kept += KNOWN.has(symbol) ? symbol : (NEAREST_PHONEMES[symbol] ?? '');
  return kept;
}

/** The punctuation around a word in Kokoro's symbols, without spaces. */
export function kokoroPunctuation(marks: string): string {
  let kept = '';
  for (const mark of marks) {
    const known = NEAREST_PUNCTUATION[mark] ?? mark;
    if (PUNCTUATION.includes(known) && known !== ' ') kept += known;
  }
  return kept;
}
