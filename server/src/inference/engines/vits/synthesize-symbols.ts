import { GaussianNoise } from '../../../audio/dsp/gaussian-noise.ts';
import { type PiperVocabulary, piperTokens } from '../../phonemizer/tokens/piper-tokens.ts';
import type { PiperConfig } from './piper-config.ts';
import { decodeWindows, drawPrior } from './synthesis.ts';
import type { VitsModel } from './vits-model.ts';

/** Synthesizes symbols without a text; `framesOf` may set the duration of each token. */
export async function* synthesizeSymbols(
  model: VitsModel,
  config: PiperConfig,
  symbols: string,
  voice: {
    readonly speaker: Float32Array;
    readonly seed: number;
    readonly signal: AbortSignal;
    readonly framesOf?: (symbolIndex: readonly number[]) => Int32Array;
  },
): AsyncGenerator<Float32Array> {
  const { lengthScale, noiseScale, durationNoiseScale, symbolIds } = config;
  const { speaker, seed, signal, framesOf } = voice;
  const { ids, symbolIndex } = piperTokens(symbols, withSilence(symbols, symbolIds));
  const noise = new GaussianNoise(seed);
  const front = await model.runFront({
    ids,
    speaker,
    lengthScale,
    durationNoiseScale,
    fillNoise: (values) => noise.fill(values),
  });
  const tokenFrames = framesOf?.(symbolIndex) ?? front.tokenFrames;
  const prior = drawPrior({ ...front, tokenFrames }, { noise, noiseScale });
  yield* decodeWindows(model, { prior, speaker, signal });
}

/** Maps symbols that the voice lacks (in other languages) to silence of the same duration. */
function withSilence(symbols: string, symbolIds: PiperVocabulary): PiperVocabulary {
  const silence = symbolIds.get(' ') ?? symbolIds.get('_')!;
  const missing = [...symbols].filter((symbol) => !symbolIds.has(symbol));
  return new Map([...symbolIds, ...missing.map((symbol) => [symbol, silence] as const)]);
}
