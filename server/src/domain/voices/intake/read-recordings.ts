import { ApiError } from '../../../errors.ts';
import type { ClipReport } from '../stored-voice.ts';
import type { ReadTask } from './clip-reader.ts';
import { CLIP_VERDICTS, describeVerdicts } from './clip-verdict.ts';
import { type Clip, type ReadClipOptions, readClip } from './read-clip.ts';
import { readAudioSource, type StoredAudio } from './stored-audio.ts';

/** A recording from a client. */
export interface Recording {
  readonly filename: string;
  readonly audio: StoredAudio;
  /** Its transcript, if the client sent one. */
  readonly text: string | undefined;
}

/**
 * Decodes and judges recordings. Throws the errors of `decodeAudio`, with the number of the recording, `audio_too_long`
 * when they are together longer than `totalMaxSeconds`, and `unusable_recording`, with the reasons, when none is usable.
 */
export async function readRecordings(
  { sources, totalMaxSeconds = Number.POSITIVE_INFINITY, ...task }: ReadTask,
  options: Pick<ReadClipOptions, 'signal' | 'ffmpegSlots'>,
): Promise<readonly Clip[]> {
  const clips: Clip[] = [];
  let secondsLeft = totalMaxSeconds;
  for (const [index, source] of sources.entries()) {
    const maxSeconds = Math.min(task.maxSeconds, secondsLeft);
    try {
      const clip = await readClip(readAudioSource(source), { ...task, ...options, maxSeconds });
      secondsLeft = Math.max(0, secondsLeft - clip.durationSeconds);
      clips.push(clip);
    } catch (error) {
      if (!(error instanceof ApiError)) throw error;
      if (error.code === 'audio_too_long' && maxSeconds < task.maxSeconds) {
        throw createRecordingsTooLongError(totalMaxSeconds);
      }
      if (sources.length === 1) throw error;
      throw new ApiError(error.code, `Recording ${index + 1}: ${error.message}`, { cause: error });
    }
  }
  assertSomeUsable(clips);
  return clips;
}

/** The error for recordings that are together longer than the limit. */
export function createRecordingsTooLongError(totalMaxSeconds: number): ApiError {
  return new ApiError(
    'audio_too_long',
    `The recordings are together longer than ${totalMaxSeconds} seconds.`,
  );
}

function assertSomeUsable(clips: readonly Clip[]): void {
  if (clips.some(({ isPassed }) => isPassed)) return;
  const reasons = clips.map((clip, index) => {
    const refusals = clip.verdicts.filter((code) => CLIP_VERDICTS[code].isRefused);
    const reason = describeVerdicts({ ...clip, verdicts: refusals });
    return `${clips.length > 1 ? `${index + 1}: ` : ''}${reason}`;
  });
  throw new ApiError('unusable_recording', `No recording can be used for a voice. ${reasons.join(' ')}`);
}

/** The stored form of a judgement. */
export function toClipReport(clip: Clip, filename: string): ClipReport {
  const { isPassed, measures, durationSeconds } = clip;
  return {
    filename,
    durationMs: Math.round(1000 * durationSeconds),
    language: 'unknown',
    measures: {
      speech_seconds: round(measures.speechSeconds),
      signal_to_noise_db: round(measures.signalToNoiseDb),
      clipped_share: round(measures.clippedShare),
      music_share: round(measures.steadyShare),
      bandwidth_hz: measures.bandwidthHz,
      speaker_spread: round(measures.speakerSpread),
      ...(measures.reverberationSeconds !== undefined && {
        reverberation_seconds: round(measures.reverberationSeconds),
      }),
    },
    isPassed,
    reason: describeVerdicts(clip),
  };
}

function round(value: number): number {
  return Math.round(1000 * value) / 1000;
}
