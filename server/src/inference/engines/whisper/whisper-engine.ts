import { readFile } from 'node:fs/promises';
import { deflateSync } from 'node:zlib';
import {
  ASR_SAMPLE_RATE_HZ,
  type AsrEngine,
  type AsrEngineContext,
  type AsrOptions,
  type AsrResult,
  type LanguageProbability,
  runAtOnce,
} from '../../../domain/engines/asr-engine.ts';
import { readModel } from '../onnx/model.ts';
import { type InferenceSession, Tensor } from '../onnx/onnxruntime.ts';
import { openSession } from '../onnx/session.ts';
import { buildAsrResult } from '../seq2seq/asr-result.ts';
import { deriveDecoder } from '../seq2seq/derive-decoder.ts';
import { deriveNetwork } from '../seq2seq/derive-network.ts';
import { type DecodedTokens, decodeGreedily } from '../seq2seq/greedy-decoding.ts';
import { logSumExp } from '../seq2seq/log-probability.ts';
import type { DecoderState, StepDecoder } from '../seq2seq/step-decoder.ts';
import { type Generation, loadGeneration } from './generation.ts';
import { HOP_SAMPLES, logMel, MEL_BANDS } from './log-mel.ts';
import { loadTokenizer, type Tokenizer } from './tokenizer.ts';
import { HIDDEN_OUTPUT, MEL_INPUT, makeEncoderVariableLength } from './variable-length-encoder.ts';

export type WhisperSize = 'base' | 'small';

/** Version of the derived encoder; increment when `makeEncoderVariableLength` changes. */
const ENCODER_VERSION = 1;
const SECONDS_MAX = 30;
const FULL_WINDOW_FRAMES = (SECONDS_MAX * ASR_SAMPLE_RATE_HZ) / HOP_SAMPLES;
/** Minimum window of a second attempt, whose window is otherwise twice the first. Cost is proportional to the window. */
const WIDE_WINDOW_FRAMES = (10 * ASR_SAMPLE_RATE_HZ) / HOP_SAMPLES;
/** The encoder halves the number of frames. */
const FRAME_SECONDS = (2 * HOP_SAMPLES) / ASR_SAMPLE_RATE_HZ;
const LEAD_SECONDS = 0.11;
/**
 * Silence after the speech. With less of it the model tends to repeat the entire text, which costs more than the
 * silence.
 */
const TAIL_SECONDS = 3;
/** Window lengths are multiples of this. */
const WINDOW_STEP_SECONDS = 1;
const WINDOW_SECONDS_MIN = 3;
/** Audio that is used for language detection. */
const DETECTION_SECONDS_MAX = 10;
const TOKENS_PER_SECOND_MAX = 25;
const TOKENS_MIN = 20;
const TOKENS_MAX = 224;
const PROMPT_TOKENS_MAX = 200;
/** Least duration of a token of real speech. */
const SPOKEN_TOKEN_SECONDS_MIN = 0.08;
/** Below this probability the audio is transcribed in several languages, and the most likely text selects one. */
const LIKELY_LANGUAGE = 0.4;
const LANGUAGES_TRIED = 3;
/** Thresholds of a hallucination, as in OpenAI's implementation. */
const COMPRESSION_MAX = 2.4;
const LOG_PROBABILITY_MIN = -1;
const NO_SPEECH_MAX = 0.6;

interface Attempt {
  readonly decoded: DecodedTokens;
  readonly language: string;
  readonly languageProbability: number;
  readonly noSpeech: number;
  readonly frames: number;
}

/** Whisper: 99 languages, with language detection. */
export class WhisperEngine implements AsrEngine {
  readonly name: string;
  readonly languages: readonly string[];
  readonly maxSeconds = SECONDS_MAX;
  readonly #encoder: InferenceSession;
  readonly #decoder: StepDecoder;
  readonly #tokenizer: Tokenizer;
  readonly #generation: Generation;

  constructor(options: {
    readonly name: string;
    readonly encoder: InferenceSession;
    readonly decoder: StepDecoder;
    readonly tokenizer: Tokenizer;
    readonly generation: Generation;
  }) {
    this.name = options.name;
    this.languages = [...options.generation.languages.keys()];
    this.#encoder = options.encoder;
    this.#decoder = options.decoder;
    this.#tokenizer = options.tokenizer;
    this.#generation = options.generation;
  }

