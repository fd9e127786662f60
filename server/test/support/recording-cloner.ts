import type { ClonedVoice, MixPart, VoiceCloner } from '../../src/domain/voices/voice-cloner.ts';

/** Makes a vector of the level of the speech it hears: the same for the same speech, and remembers how often it was asked. */
export class ListeningCloner implements VoiceCloner {
  readonly name = 'listening-1';
  readonly engine = 'tone';
  readonly sampleRateHz = 16000;
  mixed: readonly MixPart[] = [];
  clones = 0;
  /** Told when a voice is to be found. */
  onClone: (() => Promise<void>) | undefined;
  /** Resolves when refining shall go on. */
  refining: Promise<void> = Promise.resolve();

  async clone(clips: readonly Float32Array[], signal: AbortSignal): Promise<ClonedVoice> {
    signal.throwIfAborted();
    this.clones++;
    await this.onClone?.();
    const energy = clips.map((clip) => clip.reduce((sum, sample) => sum + Math.abs(sample), 0) / clip.length);
    return {
      engine: 'tone',
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
    from: ClonedVoice,
    signal: AbortSignal,
  ): AsyncGenerator<ClonedVoice> {
    await Promise.race([this.refining, new Promise((_, reject) => signal.addEventListener('abort', reject))]);
    yield { ...from, measures: { ...from.measures, refined: 1 } };
  }
}
