import { textBlocks } from './blocks.ts';
import { type CleanText, cleanText } from './clean-text.ts';
import type { CueStyle } from './cues.ts';
import type { Joints } from './phrase-joints.ts';
import type { SpokenWord } from './piece.ts';
import type { Rule, Word } from './reading.ts';
import { PAUSES, type Pause, scan, type Token } from './scanner.ts';

/** Words that must stay together, with the pause after them and the cues before them. */
export interface Phrase {
  readonly words: readonly SpokenWord[];
  readonly cues: readonly { readonly name: string; readonly start: number; readonly end: number }[];
  readonly pause: Pause;
  /** The next phrase is spoken by somebody else. */
  readonly endsTurn: boolean;
  readonly start: number;
  readonly end: number;
  /** About how many phonemes it makes. */
  readonly weight: number;
}

/** How a language's text becomes phrases. */
export interface PhraseOptions {
  readonly read: Rule;
  readonly cueStyle: CueStyle;
  readonly joints: Joints;
}

const WORD_LENGTH_MAX = 64;
/** What is longer than this is taken apart again, though it was read as one. */
const PHRASE_WEIGHT_MAX = 240;

/**
 * The whole text as phrases, in order and one at a time. A phrase without words comes only at the very
 * end, and only to carry cues that stand after the last word.
 */
export function* textPhrases(text: string, options: PhraseOptions): Generator<Phrase> {
  const builder = new PhraseBuilder(options.joints);
  for (const block of textBlocks(text)) {
    const clean = cleanText(text, block.start, block.end);
    for (const token of scan(clean.text, options.read, options.cueStyle)) {
      const finished = builder.add(token, clean);
      if (finished) yield* finished;
    }
    if (block.ends === 'paragraph') builder.endParagraph();
    else if (block.ends === 'line') builder.endLine();
  }
  yield* builder.finish();
}

interface Draft {
  /** Its line is over: marks that follow are not its own. */
  hasEnded?: true;
  words: SpokenWord[];
  cues: Phrase['cues'];
  pause: Pause;
  start: number;
  end: number;
}

/** Holds back the last phrase until it is known what punctuation and which word follow it. */
class PhraseBuilder {
  readonly #joints: Joints;
  #draft: Draft | undefined;
  #cues: { name: string; start: number; end: number }[] = [];
  #opening = '';
  #openingStart = -1;
  #lastPlace = { start: 0, end: 0 };

  constructor(joints: Joints) {
    this.#joints = joints;
  }

