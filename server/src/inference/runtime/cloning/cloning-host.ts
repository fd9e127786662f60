import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { SpeechPart, TtsEngine } from '../../../domain/engines/tts-engine.ts';
import type { VoiceTraits } from '../../../domain/engines/voice-encoder.ts';
import type { DesigningContext } from '../../../domain/voices/cloning/cloning-job.ts';
import { readText } from '../../../text/reading/read-text.ts';
import type { OnnxVoiceEncoder } from '../../engines/voice-encoder/voice-encoder.ts';
import { LoadedOnce } from '../process/loaded-once.ts';
import type { WorkerSettings } from '../process/messages.ts';
import { PriorityMutex } from '../process/priority-mutex.ts';
import { SpeechHost } from '../speech/speech-host.ts';

/** The engine whose speaker vectors are searched. */
export const CLONING_ENGINE = 'vits';

const SEED = 1;

/** What one process needs to find voices: what measures them and the engine that speaks them. */
export class CloningHost {
  readonly #settings: WorkerSettings;
  readonly #engines: SpeechHost;
  readonly #turns = new PriorityMutex();
  readonly #finder = new LoadedOnce(() => this.#openFinder());
  readonly #speakers = new LoadedOnce(() => this.#openSpeakers());
  readonly #slope = new LoadedOnce(() => this.#readSlope());
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

  /** Loads what finding a voice needs. */
  async getReady(): Promise<void> {
    await Promise.all([this.#finder.get(), this.load(CLONING_ENGINE)]);
  }

  /** What one job works with. Jobs take turns after every step, and urgent ones go first. */
  contextFor({ isUrgent }: { readonly isUrgent: boolean }): DesigningContext {
    const inTurn = <T>(work: () => Promise<T>) => this.#turns.take(work, { isUrgent });
    return {
      finder: async () => {
        const finder = await this.#finder.get();
        return {
          sampleRateHz: finder.sampleRateHz,
          distance: finder.distance,
          likeness: finder.likeness,
          isInTune: finder.isInTune,
          melodyOf: finder.melodyOf,
          aimFor: finder.aimFor,
          describe: finder.describe,
          withPitch: finder.withPitch,
          measure: (samples) => inTurn(() => finder.measure(samples)),
          find: (target) => inTurn(() => finder.find(target)),
          genderOf: (measures) => inTurn(() => finder.genderOf(measures)),
          traitsOf: (measures) => inTurn(() => finder.traitsOf(measures)),
          correct: (target, trial, caution) => inTurn(() => finder.correct(target, trial, caution)),
          tune: (target, trial, other) => inTurn(() => finder.tune(target, trial, other)),
        };
      },
      speakers: () => this.#speakers.get(),
      speakerTraits: () => this.#knownTraits(inTurn),
      naturalnessSlope: () => this.#slope.get(),
      engine: async () => {
        const engine = await this.load(CLONING_ENGINE);
        return {
          name: engine.name,
          sampleRateHz: engine.sampleRateHz,
          speak: (sentence, voice, signal) => {
            const words = [...readText(sentence, READING)].flatMap((piece) => piece.words);
            const utterance = { words, language: READING.language, voice, speed: 1, seed: SEED };
            return oneByOne(engine.speak(utterance, signal), inTurn);
          },
        };
      },
    };
  }

  async #openSpeakers(): Promise<readonly Float32Array[]> {
    const { loadSpeakers } = await import('../../engines/vits/load-vits.ts');
    return loadSpeakers(this.#engines.context());
  }

  async #readSlope(): Promise<Float32Array> {
    const bytes = await readFile(join(this.#settings.assetsRoot, 'voice-encoder', 'naturalness.f32'));
    return new Float32Array(new Uint8Array(bytes).buffer);
  }

  /** Found out when first asked for, which takes seconds. */
  #knownTraits(inTurn: <T>(work: () => Promise<T>) => Promise<T>): Promise<readonly VoiceTraits[]> {
    if (this.#traits === undefined) {
      this.#traits = this.#expectTraits(inTurn);
      this.#traits.catch(() => {
        this.#traits = undefined;
      });
    }
    return this.#traits;
  }

  async #expectTraits(inTurn: <T>(work: () => Promise<T>) => Promise<T>): Promise<readonly VoiceTraits[]> {
    const [finder, speakers] = await Promise.all([this.#finder.get(), this.#speakers.get()]);
    const traits: VoiceTraits[] = [];
    for (const speaker of speakers) traits.push(await inTurn(() => finder.expectedTraits(speaker)));
    return traits;
  }

  async #openFinder(): Promise<OnnxVoiceEncoder> {
    const [{ OnnxVoiceEncoder }, { VoicePrintNetwork }] = await Promise.all([
      import('../../engines/voice-encoder/voice-encoder.ts'),
      import('../../engines/speaker-embedding/voice-print-network.ts'),
    ]);
    const { assetsRoot, threads } = this.#settings;
    const [voicePrints, speakers] = await Promise.all([
      VoicePrintNetwork.open(this.#engines.context()),
      this.#speakers.get(),
    ]);
    return OnnxVoiceEncoder.open(join(assetsRoot, 'voice-encoder'), { threads, voicePrints, speakers });
  }
}

const READING = {
  language: 'en-US',
  normalize: true,
  chunkLength: 300,
  minChunkLength: 50,
  cueStyle: 'both',
} as const;

/** Waits for a turn before every step. */
async function* oneByOne(
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
