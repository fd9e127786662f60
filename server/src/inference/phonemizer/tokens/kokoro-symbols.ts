/** Every symbol in Kokoro's token table that stands for a sound, a stress or a tone. */
const SOUNDS =
  '̃ʣʥʦʨᵝꭧAIOQSTWYᵊabcdefhijklmnopqrstuvwxyzɑɐɒæβɔɕçɖðʤəɚɛɜɟɡɥɨɪʝɯɰŋɳɲɴøɸθœɹɾɻʁɽʂʃʈʧʊʋʌɣɤχʎʒʔˈˌːʰʲ↓→↗↘ᵻ';
const PUNCTUATION = ';:,.!?—…"()“” ';

const KNOWN = new Set(SOUNDS + PUNCTUATION);

/** Sounds of other languages that Kokoro does not know, as what comes nearest. */
const NEIGHBOURING_SOUNDS: Readonly<Record<string, string>> = {
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

/** Punctuation Kokoro does not know, as what comes nearest. */
const SIMILAR: Readonly<Record<string, string>> = {
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

/** Replaces sounds that Kokoro does not know with near ones, and leaves out all else it does not know. */
export function onlyKokoroSymbols(symbols: string): string {
  let kept = '';
  for (const symbol of symbols) kept += KNOWN.has(symbol) ? symbol : (NEIGHBOURING_SOUNDS[symbol] ?? '');
  return kept;
}

/** The punctuation around a word as Kokoro takes it, without spaces. */
export function kokoroPunctuation(marks: string): string {
  let kept = '';
  for (const mark of marks) {
    const known = SIMILAR[mark] ?? mark;
    if (PUNCTUATION.includes(known) && known !== ' ') kept += known;
  }
  return kept;
}
