import type { PitchCorrection } from '../../engines/tts-engine.ts';
import type { VoiceEncoder } from '../../engines/voice-encoder.ts';
import type { ClonedVoice } from '../voice-cloner.ts';
import type { CloningContext, FindingJob } from './cloning-job.ts';
import { assertOneSpeaker } from './one-speaker.ts';
import { melodyCorrection } from './pitch-correction.ts';
import { joinClips, type SpokenTrial, speakTrial, type TrialPlan } from './spoken-trial.ts';
import { FIRST_TRIAL_SENTENCES, LONG_TALK_SENTENCES, TRIAL_SENTENCES } from './trial-sentences.ts';

/** More speech than this tells nothing new about a voice. */
const HEARD_SECONDS_MAX = 60;
/** Refining ends after this many trials, and before when so many in a row were in vain. */
const TRIALS_MAX = 7;
const FAILURES_MAX = 2;
/** A trial counts as better when its distance falls by at least this share; less is chance. */
const GAIN_MIN = 0.005;
/** How often a voice whose pitch is off is tuned: somebody waits for the first. */
const FIRST_TUNINGS_MAX = 1;
const TUNINGS_MAX = 2;

interface JudgedTrial extends SpokenTrial {
  readonly distance: number;
}

/** Finds the voice of a job: one, at once, or better and better ones from where the job starts. */
export async function* findVoice(
  context: CloningContext,
  job: FindingJob,
  signal: AbortSignal,
): AsyncGenerator<ClonedVoice> {
  const finder = await context.finder();
  const speech = joinClips(job.clips, finder.sampleRateHz * HEARD_SECONDS_MAX);
  if (job.from === undefined) await assertOneSpeaker(finder, speech, signal);
  const target = finder.aimFor(await finder.measure(speech));
  signal.throwIfAborted();
  const trials = new Trials(context, finder, target, signal);
  if (job.from === undefined) yield await firstVoice(trials);
  else yield* betterVoices(trials, job.from);
}

/**
 * A trial shows where the expected voice and the real one part, and a second one whether making up for that came
 * nearer. A voice whose pitch is off is tuned: that is heard before anything else. What is left of it is corrected behind
 * the engine, as more sentences show it.
 */
async function firstVoice(trials: Trials): Promise<ClonedVoice> {
  const { finder, target } = trials;
  const sentences = TRIAL_SENTENCES.slice(0, FIRST_TRIAL_SENTENCES);
  const expected = await trials.speak(await finder.find(target), sentences);
  const corrected = await trials.speak(await finder.correct(target, expected, 1), sentences);
  const found = await tuned(trials, nearer(expected, corrected), {
    sentences,
    tuningsMax: FIRST_TUNINGS_MAX,
  });
  if (trials.melodyFor(found) === undefined) return trials.voiceOf(found);
  return trials.voiceOf(await trials.goOn(found, TRIAL_SENTENCES.slice(FIRST_TRIAL_SENTENCES)));
}

/**
 * Speak, measure, correct, until that no longer helps. A step in vain is followed by a more cautious one. The last voice
 * is the best with its pitch known better, by a long talk, even when nothing came nearer.
 */
async function* betterVoices(trials: Trials, from: Float32Array): AsyncGenerator<ClonedVoice> {
  const { finder, target } = trials;
  let best = await trials.speak(from, TRIAL_SENTENCES);
  let other: JudgedTrial | undefined;
  let caution = 1;
  for (let count = 1, failures = 0; count < TRIALS_MAX && failures < FAILURES_MAX; count++) {
    const trial = await trials.speak(await finder.correct(target, best, caution), TRIAL_SENTENCES);
    if (trial.distance < best.distance * (1 - GAIN_MIN)) {
      [best, other] = [trial, best];
      failures = 0;
      yield trials.voiceOf(best);
    } else {
      other = trial;
      failures++;
      caution *= 3;
    }
  }
  const last = await tuned(trials, [best, other], { sentences: TRIAL_SENTENCES, tuningsMax: TUNINGS_MAX });
  yield trials.voiceOf(await trials.goOn(last, LONG_TALK_SENTENCES));
}

/** The better of two voices with the pitch of the target, where it was off and that comes nearer. */
async function tuned(
  trials: Trials,
  [first, second]: readonly [JudgedTrial, JudgedTrial | undefined],
  { sentences, tuningsMax }: { readonly sentences: readonly string[]; readonly tuningsMax: number },
): Promise<JudgedTrial> {
  const { finder, target } = trials;
  let [best, other] = [first, second];
  for (let count = 0; count < tuningsMax && !finder.isInTune(best.measures, target); count++) {
    const next = await trials.speak(await finder.tune(target, best, other), sentences);
    [best, other] = nearer(best, next);
  }
  return best;
}

function nearer(a: JudgedTrial, b: JudgedTrial): [nearer: JudgedTrial, other: JudgedTrial] {
  return b.distance < a.distance ? [b, a] : [a, b];
}

/** Trials of one job. */
class Trials {
  readonly finder: VoiceEncoder;
  readonly target: Float32Array;
  readonly #context: CloningContext;
  readonly #signal: AbortSignal;

  constructor(context: CloningContext, finder: VoiceEncoder, target: Float32Array, signal: AbortSignal) {
    this.#context = context;
    this.finder = finder;
    this.target = target;
    this.#signal = signal;
  }

  speak(vector: Float32Array, sentences: readonly string[]): Promise<JudgedTrial> {
    return this.#speak({ vector, sentences });
  }

  /** The same voice, known by more sentences. */
  goOn({ vector, speech: before }: SpokenTrial, sentences: readonly string[]): Promise<JudgedTrial> {
    return this.#speak({ vector, sentences, before });
  }

  async #speak(plan: TrialPlan): Promise<JudgedTrial> {
    const trial = await speakTrial(this.#context, plan, this.#signal);
    return { ...trial, distance: this.finder.distance(trial.measures, this.target) };
  }

  /** What the engine leaves to be done about the melody of a voice. */
  melodyFor({ measures }: SpokenTrial): PitchCorrection | undefined {
    return melodyCorrection(this.finder.melodyOf(measures), this.finder.melodyOf(this.target).pitchHz);
  }

  async voiceOf(trial: SpokenTrial): Promise<ClonedVoice> {
    return {
      engine: (await this.#context.engine()).name,
      vector: trial.vector,
      melody: this.melodyFor(trial),
      loudnessLufs: trial.loudnessLufs,
      gender: await this.finder.genderOf(this.target),
      measures: this.finder.describe(trial.measures, this.target),
    };
  }
}
