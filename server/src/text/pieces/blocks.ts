/** A paragraph or line of the source, or a part of a long one. Blocks are processed one at a time. */
export interface Block {
  readonly start: number;
  readonly end: number;
  /** `none`: the next block continues the same line. */
  readonly boundary: 'none' | 'line' | 'paragraph';
}

/** Bounds the memory and the time until the first word. */
const BLOCK_LENGTH_MAX = 4096;
const LINE_BREAK = /[\n\r\u2028\u2029\u0085]/;
const SENTENCE_END = /[.!?。！？।]/;
const WRAPPED_LINE_MIN = 50;
const LIST_ITEM = /^(?:[-*•–#>|]|\d{1,3}[.)]\s|[a-z][.)]\s)/i;

/** Splits a text into paragraphs and lines, and long ones at a sentence end or between words. */
export function* splitIntoBlocks(text: string): Generator<Block> {
  let start = 0;
  while (start < text.length) {
    const end = paragraphEnd(text, start, Math.min(text.length, start + BLOCK_LENGTH_MAX));
    if (end.isBreak || end.at === text.length) {
      const next = skipLineBreaks(text, end.at);
      yield {
        start,
        end: end.at,
        boundary: isBlankBetween(text, start, end.at, next) ? 'paragraph' : 'line',
      };
      start = next;
    } else {
      const at = cutBetweenWords(text, start, end.at);
      yield { start, end: at, boundary: 'none' };
      start = at;
    }
  }
}

function paragraphEnd(text: string, start: number, limit: number): { at: number; isBreak: boolean } {
  let lineStart = start;
  for (let at = start; at < limit; at++) {
    if (text.charCodeAt(at) > 13 && !LINE_BREAK.test(text[at]!)) continue;
    if (!LINE_BREAK.test(text[at]!)) continue;
    const next = skipLineBreaks(text, at);
    if (!isWrapped(text, lineStart, at, next)) return { at, isBreak: true };
    lineStart = next;
    at = next - 1;
  }
  return { at: limit, isBreak: false };
}

/** Whether the break is a blank line or the end of the text. */
function isBlankBetween(text: string, start: number, end: number, next: number): boolean {
  if (next >= text.length || !/\S/.test(text.slice(start, end))) return true;
  return text.slice(end, next).replace('\r\n', '\n').length > 1;
}

function skipLineBreaks(text: string, at: number): number {
  let next = at;
  while (next < text.length && LINE_BREAK.test(text[next]!)) next++;
  return next;
}

/** Whether a line break only wraps a long line, as in e-mail: the sentence continues. */
function isWrapped(text: string, lineStart: number, lineEnd: number, next: number): boolean {
  const lineBreak = text.slice(lineEnd, Math.min(next, lineEnd + 3));
  if (lineBreak !== '\n' && lineBreak !== '\r\n' && lineBreak !== '\r') return false;
  const line = text.slice(Math.max(lineStart, lineEnd - 200), lineEnd).trimEnd();
  const following = text.slice(next, next + 8);
  if (
    line === '' ||
    /[.!?:;。！？：；।…"”]$/.test(line) ||
    /^\s*$/.test(following) ||
    LIST_ITEM.test(following)
  )
    return false;
  return /^\s{0,4}\p{Ll}/u.test(following) || line.length >= WRAPPED_LINE_MIN;
}

/** The best cut between `start` and `limit`: after a sentence, else at a space outside of numbers and brackets. */
export function cutBetweenWords(text: string, start: number, limit: number): number {
  let space = -1;
  const earliest = start + (limit - start) / 2;
  for (let at = limit - 1; at > earliest; at--) {
    const isSpace = text[at] === ' ' || text[at] === '\n' || text[at] === '\t';
    if (isSpace && SENTENCE_END.test(text[at - 1]!)) return at + 1;
    if (/[。！？।]/.test(text[at]!)) return at + 1;
    if (isSpace && space < 0 && canCutAtSpace(text, at)) space = at + 1;
  }
  return space >= 0 ? space : cutAnywhere(text, start, limit);
}

/** Offset of an unclosed bracket shortly before `at`, or -1. */
function openBracketBefore(text: string, at: number): number {
  const from = Math.max(0, at - 80);
  const before = text.slice(from, at);
  const open = Math.max(before.lastIndexOf('('), before.lastIndexOf('['), before.lastIndexOf('<'));
  const close = Math.max(before.lastIndexOf(')'), before.lastIndexOf(']'), before.lastIndexOf('>'));
  return open > close ? from + open : -1;
}

function canCutAtSpace(text: string, at: number): boolean {
  if (/\d/.test(text[at + 1] ?? '') || /\d/.test(text[at - 1] ?? '')) return false;
  return openBracketBefore(text, at) < 0;
}

/** For text without spaces. Never splits a surrogate pair or a combining sequence. */
function cutAnywhere(text: string, start: number, limit: number): number {
  const bracket = openBracketBefore(text, limit);
  if (bracket > start) return bracket;
  for (let at = limit; at > limit - 64 && at > start + 1; at--) {
    if (
      !/^[\udc00-\udfff\p{M}\u200d]/u.test(text.slice(at, at + 1)) &&
      !/[\udc00-\udfff]/.test(text[at] ?? '')
    )
      return at;
  }
  return limit;
}
