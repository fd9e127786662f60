import {
  ITEMS_MAX,
  KEY_LENGTH_MAX,
  VALUE_LENGTH_MAX,
} from '../../../../domain/dictionaries/validate-items.ts';
import { ApiError } from '../../../../errors.ts';
import type { DictionaryItem } from '../../../../text/dictionary-matcher.ts';
import { SsmlError } from '../../../../text/ssml/ssml-error.ts';
import { decodeEntities, parseXml, type XmlLimits } from '../../../../text/ssml/xml-parser.ts';
import { fromPhonemes, toPhonemes } from './dictionary-rules.ts';

const LIMITS: XmlLimits = { depthMax: 8, contentMaxChars: 20_000 };
const DEFAULT_ALPHABET = 'ipa';

interface Lexeme {
  readonly graphemes: string[];
  /** The first pronunciation, in our notation. */
  phonemes: string | undefined;
}

/**
 * The items of a W3C pronunciation lexicon (PLS), read in steps of one tag or text. Each grapheme of a lexeme becomes an item with its first
 * pronunciation. Throws `invalid_parameter` for invalid files and for aliases.
 */
export function* parseLexiconInSteps(xml: string): Generator<undefined, DictionaryItem[]> {
  try {
    return yield* readLexicon(xml);
  } catch (error) {
    if (!(error instanceof SsmlError)) throw error;
    throw createInvalidLexiconError(`it is not well-formed: ${error.message}`);
  }
}

function* readLexicon(xml: string): Generator<undefined, DictionaryItem[]> {
  const items: DictionaryItem[] = [];
  let alphabet = DEFAULT_ALPHABET;
  let ofPhoneme = alphabet;
  let lexeme: Lexeme | undefined;
  let content = '';
  let hasRoot = false;
  for (const event of parseXml(xml, LIMITS)) {
    yield;
    if (event.kind === 'text') {
      content += decodeEntities(xml.slice(event.start, event.end));
      continue;
    }
    if (event.kind === 'open') {
      content = '';
      if (!hasRoot && event.name !== 'lexicon')
        throw createInvalidLexiconError('its root element is not <lexicon>');
      if (event.name === 'alias') throw createInvalidLexiconError('<alias> is not supported; give phonemes');
      if (event.name === 'lexicon') alphabet = event.attributes.get('alphabet') ?? DEFAULT_ALPHABET;
      if (event.name === 'lexeme') lexeme = { graphemes: [], phonemes: undefined };
      if (event.name === 'phoneme') ofPhoneme = event.attributes.get('alphabet') ?? alphabet;
      hasRoot = true;
      continue;
    }
    if (event.name === 'grapheme' && lexeme !== undefined) {
      lexeme.graphemes.push(bounded(content, KEY_LENGTH_MAX, 'grapheme'));
      if (items.length + lexeme.graphemes.length > ITEMS_MAX)
        throw createInvalidLexiconError(`it has more than ${ITEMS_MAX} entries`);
    }
    if (event.name === 'phoneme' && lexeme !== undefined) {
      lexeme.phonemes ??= toPhonemes(bounded(content, VALUE_LENGTH_MAX - 2, 'phoneme'), ofPhoneme);
    }
    if (event.name !== 'lexeme' || lexeme === undefined) continue;
    items.push(...itemsOf(lexeme));
    lexeme = undefined;
  }
  if (!hasRoot) throw createInvalidLexiconError('it is empty');
  return items;
}

function itemsOf({ graphemes, phonemes }: Lexeme): DictionaryItem[] {
  if (phonemes === undefined || graphemes.length === 0) {
    throw createInvalidLexiconError('a <lexeme> needs a <grapheme> and a <phoneme>');
  }
  return graphemes.map((key) => ({ key, value: phonemes, isCaseSensitive: true, isWholeWord: true }));
}

function bounded(content: string, max: number, name: string): string {
  const text = content.trim();
  if (text.length >= 1 && text.length <= max) return text;
  throw createInvalidLexiconError(`a <${name}> must have 1 to ${max} characters`);
}

function createInvalidLexiconError(problem: string): ApiError {
  return new ApiError(
    'invalid_parameter',
    `The file is not a pronunciation lexicon (PLS) that can be used: ${problem}.`,
  );
}

/** Writes items as a pronunciation lexicon. Flags of items have no place in it. */
export function writeLexicon(items: readonly DictionaryItem[]): string {
  const lexemes = items.map(({ key, value }) => {
    const { phoneme, alphabet } = fromPhonemes(value);
    return `  <lexeme>\n    <grapheme>${escapeXml(key)}</grapheme>\n    <phoneme alphabet="${alphabet}">${escapeXml(phoneme)}</phoneme>\n  </lexeme>\n`;
  });
  return `<?xml version="1.0" encoding="UTF-8"?>\n<lexicon version="1.0" xmlns="http://www.w3.org/2005/01/pronunciation-lexicon" alphabet="ipa">\n${lexemes.join('')}</lexicon>\n`;
}

function escapeXml(text: string): string {
  return text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;');
}
