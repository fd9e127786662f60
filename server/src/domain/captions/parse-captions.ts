/** A caption of a file, to be spoken. Times are seconds. */
export interface ParsedCaption {
  readonly startSeconds: number;
  readonly endSeconds: number;
  /** Without markup and line breaks. */
  readonly text: string;
  /** From `<v Name>` in WebVTT, or `Name:` at the start of a line. */
  readonly speaker: string | undefined;
}

/** Why a caption file cannot be read. */
export class CaptionError extends Error {
  override readonly name = 'CaptionError';
}

export interface CaptionLimits {
  /** Maximum number of captions. */
  readonly captionsMax: number;
  /** Maximum length of the text of one caption. */
  readonly captionMaxChars: number;
  /** Maximum time of the end of the last caption. */
  readonly maxSeconds: number;
}

const TIMING =
  /^\s*((?:\d{1,4}:)?\d{1,2}:\d{1,2}[.,]\d{1,3})\s*-->\s*((?:\d{1,4}:)?\d{1,2}:\d{1,2}[.,]\d{1,3})/;
/** Blocks of WebVTT that are not captions. */
const OTHER_BLOCK = /^(?:WEBVTT|NOTE|STYLE|REGION)\b/;
const SPEAKER_LINE = /^([\p{Lu}][\p{L}\p{N} ._'-]{0,40}):\s+(?=\S)/u;

/** Maximum length of a caption with its markup. */
const BLOCK_MAX_CHARS = 20_000;

/**
 * Reads SubRip or WebVTT in steps of one caption. Captions without text are left out; the others are in order of their
 * start.
 */
export function* parseCaptionsInSteps(
  file: string,
  limits: CaptionLimits,
): Generator<undefined, ParsedCaption[]> {
  const captions: ParsedCaption[] = [];
  const blocks = file
    .replace(/^\ufeff/, '')
    .replace(/\r\n?/g, '\n')
    .split(/\n{2,}/);
  for (const block of blocks) {
    yield;
    if (block.length > BLOCK_MAX_CHARS) {
      if (OTHER_BLOCK.test(block)) continue;
      throw createInvalidCueError(
        captions.length + 1,
        `it has more than ${BLOCK_MAX_CHARS} characters with its markup`,
      );
    }
    const lines = block.split('\n').filter((line) => line.trim() !== '');
    const at = lines.findIndex((line) => TIMING.test(line));
    if (at < 0) {
      if (lines.length > 0 && !OTHER_BLOCK.test(lines[0]!.trim()))
        throw createInvalidCueError(captions.length + 1, 'it has no times');
      continue;
    }
    const caption = toCaption(lines[at]!, lines.slice(at + 1));
    if (caption.endSeconds <= caption.startSeconds)
      throw createInvalidCueError(captions.length + 1, 'it ends before it starts');
    if (caption.endSeconds > limits.maxSeconds)
      throw createInvalidCueError(captions.length + 1, `it ends after ${limits.maxSeconds} s`);
    if (caption.text.length > limits.captionMaxChars)
      throw createInvalidCueError(
        captions.length + 1,
        `it has more than ${limits.captionMaxChars} characters`,
      );
    if (caption.text === '') continue;
    captions.push(caption);
    if (captions.length > limits.captionsMax)
      throw new CaptionError(`The file has more than ${limits.captionsMax} captions.`);
  }
  if (captions.length === 0) throw new CaptionError('The file has no captions.');
  return captions.sort((a, b) => a.startSeconds - b.startSeconds);
}

function toCaption(timing: string, lines: readonly string[]): ParsedCaption {
  const [, start = '', end = ''] = TIMING.exec(timing) ?? [];
  const source = lines.join(' ');
  // Tags contain no further opening bracket, so that the cost of unclosed ones stays linear.
  const voice = /<v(?:\.[^\s<>]{0,100})?\s{1,10}([^<>]{1,100})>/.exec(source)?.[1]?.trim();
  const plain = decodeEntities(source.replace(/<[^<>]*>|\{\\[^{}]*\}/g, ''))
    .replace(/\s+/g, ' ')
    .replace(/^[-–—]\s+/, '')
    .trim();
  const named = voice === undefined ? SPEAKER_LINE.exec(plain) : null;
  return {
    startSeconds: toSeconds(start),
    endSeconds: toSeconds(end),
    text: named === null ? plain : plain.slice(named[0].length),
    speaker: voice ?? named?.[1],
  };
}

function toSeconds(time: string): number {
  return time
    .replace(',', '.')
    .split(':')
    .reduce((sum, part) => 60 * sum + Number(part), 0);
}

const ENTITIES: Readonly<Record<string, string>> = {
  amp: '&',
  lt: '<',
  gt: '>',
  nbsp: ' ',
  quot: '"',
  lrm: '',
  rlm: '',
};

function decodeEntities(text: string): string {
  return text.replace(/&(\w{2,5});/g, (whole, name: string) => ENTITIES[name] ?? whole);
}

function createInvalidCueError(number: number, problem: string): CaptionError {
  return new CaptionError(`Caption ${number}: ${problem}.`);
}
