import type { CueStyle } from '../markup/cues.ts';
import { type AnnotatedText, AnnotatedTextBuilder, withFixedSpans } from '../normalise/annotated-text.ts';
import { type DictionaryMatcher, type FixedSpan, findFixedSpans } from '../normalise/fixed-spans.ts';
import { tokenize } from '../normalise/tokenizer.ts';
import type { VerbalizationRule } from '../normalise/verbalization.ts';
import type { Language } from '../piece.ts';
import { type Block, splitIntoBlocks } from './blocks.ts';
import type { PhraseBreakWords } from './phrase-break-words.ts';
import { type Phrase, PhraseBuilder } from './phrase-builder.ts';

export interface PhraseOptions {
  readonly language: Language;
  readonly verbalize: VerbalizationRule;
  readonly cueStyle: CueStyle;
  readonly breakWords: PhraseBreakWords;
  readonly pronunciations?: DictionaryMatcher | undefined;
}

/**
 * Splits a text into phrases, lazily. Only the last phrase may have no words: it carries the cues after the last
 * word. Undefined marks the end of a step: a block of text that may have given no phrase.
 */
export function* buildPhrases(text: string, options: PhraseOptions): Generator<Phrase | undefined> {
  const builder = new PhraseBuilder(options.breakWords);
  for (const { block, fixedSpans } of blocksWithFixedSpans(text, options)) {
    const annotated = annotateBlock(text, block, fixedSpans);
    for (const token of tokenize(
      annotated.text,
      withFixedSpans(annotated, options.verbalize),
      options.cueStyle,
    )) {
      if (token === undefined) yield undefined;
      else yield* builder.add(token, annotated) ?? [];
    }
    if (block.boundary === 'paragraph') builder.endParagraph();
    else if (block.boundary === 'line') builder.endLine();
    yield undefined;
  }
  yield* builder.finish();
}

/** Blocks with their fixed spans. Blocks that share a fixed span are merged. */
function* blocksWithFixedSpans(
  text: string,
  options: PhraseOptions,
): Generator<{ block: Block; fixedSpans: readonly FixedSpan[] }> {
  let joined: { block: Block; fixedSpans: FixedSpan[] } | undefined;
  let fixedTo = 0;
  for (const next of splitIntoBlocks(text)) {
    const block: Block = joined ? { ...next, start: joined.block.start } : next;
    const fixedSpans = joined?.fixedSpans ?? [];
    fixedSpans.push(...findFixedSpans(text, Math.max(next.start, fixedTo), next.end, options));
    fixedTo = Math.max(fixedTo, outerEnd(fixedSpans.at(-1)));
    joined = { block, fixedSpans };
    if (fixedTo > next.end) continue;
    yield joined;
    joined = undefined;
  }
}

function outerEnd(span: FixedSpan | undefined): number {
  return span?.replaces?.end ?? span?.end ?? 0;
}

function annotateBlock(text: string, block: Block, fixedSpans: readonly FixedSpan[]): AnnotatedText {
  const builder = new AnnotatedTextBuilder(text);
  let at = block.start;
  for (const span of fixedSpans) {
    builder.addSource(at, span.replaces?.start ?? span.start);
    builder.addFixedSpan(span);
    at = outerEnd(span);
  }
  builder.addSource(at, block.end);
  return builder.finish();
}
