import { Packr } from 'msgpackr';
import { z } from 'zod';
import { ApiError, type ErrorCode } from '../../errors.ts';
import { decodeMsgpack } from '../bodies/decode-msgpack.ts';
import type { WireTiming } from '../responses/timed-events.ts';

const SpeechClientFrameSchema = z.discriminatedUnion('event', [
  // `request` is validated against `TtsRequestSchema` when the session is admitted.
  z.object({ event: z.literal('start'), request: z.record(z.string(), z.unknown()).nullish() }),
  z.object({ event: z.literal('text'), text: z.string().nullish() }),
  z.object({ event: z.literal('flush') }),
  z.object({ event: z.literal('stop') }),
]);

/** A frame from the client of a live speech socket. */
export type SpeechClientFrame = z.output<typeof SpeechClientFrameSchema>;

/** A frame to the client of a live speech socket. `time` is in milliseconds since the start of the session. */
export type SpeechServerFrame =
  | ({ readonly event: 'audio'; readonly audio: Uint8Array; readonly time: number } & Partial<WireTiming>)
  | { readonly event: 'error'; readonly error: string; readonly code: ErrorCode }
  | { readonly event: 'finish'; readonly reason: 'stop'; readonly time: number }
  | { readonly event: 'finish'; readonly reason: 'error'; readonly message: string; readonly time: number };

const packr = new Packr({ useRecords: false, variableMapSize: true });

/** Throws `invalid_body` for invalid MessagePack and `live_protocol` for an invalid frame. */
export function decodeSpeechFrame(bytes: Buffer): SpeechClientFrame {
  let value: unknown;
  try {
    value = decodeMsgpack(bytes);
  } catch (cause) {
    // The parser's message would quote the frame.
    throw new ApiError('invalid_body', 'The frame is not valid MessagePack.', { cause });
  }
  const frame = SpeechClientFrameSchema.safeParse(value);
  if (frame.success) return frame.data;
  throw new ApiError(
    'live_protocol',
    'A frame is a map whose `event` is `start`, `text`, `flush` or `stop`.',
  );
}

export function encodeSpeechFrame(frame: SpeechServerFrame): Buffer {
  return packr.pack(frame);
}
