import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { CloningEngine } from '../../../domain/engines/cloning-engine.ts';
import type { SpeechPart, TtsEngine } from '../../../domain/engines/tts-engine.ts';
import type { VoiceTraits } from '../../../domain/engines/voice-encoder.ts';
import type { DesignContext, SearchContext } from '../../../domain/voices/cloning/cloning-job.ts';
import { SENTENCE_READING } from '../../../text/front-end/sentence-reading.ts';
import { textToPieces } from '../../../text/front-end/text-to-pieces.ts';
import type { KokoroVoiceSearch } from '../../engines/kokoro/cloning/voice-search.ts';
import type { OnnxVoiceEncoder } from '../../engines/voice-encoder/voice-encoder.ts';
import { LazyValue } from '../process/lazy-value.ts';
import type { WorkerSettings } from '../process/messages.ts';
import { PriorityMutex } from '../process/priority-mutex.ts';
import { untilAborted } from '../process/until-aborted.ts';
import { SpeechHost } from '../speech/speech-host.ts';

/** The engine of designed and mixed voices, and of the speakers that they are made from. */
export const SPEAKERS_ENGINE = 'vits';

const SEED = 1;

/** The models of one cloning worker: the voice encoder and the engine that speaks the trials. */
export class CloningHost {
  readonly #settings: WorkerSettings;
  readonly #engines: SpeechHost;
  readonly #mutex = new PriorityMutex();
  readonly #finder = new LazyValue(() => this.#openFinder());
  readonly #speakers = new LazyValue(() => this.#openSpeakers());
  readonly #search = new LazyValue(() => this.#openSearch());
  readonly #naturalnessGradient = new LazyValue(() => this.#readNaturalnessGradient());
  #traits: Promise<readonly VoiceTraits[]> | undefined;

  constructor(settings: WorkerSettings) {
    this.#settings = settings;
    this.#engines = new SpeechHost(settings);
  }

  load(engine: string): Promise<TtsEngine> {
    return this.#engines.engine(engine);
  }

  loadedEngines(): string[] {
    return this.#engines.loadedEngines();
  }

  loadSeconds(): Record<string, number> {
    return this.#engines.loadSeconds();
  }

