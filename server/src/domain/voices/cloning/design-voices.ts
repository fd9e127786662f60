import { GaussianNoise } from '../../../audio/dsp/gaussian-noise.ts';
import type { VoiceTraits } from '../../engines/voice-encoder.ts';
import type { VoiceTargets } from '../design/voice-description.ts';
import type { ClonedVoice } from '../voice-cloner.ts';
import type { DesignContext, DesignTask } from './cloning-job.ts';
import { weightedMean } from './mix-voice.ts';
import { Naturalness } from './naturalness.ts';
import { type SpokenTrial, speakTrial } from './spoken-trial.ts';
import { TRIAL_SENTENCES } from './trial-sentences.ts';

/** Speakers with a less clear gender are not used. */
const FEMININITY_MIN = 0.5;
/** Weight of the random term against the distance to the targets, both in squared standard deviations. */
const RANDOM_WEIGHT = 0.6;
/** Standard deviation of the weight of the first speaker of a mix, around 0.5. */
const SHARE_DEVIATION = 0.1;
/** Additional mixes, to replace those with the wrong gender or a naturalness below that of the engine's speakers. */
const SPARE_MIXES = 3;
/** Tolerated error of a target pitch: half a semitone. */
const PITCH_ERROR_MAX_OCTAVES = 1 / 24;

/**
 * Designs voices: mixes two of the engine's speakers that are near the targets, moves the vector towards a better
 * naturalness, synthesizes a trial and adjusts the pitch. Equal tasks give equal voices.
 */
export async function* designVoices(
  context: DesignContext,
  { targets, count, seed }: DesignTask,
  signal: AbortSignal,
): AsyncGenerator<ClonedVoice> {
  const [speakers, traits] = [await context.speakers(), await context.speakerTraits()];
  signal.throwIfAborted();
  const naturalness = new Naturalness(await context.naturalnessGradient(), speakers);
  const noise = new GaussianNoise(seed);
  const speakerSelection = new SpeakerSelection(traits, targets);
  const pairs = speakerSelection.choosePairs(count + SPARE_MIXES, noise);
  let remaining = count;
  for (const [index, [first, second]] of pairs.entries()) {
    if (remaining === 0) return;
    const share = Math.min(Math.max(0.5 + SHARE_DEVIATION * noise.next(), 0.3), 0.7);
    const mix = weightedMean([
      { vector: speakers[first]!, weight: share },
      { vector: speakers[second]!, weight: 1 - share },
    ]);
    const vector = naturalness.improve(mix);
    const voice = await createVoice(context, { vector, pitchHz: speakerSelection.targetPitchHz() }, signal);
    const hasTargetGender = targets.gender === undefined || voice.gender === targets.gender;
    const isNatural = naturalness.gainOf(voice.vector) >= 0;
    if (!(hasTargetGender && isNatural) && pairs.length - index > remaining) continue;
    remaining--;
    yield voice;
  }
}

/** Synthesizes a trial of the vector, adjusts it to the target pitch if there is one, and measures the result. */
async function createVoice(
  context: DesignContext,
  { vector, pitchHz }: { readonly vector: Float32Array; readonly pitchHz: number | undefined },
  signal: AbortSignal,
): Promise<ClonedVoice> {
  const encoder = await context.encoder();
  const speak = (candidate: Float32Array) =>
    speakTrial(context, { vector: candidate, sentences: TRIAL_SENTENCES.slice(0, 1) }, signal);
  const pitchErrorOf = async ({ measures }: SpokenTrial) =>
    pitchHz === undefined ? 0 : Math.abs(Math.log2((await encoder.traitsOf(measures)).pitchHz / pitchHz));
  let best = await speak(vector);
  if (pitchHz !== undefined && (await pitchErrorOf(best)) > PITCH_ERROR_MAX_OCTAVES) {
    const target = encoder.withPitch(best.measures, pitchHz);
    const adjusted = await speak(await encoder.refineVector(target, best, 1));
    if ((await pitchErrorOf(adjusted)) < (await pitchErrorOf(best))) best = adjusted;
  }
  const traits = await encoder.traitsOf(best.measures);
  return {
    engine: (await context.engine()).name,
    vector: best.vector,
    loudnessLufs: best.loudnessLufs,
    gender: await encoder.genderOf(best.measures),
    measures: {
      pitch_hz: Number(traits.pitchHz.toFixed(1)),
      melody_octaves: Number(traits.pitchRangeOctaves.toFixed(3)),
      brightness: Number(traits.brightness.toFixed(3)),
    },
  };
}

