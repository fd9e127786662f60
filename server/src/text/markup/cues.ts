import { matchAt } from '../match-at.ts';

/** The published cue vocabulary, by group. */
export const CUE_VOCABULARY = {
  emotions: [
    ...['angry', 'anxious', 'confident', 'confused', 'curious', 'delighted', 'depressed', 'disdainful'],
    ...['disgusted', 'embarrassed', 'empathetic', 'excited', 'frustrated', 'grateful', 'guilty'],
    ...['hysterical', 'indifferent', 'moved', 'nervous', 'proud', 'relaxed', 'sad', 'sarcastic'],
    ...['satisfied', 'scared', 'surprised', 'unhappy', 'upset', 'worried'],
    ...['ashamed', 'bored', 'calm', 'compassionate', 'contemptuous', 'determined', 'disappointed'],
    ...['doubtful', 'envious', 'happy', 'hopeful', 'jealous', 'lonely', 'nostalgic', 'optimistic'],
    ...['pessimistic', 'regretful', 'resigned', 'sympathetic', 'uncertain'],
    ...['amused', 'astonished', 'awkward', 'comforting', 'conciliative', 'denying', 'disapproving'],
    ...['furious', 'hesitating', 'impatient', 'interested', 'joyful', 'keen', 'negative', 'painful'],
    ...['panicked', 'reluctant', 'scornful', 'serious', 'sincere', 'sneering', 'yielding'],
    ...['terrified', 'ecstatic'],
  ],
  tones: [
    ...['in a hurry tone', 'shouting', 'screaming', 'whispering', 'soft tone', 'emphasis', 'whisper'],
    ...['low voice', 'low volume', 'volume up', 'volume down', 'loud', 'excited tone', 'laughing tone'],
    ...['pitch up', 'pitch down', 'singing', 'echo'],
  ],
  sounds: [
    ...['laughing', 'chuckling', 'sobbing', 'crying loudly', 'sighing', 'groaning', 'panting', 'gasping'],
    ...['yawning', 'snoring', 'clear throat', 'clearing throat', 'breath', 'laugh', 'cough'],
    ...['lip-smacking', 'sigh', 'gasp', 'chuckle', 'tsk', 'inhale', 'exhale', 'moaning'],
  ],
  specials: [
    ...['audience laughing', 'audience laughter', 'background laughter', 'crowd laughing'],
    ...['break', 'long-break', 'pause', 'short pause', 'long pause'],
  ],
  /** Not listed, but used in the published examples. */
  styles: [
    ...['friendly', 'helpful', 'concerned', 'encouraging', 'enthusiastic', 'mysterious', 'narrator'],
    ...['relieved', 'brave', 'struggling', 'triumphant', 'urgent', 'shocked', 'delight'],
  ],
} as const;

/** Degree adverbs of a cue: `(very sad)`. */
export const CUE_INTENSITIES = ['slightly', 'very', 'extremely'] as const;

const KNOWN_CUES: ReadonlySet<string> = new Set<string>(Object.values(CUE_VOCABULARY).flat());
const INTENSITY = new RegExp(`^(?:${CUE_INTENSITIES.join('|')}) `);

/** The notation of cues: `(sad)`, `[sad]`, or both. */
export type CueStyle = 'parentheses' | 'brackets' | 'both';

/** A cue and its end offset. Without a `name`: markup that is dropped. */
export interface CueMatch {
  readonly name: string | undefined;
  /** Speaker number of `<|speaker:1|>`. */
  readonly speaker?: number;
  readonly end: number;
}

/** A phoneme span: the offsets of its value, and its end offset with the closing tag. */
export interface PhonemeSpan {
  readonly valueStart: number;
  readonly valueEnd: number;
  readonly end: number;
}

/** Whether a cue is in the published vocabulary, alone or after a degree adverb. */
export function isKnownCue(name: string): boolean {
  return KNOWN_CUES.has(name) || (INTENSITY.test(name) && KNOWN_CUES.has(name.replace(INTENSITY, '')));
}

