import { type Features, SAMPLES_PER_FRAME } from '../networks/features.ts';
import { alignSpeech } from './align-speech.ts';
import { recordedEnergy } from './recorded-energy.ts';
import { recordedPitch } from './recorded-pitch.ts';

/** Parts of a recording. They overlap if the recording is short. */
const PARTS = 4;
/** Level of speech in the training of the decoder, at which energy is measured. */
const TRAINING_RMS = 0.055;
/**
 * Maximum mismatch of a text that belongs to the recording. Nine recordings of people: 0.67 to 0.80 with their own
 * transcripts, 0.94 to 1.06 with 27 others; with noise at 12 dB 0.78 to 0.87 and 0.95 to 1.03.
 */
const MISMATCH_MAX = 0.9;
/** Pitch of unvoiced frames. 0 would be a whisper. */
const UNVOICED_HZ = 1;

/** Speech, with the features from which a decoder says it. */
export interface FeaturedSpeech {
  readonly features: Features;
  readonly samples: Float32Array;
}

/**
 * Parts of `frames` frames, evenly spread over a recording at 24 kHz with this RMS level: text features by alignment with
 * synthetic speech of its text, pitch and energy of the recording. None if the text does not fit.
 */
export function recordedParts(
  recording: Float32Array,
  synthetic: FeaturedSpeech,
  { frames, rms }: { readonly frames: number; readonly rms: number },
): readonly FeaturedSpeech[] {
  const count = Math.floor(recording.length / SAMPLES_PER_FRAME);
  if (count < frames) return [];
  const samples = recording.subarray(0, count * SAMPLES_PER_FRAME);
  const alignment = alignSpeech(samples, synthetic.samples);
  if (alignment === undefined || alignment.mismatch > MISMATCH_MAX) return [];
  const frameAt = (frame: number) => Math.min(synthetic.features.frames - 1, alignment.path[2 * frame]! >> 1);
  const loud = samples.map((value) => (value * TRAINING_RMS) / rms);
  const f0 = recordedPitch(loud).map((hz) => hz || UNVOICED_HZ);
  const energy = recordedEnergy(loud);
  return Array.from({ length: PARTS }, (_, part) => {
    const from = Math.round((part * (count - frames)) / (PARTS - 1));
    const to = from + frames;
    return {
      samples: samples.slice(from * SAMPLES_PER_FRAME, to * SAMPLES_PER_FRAME),
      features: {
        frames,
        text: synthetic.features.text,
        frameTokens: Int32Array.from(
          { length: frames },
          (_, frame) => synthetic.features.frameTokens[frameAt(from + frame)]!,
        ),
        f0: f0.slice(2 * from, 2 * to),
        energy: energy.slice(2 * from, 2 * to),
      },
    };
  });
}
