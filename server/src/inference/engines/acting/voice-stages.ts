import type { PitchCorrection } from '../../../domain/engines/tts-engine.ts';
import { changedMelody, melodyFactor } from './pitch-contour.ts';
import { PitchShifter } from './pitch-shifter.ts';
import type { DeliveryTracks } from './tracks.ts';
import { VoiceFinish } from './voice-finish.ts';
import type { VoiceClock, VoiceStage } from './voice-stage.ts';
import { Whisperer } from './whisperer.ts';

/** What finished speech goes through to be said in another way, for engines that cannot be told before. */
export function createVoiceStages(
  tracks: DeliveryTracks,
  clock: VoiceClock,
  options: {
    readonly seed: number;
    readonly middleHz?: number | undefined;
    /** What is done to the melody before. */
    readonly melody?: PitchCorrection | undefined;
  },
): VoiceStage[] {
  const stages: VoiceStage[] = [];
  const { seed, middleHz, melody } = options;
  const isMoved =
    melody !== undefined ||
    tracks.offset.some((offset) => offset !== 0) ||
    tracks.range.some((range) => range !== 1);
  const isWhispered = tracks.breath.every((breath) => breath === 1);
  if (isMoved && !isWhispered) stages.push(createMelodyStage(tracks, clock, { middleHz, melody }));
  if (tracks.breath.some((breath) => breath > 0)) stages.push(new Whisperer(tracks, clock, { seed }));
  stages.push(new VoiceFinish(tracks, clock));
  return stages;
}

/** Around an unknown middle a melody is moved but not stretched. */
function createMelodyStage(
  tracks: DeliveryTracks,
  { sampleRateHz, samplesPerStep }: VoiceClock,
  {
    middleHz,
    melody,
  }: { readonly middleHz: number | undefined; readonly melody: PitchCorrection | undefined },
): VoiceStage {
  return new PitchShifter({
    sampleRateHz,
    length: tracks.length * samplesPerStep,
    factorAt: (sample, hz) => {
      const step = Math.min(tracks.length - 1, Math.floor(sample / samplesPerStep));
      const own = melody === undefined ? 1 : changedMelody(hz, melody);
      const acted = { offset: tracks.offset[step]!, range: tracks.range[step]! };
      return own * melodyFactor(own * hz, (melody?.pitchFactor ?? 1) * (middleHz ?? hz), acted);
    },
  });
}
