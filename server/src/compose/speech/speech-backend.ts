import type { Utterance } from '../../domain/engines/tts-engine.ts';
import type { CapacitySharing } from '../../domain/speech/capacity/capacity.ts';
import type { SpeechWorkers } from '../../domain/speech/speech-workers.ts';
import type { KokoroEngineName } from '../../inference/runtime/machine/decoder-choice.ts';
import type { EngineModelStatus } from '../../inference/runtime/process/engine-models.ts';
import type { WorkerStatus } from '../../inference/runtime/process/supervisor.ts';

export const DEFAULT_ENGINE: KokoroEngineName = 'kokoro-fast';

/** Where speech is synthesized: worker processes of this machine, or remote workers. */
export interface SpeechBackend {
  readonly workers: SpeechWorkers;
  readonly isReady: boolean;
  /** Other servers on the same workers. Undefined for worker processes of this machine. */
  readonly sharing?:
    | (CapacitySharing & {
        start(source: {
          readonly loads: () => ReadonlyMap<string, number>;
          readonly reserved: () => number;
        }): void;
      })
    | undefined;
  /** The decoder of the S2 models. */
  bestKokoro(): KokoroEngineName;
  /** Installs the models that an engine needs. */
  prepareEngine(engine: string, language: Utterance['language'], signal: AbortSignal): Promise<void>;
  /** Loads an engine in advance. */
  preload(engine: string, signal: AbortSignal): void;
  status(): readonly WorkerStatus[];
  models(): readonly EngineModelStatus[];
  /** Resolves when the default engine can speak, or after `close`. Reports the number of worker processes. */
  start(onProcesses: (count: number) => void): Promise<void>;
  close(): Promise<void>;
}
