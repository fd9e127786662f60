import type { VoiceEncoder } from '../../engines/voice-encoder.ts';
import type { SearchTarget } from '../../engines/voice-search.ts';
import type { ClonedVoice } from '../voice-cloner.ts';
import { assertOneSpeaker } from './assert-one-speaker.ts';
import type { CloneTask, SearchContext } from './cloning-job.ts';
import { joinClips, type SpokenTrial, speakTrial } from './spoken-trial.ts';
import { FIRST_TRIAL_SENTENCES, TRIAL_SENTENCES } from './trial-sentences.ts';

/** Maximum duration of the analysed speech. More does not improve the estimate. */
const ANALYSED_SECONDS_MAX = 60;
/** Steps of gradient descent for a first voice, which a client waits for, and for a refinement in the background. */
const FIRST_STEPS = 12;
/** The same where the embedding is compared too: steps take longer, and the estimate is better. */
const FIRST_STEPS_WITH_EMBEDDING = 4;
const REFINEMENT_STEPS = 72;
/** Trials at the same time. A refinement leaves the other cores to requests. */
const FIRST_TRIALS_AT_ONCE = 2;
const REFINEMENT_TRIALS_AT_ONCE = 1;
const PITCH_ADJUSTMENTS_MAX = 2;

/** Clones a voice by gradient descent. Yields one voice: a first one, or with `task.from` its refinement. */
export async function* cloneWithSearch(
  context: SearchContext,
  task: CloneTask,
  signal: AbortSignal,
): AsyncGenerator<ClonedVoice> {
  const [encoder, search] = [await context.encoder(), await context.search()];
  const speech = joinClips(task.clips, encoder.sampleRateHz * ANALYSED_SECONDS_MAX);
  const from = task.from !== undefined && search.accepts(task.from) ? task.from : undefined;
  const isRefinement = task.from !== undefined;
  // The recording is heard while it is measured.
  const hearing = search.hear(speech);
  hearing.catch(() => {});
  if (!isRefinement) await assertOneSpeaker(encoder, speech, signal);
  const target = search.targetFor(await encoder.measure(speech));
  signal.throwIfAborted();
  if (from === undefined) search.prepareDescent(target, { isThorough: isRefinement });
  const heard = await hearing;
  const aim: SearchTarget = { ...heard, isThorough: isRefinement, measures: target, parts: [] };
  const start = from ?? (await search.predict(aim));
  const firstSteps = aim.embedding === undefined ? FIRST_STEPS : FIRST_STEPS_WITH_EMBEDDING;
  const steps = isRefinement ? REFINEMENT_STEPS : firstSteps;
  const trialsAtOnce = isRefinement ? REFINEMENT_TRIALS_AT_ONCE : FIRST_TRIALS_AT_ONCE;
  const parts = isRefinement && task.excerpt !== undefined ? await search.partsOf(task.excerpt, start) : [];
  // The engine is loaded during the descent, whose work is done by other threads. Errors surface in the first trial.
  context.engine().catch(() => {});
  const found = await search.descend(start, { ...aim, parts }, { steps, trialsAtOnce, signal });
  const sentences = isRefinement ? TRIAL_SENTENCES : TRIAL_SENTENCES.slice(0, FIRST_TRIAL_SENTENCES);
  const speak = (vector: Float32Array) => speakTrial(context, { vector, sentences }, signal);

  let best = await speak(found);
  for (
    let count = 0;
    count < PITCH_ADJUSTMENTS_MAX && !encoder.hasSamePitch(best.measures, target);
    count++
  ) {
    const next = await speak(search.matchPitch(best.vector, target, best.measures));
    if (encoder.distance(next.measures, target) >= encoder.distance(best.measures, target)) break;
    best = next;
  }
  if (isRefinement && from !== undefined) {
    const before = await speak(from);
    if (encoder.distance(before.measures, target) <= encoder.distance(best.measures, target)) best = before;
  }
  yield describeVoice(context, encoder, { trial: best, target });
}

async function describeVoice(
  context: SearchContext,
  encoder: VoiceEncoder,
  { trial, target }: { readonly trial: SpokenTrial; readonly target: Float32Array },
): Promise<ClonedVoice> {
  return {
    engine: (await context.engine()).name,
    vector: trial.vector,
    loudnessLufs: trial.loudnessLufs,
    gender: await encoder.genderOf(target),
    measures: encoder.describe(trial.measures, target),
  };
}
