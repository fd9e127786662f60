import { BAND_HZ, type ClipFrames } from './clip-frames.ts';
import { bandwidthHz, reverberationSeconds, signalToNoiseDb, steadyShare } from './clip-measures.ts';
import { speakerSpread } from './speaker-spread.ts';
import { findSpeech, type SpeechRegion, speechSeconds } from './speech-regions.ts';

/** Reasons for the refusal of a clip, and warnings about usable clips. The codes are part of the API. */
export const CLIP_VERDICTS = {
  silence: { isRefused: true, message: 'The recording contains no speech. Check the microphone.' },
  music: { isRefused: true, message: 'The recording contains music. Record without music.' },
  too_noisy: {
    isRefused: true,
    message: 'Noise or music is nearly as loud as the voice. Record in a quiet room.',
  },
  clipped: { isRefused: true, message: 'The recording is clipped. Reduce the microphone level.' },
  several_speakers: {
    isRefused: true,
    message:
      'The recording has more than one speaker. Record one speaker only; ten seconds or more are judged more reliably.',
  },
  too_little_speech: {
    isRefused: true,
    message: 'The recording has less speech than the minimum of this server.',
  },
  too_short: {
    isRefused: false,
    message:
      'The recording has less than 2.5 seconds of speech; the clone has little likeness. Record ten seconds or more.',
  },
  noisy: { isRefused: false, message: 'The recording has background noise.' },
  slightly_clipped: { isRefused: false, message: 'The peaks are clipped.' },
  perhaps_several_speakers: { isRefused: false, message: 'The recording may have a second speaker.' },
  reverberant: { isRefused: false, message: 'The recording is reverberant.' },
  narrow_band: { isRefused: false, message: 'The recording has a narrow bandwidth, like a telephone call.' },
  short: { isRefused: false, message: 'The recording has little speech; ten seconds give a better clone.' },
  long: { isRefused: false, message: 'The recording is long; the minute with the most speech is used.' },
} as const satisfies Record<string, { isRefused: boolean; message: string }>;

export type ClipVerdict = keyof typeof CLIP_VERDICTS;

/** The result of judging a clip. */
export interface ClipJudgement {
  readonly isPassed: boolean;
  /** Most severe first; empty for a clip without problems. */
  readonly verdicts: readonly ClipVerdict[];
  readonly measures: ClipMeasures;
  readonly speech: readonly SpeechRegion[];
  /** The minimum duration of speech that the clip was judged by. */
  readonly speechMinSeconds: number;
}

export interface ClipMeasures {
  readonly speechSeconds: number;
  readonly signalToNoiseDb: number;
  /** Share of clipped samples. */
  readonly clippedShare: number;
  /** Share of speech frames with steady notes. */
  readonly steadyShare: number;
  readonly bandwidthHz: number;
  /** Separation into two clusters, see `speakerSpread`. */
  readonly speakerSpread: number;
  /** Absent when it cannot be measured. */
  readonly reverberationSeconds?: number;
}

export interface JudgeOptions {
  /** Measured before resampling. */
  readonly clippedShare: number;
  readonly durationSeconds: number;
  readonly speechMinSeconds: number;
  /** Maximum duration that is used of a clip. */
  readonly usedMaxSeconds: number;
}

// Tuned on 50 clips of 25 speakers: clean, with noise, clipped, concatenated in pairs, with music, and reverberant.
const NOISY_DB = 15;
const TOO_NOISY_DB = 8;
const SLIGHTLY_CLIPPED = 0.002;
const CLIPPED = 0.02;
const MUSIC_SHARE = 0.025;
const PERHAPS_SEVERAL = 2.8;
const SEVERAL = 3.6;
const REVERBERANT_SECONDS = 0.55;
/** Below this duration of speech the likeness is small. */
const TOO_SHORT_SECONDS = 2.5;
/** The speaker embedding of 3 seconds differs more from that of the full recording than one of a telephone line does. */
const SHORT_SECONDS = 6;
const NARROW_BAND_HZ = 4000 + BAND_HZ;

/** Judges a clip by the measures of its frames. */
export function judgeClip(frames: ClipFrames, options: JudgeOptions): ClipJudgement {
  const speech = findSpeech(frames);
  const reverberation = reverberationSeconds(frames);
  const measures: ClipMeasures = {
    speechSeconds: speechSeconds(speech),
    signalToNoiseDb: signalToNoiseDb(frames, speech),
    clippedShare: options.clippedShare,
    steadyShare: steadyShare(frames, speech),
    bandwidthHz: bandwidthHz(frames, speech),
    speakerSpread: speakerSpread(frames, speech),
    ...(reverberation !== undefined && { reverberationSeconds: reverberation }),
  };
  const verdicts = verdictsOf(measures, options);
  const isPassed = !verdicts.some((code) => CLIP_VERDICTS[code].isRefused);
  return { isPassed, verdicts, measures, speech, speechMinSeconds: options.speechMinSeconds };
}

function verdictsOf(measures: ClipMeasures, options: JudgeOptions): ClipVerdict[] {
  if (measures.speechSeconds === 0) return ['silence'];
  const { signalToNoiseDb: ratio, clippedShare, speakerSpread: spread } = measures;
  const hasMinimum = measures.speechSeconds >= options.speechMinSeconds;
  const found: Record<ClipVerdict, boolean> = {
    silence: false,
    music: measures.steadyShare >= MUSIC_SHARE,
    too_noisy: ratio < TOO_NOISY_DB,
    clipped: clippedShare >= CLIPPED,
    several_speakers: spread >= SEVERAL,
    too_little_speech: !hasMinimum,
    noisy: ratio >= TOO_NOISY_DB && ratio < NOISY_DB,
    slightly_clipped: clippedShare >= SLIGHTLY_CLIPPED && clippedShare < CLIPPED,
    perhaps_several_speakers: spread >= PERHAPS_SEVERAL && spread < SEVERAL,
    reverberant: (measures.reverberationSeconds ?? 0) >= REVERBERANT_SECONDS && ratio >= NOISY_DB,
    narrow_band: measures.bandwidthHz < NARROW_BAND_HZ,
    too_short: hasMinimum && measures.speechSeconds < TOO_SHORT_SECONDS,
    short:
      hasMinimum && measures.speechSeconds >= TOO_SHORT_SECONDS && measures.speechSeconds < SHORT_SECONDS,
    long: options.durationSeconds > options.usedMaxSeconds,
  };
  return (Object.keys(CLIP_VERDICTS) as ClipVerdict[]).filter((code) => found[code]);
}

/** The verdicts as one line of text, each with its code; empty for a clip without problems. */
export function describeVerdicts({
  verdicts,
  speechMinSeconds,
}: Partial<Pick<ClipJudgement, 'speechMinSeconds'>> & Pick<ClipJudgement, 'verdicts'>): string {
  const messageOf = (code: ClipVerdict) =>
    code === 'too_little_speech' && speechMinSeconds !== undefined
      ? `The recording has less than ${speechMinSeconds} seconds of speech. Speak for longer.`
      : CLIP_VERDICTS[code].message;
  return verdicts.map((code) => `${code}: ${messageOf(code)}`).join(' ');
}
