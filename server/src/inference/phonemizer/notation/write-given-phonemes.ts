import { phonemeParts } from '../../../text/phonemes/parse-phonemes.ts';
import type { GivenPhonemes } from '../../../text/piece.ts';
import type { Espeak } from '../espeak/espeak.ts';
import { KOKORO_AMERICAN, KOKORO_BRITISH, KOKORO_OTHER, PIPER } from '../espeak/espeak-notations.ts';
import { applyAllophones } from './cmu-style.ts';
import { moraSymbols } from './kana-symbols.ts';
import { syllableSymbols } from './pinyin-symbols.ts';

/** Kokoro's symbols for phonemes given in the text, in the accent or language of the surrounding words. */
export function toKokoroSymbols(phonemes: GivenPhonemes, accent: 'american' | 'british' | 'other'): string {
  const parts = phonemeParts(phonemes);
  switch (phonemes.alphabet) {
    case 'pinyin':
      return parts.map((syllable) => syllableSymbols(syllable) ?? '').join('');
    case 'romaji':
      return moraSymbols(parts.join('')).join('');
    case 'arpabet':
      return accent === 'british'
        ? KOKORO_BRITISH.write(toBritish(parts))
        : applyAllophones(KOKORO_AMERICAN.write(parts));
    case 'ipa':
      return KOKORO_IPA[accent].write(parts.map(toSingleSymbol));
  }
}

/** Phonemes given in the text in espeak-ng's IPA, the notation of Piper voices. */
export function toEspeakIpa(phonemes: GivenPhonemes, espeak: Espeak, voice: string): string {
  const parts = phonemeParts(phonemes);
  switch (phonemes.alphabet) {
    case 'pinyin':
      return espeakWords(espeak, parts.join(' '), 'cmn-latn-pinyin');
    case 'romaji':
      return espeakWords(espeak, parts.join(''), 'ja');
    case 'arpabet':
      return PIPER.write(/^en(?!-us)/.test(voice) ? toBritish(parts) : parts);
    case 'ipa':
      return PIPER.write(parts);
  }
}

function espeakWords(espeak: Espeak, text: string, voice: string): string {
  return espeak
    .phonemes(text, voice)
    .map((word) => PIPER.write(word))
    .join(' ');
}

/** Diphthongs and affricates for which Kokoro has a single symbol. */
const SINGLE_SYMBOLS: Readonly<Record<string, string>> = {
  ...{ aɪ: 'I', aʊ: 'W', eɪ: 'A', oʊ: 'O', əʊ: 'Q', ɔɪ: 'Y' },
  ...{ tʃ: 'ʧ', dʒ: 'ʤ', ts: 'ʦ', dz: 'ʣ', tɕ: 'ʨ', dʑ: 'ʥ', ʈʂ: 'ꭧ' },
};

function toSingleSymbol(phoneme: string): string {
  const [, stress = '', base = ''] = /^([ˈˌ]?)(.*)$/su.exec(phoneme)!;
  return stress + (SINGLE_SYMBOLS[base] ?? base);
}

const KOKORO_IPA = { american: KOKORO_AMERICAN, british: KOKORO_BRITISH, other: KOKORO_OTHER };

const VOWEL = /[aeiouæɑɐɒɔəɚɛɜɪʊʌᵻ]/u;

/** American phonemes in British English: non-rhotic, and with the British diphthong əʊ. */
function toBritish(phonemes: readonly string[]): string[] {
  return phonemes.flatMap((phoneme, index) => {
    const isBeforeVowel = VOWEL.test(phonemes[index + 1] ?? '');
    if (phoneme === 'ɹ') return isBeforeVowel || !VOWEL.test(phonemes[index - 1] ?? '') ? [phoneme] : [];
    if (phoneme.endsWith('ɚ')) return isBeforeVowel ? ['ə', 'ɹ'] : ['ə'];
    if (phoneme.endsWith('oʊ')) return [phoneme.replace('oʊ', 'əʊ')];
    return [phoneme];
  });
}
