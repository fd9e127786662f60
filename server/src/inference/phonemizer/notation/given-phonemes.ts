import { phonemeParts } from '../../../text/phonemes/given-phonemes.ts';
import type { GivenPhonemes } from '../../../text/piece.ts';
import type { Espeak } from '../espeak/espeak.ts';
import { KOKORO_AMERICAN, KOKORO_BRITISH, KOKORO_OTHER, PIPER } from '../espeak/espeak-notations.ts';
import { withAllophones } from './cmu-style.ts';
import { moraSymbols } from './kana-symbols.ts';
import { syllableSymbols } from './pinyin-symbols.ts';

/** Kokoro's symbols for a sound that the text gives, for the accent or language it stands in. */
export function kokoroSounds(phonemes: GivenPhonemes, accent: 'american' | 'british' | 'other'): string {
  const parts = phonemeParts(phonemes);
  switch (phonemes.alphabet) {
    case 'pinyin':
      return parts.map((syllable) => syllableSymbols(syllable) ?? '').join('');
    case 'romaji':
      return moraSymbols(parts.join('')).join('');
    case 'arpabet':
      return accent === 'british'
        ? KOKORO_BRITISH.write(inBritain(parts))
        : withAllophones(KOKORO_AMERICAN.write(parts));
    case 'ipa':
      return KOKORO_IPA[accent].write(parts.map(oneSymbol));
  }
}

/** The same in espeak-ng's IPA, as a Piper voice with this espeak voice was trained on. */
export function espeakSounds(phonemes: GivenPhonemes, espeak: Espeak, voice: string): string {
  const parts = phonemeParts(phonemes);
  switch (phonemes.alphabet) {
    case 'pinyin':
      return espeakWords(espeak, parts.join(' '), 'cmn-latn-pinyin');
    case 'romaji':
      return espeakWords(espeak, parts.join(''), 'ja');
    case 'arpabet':
      return PIPER.write(/^en(?!-us)/.test(voice) ? inBritain(parts) : parts);
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

/** What Kokoro has one symbol for in every language. */
const ONE_SYMBOL: Readonly<Record<string, string>> = {
  ...{ aɪ: 'I', aʊ: 'W', eɪ: 'A', oʊ: 'O', əʊ: 'Q', ɔɪ: 'Y' },
  ...{ tʃ: 'ʧ', dʒ: 'ʤ', ts: 'ʦ', dz: 'ʣ', tɕ: 'ʨ', dʑ: 'ʥ', ʈʂ: 'ꭧ' },
};

function oneSymbol(phoneme: string): string {
  const [, stress = '', sound = ''] = /^([ˈˌ]?)(.*)$/su.exec(phoneme)!;
  return stress + (ONE_SYMBOL[sound] ?? sound);
}

const KOKORO_IPA = { american: KOKORO_AMERICAN, british: KOKORO_BRITISH, other: KOKORO_OTHER };

const VOWEL = /[aeiouæɑɐɒɔəɚɛɜɪʊʌᵻ]/u;

/** American phonemes as they are said without the r that only stands before vowels, and with the British o. */
function inBritain(phonemes: readonly string[]): string[] {
  return phonemes.flatMap((phoneme, index) => {
    const isBeforeVowel = VOWEL.test(phonemes[index + 1] ?? '');
    if (phoneme === 'ɹ') return isBeforeVowel || !VOWEL.test(phonemes[index - 1] ?? '') ? [phoneme] : [];
    if (phoneme.endsWith('ɚ')) return isBeforeVowel ? ['ə', 'ɹ'] : ['ə'];
    if (phoneme.endsWith('oʊ')) return [phoneme.replace('oʊ', 'əʊ')];
    return [phoneme];
  });
}
