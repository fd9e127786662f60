import { fileURLToPath } from 'node:url';
import { FairSlots } from '../../../concurrency/fair-slots.ts';
import type { CloningEngine } from '../../../domain/engines/cloning-engine.ts';
import type { CloningEvent, CloningJob, DesignTask } from '../../../domain/voices/cloning/cloning-job.ts';
import type { VoiceGenerator } from '../../../domain/voices/design/voice-designer.ts';
import type {
  AccountCall,
  ClipReader,
  ClipWork,
  ReadTask,
} from '../../../domain/voices/intake/clip-reader.ts';
import type { Clip } from '../../../domain/voices/intake/read-clip.ts';
import type {
  ClonedVoice,
  MixPart,
  RefinementStart,
  VoiceCloner,
} from '../../../domain/voices/voice-cloner.ts';
import { type OnDemandOptions, OnDemandPool, type WorkerKind } from '../process/on-demand-pool.ts';

/** Speech has priority; a request waits for a new voice, so the niceness is below that of transcription. */
const KIND: WorkerKind = {
  entry: fileURLToPath(new URL('./cloning-main.js', import.meta.url)),
  niceness: 5,
  displayName: 'voice cloning worker',
};

/** Names of the cloners, with the version of their networks. Stored with voices. */
const CLONER_NAMES: Readonly<Record<CloningEngine, string>> = {
  'kokoro-fast': 'kokoro-search-1',
  vits: 'vits-904-encoder-2',
};

/** Recordings that one worker decodes at the same time. A recording of 900 seconds takes about 150 MB meanwhile. */
const READS_MAX = 2;
/** Work at the same time, per worker. The clips of one voice take up to 80 MB in the main process. */
const WORK_MAX: Readonly<Record<ClipWork, number>> = { creation: 8, transcription: 2 };

/** The cloning worker processes. Separate from the speech workers, so that cloning does not delay speech. */
export class CloningPool
  extends OnDemandPool<CloningJob, CloningEvent>
  implements VoiceCloner, VoiceGenerator, ClipReader
{
  readonly name: string;
  readonly engine: CloningEngine;
  readonly sampleRateHz = 16_000;
  readonly #reads: FairSlots;
  readonly #work: Readonly<Record<ClipWork, FairSlots>>;

  constructor({ engine, ...options }: OnDemandOptions<CloningJob> & { readonly engine: CloningEngine }) {
    super(KIND, options);
    this.engine = engine;
    this.name = CLONER_NAMES[engine];
    this.#reads = new FairSlots(READS_MAX * options.count);
    const slotsFor = (kind: ClipWork) => new FairSlots(WORK_MAX[kind] * options.count);
    this.#work = {
      creation: slotsFor('creation'),
      transcription: slotsFor('transcription'),
    };
  }

  async inTurn<Result>(
    { accountId, signal, kind }: AccountCall & { readonly kind: ClipWork },
    work: () => Promise<Result>,
  ): Promise<Result> {
    const release = await this.#work[kind].acquire(accountId, signal);
    try {
      return await work();
    } finally {
      release();
    }
  }

  async read(task: ReadTask, { accountId, signal }: AccountCall): Promise<readonly Clip[]> {
    const release = await this.#reads.acquire(accountId, signal);
    try {
      const clips: Clip[] = [];
      for await (const event of this.run({ kind: 'read', ...task }, { signal })) {
        if (event.kind === 'clip') clips.push(event.clip);
      }
      return clips;
    } finally {
      release();
    }
  }

  /** Starts to load the models and the engine. Errors surface in the job that needs them. */
  preload(signal: AbortSignal): void {
    this.run({ kind: 'preload', engine: this.engine }, { signal })
      .next()
      .catch(() => {});
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

  async *#voices(job: CloningJob, signal: AbortSignal): AsyncGenerator<ClonedVoice> {
    for await (const event of this.run(job, { signal })) if (event.kind === 'voice') yield event.voice;
  }

  async #runForOne(job: CloningJob, signal: AbortSignal): Promise<ClonedVoice> {
    for await (const voice of this.#voices(job, signal)) return voice;
    throw new Error('The voice cloning worker returned no voice.');
  }
}
