import type { SpectrumKernel } from '../../../../audio/kernels/spectrum-kernel.ts';
import { discardOutputs } from '../../onnx/discard-outputs.ts';
import { floatOutput } from '../../onnx/float-output.ts';
import { type InferenceSession, Tensor } from '../../onnx/onnxruntime.ts';
import { openSession } from '../../onnx/session.ts';
import { DECODER_VOICE_SIZE } from '../clone-vectors/clone-vector.ts';
import {
  type LogFilters,
  matchSpectrum,
  mixArticulation,
  type NativeArticulation,
} from '../clone-vectors/native-articulation.ts';
import { WEIGHT_CHANGES_SIZE } from '../clone-vectors/weight-changes.ts';
import { openDecoderNetwork } from '../networks/built-networks.ts';
import { BINS, HOPS_PER_FRAME, MARGIN, UtteranceExcitation } from '../networks/excitation.ts';
import {
  alignText,
  FEATURE_ROWS,
  type Features,
  SAMPLE_RATE_HZ,
  SAMPLES_PER_FRAME,
  sliceFeatures,
} from '../networks/features.ts';
import { FILTER_OUTPUTS, HEARD_INPUTS, readFilterNetwork, TEXT_INPUT } from '../networks/filter-network.ts';
import type { DecoderInput, DecodingJob, KokoroDecoder } from './decoder.ts';
import { KernelPool } from './kernel-pool.ts';
import { sliceZeroPadded } from './slice-zero-padded.ts';
import type { Window } from './windows.ts';

/** First half of the style row (timbre); the second half (prosody) is for the front. */
const TIMBRE_SIZE = 128;
/** Values of a speaker embedding. */
const EMBEDDING_SIZE = 256;
/** 0.2 s. Quantisation, not context, limits how well windows agree. */
const CONTEXT_FRAMES = 8;
/** Frames of the context whose hops reach into the window; the others are context of the network only. */
const HEARD_FRAMES = 1;
/** Values of the voice vector of a clone: those of the voice, then the weight changes. */
const CLONE_VOICE_SIZE = DECODER_VOICE_SIZE + WEIGHT_CHANGES_SIZE;
/** A whisper has little energy below its formants. */
const WHISPER_ABOVE_HZ = 300;
const WHISPER_NOISE_GAIN = 0.9;
/** Avoids logarithms of zero. */
const LEAST_POWER = 1e-6;
/** Pitch values below this are glides into silence. */
const VOICED_ABOVE_HZ = 40;
/** The networks are too small for more. */
const ONE_THREAD = { threads: 1 } as const;
/** Voice vectors of Kokoro's voices in the cache; one has 32,770 values. */
const VOICES_MAX = 64;

interface Sessions {
  readonly decoder: InferenceSession;
  /** Timbre to speaker embedding. */
  readonly style: InferenceSession;
  /** Speaker embedding to voice vector. */
  readonly voice: InferenceSession;
}

/** A voice vector and the decoder that it is for. */
interface Voice {
  readonly session: InferenceSession;
  readonly vector: Float32Array;
}

/**
 * Decoders trained for this project that filter the spectra of a pulse train and of noise: one for Kokoro's voices, a
 * larger one of the same kind for clones. See their model cards, `decoder` and `small-decoder`.
 */
export class SmallDecoder implements KokoroDecoder {
  readonly contextFrames = CONTEXT_FRAMES;
  readonly whisperGain = 2;
  /** The noise of clones is louder. With this, five of them whisper 2 to 7 dB below their speech. */
  readonly cloneWhisperGain = 1;
  readonly #sessions: Sessions;
  readonly #openCloneDecoder: () => Promise<InferenceSession>;
  /** Opened when a cloned voice first speaks. */
  #cloneDecoder: Promise<InferenceSession> | undefined;
  readonly #voices = new Map<string, Promise<Float32Array>>();
  readonly #kernels = new KernelPool();

  private constructor(sessions: Sessions, openCloneDecoder: () => Promise<InferenceSession>) {
    this.#sessions = sessions;
    this.#openCloneDecoder = openCloneDecoder;
  }

