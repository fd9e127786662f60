import { decibelsToFactor, factorToDecibels } from '../../audio/gain.ts';
import { medianPitchHz } from '../acting/melody.ts';
import { AUDIENCE, type Phone, SOUND_RECIPES } from '../acting/sound-recipes.ts';
import type { DeliveryTracks } from '../acting/tracks.ts';
import type { VocalSound } from '../acting/vocal-sound.ts';
import { VoiceFinish } from '../acting/voice-finish.ts';
import { kokoroTokens } from '../phonemes/kokoro-tokens.ts';
import { beginActed, SAMPLES_PER_STEP, STEPS_PER_FRAME, VOICED_ABOVE_HZ } from './act.ts';
import type { KokoroDecoder } from './decoder.ts';
import { FRAMES_PER_SECOND, SAMPLE_RATE_HZ, SAMPLES_PER_FRAME } from './features.ts';
import type { FrontResult, KokoroFront } from './front.ts';
import { retime } from './retime.ts';
import type { Styles } from './styles.ts';

/** Said by nobody: from its melody the middle of a voice is known. */
const CARRIER = 'ðə lˈɔŋ ɹˈOd wˈɪndz hˈOm.';
/** Energy of a voiced and of a breathed stretch, as the front gives them for plain speech. */
const VOICED_ENERGY = 7;
const BREATH_ENERGY = 5;
const TREMOR_HZ = 5.6;
const PITCH_MIN_HZ = 45;

interface SoundParts {
  readonly front: KokoroFront;
  readonly decoder: KokoroDecoder;
  readonly styles: Styles;
  readonly tokenTable: ReadonlyMap<string, number>;
}

/** How long a sound lasts, exactly. */
export function soundFrames(sound: VocalSound): number {
  if (sound === 'audience-laughter') {
    return soundFrames('laugh') + Math.round(AUDIENCE.spreadSeconds * FRAMES_PER_SECOND);
  }
  return SOUND_RECIPES[sound].reduce((sum, phone) => sum + phoneFrames(phone), 0);
}

/** Makes the sounds of a voice: its own decoder, with mouth shapes, pitch and breath from our recipes. */
export class KokoroSounds {
  readonly #parts: SoundParts;

  constructor(parts: SoundParts) {
    this.#parts = parts;
  }

  /** All samples of a sound. */
  make(
    sound: VocalSound,
    voice: { readonly style: Float32Array; readonly seed: number; readonly intensity: number },
  ): Promise<Float32Array> {
    return sound === 'audience-laughter' ? this.#audience(voice) : this.#make(SOUND_RECIPES[sound], voice);
  }

  async #make(
    phones: readonly Phone[],
    { style, seed, intensity }: { style: Float32Array; seed: number; intensity: number },
  ): Promise<Float32Array> {
    const { front, decoder } = this.#parts;
    const carrier = await front.run(this.#tokens(CARRIER), style, 1);
    const middleHz = medianPitchHz(carrier.f0, VOICED_ABOVE_HZ) ?? 150;
    const planned = await front.run(this.#tokens(phones.map(({ symbol }) => symbol).join('')), style, 1);
    const features = shapeFeatures(planned, phones, middleHz);
    const tracks = shapeTracks(phones, features, factorToDecibels(intensity));
    const job = beginActed(decoder, { style, seed }, { features, tracks });
    const [first, last] = [1, features.frames - 1];
    const samples = (await job.decode(first, last)).slice();
    const finish = new VoiceFinish(tracks, {
      sampleRateHz: SAMPLE_RATE_HZ,
      samplesPerStep: SAMPLES_PER_STEP,
    });
    finish.process(samples, first * SAMPLES_PER_FRAME);
    return samples;
  }

  /** Many voices laugh, each at its own moment and pitch; the speaker is not one of them. */
  async #audience(voice: { seed: number; intensity: number }): Promise<Float32Array> {
    const { styles } = this.#parts;
    const mixed = new Float32Array(soundFrames('audience-laughter') * SAMPLES_PER_FRAME);
    for (let person = 0; person < AUDIENCE.voices; person++) {
      const name = styles.names[(voice.seed + person * 11) % styles.names.length]!;
      const style = await styles.row({ kind: 'named', name }, 40);
      const laugh = await this.#make(SOUND_RECIPES.laugh, { ...voice, style, seed: voice.seed + person });
      const delay = Math.round((person / (AUDIENCE.voices - 1)) * AUDIENCE.spreadSeconds * SAMPLE_RATE_HZ);
      const gain = decibelsToFactor(AUDIENCE.levelDb);
      for (const [index, sample] of laugh.entries()) mixed[delay + index]! += sample * gain;
    }
    return mixed;
  }

  #tokens(symbols: string): readonly number[] {
    return kokoroTokens(symbols, this.#parts.tokenTable).ids;
  }
}

function phoneFrames(phone: Phone): number {
  return Math.max(1, Math.round(phone.seconds * FRAMES_PER_SECOND));
}

/** Mouth shapes as the front gives them, lengths and pitch as the recipe has them; one frame of pad at both ends. */
function shapeFeatures(planned: FrontResult, phones: readonly Phone[], middleHz: number): FrontResult {
  const features = retime(planned, Int32Array.from([1, ...phones.map(phoneFrames), 1]));
  const { f0, energy } = features;
  f0.fill(0);
  energy.fill(BREATH_ENERGY);
  eachStep(phones, (step, phone, share) => {
    if (phone.pitch === undefined) return;
    const tremor = (phone.tremor ?? 0) * Math.sin((2 * Math.PI * TREMOR_HZ * step) / stepsPerSecond);
    const semitones = mix(phone.pitch, share) + tremor;
    f0[step] = Math.max(PITCH_MIN_HZ, middleHz * 2 ** (semitones / 12));
    energy[step] = VOICED_ENERGY;
  });
  return features;
}

function shapeTracks(phones: readonly Phone[], { frames }: FrontResult, gainDb: number): DeliveryTracks {
  const length = frames * STEPS_PER_FRAME;
  const levelDb = new Float32Array(length).fill(-80);
  const breath = new Float32Array(length);
  eachStep(phones, (step, phone, share) => {
    levelDb[step] = mix(phone.levelDb, share) + gainDb;
    breath[step] = phone.pitch === undefined ? 1 : (phone.breath ?? 0);
  });
  const still = new Float32Array(length);
  return { length, offset: still, range: still, effort: still, levelDb, breath };
}

const stepsPerSecond = FRAMES_PER_SECOND * STEPS_PER_FRAME;

/** Visits the steps of all phones, with how far into its phone each is. The pad's steps come before. */
function eachStep(
  phones: readonly Phone[],
  visit: (step: number, phone: Phone, share: number) => void,
): void {
  let step = STEPS_PER_FRAME;
  for (const phone of phones) {
    const steps = phoneFrames(phone) * STEPS_PER_FRAME;
    for (let index = 0; index < steps; index++) visit(step++, phone, (index + 0.5) / steps);
  }
}

function mix([from, to]: readonly [number, number], share: number): number {
  return from + (to - from) * share;
}
