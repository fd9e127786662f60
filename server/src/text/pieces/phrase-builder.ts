import type { AnnotatedText } from '../normalise/annotated-text.ts';
import { estimatePhonemes, mergePunctuation, toSpokenWords } from '../normalise/spoken-words.ts';
import { BREAK_STRENGTHS, type BreakStrength, type Token } from '../normalise/tokenizer.ts';
import type { VerbalizedWord } from '../normalise/verbalization.ts';
import type { Language, SpokenWord } from '../piece.ts';
import type { PhraseBreakWords } from './phrase-break-words.ts';

/** Who speaks, in which language; what is absent is the request's own. */
export interface VoiceContext {
  readonly speaker?: number;
  readonly voice?: string;
  readonly language?: Language;
}

/** What changes after a phrase: nothing, who speaks, or only the language. */
export type VoiceChange = false | 'speaker' | 'language';

/** A place in the text that its author wants to hear about when it is reached. */
export interface NamedMark {
  readonly name: string;
  readonly start: number;
  readonly end: number;
}

/** Words that must stay together, with the pause after them and what stands before them. */
export interface Phrase {
  readonly words: readonly SpokenWord[];
  readonly cues: readonly { readonly name: string; readonly start: number; readonly end: number }[];
  readonly marks: readonly NamedMark[];
  /** Silence that the text asks for before the words. */
  readonly silenceSeconds: number;
  readonly voiceContext: VoiceContext;
  readonly breakStrength: BreakStrength;
  /** Whether the next phrase is spoken by somebody else, or only in another language. */
  readonly voiceChange: VoiceChange;
  readonly start: number;
  readonly end: number;
  /** About how many phonemes it makes. */
  readonly estimatedPhonemes: number;
}

/** What is longer than this is taken apart again, though it was read as one. */
const PHRASE_PHONEMES_MAX = 240;
const DEFAULT_VOICE_CONTEXT: VoiceContext = {};

interface Draft {
  /** Its line is over: marks that follow are not its own. */
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

/** What is written before words and belongs to them. */
interface PendingMarkup {
  readonly cues: { name: string; start: number; end: number }[];
  readonly marks: NamedMark[];
  silenceSeconds: number;
}

/** Holds back the last phrase until it is known what punctuation and which word follow it. */
export class PhraseBuilder {
  #breakWords: PhraseBreakWords;
  #draft: Draft | undefined;
  #pending: PendingMarkup = { cues: [], marks: [], silenceSeconds: 0 };
  #voiceContext: VoiceContext = DEFAULT_VOICE_CONTEXT;
  #voiceChange: VoiceChange = false;
  #opening = '';
  #openingStart = -1;
  #lastPlace = { start: 0, end: 0 };

  constructor(breakWords: PhraseBreakWords) {
    this.#breakWords = breakWords;
  }

