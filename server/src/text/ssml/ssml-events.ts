import { parseInAlphabet } from '../phonemes/parse-phonemes.ts';
import { type GivenPhonemes, LANGUAGES, type Prosody } from '../piece.ts';
import { applyEmphasis, applyProsody, breakSeconds } from './prosody.ts';
import { isInterpretation } from './say-as.ts';
import { SsmlError } from './ssml-error.ts';
import { decodeEntities, parseXml, type XmlEvent } from './xml-parser.ts';

export interface SsmlLimits {
  /** Maximum nesting depth. */
  readonly ssmlDepthMax: number;
  /** Maximum duration of one break. */
  readonly ssmlBreakMaxSeconds: number;
}

/** The voice, language (BCP 47 tag) and prosody of an element. Absent fields: those of the request. */
export interface SsmlScope {
  readonly voice?: string;
  readonly language?: string;
  readonly prosody?: Prosody | undefined;
}

/** How an element replaces its text. */
export type Substitution =
  | { readonly kind: 'phonemes'; readonly phonemes: GivenPhonemes }
  | { readonly kind: 'alias'; readonly alias: string }
  | { readonly kind: 'say-as'; readonly interpretation: string; readonly format: string };

/** The events of an SSML text, in order. Offsets are those of the text. */
export type SsmlEvent =
  | { readonly kind: 'text'; readonly start: number; readonly end: number; readonly scope: SsmlScope }
  | {
      readonly kind: 'substitution';
      readonly substitution: Substitution;
      /** The text of the element, and its offsets. */
      readonly written: string;
      readonly start: number;
      readonly end: number;
      readonly scope: SsmlScope;
    }
  | { readonly kind: 'break'; readonly seconds: number; readonly start: number; readonly end: number }
  | { readonly kind: 'mark'; readonly name: string; readonly start: number; readonly end: number }
  | { readonly kind: 'end'; readonly of: 'sentence' | 'paragraph' };

/** Supported elements with their attributes. */
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
/** Elements of the standard that are rejected, because ignoring them would change the meaning. */
const UNSUPPORTED_ELEMENTS = new Set([
  'audio',
  'desc',
  'lexicon',
  'lookup',
  'meta',
  'metadata',
  'token',
  'w',
]);
/** Attributes without an effect on the speech. */
const IGNORED_ATTRIBUTE = /^(?:xmlns(?::.*)?|xsi:.*|xml:(?:id|base|space)|onlangfailure)$/;

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

/** Maximum length of the text or alias of an element that replaces its text. */
const SUBSTITUTION_LENGTH_MAX = 1000;
/**
 * Maximum lengths of a language tag and of the name of a voice. Both are compared again for each element within their
 * scope.
 */
const LANGUAGE_LENGTH_MAX = 100;
const VOICE_NAME_LENGTH_MAX = 256;

const ROOT =
  /^[\s\ufeff]*(?:<\?xml[^<>]{0,200}\?>\s*)?(?:<!--[^<>]{0,500}-->\s*){0,4}<(?:!DOCTYPE\s+)?speak(?=[\s>/])/;

/** Whether a text is intended as SSML: its first element is `<speak>`. */
export function isSsml(text: string): boolean {
  return ROOT.test(text);
}

type Open = XmlEvent & { kind: 'open' };
interface Frame {
  readonly tag: Open;
  readonly scope: SsmlScope;
}

/**
 * Parses an SSML text to events, lazily, in memory that depends only on its depth. Throws an `SsmlError` for invalid
 * or unsupported SSML.
 */
