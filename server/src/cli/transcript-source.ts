import { openAsBlob } from 'node:fs';
import { Mynah, type Transcription } from 'mynah';
import { openModelStore } from '../compose/model-store.ts';
import { TranscriptionRuntime } from '../compose/transcription-runtime.ts';
import type { Config, Environment } from '../config/config.ts';
import { Transcriber } from '../domain/transcription/transcriber.ts';
import type {
  Transcript,
  TranscriptionOptions,
  TranscriptWord,
} from '../domain/transcription/transcription-service.ts';
import { ApiError } from '../errors.ts';
import { createLogger } from '../logger.ts';
import type { ServerAddress } from './server-address.ts';

/** Wait for a download of models. The command shows its progress and can be interrupted. */
const MODELS_WAIT_MS = 24 * 3600_000;

/** A recording to transcribe. */
export interface TranscriptRequest {
  readonly path: string;
  /** Called with the progress, 0 to 1. */
  readonly onProgress: (fraction: number) => void;
  readonly signal: AbortSignal;
}

/** Transcription by a server or by the engines of this installation. */
export interface TranscriptSource {
  transcribe(request: TranscriptRequest): Promise<Transcript>;
  close(): Promise<void>;
}

/** Transcription by a server. */
export function openServerTranscription(
  address: ServerAddress,
  options: TranscriptionOptions,
): TranscriptSource {
  const client = new Mynah({ ...address });
  const { model, language, speakers, prompt, vocabulary } = options;
  const fields = {
    model,
    language,
    prompt,
    vocabulary,
    diarize: speakers !== undefined,
    format: 'verbose' as const,
  };
  return {
    async transcribe({ path, onProgress, signal }) {
      const audio = await openAsBlob(path);
      for await (const event of client.speechToText.follow({ ...defined(fields), audio }, { signal })) {
        if (event.event === 'progress') onProgress(event.progress);
        if (event.event === 'finish') return toTranscript(event.transcription);
      }
      throw createIncompleteError();
    },
    close: async () => {},
  };
}

/** Transcription by a worker process of this command. */
export function openLocalTranscription(
  config: Config,
  env: Environment,
  options: TranscriptionOptions,
): TranscriptSource {
  const logger = createLogger({ ...config, logLevel: 'silent' });
  const runtime = new TranscriptionRuntime(
    { ...config, transcriptionWorkers: 1 },
    { logger, store: openModelStore(config, env), modelsWaitMs: MODELS_WAIT_MS },
  );
  const transcriber = new Transcriber({ workers: runtime.workers, settings: config });
  return {
    async transcribe({ path, onProgress, signal }) {
      for await (const event of transcriber.transcribe({ ...options, path }, signal)) {
        if (event.type === 'progress') onProgress(event.fraction);
        if (event.type === 'finished') return event.transcript;
      }
      throw createIncompleteError();
    },
    close: () => runtime.close(),
  };
}

function createIncompleteError(): ApiError {
  return new ApiError('engine_failed', 'The transcription ended before the end of the recording.');
}

/** Converts a transcript of a server. */
function toTranscript({
  text,
  duration,
  language_code,
  phrases = [],
  speaker_turns,
}: Transcription): Transcript {
  return {
    text,
    durationSeconds: duration,
    language: language_code ?? undefined,
    segments: phrases.map((phrase) => ({
      ...toTimes(phrase),
      language: phrase.language_code,
      ...(phrase.speaker !== undefined && { speaker: speakerNumber(phrase.speaker) }),
      words: phrase.words.map(toTimes),
    })),
    speakerTurns: speaker_turns?.map(({ speaker, ...turn }) => ({
      ...toTimes(turn),
      speaker: speakerNumber(speaker),
    })),
  };
}

function toTimes(span: { text: string; start: number; end: number; confidence?: number }): TranscriptWord {
  const { text, start, end, confidence = 1 } = span;
  return { text, startSeconds: start, endSeconds: end, confidence };
}

function speakerNumber(name: string): number {
  return Number(name.slice(name.indexOf(':') + 1));
}

function defined<Fields extends object>(
  fields: Fields,
): { [Name in keyof Fields]: NonNullable<Fields[Name]> } {
  const given = Object.entries(fields).filter(([, value]) => value !== undefined);
  return Object.fromEntries(given) as { [Name in keyof Fields]: NonNullable<Fields[Name]> };
}
