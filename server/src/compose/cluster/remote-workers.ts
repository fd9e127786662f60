import type { Config } from '../../config/config.ts';
import { VERSION } from '../../config/package-info.ts';
import type { CloningEngine } from '../../domain/engines/cloning-engine.ts';
import type { AsrWorkers } from '../../domain/transcription/pipeline/asr-task.ts';
import type { VoiceGenerator } from '../../domain/voices/design/voice-designer.ts';
import type { VoiceCloner } from '../../domain/voices/voice-cloner.ts';
import { RemoteCloner } from '../../infrastructure/messaging/cloning/remote-cloner.ts';
import type { WorkKind } from '../../infrastructure/messaging/protocol/messages.ts';
import { type KnownWorker, presenceOf } from '../../infrastructure/messaging/protocol/presence-table.ts';
import { DispatchClient } from '../../infrastructure/messaging/remote/dispatch-client.ts';
import { SharedSpeechLoad } from '../../infrastructure/messaging/speech/shared-speech-load.ts';
import { RemoteAsrWorkers } from '../../infrastructure/messaging/transcription/remote-asr-workers.ts';
import type { Logger } from '../../logger.ts';
import { openNats } from './nats.ts';
import { RemoteSpeech } from './remote-speech.ts';

/** Clones, refines, mixes and designs voices. */
export type Cloner = VoiceGenerator & Required<VoiceCloner> & { readonly engine: CloningEngine };

/** The remote workers of a gateway. */
export interface RemoteWorkers {
  readonly speech: RemoteSpeech;
  /** Transcription on remote workers while one is present, otherwise in the worker processes of this machine. */
  transcription(local: AsrWorkers): AsrWorkers;
  /** The same for cloning and design of voices. */
  cloning(local: Cloner): Cloner;
  /** Whether a worker offers this kind of work. */
  offers(kind: WorkKind): boolean;
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
  const offers = (kind: WorkKind) => client.workers.some((worker) => presenceOf(worker, kind) !== undefined);
  return {
    offers,
    speech: new RemoteSpeech(client, {
      waitForWorkerMs,
      sharing: new SharedSpeechLoad(bus, { id: client.id }),
    }),
    transcription(local) {
      const remote = new RemoteAsrWorkers(client, { waitForWorkerMs });
      const current = () => (offers('transcription') ? remote : local);
      return { transcribe: (task, options) => current().transcribe(task, options) };
    },
    cloning(local) {
      const remote = new RemoteCloner(client, { cloner: local, waitForWorkerMs });
      const current = () => (offers('cloning') ? remote : local);
      const { name, engine, sampleRateHz } = local;
      return {
        name,
        engine,
        sampleRateHz,
        clone: (clips, signal) => current().clone(clips, signal),
        mix: (parts, signal) => current().mix(parts, signal),
        design: (task, signal) => current().design(task, signal),
        refine: (clips, start, signal) => current().refine(clips, start, signal),
      };
    },
    nodes: () => client.workers,
    async close() {
      await client.close();
      await bus.close();
    },
  };
}
