import type { Delivery } from '../../../domain/engines/delivery.ts';
import { createDeliveryTracks, type DeliveryTracks } from '../acting/delivery-tracks.ts';
import { contourFactors, medianPitchHz } from '../acting/pitch-contour.ts';
import { createDeliverySpans, scaleTokenFrames, type TokenWords } from '../acting/token-words.ts';
import type { DecoderInput, DecodingJob, KokoroDecoder } from './decoders/decoder.ts';
import type { FrontResult } from './front.ts';
import { FRAMES_PER_SECOND, SAMPLES_PER_FRAME } from './networks/features.ts';
import { retime } from './retime.ts';

/** Track steps per frame: pitch and energy have two values per frame. */
export const STEPS_PER_FRAME = 2;
export const SAMPLES_PER_STEP = SAMPLES_PER_FRAME / STEPS_PER_FRAME;
/** Lower pitch values are glides into silence. */
export const VOICED_ABOVE_HZ = 40;
/** Breathiness from which the speech is a whisper, without voicing. */
const WHISPER_BREATH = 0.95;

/** Features between front and decoder with deliveries applied, and the tracks that the later stages need. */
export interface ActedFeatures {
  readonly features: FrontResult;
  readonly tracks: DeliveryTracks;
}

/** Applies deliveries to durations and pitch; level, effort and breath are left to the tracks. */
export function applyDeliveries(
  front: FrontResult,
  deliveries: readonly Delivery[],
  { tokenWords, compression }: { readonly tokenWords: TokenWords; readonly compression: number },
): ActedFeatures {
  const features = retime(front, scaleTokenFrames(front.tokenFrames, deliveries, tokenWords));
  const spans = createDeliverySpans(features.tokenFrames, deliveries, {
    tokenWords,
    stepsPerFrame: STEPS_PER_FRAME,
  });
  const tracks = createDeliveryTracks(spans, FRAMES_PER_SECOND * compression * STEPS_PER_FRAME);
  return { features: { ...features, f0: applyPitch(features.f0, tracks) }, tracks };
}

function applyPitch(f0: Float32Array, tracks: DeliveryTracks): Float32Array {
  const medianHz = medianPitchHz(f0, VOICED_ABOVE_HZ);
  if (medianHz === undefined) return f0;
  const factors = contourFactors(f0, tracks, { voicedAboveHz: VOICED_ABOVE_HZ, medianHz });
  return f0.map((hz, step) => (tracks.breath[step]! >= WHISPER_BREATH ? 0 : hz * factors[step]!));
}

/** Starts decoding features with deliveries. Breathy speech is a mix of a voiced and a whispered decoding. */
export function beginActedDecoding(
  decoder: KokoroDecoder,
  input: Omit<DecoderInput, 'features'>,
  { features, tracks }: ActedFeatures,
): DecodingJob {
  const voiced = decoder.begin({ ...input, features });
  const isClone = input.decoderVoice !== undefined;
  const whisperGain = (isClone ? decoder.cloneWhisperGain : undefined) ?? decoder.whisperGain;
  const needsMix = tracks.breath.some((breath) => breath > 0);
  if (!needsMix) return voiced;
  const isWhisper = tracks.breath.every((breath) => breath >= WHISPER_BREATH);
  const f0 = new Float32Array(features.f0.length);
  const whispered = isWhisper ? voiced : decoder.begin({ ...input, features: { ...features, f0 } });
  return {
    decode: async (from, to) => {
      const breath = (sample: number) =>
        tracks.breath[Math.floor((from * SAMPLES_PER_FRAME + sample) / SAMPLES_PER_STEP)]!;
      const whisper = await whispered.decode(from, to);
      if (isWhisper) return whisper.map((value) => value * whisperGain);
      const voice = await voiced.decode(from, to);
      return voice.map((value, sample) => {
        const share = breath(sample);
        if (share >= WHISPER_BREATH) return value * whisperGain;
        return value * Math.sqrt(1 - share) + whisper[sample]! * whisperGain * share;
      });
    },
  };
}
