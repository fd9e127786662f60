import { mkdtemp, open, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { AsrInput, AsrWorkers } from '../../../domain/transcription/pipeline/asr-task.ts';
import type { KindPresence } from '../protocol/messages.ts';
import type { TaskRunner } from '../remote/dispatch-server.ts';
import { decodeAsrInput, decodeAsrTask, encodeAsrEvent } from './transcription-payloads.ts';

/** What serves transcriptions of remote gateways. */
export interface LocalTranscription {
  readonly workers: AsrWorkers;
  readonly ffmpegPath: string;
  /** Maximum size of a received file. */
  readonly fileMaxBytes: number;
  presence(): Pick<KindPresence, 'processes' | 'engines'>;
}

/** Serves the local worker processes of transcription to gateways. */
export function transcriptionRunner(
  local: LocalTranscription,
  { slots }: { readonly slots: number },
): TaskRunner {
  return {
    slots,
    presence: () => local.presence(),
    async *run(bytes, { signal, input }) {
      const { source, ...task } = decodeAsrTask(bytes);
      const common = { ...task, ffmpegPath: local.ffmpegPath };
      if (source === 'stream') {
        const events = local.workers.transcribe(
          { ...common, source: { kind: 'stream' } },
          { signal, input: decodeInputs(input) },
        );
        for await (const event of events) yield encodeAsrEvent(event);
        return;
      }
      const folder = await mkdtemp(join(tmpdir(), 'mynah-worker-'));
      try {
        const path = join(folder, 'recording');
        await receiveFile(path, input, local.fileMaxBytes);
        signal.throwIfAborted();
        const file = { ...common, source: { kind: 'file', path } } as const;
        for await (const event of local.workers.transcribe(file, { signal })) yield encodeAsrEvent(event);
      } finally {
        await rm(folder, { recursive: true, force: true });
      }
    },
  };
}

async function receiveFile(path: string, input: AsyncIterable<Uint8Array>, maxBytes: number): Promise<void> {
  const file = await open(path, 'wx', 0o600);
  let bytes = 0;
  try {
    for await (const payload of input) {
      bytes += payload.byteLength;
      if (bytes > maxBytes) throw new RangeError('The file is too large.');
      await file.writeFile(payload);
    }
  } finally {
    await file.close();
  }
}

async function* decodeInputs(input: AsyncIterable<Uint8Array>): AsyncGenerator<AsrInput> {
  for await (const payload of input) yield decodeAsrInput(payload);
}
