import { kokoroVoices } from './kokoro-voices.ts';
import type { Voice } from './voice.ts';

/** The voices every installation has, best first. */
export function builtInVoices(): readonly Voice[] {
  return kokoroVoices();
}
