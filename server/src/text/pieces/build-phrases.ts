import type { CueStyle } from '../markup/cues.ts';
import { withFixedSpans, type AnnotatedText, AnnotatedTextBuilder } from '../normalise/annotated-text.ts';
import type { VerbalizationRule } from '../normalise/verbalization.ts';
import { tokenize } from '../normalise/tokenizer.ts';
import { type DictionaryMatcher, type FixedSpan, findFixedSpans } from '../normalise/fixed-spans.ts';
import type { Language } from '../piece.ts';
import { type Block, splitIntoBlocks } from './blocks.ts';
import { type Phrase, PhraseBuilder } from './phrase-builder.ts';
import type { PhraseBreakWords } from './phrase-break-words.ts';

/** How a language's text becomes phrases. */
export interface PhraseOptions {
  readonly language: Language;
  readonly read: VerbalizationRule;
  readonly cueStyle: CueStyle;
  readonly joints: PhraseBreakWords;
  readonly pronunciations?: DictionaryMatcher | undefined;
}

/**
 * The whole text as phrases, in order and one at a time. A phrase without words comes only at the very
 * end, and only to carry cues that stand after the last word.
 */
export function* buildPhrases(text: string, options: PhraseOptions): Generator<Phrase> {
  const builder = new PhraseBuilder(options.joints);
  for (const { block, settled } of blocksWithFixedSpans(text, options)) {
    const readable = annotateBlock(text, block, settled);
    for (const token of tokenize(readable.text, withFixedSpans(readable, options.read), options.cueStyle)) {
      const finished = builder.add(token, readable);
      if (finished) yield* finished;
    }
    if (block.ends === 'paragraph') builder.endParagraph();
    else if (block.ends === 'line') builder.endLine();
  }
  yield* builder.finish();
}

/** Blocks with what is settled in them. Blocks that share a settled stretch are read as one. */
function* blocksWithFixedSpans(
  text: string,
  options: PhraseOptions,
): Generator<{ block: Block; settled: readonly FixedSpan[] }> {
  let joined: { block: Block; settled: FixedSpan[] } | undefined;
  let settledTo = 0;
  for (const next of splitIntoBlocks(text)) {
    const block: Block = joined ? { ...next, start: joined.block.start } : next;
    const settled = joined?.settled ?? [];
    settled.push(...findFixedSpans(text, Math.max(next.start, settledTo), next.end, options));
    settledTo = Math.max(settledTo, outerEnd(settled.at(-1)));
    joined = { block, settled };
    if (settledTo > next.end) continue;
    yield joined;
    joined = undefined;
  }
}

function outerEnd(stretch: FixedSpan | undefined): number {
  return stretch?.replaces?.end ?? stretch?.end ?? 0;
}

function annotateBlock(text: string, block: Block, settled: readonly FixedSpan[]): AnnotatedText {
  const builder = new AnnotatedTextBuilder(text);
  let at = block.start;
  for (const stretch of settled) {
    builder.addSource(at, stretch.replaces?.start ?? stretch.start);
    builder.addFixedSpan(stretch);
    at = outerEnd(stretch);
  }
  builder.addSource(at, block.end);
  return builder.finish();
}
