import type { PitchCorrection } from '../../../domain/engines/tts-engine.ts';
import type { AudioStage, TrackClock } from './audio-stage.ts';
import type { DeliveryTracks } from './delivery-tracks.ts';
import { LevelStage } from './level-stage.ts';
import { contourFactor, correctionFactor } from './pitch-contour.ts';
import { PitchShifter } from './pitch-shifter.ts';
import { WhisperStage } from './whisper-stage.ts';

/** Stages that apply deliveries to synthesized speech, for engines without pitch and energy control. */
export function createDeliveryStages(
  tracks: DeliveryTracks,
  clock: TrackClock,
  options: {
    readonly seed: number;
    readonly medianHz?: number | undefined;
    /** Pitch correction of the voice, applied before the deliveries. */
    readonly correction?: PitchCorrection | undefined;
  },
): AudioStage[] {
  const stages: AudioStage[] = [];
  const { seed, medianHz, correction } = options;
  const changesPitch =
    correction !== undefined ||
    tracks.offset.some((offset) => offset !== 0) ||
    tracks.range.some((range) => range !== 1);
  const isWhisper = tracks.breath.every((breath) => breath === 1);
  if (changesPitch && !isWhisper) stages.push(createPitchStage(tracks, clock, { medianHz, correction }));
  if (tracks.breath.some((breath) => breath > 0)) stages.push(new WhisperStage(tracks, clock, { seed }));
  stages.push(new LevelStage(tracks, clock));
  return stages;
}

/** Without a median the pitch contour is shifted but its range is not scaled. */
function createPitchStage(
  tracks: DeliveryTracks,
  { sampleRateHz, samplesPerStep }: TrackClock,
  {
    medianHz,
    correction,
  }: { readonly medianHz: number | undefined; readonly correction: PitchCorrection | undefined },
): AudioStage {
  return new PitchShifter({
    sampleRateHz,
    length: tracks.length * samplesPerStep,
    factorAt: (sample, hz) => {
      const step = Math.min(tracks.length - 1, Math.floor(sample / samplesPerStep));
      const corrected = correction === undefined ? 1 : correctionFactor(hz, correction);
      const delivery = { offset: tracks.offset[step]!, range: tracks.range[step]! };
      const correctedMedianHz = (correction?.pitchFactor ?? 1) * (medianHz ?? hz);
      return corrected * contourFactor(corrected * hz, correctedMedianHz, delivery);
    },
  });
}
