import { type AsrOptions, type DecodedText, runAtOnce } from '../../../domain/engines/asr-engine.ts';
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
  /**
   * Least number of frames by which the attention advances per token of real speech. A repetition with such an
   * advance was spoken and is not a loop. Absent: every repetition counts as a loop.
   */
  readonly framesPerTokenMin?: number | undefined;
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
  begin: {
    readonly state: DecoderState;
    readonly tokens: readonly number[];
    /** The first tokens of the text, which are not decoded again. */
    readonly earlier?: DecodedText | undefined;
    /**
     * A guess of the following tokens. One step verifies all of them: those before the first wrong one are kept, so the
     * text is that of decoding without a guess.
     */
    readonly draft?: readonly number[] | undefined;
  },
  options: DecodeOptions,
): Promise<DecodedTokens> {
  const { endToken, tokensMax, heads, adjust, choose = argMax, signal, runStep = runAtOnce } = options;
  const { framesPerTokenMin = Number.POSITIVE_INFINITY } = options;
  const layers = [...new Set(heads.map((head) => head.layer))];
  const tokens: number[] = [...(begin.earlier?.tokens ?? [])];
  const logProbabilities: number[] = [...(begin.earlier?.logProbabilities ?? [])];
  const attention: AttentionRow[] = [];
  let state = begin.state;
  let known: readonly number[] = [...begin.tokens, ...tokens];
  let draft = begin.draft ?? [];
  for (;;) {
    signal.throwIfAborted();
    const next = [...known, ...draft];
    const step = await runStep(() =>
      decoder.step(state, next, { attentionLayers: layers, logitCount: draft.length + 1 }),
    );
    for (const [index, logits] of step.logits.entries()) {
      adjust?.(logits, tokens);
      const token = choose(logits);
      // The decoder returns log probabilities; without suppressed tokens the sum of the probabilities is 1.
      const logProbability = logits[token]! - (adjust === undefined ? 0 : logSumExp(logits));
      const position = known.length - 1 + index;
      if (heads.length > 0)
        attention.push(
          heads.map(({ layer, head }) => rowOf(step.attention[layers.indexOf(layer)]!, head, position)),
        );
      if (token === endToken) {
        return { tokens, logProbabilities, attention, endLogProbability: logProbability, isCut: false };
      }
      tokens.push(token);
      logProbabilities.push(logProbability);
      const isSpoken = (cycle: number) => advancesPerCycle(attention, cycle) >= cycle * framesPerTokenMin;
      const loop = findTokenLoop(tokens, isSpoken);
      const keep = loop ?? (tokens.length >= tokensMax ? tokens.length : undefined);
      if (keep !== undefined) return cut(keep, { tokens, logProbabilities, attention });
      if (token === draft[index]) continue;
      // The state without the tokens of the draft from here on.
      state = { ...step.state, length: state.length + known.length + index };
      known = [token];
      break;
    }
    draft = [];
  }
}

/** Frames by which the attention of the last cycle of tokens follows that of the cycle before it: the median. */
function advancesPerCycle(attention: readonly AttentionRow[], cycle: number): number {
  const last = attention.length - 1;
  const advances = Array.from(
    { length: Math.min(cycle, last + 1 - cycle) },
    (_, index) => peakOf(attention[last - index]!) - peakOf(attention[last - index - cycle]!),
  ).sort((one, two) => one - two);
  return advances[Math.floor(advances.length / 2)] ?? Number.NEGATIVE_INFINITY;
}

/** The frame with the most attention over all heads. */
function peakOf(heads: AttentionRow): number {
  const frames = heads[0]?.length ?? 0;
  let best = { frame: 0, value: Number.NEGATIVE_INFINITY };
  for (let frame = 0; frame < frames; frame++) {
    let value = 0;
    for (const head of heads) value += head[frame]!;
    if (value > best.value) best = { frame, value };
  }
  return best.frame;
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

/** The attention of a token in one head. */
function rowOf(
  tensor: { readonly data: unknown; readonly dims: readonly number[] },
  head: number,
  token: number,
): Float32Array {
  const frames = tensor.dims.at(-1)!;
  const tokens = tensor.dims.at(-2)!;
  const start = (head * tokens + token) * frames;
  return (tensor.data as Float32Array).slice(start, start + frames);
}
