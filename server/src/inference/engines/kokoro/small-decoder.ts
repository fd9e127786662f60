import { floatOutput } from '../onnx/float-output.ts';
import { type InferenceSession, Tensor } from '../onnx/onnxruntime.ts';
import { openSession } from '../onnx/session.ts';
import { DECODER_VOICE_SIZE } from './clone-vector.ts';
import type { DecoderInput, DecodingJob, KokoroDecoder } from './decoder.ts';
import { BINS, type Excitation, HOPS_PER_FRAME, UtteranceExcitation } from './excitation.ts';
import { FEATURE_ROWS, type Features, SAMPLES_PER_FRAME, sliceFeatures } from './features.ts';
import { sliceZeroPadded } from './slice-zero-padded.ts';
import { WEIGHT_CHANGES_SIZE } from './weight-changes.ts';

/** First half of the style row (timbre); the second half (prosody) is for the front. */
const TIMBRE_SIZE = 128;
/** Values of a speaker embedding. */
const EMBEDDING_SIZE = 256;
/** 0.2 s. Quantisation, not context, limits how well windows agree. */
const CONTEXT_FRAMES = 8;
/** Values of the voice vector of a clone: those of the voice, then the weight changes. */
const CLONE_VOICE_SIZE = DECODER_VOICE_SIZE + WEIGHT_CHANGES_SIZE;
/** Voice vectors of Kokoro's voices in the cache; one has 41,986 values. */
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
  readonly #sessions: Sessions;
  readonly #openCloneDecoder: () => Promise<InferenceSession>;
  /** Opened when a cloned voice first speaks. */
  #cloneDecoder: Promise<InferenceSession> | undefined;
  readonly #voices = new Map<string, Promise<Float32Array>>();

  private constructor(sessions: Sessions, openCloneDecoder: () => Promise<InferenceSession>) {
    this.#sessions = sessions;
    this.#openCloneDecoder = openCloneDecoder;
  }

  /** `asset` returns the path of a file among the assets. */
  static async open(
    asset: (name: string) => string,
    options: { readonly threads: number },
  ): Promise<SmallDecoder> {
    const [decoder, style, voice] = await Promise.all([
      openSession(asset('decoder/decoder-int8.onnx'), options),
      openSession(asset('decoder/style.onnx'), options),
      openSession(asset('decoder/voice.onnx'), options),
    ]);
    const openCloneDecoder = () => openSession(asset('small-decoder/clone-decoder-int8.onnx'), options);
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
        const samples = await this.#run(sliceFeatures(features, first, last), {
          phase: sliceZeroPadded(excitation.phase, 2 * first, 2 * last),
          voice: await voice,
          excitation: excitation.spectra(HOPS_PER_FRAME * first, HOPS_PER_FRAME * last),
        });
        const offset = CONTEXT_FRAMES * SAMPLES_PER_FRAME;
        return samples.subarray(offset, offset + (to - from) * SAMPLES_PER_FRAME);
      },
    };
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
    const vector = new Float32Array(CLONE_VOICE_SIZE);
    vector.set(decoderVoice);
    return { session: await this.#cloneDecoder, vector };
  }

  async #run(
    window: Features,
    input: { phase: Float32Array; voice: Voice; excitation: Excitation },
  ): Promise<Float32Array> {
    const { frames } = window;
    const { voice, excitation } = input;
    const contour = (values: Float32Array) => new Tensor('float32', values, [1, 2 * frames]);
    const spectrum = (values: Float32Array) =>
      new Tensor('float32', values, [1, HOPS_PER_FRAME * frames, BINS]);
    const outputs = await voice.session.run({
      asr: new Tensor('float32', window.asr, [1, FEATURE_ROWS, frames]),
      F0: contour(window.f0),
      N: contour(window.energy),
      cyc: contour(input.phase),
      voice: new Tensor('float32', voice.vector, [1, voice.vector.length]),
      pulse_real: spectrum(excitation.pulseReal),
      pulse_imaginary: spectrum(excitation.pulseImaginary),
      noise_real: spectrum(excitation.noiseReal),
      noise_imaginary: spectrum(excitation.noiseImaginary),
      modulated_real: spectrum(excitation.modulatedReal),
      modulated_imaginary: spectrum(excitation.modulatedImaginary),
    });
    return floatOutput(outputs, 'wav');
  }

  async close(): Promise<void> {
    const { decoder, style, voice } = this.#sessions;
    const sessions = [decoder, style, voice, ...(this.#cloneDecoder ? [await this.#cloneDecoder] : [])];
    await Promise.all(sessions.map((session) => session.release()));
  }
}
