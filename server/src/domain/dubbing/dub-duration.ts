import { ApiError } from '../../errors.ts';
import type { Cue } from '../captions/parse-captions.ts';

export interface DubDurationLimits {
  readonly silenceMaxSeconds: number;
  /** Additional seconds for each UTF-8 byte of the captions. */
  readonly dubSecondsPerByte: number;
}

/**
 * The audio of a dub ends with the speech of its last caption, and only the text is charged: the start of that caption
 * is limited by the amount of text. The captions are in order of their start.
 */
export function assertDubDuration(cues: readonly Cue[], limits: DubDurationLimits): void {
  const bytes = cues.reduce((sum, { text }) => sum + Buffer.byteLength(text), 0);
  const maxSeconds = limits.silenceMaxSeconds + limits.dubSecondsPerByte * bytes;
  const startSeconds = cues.at(-1)?.startSeconds ?? 0;
  if (startSeconds <= maxSeconds) return;
  throw new ApiError(
    'invalid_captions',
    `Caption ${cues.length}: it starts after ${Math.floor(maxSeconds)} s, the limit for captions with ${bytes} bytes of text.`,
  );
}
