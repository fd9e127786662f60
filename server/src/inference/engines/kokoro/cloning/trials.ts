import type { RecordedPart, SearchTarget } from '../../../../domain/engines/voice-search.ts';
import { Tensor } from '../../onnx/onnxruntime.ts';
import { BINS, HOPS_PER_FRAME, UtteranceExcitation } from '../networks/excitation.ts';
import { alignTextRows, FEATURE_ROWS, type Features, SAMPLES_PER_FRAME } from '../networks/features.ts';
import { noiseLike } from './background-noise.ts';
import type { TrialArticulation } from './trial-articulation.ts';

/** Frames of a trial, fixed in `refinement.onnx`. */
export const TRIAL_FRAMES = 120;
export const TRIAL_SAMPLES = TRIAL_FRAMES * SAMPLES_PER_FRAME;
/** Level of the trials, and of the recording that they are compared with. */
export const TRIAL_RMS = 0.06;
/** Weight of the long-term spectrum in the loss of a sentence. */
const SPECTRUM_WEIGHT = 0.05;
/** Weight of the distance of log mel energies in the loss of a part of the recording. */
const MEL_WEIGHT = 10;
/** Frames and bands of the log mel energies, fixed in `refinement.onnx`. */
const MEL_FRAMES = 559;
const MEL_BANDS = 66;
/** Frames at both edges that are not compared, and the weight of quiet ones; natural logarithm of energy. */
const MEL_EDGE = 35;
const MEL_LOUD_WITHIN = 6;
const MEL_QUIET_WEIGHT = 0.3;

/** Inputs of the gradient that differ between trials. */
export type TrialInputs = Readonly<Record<string, Tensor>>;
/** Speech of the decoder that is compared with the recording. */
export interface Trial {
  /** Makes the inputs on its first call. */
  readonly inputs: () => TrialInputs;
  /** How the voice articulates the language of the trial; absent where it is said with the voice itself. */
  readonly articulation?: TrialArticulation | undefined;
}

/** A sentence of a descent. */
export interface TrialSentence {
  readonly features: Features;
  readonly articulation?: TrialArticulation | undefined;
}

/** The trials of a descent: the sentences, and the parts of the recording if there are any, in turn. */
export function makeTrials(
  sentences: readonly TrialSentence[],
  { statistics, background, parts }: Pick<SearchTarget, 'statistics' | 'background' | 'parts'>,
): readonly Trial[] {
  // Speech is compared in the noise of the recording; the voice would imitate the noise otherwise.
  const inNoise = (make: () => TrialInputs, seed: number) =>
    once(() => ({
      ...make(),
      background: new Tensor('float32', noiseLike(background, TRIAL_SAMPLES, seed), [TRIAL_SAMPLES]),
    }));
  return alternate(
    sentences.map(({ features, articulation }, seed) => ({
      inputs: inNoise(() => sentenceInputs(features, statistics, seed), seed),
      articulation,
    })),
    parts.map((part, seed) => ({ inputs: inNoise(() => partInputs(part, seed), seed) })),
  );
}

/** A sentence and a part in turn. Both lists are repeated; without parts, these are the sentences. */
function alternate(sentences: readonly Trial[], parts: readonly Trial[]): readonly Trial[] {
  if (parts.length === 0) return sentences;
  return Array.from({ length: sentences.length * parts.length }, (_, turn) => [
    sentences[turn % sentences.length]!,
    parts[turn % parts.length]!,
  ]).flat();
}

function once(make: () => TrialInputs): () => TrialInputs {
  let made: TrialInputs | undefined;
  return () => {
    made ??= make();
    return made;
  };
}

/** Inputs of the gradient for a sentence. */
function sentenceInputs(sentence: Features, statistics: Float32Array, seed: number): TrialInputs {
  return {
    ...decoderInputs({ ...sentence, asr: alignTextRows(sentence) }, seed),
    target_statistics: new Tensor('float32', statistics, [statistics.length]),
    level: scalar(TRIAL_RMS),
    spectrum_weight: scalar(SPECTRUM_WEIGHT),
    ...melInputs(new Float32Array(MEL_FRAMES * MEL_BANDS), new Float32Array(MEL_FRAMES)),
  };
}

/** Inputs of the gradient for a part of the recording. */
function partInputs(part: RecordedPart, seed: number): TrialInputs {
  const { textFeatures: asr, pitchHz: f0, energy, statistics, logMel } = part;
  return {
    ...decoderInputs({ asr, f0, energy }, seed),
    target_statistics: new Tensor('float32', statistics, [statistics.length]),
    level: scalar(part.rms),
    spectrum_weight: scalar(0),
    ...melInputs(logMel, melWeights(logMel)),
  };
}

/** Weights of the frames of a part: quiet ones count less, the edges do not count. */
function melWeights(logMel: Float32Array): Float32Array {
  const levels = Array.from({ length: MEL_FRAMES }, (_, frame) =>
    logMel.subarray(frame * MEL_BANDS, (frame + 1) * MEL_BANDS).reduce((sum, value) => sum + value, 0),
  );
  const quietest = Math.max(...levels) - MEL_LOUD_WITHIN * MEL_BANDS;
  const weights = Float32Array.from(levels, (level, frame) => {
    if (frame < MEL_EDGE || frame >= MEL_FRAMES - MEL_EDGE) return 0;
    return level > quietest ? 1 : MEL_QUIET_WEIGHT;
  });
  const sum = weights.reduce((total, weight) => total + weight, 0);
  return weights.map((weight) => (MEL_WEIGHT * weight) / sum);
}

function melInputs(logMel: Float32Array, weights: Float32Array): TrialInputs {
  return {
    recorded_mel: new Tensor('float32', logMel, [MEL_FRAMES, MEL_BANDS]),
    mel_weights: new Tensor('float32', weights, [MEL_FRAMES]),
  };
}

function scalar(value: number): Tensor {
  return new Tensor('float32', Float32Array.of(value), []);
}

function decoderInputs(
  features: Pick<Features, 'f0' | 'energy'> & { readonly asr: Float32Array },
  seed: number,
): TrialInputs {
  const excitation = new UtteranceExcitation(features.f0, seed);
  const spectra = excitation.spectra(0, HOPS_PER_FRAME * TRIAL_FRAMES);
  const contour = (values: Float32Array) => new Tensor('float32', values, [1, 2 * TRIAL_FRAMES]);
  const spectrum = (values: Float32Array) =>
    new Tensor('float32', values, [1, HOPS_PER_FRAME * TRIAL_FRAMES, BINS]);
  return {
    asr: new Tensor('float32', features.asr, [1, FEATURE_ROWS, TRIAL_FRAMES]),
    F0: contour(features.f0),
    N: contour(features.energy),
    cyc: contour(excitation.phase),
    pulse_real: spectrum(spectra.pulseReal),
    pulse_imaginary: spectrum(spectra.pulseImaginary),
    noise_real: spectrum(spectra.noiseReal),
    noise_imaginary: spectrum(spectra.noiseImaginary),
    modulated_real: spectrum(spectra.modulatedReal),
    modulated_imaginary: spectrum(spectra.modulatedImaginary),
  };
}
