import { phonemeParts } from '../../text/phonemes/parse-phonemes.ts';
import type { GivenPhonemes, SpokenWord } from '../../text/piece.ts';

/**
 * Bytes of text that a unit of phonemes counts as: a phoneme as one letter, a syllable or mora as one Chinese or
 * Japanese character.
 */
const BYTES_PER_PART: Readonly<Record<GivenPhonemes['alphabet'], number>> = {
  arpabet: 1,
  ipa: 1,
  pinyin: 3,
  romaji: 3,
};

/**
 * The bytes by which the phonemes of dictionary entries exceed the text that they replace. A shorter pronunciation
 * counts as its text. `source` is the text that the offsets of the words, less `sourceStart`, refer to.
 */
export function dictionaryBytesOf(words: readonly SpokenWord[], source: string, sourceStart = 0): number {
  let bytes = 0;
  for (const { phonemes, isFromDictionary, start, end } of words) {
    if (isFromDictionary === undefined || phonemes === undefined) continue;
    const spokenBytes = phonemeParts(phonemes).length * BYTES_PER_PART[phonemes.alphabet];
    const writtenBytes = Buffer.byteLength(source.slice(start - sourceStart, end - sourceStart));
    bytes += Math.max(0, spokenBytes - writtenBytes);
  }
  return bytes;
}
