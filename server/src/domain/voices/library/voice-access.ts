import { ApiError } from '../../../errors.ts';
import type { StoredVoice } from '../stored-voice.ts';

/** Whether an account may see and use a voice. Undefined is somebody without an account. */
export function mayUse(voice: StoredVoice, accountId: string | undefined): boolean {
  return voice.visibility !== 'private' || voice.accountId === accountId;
}

/** Throws unless the voice is there and may be seen. */
export function assertVisible(voice: StoredVoice | undefined, accountId: string | undefined): StoredVoice {
  if (voice === undefined) throw new ApiError('model_not_found', 'Model not found');
  if (!mayUse(voice, accountId)) throw notYours();
  return voice;
}

/** Throws unless the voice is there and the account's own. */
export function assertOwned(voice: StoredVoice | undefined, accountId: string): StoredVoice {
  const visible = assertVisible(voice, accountId);
  if (visible.accountId !== accountId) throw notYours();
  return visible;
}

/** The refusal for voices that belong to others, or to nobody. */
export function notYours(): ApiError {
  return new ApiError('not_yours', 'This voice belongs to another account.');
}
