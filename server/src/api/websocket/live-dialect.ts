import { type ClientFrame, readFrame, type ServerFrame, writeFrame } from './live-frames.ts';

/** How a socket of live speech talks: what its client sends, and how it is told what happens. */
export interface LiveDialect {
  /** What a message means; empty when it means nothing. Throws an `ApiError` for what cannot be understood. */
  read(message: Buffer, isBinary: boolean): readonly ClientFrame[];
  /** The messages that tell of something: bytes, or text. */
  write(frame: ServerFrame): readonly (Buffer | string)[];
  /** Whether a socket ends with its first session. */
  readonly hasOneSession: boolean;
}

/** The native one: a MessagePack map in each binary message. Clients only ever mean those; text is ignored. */
export const NATIVE_DIALECT: LiveDialect = {
  read: (message, isBinary) => (isBinary ? [readFrame(message)] : []),
  write: (frame) => [writeFrame(frame)],
  hasOneSession: false,
};
