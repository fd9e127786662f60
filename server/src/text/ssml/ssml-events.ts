import { parseInAlphabet } from '../phonemes/parse-phonemes.ts';
import { type GivenPhonemes, LANGUAGES, type Prosody } from '../piece.ts';
import { applyEmphasis, applyProsody, breakSeconds } from './prosody.ts';
import { isInterpretation } from './say-as.ts';
import { SsmlError } from './ssml-error.ts';
import { decodeEntities, parseXml, type XmlEvent } from './xml-parser.ts';

/** How far an SSML text may go. */
export interface SsmlLimits {
  /** Elements within elements. */
  readonly ssmlDepthMax: number;
  /** Seconds of one break. */
  readonly ssmlBreakMaxSeconds: number;
}

/** Who says something, in which language (a BCP 47 tag), and how; what is absent is the request's own. */
export interface SsmlScope {
  readonly voice?: string;
  readonly language?: string;
  readonly prosody?: Prosody | undefined;
}

/** What an element says instead of the text within it. */
export type Substitution =
  | { readonly kind: 'phonemes'; readonly phonemes: GivenPhonemes }
  | { readonly kind: 'alias'; readonly alias: string }
  | { readonly kind: 'say-as'; readonly interpretation: string; readonly format: string };

/** What an SSML text asks for, in order. Offsets are those of the text. */
export type SsmlEvent =
  | { readonly kind: 'text'; readonly start: number; readonly end: number; readonly scope: SsmlScope }
  | {
      readonly kind: 'substitution';
      readonly substitution: Substitution;
      /** What stands within the element, and where. */
      readonly written: string;
      readonly start: number;
      readonly end: number;
      readonly scope: SsmlScope;
    }
  | { readonly kind: 'break'; readonly seconds: number; readonly start: number; readonly end: number }
  | { readonly kind: 'mark'; readonly name: string; readonly start: number; readonly end: number }
  | { readonly kind: 'end'; readonly of: 'sentence' | 'paragraph' };

/** The elements that are spoken, with the attributes each of them takes. */
const ELEMENTS: Readonly<Record<string, readonly string[]>> = {
  speak: ['version', 'xml:lang'],
  p: ['xml:lang'],
  s: ['xml:lang'],
  voice: ['name', 'xml:lang'],
  lang: ['xml:lang'],
  prosody: ['rate', 'pitch', 'volume'],
  emphasis: ['level'],
  break: ['time', 'strength'],
  mark: ['name'],
  phoneme: ['ph', 'alphabet'],
  'say-as': ['interpret-as', 'format', 'detail'],
  sub: ['alias'],
};
/** Elements of the standard that would be heard otherwise than their author means. */
const OTHER_ELEMENTS = new Set(['audio', 'desc', 'lexicon', 'lookup', 'meta', 'metadata', 'token', 'w']);
/** Attributes that say nothing about the sound. */
const SILENT_ATTRIBUTE = /^(?:xmlns(?::.*)?|xsi:.*|xml:(?:id|base|space)|onlangfailure)$/;

const ALPHABETS: Readonly<Record<string, GivenPhonemes['alphabet']>> = {
  ipa: 'ipa',
  ...{
    arpabet: 'arpabet',
    'x-arpabet': 'arpabet',
    cmu: 'arpabet',
    'x-cmu': 'arpabet',
    'cmu-arpabet': 'arpabet',
  },
  ...{ pinyin: 'pinyin', 'x-pinyin': 'pinyin', 'x-amazon-pinyin': 'pinyin' },
  ...{ romaji: 'romaji', 'x-romaji': 'romaji' },
};

const ROOT =
  /^[\s\ufeff]*(?:<\?xml[^<>]{0,200}\?>\s*)?(?:<!--[^<>]{0,500}-->\s*){0,4}<(?:!DOCTYPE\s+)?speak(?=[\s>/])/;

/** Whether a text means to be SSML: its first element is `<speak>`. */
export function isSsml(text: string): boolean {
  return ROOT.test(text);
}

type Open = XmlEvent & { kind: 'open' };
interface Frame {
  readonly tag: Open;
  readonly scope: SsmlScope;
}

/**
 * Reads an SSML text, one event at a time, in memory that depends on its depth alone. Throws an `SsmlError`
 * where it is no SSML, or asks for what is not spoken.
 */
export function* parseSsml(text: string, limits: SsmlLimits): Generator<SsmlEvent> {
  const frames: Frame[] = [];
  /** The element whose text is replaced, and where that text stands. */
  let replaced:
    | { substitution: Substitution; start: number; end: number; written: string; scope: SsmlScope }
    | undefined;
  for (const event of parseXml(text, { depthMax: limits.ssmlDepthMax })) {
    const around = frames.at(-1);
    if (event.kind === 'text') {
      const { start, end } = event;
      if (replaced) {
        const written = decodeEntities(text.slice(start, end));
        const isFirst = replaced.written.trim() === '';
        replaced = { ...replaced, written: replaced.written + written, end, ...(isFirst && { start }) };
      } else if (isEmptyElement(around!.tag.name)) {
        if (text.slice(start, end).trim() !== '')
          throw new SsmlError(`<${around!.tag.name}> holds no text`, start);
      } else yield { kind: 'text', start, end, scope: around!.scope };
    } else if (event.kind === 'open') {
      if (replaced || isEmptyElement(around?.tag.name ?? ''))
        throw new SsmlError(`<${around!.tag.name}> holds no element`, event.start);
      assertElement(event, around);
      const scope = scopeWithin(event, around?.scope ?? {});
      frames.push({ tag: event, scope });
      const substitution = substitutionOf(event);
      if (substitution) replaced = { substitution, start: event.start, end: event.end, written: '', scope };
      yield* opening(event, limits);
    } else {
      frames.pop();
      if (replaced) yield { kind: 'substitution', ...trimmed(text, replaced) };
      replaced = undefined;
      if (event.name === 'p') yield { kind: 'end', of: 'paragraph' };
      if (event.name === 's') yield { kind: 'end', of: 'sentence' };
    }
  }
  if (text.trim() === '') throw new SsmlError('There is no <speak> element', 0);
}

