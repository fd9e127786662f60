import { factorToDecibels } from '../../../audio/gain.ts';
import type { VocalSound } from '../../../domain/engines/vocal-sound.ts';
import { type DeliveryTracks, TREMOR_HZ } from './delivery-tracks.ts';
import { AUDIENCE, type Phone, VOCAL_SOUND_RECIPES } from './vocal-sound-recipes.ts';

/** Time base of an engine. Pitch and level have one value per step. */
export interface FrameClock {
  readonly framesPerSecond: number;
  readonly stepsPerFrame: number;
}

/** Contours of a vocal sound, with one silent frame at either end. */
export interface VocalSoundContours {
  /** Frames of each phone, including the silent frames at both ends. */
  readonly phoneFrames: Int32Array;
  readonly tracks: DeliveryTracks;
  /** 0 where unvoiced. */
  readonly pitchHz: Float32Array;
}

const SILENCE_DB = -80;
/** Lower pitches are perceived as separate pulses. */
const PITCH_MIN_HZ = 45;

/** Exact duration of a vocal sound. */
export function vocalSoundFrames(sound: VocalSound, framesPerSecond: number): number {
  if (sound === 'audience-laughter') {
    return vocalSoundFrames('laugh', framesPerSecond) + Math.round(AUDIENCE.spreadSeconds * framesPerSecond);
  }
  const frames = VOCAL_SOUND_RECIPES[sound].map((phone) => phoneFrames(phone, framesPerSecond));
  return frames.reduce((sum, count) => sum + count, 0);
}

/** Expands a recipe over time for a voice with this median pitch. */
export function createVocalSoundContours(
  phones: readonly Phone[],
  clock: FrameClock,
  { medianHz, intensity }: { readonly medianHz: number; readonly intensity: number },
): VocalSoundContours {
  const { framesPerSecond, stepsPerFrame } = clock;
  const frames = Int32Array.from([1, ...phones.map((phone) => phoneFrames(phone, framesPerSecond)), 1]);
  const length = frames.reduce((sum, count) => sum + count, 0) * stepsPerFrame;
  const levelDb = new Float32Array(length).fill(SILENCE_DB);
  const breath = new Float32Array(length);
  const pitchHz = new Float32Array(length);
  const zeros = new Float32Array(length);
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
      pitchHz[step] = Math.max(PITCH_MIN_HZ, medianHz * 2 ** ((mix(phone.pitch, share) + tremor) / 12));
    }
  }
  return {
    phoneFrames: frames,
    tracks: { length, offset: zeros, range: zeros, effort: zeros, levelDb, breath },
    pitchHz,
  };
}

/** Mixes the laughs of several voices, each with its own delay. */
export async function mixAudience(
  samplesPerFrame: number,
  framesPerSecond: number,
  laugh: (voice: number) => Promise<Float32Array>,
): Promise<Float32Array> {
  const mixed = new Float32Array(vocalSoundFrames('audience-laughter', framesPerSecond) * samplesPerFrame);
  const spread = Math.round(AUDIENCE.spreadSeconds * framesPerSecond) * samplesPerFrame;
  for (let voice = 0; voice < AUDIENCE.voices; voice++) {
    const delay = Math.floor((voice / (AUDIENCE.voices - 1)) * spread);
    for (const [index, sample] of (await laugh(voice)).entries())
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
