import { readFile } from 'node:fs/promises';
import { setTimeout as delay } from 'node:timers/promises';
import { mainLanguage, transcriptText } from '../../src/domain/transcription/transcript-text.ts';
import type {
  LiveInput,
  LiveTranscriptionEvent,
  TranscribeRequest,
  TranscriptionEvent,
  TranscriptionOptions,
  TranscriptionService,
  TranscriptSegment,
} from '../../src/domain/transcription/transcription-service.ts';
import { ApiError } from '../../src/errors.ts';

/** Reads recordings that are plain text: a line is a segment, a word takes half a second. */
export class ReadingTranscription implements TranscriptionService {
  readonly requests: TranscribeRequest[] = [];
  /** Recordings and live speakers it listens to right now. */
  active = 0;
  /** How long it takes for a line. */
  msPerLine = 0;
  /** Thrown before the line of this number, counted from 0 over the whole recording. */
  failure: { readonly line: number; readonly error: Error } | undefined;

  async *transcribe(request: TranscribeRequest, signal: AbortSignal): AsyncGenerator<TranscriptionEvent> {
    this.requests.push(request);
    this.active += 1;
    try {
      const text = await readFile(request.path, 'utf8');
      if (!text.startsWith('audio:')) throw new ApiError('invalid_audio', 'This is no audio.');
      const lines = text.slice('audio:'.length).split('\n');
      const segments = [...(request.resume?.segments ?? [])];
      for (const [index, segment] of toSegments(lines, request.language ?? 'en').entries()) {
        if (segment.startSeconds < (request.resume?.processedSeconds ?? 0)) continue;
        yield { type: 'progress', processedSeconds: segment.startSeconds, fraction: index / lines.length };
        await delay(this.msPerLine, undefined, { signal });
        if (this.failure?.line === index) throw this.failure.error;
        segments.push(segment);
        yield { type: 'segment', segment };
      }
      const durationSeconds = segments.at(-1)?.endSeconds ?? 0;
      yield { type: 'progress', processedSeconds: durationSeconds, fraction: 1 };
      const speakerTurns = request.speakers && segments.map((segment, speaker) => ({ ...segment, speaker }));
      const transcript = {
        text: transcriptText(segments, speakerTurns),
        durationSeconds,
        language: mainLanguage(segments),
        segments,
        speakerTurns,
      };
      yield { type: 'finished', transcript };
    } finally {
      this.active -= 1;
    }
  }

  /** Hears one word for each second of sound: how often the loudest sample fits a hundred times into 1. */
  async *listen(
    _options: TranscriptionOptions,
    input: AsyncIterable<LiveInput>,
    signal: AbortSignal,
  ): AsyncGenerator<LiveTranscriptionEvent> {
    this.active += 1;
    try {
      let samples = 0;
      let told = 0;
      for await (const chunk of input) {
        signal.throwIfAborted();
        if (chunk !== 'flush') samples += chunk.length;
        const endSeconds = samples / 16_000;
        const text = `${Math.round(endSeconds * 1000)} ms`;
        if (chunk !== 'flush') yield { type: 'partial', text, startSeconds: told, endSeconds };
        else {
          yield { type: 'segment', segment: plainSegment(text, told, endSeconds) };
          told = endSeconds;
        }
      }
      const endSeconds = samples / 16_000;
      if (endSeconds > told) yield { type: 'segment', segment: plainSegment('the rest', told, endSeconds) };
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
