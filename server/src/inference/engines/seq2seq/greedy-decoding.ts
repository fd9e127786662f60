import { argMax, logSumExp } from './log-probability.ts';
import type { DecoderState, StepDecoder } from './step-decoder.ts';
import type { AttentionRow } from './token-alignment.ts';
import { findTokenLoop } from './token-loop.ts';

/** A head of a layer whose attention follows the speech. */
export interface AlignmentHead {
  readonly layer: number;
  readonly head: number;
}

export interface DecodeOptions {
  readonly endToken: number;
  /** More tokens than this cannot be said in so short a stretch. */
  readonly tokensMax: number;
  /** Heads to follow; none when word times are not wanted. */
  readonly heads: readonly AlignmentHead[];
  /** Changes the logits before a token is chosen, such as to forbid some. */
  readonly adjust?: ((logits: Float32Array, tokens: readonly number[]) => void) | undefined;
  /** Chooses a token; the likeliest one unless given. */
  readonly choose?: ((logits: Float32Array) => number) | undefined;
  readonly signal: AbortSignal;
}

/** A text as tokens. */
export interface DecodedTokens {
  readonly tokens: readonly number[];
  readonly logProbabilities: readonly number[];
  /** One per token and one for the end. */
  readonly attention: readonly AttentionRow[];
  /** Of the token that ends the text. */
  readonly endLogProbability: number;
  readonly isCut: boolean;
}

/** Says one token after the other, beginning with those given, until the model ends the text. */
export async function decodeGreedily(
  decoder: StepDecoder,
  begin: { readonly state: DecoderState; readonly tokens: readonly number[] },
  options: DecodeOptions,
): Promise<DecodedTokens> {
  const { endToken, tokensMax, heads, adjust, choose = argMax, signal } = options;
  const layers = [...new Set(heads.map((head) => head.layer))];
  const tokens: number[] = [];
  const logProbabilities: number[] = [];
  const attention: AttentionRow[] = [];
  let state = begin.state;
  let next = begin.tokens;
  for (;;) {
    signal.throwIfAborted();
    const step = await decoder.step(state, next, layers);
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

/** The last token's attention of one head. */
function rowOf(
  tensor: { readonly data: unknown; readonly dims: readonly number[] },
  head: number,
): Float32Array {
  const frames = tensor.dims.at(-1)!;
  const tokens = tensor.dims.at(-2)!;
  const start = (head * tokens + tokens - 1) * frames;
  return (tensor.data as Float32Array).slice(start, start + frames);
}