function assertElement({ name, attributes, start }: Open, around: Frame | undefined): void {
  if (OTHER_ELEMENTS.has(name)) throw new SsmlError(`The element <${name}> is not supported`, start);
  const known = Object.hasOwn(ELEMENTS, name) ? ELEMENTS[name] : undefined;
  if (!known) throw new SsmlError(`<${name.slice(0, 60)}> is no element of SSML that is supported`, start);
  if ((name === 'speak') !== (around === undefined)) {
    throw new SsmlError('The text must be one <speak> element, with no other inside it', start);
  }
  for (const attribute of attributes.keys()) {
    if (known.includes(attribute) || SILENT_ATTRIBUTE.test(attribute)) continue;
    throw new SsmlError(`The attribute ${attribute.slice(0, 60)} of <${name}> is not supported`, start);
  }
}

function isEmptyElement(name: string): boolean {
  return name === 'break' || name === 'mark';
}

function scopeWithin({ name, attributes, start }: Open, around: SsmlScope): SsmlScope {
  const scope = name === 'voice' ? voiceScope(attributes, around, start) : around;
  const language = attributes.get('xml:lang');
  if (name === 'lang' && language === undefined) throw missing('lang', 'xml:lang', start);
  if (language !== undefined) {
    if (name !== 'speak' && !isKnownLanguage(language, around))
      throw new SsmlError(`The language ${JSON.stringify(language.slice(0, 40))} is not supported`, start);
    return { ...scope, language };
  }
  if (name === 'prosody') return { ...scope, prosody: applyProsody(attributes, scope.prosody, start) };
  if (name === 'emphasis') return { ...scope, prosody: applyEmphasis(attributes, scope.prosody, start) };
  return scope;
}

/** A voice speaks its own language unless it is told another. */
function voiceScope(attributes: ReadonlyMap<string, string>, around: SsmlScope, at: number): SsmlScope {
  const voice = attributes.get('name')?.trim();
  if (!voice) throw missing('voice', 'name', at);
  const { language: _, ...rest } = around;
  return { ...rest, voice };
}

function isKnownLanguage(tag: string, around: SsmlScope): boolean {
  const base = baseOf(tag);
  return LANGUAGES.some((language) => baseOf(language) === base) || baseOf(around.language ?? '') === base;
}

function baseOf(tag: string): string {
  return tag.trim().toLowerCase().split(/[-_]/)[0]!;
}

function* opening({ name, attributes, start, end }: Open, limits: SsmlLimits): Generator<SsmlEvent> {
  if (name === 'p') yield { kind: 'end', of: 'paragraph' };
  if (name === 's') yield { kind: 'end', of: 'sentence' };
  if (name === 'break') {
    const seconds = breakSeconds(attributes, { at: start, secondsMax: limits.ssmlBreakMaxSeconds });
    yield { kind: 'break', seconds, start, end };
  }
  if (name === 'mark') {
    const mark = attributes.get('name');
    if (!mark) throw missing('mark', 'name', start);
    yield { kind: 'mark', name: mark, start, end };
  }
}

function substitutionOf({ name, attributes, start }: Open): Substitution | undefined {
  if (name === 'phoneme') return { kind: 'phonemes', phonemes: phonemesOf(attributes, start) };
  if (name === 'sub')
    return { kind: 'alias', alias: attributes.get('alias') ?? fail(missing('sub', 'alias', start)) };
  if (name !== 'say-as') return undefined;
  const interpretation = attributes.get('interpret-as')?.trim().toLowerCase();
  if (!interpretation) throw missing('say-as', 'interpret-as', start);
  if (!isInterpretation(interpretation))
    throw new SsmlError(
      `interpret-as=${JSON.stringify(interpretation.slice(0, 40))} is not supported`,
      start,
    );
  return { kind: 'say-as', interpretation, format: attributes.get('format')?.trim().toLowerCase() ?? '' };
}

function phonemesOf(attributes: ReadonlyMap<string, string>, at: number): GivenPhonemes {
  const written = attributes.get('ph') ?? fail(missing('phoneme', 'ph', at));
  const name = attributes.get('alphabet') ?? 'ipa';
  const alphabet = Object.hasOwn(ALPHABETS, name.toLowerCase()) ? ALPHABETS[name.toLowerCase()] : undefined;
  if (!alphabet) throw new SsmlError(`alphabet=${JSON.stringify(name.slice(0, 40))} is not supported`, at);
  const parsed = parseInAlphabet(alphabet, written);
  if ('value' in parsed) return parsed.value;
  throw new SsmlError(`ph=${JSON.stringify(written.slice(0, 60))} cannot be read: ${parsed.problem}`, at);
}

function trimmed<Content extends { start: number; end: number; written: string }>(
  text: string,
  content: Content,
): Content {
  const span = text.slice(content.start, content.end);
  if (span.trim() === '') return content;
  const start = content.start + span.length - span.trimStart().length;
  return { ...content, start, end: content.start + span.trimEnd().length };
}

function missing(element: string, attribute: string, at: number): SsmlError {
  return new SsmlError(`<${element}> needs the attribute ${attribute}`, at);
}

function fail(error: SsmlError): never {
  throw error;
}
