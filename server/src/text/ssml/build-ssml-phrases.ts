import type { CueStyle } from '../markup/cues.ts';
import { cleanText } from '../normalise/clean-text.ts';
import type { NumberVerbalizer } from '../normalise/numbers/number-verbalizer.ts';
import { withFixedSpans, AnnotatedTextBuilder } from '../normalise/annotated-text.ts';
import type { VerbalizationRule } from '../normalise/verbalization.ts';
import { tokenize } from '../normalise/tokenizer.ts';
import { createPhonemeWord, type DictionaryMatcher, type FixedWord, findFixedSpans } from '../normalise/fixed-spans.ts';
import { LANGUAGES, type Language } from '../piece.ts';
import { cutBetweenWords } from '../pieces/blocks.ts';
import { type Phrase, PhraseBuilder, type VoiceContext } from '../pieces/phrase-builder.ts';
import type { PhraseBreakWords } from '../pieces/phrase-break-words.ts';
import { sayAs } from './say-as.ts';
import { readSsml, type SsmlScope, type SsmlEvent, type SsmlLimits } from './ssml-events.ts';

/** What a language brings to read a text. */
export interface LanguageResources {
  readonly read: VerbalizationRule;
  /** The same with everything spelled out, for what the text says is a number or a date. */
  readonly readInFull: VerbalizationRule;
  readonly numbers: NumberVerbalizer;
  readonly joints: PhraseBreakWords;
}

export interface SsmlPhraseOptions {
  readonly language: Language;
  readonly cueStyle: CueStyle;
  readonly limits: SsmlLimits;
  readonly pronunciations?: DictionaryMatcher | undefined;
  readonly toolsOf: (language: Language) => LanguageResources;
  /** The language of a voice that the text names. */
  readonly languageOfVoice?: ((voice: string) => Language | undefined) | undefined;
}

/** What is read in one go at most. */
const STRETCH_LENGTH_MAX = 4096;
/** The silence in place of a word that is not to be heard. */
const EXPLETIVE_SECONDS = 0.4;

/** An SSML text as phrases, in order and one at a time. Throws an `SsmlError` where it is none. */
export function* buildSsmlPhrases(text: string, options: SsmlPhraseOptions): Generator<Phrase> {
  const reader = new SsmlPhraseReader(text, options);
  for (const event of readSsml(text, options.limits)) yield* reader.take(event);
  yield* reader.finish();
}

class SsmlPhraseReader {
  readonly #text: string;
  readonly #options: SsmlPhraseOptions;
  readonly #builder: PhraseBuilder;
  #tools: LanguageResources;
  #language: Language;
  #scope: SsmlScope = {};
  #stretch: AnnotatedTextBuilder;

  constructor(text: string, options: SsmlPhraseOptions) {
    this.#text = text;
    this.#options = options;
    this.#language = options.language;
    this.#tools = options.toolsOf(options.language);
    this.#builder = new PhraseBuilder(this.#tools.joints);
    this.#stretch = new AnnotatedTextBuilder(text);
  }

  *take(event: SsmlEvent): Generator<Phrase> {
    switch (event.kind) {
      case 'text':
        yield* this.#takeText(event);
        break;
      case 'saying':
        yield* this.#takeSaying(event);
        break;
      case 'break':
        yield* this.#flush();
        this.#builder.addSilence(event.seconds);
        break;
      case 'mark':
        yield* this.#flush();
        this.#builder.addMark({ name: event.name, start: event.start, end: event.end });
        break;
      case 'end':
        yield* this.#flush();
        if (event.of === 'sentence') this.#builder.endSentence();
        else this.#builder.endParagraph();
    }
  }

  *finish(): Generator<Phrase> {
    yield* this.#flush();
    yield* this.#builder.finish();
  }