  /** `asset` returns the path of a file among the assets. */
  static async open(asset: (name: string) => string): Promise<SmallDecoder> {
    const [decoder, style, voice] = await Promise.all([
      openSession(await openDecoderNetwork(asset), ONE_THREAD),
      openSession(asset('decoder/style.onnx'), ONE_THREAD),
      openSession(asset('decoder/voice.onnx'), ONE_THREAD),
    ]);
    const openCloneDecoder = async () =>
      openSession(await readFilterNetwork(asset('small-decoder/clone-decoder-int8.onnx')), ONE_THREAD);
    return new SmallDecoder({ decoder, style, voice }, openCloneDecoder);
  }

  begin({ features, style, decoderVoice, seed }: DecoderInput): DecodingJob {
    const excitation = new UtteranceExcitation(features.f0, seed);
    const timbre = style.slice(0, TIMBRE_SIZE);
    // Found once: all windows of an utterance have the same voice.
    let voice: Promise<Voice> | undefined;
    return {
      decode: async (from, to) => {
        voice ??= decoderVoice ? this.#clone(decoderVoice) : this.#voiceOf(timbre);
        const first = from - CONTEXT_FRAMES;
        const last = to + CONTEXT_FRAMES;
        const phase = sliceZeroPadded(excitation.phase, 2 * first, 2 * last);
        const window = { ...sliceFeatures(features, first, last), phase };
        const { session, vector } = await voice;
        const unheardFrames = CONTEXT_FRAMES - HEARD_FRAMES;
        const heard = { from: unheardFrames, to: window.frames - unheardFrames };
        const hops = HOPS_PER_FRAME * (heard.to - heard.from);
        return this.#kernels.use(hops, async (kernel) => {
          await computeFilters(session, { window, heard, vector, kernel });
          attenuateWhisper(kernel, window.f0.subarray(2 * heard.from, 2 * heard.to));
          kernel.begin(hops);
          const firstHop = HOPS_PER_FRAME * (first + heard.from);
          for (let hop = 0; hop < hops; hop++) {
            kernel.filterHop(hop, excitation.fill(firstHop + hop, kernel));
          }
          const start = MARGIN + HEARD_FRAMES * SAMPLES_PER_FRAME;
          return kernel.samples(start, start + (to - from) * SAMPLES_PER_FRAME);
        });
      },
    };
  }

  async articulate(
    decoderVoice: Float32Array,
    native: NativeArticulation,
    features: Features,
  ): Promise<Float32Array> {
    const mixed = mixArticulation(decoderVoice, native);
    const target = await this.#logFilters(decoderVoice, features);
    matchSpectrum(mixed, await this.#logFilters(mixed, features), target);
    return mixed;
  }

  async #logFilters(decoderVoice: Float32Array, features: Features): Promise<LogFilters> {
    const { session, vector } = await this.#clone(decoderVoice);
    const { phase } = new UtteranceExcitation(features.f0, 0);
    const hops = HOPS_PER_FRAME * features.frames;
    return this.#kernels.use(hops, async (kernel) => {
      const heard = { from: 0, to: features.frames };
      await computeFilters(session, { window: { ...features, phase }, heard, vector, kernel });
      const { gain, real, imaginary, noiseGain } = kernel.filters;
      const pulses = new Float32Array(hops * BINS);
      const noise = new Float32Array(hops * BINS);
      for (let index = 0; index < hops * BINS; index++) {
        const power = real[index]! ** 2 + imaginary[index]! ** 2 + LEAST_POWER;
        pulses[index] = Math.log(gain[index]! ** 2 * power) / 2;
        noise[index] = Math.log(noiseGain[index]!);
      }
      const isVoiced = Array.from({ length: hops }, (_, hop) => features.f0[hop >> 1]! > VOICED_ABOVE_HZ);
      return { pulses, noise, isVoiced };
    });
  }

  /** The voice of a timbre, from the cache if possible. */
  async #voiceOf(timbre: Float32Array): Promise<Voice> {
    const key = Buffer.from(timbre.buffer, timbre.byteOffset, timbre.byteLength).toString('latin1');
    let vector = this.#voices.get(key);
    if (vector === undefined) {
      if (this.#voices.size >= VOICES_MAX) this.#voices.clear();
      vector = this.#computeVoice(timbre);
      this.#voices.set(key, vector);
    }
    return { session: this.#sessions.decoder, vector: await vector };
  }

  async #computeVoice(timbre: Float32Array): Promise<Float32Array> {
    const { style, voice } = this.#sessions;
    const embedded = await style.run({ style: new Tensor('float32', timbre, [1, TIMBRE_SIZE]) });
    const embedding = new Tensor('float32', floatOutput(embedded, 'embedding'), [1, EMBEDDING_SIZE]);
    return floatOutput(await voice.run({ embedding }), 'voice');
  }

  /** A cloned voice. Those without weight changes get changes of zero. */
  async #clone(decoderVoice: Float32Array): Promise<Voice> {
    this.#cloneDecoder ??= this.#openCloneDecoder().catch((error: unknown) => {
      this.#cloneDecoder = undefined;
      throw error;
    });
    return { session: await this.#cloneDecoder, vector: withWeightChanges(decoderVoice) };
  }

  async close(): Promise<void> {
    const { decoder, style, voice } = this.#sessions;
    const sessions = [decoder, style, voice, ...(this.#cloneDecoder ? [await this.#cloneDecoder] : [])];
    await Promise.all(sessions.map((session) => session.release()));
  }
}

function withWeightChanges(decoderVoice: Float32Array): Float32Array {
  if (decoderVoice.length === CLONE_VOICE_SIZE) return decoderVoice;
  const vector = new Float32Array(CLONE_VOICE_SIZE);
  vector.set(decoderVoice);
  return vector;
}

/** Runs the network of a decoder. The filters of the heard frames are written to the memory of the kernel. */
async function computeFilters(
  session: InferenceSession,
  input: {
    readonly window: Features & { readonly phase: Float32Array };
    readonly heard: Window;
    readonly vector: Float32Array;
    readonly kernel: SpectrumKernel;
  },
): Promise<void> {
  const { window, heard, vector, kernel } = input;
  const { frames } = window;
  const hops = HOPS_PER_FRAME * (heard.to - heard.from);
  const { gain, real, imaginary, noiseGain, depth } = kernel.filters;
  const contour = (values: Float32Array) => new Tensor('float32', values, [1, 2 * frames]);
  const filter = (values: Float32Array, rows: number) =>
    new Tensor('float32', values.subarray(0, hops * BINS), [1, rows, (hops * BINS) / rows]);
  const copies = await session.run(
    {
      [TEXT_INPUT]: new Tensor('float32', alignText(window), [1, frames, FEATURE_ROWS]),
      F0: contour(window.f0),
      N: contour(window.energy),
      cyc: contour(window.phase),
      voice: new Tensor('float32', vector, [1, vector.length]),
      [HEARD_INPUTS.from]: timeStep(2 * heard.from),
      [HEARD_INPUTS.to]: timeStep(2 * heard.to),
    },
    {
      [FILTER_OUTPUTS.gain]: filter(gain, hops),
      [FILTER_OUTPUTS.real]: filter(real, hops / 2),
      [FILTER_OUTPUTS.imaginary]: filter(imaginary, hops / 2),
      [FILTER_OUTPUTS.noiseGain]: filter(noiseGain, hops),
      [FILTER_OUTPUTS.depth]: new Tensor('float32', depth.subarray(0, hops), [1, hops, 1]),
    },
  );
  discardOutputs(copies);
}

function timeStep(step: number): Tensor {
  return new Tensor('int64', BigInt64Array.of(BigInt(step)), [1]);
}

/** A whisper has a pitch of exactly 0, which the front never gives. */
function attenuateWhisper({ filters: { noiseGain } }: SpectrumKernel, f0: Float32Array): void {
  for (let value = 0; value < f0.length; value++) {
    if (f0[value] !== 0) continue;
    const first = (HOPS_PER_FRAME / 2) * value * BINS;
    for (let index = 0; index < (HOPS_PER_FRAME / 2) * BINS; index++) {
      noiseGain[first + index]! *= whisperGains()[index % BINS]!;
    }
  }
}

let gains: Float32Array | undefined;

function whisperGains(): Float32Array {
  gains ??= Float32Array.from({ length: BINS }, (_, bin) => {
    const height = (bin * SAMPLE_RATE_HZ) / (2 * (BINS - 1)) / WHISPER_ABOVE_HZ;
    return (WHISPER_NOISE_GAIN * height) / Math.sqrt(1 + height ** 2);
  });
  return gains;
}
