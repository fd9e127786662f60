import type { LanguagePhonemizer } from '../../../domain/engines/phonemizer.ts';
import { isKana, moraSymbols, toKatakana } from '../notation/kana-symbols.ts';
import { type PhonemeGroup, type PhonemeRun, phonemizeUnspaced } from '../unspaced/unspaced-text.ts';
import type { JapaneseDictionary } from './japanese-dictionary.ts';
import { NUMERALS, readCounted, readKanjiNumber } from './japanese-numbers.ts';
import { type JapaneseToken, tokenizeJapanese } from './japanese-tokenizer.ts';

/** A span of text and its reading. */
interface Reading {
  readonly start: number;
  readonly length: number;
  readonly katakana: string;
}

/** Japanese in Kokoro's symbols. `latin` phonemizes words in Latin letters. */
export function createJapanesePhonemizer(
  dictionary: JapaneseDictionary,
  latin?: LanguagePhonemizer,
): LanguagePhonemizer {
  const read = (text: string) =>
    groupPhonemes(readTokens(tokenizeJapanese(dictionary, text.normalize('NFC'))));
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
  // The dictionary writes these long vowels as two vowels, unlike the training text of the model.
  if (surface === 'う' && partOfSpeech === '助動詞') return 'ー';
  if (partOfSpeech === '形容詞') return pronunciation.replace(/(?<=[イキシチニヒミリギジビピ])イ$/u, 'ー');
  const isSinoJapanese = partOfSpeech === '名詞' && /^\p{Script=Han}+$/u.test(surface);
  return isSinoJapanese
    ? pronunciation.replace(/(?<=[エケセテネヘメレゲゼデベペ])イ/gu, 'ー')
    : pronunciation;
}

/** Endings that the training text joins to the preceding verb or auxiliary. */
function isAttached({ surface, partOfSpeech }: JapaneseToken, before: JapaneseToken): boolean {
  if (before.surface.endsWith('っ')) return true;
  if (surface === 'ん' || surface === 'う') return partOfSpeech === '助動詞';
  if (surface === 'た' && before.surface === 'まし') return true;
  return (
    before.partOfSpeech === '動詞' && /^(?:ます|ば|[てでただ])$/u.test(surface) && /助/u.test(partOfSpeech)
  );
}

function groupPhonemes(readings: readonly Reading[]): readonly PhonemeGroup[] {
  return readings.flatMap(({ start, length, katakana }) => {
    const parts = katakana.split(' ').map(moraSymbols);
    const total = parts.reduce((sum, part) => sum + part.length, 0);
    // The source character of a mora is not known; an even distribution suffices for word times.
    let mora = 0;
    const runOf = (symbols: string): PhonemeRun => ({
      symbols,
      character: start + Math.floor((mora++ * length) / total),
    });
    return parts.map((part) => part.map(runOf));
  });
}
