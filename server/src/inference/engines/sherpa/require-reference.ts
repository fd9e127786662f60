import type { EngineVoice, ReferenceRecording } from '../../../domain/engines/tts-engine.ts';
import { ApiError } from '../../../errors.ts';

const SECONDS_MIN = 0.5;

/** The reference recording of a voice. Throws `voice_not_found` for any other kind of voice. */
export function requireReference(voice: EngineVoice, sampleRateHz: number): ReferenceRecording {
  if (voice.kind === 'recording' && voice.samples.length >= SECONDS_MIN * sampleRateHz) return voice;
  throw new ApiError('voice_not_found', 'This engine needs a reference recording of at least 0.5 seconds.');
}
