import { ApiError } from '../../errors.ts';
import { enginesFor } from './asr-engine-choice.ts';
import { writeClockTimes } from './clock-times.ts';
import { writeNumbersAsDigits } from './numbers-as-digits.ts';
import type { AsrEvent, AsrSegment, AsrTask, AsrWorkers } from './pipeline/asr-task.ts';
import { assignSpeakers } from './speaker-turns.ts';
import { mainLanguage, transcriptText } from './transcript-text.ts';
import type {
  LiveInput,
  LiveTranscriptionEvent,
  TranscribeRequest,
  Transcript,
  TranscriptionEvent,
  TranscriptionOptions,
  TranscriptionService,
  TranscriptSegment,
} from './transcription-service.ts';

export interface TranscriberSettings {
  readonly asrMinSeconds: number;
  readonly asrMaxSeconds: number;
  readonly asrMaxSamples: number;
  readonly asrMaxCpuSeconds: number;
  readonly asrQueueMax: number;
  readonly ffmpegPath: string;
}

/** Worker losses in a row without progress after which the recording itself is assumed to be the cause. */
const LOST_WORKERS_MAX = 2;

/** Transcribes in worker processes. When a worker dies, another continues from the last progress. */
export class Transcriber implements TranscriptionService {
  readonly #workers: AsrWorkers;
  readonly #settings: TranscriberSettings;
  #active = 0;

  constructor(deps: { readonly workers: AsrWorkers; readonly settings: TranscriberSettings }) {
    this.#workers = deps.workers;
    this.#settings = deps.settings;
  }

  async *transcribe(request: TranscribeRequest, signal: AbortSignal): AsyncGenerator<TranscriptionEvent> {
    const segments = [...(request.resume?.segments ?? [])];
    let durationSeconds = 0;
    let channels = 1;
    this.#enter();
    try {
      for await (const batch of this.#transcribeWithRetries(request, signal)) {
        channels = Math.max(channels, ...batch.map(channelsOf));
        for (const event of batch) {
          if (event.type === 'end') durationSeconds = event.durationSeconds;
          else if (event.type === 'progress') yield event;
          else if (event.type === 'segment') {
            const segment = toSegment(event);
            segments.push(segment);
            yield { type: 'segment', segment, channels };
          }
        }
      }
    } finally {
      this.#active -= 1;
    }
    yield { type: 'finished', transcript: toTranscript(segments, durationSeconds, request), channels };
  }

  async *transcribeLive(
    options: TranscriptionOptions,
    input: AsyncIterable<LiveInput>,
    signal: AbortSignal,
  ): AsyncGenerator<LiveTranscriptionEvent> {
    const task: AsrTask = { ...toTask(options), source: { kind: 'stream' } };
    this.#enter();
    try {
      for await (const event of this.#workers.transcribe(task, { signal, input })) {
        if (event.type === 'partial' || event.type === 'progress') yield event;
        else if (event.type === 'segment') yield { type: 'segment', segment: toSegment(event) };
      }
    } finally {
      this.#active -= 1;
    }
  }

  async *#transcribeWithRetries(
    request: TranscribeRequest,
    signal: AbortSignal,
  ): AsyncGenerator<readonly AsrEvent[]> {
    let startSeconds = request.resume?.processedSeconds ?? 0;
    for (let lost = 0; ; ) {
      const task: AsrTask = {
        ...toTask(request),
        source: { kind: 'file', path: request.path },
        language: request.language ?? mainLanguage(request.resume?.segments ?? []),
        startSeconds,
        minSeconds: this.#settings.asrMinSeconds,
        maxSeconds: this.#settings.asrMaxSeconds,
        samplesMax: this.#settings.asrMaxSamples,
        cpuSecondsMax: this.#settings.asrMaxCpuSeconds,
        ffmpegPath: this.#settings.ffmpegPath,
      };
      try {
        yield* this.#transcribeOnce(task, signal, (processedSeconds) => {
          if (processedSeconds > startSeconds) lost = 0;
          startSeconds = processedSeconds;
        });
        return;
      } catch (error) {
        const isLost = error instanceof ApiError && error.code === 'engine_failed';
        if (!isLost || ++lost > LOST_WORKERS_MAX) throw error;
      }
    }
  }

  /** Emits segments only with the progress that follows them: a retry starts there, so none is emitted twice. */
  async *#transcribeOnce(
    task: AsrTask,
    signal: AbortSignal,
    onProgress: (processedSeconds: number) => void,
  ): AsyncGenerator<readonly AsrEvent[]> {
    let held: AsrEvent[] = [];
    for await (const event of this.#workers.transcribe(task, { signal })) {
      held.push(event);
      if (event.type === 'segment') continue;
      if (event.type === 'progress') onProgress(event.processedSeconds);
      const ready = held;
      held = [];
      yield ready;
    }
  }

  #enter(): void {
    if (this.#active >= this.#settings.asrQueueMax) {
      throw new ApiError('queue_full', 'Too many recordings are being transcribed.', {
        retryAfterSeconds: 10,
      });
    }
    this.#active += 1;
  }
}

function toTask(options: TranscriptionOptions): Omit<AsrTask, 'source'> {
  return {
    engines: enginesFor(options.model, options.language),
    language: options.language,
    prompt: options.prompt,
    hotwords: options.vocabulary,
    isSplit: options.channels === 'split',
    wantsSpeakerEmbeddings: options.speakers !== undefined,
    accountId: options.accountId,
  };
}

function channelsOf(event: AsrEvent): number {
  return event.type === 'progress' || event.type === 'end' ? (event.channels ?? 1) : 1;
}

function toSegment({ type: _, ...segment }: AsrSegment): TranscriptSegment {
  const { language } = segment;
  const words = writeClockTimes(writeNumbersAsDigits(segment.words, language), language);
  if (words === segment.words) return segment;
  return { ...segment, words, text: words.map(({ text }) => text).join(' ') };
}

function toTranscript(
  transcribed: readonly TranscriptSegment[],
  durationSeconds: number,
  { speakers }: TranscriptionOptions,
): Transcript {
  const { segments, speakerTurns } = assignSpeakers(transcribed, speakers);
  return {
    text: transcriptText(segments, speakerTurns),
    durationSeconds,
    language: mainLanguage(segments),
    segments,
    speakerTurns,
  };
}
