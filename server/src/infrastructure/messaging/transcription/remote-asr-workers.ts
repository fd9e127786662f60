import { createReadStream } from 'node:fs';
import { WorkerLostError } from '../../../domain/engines/worker-lost-error.ts';
import type {
  AsrEvent,
  AsrInput,
  AsrTask,
  AsrWorkers,
} from '../../../domain/transcription/pipeline/asr-task.ts';
import { ApiError } from '../../../errors.ts';
import { PAYLOAD_MAX_BYTES } from '../protocol/messages.ts';
import type { DispatchClient } from '../remote/dispatch-client.ts';
import { pseudonymOf } from '../remote/pseudonym.ts';
import { toDomainError } from '../remote/remote-errors.ts';
import { LiveInputBuffer } from './live-input-buffer.ts';
import { TranscriptJoiner } from './transcript-joiner.ts';
import { decodeAsrEvent, encodeAsrInput, encodeAsrTask } from './transcription-payloads.ts';

/** A day: a task of this length is a long recording or a live session. */
const DEADLINE_MS = 86_400_000;

/** Transcription on remote workers. A live session whose worker is lost resumes from the audio without final text. */
export class RemoteAsrWorkers implements AsrWorkers {
  readonly #client: Pick<DispatchClient, 'run'>;
  readonly #waitMs: number;

  constructor(client: Pick<DispatchClient, 'run'>, options: { readonly waitForWorkerMs: number }) {
    this.#client = client;
    this.#waitMs = options.waitForWorkerMs;
  }

  async *transcribe(
    task: AsrTask,
    options: { readonly signal: AbortSignal; readonly input?: AsyncIterable<AsrInput> | undefined },
  ): AsyncGenerator<AsrEvent> {
    const { source, accountId } = task;
    const live = source.kind === 'stream' ? new LiveInputBuffer(options.input ?? noInput()) : undefined;
    const joiner = new TranscriptJoiner({ isLive: live !== undefined });
    /** Where the audio of each attempt begins. */
    const offsets = new Map<number, number>();
    const input = (attempt: number) => {
      offsets.set(attempt, live?.startSeconds ?? 0);
      return live === undefined && source.kind === 'file'
        ? readFileParts(source.path)
        : encodeInputs(live?.read());
    };
    let current: number | undefined;
    try {
      const events = this.#client.run({
        kind: 'transcription',
        key: task.engines.join(' '),
        job: encodeAsrTask({ ...task, accountId: accountId && pseudonymOf(accountId) }),
        input,
        deadlineMs: DEADLINE_MS,
        waitMs: this.#waitMs,
        signal: options.signal,
      });
      for await (const { attempt, payload } of events) {
        if (current !== undefined && current !== attempt) joiner.restart(offsets.get(attempt) ?? 0);
        current = attempt;
        const event = joiner.add(decodeAsrEvent(payload));
        if (event?.type === 'progress') live?.release(event.processedSeconds);
        if (event?.type === 'segment') live?.release(event.endSeconds);
        if (event !== undefined) yield event;
      }
    } catch (error) {
      const domainError = toDomainError(error, 'transcription');
      if (!(domainError instanceof WorkerLostError)) throw domainError;
      throw new ApiError('engine_failed', 'The transcription worker was lost. Try again.', {
        cause: domainError,
      });
    }
  }
}

async function* readFileParts(path: string): AsyncGenerator<Uint8Array> {
  for await (const chunk of createReadStream(path, { highWaterMark: PAYLOAD_MAX_BYTES }))
    yield chunk as Uint8Array;
}

async function* encodeInputs(inputs: AsyncIterable<AsrInput> | undefined): AsyncGenerator<Uint8Array> {
  for await (const input of inputs ?? noInput()) yield* encodeAsrInput(input);
}

async function* noInput(): AsyncGenerator<never> {}