type Trait = 'pitch' | 'pitchRange' | 'brightness';
const READ: Readonly<Record<Trait, (traits: VoiceTraits) => number>> = {
  pitch: ({ pitchHz }) => Math.log2(pitchHz),
  pitchRange: ({ pitchRangeOctaves }) => pitchRangeOctaves,
  brightness: ({ brightness }) => brightness,
};
const TRAITS = Object.keys(READ) as Trait[];

/** The engine's speakers of the target gender, ranked by their distance to the targets. */
class SpeakerSelection {
  readonly #traits: readonly VoiceTraits[];
  readonly #targets: VoiceTargets;
  /** Numbers of the eligible speakers. */
  readonly #numbers: readonly number[];
  readonly #statistics: Readonly<Record<Trait, { readonly mean: number; readonly deviation: number }>>;

  constructor(traits: readonly VoiceTraits[], targets: VoiceTargets) {
    this.#traits = traits;
    this.#targets = targets;
    this.#numbers = [...traits.keys()].filter((number) => {
      const { femininity } = traits[number]!;
      if (Math.abs(femininity) < FEMININITY_MIN) return false;
      return targets.gender === undefined || femininity > 0 === (targets.gender === 'female');
    });
    const statisticsOf = (trait: Trait) =>
      statistics(this.#numbers.map((number) => READ[trait](traits[number]!)));
    this.#statistics = {
      pitch: statisticsOf('pitch'),
      pitchRange: statisticsOf('pitchRange'),
      brightness: statisticsOf('brightness'),
    };
  }

  /** Undefined without a target. */
  targetPitchHz(): number | undefined {
    const { mean, deviation } = this.#statistics.pitch;
    return this.#targets.pitch === undefined ? undefined : 2 ** (mean + this.#targets.pitch * deviation);
  }

  /** Disjoint pairs of the same gender, in the order of their distance plus a random term. */
  choosePairs(count: number, noise: GaussianNoise): readonly (readonly [number, number])[] {
    const ranked = this.#numbers
      .map((number) => ({ number, distance: this.#distance(number) + RANDOM_WEIGHT * noise.next() }))
      .sort((a, b) => a.distance - b.distance)
      .map(({ number }) => number);
    const pairs: [number, number][] = [];
    while (pairs.length < count && ranked.length > 1) {
      const first = ranked.shift()!;
      const partner = ranked.findIndex((number) => this.#isFemale(number) === this.#isFemale(first));
      if (partner >= 0) pairs.push([first, ...(ranked.splice(partner, 1) as [number])]);
    }
    return pairs;
  }

  /** Sum of the squared differences to the targets, in standard deviations. */
  #distance(number: number): number {
    let sum = 0;
    for (const trait of TRAITS) {
      const target = this.#targets[trait];
      if (target === undefined) continue;
      const { mean, deviation } = this.#statistics[trait];
      sum += ((READ[trait](this.#traits[number]!) - mean) / deviation - target) ** 2;
    }
    return sum;
  }

  #isFemale(number: number): boolean {
    return this.#traits[number]!.femininity > 0;
  }
}

function statistics(values: readonly number[]): { readonly mean: number; readonly deviation: number } {
  const mean = values.reduce((sum, value) => sum + value, 0) / values.length;
  const variance = values.reduce((sum, value) => sum + (value - mean) ** 2, 0) / values.length;
  return { mean, deviation: Math.sqrt(variance) || 1 };
}
