import type { LanguagePhonemizer } from '../../../domain/engines/phonemizer.ts';
import { syllableSymbols } from '../notation/pinyin-symbols.ts';
import { type PhonemeGroup, type PhonemeRun, phonemizeUnspaced } from '../unspaced/unspaced-text.ts';
import { readCharacters } from './chinese-readings.ts';

/**
 * Mandarin in Kokoro's symbols. Third-tone sandhi is not applied: the training text has dictionary tones, and the model
 * has learned the sandhi. `latin` phonemizes words in Latin letters.
 */
export function createChinesePhonemizer(latin?: LanguagePhonemizer): LanguagePhonemizer {
  const segmenter = new Intl.Segmenter('zh', { granularity: 'word' });
  const read = (text: string) => readChinese(text, segmenter);
  return { phonemize: (words) => phonemizeUnspaced(words, read, latin) };
}

function readChinese(text: string, segmenter: Intl.Segmenter): readonly PhonemeGroup[] {
  const runAt = new Map<number, PhonemeRun>();
  let index = 0;
  for (const { character, syllable } of readCharacters(text)) {
    runAt.set(index, { symbols: syllableSymbols(syllable) ?? '', character: index });
    index += character.length;
  }
  return wordStarts(text, segmenter).map((start, position, starts) => {
    const group: PhonemeRun[] = [];
    for (let at = start; at < (starts[position + 1] ?? text.length); at++) {
      const run = runAt.get(at);
      if (run !== undefined) group.push(run);
    }
    return group;
  });
}

/** Pronouns and adverbs that the segmenter joins to the next word, except in words that begin with them. */
const JOINED_PREFIX =
  /^(?:[我你他她它都很也就又太最了](?!们|們|国|國|人|市|会|會|许|許|是|要|算|阳|陽|太|空|平|近|后|後|初|终|終|多|少|好|解|不))./u;
const JOINED_SUFFIX = /^[^为為除算罢罷得极極完][了着]$/u;

/** A number in Chinese characters, and the positions where it may be split; the segmenter splits it anywhere. */
const NUMBER = /[零〇一二两兩三四五六七八九十百千万萬亿億]{2,}/gu;
const NUMBER_BOUNDARY = /(?<=[百千万萬亿億])(?=[零〇一二两兩三四五六七八九十])/u;

function wordStarts(text: string, segmenter: Intl.Segmenter): number[] {
  const starts: number[] = [];
  let position = 0;
  for (const match of text.matchAll(NUMBER)) {
    starts.push(...segmentStarts(text.slice(position, match.index), position, segmenter));
    position = match.index;
    for (const part of match[0].split(NUMBER_BOUNDARY)) {
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
    const isJoined = segment.length === 2 && (JOINED_PREFIX.test(segment) || JOINED_SUFFIX.test(segment));
    if (isJoined) starts.push(offset + index + 1);
  }
  return starts;
}
