import { factorToDecibels } from '../../../audio/gain.ts';
import type { VocalSound } from '../../../domain/engines/vocal-sound.ts';
import { AUDIENCE, type Phone, SOUND_RECIPES } from './sound-recipes.ts';
import { type DeliveryTracks, TREMOR_HZ } from './tracks.ts';

/** The time an engine counts in. A step is where pitch and level have a value. */
export interface SoundClock {
  readonly framesPerSecond: number;
  readonly stepsPerFrame: number;
}

/** What a voice does over time in a sound, with a frame of silence at both ends. */
export interface SoundContours {
  /** Frames of each phone, the silent frames at both ends included. */
  readonly phoneFrames: Int32Array;
  readonly tracks: DeliveryTracks;
  /** 0 where only breath is heard. */
  readonly pitchHz: Float32Array;
}

const SILENCE_DB = -80;
/** Below this pulses are heard one by one. */
const PITCH_MIN_HZ = 45;

/** How long a sound lasts, exactly. */
export function soundFrames(sound: VocalSound, framesPerSecond: number): number {
  if (sound === 'audience-laughter') {
    return soundFrames('laugh', framesPerSecond) + Math.round(AUDIENCE.spreadSeconds * framesPerSecond);
  }
  const frames = SOUND_RECIPES[sound].map((phone) => phoneFrames(phone, framesPerSecond));
  return frames.reduce((sum, count) => sum + count, 0);
}

/** Lays a recipe out in time for a voice with this middle. */
export function soundContours(
  phones: readonly Phone[],
  clock: SoundClock,
  { middleHz, intensity }: { readonly middleHz: number; readonly intensity: number },
): SoundContours {
  const { framesPerSecond, stepsPerFrame } = clock;
  const frames = Int32Array.from([1, ...phones.map((phone) => phoneFrames(phone, framesPerSecond)), 1]);
  const length = frames.reduce((sum, count) => sum + count, 0) * stepsPerFrame;
  const levelDb = new Float32Array(length).fill(SILENCE_DB);
  const breath = new Float32Array(length);
  const pitchHz = new Float32Array(length);
  const still = new Float32Array(length);
  let step = stepsPerFrame;
  for (const [index, phone] of phones.entries()) {
    const steps = frames[index + 1]! * stepsPerFrame;
    for (let at = 0; at < steps; at++, step++) {
      const share = (at + 0.5) / steps;
      const seconds = step / stepsPerFrame / framesPerSecond;
      levelDb[step] = mix(phone.levelDb, share) + factorToDecibels(intensity);
      breath[step] = phone.pitch === undefined ? 1 : (phone.breath ?? 0);
      if (phone.pitch === undefined) continue;
      const tremor = (phone.tremor ?? 0) * Math.sin(2 * Math.PI * TREMOR_HZ * seconds);
      pitchHz[step] = Math.max(PITCH_MIN_HZ, middleHz * 2 ** ((mix(phone.pitch, share) + tremor) / 12));
    }
  }
  return {
    phoneFrames: frames,
    tracks: { length, offset: still, range: still, effort: still, levelDb, breath },
    pitchHz,
  };
}

/** Mixes the laughs of many voices, each at its own moment. */
export async function mixAudience(
  samplesPerFrame: number,
  framesPerSecond: number,
  laugh: (person: number) => Promise<Float32Array>,
): Promise<Float32Array> {
  const mixed = new Float32Array(soundFrames('audience-laughter', framesPerSecond) * samplesPerFrame);
  const spread = Math.round(AUDIENCE.spreadSeconds * framesPerSecond) * samplesPerFrame;
  for (let person = 0; person < AUDIENCE.voices; person++) {
    const delay = Math.floor((person / (AUDIENCE.voices - 1)) * spread);
    for (const [index, sample] of (await laugh(person)).entries())
      mixed[delay + index]! += sample * AUDIENCE.gain;
  }
  return mixed;
}

function phoneFrames(phone: Phone, framesPerSecond: number): number {
  return Math.max(1, Math.round(phone.seconds * framesPerSecond));
}

function mix([from, to]: readonly [number, number], share: number): number {
  return from + (to - from) * share;
}