export function* parseSsml(text: string, limits: SsmlLimits): Generator<SsmlEvent> {
  const frames: Frame[] = [];
  /** The element whose text is replaced, with its text and offsets. */
  let replaced:
    | { substitution: Substitution; start: number; end: number; written: string; scope: SsmlScope }
    | undefined;
  for (const event of parseXml(text, { depthMax: limits.ssmlDepthMax })) {
    const enclosing = frames.at(-1);
    if (event.kind === 'text') {
      const { start, end } = event;
      if (replaced) {
        assertSubstitutionLength(enclosing!.tag, replaced.written.length + end - start);
        const written = decodeEntities(text.slice(start, end));
        const isFirst = replaced.written.trim() === '';
        replaced = { ...replaced, written: replaced.written + written, end, ...(isFirst && { start }) };
      } else if (isEmptyElement(enclosing!.tag.name)) {
        if (text.slice(start, end).trim() !== '')
          throw new SsmlError(`<${enclosing!.tag.name}> must not contain text`, start);
      } else yield { kind: 'text', start, end, scope: enclosing!.scope };
    } else if (event.kind === 'open') {
      if (replaced || isEmptyElement(enclosing?.tag.name ?? ''))
        throw new SsmlError(`<${enclosing!.tag.name}> must not contain an element`, event.start);
      assertElement(event, enclosing);
      const scope = scopeWithin(event, enclosing?.scope ?? {});
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

function assertElement({ name, attributes, start }: Open, enclosing: Frame | undefined): void {
  if (UNSUPPORTED_ELEMENTS.has(name)) throw new SsmlError(`The element <${name}> is not supported`, start);
  const known = Object.hasOwn(ELEMENTS, name) ? ELEMENTS[name] : undefined;
  if (!known) throw new SsmlError(`<${name.slice(0, 60)}> is not a supported SSML element`, start);
  if ((name === 'speak') !== (enclosing === undefined)) {
    throw new SsmlError('The text must be one <speak> element, with no other inside it', start);
  }
  for (const attribute of attributes.keys()) {
    if (known.includes(attribute) || IGNORED_ATTRIBUTE.test(attribute)) continue;
    throw new SsmlError(`The attribute ${attribute.slice(0, 60)} of <${name}> is not supported`, start);
  }
}

function isEmptyElement(name: string): boolean {
  return name === 'break' || name === 'mark';
}

function scopeWithin({ name, attributes, start }: Open, enclosing: SsmlScope): SsmlScope {
  const scope = name === 'voice' ? voiceScope(attributes, enclosing, start) : enclosing;
  const language = attributes.get('xml:lang');
  if (name === 'lang' && language === undefined) throw createMissingAttributeError('lang', 'xml:lang', start);
  if (language !== undefined) {
    assertLength(language, LANGUAGE_LENGTH_MAX, { attribute: 'xml:lang', name, start });
    if (name !== 'speak' && !isKnownLanguage(language, enclosing))
      throw new SsmlError(`The language ${JSON.stringify(language.slice(0, 40))} is not supported`, start);
    return { ...scope, language };
  }
  if (name === 'prosody') return { ...scope, prosody: applyProsody(attributes, scope.prosody, start) };
  if (name === 'emphasis') return { ...scope, prosody: applyEmphasis(attributes, scope.prosody, start) };
  return scope;
}

/** A `voice` element resets the language to that of the voice. */
function voiceScope(attributes: ReadonlyMap<string, string>, enclosing: SsmlScope, at: number): SsmlScope {
  const voice = attributes.get('name')?.trim();
  if (!voice) throw createMissingAttributeError('voice', 'name', at);
  assertLength(voice, VOICE_NAME_LENGTH_MAX, { attribute: 'name', name: 'voice', start: at });
  const { language: _, ...rest } = enclosing;
  return { ...rest, voice };
}

function isKnownLanguage(tag: string, enclosing: SsmlScope): boolean {
  const base = baseOf(tag);
  return LANGUAGES.some((language) => baseOf(language) === base) || baseOf(enclosing.language ?? '') === base;
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
    if (!mark) throw createMissingAttributeError('mark', 'name', start);
    yield { kind: 'mark', name: mark, start, end };
  }
}

/** A substitution is one expression: it is verbalized at once. */
function assertSubstitutionLength({ name, start }: Pick<Open, 'name' | 'start'>, length: number): void {
  if (length <= SUBSTITUTION_LENGTH_MAX) return;
  throw new SsmlError(
    `The text of <${name}> has more than ${SUBSTITUTION_LENGTH_MAX} characters; divide it into several elements`,
    start,
  );
}

function substitutionOf({ name, attributes, start }: Open): Substitution | undefined {
  if (name === 'phoneme') return { kind: 'phonemes', phonemes: phonemesOf(attributes, start) };
  if (name === 'sub') {
    const alias = attributes.get('alias') ?? fail(createMissingAttributeError('sub', 'alias', start));
    assertSubstitutionLength({ name, start }, alias.length);
    return { kind: 'alias', alias };
  }
  if (name !== 'say-as') return undefined;
  const interpretation = attributes.get('interpret-as')?.trim().toLowerCase();
  if (!interpretation) throw createMissingAttributeError('say-as', 'interpret-as', start);
  if (!isInterpretation(interpretation))
    throw new SsmlError(
      `interpret-as=${JSON.stringify(interpretation.slice(0, 40))} is not supported`,
      start,
    );
  return { kind: 'say-as', interpretation, format: attributes.get('format')?.trim().toLowerCase() ?? '' };
}

function phonemesOf(attributes: ReadonlyMap<string, string>, at: number): GivenPhonemes {
  const written = attributes.get('ph') ?? fail(createMissingAttributeError('phoneme', 'ph', at));
  const name = attributes.get('alphabet') ?? 'ipa';
  const alphabet = Object.hasOwn(ALPHABETS, name.toLowerCase()) ? ALPHABETS[name.toLowerCase()] : undefined;
  if (!alphabet) throw new SsmlError(`alphabet=${JSON.stringify(name.slice(0, 40))} is not supported`, at);
  const parsed = parseInAlphabet(alphabet, written);
  if (parsed.isValid) return parsed.value;
  throw new SsmlError(`ph=${JSON.stringify(written.slice(0, 60))} is invalid: ${parsed.problem}`, at);
}

function assertLength(
  value: string,
  max: number,
  { attribute, name, start }: { readonly attribute: string; readonly name: string; readonly start: number },
): void {
  if (value.length <= max) return;
  throw new SsmlError(`The attribute ${attribute} of <${name}> has more than ${max} characters`, start);
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

function createMissingAttributeError(element: string, attribute: string, at: number): SsmlError {
  return new SsmlError(`<${element}> requires the attribute ${attribute}`, at);
}

function fail(error: SsmlError): never {
  throw error;
}