const IN_PARENTHESES = /\(\s{0,3}([a-z][a-z -]{1,40}?)\s{0,3}\)/iy;
const IN_BRACKETS = /\[\s{0,3}([^[\]\n]{1,80}?)\s{0,3}\](?!\()/y;
const FOOTNOTE = /^(?:\^?\d{1,4}|[\d\s,;–-]{1,20}|\*|[a-z]|citation needed|sic|note \d{1,3}|x|)$/iu;
const NATURAL_LANGUAGE = /^[\p{L}\p{M}'’,. -]+!?$/u;
const CUE_WORDS_MAX = 6;
const SPEAKER = /<\|\s{0,3}speaker:(\d{1,4})\s{0,3}\|>/iy;
const PHONEME_START = /<\|phoneme_start\|>\s{0,20}/iy;
const PHONEME_END = /<\|phoneme_end\|>/iy;
const PHONEMES_MAX = 1024;
const PHONEME_MARGIN_MAX = 20;
const OTHER_TAG = /<\|[^<>|]{0,60}\|>/y;

/**
 * Finds the cue that begins at `at`. Parentheses must contain a known cue; square brackets any few words. Footnote
 * marks such as `[12]` and unknown `<|…|>` tags are matched without a name, so that they are dropped.
 */
export function findCue(text: string, at: number, style: CueStyle): CueMatch | undefined {
  switch (text[at]) {
    case '(':
      return style === 'brackets' ? undefined : findParenthesised(text, at);
    case '[':
      return findBracketed(text, at, style);
    case '<':
      return text[at + 1] === '|' ? findTag(text, at) : undefined;
    default:
      return undefined;
  }
}

function findParenthesised(text: string, at: number): CueMatch | undefined {
  const match = matchAt(IN_PARENTHESES, text, at);
  const name = match?.[1]?.toLowerCase().replace(/ +/g, ' ');
  return match && name && isKnownCue(name) ? { name, end: at + match[0].length } : undefined;
}

function findBracketed(text: string, at: number, style: CueStyle): CueMatch | undefined {
  const match = matchAt(IN_BRACKETS, text, at);
  if (!match) return undefined;
  const content = match[1]!.trim();
  const end = at + match[0].length;
  if (FOOTNOTE.test(content)) return { name: undefined, end };
  if (style === 'parentheses' || !NATURAL_LANGUAGE.test(content)) return undefined;
  const name = content.toLowerCase().replace(/\s+/g, ' ');
  return name.split(' ').length <= CUE_WORDS_MAX ? { name, end } : undefined;
}

function findTag(text: string, at: number): CueMatch | undefined {
  const speaker = matchAt(SPEAKER, text, at);
  if (speaker) return { name: undefined, speaker: Number(speaker[1]), end: at + speaker[0].length };
  const other = matchAt(OTHER_TAG, text, at);
  return other ? { name: undefined, end: at + other[0].length } : undefined;
}

/** The span `<|phoneme_start|>…<|phoneme_end|>` that begins at `at`. */
export function findPhonemeSpan(text: string, at: number): PhonemeSpan | undefined {
  const opening = text[at] === '<' && text[at + 1] === '|' ? matchAt(PHONEME_START, text, at) : null;
  if (!opening) return undefined;
  const valueStart = at + opening[0].length;
  const limit = Math.min(text.length, valueStart + PHONEMES_MAX + PHONEME_MARGIN_MAX);
  let close = valueStart;
  while (close < limit && !isTagCharacter(text.charCodeAt(close))) close++;
  const closing = matchAt(PHONEME_END, text, close);
  if (!closing) return undefined;
  let valueEnd = close;
  const marginFrom = Math.max(valueStart, close - PHONEME_MARGIN_MAX);
  while (valueEnd > marginFrom && /\s/.test(text[valueEnd - 1]!)) valueEnd--;
  if (valueEnd - valueStart > PHONEMES_MAX) return undefined;
  return { valueStart, valueEnd, end: close + closing[0].length };
}

/** `<`, `>` or `|`. */
function isTagCharacter(code: number): boolean {
  return code === 0x3c || code === 0x3e || code === 0x7c;
}

const FULL_WIDTH_BRACKETS: Readonly<Record<string, string>> = {
  '（': '(',
  '）': ')',
  '［': '[',
  '］': ']',
  '【': '[',
  '】': ']',
};
const FULL_WIDTH_BRACKET = /[（）［］【】]/g;
const MARKUP_START = /[([]|<(?=\|)/g;

/** The names of the cues of a text, in order, in time proportional to its length. */
export function* findCueNames(text: string, style: CueStyle): Generator<string> {
  const folded = text.replace(FULL_WIDTH_BRACKET, (bracket) => FULL_WIDTH_BRACKETS[bracket]!);
  for (let at = 0; ; ) {
    MARKUP_START.lastIndex = at;
    const start = MARKUP_START.exec(folded)?.index;
    if (start === undefined) return;
    const cue = findCue(folded, start, style);
    if (cue?.name !== undefined) yield cue.name;
    at = cue?.end ?? start + 1;
  }
}
