import type {
  ClonedVoice,
  MixPart,
  RefinementStart,
  VoiceCloner,
} from '../../../src/domain/voices/voice-cloner.ts';

/** A cloner whose speaker vector is the mean level of each clip: the same for the same audio. Counts its calls. */
export class RecordingCloner implements VoiceCloner {
  readonly name = 'recording-1';
  readonly engine: string;
  readonly sampleRateHz = 16000;
  mixed: readonly MixPart[] = [];
  clones = 0;
  /** Called at the start of each clone. */
  onClone: ((signal: AbortSignal) => Promise<void>) | undefined;
  /** Delays refinement until it resolves. */
  refining: Promise<void> = Promise.resolve();

  constructor(engine = 'tone') {
    this.engine = engine;
  }

  async clone(clips: readonly Float32Array[], signal: AbortSignal): Promise<ClonedVoice> {
    signal.throwIfAborted();
    this.clones++;
    await this.onClone?.(signal);
    const energy = clips.map((clip) => clip.reduce((sum, sample) => sum + Math.abs(sample), 0) / clip.length);
    return {
      engine: this.engine,
      vector: Float32Array.from({ length: 8 }, (_, i) => energy[i % energy.length] as number),
      loudnessLufs: -20,
      gender: 'female',
      measures: { clips: clips.length },
    };
  }

  async mix(parts: readonly MixPart[]): Promise<ClonedVoice> {
    this.mixed = parts;
    const vector = Float32Array.from({ length: 8 }, (_, i) => i / 8);
    return { engine: this.engine, vector, loudnessLufs: -20, gender: 'male', measures: {} };
  }

  async *refine(
    _clips: readonly Float32Array[],
    { from }: RefinementStart,
    signal: AbortSignal,
  ): AsyncGenerator<ClonedVoice> {
    await Promise.race([this.refining, new Promise((_, reject) => signal.addEventListener('abort', reject))]);
    yield { ...from, measures: { ...from.measures, refined: 1 } };
  }
}
