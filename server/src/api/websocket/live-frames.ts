import { Packr, Unpackr } from 'msgpackr';
import { z } from 'zod';
import { ApiError } from '../../errors.ts';
import type { WireTiming } from '../responses/timed-events.ts';

const ClientFrameSchema = z.discriminatedUnion('event', [
  z.object({ event: z.literal('start'), request: z.record(z.string(), z.unknown()).nullish() }),
  z.object({ event: z.literal('text'), text: z.string().nullish() }),
  z.object({ event: z.literal('flush') }),
  z.object({ event: z.literal('stop') }),
]);

/** What a client says on a live socket. */
export type ClientFrame = z.output<typeof ClientFrameSchema>;

/** What the server says on a live socket. `time` is in milliseconds since the session began. */
export type ServerFrame =
  | ({ readonly event: 'audio'; readonly audio: Uint8Array; readonly time: number } & Partial<WireTiming>)
  | { readonly event: 'error'; readonly error: string; readonly code: string }
  | { readonly event: 'finish'; readonly reason: 'stop'; readonly time: number }
  | { readonly event: 'finish'; readonly reason: 'error'; readonly message: string; readonly time: number };

const unpackr = new Unpackr({ useRecords: false, mapsAsObjects: true, int64AsType: 'number' });
const packr = new Packr({ useRecords: false, variableMapSize: true });

/** Reads a frame. Throws `invalid_body` for what is no MessagePack, `live_protocol` for what is no frame of ours. */
export function readFrame(bytes: Buffer): ClientFrame {
  let value: unknown;
  try {
    value = unpackr.unpack(bytes);
  } catch (cause) {
    // The parser's own message would quote the frame.
    throw new ApiError('invalid_body', 'The frame is not valid MessagePack.', { cause });
  }
  const frame = ClientFrameSchema.safeParse(value);
  if (frame.success) return frame.data;
  throw new ApiError(
    'live_protocol',
    'A frame is a map whose `event` is `start`, `text`, `flush` or `stop`.',
  );
}

export function writeFrame(frame: ServerFrame): Buffer {
  return packr.pack(frame);
}
