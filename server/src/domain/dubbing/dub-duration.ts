import { CaptionError, type CaptionLimits, type ParsedCaption } from '../captions/parse-captions.ts';

/** Limits of the captions of a dub. */
export const CAPTION_LIMITS: CaptionLimits = {
  captionsMax: 20_000,
  captionMaxChars: 1000,
  maxSeconds: 86_400,
};

export interface DubDurationLimits {
  readonly silenceMaxSeconds: number;
  /** Additional seconds for each UTF-8 byte of the captions. */
  readonly dubSecondsPerByte: number;
}

/**
 * The audio of a dub ends with the speech of its last caption, and only the text is charged: the start of that caption
 * is limited by the amount of text. The captions are in order of their start. Throws a `CaptionError`.
 */
export function assertDubDuration(captions: readonly ParsedCaption[], limits: DubDurationLimits): void {
  const bytes = captions.reduce((sum, { text }) => sum + Buffer.byteLength(text), 0);
  const maxSeconds = limits.silenceMaxSeconds + limits.dubSecondsPerByte * bytes;
  const startSeconds = captions.at(-1)?.startSeconds ?? 0;
  if (startSeconds <= maxSeconds) return;
  throw new CaptionError(
    `Caption ${captions.length}: it starts after ${Math.floor(maxSeconds)} s, the limit for captions with ${bytes} bytes of text.`,
  );
}
