import { findCueNames } from '../../../text/markup/cues.ts';
import { resolveCue } from './resolve-cue.ts';

/** Whether a text contains a vocal sound cue: `(laughing)` is one, `(happy)` is not. */
export function hasVocalSound(text: string): boolean {
  for (const name of findCueNames(text, 'both')) {
    const resolution = resolveCue(name);
    if (resolution !== 'reset' && resolution.some(({ cue }) => cue.sound !== undefined)) return true;
  }
  return false;
}
