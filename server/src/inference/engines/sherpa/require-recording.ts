import type { EngineVoice, ReferenceRecording } from '../../../domain/engines/tts-engine.ts';
import { ApiError } from '../../../errors.ts';

const SECONDS_MIN = 0.5;

/** The recording that an engine is to speak like. Throws `voice_not_found` for any other kind of voice. */
export function requireRecording(voice: EngineVoice, sampleRateHz: number): ReferenceRecording {
  if (voice.kind === 'recording' && voice.samples.length >= SECONDS_MIN * sampleRateHz) return voice;
  throw new ApiError('voice_not_found', 'This engine speaks like a recording of half a second or more.');
}
