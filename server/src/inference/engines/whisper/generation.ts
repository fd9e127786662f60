import { readFile } from 'node:fs/promises';
import { z } from 'zod';
import type { AlignmentHead } from '../seq2seq/greedy-decoding.ts';

const GenerationFile = z.object({
  alignment_heads: z.array(z.tuple([z.number(), z.number()])),
  begin_suppress_tokens: z.array(z.number()),
  suppress_tokens: z.array(z.number()),
  decoder_start_token_id: z.number(),
  eos_token_id: z.number(),
  no_timestamps_token_id: z.number(),
  lang_to_id: z.record(z.string(), z.number()),
  task_to_id: z.object({ transcribe: z.number(), translate: z.number() }),
});

/** The tokens and alignment heads of a Whisper model. */
export interface Generation {
  readonly startToken: number;
  readonly endToken: number;
  readonly transcribeToken: number;
  readonly translateToken: number;
  readonly noTimestampsToken: number;
  readonly previousTextToken: number;
  readonly noSpeechToken: number;
  /** ISO 639-1 to the token of the language. */
  readonly languages: ReadonlyMap<string, number>;
  /** Tokens that are never part of a transcript, such as music symbols. */
  readonly suppressed: readonly number[];
  /** Tokens that are suppressed at the start of a transcript. */
  readonly suppressedAtStart: readonly number[];
  /** Alignment heads for word times. */
  readonly heads: readonly AlignmentHead[];
}

/** Reads the `generation_config.json` of a model. */
export async function loadGeneration(path: string): Promise<Generation> {
  const file = GenerationFile.parse(JSON.parse(await readFile(path, 'utf8')));
  return {
    startToken: file.decoder_start_token_id,
    endToken: file.eos_token_id,
    transcribeToken: file.task_to_id.transcribe,
    translateToken: file.task_to_id.translate,
    noTimestampsToken: file.no_timestamps_token_id,
    // The file does not list these two tokens; their ids directly precede that of `noTimestamps`.
    previousTextToken: file.no_timestamps_token_id - 2,
    noSpeechToken: file.no_timestamps_token_id - 1,
    languages: new Map(
      Object.entries(file.lang_to_id).map(([name, token]) => [name.replaceAll(/[<|>]/g, ''), token]),
    ),
    suppressed: file.suppress_tokens,
    suppressedAtStart: file.begin_suppress_tokens,
    heads: file.alignment_heads.map(([layer, head]) => ({ layer, head })),
  };
}
