import { fileURLToPath } from 'node:url';
import type { CloningJob, DesigningJob } from '../../../domain/voices/cloning/cloning-job.ts';
import type { VoiceMaker } from '../../../domain/voices/design/voice-designer.ts';
import type { ClonedVoice, MixPart, VoiceCloner } from '../../../domain/voices/voice-cloner.ts';
import { type OnDemandOptions, OnDemandPool, type WorkerKind } from '../process/on-demand-pool.ts';
import { CLONING_ENGINE } from './cloning-host.ts';

/** Listeners go first, but somebody waits for a new voice. */
const KIND: WorkerKind = {
  entry: fileURLToPath(new URL('./cloning-main.js', import.meta.url)),
  niceness: 5,
  title: 'that finds voices',
};

/** Finds voices in processes of their own, so that nobody who listens notices. */
export class CloningPool extends OnDemandPool<CloningJob, ClonedVoice> implements VoiceCloner, VoiceMaker {
  /** Version 2 of the networks in assets/voice-encoder. */
  readonly name = 'vits-904-encoder-2';
  readonly engine = CLONING_ENGINE;
  readonly sampleRateHz = 16_000;

  constructor(options: OnDemandOptions<CloningJob>) {
    super(KIND, options);
  }

  /** Begins to load what finding a voice needs. Should that fail, the job that needs it tells. */
  getReady(signal: AbortSignal): void {
    this.run({ isGettingReady: true }, { signal })
      .next()
      .catch(() => {});
  }

  clone(clips: readonly Float32Array[], signal: AbortSignal): Promise<ClonedVoice> {
    return this.#one({ clips }, signal);
  }

  mix(parts: readonly MixPart[], signal: AbortSignal): Promise<ClonedVoice> {
    return this.#one({ mix: parts }, signal);
  }

  design(job: DesigningJob, signal: AbortSignal): AsyncIterable<ClonedVoice> {
    return this.run(job, { signal });
  }

  refine(clips: readonly Float32Array[], from: ClonedVoice, signal: AbortSignal): AsyncIterable<ClonedVoice> {
    return this.run({ clips, from: from.vector }, { signal });
  }

  async #one(job: CloningJob, signal: AbortSignal): Promise<ClonedVoice> {
    for await (const voice of this.run(job, { signal })) return voice;
    throw new Error('The process that finds voices found none.');
  }
}
