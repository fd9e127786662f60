import { matchAt } from '../match-at.ts';
import { SsmlError } from './ssml-error.ts';

/** The events of an XML document, in order. Offsets are those of the text. */
export type XmlEvent =
  | {
      readonly kind: 'open';
      readonly name: string;
      readonly attributes: ReadonlyMap<string, string>;
      readonly start: number;
      readonly end: number;
    }
  | { readonly kind: 'close'; readonly name: string; readonly start: number; readonly end: number }
  /** Character data as written, with its entities. */
  | { readonly kind: 'text'; readonly start: number; readonly end: number };

const SPACE = /[\s\ufeff]*/y;
const NAME = /[\p{L}_:][\p{L}\p{M}\p{N}_:.·-]{0,127}/uy;
const ATTRIBUTE = /\s+([\p{L}_:][\p{L}\p{M}\p{N}_:.·-]{0,127})\s*=\s*(?:"([^"<]*)"|'([^'<]*)')/uy;
const TAG_END = /\s*(\/?)>/y;
const ENTITY = /&(?:(amp|lt|gt|quot|apos)|#(\d{1,7})|#x([\da-fA-F]{1,6}));/y;
const ENTITIES: Readonly<Record<string, string>> = { amp: '&', lt: '<', gt: '>', quot: '"', apos: "'" };
const ATTRIBUTES_MAX = 32;
const AMPERSAND = 0x26;

export interface XmlLimits {
  /** Maximum nesting depth. */
  readonly depthMax: number;
  /** Maximum length of an attribute value and of the text between two tags, each of which is read in one step. */
  readonly contentMaxChars?: number;
}

/**
 * Streaming XML parser, in memory that depends only on the depth. Supports elements, attributes, comments, CDATA and
 * the five predefined entities; declarations are rejected. Throws an `SsmlError` for text that is not well-formed,
 * also after the root element.
 */
export function* parseXml(
  text: string,
  { depthMax, contentMaxChars = Number.POSITIVE_INFINITY }: XmlLimits,
): Generator<XmlEvent> {
  const open: string[] = [];
  let at = skipDeclaration(text);
  let hasRoot = false;
  while (at < text.length) {
    const next = text[at] === '<' ? at : nextTag(text, at);
    if (next > at) {
      assertContentLength(next - at, contentMaxChars, at);
      assertCharacterData(text, at, next);
      if (open.length > 0) yield { kind: 'text', start: at, end: next };
      else if (!isBlank(text, at, next)) throw new SsmlError('There is text outside of the root element', at);
      at = next;
      continue;
    }
    if (text.startsWith('<!--', at)) at = skipPast(text, at, '-->', 'A comment');
    else if (text.startsWith('<?', at)) at = skipPast(text, at, '?>', 'A processing instruction');
    else if (text.startsWith('<![CDATA[', at) && open.length > 0) {
      const end = skipPast(text, at, ']]>', 'A CDATA section');
      assertContentLength(end - at, contentMaxChars, at);
      yield { kind: 'text', start: at + '<![CDATA['.length, end: end - ']]>'.length };
      at = end;
    } else if (text.startsWith('<!', at)) {
      throw new SsmlError('A document type or another declaration is not allowed', at);
    } else if (text[at + 1] === '/') {
      const close = parseCloseTag(text, at);
      const opened = open.pop();
      if (opened !== close.name)
        throw new SsmlError(
          `Unexpected </${close.name}>: ${opened ? `<${opened}> is open` : 'no element is open'}`,
          at,
        );
      yield close;
      at = close.end;
    } else {
      if (hasRoot && open.length === 0) throw new SsmlError('There is a second root element', at);
      const { tag, isEmpty } = parseOpenTag(text, at, contentMaxChars);
      hasRoot = true;
      if (open.length >= depthMax) throw new SsmlError(`Elements are nested more than ${depthMax} deep`, at);
      yield tag;
      if (isEmpty) yield { kind: 'close', name: tag.name, start: tag.end, end: tag.end };
      else open.push(tag.name);
      at = tag.end;
    }
  }
  const unclosed = open.pop();
  if (unclosed !== undefined) throw new SsmlError(`<${unclosed}> is not closed`, text.length);
}

/** Decodes the entities of an attribute value or of character data. */
export function decodeEntities(written: string): string {
  return written.replace(/&(?:#x?[\da-fA-F]+|[a-z]+);/g, (entity) => {
    ENTITY.lastIndex = 0;
    const [, name, decimal, hexadecimal] = ENTITY.exec(entity) ?? [];
    if (name) return ENTITIES[name]!;
    return String.fromCodePoint(decimal ? Number(decimal) : Number.parseInt(hexadecimal ?? '20', 16));
  });
}

function skipDeclaration(text: string): number {
  SPACE.lastIndex = 0;
  return SPACE.exec(text)![0].length;
}

function nextTag(text: string, at: number): number {
  const next = text.indexOf('<', at);
  return next < 0 ? text.length : next;
}

function skipPast(text: string, at: number, mark: string, what: string): number {
  const end = text.indexOf(mark, at);
  if (end < 0) throw new SsmlError(`${what} is not closed`, at);
  return end + mark.length;
}

function isBlank(text: string, start: number, end: number): boolean {
  SPACE.lastIndex = start;
  return SPACE.exec(text)![0].length >= end - start;
}

function parseOpenTag(
  text: string,
  at: number,
  contentMaxChars: number,
): { tag: XmlEvent & { kind: 'open' }; isEmpty: boolean } {
  const name = matchAt(NAME, text, at + 1)?.[0];
  if (name === undefined)
    throw new SsmlError('A "<" must begin an element; write &lt; for the sign itself', at);
  const attributes = new Map<string, string>();
  let end = at + 1 + name.length;
  for (let found = matchAt(ATTRIBUTE, text, end); found; found = matchAt(ATTRIBUTE, text, end)) {
    const [written, key = '', double, single] = found;
    assertContentLength(written.length, contentMaxChars, end);
    const valueStart = end + written.length - 1 - (double ?? single!).length;
    assertCharacterData(text, valueStart, end + written.length - 1);
    if (attributes.has(key)) throw new SsmlError(`<${name}> has the attribute ${key} twice`, end);
    if (attributes.size >= ATTRIBUTES_MAX) throw new SsmlError(`<${name}> has too many attributes`, end);
    attributes.set(key, decodeEntities(double ?? single!));
    end += written.length;
  }
  const close = matchAt(TAG_END, text, end);
  if (!close) throw new SsmlError(`The tag <${name}> is malformed`, end);
  const isEmpty = close[1] === '/';
  return { tag: { kind: 'open', name, attributes, start: at, end: end + close[0].length }, isEmpty };
}

function parseCloseTag(text: string, at: number): XmlEvent & { kind: 'close' } {
  const name = matchAt(NAME, text, at + 2)?.[0] ?? '';
  const end = matchAt(TAG_END, text, at + 2 + name.length);
  if (name === '' || !end || end[1] === '/') throw new SsmlError('A closing tag is malformed', at);
  return { kind: 'close', name, start: at, end: at + 2 + name.length + end[0].length };
}

function assertContentLength(length: number, max: number, at: number): void {
  if (length > max) throw new SsmlError(`A text or an attribute has more than ${max} characters`, at);
}

/** Rejects characters that XML excludes, and entities other than the predefined and numeric ones. */
function assertCharacterData(text: string, start: number, end: number): void {
  for (let at = start; at < end; at++) {
    const code = text.charCodeAt(at);
    if (code === AMPERSAND) assertEntity(text, at);
    else if (code < 0x20 && !isXmlCharacter(code)) throw new SsmlError('There is a control character', at);
  }
}

function assertEntity(text: string, at: number): void {
  const entity = matchAt(ENTITY, text, at);
  if (!entity)
    throw new SsmlError('An "&" must begin one of the entities of XML; write &amp; for the sign itself', at);
  const [, , decimal, hexadecimal] = entity;
  const number = decimal ?? hexadecimal;
  if (number !== undefined && !isXmlCharacter(Number.parseInt(number, decimal === undefined ? 16 : 10)))
    throw new SsmlError(`${entity[0]} stands for no character`, at);
}

function isXmlCharacter(code: number): boolean {
  if (code < 0x20) return code === 0x9 || code === 0xa || code === 0xd;
  return code <= 0x10ffff && !(code >= 0xd800 && code <= 0xdfff) && code !== 0xfffe && code !== 0xffff;
}
