import { GaussianNoise } from '../../../audio/dsp/gaussian-noise.ts';
import type { VoiceTraits } from '../../engines/voice-encoder.ts';
import type { VoiceTargets } from '../design/described-voice.ts';
import type { ClonedVoice } from '../voice-cloner.ts';
import type { DesigningContext, DesigningJob } from './cloning-job.ts';
import { weightedMean } from './mix-voice.ts';
import { Naturalness } from './naturalness.ts';
import { type SpokenTrial, speakTrial } from './spoken-trial.ts';
import { TRIAL_SENTENCES } from './trial-sentences.ts';

/** Whose gender is less clear than this is nobody's example of it. */
const FEMININITY_MIN = 0.5;
/** How much chance counts against a fit to the wish, both in squared deviations. */
const CHANCE = 0.6;
/** How evenly two speakers are blended: the share of the first is half, give or take this, as a deviation. */
const SHARE_DEVIATION = 0.1;
/** Blends made beyond what was asked for, in case one comes out as the other gender, or sounds worse than most speakers. */
const SPARE_BLENDS = 3;
/** A pitch that was wished for is corrected when it is missed by more than half a semitone. */
const PITCH_MISS_MAX_OCTAVES = 1 / 24;

/**
 * Makes up voices after a wish: blends of two of the engine's speakers who come near it, moved to where voices sound
 * more natural, tried aloud, and moved to the pitch that was wished for. Equal jobs give equal voices.
 */
export async function* designVoices(
  context: DesigningContext,
  { wish, count, seed }: DesigningJob,
  signal: AbortSignal,
): AsyncGenerator<ClonedVoice> {
  const [speakers, traits] = [await context.speakers(), await context.speakerTraits()];
  signal.throwIfAborted();
  const naturalness = new Naturalness(await context.naturalnessSlope(), speakers);
  const noise = new GaussianNoise(seed);
  const people = new People(traits, wish);
  const pairs = people.pairs(count + SPARE_BLENDS, noise);
  let left = count;
  for (const [index, [first, second]] of pairs.entries()) {
    if (left === 0) return;
    const share = Math.min(Math.max(0.5 + SHARE_DEVIATION * noise.next(), 0.3), 0.7);
    const blend = weightedMean([
      { vector: speakers[first]!, weight: share },
      { vector: speakers[second]!, weight: 1 - share },
    ]);
    const vector = naturalness.lifted(blend);
    const voice = await tryVoice(context, { vector, pitchHz: people.wishedPitchHz() }, signal);
    const isAsWished = wish.gender === undefined || voice.gender === wish.gender;
    const isGood = naturalness.gainOf(voice.vector) >= 0;
    if (!(isAsWished && isGood) && pairs.length - index > left) continue;
    left--;
    yield voice;
  }
}

/** Speaks with a blend, corrects its pitch where one was wished for, and tells what it is like. */
async function tryVoice(
  context: DesigningContext,
  { vector, pitchHz }: { readonly vector: Float32Array; readonly pitchHz: number | undefined },
  signal: AbortSignal,
): Promise<ClonedVoice> {
  const finder = await context.finder();
  const speak = (tried: Float32Array) =>
    speakTrial(context, { vector: tried, sentences: TRIAL_SENTENCES.slice(0, 1) }, signal);
  const missOf = async ({ measures }: SpokenTrial) =>
    pitchHz === undefined ? 0 : Math.abs(Math.log2((await finder.traitsOf(measures)).pitchHz / pitchHz));
  let best = await speak(vector);
  if (pitchHz !== undefined && (await missOf(best)) > PITCH_MISS_MAX_OCTAVES) {
    const target = finder.withPitch(best.measures, pitchHz);
    const moved = await speak(await finder.correct(target, best, 1));
    if ((await missOf(moved)) < (await missOf(best))) best = moved;
  }
  const traits = await finder.traitsOf(best.measures);
  return {
    engine: (await context.engine()).name,
    vector: best.vector,
    loudnessLufs: best.loudnessLufs,
    gender: await finder.genderOf(best.measures),
    measures: {
      pitch_hz: Number(traits.pitchHz.toFixed(1)),
      melody_octaves: Number(traits.melodyOctaves.toFixed(3)),
      brightness: Number(traits.brightness.toFixed(3)),
    },
  };
}

type Trait = 'pitch' | 'melody' | 'brightness';
const READ: Readonly<Record<Trait, (traits: VoiceTraits) => number>> = {
  pitch: ({ pitchHz }) => Math.log2(pitchHz),
  melody: ({ melodyOctaves }) => melodyOctaves,
  brightness: ({ brightness }) => brightness,
};
const TRAITS = Object.keys(READ) as Trait[];

/** The engine's speakers of the wished gender, and how near each comes to the wish. */
class People {
  readonly #traits: readonly VoiceTraits[];
  readonly #wish: VoiceTargets;
  /** Numbers of those who may be taken. */
  readonly #numbers: readonly number[];
  readonly #usual: Readonly<Record<Trait, { readonly mean: number; readonly deviation: number }>>;

  constructor(traits: readonly VoiceTraits[], wish: VoiceTargets) {
    this.#traits = traits;
    this.#wish = wish;
    this.#numbers = [...traits.keys()].filter((number) => {
      const { femininity } = traits[number]!;
      if (Math.abs(femininity) < FEMININITY_MIN) return false;
      return wish.gender === undefined || femininity > 0 === (wish.gender === 'female');
    });
    const usualOf = (trait: Trait) => statistics(this.#numbers.map((number) => READ[trait](traits[number]!)));
    this.#usual = {
      pitch: usualOf('pitch'),
      melody: usualOf('melody'),
      brightness: usualOf('brightness'),
    };
  }

  /** Undefined when nothing was said about it. */
  wishedPitchHz(): number | undefined {
    const { mean, deviation } = this.#usual.pitch;
    return this.#wish.pitch === undefined ? undefined : 2 ** (mean + this.#wish.pitch * deviation);
  }

  /** Pairs of the same gender, nearest to the wish first as far as chance lets them; nobody is in two. */
  pairs(count: number, noise: GaussianNoise): readonly (readonly [number, number])[] {
    const ranked = this.#numbers
      .map((number) => ({ number, misfit: this.#misfit(number) + CHANCE * noise.next() }))
      .sort((a, b) => a.misfit - b.misfit)
      .map(({ number }) => number);
    const pairs: [number, number][] = [];
    while (pairs.length < count && ranked.length > 1) {
      const first = ranked.shift()!;
      const partner = ranked.findIndex((number) => this.#isFemale(number) === this.#isFemale(first));
      if (partner >= 0) pairs.push([first, ...(ranked.splice(partner, 1) as [number])]);
    }
    return pairs;
  }

  /** The sum of squared deviations from what was wished for. */
  #misfit(number: number): number {
    let sum = 0;
    for (const trait of TRAITS) {
      const wished = this.#wish[trait];
      if (wished === undefined) continue;
      const { mean, deviation } = this.#usual[trait];
      sum += ((READ[trait](this.#traits[number]!) - mean) / deviation - wished) ** 2;
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
