import type { Delivery } from '../../../domain/engines/delivery.ts';
import { medianPitchHz, melodyFactors } from '../acting/pitch-contour.ts';
import { actTokenFrames, deliverySpans, type TokenWords } from '../acting/token-words.ts';
import { type DeliveryTracks, trackDeliveries } from '../acting/tracks.ts';
import type { DecoderInput, DecodingJob, KokoroDecoder } from './decoder.ts';
import { FRAMES_PER_SECOND, SAMPLES_PER_FRAME } from './features.ts';
import type { FrontResult } from './front.ts';
import { retime } from './retime.ts';

/** Steps of the tracks: pitch and energy have two values a frame. */
export const STEPS_PER_FRAME = 2;
export const SAMPLES_PER_STEP = SAMPLES_PER_FRAME / STEPS_PER_FRAME;
/** Pitches below this are glides into silence. */
export const VOICED_ABOVE_HZ = 40;
/** More breath than this is a whisper: no voicing is left under it. */
const WHISPER_BREATH = 0.95;

/** Speech between front and decoder, as it shall be said. */
export interface ActedFeatures {
  readonly features: FrontResult;
  readonly tracks: DeliveryTracks;
}

/** Says what the front planned in other ways: durations and melody; level, effort and breath are in the tracks. */
export function actFeatures(
  front: FrontResult,
  deliveries: readonly Delivery[],
  { tokenWords, compression }: { readonly tokenWords: TokenWords; readonly compression: number },
): ActedFeatures {
  const features = retime(front, actTokenFrames(front.tokenFrames, deliveries, tokenWords));
  const spans = deliverySpans(features.tokenFrames, deliveries, {
    tokenWords,
    stepsPerFrame: STEPS_PER_FRAME,
  });
  const tracks = trackDeliveries(spans, FRAMES_PER_SECOND * compression * STEPS_PER_FRAME);
  return { features: { ...features, f0: actPitch(features.f0, tracks) }, tracks };
}

function actPitch(f0: Float32Array, tracks: DeliveryTracks): Float32Array {
  const middleHz = medianPitchHz(f0, VOICED_ABOVE_HZ);
  if (middleHz === undefined) return f0;
  const factors = melodyFactors(f0, tracks, { voicedAboveHz: VOICED_ABOVE_HZ, middleHz });
  return f0.map((hz, step) => (tracks.breath[step]! >= WHISPER_BREATH ? 0 : hz * factors[step]!));
}

/** Begins to decode acted speech. A breathy voice is spoken and whispered at once, and mixed. */
export function beginActed(
  decoder: KokoroDecoder,
  input: Omit<DecoderInput, 'features'>,
  { features, tracks }: ActedFeatures,
): DecodingJob {
  const spoken = decoder.begin({ ...input, features });
  const whisperGain = decoder.whisperGain;
  const needsMix = tracks.breath.some((breath) => breath > 0);
  if (!needsMix) return spoken;
  const isWhisper = tracks.breath.every((breath) => breath >= WHISPER_BREATH);
  const f0 = new Float32Array(features.f0.length);
  const whispered = isWhisper ? spoken : decoder.begin({ ...input, features: { ...features, f0 } });
  return {
    decode: async (from, to) => {
      const breath = (sample: number) =>
        tracks.breath[Math.floor((from * SAMPLES_PER_FRAME + sample) / SAMPLES_PER_STEP)]!;
      const air = await whispered.decode(from, to);
      if (isWhisper) return air.map((value) => value * whisperGain);
      const voice = await spoken.decode(from, to);
      return voice.map((value, sample) => {
        const share = breath(sample);
        if (share >= WHISPER_BREATH) return value * whisperGain;
        return value * Math.sqrt(1 - share) + air[sample]! * whisperGain * share;
      });
    },
  };
}
