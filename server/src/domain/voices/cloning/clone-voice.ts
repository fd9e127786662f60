import type { PitchCorrection } from '../../engines/tts-engine.ts';
import type { VoiceEncoder } from '../../engines/voice-encoder.ts';
import type { ClonedVoice } from '../voice-cloner.ts';
import { assertOneSpeaker } from './assert-one-speaker.ts';
import type { CloneTask, CloningContext } from './cloning-job.ts';
import { computePitchCorrection } from './pitch-correction.ts';
import { joinClips, type SpokenTrial, speakTrial, type TrialPlan } from './spoken-trial.ts';
import { FIRST_TRIAL_SENTENCES, PITCH_SENTENCES, TRIAL_SENTENCES } from './trial-sentences.ts';

/** Maximum duration of the analysed speech. More does not improve the estimate. */
const ANALYSED_SECONDS_MAX = 60;
/** Refinement ends after this many trials, or after `FAILURES_MAX` consecutive trials without improvement. */
const TRIALS_MAX = 7;
const FAILURES_MAX = 2;
/** Minimum relative decrease of the distance that counts as an improvement. Smaller ones are random. */
const GAIN_MIN = 0.005;
/** Factor of the caution of the next step after a trial without improvement. */
const CAUTION_FACTOR = 3;
/** Maximum number of pitch adjustments. The first voice gets fewer, because a client waits for it. */
const FIRST_ADJUSTMENTS_MAX = 1;
const PITCH_ADJUSTMENTS_MAX = 2;

interface ComparedTrial extends SpokenTrial {
  readonly distance: number;
}

/** Clones a voice. Yields one voice, or with `task.from` a sequence of refinements of that vector. */
export async function* cloneVoice(
  context: CloningContext,
  task: CloneTask,
  signal: AbortSignal,
): AsyncGenerator<ClonedVoice> {
  const encoder = await context.encoder();
  const speech = joinClips(task.clips, encoder.sampleRateHz * ANALYSED_SECONDS_MAX);
  if (task.from === undefined) await assertOneSpeaker(encoder, speech, signal);
  const target = encoder.targetFor(await encoder.measure(speech));
  signal.throwIfAborted();
  const trials = new Trials(context, encoder, target, signal);
  if (task.from === undefined) yield await cloneFirst(trials);
  else yield* refine(trials, task.from);
}

/**
 * The first trial shows the error of the predicted vector, the second the vector corrected for it; the nearer one is
 * used. A wrong pitch is adjusted, because listeners notice it first. A remaining pitch error, measured on further
 * sentences, becomes the pitch correction of the voice.
 */
async function cloneFirst(trials: Trials): Promise<ClonedVoice> {
  const { encoder, target } = trials;
  const sentences = TRIAL_SENTENCES.slice(0, FIRST_TRIAL_SENTENCES);
  const predicted = await trials.speak(await encoder.predictVector(target), sentences);
  const corrected = await trials.speak(await encoder.refineVector(target, predicted, 1), sentences);
  const found = await adjustPitch(trials, nearer(predicted, corrected), {
    sentences,
    adjustmentsMax: FIRST_ADJUSTMENTS_MAX,
  });
  if (trials.pitchCorrectionOf(found) === undefined) return trials.voiceOf(found);
  return trials.voiceOf(await trials.extend(found, TRIAL_SENTENCES.slice(FIRST_TRIAL_SENTENCES)));
}

/**
 * Repeats trial, measurement and correction until there is no improvement. A trial without improvement is followed by a
 * smaller step. The last voice is the best one with its pitch measured on more sentences; it is yielded in any case.
 */
async function* refine(trials: Trials, from: Float32Array): AsyncGenerator<ClonedVoice> {
  const { encoder, target } = trials;
  let best = await trials.speak(from, TRIAL_SENTENCES);
  let other: ComparedTrial | undefined;
  let caution = 1;
  for (let count = 1, failures = 0; count < TRIALS_MAX && failures < FAILURES_MAX; count++) {
    const trial = await trials.speak(await encoder.refineVector(target, best, caution), TRIAL_SENTENCES);
    if (trial.distance < best.distance * (1 - GAIN_MIN)) {
      [best, other] = [trial, best];
      failures = 0;
      yield trials.voiceOf(best);
    } else {
      other = trial;
      failures++;
      caution *= CAUTION_FACTOR;
    }
  }
  const last = await adjustPitch(trials, [best, other], {
    sentences: TRIAL_SENTENCES,
    adjustmentsMax: PITCH_ADJUSTMENTS_MAX,
  });
  yield trials.voiceOf(await trials.extend(last, PITCH_SENTENCES));
}

/** Adjusts the pitch of the better of two trials to the target, while that decreases the distance. */
async function adjustPitch(
  trials: Trials,
  [first, second]: readonly [ComparedTrial, ComparedTrial | undefined],
  { sentences, adjustmentsMax }: { readonly sentences: readonly string[]; readonly adjustmentsMax: number },
): Promise<ComparedTrial> {
  const { encoder, target } = trials;
  let [best, other] = [first, second];
  for (let count = 0; count < adjustmentsMax && !encoder.hasSamePitch(best.measures, target); count++) {
    const next = await trials.speak(await encoder.matchPitch(target, best, other), sentences);
    [best, other] = nearer(best, next);
  }
  return best;
}

function nearer(a: ComparedTrial, b: ComparedTrial): [nearer: ComparedTrial, other: ComparedTrial] {
  return b.distance < a.distance ? [b, a] : [a, b];
}

/** Trials of one task. */
class Trials {
  readonly encoder: VoiceEncoder;
  readonly target: Float32Array;
  readonly #context: CloningContext;
  readonly #signal: AbortSignal;

  constructor(context: CloningContext, encoder: VoiceEncoder, target: Float32Array, signal: AbortSignal) {
    this.#context = context;
    this.encoder = encoder;
    this.target = target;
    this.#signal = signal;
  }

  speak(vector: Float32Array, sentences: readonly string[]): Promise<ComparedTrial> {
    return this.#speak({ vector, sentences });
  }

  /** Measures the same voice on additional sentences. */
  extend({ vector, speech: before }: SpokenTrial, sentences: readonly string[]): Promise<ComparedTrial> {
    return this.#speak({ vector, sentences, before });
  }

  async #speak(plan: TrialPlan): Promise<ComparedTrial> {
    const trial = await speakTrial(this.#context, plan, this.#signal);
    return { ...trial, distance: this.encoder.distance(trial.measures, this.target) };
  }

  /** The pitch correction that the voice of a trial needs. */
  pitchCorrectionOf({ measures }: SpokenTrial): PitchCorrection | undefined {
    return computePitchCorrection(this.encoder.pitchOf(measures), this.encoder.pitchOf(this.target).pitchHz);
  }

  async voiceOf(trial: SpokenTrial): Promise<ClonedVoice> {
    return {
      engine: (await this.#context.engine()).name,
      vector: trial.vector,
      pitchCorrection: this.pitchCorrectionOf(trial),
      loudnessLufs: trial.loudnessLufs,
      gender: await this.encoder.genderOf(this.target),
      measures: this.encoder.describe(trial.measures, this.target),
    };
  }
}
