import {
  decodeTranscriptionFrame,
  encodeTranscriptionFrame,
  type TranscriptionClientFrame,
  type TranscriptionServerFrame,
} from './live-transcription-frames.ts';

/** A wire protocol of live transcription, as a mapping to and from frames. */
export interface LiveTranscriptionProtocol {
  /** Decodes a message; the result is empty for a message to ignore. Throws an `ApiError` for an invalid message. */
  decode(message: Buffer, isBinary: boolean): readonly TranscriptionClientFrame[];
  /** Encodes a frame as binary (`Buffer`) or text (`string`) messages. */
  encode(frame: TranscriptionServerFrame): readonly (Buffer | string)[];
}

/** The native protocol: one MessagePack map in each binary message. Text messages are ignored. */
export const NATIVE_TRANSCRIPTION_PROTOCOL: LiveTranscriptionProtocol = {
  decode: (message, isBinary) => (isBinary ? [decodeTranscriptionFrame(message)] : []),
  encode: (frame) => [encodeTranscriptionFrame(frame)],
};
