import {
  decodeSpeechFrame,
  encodeSpeechFrame,
  type SpeechClientFrame,
  type SpeechServerFrame,
} from './live-speech-frames.ts';

/** A wire protocol of live speech, as a mapping to and from frames. */
export interface LiveSpeechProtocol {
  /** Decodes a message; the result is empty for a message to ignore. Throws an `ApiError` for an invalid message. */
  decode(message: Buffer, isBinary: boolean): readonly SpeechClientFrame[];
  /** Encodes a frame as binary (`Buffer`) or text (`string`) messages. Long results are encoded while they are sent. */
  encode(frame: SpeechServerFrame): Iterable<Buffer | string>;
  /** Whether the socket closes after its first session. */
  readonly isSingleSession: boolean;
}

/** The native protocol: one MessagePack map in each binary message. Text messages are ignored. */
export const NATIVE_SPEECH_PROTOCOL: LiveSpeechProtocol = {
  decode: (message, isBinary) => (isBinary ? [decodeSpeechFrame(message)] : []),
  encode: (frame) => [encodeSpeechFrame(frame)],
  isSingleSession: false,
};
