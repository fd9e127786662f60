import type { EngineVoice } from '../../../../domain/engines/tts-engine.ts';
import type { Language } from '../../../../text/piece.ts';
import { WEIGHT_CHANGES_SIZE } from './weight-changes.ts';

/** Values of the voice vector of the small decoder. */
export const DECODER_VOICE_SIZE = 6658;
/** Index of the weight changes: after the voice vector, log2 of the median pitch in Hz, and the pitch range. */
const CHANGES_FROM = DECODER_VOICE_SIZE + 2;
/** Length of the vector of a cloned voice with weight changes. Without them it ends before `CHANGES_FROM`. */
const CLONE_VECTOR_SIZE = CHANGES_FROM + WEIGHT_CHANGES_SIZE;

/** Pitch values below this are glides into silence; they are not moved. */
const VOICED_ABOVE_HZ = 40;
/** Median pitch that separates low from high voices. */
const LOW_BELOW_HZ = 165;
/** Limits of the change of a pitch range. */
const RANGE_FACTORS = { min: 0.6, max: 1.6 };
/** Limits of the pitch of speech. */
const PITCH_HZ = { min: 45, max: 700 };

/** A cloned voice: who speaks, and at which pitch. */
export interface CloneVector {
  /** Voice vector of the small decoder, followed by the weight changes if the voice has any. */
  readonly decoderVoice: Float32Array;
  readonly medianHz: number;
  /** Half the distance between the 16th and the 84th percentile of log2 pitch. */
  readonly rangeOctaves: number;
}

/** A Kokoro voice whose rhythm and melody cloned voices use, with the statistics of its pitch. */
export interface ProsodyVoice {
  readonly name: string;
  readonly medianHz: number;
  readonly rangeOctaves: number;
}

interface ProsodyPair {
  readonly low: ProsodyVoice;
  readonly high: ProsodyVoice;
}

/** Measured on the pitch contours of 16 sentences each, in loud voiced frames. Italian: so that clones have the pitch of their English. */
const AMERICAN: ProsodyPair = {
  low: { name: 'am_michael', medianHz: 111.9, rangeOctaves: 0.258 },
  high: { name: 'af_heart', medianHz: 192.3, rangeOctaves: 0.242 },
};
const FRENCH: ProsodyVoice = { name: 'ff_siwis', medianHz: 206.4, rangeOctaves: 0.195 };
const PROSODY_VOICES: Partial<Record<Language, ProsodyPair>> = {
  'en-US': AMERICAN,
  'en-GB': {
    low: { name: 'bm_george', medianHz: 141.5, rangeOctaves: 0.258 },
    high: { name: 'bf_emma', medianHz: 181.9, rangeOctaves: 0.175 },
  },
  es: {
    low: { name: 'em_alex', medianHz: 128.8, rangeOctaves: 0.285 },
    high: { name: 'ef_dora', medianHz: 171.4, rangeOctaves: 0.28 },
  },
  fr: { low: FRENCH, high: FRENCH },
  hi: {
    low: { name: 'hm_omega', medianHz: 124.0, rangeOctaves: 0.367 },
    high: { name: 'hf_alpha', medianHz: 209.0, rangeOctaves: 0.299 },
  },
  it: {
    low: { name: 'im_nicola', medianHz: 96.7, rangeOctaves: 0.195 },
    high: { name: 'if_sara', medianHz: 225.3, rangeOctaves: 0.19 },
  },
  ja: {
    low: { name: 'jm_kumo', medianHz: 95.0, rangeOctaves: 0.229 },
    high: { name: 'jf_alpha', medianHz: 273.0, rangeOctaves: 0.286 },
  },
  'pt-BR': {
    low: { name: 'pm_alex', medianHz: 132.8, rangeOctaves: 0.234 },
    high: { name: 'pf_dora', medianHz: 174.5, rangeOctaves: 0.233 },
  },
  zh: {
    low: { name: 'zm_yunjian', medianHz: 120.1, rangeOctaves: 0.367 },
    high: { name: 'zf_xiaoxiao', medianHz: 238.9, rangeOctaves: 0.307 },
  },
};

/** Vectors that were read, since a voice has the same array in all of its utterances. */
const readVectors = new WeakMap<Float32Array, CloneVector>();

/** Reads the vector of a cloned voice; undefined for other voices. */
export function readCloneVector(voice: EngineVoice): CloneVector | undefined {
  if (voice.kind !== 'vector') return undefined;
  const { values } = voice;
  if (values.length !== CHANGES_FROM && values.length !== CLONE_VECTOR_SIZE) return undefined;
  const known = readVectors.get(values);
  if (known !== undefined) return known;
  const decoderVoice = new Float32Array(values.length - 2);
  decoderVoice.set(values.subarray(0, DECODER_VOICE_SIZE));
  decoderVoice.set(values.subarray(CHANGES_FROM), DECODER_VOICE_SIZE);
  const [log2Hz, rangeOctaves] = values.subarray(DECODER_VOICE_SIZE);
  const clone = { decoderVoice, medianHz: 2 ** log2Hz!, rangeOctaves: rangeOctaves! };
  readVectors.set(values, clone);
  return clone;
}

/** The vector of a cloned voice. */
export function writeCloneVector({ decoderVoice, medianHz, rangeOctaves }: CloneVector): Float32Array {
  const vector = new Float32Array(decoderVoice.length + 2);
  vector.set(decoderVoice.subarray(0, DECODER_VOICE_SIZE));
  vector.set([Math.log2(medianHz), rangeOctaves], DECODER_VOICE_SIZE);
  vector.set(decoderVoice.subarray(DECODER_VOICE_SIZE), CHANGES_FROM);
  return vector;
}

/** The prosody voice of a language for a median pitch. Languages without prosody voices use those of American English. */
export function prosodyVoiceFor(language: Language, medianHz: number): ProsodyVoice {
  const { low, high } = PROSODY_VOICES[language] ?? AMERICAN;
  return medianHz < LOW_BELOW_HZ ? low : high;
}

/** Moves the pitch contour of a prosody voice to the median and the range of a cloned voice. */
export function movePitch(f0: Float32Array, from: ProsodyVoice, to: CloneVector): Float32Array {
  const factor = Math.min(
    RANGE_FACTORS.max,
    Math.max(RANGE_FACTORS.min, to.rangeOctaves / from.rangeOctaves),
  );
  return f0.map((hz) => {
    if (hz <= VOICED_ABOVE_HZ) return hz;
    const moved = to.medianHz * (hz / from.medianHz) ** factor;
    return Math.min(PITCH_HZ.max, Math.max(PITCH_HZ.min, moved));
  });
}
