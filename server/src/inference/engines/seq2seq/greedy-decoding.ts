import { type AsrOptions, runAtOnce } from '../../../domain/engines/asr-engine.ts';
import { argMax, logSumExp } from './log-probability.ts';
import type { DecoderState, StepDecoder } from './step-decoder.ts';
import type { AttentionRow } from './token-alignment.ts';
import { findTokenLoop } from './token-loop.ts';

/** An attention head that aligns tokens with the audio. */
export interface AlignmentHead {
  readonly layer: number;
  readonly head: number;
}

export interface DecodeOptions {
  readonly endToken: number;
  /** Maximum number of tokens for the length of the audio. */
  readonly tokensMax: number;
  /** Alignment heads; empty without word times. */
  readonly heads: readonly AlignmentHead[];
  /** Modifies the logits before a token is selected, for example to suppress tokens. */
  readonly adjust?: ((logits: Float32Array, tokens: readonly number[]) => void) | undefined;
  /** Selects a token; default: the most likely. */
  readonly choose?: ((logits: Float32Array) => number) | undefined;
  readonly signal: AbortSignal;
  /** Runs one step of the decoder; default: at once. */
  readonly runStep?: AsrOptions['runStep'];
}

/** A decoded text. */
export interface DecodedTokens {
  readonly tokens: readonly number[];
  readonly logProbabilities: readonly number[];
  /** One row per token and one for the end token. */
  readonly attention: readonly AttentionRow[];
  /** Of the end token; 0 when the text was cut. */
  readonly endLogProbability: number;
  readonly isCut: boolean;
}

/** Greedy decoding after the given tokens, until the end token, a loop or `tokensMax`. */
export async function decodeGreedily(
  decoder: StepDecoder,
  begin: { readonly state: DecoderState; readonly tokens: readonly number[] },
  options: DecodeOptions,
): Promise<DecodedTokens> {
  const { endToken, tokensMax, heads, adjust, choose = argMax, signal, runStep = runAtOnce } = options;
  const layers = [...new Set(heads.map((head) => head.layer))];
  const tokens: number[] = [];
  const logProbabilities: number[] = [];
  const attention: AttentionRow[] = [];
  let state = begin.state;
  let next = begin.tokens;
  for (;;) {
    signal.throwIfAborted();
    const step = await runStep(() => decoder.step(state, next, layers));
    state = step.state;
    adjust?.(step.logits, tokens);
    const token = choose(step.logits);
    const logProbability = step.logits[token]! - logSumExp(step.logits);
    if (heads.length > 0)
      attention.push(heads.map(({ layer, head }) => rowOf(step.attention[layers.indexOf(layer)]!, head)));
    if (token === endToken) {
      return { tokens, logProbabilities, attention, endLogProbability: logProbability, isCut: false };
    }
    tokens.push(token);
    logProbabilities.push(logProbability);
    const keep = findTokenLoop(tokens) ?? (tokens.length >= tokensMax ? tokens.length : undefined);
    if (keep !== undefined) return cut(keep, { tokens, logProbabilities, attention });
    next = [token];
  }
}

function cut(
  keep: number,
  { tokens, logProbabilities, attention }: Pick<DecodedTokens, 'tokens' | 'logProbabilities' | 'attention'>,
): DecodedTokens {
  return {
    tokens: tokens.slice(0, keep),
    logProbabilities: logProbabilities.slice(0, keep),
    attention: attention.slice(0, keep + 1),
    endLogProbability: 0,
    isCut: true,
  };
}

/** The attention of the last token in one head. */
function rowOf(
  tensor: { readonly data: unknown; readonly dims: readonly number[] },
  head: number,
): Float32Array {
  const frames = tensor.dims.at(-1)!;
  const tokens = tensor.dims.at(-2)!;
  const start = (head * tokens + tokens - 1) * frames;
  return (tensor.data as Float32Array).slice(start, start + frames);
}
