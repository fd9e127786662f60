import type { CloningEngine } from '../../../domain/engines/cloning-engine.ts';
import type { DesignTask } from '../../../domain/voices/cloning/cloning-job.ts';
import type { VoiceGenerator } from '../../../domain/voices/design/voice-designer.ts';
import type {
  ClonedVoice,
  MixPart,
  RefinementStart,
  VoiceCloner,
} from '../../../domain/voices/voice-cloner.ts';
import type { DispatchClient } from '../remote/dispatch-client.ts';
import { toDomainError } from '../remote/remote-errors.ts';
import { CloningEventReader, encodeCloningJob, type RemoteCloningJob } from './cloning-payloads.ts';

/** Time for one job. A refinement takes minutes. */
const DEADLINE_MS = 3_600_000;

/** Voice cloning on remote workers. A job whose worker is lost runs again on another one. */
export class RemoteCloner implements VoiceCloner, VoiceGenerator {
  readonly name: string;
  readonly engine: CloningEngine;
  readonly sampleRateHz: number;
  readonly #client: Pick<DispatchClient, 'run'>;
  readonly #waitMs: number;

  constructor(
    client: Pick<DispatchClient, 'run'>,
    options: {
      /** The cloner that the workers run. */
      readonly cloner: {
        readonly name: string;
        readonly engine: CloningEngine;
        readonly sampleRateHz: number;
      };
      readonly waitForWorkerMs: number;
    },
  ) {
    const { name, engine, sampleRateHz } = options.cloner;
    this.name = name;
    this.engine = engine;
    this.sampleRateHz = sampleRateHz;
    this.#client = client;
    this.#waitMs = options.waitForWorkerMs;
  }

  clone(clips: readonly Float32Array[], signal: AbortSignal): Promise<ClonedVoice> {
    return this.#runForOne({ kind: 'clone', engine: this.engine, clips }, signal);
  }

  mix(parts: readonly MixPart[], signal: AbortSignal): Promise<ClonedVoice> {
    return this.#runForOne({ kind: 'mix', parts }, signal);
  }

  design(task: DesignTask, signal: AbortSignal): AsyncIterable<ClonedVoice> {
    return this.#voices({ kind: 'design', ...task }, signal);
  }

  refine(
    clips: readonly Float32Array[],
    { from: { vector: from }, excerpt }: RefinementStart,
    signal: AbortSignal,
  ): AsyncIterable<ClonedVoice> {
    return this.#voices({ kind: 'clone', engine: this.engine, clips, from, excerpt }, signal);
  }

  /** Equal jobs give equal voices: another attempt skips those that were delivered. */
  async *#voices(job: RemoteCloningJob, signal: AbortSignal): AsyncGenerator<ClonedVoice> {
    const events = this.#client.run({
      kind: 'cloning',
      key: job.kind,
      job: encodeCloningJob(job),
      deadlineMs: DEADLINE_MS,
      waitMs: this.#waitMs,
      signal,
    });
    let attempt: number | undefined;
    let reader = new CloningEventReader();
    let delivered = 0;
    let position = 0;
    try {
      for await (const event of events) {
        if (event.attempt !== attempt) {
          attempt = event.attempt;
          reader = new CloningEventReader();
          position = 0;
        }
        const result = reader.add(event.payload);
        if (result?.kind !== 'voice') continue;
        position += 1;
        if (position <= delivered) continue;
        delivered = position;
        yield result.voice;
      }
    } catch (error) {
      throw toDomainError(error, 'voice cloning');
    }
  }

  async #runForOne(job: RemoteCloningJob, signal: AbortSignal): Promise<ClonedVoice> {
    for await (const voice of this.#voices(job, signal)) return voice;
    throw new Error('The remote voice cloning worker returned no voice.');
  }
}
