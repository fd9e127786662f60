import { readFile } from 'node:fs/promises';
import { setTimeout as delay } from 'node:timers/promises';
import type {
  AsrEvent,
  AsrInput,
  AsrTask,
  AsrWorkers,
} from '../../../src/domain/transcription/pipeline/asr-task.ts';

const RATE_HZ = 16_000;
const BYTES_PER_SEGMENT = 65_536;

/**
 * Transcription workers that need no models. The text of each second of live audio is its first sample; the text of each
 * 64 KiB of a file is its first byte.
 */
export class CountingAsrWorkers implements AsrWorkers {
  active = 0;
  started = 0;

  async *transcribe(
    task: AsrTask,
    { signal, input }: { readonly signal: AbortSignal; readonly input?: AsyncIterable<AsrInput> | undefined },
  ): AsyncGenerator<AsrEvent> {
    this.active += 1;
    this.started += 1;
    try {
      yield* task.source.kind === 'file' ? this.#file(task.source.path, signal) : this.#live(input, signal);
    } finally {
      this.active -= 1;
    }
  }

  async *#live(input: AsyncIterable<AsrInput> | undefined, signal: AbortSignal): AsyncGenerator<AsrEvent> {
    let seconds = 0;
    for await (const samples of input ?? []) {
      signal.throwIfAborted();
      if (samples === 'flush') continue;
      for (let start = 0; start < samples.length; start += RATE_HZ) {
        yield segment(seconds, `${samples[start]}`);
        seconds += 1;
        yield { type: 'progress', processedSeconds: seconds, fraction: 0 };
      }
    }
    yield { type: 'end', durationSeconds: seconds };
  }

  async *#file(path: string, signal: AbortSignal): AsyncGenerator<AsrEvent> {
    const bytes = await readFile(path);
    let count = 0;
    for (let start = 0; start < bytes.length; start += BYTES_PER_SEGMENT) {
      await delay(10, undefined, { signal });
      yield segment(count++, `${bytes[start]}`);
    }
    yield { type: 'end', durationSeconds: count };
  }
}

function segment(startSeconds: number, text: string): AsrEvent {
  const endSeconds = startSeconds + 1;
  return { type: 'segment', startSeconds, endSeconds, text, words: [], language: 'en', confidence: 1 };
}