  async transcribe(samples: Float32Array, options: AsrOptions): Promise<AsrResult> {
    const seconds = samples.length / ASR_SAMPLE_RATE_HZ;
    if (seconds > SECONDS_MAX)
      throw new RangeError(`${this.name} accepts at most ${SECONDS_MAX} s per call.`);
    let attempt = await this.#attempt(samples, windowFrames(seconds, TAIL_SECONDS), options);
    const widerFrames = Math.min(FULL_WINDOW_FRAMES, Math.max(WIDE_WINDOW_FRAMES, 2 * attempt.frames));
    if (this.#isSuspicious(attempt.decoded) && attempt.frames < widerFrames) {
      // A window closer to the training length, without prompt and hotwords, which can cause hallucinations.
      const again = await this.#attempt(samples, widerFrames, {
        ...options,
        prompt: '',
        hotwords: [],
      });
      if (meanLogProbability(again.decoded) > meanLogProbability(attempt.decoded)) attempt = again;
    }
    const { decoded, language, languageProbability, noSpeech } = attempt;
    const isSilence = noSpeech > NO_SPEECH_MAX && meanLogProbability(decoded) < LOG_PROBABILITY_MIN;
    return buildAsrResult(isSilence ? withoutTokens(decoded) : decoded, {
      samples,
      bytesOf: (token) => this.#tokenizer.bytesOf(token),
      frames: Math.ceil(seconds / FRAME_SECONDS),
      frameSeconds: FRAME_SECONDS,
      leadSeconds: LEAD_SECONDS,
      language,
      languageProbability,
      noSpeech,
    });
  }

  async detectLanguage(samples: Float32Array, signal: AbortSignal): Promise<readonly LanguageProbability[]> {
    signal.throwIfAborted();
    const audio = samples.subarray(0, DETECTION_SECONDS_MAX * ASR_SAMPLE_RATE_HZ);
    const state = await this.#encode(audio, windowFrames(audio.length / ASR_SAMPLE_RATE_HZ, 0), runAtOnce);
    const { logits } = await this.#decoder.step(state, [this.#generation.startToken]);
    return this.#rankLanguages(logits[0]!);
  }

  async close(): Promise<void> {
    await this.#encoder.release();
    await this.#decoder.close();
  }

  async #attempt(samples: Float32Array, frames: number, options: AsrOptions): Promise<Attempt> {
    const { startToken, endToken, noTimestampsToken, noSpeechToken } = this.#generation;
    const taskToken = options.isTranslated
      ? this.#generation.translateToken
      : this.#generation.transcribeToken;
    const { signal, runStep = runAtOnce } = options;
    signal.throwIfAborted();
    const fresh = await this.#encode(samples, frames, runStep);
    signal.throwIfAborted();
    const start = await runStep(() => this.#decoder.step(fresh, [startToken]));
    const logits = start.logits[0]!;
    const noSpeech = Math.exp(logits[noSpeechToken]!);
    const prompt = this.#promptTokens(options);
    const before =
      prompt.length === 0
        ? start.state
        : (await runStep(() => this.#decoder.step(fresh, [...prompt, startToken]))).state;
    let best: Attempt | undefined;
    for (const { language, probability } of this.#languagesToTry(options.language, logits)) {
      const decoded = await decodeGreedily(
        this.#decoder,
        { state: before, tokens: [this.#languageToken(language), taskToken, noTimestampsToken] },
        {
          endToken,
          tokensMax: tokensMaxFor(samples.length / ASR_SAMPLE_RATE_HZ),
          heads: options.wordTimes === true ? this.#generation.heads : [],
          adjust: (logits, tokens) => this.#suppress(logits, tokens.length === 0),
          framesPerTokenMin: SPOKEN_TOKEN_SECONDS_MIN / FRAME_SECONDS,
          signal,
          runStep,
        },
      );
      const attempt = { decoded, language, languageProbability: probability, noSpeech, frames };
      if (best === undefined || logLikelihood(attempt) > logLikelihood(best)) best = attempt;
    }
    return best!;
  }

  async #encode(
    samples: Float32Array,
    frames: number,
    runStep: NonNullable<AsrOptions['runStep']>,
  ): Promise<DecoderState> {
    const mel = new Tensor('float32', logMel(samples, frames), [1, MEL_BANDS, frames]);
    const outputs = await runStep(() => this.#encoder.run({ [MEL_INPUT]: mel }));
    return runStep(() => this.#decoder.begin(outputs[HIDDEN_OUTPUT] as Tensor));
  }

  #rankLanguages(logits: Float32Array): LanguageProbability[] {
    const languages = [...this.#generation.languages];
    const values = Float32Array.from(languages, ([, token]) => logits[token]!);
    const total = logSumExp(values);
    return languages
      .map(([language], index) => ({ language, probability: Math.exp(values[index]! - total) }))
      .sort((a, b) => b.probability - a.probability);
  }

  #languagesToTry(given: string | undefined, logits: Float32Array): readonly LanguageProbability[] {
    if (given !== undefined) return [{ language: given, probability: 1 }];
    const guesses = this.#rankLanguages(logits);
    return guesses.slice(0, guesses[0]!.probability >= LIKELY_LANGUAGE ? 1 : LANGUAGES_TRIED);
  }

  #languageToken(language: string): number {
    const token = this.#generation.languages.get(language);
    if (token === undefined)
      throw new RangeError(`${this.name} does not support the language "${language}".`);
    return token;
  }

  #promptTokens({ prompt = '', hotwords = [] }: AsrOptions): number[] {
    const text = [hotwords.join(', '), prompt].filter((part) => part !== '').join('. ');
    if (text === '') return [];
    const tokens = this.#tokenizer.encodeEnd(` ${text.trim()}`, PROMPT_TOKENS_MAX);
    return [this.#generation.previousTextToken, ...tokens];
  }

  #suppress(logits: Float32Array, isFirst: boolean): void {
    const { suppressed, suppressedAtStart, endToken } = this.#generation;
    for (const token of suppressed) logits[token] = Number.NEGATIVE_INFINITY;
    if (isFirst) for (const token of suppressedAtStart) logits[token] = Number.NEGATIVE_INFINITY;
    // The ids after the end token are languages, tasks and timestamps, not text.
    logits.fill(Number.NEGATIVE_INFINITY, endToken + 1);
  }

  #isSuspicious(decoded: DecodedTokens): boolean {
    if (decoded.isCut || meanLogProbability(decoded) < LOG_PROBABILITY_MIN) return true;
    const text = Buffer.concat(decoded.tokens.map((token) => this.#tokenizer.bytesOf(token)));
    return text.length / deflateSync(text).length > COMPRESSION_MAX;
  }
}

/** The window for audio and trailing silence, rounded up to a multiple of `WINDOW_STEP_SECONDS`. */
function windowFrames(seconds: number, tailSeconds: number): number {
  const wanted = Math.max(WINDOW_SECONDS_MIN, Math.ceil((seconds + tailSeconds) / WINDOW_STEP_SECONDS));
  return Math.min(FULL_WINDOW_FRAMES, (wanted * ASR_SAMPLE_RATE_HZ) / HOP_SAMPLES);
}

function tokensMaxFor(seconds: number): number {
  return Math.min(TOKENS_MAX, TOKENS_MIN + Math.ceil(seconds * TOKENS_PER_SECOND_MAX));
}

function sumOfLogProbabilities({ logProbabilities, endLogProbability }: DecodedTokens): number {
  return logProbabilities.reduce((total, value) => total + value, endLogProbability);
}

function meanLogProbability(decoded: DecodedTokens): number {
  return sumOfLogProbabilities(decoded) / (decoded.logProbabilities.length + 1);
}

/** Joint log likelihood of the language and the text. */
function logLikelihood({ decoded, languageProbability }: Attempt): number {
  if (decoded.isCut) return Number.NEGATIVE_INFINITY;
  return Math.log(languageProbability) + sumOfLogProbabilities(decoded);
}

function withoutTokens(decoded: DecodedTokens): DecodedTokens {
  return { ...decoded, tokens: [], logProbabilities: [], attention: decoded.attention.slice(0, 1) };
}

/** Loads Whisper of one size. */
export async function loadWhisper(context: AsrEngineContext, size: WhisperSize): Promise<AsrEngine> {
  const name = `whisper-${size}`;
  const encoder = await deriveNetwork(context, {
    model: name,
    name: 'encoder-open',
    version: ENCODER_VERSION,
    make: async () =>
      makeEncoderVariableLength(readModel(await readFile(await context.file(name, 'encoder.onnx')))),
  });
  return new WhisperEngine({
    name,
    encoder: await openSession(encoder, context),
    decoder: await deriveDecoder(context, name),
    tokenizer: await loadTokenizer({
      vocabulary: await context.file(name, 'vocabulary.json'),
      merges: await context.file(name, 'merges.txt'),
    }),
    generation: await loadGeneration(await context.file(name, 'generation.json')),
  });
}
