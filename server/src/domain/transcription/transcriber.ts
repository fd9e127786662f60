import { ApiError } from '../../errors.ts';
import { enginesFor, translationEngines } from './asr-engine-choice.ts';
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

/** Receives the measurements of transcription. */
export interface TranscriptionObserver {
  /** A recording or a live session has ended. `wallSeconds` is the time from its start to its end. */
  transcribed(work: {
    readonly isLive: boolean;
    readonly audioSeconds: number;
    readonly wallSeconds: number;
  }): void;
  refused(code: string): void;
}

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
  readonly #observer: TranscriptionObserver | undefined;
  #active = 0;

  constructor(deps: {
    readonly workers: AsrWorkers;
    readonly settings: TranscriberSettings;
    readonly observer?: TranscriptionObserver | undefined;
  }) {
    this.#observer = deps.observer;
    this.#workers = deps.workers;
    this.#settings = deps.settings;
  }

  async *transcribe(request: TranscribeRequest, signal: AbortSignal): AsyncGenerator<TranscriptionEvent> {
    const segments = [...(request.resume?.segments ?? [])];
    let durationSeconds = 0;
    let channels = 1;
    const measured = this.#measure({ isLive: false, fromSeconds: request.resume?.processedSeconds ?? 0 });
    this.#enter();
    try {
      for await (const batch of this.#transcribeWithRetries(request, signal)) {
        channels = Math.max(channels, ...batch.map(channelsOf));
        for (const event of batch) {
          measured.add(event);
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
      measured.end();
    }
    yield { type: 'finished', transcript: toTranscript(segments, durationSeconds, request), channels };
  }

  async *transcribeLive(
    options: TranscriptionOptions,
    input: AsyncIterable<LiveInput>,
    signal: AbortSignal,
  ): AsyncGenerator<LiveTranscriptionEvent> {
    const task: AsrTask = { ...toTask(options), source: { kind: 'stream' } };
    const measured = this.#measure({ isLive: true, fromSeconds: 0 });
    this.#enter();
    try {
      for await (const event of this.#workers.transcribe(task, { signal, input })) {
        measured.add(event);
        if (event.type === 'partial' || event.type === 'progress') yield event;
        else if (event.type === 'segment') yield { type: 'segment', segment: toSegment(event) };
      }
    } finally {
      this.#active -= 1;
      measured.end();
    }
  }

  /** Number of recordings and live sessions that are being transcribed. */
  get activeCount(): number {
    return this.#active;
  }

  /** Measures the audio of one recording or session up to the position that its events report. */
  #measure({ isLive, fromSeconds }: { readonly isLive: boolean; readonly fromSeconds: number }) {
    const startedAtMs = performance.now();
    let toSeconds = fromSeconds;
    return {
      add: (event: AsrEvent) => {
        if (event.type === 'progress') toSeconds = Math.max(toSeconds, event.processedSeconds);
        if (event.type === 'end') toSeconds = Math.max(toSeconds, event.durationSeconds);
      },
      end: () =>
        this.#observer?.transcribed({
          isLive,
          audioSeconds: toSeconds - fromSeconds,
          wallSeconds: (performance.now() - startedAtMs) / 1000,
        }),
    };
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
        isJob: request.isJob,
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
      this.#observer?.refused('queue_full');
      throw new ApiError('queue_full', 'Too many recordings are being transcribed.', {
        retryAfterSeconds: 10,
      });
    }
    this.#active += 1;
  }
}

function toTask(options: TranscriptionOptions): Omit<AsrTask, 'source'> {
  return {
    engines: options.isTranslated ? translationEngines() : enginesFor(options.model, options.language),
    isTranslated: options.isTranslated,
    language: options.language,
    prompt: options.prompt,
    hotwords: options.vocabulary,
    isSplit: options.channels === 'split',
    wantsSpeakerEmbeddings: options.speakers !== undefined,
    wantsPitch: options.wantsPitch,
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
