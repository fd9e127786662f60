import type { AnnotatedText } from '../normalise/annotated-text.ts';
import { estimatePhonemes, mergePunctuation, toSpokenWords } from '../normalise/spoken-words.ts';
import { BREAK_STRENGTHS, type BreakStrength, type Token } from '../normalise/tokenizer.ts';
import type { VerbalizedWord } from '../normalise/verbalization.ts';
import type { Language, SpokenWord } from '../piece.ts';
import type { PhraseBreakWords } from './phrase-break-words.ts';

/** The speaker, voice and language of a phrase. Absent fields: those of the request. */
export interface VoiceContext {
  readonly speaker?: number;
  readonly voice?: string;
  readonly language?: Language;
}

/** What changes after a phrase. `speaker` includes a change of voice; `language` is a change of language only. */
export type VoiceChange = 'none' | 'speaker' | 'language';

/** A named position in the text (SSML `mark`). */
export interface NamedMark {
  readonly name: string;
  readonly start: number;
  readonly end: number;
}

/** Words that are never separated, with the cues, marks and silence before them and the break after them. */
export interface Phrase {
  readonly words: readonly SpokenWord[];
  readonly cues: readonly { readonly name: string; readonly start: number; readonly end: number }[];
  readonly marks: readonly NamedMark[];
  /** Explicit silence before the words. */
  readonly silenceSeconds: number;
  readonly voiceContext: VoiceContext;
  readonly breakStrength: BreakStrength;
  readonly voiceChange: VoiceChange;
  readonly start: number;
  readonly end: number;
  readonly estimatedPhonemes: number;
}

/** A longer phrase is split, even if it is one expression. Bounds the longest piece that an engine receives. */
const PHRASE_PHONEMES_MAX = 240;
const DEFAULT_VOICE_CONTEXT: VoiceContext = {};

interface Draft {
  /** Its line has ended: punctuation that follows does not belong to it. */
  hasEnded?: true;
  words: SpokenWord[];
  cues: Phrase['cues'];
  marks: Phrase['marks'];
  silenceSeconds: number;
  voiceContext: VoiceContext;
  breakStrength: BreakStrength;
  start: number;
  end: number;
}

/** Markup that applies to the next words. */
interface PendingMarkup {
  readonly cues: { name: string; start: number; end: number }[];
  readonly marks: NamedMark[];
  silenceSeconds: number;
}

/** Builds phrases from tokens. A phrase is complete when the punctuation and the word after it are known. */
export class PhraseBuilder {
  #breakWords: PhraseBreakWords;
  #draft: Draft | undefined;
  #pending: PendingMarkup = { cues: [], marks: [], silenceSeconds: 0 };
  #voiceContext: VoiceContext = DEFAULT_VOICE_CONTEXT;
  #voiceChange: VoiceChange = 'none';
  #opening = '';
  #openingStart = -1;
  #lastSpan = { start: 0, end: 0 };

  constructor(breakWords: PhraseBreakWords) {
    this.#breakWords = breakWords;
  }