  add(token: Token, clean: CleanText): Phrase[] | undefined {
    const start = clean.startOf(token.start);
    const end = Math.max(start, clean.endOf(token.end));
    switch (token.kind) {
      case 'words':
        return this.#addWords(token.words, clean, start, end);
      case 'open':
        if (this.#opening === '') this.#openingStart = start;
        if (this.#opening.length < 2) this.#opening += token.mark;
        return undefined;
      case 'close':
        this.#close(token.marks, token.pause, end);
        return undefined;
      case 'cue':
        this.#cues.push({ name: token.name, start, end });
        return undefined;
    }
  }

  endParagraph(): void {
    this.#opening = '';
    if (!this.#draft) return;
    this.#draft.pause = PAUSES.paragraph;
    this.#draft.hasEnded = true;
  }

  /** A line that breaks off is an item of a list or a verse; a finished one is a paragraph. */
  endLine(): void {
    const draft = this.#draft;
    this.#opening = '';
    if (!draft) return;
    draft.hasEnded = true;
    const last = draft.words.at(-1)!;
    if (/[.!?…]/.test(last.after)) draft.pause = PAUSES.paragraph;
    else if (/[,;—]/.test(last.after)) draft.pause = PAUSES.clause;
    else {
      draft.pause = PAUSES.sentence;
      if (!last.after.includes(':'))
        draft.words[draft.words.length - 1] = { ...last, after: joinMarks(last.after, '.') };
    }
  }

  *finish(): Generator<Phrase> {
    if (this.#draft) yield* this.#takeDraft(false);
    if (this.#cues.length === 0) return;
    const [start, end] = [this.#cues[0]!.start, this.#cues.at(-1)!.end];
    yield { words: [], cues: this.#cues, pause: PAUSES.paragraph, endsTurn: false, start, end, weight: 0 };
  }

  #addWords(words: readonly Word[], clean: CleanText, start: number, end: number): Phrase[] | undefined {
    const spoken = words.flatMap((word) => spokenWords(word, clean)).map((word) => this.#inOrder(word));
    const first = spoken[0];
    if (!first) return undefined;
    const endsTurn = this.#cues.some((cue) => cue.name.startsWith('speaker:'));
    if (this.#draft?.pause === PAUSES.none) this.#draft.pause = this.#pauseBefore(first.text, this.#draft);
    const finished = this.#draft ? this.#takeDraft(endsTurn) : undefined;
    const opening = this.#opening;
    if (opening !== '') spoken[0] = { ...first, before: opening };
    const draftStart = opening === '' ? start : Math.min(start, this.#openingStart);
    this.#draft = { words: spoken, cues: this.#cues, pause: PAUSES.none, start: draftStart, end };
    this.#cues = [];
    this.#opening = '';
    return finished;
  }

  /** Where nothing is written a reader breathes before a clause or a phrase, but not after a word that leans on it. */
  #pauseBefore(next: string, { words }: Draft): Pause {
    const { clauseStarts, phraseStarts, leaningWords } = this.#joints;
    if (leaningWords.has(words.at(-1)!.text.toLowerCase())) return PAUSES.none;
    if (clauseStarts.has(next)) return PAUSES.clauseStart;
    return phraseStarts.has(next) ? PAUSES.phrase : PAUSES.none;
  }

  /** One written character can stand for parts of two words ("℃x"); it then belongs to the first of them. */
  #inOrder(word: SpokenWord): SpokenWord {
    const { start, end } = this.#lastPlace;
    const isSame = word.start === start && word.end === end;
    if (isSame || word.start >= end) {
      this.#lastPlace = { start: word.start, end: word.end };
      return word;
    }
    if (word.end <= end) return { ...word, start, end };
    this.#lastPlace = { start: end, end: word.end };
    return { ...word, start: end };
  }

  #close(marks: string, pause: Pause, end: number): void {
    this.#opening = '';
    const draft = this.#draft;
    // A mark at the start of a paragraph is a bullet or a dash of dialogue.
    if (!draft || draft.hasEnded) return;
    const last = draft.words.at(-1)!;
    draft.words[draft.words.length - 1] = { ...last, after: joinMarks(last.after, marks) };
    draft.pause = Math.max(draft.pause, pause) as Pause;
    // A mark after a cue is still this phrase's, but the cue already belongs to the next.
    if (this.#cues.length === 0) draft.end = Math.max(draft.end, end);
  }

  #takeDraft(endsTurn: boolean): Phrase[] {
    const { words, cues, pause, start, end } = this.#draft!;
    this.#draft = undefined;
    const weight = words.reduce((sum, word) => sum + wordWeight(word), 0);
    const whole: Phrase = { words, cues, pause, endsTurn, start, end, weight };
    return weight <= PHRASE_WEIGHT_MAX ? [whole] : takeApart(whole);
  }
}

/** One phrase for each place in the text, so that even what was read as one can be cut. */
function takeApart(whole: Phrase): Phrase[] {
  const parts: Phrase[] = [];
  for (let from = 0; from < whole.words.length; ) {
    const { start, end } = whole.words[from]!;
    let to = from + 1;
    while (to < whole.words.length && whole.words[to]!.start < end) to++;
    const words = whole.words.slice(from, to);
    const weight = words.reduce((sum, word) => sum + wordWeight(word), 0);
    parts.push({
      ...whole,
      words,
      weight,
      start,
      end,
      cues: [],
      pause: words.at(-1)!.after === '' ? PAUSES.none : PAUSES.comma,
      endsTurn: false,
    });
    from = to;
  }
  const last = parts.length - 1;
  parts[0] = { ...parts[0]!, cues: whole.cues, start: whole.start };
  parts[last] = { ...parts[last]!, pause: whole.pause, endsTurn: whole.endsTurn, end: whole.end };
  return parts;
}

/** A word with its place in the caller's text; an absurdly long one in several parts. */
function spokenWords(word: Word, clean: CleanText): SpokenWord[] {
  if (word.text.length <= WORD_LENGTH_MAX) return [spokenWord(word, word.text, word.start, word.end, clean)];
  const parts: SpokenWord[] = [];
  for (let at = 0; at < word.text.length; at += WORD_LENGTH_MAX) {
    const text = word.text.slice(at, at + WORD_LENGTH_MAX);
    const isLiteral = word.text.length === word.end - word.start;
    const start = isLiteral ? word.start + at : word.start;
    parts.push(spokenWord(word, text, start, isLiteral ? start + text.length : word.end, clean));
  }
  return parts;
}

function spokenWord(word: Word, text: string, from: number, to: number, clean: CleanText): SpokenWord {
  const start = clean.startOf(from);
  const end = Math.max(start, clean.endOf(to));
  const plain = { text, start, end, before: '', after: word.after ?? '' };
  return word.spell ? { ...plain, spell: true } : plain;
}

/** Puts marks after those already there, keeping the stronger stop and each bracket once. */
function joinMarks(present: string, added: string): string {
  const marks = present + added;
  const stop = ['?', '!', '…', '.', '—', ';', ':', ','].find((mark) => marks.includes(mark)) ?? '';
  return `${marks.includes(')') ? ')' : ''}${stop}${marks.includes('”') ? '”' : ''}`;
}

const WIDE = /[\p{Script=Han}]/gu;
const KANA = /[\p{Script=Hiragana}\p{Script=Katakana}]/gu;

function wordWeight(word: SpokenWord): number {
  if (word.spell) return 5;
  const code = word.text.charCodeAt(0);
  if (code < 0x2e80) return word.text.length + 1;
  const han = word.text.match(WIDE)?.length ?? 0;
  const kana = word.text.match(KANA)?.length ?? 0;
  return han * 5 + kana * 2 + (word.text.length - han - kana) + 1;
}