  async preload(engine: CloningEngine): Promise<void> {
    if (engine === 'vits') {
      await Promise.all([this.#finder.get(), this.load(engine)]);
      return;
    }
    // The search starts its threads and then opens the voice encoder. `cloneWithSearch` loads the engine during the descent.
    (await this.#search.get()).prepare();
  }

  /** Steps of background jobs do not begin until the returned function is called. */
  holdBackground(): () => void {
    return this.#mutex.reserve();
  }

  /**
   * The services of one job. Jobs alternate after every step; urgent jobs have priority. A cancelled job waits neither
   * for its turn nor for models: a worker whose cancelled job does not stop is killed.
   */
  contextFor({
    isUrgent,
    signal: jobSignal,
    engine: engineName = SPEAKERS_ENGINE,
  }: {
    readonly isUrgent: boolean;
    readonly signal: AbortSignal;
    readonly engine?: CloningEngine;
  }): DesignContext & SearchContext {
    const inTurn = <T>(work: () => Promise<T>) =>
      this.#mutex.runExclusive(work, { isUrgent, signal: jobSignal });
    const shared = <T>(value: Promise<T>) => untilAborted(value, jobSignal);
    return {
      encoder: async () => {
        const finder = await shared(this.#finder.get());
        return {
          sampleRateHz: finder.sampleRateHz,
          distance: finder.distance,
          similarity: finder.similarity,
          hasSamePitch: finder.hasSamePitch,
          pitchOf: finder.pitchOf,
          targetFor: finder.targetFor,
          describe: finder.describe,
          withPitch: finder.withPitch,
          measure: (samples) => inTurn(() => finder.measure(samples)),
          predictVector: (target) => inTurn(() => finder.predictVector(target)),
          genderOf: (measures) => inTurn(() => finder.genderOf(measures)),
          traitsOf: (measures) => inTurn(() => finder.traitsOf(measures)),
          refineVector: (target, trial, caution) => inTurn(() => finder.refineVector(target, trial, caution)),
          matchPitch: (target, trial, other) => inTurn(() => finder.matchPitch(target, trial, other)),
        };
      },
      search: async () => {
        const search = await shared(this.#search.get());
        return {
          accepts: (vector) => search.accepts(vector),
          targetFor: (recording) => search.targetFor(recording),
          matchPitch: (vector, target, measures) => search.matchPitch(vector, target, measures),
          predict: (target) => inTurn(() => search.predict(target)),
          // Urgent jobs hear their recording while they measure it. Threads answer one request at a time anyway.
          hear: (speech) => (isUrgent ? search.hear(speech) : inTurn(() => search.hear(speech))),
          prepareDescent: (measures, options) => search.prepareDescent(measures, options),
          partsOf: (speech, vector) => inTurn(() => search.partsOf(speech, vector)),
          descend: (vector, target, options) => search.descend(vector, target, { ...options, inTurn }),
        };
      },
      speakers: () => shared(this.#speakers.get()),
      speakerTraits: () => shared(this.#speakerTraits()),
      naturalnessGradient: () => shared(this.#naturalnessGradient.get()),
      engine: async () => {
        const engine = await shared(this.load(engineName));
        return {
          name: engine.name,
          sampleRateHz: engine.sampleRateHz,
          speak: (sentence, voice, signal) => {
            const words = [...textToPieces(sentence, SENTENCE_READING)].flatMap((piece) => piece.words);
            const utterance = { words, language: SENTENCE_READING.language, voice, speed: 1, seed: SEED };
            return stepsInTurn(engine.speak(utterance, signal), inTurn);
          },
        };
      },
    };
  }

  async #openSpeakers(): Promise<readonly Float32Array[]> {
    const { loadSpeakers } = await import('../../engines/vits/load-vits.ts');
    return loadSpeakers(this.#engines.context());
  }

  async #readNaturalnessGradient(): Promise<Float32Array> {
    const bytes = await readFile(join(this.#settings.assetsRoot, 'voice-encoder', 'naturalness.f32'));
    return new Float32Array(new Uint8Array(bytes).buffer);
  }

  /** Computed on the first call, which takes seconds, and to the end even if its job is cancelled. */
  #speakerTraits(): Promise<readonly VoiceTraits[]> {
    if (this.#traits === undefined) {
      this.#traits = this.#computeTraits();
      this.#traits.catch(() => {
        this.#traits = undefined;
      });
    }
    return this.#traits;
  }

  async #computeTraits(): Promise<readonly VoiceTraits[]> {
    const [finder, speakers] = await Promise.all([this.#finder.get(), this.#speakers.get()]);
    const traits: VoiceTraits[] = [];
    for (const speaker of speakers)
      traits.push(await this.#mutex.runExclusive(() => finder.expectedTraits(speaker), { isUrgent: true }));
    return traits;
  }

  async #openSearch(): Promise<KokoroVoiceSearch> {
    const { KokoroVoiceSearch } = await import('../../engines/kokoro/cloning/voice-search.ts');
    return KokoroVoiceSearch.open(this.#engines.context(), () => this.#finder.get());
  }

  async #openFinder(): Promise<OnnxVoiceEncoder> {
    const [{ OnnxVoiceEncoder }, { XVectorNetwork }] = await Promise.all([
      import('../../engines/voice-encoder/voice-encoder.ts'),
      import('../../engines/speaker-embedding/x-vector-network.ts'),
    ]);
    const { assetsRoot, threads } = this.#settings;
    const xVectors = await XVectorNetwork.open(this.#engines.context());
    const speakers = () => this.#speakers.get();
    return OnnxVoiceEncoder.open(join(assetsRoot, 'voice-encoder'), { threads, xVectors, speakers });
  }
}

/** Acquires the mutex for every step. */
async function* stepsInTurn(
  parts: AsyncIterable<SpeechPart>,
  inTurn: <T>(work: () => Promise<T>) => Promise<T>,
): AsyncGenerator<SpeechPart> {
  const steps = parts[Symbol.asyncIterator]();
  for (;;) {
    const step = await inTurn(() => steps.next());
    if (step.done === true) return;
    yield step.value;
  }
}
