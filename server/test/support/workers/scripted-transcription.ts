import { readFile } from 'node:fs/promises';
import { setTimeout as delay } from 'node:timers/promises';
import { mainLanguage, transcriptText } from '../../../src/domain/transcription/transcript-text.ts';
import type {
  LiveInput,
  LiveTranscriptionEvent,
  TranscribeRequest,
  TranscriptionEvent,
  TranscriptionOptions,
  TranscriptionService,
  TranscriptSegment,
} from '../../../src/domain/transcription/transcription-service.ts';
import { ApiError } from '../../../src/errors.ts';

/** Transcribes recordings that are plain text: one segment per line, half a second per word. */
export class ScriptedTranscription implements TranscriptionService {
  readonly requests: TranscribeRequest[] = [];
  /** The first four bytes of each recording. */
  readonly headers: string[] = [];
  /** Number of transcriptions in progress. */
  active = 0;
  /** Number of channels of a recording that is transcribed by channel. */
  channelCount = 1;
  /** Processing time per line. */
  msPerLine = 0;
  /** Waits before the line with this index until the request is aborted. */
  pause: { readonly line: number; readonly onPause: () => void } | undefined;
  /** An error to throw before the line with this index. */
  failure: { readonly line: number; readonly error: Error } | undefined;

  async *transcribe(request: TranscribeRequest, signal: AbortSignal): AsyncGenerator<TranscriptionEvent> {
    this.requests.push(request);
    this.active += 1;
    try {
      const text = await readFile(request.path, 'utf8');
      this.headers.push(text.slice(0, 4));
      if (!text.startsWith('audio:')) throw new ApiError('invalid_audio', 'The file is not audio.');
      const lines = text.slice('audio:'.length).split('\n');
      const segments = [...(request.resume?.segments ?? [])];
      const channels = request.channels === 'split' ? this.channelCount : 1;
      for (const [index, segment] of toSegments(lines, request.language ?? 'en').entries()) {
        if (segment.startSeconds < (request.resume?.processedSeconds ?? 0)) continue;
        const progress = { processedSeconds: segment.startSeconds, fraction: index / lines.length };
        yield { type: 'progress', ...progress, channels };
        await delay(this.msPerLine, undefined, { signal });
        if (this.pause?.line === index) await this.#waitForAbort(this.pause.onPause, signal);
        if (this.failure?.line === index) throw this.failure.error;
        segments.push(segment);
        yield { type: 'segment', segment, channels };
      }
      const durationSeconds = segments.at(-1)?.endSeconds ?? 0;
      yield { type: 'progress', processedSeconds: durationSeconds, fraction: 1, channels };
      const speakerTurns = request.speakers && segments.map((segment, speaker) => ({ ...segment, speaker }));
      const transcript = {
        text: transcriptText(segments, speakerTurns),
        durationSeconds,
        language: mainLanguage(segments),
        segments,
        speakerTurns,
      };
      yield { type: 'finished', transcript, channels };
    } finally {
      this.active -= 1;
    }
  }

  async #waitForAbort(onPause: () => void, signal: AbortSignal): Promise<void> {
    const aborted = new Promise<void>((resolve) => {
      if (signal.aborted) resolve();
      else signal.addEventListener('abort', () => resolve());
    });
    onPause();
    await aborted;
    signal.throwIfAborted();
  }

  /** Emits the duration so far as partial text; a flush emits it as a segment, the end emits `the rest`. */
  async *transcribeLive(
    _options: TranscriptionOptions,
    input: AsyncIterable<LiveInput>,
    signal: AbortSignal,
  ): AsyncGenerator<LiveTranscriptionEvent> {
    this.active += 1;
    try {
      let samples = 0;
      let emittedSeconds = 0;
      for await (const chunk of input) {
        signal.throwIfAborted();
        if (chunk !== 'flush') samples += chunk.length;
        const endSeconds = samples / 16_000;
        const text = `${Math.round(endSeconds * 1000)} ms`;
        if (chunk !== 'flush') yield { type: 'partial', text, startSeconds: emittedSeconds, endSeconds };
        else {
          yield { type: 'segment', segment: plainSegment(text, emittedSeconds, endSeconds) };
          emittedSeconds = endSeconds;
        }
      }
      const endSeconds = samples / 16_000;
      if (endSeconds > emittedSeconds)
        yield { type: 'segment', segment: plainSegment('the rest', emittedSeconds, endSeconds) };
    } finally {
      this.active -= 1;
    }
  }
}

function plainSegment(text: string, startSeconds: number, endSeconds: number): TranscriptSegment {
  const words = [{ text, startSeconds, endSeconds, confidence: 0.9 }];
  return { text, startSeconds, endSeconds, confidence: 0.9, language: 'en', words };
}

function toSegments(lines: readonly string[], language: string): TranscriptSegment[] {
  let seconds = 0;
  return lines.map((text) => {
    const startSeconds = seconds;
    const words = text.split(' ').map((word) => {
      const start = seconds;
      seconds += 0.5;
      return { text: word, startSeconds: start, endSeconds: seconds, confidence: 0.9 };
    });
    return { text, startSeconds, endSeconds: seconds, confidence: 0.9, language, words };
  });
}
