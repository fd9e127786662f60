import type { LanguagePhonemizer } from '../../../domain/engines/phonemizer.ts';
import { syllableSymbols } from '../notation/pinyin-symbols.ts';
import { phonemizeUnspaced, type Sound, type SoundGroup } from '../unspaced/unspaced-text.ts';
import { readCharacters } from './chinese-readings.ts';

/**
 * Mandarin in Kokoro's symbols. Third tones stay as in the dictionary: the model was trained so, and has
 * learned by itself how they change before each other. `latin` reads words in Latin letters.
 */
export function createChinesePhonemizer(latin?: LanguagePhonemizer): LanguagePhonemizer {
  const segmenter = new Intl.Segmenter('zh', { granularity: 'word' });
  const read = (text: string) => readChinese(text, segmenter);
  return { phonemize: (words) => phonemizeUnspaced(words, read, latin) };
}

function readChinese(text: string, segmenter: Intl.Segmenter): readonly SoundGroup[] {
  const soundAt = new Map<number, Sound>();
  let index = 0;
  for (const { character, syllable } of readCharacters(text)) {
    soundAt.set(index, { symbols: syllableSymbols(syllable) ?? '', character: index });
    index += character.length;
  }
  return wordStarts(text, segmenter).map((start, position, starts) => {
    const group: Sound[] = [];
    for (let at = start; at < (starts[position + 1] ?? text.length); at++) {
      const sound = soundAt.get(at);
      if (sound !== undefined) group.push(sound);
    }
    return group;
  });
}

/** Pronouns and adverbs the segmenter glues to what follows, and the words that really begin with them. */
const GLUED_HEAD =
  /^(?:[我你他她它都很也就又太最了](?!们|們|国|國|人|市|会|會|许|許|是|要|算|阳|陽|太|空|平|近|后|後|初|终|終|多|少|好|解|不))./u;
const GLUED_TAIL = /^[^为為除算罢罷得极極完][了着]$/u;

/** A written-out number, which the segmenter would cut anywhere, and the places where it may be cut. */
const NUMBER = /[零〇一二两兩三四五六七八九十百千万萬亿億]{2,}/gu;
const NUMBER_CUT = /(?<=[百千万萬亿億])(?=[零〇一二两兩三四五六七八九十])/u;

function wordStarts(text: string, segmenter: Intl.Segmenter): number[] {
  const starts: number[] = [];
  let position = 0;
  for (const match of text.matchAll(NUMBER)) {
    starts.push(...segmentStarts(text.slice(position, match.index), position, segmenter));
    position = match.index;
    for (const part of match[0].split(NUMBER_CUT)) {
      starts.push(position);
      position += part.length;
    }
  }
  return [...starts, ...segmentStarts(text.slice(position), position, segmenter)];
}

function segmentStarts(text: string, offset: number, segmenter: Intl.Segmenter): number[] {
  const starts: number[] = [];
  for (const { segment, index } of segmenter.segment(text)) {
    starts.push(offset + index);
    const isGlued = segment.length === 2 && (GLUED_HEAD.test(segment) || GLUED_TAIL.test(segment));
    if (isGlued) starts.push(offset + index + 1);
  }
  return starts;
}
