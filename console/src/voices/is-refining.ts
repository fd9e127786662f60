import type { Voice } from 'mynah';

/** Whether a voice is refined in the background, after which it changes. */
export function isBeingRefined(voice: Voice | undefined): boolean {
  return voice?.refinement === 'pending';
}