  *#takeText({ start, end, scope }: SsmlEvent & { kind: 'text' }): Generator<Phrase> {
    if (/\S/.test(this.#text.slice(start, Math.min(end, start + STRETCH_LENGTH_MAX))))
      yield* this.#enter(scope);
    for (let at = start; at < end; ) {
      const limit = at + STRETCH_LENGTH_MAX;
      const stop = limit < end ? cutBetweenWords(this.#text, at, limit) : end;
      at = this.#addText(at, stop, end, scope);
      if (this.#stretch.length >= STRETCH_LENGTH_MAX) yield* this.#flush();
    }
  }

  /** Adds a stretch of text; a word of a dictionary that begins in it may end after it. Gives its end. */
  #addText(start: number, end: number, limit: number, { direction }: SsmlScope): number {
    const { cueStyle, pronunciations } = this.#options;
    const settled = pronunciations
      ? findFixedSpans(this.#text, start, end, { language: this.#language, cueStyle, pronunciations, limit })
      : [];
    let at = start;
    for (const stretch of settled) {
      this.#stretch.addSource(at, stretch.start, direction);
      this.#stretch.addFixedSpan(stretch, direction);
      at = stretch.end;
    }
    this.#stretch.addSource(at, end, direction);
    return Math.max(at, end);
  }

  *#takeSaying({ saying, written, start, end, scope }: SsmlEvent & { kind: 'saying' }): Generator<Phrase> {
    yield* this.#enter(scope);
    if (saying.kind === 'phonemes') {
      this.#stretch.addFixedSpan({ start, end, words: [createPhonemeWord(written, saying.phonemes)] }, scope.direction);
      return;
    }
    const read = (text: string) => verbalizeFixed(text, this.#tools.readInFull, this.#options.cueStyle);
    const words =
      saying.kind === 'alias'
        ? read(saying.alias)
        : sayAs({ ...saying, written }, { numbers: this.#tools.numbers, read });
    this.#stretch.addFixedSpan({ start, end, words }, scope.direction);
    if (words.length > 0 || saying.kind === 'alias') return;
    yield* this.#flush();
    this.#builder.addSilence(EXPLETIVE_SECONDS);
  }

  /** Changes voice and language when the text does. */
  *#enter(scope: SsmlScope): Generator<Phrase> {
    if (scope.voice === this.#scope.voice && scope.language === this.#scope.language) return;
    yield* this.#flush();
    this.#scope = scope;
    const { language, languageOfVoice, toolsOf } = this.#options;
    const ofVoice = scope.voice === undefined ? undefined : languageOfVoice?.(scope.voice);
    const usual = ofVoice ?? language;
    this.#language = scope.language === undefined ? usual : languageOfTag(scope.language, usual);
    this.#tools = toolsOf(this.#language);
    const turn: VoiceContext = {
      ...(scope.voice !== undefined && { voice: scope.voice }),
      ...(this.#language !== language && { language: this.#language }),
    };
    this.#builder.changeVoice(turn, this.#tools.joints);
  }

  *#flush(): Generator<Phrase> {
    const readable = this.#stretch.finish();
    this.#stretch = new AnnotatedTextBuilder(this.#text);
    for (const token of tokenize(
      readable.text,
      withFixedSpans(readable, this.#tools.read),
      this.#options.cueStyle,
    )) {
      const finished = this.#builder.add(token, readable);
      if (finished) yield* finished;
    }
  }
}

/** The language a tag means where `usual` is spoken: `en` stays British there. */
export function languageOfTag(tag: string, usual: Language): Language {
  const wanted = tag.trim().toLowerCase().replaceAll('_', '-');
  const base = wanted.split('-')[0]!;
  const isBase = (language: Language) => language.split('-')[0] === base;
  return (
    LANGUAGES.find((language) => language.toLowerCase() === wanted) ??
    (isBase(usual) ? usual : LANGUAGES.find(isBase)) ??
    'und'
  );
}

/** The words of a text of its own, such as an alias, with a pause where it has punctuation. */
function verbalizeFixed(text: string, read: VerbalizationRule, cueStyle: CueStyle): FixedWord[] {
  const words: FixedWord[] = [];
  for (const token of tokenize(cleanText(text, 0, text.length).text, read, cueStyle)) {
    if (token.kind === 'words') for (const { start: _, end: __, ...word } of token.words) words.push(word);
    const last = words.at(-1);
    if (token.kind === 'close' && token.pause > 0 && last) words[words.length - 1] = { ...last, after: ',' };
  }
  return words;
}
