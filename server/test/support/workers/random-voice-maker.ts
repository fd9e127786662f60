import { GaussianNoise } from '../../../src/audio/dsp/gaussian-noise.ts';
import type { VoiceGenerator } from '../../../src/domain/voices/design/voice-designer.ts';
import type { ClonedVoice } from '../../../src/domain/voices/voice-cloner.ts';

/** Designs voices with random vectors of eight values, and records its jobs. */
export class RandomVoiceMaker implements VoiceGenerator {
  readonly jobs: Parameters<VoiceGenerator['design']>[0][] = [];

  async *design(
    job: Parameters<VoiceGenerator['design']>[0],
    signal: AbortSignal,
  ): AsyncGenerator<ClonedVoice> {
    this.jobs.push(job);
    const noise = new GaussianNoise(job.seed);
    for (let count = 0; count < job.count; count++) {
      signal.throwIfAborted();
      const vector = new Float32Array(8);
      noise.fill(vector);
      const gender = job.targets.gender ?? 'female';
      yield { engine: 'tone', vector, loudnessLufs: -20, gender, measures: { pitch_hz: 101.5 } };
    }
  }
}
