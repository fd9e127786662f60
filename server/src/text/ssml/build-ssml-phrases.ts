import type { CueStyle } from '../markup/cues.ts';
import { AnnotatedTextBuilder, withFixedSpans } from '../normalise/annotated-text.ts';
import { cleanText } from '../normalise/clean-text.ts';
import {
  createPhonemeWord,
  type DictionaryMatcher,
  type FixedWord,
  findFixedSpans,
} from '../normalise/fixed-spans.ts';
import type { NumberVerbalizer } from '../normalise/numbers/number-verbalizer.ts';
import { tokenize } from '../normalise/tokenizer.ts';
import type { VerbalizationRule } from '../normalise/verbalization.ts';
import { LANGUAGES, type Language } from '../piece.ts';
import { cutBetweenWords } from '../pieces/blocks.ts';
import type { PhraseBreakWords } from '../pieces/phrase-break-words.ts';
import { type Phrase, PhraseBuilder, type VoiceContext } from '../pieces/phrase-builder.ts';
import { sayAs } from './say-as.ts';
import { parseSsml, type SsmlEvent, type SsmlLimits, type SsmlScope } from './ssml-events.ts';

export interface LanguageResources {
  readonly verbalize: VerbalizationRule;
  /** Verbalization with normalization enabled, for `say-as` and `sub`. */
  readonly verbalizeFully: VerbalizationRule;
  readonly numbers: NumberVerbalizer;
  readonly breakWords: PhraseBreakWords;
}

export interface SsmlPhraseOptions {
  readonly language: Language;
  readonly cueStyle: CueStyle;
  readonly limits: SsmlLimits;
  readonly pronunciations?: DictionaryMatcher | undefined;
  readonly resourcesFor: (language: Language) => LanguageResources;
  /** The language of a voice named in the text. */
  readonly languageOfVoice?: ((voice: string) => Language | undefined) | undefined;
}

/** Maximum length of text processed at a time. */
const BUFFER_LENGTH_MAX = 4096;
/** Duration of the silence that replaces an expletive. */
const EXPLETIVE_SECONDS = 0.4;

/**
 * Splits an SSML text into phrases, lazily. Throws an `SsmlError` for invalid SSML. Undefined marks the end of a step:
 * a part of the text that may have given no phrase.
 */
export function* buildSsmlPhrases(text: string, options: SsmlPhraseOptions): Generator<Phrase | undefined> {
  const reader = new SsmlPhraseReader(text, options);
  for (const event of parseSsml(text, options.limits)) {
    yield* reader.take(event);
    yield undefined;
  }
  yield* reader.finish();
}

class SsmlPhraseReader {
  readonly #text: string;
  readonly #options: SsmlPhraseOptions;
  readonly #builder: PhraseBuilder;
  #resources: LanguageResources;
  #language: Language;
  #scope: SsmlScope = {};
  #buffer: AnnotatedTextBuilder;

  constructor(text: string, options: SsmlPhraseOptions) {
    this.#text = text;
    this.#options = options;
    this.#language = options.language;
    this.#resources = options.resourcesFor(options.language);
    this.#builder = new PhraseBuilder(this.#resources.breakWords);
    this.#buffer = new AnnotatedTextBuilder(text);
  }

