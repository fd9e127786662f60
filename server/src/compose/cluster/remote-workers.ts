import type { Config } from '../../config/config.ts';
import { VERSION } from '../../config/package-info.ts';
import type { AsrWorkers } from '../../domain/transcription/pipeline/asr-task.ts';
import { type KnownWorker, presenceOf } from '../../infrastructure/messaging/protocol/presence-table.ts';
import { DispatchClient } from '../../infrastructure/messaging/remote/dispatch-client.ts';
import { SharedSpeechLoad } from '../../infrastructure/messaging/speech/shared-speech-load.ts';
import { RemoteAsrWorkers } from '../../infrastructure/messaging/transcription/remote-asr-workers.ts';
import type { Logger } from '../../logger.ts';
import { openNats } from './nats.ts';
import { RemoteSpeech } from './remote-speech.ts';

/** The remote workers of a gateway. */
export interface RemoteWorkers {
  readonly speech: RemoteSpeech;
  /** Transcription on remote workers while one is present, otherwise in the worker processes of this machine. */
  transcription(local: AsrWorkers): AsrWorkers;
  /** The workers whose heartbeats arrive. */
  nodes(): readonly KnownWorker[];
  close(): Promise<void>;
}

/** Connects a gateway to its workers. Undefined for a server that uses its own worker processes. */
export async function openRemoteWorkers(config: Config, logger: Logger): Promise<RemoteWorkers | undefined> {
  if (config.role !== 'gateway') return undefined;
  const waitForWorkerMs = config.engineWaitSeconds * 1000;
  const bus = await openNats(config, 'mynah gateway');
  const client = new DispatchClient({
    bus,
    version: VERSION,
    onEvent: (event, facts) => logger.info(facts, event),
  });
  return {
    speech: new RemoteSpeech(client, {
      waitForWorkerMs,
      sharing: new SharedSpeechLoad(bus, { id: client.id }),
    }),
    transcription(local) {
      const remote = new RemoteAsrWorkers(client, { waitForWorkerMs });
      const isPresent = () =>
        client.workers.some((worker) => presenceOf(worker, 'transcription') !== undefined);
      return { transcribe: (task, options) => (isPresent() ? remote : local).transcribe(task, options) };
    },
    nodes: () => client.workers,
    async close() {
      await client.close();
      await bus.close();
    },
  };
}
