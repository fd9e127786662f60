import type { CueStyle } from '../markup/cues.ts';
import { aroundSettled, type ReadableText, ReadableTextBuilder } from '../normalise/readable-text.ts';
import type { Rule } from '../normalise/reading.ts';
import { scan } from '../normalise/scanner.ts';
import { type Pronunciations, type SettledStretch, settledWithin } from '../normalise/settled.ts';
import type { Language } from '../piece.ts';
import { type Block, textBlocks } from './blocks.ts';
import { type Phrase, PhraseBuilder } from './phrase-builder.ts';
import type { Joints } from './phrase-joints.ts';

/** How a language's text becomes phrases. */
export interface PhraseOptions {
  readonly language: Language;
  readonly read: Rule;
  readonly cueStyle: CueStyle;
  readonly joints: Joints;
  readonly pronunciations?: Pronunciations | undefined;
}

/**
 * The whole text as phrases, in order and one at a time. A phrase without words comes only at the very
 * end, and only to carry cues that stand after the last word.
 */
export function* textPhrases(text: string, options: PhraseOptions): Generator<Phrase> {
  const builder = new PhraseBuilder(options.joints);
  for (const { block, settled } of settledBlocks(text, options)) {
    const readable = readableText(text, block, settled);
    for (const token of scan(readable.text, aroundSettled(readable, options.read), options.cueStyle)) {
      const finished = builder.add(token, readable);
      if (finished) yield* finished;
    }
    if (block.ends === 'paragraph') builder.endParagraph();
    else if (block.ends === 'line') builder.endLine();
  }
  yield* builder.finish();
}

/** Blocks with what is settled in them. Blocks that share a settled stretch are read as one. */
function* settledBlocks(
  text: string,
  options: PhraseOptions,
): Generator<{ block: Block; settled: readonly SettledStretch[] }> {
  let joined: { block: Block; settled: SettledStretch[] } | undefined;
  let settledTo = 0;
  for (const next of textBlocks(text)) {
    const block: Block = joined ? { ...next, start: joined.block.start } : next;
    const settled = joined?.settled ?? [];
    settled.push(...settledWithin(text, Math.max(next.start, settledTo), next.end, options));
    settledTo = Math.max(settledTo, outerEnd(settled.at(-1)));
    joined = { block, settled };
    if (settledTo > next.end) continue;
    yield joined;
    joined = undefined;
  }
}

function outerEnd(stretch: SettledStretch | undefined): number {
  return stretch?.covers?.end ?? stretch?.end ?? 0;
}

function readableText(text: string, block: Block, settled: readonly SettledStretch[]): ReadableText {
  const builder = new ReadableTextBuilder(text);
  let at = block.start;
  for (const stretch of settled) {
    builder.add(at, stretch.covers?.start ?? stretch.start);
    builder.settle(stretch);
    at = outerEnd(stretch);
  }
  builder.add(at, block.end);
  return builder.finish();
}