  /** Takes what stands next in the text; gives the phrases that are finished by it. */
  add(token: Token, text: AnnotatedText): Phrase[] | undefined {
    const start = text.startOf(token.start);
    const end = Math.max(start, text.endOf(token.end));
    switch (token.kind) {
      case 'words':
        return this.#addWords(token.words, text, start, end);
      case 'open':
        if (this.#opening === '') this.#openingStart = start;
        if (this.#opening.length < 2) this.#opening += token.mark;
        return undefined;
      case 'close':
        this.#close(token.marks, token.breakStrength, end);
        return undefined;
      case 'cue':
        this.#pending.cues.push({ name: token.name, start, end });
        return undefined;
      case 'speaker':
        this.changeVoice({ speaker: token.speaker }, this.#breakWords);
        return undefined;
    }
  }

  /** Somebody else speaks from here. */
  changeVoice(voiceContext: VoiceContext, breakWords: PhraseBreakWords): void {
    const isSameVoice = voiceContext.speaker === undefined && voiceContext.voice === this.#voiceContext.voice;
    this.#voiceChange = isSameVoice && this.#voiceChange !== 'speaker' ? 'language' : 'speaker';
    this.#voiceContext = voiceContext;
    this.#breakWords = breakWords;
  }

  /** Asks for silence before the next words. */
  addSilence(seconds: number): void {
    this.#pending.silenceSeconds += seconds;
  }

  addMark(mark: NamedMark): void {
    this.#pending.marks.push(mark);
  }

  /** Ends the sentence here, whatever its punctuation. */
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

  /** A line that breaks off is an item of a list or a verse; a finished one is a paragraph. */
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
    if (this.#draft) yield* this.#takeDraft(false);
    const { cues, marks, silenceSeconds } = this.#pending;
    if (cues.length === 0 && marks.length === 0 && silenceSeconds === 0) return;
    const { end: nowhere } = this.#lastPlace;
    const start = Math.min(
      cues[0]?.start ?? marks[0]?.start ?? nowhere,
      marks[0]?.start ?? cues[0]?.start ?? nowhere,
    );
    const end = Math.max(cues.at(-1)?.end ?? start, marks.at(-1)?.end ?? start);
    const nothing = {
      words: [],
      breakStrength: BREAK_STRENGTHS.paragraph,
      voiceChange: false,
      estimatedPhonemes: 0,
    } as const;
    yield { start, end, voiceContext: this.#voiceContext, ...nothing, ...this.#pending };
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
    this.#voiceChange = false;
    this.#opening = '';
    return finished;
  }

  /** Where nothing is written a reader breathes before a clause or a phrase, but not after a word that leans on it. */
  #breakBefore(next: string, { words }: Draft): BreakStrength {
    const { clauseStarts, phraseStarts, proclitics } = this.#breakWords;
    if (proclitics.has(words.at(-1)!.text.toLowerCase())) return BREAK_STRENGTHS.none;
    if (clauseStarts.has(next)) return BREAK_STRENGTHS.clauseStart;
    return phraseStarts.has(next) ? BREAK_STRENGTHS.phrase : BREAK_STRENGTHS.none;
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

  #close(marks: string, breakStrength: BreakStrength, end: number): void {
    this.#opening = '';
    const draft = this.#draft;
    // A mark at the start of a paragraph is a bullet or a dash of dialogue.
    if (!draft || draft.hasEnded) return;
    const last = draft.words.at(-1)!;
    draft.words[draft.words.length - 1] = { ...last, after: mergePunctuation(last.after, marks) };
    draft.breakStrength = Math.max(draft.breakStrength, breakStrength) as BreakStrength;
    // A mark after a cue is still this phrase's, but the cue already belongs to the next.
    if (this.#pending.cues.length === 0 && this.#pending.marks.length === 0)
      draft.end = Math.max(draft.end, end);
  }

  #takeDraft(voiceChange: VoiceChange): Phrase[] {
    const { hasEnded: _, ...draft } = this.#draft!;
    this.#draft = undefined;
    const estimatedPhonemes = draft.words.reduce((sum, word) => sum + estimatePhonemes(word), 0);
    const whole: Phrase = { voiceChange, estimatedPhonemes, ...draft };
    return estimatedPhonemes <= PHRASE_PHONEMES_MAX ? [whole] : splitLongPhrase(whole);
  }
}

/** One phrase for each place in the text, so that even what was read as one can be cut. */
function splitLongPhrase(whole: Phrase): Phrase[] {
  const parts: Phrase[] = [];
  for (let from = 0; from < whole.words.length; ) {
    const { start, end } = whole.words[from]!;
    let to = from + 1;
    while (to < whole.words.length && whole.words[to]!.start < end) to++;
    const words = whole.words.slice(from, to);
    const estimatedPhonemes = words.reduce((sum, word) => sum + estimatePhonemes(word), 0);
    parts.push({
      ...whole,
      words,
      estimatedPhonemes,
      start,
      end,
      cues: [],
      marks: [],
      silenceSeconds: 0,
      breakStrength: words.at(-1)!.after === '' ? BREAK_STRENGTHS.none : BREAK_STRENGTHS.comma,
      voiceChange: false,
    });
    from = to;
  }
  const last = parts.length - 1;
  const { cues, marks, silenceSeconds } = whole;
  parts[0] = { ...parts[0]!, cues, marks, silenceSeconds, start: whole.start };
  parts[last] = {
    ...parts[last]!,
    breakStrength: whole.breakStrength,
    voiceChange: whole.voiceChange,
    end: whole.end,
  };
  return parts;
}
