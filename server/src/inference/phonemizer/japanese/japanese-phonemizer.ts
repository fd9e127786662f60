import type { LanguagePhonemizer } from '../../../domain/engines/phonemizer.ts';
import { isKana, moraSymbols, toKatakana } from '../notation/kana-symbols.ts';
import { phonemizeUnspaced, type Sound, type SoundGroup } from '../unspaced/unspaced-text.ts';
import type { JapaneseDictionary } from './japanese-dictionary.ts';
import { NUMERALS, readCounted, readKanjiNumber } from './japanese-numbers.ts';
import { type JapaneseToken, tokenizeJapanese } from './japanese-tokenizer.ts';

/** A stretch of text and how it is said. */
interface Reading {
  readonly start: number;
  readonly length: number;
  readonly katakana: string;
}

/** Japanese in Kokoro's symbols. `latin` reads words in Latin letters. */
export function createJapanesePhonemizer(
  dictionary: JapaneseDictionary,
  latin?: LanguagePhonemizer,
): LanguagePhonemizer {
  const read = (text: string) => groupSounds(readTokens(tokenizeJapanese(dictionary, text.normalize('NFC'))));
  return { phonemize: (words) => phonemizeUnspaced(words, read, latin) };
}

function readTokens(tokens: readonly JapaneseToken[]): Reading[] {
  const readings: Reading[] = [];
  for (let index = 0; index < tokens.length; index++) {
    const token = tokens[index]!;
    if (isNumeral(token)) {
      const end = tokens.findIndex((other, at) => at > index && !isNumeral(other));
      const run = tokens.slice(index, end < 0 ? tokens.length : end);
      const counter = tokens[index + run.length];
      readings.push(readNumber(run, counter, tokens[index - 1]));
      index += run.length - (isCounter(counter) ? 0 : 1);
      continue;
    }
    const katakana = pronounce(token);
    const previous = readings.at(-1);
    if (previous !== undefined && isAttached(token, tokens[index - 1]!)) {
      readings[readings.length - 1] = {
        ...previous,
        length: previous.length + token.surface.length,
        katakana: previous.katakana + katakana,
      };
    } else {
      readings.push({ start: token.start, length: token.surface.length, katakana });
    }
  }
  return readings;
}

function isNumeral(token: JapaneseToken): boolean {
  return token.subdivision === '数' && NUMERALS.test(token.surface);
}

function isCounter(token: JapaneseToken | undefined): token is JapaneseToken {
  return token !== undefined && (token.subdivision === '接尾' || token.surface === 'つ');
}

function readNumber(
  run: readonly JapaneseToken[],
  counter: JapaneseToken | undefined,
  before: JapaneseToken | undefined,
): Reading {
  const kanji = run.map(({ surface }) => surface).join('');
  const start = run[0]!.start;
  if (!isCounter(counter)) return { start, length: kanji.length, katakana: readKanjiNumber(kanji) };
  const length = kanji.length + counter.surface.length;
  const isDayOfMonth = counter.surface === '日' && before?.surface.endsWith('月') === true;
  const counted = isDayOfMonth ? '月日' : counter.surface;
  return { start, length, katakana: readCounted(kanji, counted, pronounce(counter)) };
}

function pronounce({ surface, partOfSpeech, pronunciation }: JapaneseToken): string {
  if (pronunciation === undefined) return isKana(surface) ? toKatakana(surface) : '';
  // The dictionary writes these long vowels as two, unlike what the model was trained on.
  if (surface === 'う' && partOfSpeech === '助動詞') return 'ー';
  if (partOfSpeech === '形容詞') return pronunciation.replace(/(?<=[イキシチニヒミリギジビピ])イ$/u, 'ー');
  const isSinoJapanese = partOfSpeech === '名詞' && /^\p{Script=Han}+$/u.test(surface);
  return isSinoJapanese
    ? pronunciation.replace(/(?<=[エケセテネヘメレゲゼデベペ])イ/gu, 'ー')
    : pronunciation;
}

/** Endings that the model saw written together with the verb or the auxiliary before them. */
function isAttached({ surface, partOfSpeech }: JapaneseToken, before: JapaneseToken): boolean {
  if (before.surface.endsWith('っ')) return true;
  if (surface === 'ん' || surface === 'う') return partOfSpeech === '助動詞';
  if (surface === 'た' && before.surface === 'まし') return true;
  return (
    before.partOfSpeech === '動詞' && /^(?:ます|ば|[てでただ])$/u.test(surface) && /助/u.test(partOfSpeech)
  );
}

function groupSounds(readings: readonly Reading[]): readonly SoundGroup[] {
  return readings.flatMap(({ start, length, katakana }) => {
    const parts = katakana.split(' ').map(moraSymbols);
    const total = parts.reduce((sum, part) => sum + part.length, 0);
    // Which character a mora comes from is written nowhere; an even share is close enough to time words.
    let mora = 0;
    const soundOf = (symbols: string): Sound => ({
      symbols,
      character: start + Math.floor((mora++ * length) / total),
    });
    return parts.map((part) => part.map(soundOf));
  });
}
