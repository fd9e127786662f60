import { Packr } from 'msgpackr';
import { z } from 'zod';
import { ApiError, type ErrorCode } from '../../errors.ts';
import { decodeMsgpack } from '../bodies/decode-msgpack.ts';
import type { PhraseBody } from '../schemas/transcription/transcript.ts';

const EnvelopeSchema = z.looseObject({ event: z.string() });

const TranscriptionClientFrameSchema = z.discriminatedUnion('event', [
  // `request` is validated against `LiveAsrRequestSchema` when the session starts.
  z.object({ event: z.literal('start'), request: z.unknown().optional() }),
  z.object({
    event: z.literal('audio'),
    audio: z.custom<Uint8Array>((value) => value instanceof Uint8Array),
  }),
  z.object({ event: z.literal('flush') }),
  z.object({ event: z.literal('stop') }),
]);

/** A frame from the client of a live transcription socket. */
export type TranscriptionClientFrame = z.output<typeof TranscriptionClientFrameSchema>;

/** A frame to the client of a live transcription socket. Times are in seconds. */
export type TranscriptionServerFrame =
  | { readonly event: 'partial'; readonly text: string; readonly start: number; readonly end: number }
  | ({ readonly event: 'segment' } & Readonly<PhraseBody>)
  | { readonly event: 'error'; readonly error: string; readonly code: ErrorCode }
  | { readonly event: 'finish'; readonly reason: 'stop'; readonly text: string; readonly duration: number }
  | { readonly event: 'finish'; readonly reason: 'error'; readonly message: string };

const packr = new Packr({ useRecords: false });

/**
 * Throws `invalid_body` unless the frame is a MessagePack map with an `event`, `live_protocol` for an unknown event
 * and `invalid_request` for an `audio` frame without binary data.
 */
export function decodeTranscriptionFrame(bytes: Buffer): TranscriptionClientFrame {
  const envelope = EnvelopeSchema.safeParse(unpack(bytes));
  if (!envelope.success) {
    throw new ApiError('invalid_body', 'A frame is a MessagePack map with an `event`.');
  }
  const frame = TranscriptionClientFrameSchema.safeParse(envelope.data);
  if (frame.success) return frame.data;
  throw envelope.data.event === 'audio'
    ? new ApiError('invalid_request', '`audio` must be binary data.')
    : new ApiError('live_protocol', 'The `event` of a frame is `start`, `audio`, `flush` or `stop`.');
}

export function encodeTranscriptionFrame(frame: TranscriptionServerFrame): Buffer {
  return packr.pack(frame);
}

function unpack(bytes: Buffer): unknown {
  try {
    return decodeMsgpack(bytes);
  } catch {
    // The parser's message would quote the frame.
    return undefined;
  }
}
