import { fileURLToPath } from 'node:url';
import type { CloningJob, DesignTask } from '../../../domain/voices/cloning/cloning-job.ts';
import type { VoiceGenerator } from '../../../domain/voices/design/voice-designer.ts';
import type { ClonedVoice, MixPart, VoiceCloner } from '../../../domain/voices/voice-cloner.ts';
import { type OnDemandOptions, OnDemandPool, type WorkerKind } from '../process/on-demand-pool.ts';
import { CLONING_ENGINE } from './cloning-host.ts';

/** Speech has priority; a request waits for a new voice, so the niceness is below that of transcription. */
const KIND: WorkerKind = {
  entry: fileURLToPath(new URL('./cloning-main.js', import.meta.url)),
  niceness: 5,
  displayName: 'voice cloning worker',
};

/** The cloning worker processes. Separate from the speech workers, so that cloning does not delay speech. */
export class CloningPool
  extends OnDemandPool<CloningJob, ClonedVoice>
  implements VoiceCloner, VoiceGenerator
{
  /** Names version 2 of the networks in assets/voice-encoder. */
  readonly name = 'vits-904-encoder-2';
  readonly engine = CLONING_ENGINE;
  readonly sampleRateHz = 16_000;

  constructor(options: OnDemandOptions<CloningJob>) {
    super(KIND, options);
  }

  /** Starts to load the models and the engine. Errors surface in the job that needs them. */
  preload(signal: AbortSignal): void {
    this.run({ kind: 'preload' }, { signal })
      .next()
      .catch(() => {});
  }

  clone(clips: readonly Float32Array[], signal: AbortSignal): Promise<ClonedVoice> {
    return this.#runForOne({ kind: 'clone', clips }, signal);
  }

  mix(parts: readonly MixPart[], signal: AbortSignal): Promise<ClonedVoice> {
    return this.#runForOne({ kind: 'mix', parts }, signal);
  }

  design(task: DesignTask, signal: AbortSignal): AsyncIterable<ClonedVoice> {
    return this.run({ kind: 'design', ...task }, { signal });
  }

  refine(clips: readonly Float32Array[], from: ClonedVoice, signal: AbortSignal): AsyncIterable<ClonedVoice> {
    return this.run({ kind: 'clone', clips, from: from.vector }, { signal });
  }

  async #runForOne(job: CloningJob, signal: AbortSignal): Promise<ClonedVoice> {
    for await (const voice of this.run(job, { signal })) return voice;
    throw new Error('The voice cloning worker returned no voice.');
  }
}