  /** Adds a token and returns the phrases that it completes. */
  add(token: Token, text: AnnotatedText): Phrase[] | undefined {
    const start = text.startOf(token.start);
    const end = Math.max(start, text.endOf(token.end));
    switch (token.kind) {
      case 'words':
        return this.#addWords(token.words, text, start, end);
      case 'open':
        if (this.#opening === '') this.#openingStart = start;
        if (this.#opening.length < 2) this.#opening += token.punctuation;
        return undefined;
      case 'close':
        this.#close(token.punctuation, token.breakStrength, end);
        return undefined;
      case 'cue':
        this.#pending.cues.push({ name: token.name, start, end });
        return undefined;
      case 'speaker':
        this.changeVoice({ speaker: token.speaker }, this.#breakWords);
        return undefined;
    }
  }

  /** Changes the voice or the language of the following words. */
  changeVoice(voiceContext: VoiceContext, breakWords: PhraseBreakWords): void {
    const isSameVoice = voiceContext.speaker === undefined && voiceContext.voice === this.#voiceContext.voice;
    this.#voiceChange = isSameVoice && this.#voiceChange !== 'speaker' ? 'language' : 'speaker';
    this.#voiceContext = voiceContext;
    this.#breakWords = breakWords;
  }

  /** Adds silence before the next words. */
  addSilence(seconds: number): void {
    this.#pending.silenceSeconds += seconds;
  }

  addMark(mark: NamedMark): void {
    this.#pending.marks.push(mark);
  }

  /** Ends the sentence, regardless of its punctuation. */
  endSentence(): void {
    const draft = this.#draft;
    this.#opening = '';
    if (!draft) return;
    draft.hasEnded = true;
    draft.breakStrength = Math.max(draft.breakStrength, BREAK_STRENGTHS.sentence) as BreakStrength;
    const last = draft.words.at(-1)!;
    if (!/[.!?…:]/.test(last.after))
      draft.words[draft.words.length - 1] = {
        ...last,
        after: mergePunctuation(last.after.replace(/[,;—]/g, ''), '.'),
      };
  }

  endParagraph(): void {
    this.#opening = '';
    if (!this.#draft) return;
    this.#draft.breakStrength = BREAK_STRENGTHS.paragraph;
    this.#draft.hasEnded = true;
  }

  /** A line without final punctuation is a list item or a verse; with it, a paragraph. */
  endLine(): void {
    const draft = this.#draft;
    this.#opening = '';
    if (!draft) return;
    draft.hasEnded = true;
    const last = draft.words.at(-1)!;
    if (/[.!?…]/.test(last.after)) draft.breakStrength = BREAK_STRENGTHS.paragraph;
    else if (/[,;—]/.test(last.after)) draft.breakStrength = BREAK_STRENGTHS.clause;
    else {
      draft.breakStrength = BREAK_STRENGTHS.sentence;
      if (!last.after.includes(':'))
        draft.words[draft.words.length - 1] = { ...last, after: mergePunctuation(last.after, '.') };
    }
  }

  *finish(): Generator<Phrase> {
    if (this.#draft) yield* this.#takeDraft('none');
    const { cues, marks, silenceSeconds } = this.#pending;
    if (cues.length === 0 && marks.length === 0 && silenceSeconds === 0) return;
    const { end: fallback } = this.#lastSpan;
    const start = Math.min(
      cues[0]?.start ?? marks[0]?.start ?? fallback,
      marks[0]?.start ?? cues[0]?.start ?? fallback,
    );
    const end = Math.max(cues.at(-1)?.end ?? start, marks.at(-1)?.end ?? start);
    const withoutWords = {
      words: [],
      breakStrength: BREAK_STRENGTHS.paragraph,
      voiceChange: 'none',
      estimatedPhonemes: 0,
    } as const;
    yield { start, end, voiceContext: this.#voiceContext, ...withoutWords, ...this.#pending };
  }

  #addWords(
    words: readonly VerbalizedWord[],
    text: AnnotatedText,
    start: number,
    end: number,
  ): Phrase[] | undefined {
    const spoken = words.flatMap((word) => toSpokenWords(word, text)).map((word) => this.#inOrder(word));
    const first = spoken[0];
    if (!first) return undefined;
    const voiceChange = this.#voiceChange;
    if (this.#draft?.breakStrength === BREAK_STRENGTHS.none)
      this.#draft.breakStrength = this.#breakBefore(first.text, this.#draft);
    const finished = this.#draft ? this.#takeDraft(voiceChange) : undefined;
    const opening = this.#opening;
    if (opening !== '') spoken[0] = { ...first, before: opening };
    const draftStart = opening === '' ? start : Math.min(start, this.#openingStart);
    this.#draft = {
      voiceContext: this.#voiceContext,
      words: spoken,
      breakStrength: BREAK_STRENGTHS.none,
      start: draftStart,
      end,
      ...this.#pending,
    };
    this.#pending = { cues: [], marks: [], silenceSeconds: 0 };
    this.#voiceChange = 'none';
    this.#opening = '';
    return finished;
  }

  /** Predicts a break without punctuation: before a word that begins a clause or a phrase, never after a proclitic. */
  #breakBefore(next: string, { words }: Draft): BreakStrength {
    const { clauseStarts, phraseStarts, proclitics } = this.#breakWords;
    if (proclitics.has(words.at(-1)!.text.toLowerCase())) return BREAK_STRENGTHS.none;
    if (clauseStarts.has(next)) return BREAK_STRENGTHS.clauseStart;
    return phraseStarts.has(next) ? BREAK_STRENGTHS.phrase : BREAK_STRENGTHS.none;
  }

  /** One source character can be part of two words ("℃x"); it is assigned to the first. */
  #inOrder(word: SpokenWord): SpokenWord {
    const { start, end } = this.#lastSpan;
    const isSame = word.start === start && word.end === end;
    if (isSame || word.start >= end) {
      this.#lastSpan = { start: word.start, end: word.end };
      return word;
    }
    if (word.end <= end) return { ...word, start, end };
    this.#lastSpan = { start: end, end: word.end };
    return { ...word, start: end };
  }

  #close(punctuation: string, breakStrength: BreakStrength, end: number): void {
    this.#opening = '';
    const draft = this.#draft;
    // Punctuation at the start of a paragraph is a bullet or a dialogue dash.
    if (!draft || draft.hasEnded) return;
    const last = draft.words.at(-1)!;
    draft.words[draft.words.length - 1] = { ...last, after: mergePunctuation(last.after, punctuation) };
    draft.breakStrength = Math.max(draft.breakStrength, breakStrength) as BreakStrength;
    // Punctuation after a cue belongs to this phrase, the cue to the next.
    if (this.#pending.cues.length === 0 && this.#pending.marks.length === 0)
      draft.end = Math.max(draft.end, end);
  }

  #takeDraft(voiceChange: VoiceChange): Phrase[] {
    const { hasEnded: _, ...draft } = this.#draft!;
    this.#draft = undefined;
    const estimatedPhonemes = draft.words.reduce((sum, word) => sum + estimatePhonemes(word), 0);
    const phrase: Phrase = { voiceChange, estimatedPhonemes, ...draft };
    return estimatedPhonemes <= PHRASE_PHONEMES_MAX ? [phrase] : splitLongPhrase(phrase);
  }
}

/**
 * Splits a phrase into one phrase per source span, or several if one span has too many words. The offsets of the
 * words after the first part of a span are its end.
 */
function splitLongPhrase(phrase: Phrase): Phrase[] {
  const parts: Phrase[] = [];
  let end = Number.NEGATIVE_INFINITY;
  for (let from = 0; from < phrase.words.length; ) {
    const first = phrase.words[from]!;
    const isContinuation = first.start < end;
    if (!isContinuation) end = first.end;
    const start = isContinuation ? end : first.start;
    const { to, estimatedPhonemes } = endOfPart(phrase.words, from, end);
    const spanWords = phrase.words.slice(from, to);
    const words = isContinuation ? spanWords.map((word) => ({ ...word, start, end })) : spanWords;
    parts.push({
      ...phrase,
      words,
      estimatedPhonemes,
      start,
      end,
      cues: [],
      marks: [],
      silenceSeconds: 0,
      breakStrength: words.at(-1)!.after === '' ? BREAK_STRENGTHS.none : BREAK_STRENGTHS.comma,
      voiceChange: 'none',
    });
    from = to;
  }
  const last = parts.length - 1;
  const { cues, marks, silenceSeconds } = phrase;
  parts[0] = { ...parts[0]!, cues, marks, silenceSeconds, start: phrase.start };
  parts[last] = {
    ...parts[last]!,
    breakStrength: phrase.breakStrength,
    voiceChange: phrase.voiceChange,
    end: phrase.end,
  };
  return parts;
}

/** The words from `from` that begin before `spanEnd` and are short enough for one phrase; at least one. */
function endOfPart(
  words: readonly SpokenWord[],
  from: number,
  spanEnd: number,
): { to: number; estimatedPhonemes: number } {
  let to = from + 1;
  let estimatedPhonemes = estimatePhonemes(words[from]!);
  for (let next = words[to]; next !== undefined && next.start < spanEnd; next = words[to]) {
    const phonemes = estimatePhonemes(next);
    if (estimatedPhonemes + phonemes > PHRASE_PHONEMES_MAX) break;
    estimatedPhonemes += phonemes;
    to++;
  }
  return { to, estimatedPhonemes };
}
