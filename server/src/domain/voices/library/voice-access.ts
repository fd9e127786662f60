import { ApiError } from '../../../errors.ts';
import type { StoredVoice } from '../stored-voice.ts';

/** Whether an account may see and use a voice. Undefined: a client without an account. */
export function canUse(voice: StoredVoice, accountId: string | undefined): boolean {
  return voice.visibility !== 'private' || voice.accountId === accountId;
}

/** Throws `model_not_found` or `not_yours` unless the voice exists and is visible to the account. */
export function assertVisible(voice: StoredVoice | undefined, accountId: string | undefined): StoredVoice {
  if (voice === undefined) throw new ApiError('model_not_found', 'Model not found');
  if (!canUse(voice, accountId)) throw createNotYoursError();
  return voice;
}

/** Throws `model_not_found` or `not_yours` unless the voice exists and belongs to the account. */
export function assertOwned(voice: StoredVoice | undefined, accountId: string): StoredVoice {
  const visible = assertVisible(voice, accountId);
  if (visible.accountId !== accountId) throw createNotYoursError();
  return visible;
}

/** The error for voices of other accounts and for built-in voices. */
export function createNotYoursError(): ApiError {
  return new ApiError('not_yours', 'This voice belongs to another account.');
}