  *take(event: SsmlEvent): Generator<Phrase | undefined> {
    switch (event.kind) {
      case 'text':
        yield* this.#takeText(event);
        break;
      case 'substitution':
        yield* this.#takeSubstitution(event);
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

  *finish(): Generator<Phrase | undefined> {
    yield* this.#flush();
    yield* this.#builder.finish();
  }

  *#takeText({ start, end, scope }: SsmlEvent & { kind: 'text' }): Generator<Phrase | undefined> {
    if (/\S/.test(this.#text.slice(start, Math.min(end, start + BUFFER_LENGTH_MAX))))
      yield* this.#enter(scope);
    for (let at = start; at < end; ) {
      const limit = at + BUFFER_LENGTH_MAX;
      const stop = limit < end ? cutBetweenWords(this.#text, at, limit) : end;
      at = this.#addText(at, stop, end, scope);
      if (this.#buffer.length >= BUFFER_LENGTH_MAX) yield* this.#flush();
      yield undefined;
    }
  }

  /** Adds text and returns its end. A dictionary entry that begins in the text may end after it. */
  #addText(start: number, end: number, limit: number, { prosody }: SsmlScope): number {
    const { cueStyle, pronunciations } = this.#options;
    const fixedSpans = pronunciations
      ? findFixedSpans(this.#text, start, end, { language: this.#language, cueStyle, pronunciations, limit })
      : [];
    let at = start;
    for (const span of fixedSpans) {
      this.#buffer.addSource(at, span.start, prosody);
      this.#buffer.addFixedSpan(span, prosody);
      at = span.end;
    }
    this.#buffer.addSource(at, end, prosody);
    return Math.max(at, end);
  }

  *#takeSubstitution({
    substitution,
    written,
    start,
    end,
    scope,
  }: SsmlEvent & { kind: 'substitution' }): Generator<Phrase | undefined> {
    yield* this.#enter(scope);
    if (substitution.kind === 'phonemes') {
      this.#buffer.addFixedSpan(
        { start, end, words: [createPhonemeWord(written, substitution.phonemes)] },
        scope.prosody,
      );
      return;
    }
    const verbalize = (text: string) =>
      verbalizeFixed(text, this.#resources.verbalizeFully, this.#options.cueStyle);
    const words =
      substitution.kind === 'alias'
        ? verbalize(substitution.alias)
        : sayAs({ ...substitution, written }, { numbers: this.#resources.numbers, verbalize });
    this.#buffer.addFixedSpan({ start, end, words }, scope.prosody);
    if (words.length > 0 || substitution.kind === 'alias') return;
    yield* this.#flush();
    this.#builder.addSilence(EXPLETIVE_SECONDS);
  }

  /** Applies a change of voice or language. */
  *#enter(scope: SsmlScope): Generator<Phrase | undefined> {
    if (scope.voice === this.#scope.voice && scope.language === this.#scope.language) return;
    yield* this.#flush();
    this.#scope = scope;
    const { language, languageOfVoice, resourcesFor } = this.#options;
    const ofVoice = scope.voice === undefined ? undefined : languageOfVoice?.(scope.voice);
    const usual = ofVoice ?? language;
    this.#language = scope.language === undefined ? usual : languageOfTag(scope.language, usual);
    this.#resources = resourcesFor(this.#language);
    const context: VoiceContext = {
      ...(scope.voice !== undefined && { voice: scope.voice }),
      ...(this.#language !== language && { language: this.#language }),
    };
    this.#builder.changeVoice(context, this.#resources.breakWords);
  }

  *#flush(): Generator<Phrase | undefined> {
    const annotated = this.#buffer.finish();
    this.#buffer = new AnnotatedTextBuilder(this.#text);
    for (const token of tokenize(
      annotated.text,
      withFixedSpans(annotated, this.#resources.verbalize),
      this.#options.cueStyle,
    )) {
      if (token === undefined) yield undefined;
      else yield* this.#builder.add(token, annotated) ?? [];
    }
  }
}

/** The language of a tag. The default language takes precedence over other variants: `en` is British for a British voice. */
export function languageOfTag(tag: string, defaultLanguage: Language): Language {
  const wanted = tag.trim().toLowerCase().replaceAll('_', '-');
  const base = wanted.split('-')[0]!;
  const isBase = (language: Language) => language.split('-')[0] === base;
  return (
    LANGUAGES.find((language) => language.toLowerCase() === wanted) ??
    (isBase(defaultLanguage) ? defaultLanguage : LANGUAGES.find(isBase)) ??
    'und'
  );
}

/** Verbalizes a separate text, such as an alias, with pauses at its punctuation. */
function verbalizeFixed(text: string, verbalize: VerbalizationRule, cueStyle: CueStyle): FixedWord[] {
  const words: FixedWord[] = [];
  for (const token of tokenize(cleanText(text, 0, text.length).text, verbalize, cueStyle)) {
    if (token?.kind === 'words') for (const { start: _, end: __, ...word } of token.words) words.push(word);
    const last = words.at(-1);
    if (token?.kind === 'close' && token.breakStrength > 0 && last)
      words[words.length - 1] = { ...last, after: ',' };
  }
  return words;
}
