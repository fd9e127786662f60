import { z } from 'zod';
import { ERRORS, type ErrorCode } from '../../../errors.ts';
import type {
  TranscriptionClientFrame,
  TranscriptionServerFrame,
} from '../../websocket/live-transcription-frames.ts';
import type { LiveTranscriptionProtocol } from '../../websocket/live-transcription-protocol.ts';
import { parseJsonMessage } from '../parse-json-message.ts';
import { splitAudioMessage } from '../split-audio-message.ts';

/** The supported client message. Messages of other types are ignored. */
const ClientMessageSchema = z.object({
  message_type: z.literal('input_audio_chunk'),
  audio_base_64: z.string().default(''),
  commit: z.boolean().nullish(),
});

type SegmentFrame = Extract<TranscriptionServerFrame, { readonly event: 'segment' }>;

interface WireWord {
  readonly text: string;
  readonly type: 'word';
  readonly start: number;
  readonly end: number;
}

/** A server message after `session_started`. */
type ServerMessage =
  | { readonly message_type: 'partial_transcript' | 'committed_transcript'; readonly text: string }
  | {
      readonly message_type: 'committed_transcript_with_timestamps';
      readonly text: string;
      readonly language_code: string;
      readonly words: readonly WireWord[];
    }
  | { readonly message_type: ErrorType; readonly error: string };

type ErrorType = 'auth_error' | 'quota_exceeded' | 'rate_limited' | 'input_error' | 'transcriber_error';

/** Who ends a transcript: each `commit` of the client, or the server at a pause of speech. */
export const COMMIT_STRATEGIES = ['manual', 'vad'] as const;
export type CommitStrategy = (typeof COMMIT_STRATEGIES)[number];

/**
 * ElevenLabs' realtime protocol. With the strategy `manual` each commit ends a session and returns the transcript since
 * the last commit; with `vad` one session returns each of its segments, and a commit ends a segment.
 */
export class ElevenLabsTranscriptionProtocol implements LiveTranscriptionProtocol {
  readonly #request: Readonly<Record<string, unknown>>;
  readonly #strategy: CommitStrategy;
  #isInSession = false;
  /** Duration of all committed audio. */
  #committedSeconds = 0;
  #segments: SegmentFrame[] = [];

  /** `request` is the request of every `start` frame. */
  constructor(request: Readonly<Record<string, unknown>>, strategy: CommitStrategy) {
    this.#request = request;
    this.#strategy = strategy;
  }

  decode(message: Buffer): readonly TranscriptionClientFrame[] {
    const split = splitAudioMessage(message, 'audio_base_64');
    const rest = split && ClientMessageSchema.safeParse(parseJsonMessage(split.message));
    // Another key of the same name is the only audio that the rest can have.
    const isSplit = rest?.success === true && rest.data.audio_base_64 === '';
    const chunk = isSplit ? rest : ClientMessageSchema.safeParse(parseJsonMessage(message));
    if (!chunk.success) return [];
    const audio = split && isSplit ? split.audio : Buffer.from(chunk.data.audio_base_64, 'base64');
    const frames: TranscriptionClientFrame[] = [];
    if (audio.length > 0) {
      if (!this.#isInSession) frames.push({ event: 'start', request: this.#request });
      this.#isInSession = true;
      frames.push({ event: 'audio', audio });
    }
    if (!chunk.data.commit) return frames;
    if (this.#strategy === 'vad') return this.#isInSession ? [...frames, { event: 'flush' }] : frames;
    this.#isInSession = false;
    return [...frames, { event: 'stop' }];
  }

  encode(frame: TranscriptionServerFrame): readonly string[] {
    return this.#toMessages(frame).map((message) => JSON.stringify(message));
  }

  #toMessages(frame: TranscriptionServerFrame): readonly ServerMessage[] {
    switch (frame.event) {
      case 'partial':
        return [{ message_type: 'partial_transcript', text: frame.text }];
      case 'segment':
        if (this.#strategy === 'vad') return toCommitted(frame.text, [frame], 0);
        this.#segments.push(frame);
        return [];
      case 'error':
        return [{ message_type: errorTypeOf(frame.code), error: frame.error }];
      case 'finish':
        return frame.reason === 'error' || this.#strategy === 'vad'
          ? []
          : this.#commit(frame.text, frame.duration);
    }
  }

  #commit(text: string, durationSeconds: number): ServerMessage[] {
    const segments = this.#segments;
    const offset = this.#committedSeconds;
    this.#segments = [];
    this.#committedSeconds += durationSeconds;
    return toCommitted(text, segments, offset);
  }
}

/** The messages for a committed text. `offset` is the start of its session in seconds. */
function toCommitted(text: string, segments: readonly SegmentFrame[], offset: number): ServerMessage[] {
  const words = segments
    .flatMap((segment) => segment.words)
    .map((word) => ({
      text: word.text,
      type: 'word' as const,
      start: offset + word.start,
      end: offset + word.end,
    }));
  const language_code = segments[0]?.language_code ?? '';
  return [
    { message_type: 'committed_transcript', text },
    { message_type: 'committed_transcript_with_timestamps', text, language_code, words },
  ];
}

const ERROR_TYPES: Readonly<Record<number, ErrorType>> = {
  401: 'auth_error',
  402: 'quota_exceeded',
  403: 'auth_error',
  429: 'rate_limited',
};

function errorTypeOf(code: ErrorCode): ErrorType {
  const { status } = ERRORS[code];
  return ERROR_TYPES[status] ?? (status < 500 ? 'input_error' : 'transcriber_error');
}
