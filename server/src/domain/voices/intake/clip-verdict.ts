import { BAND_HZ, type ClipFrames } from './clip-frames.ts';
import { bandwidthHz, reverberationSeconds, signalToNoiseDb, steadyShare } from './clip-measures.ts';
import { speakerSpread } from './speaker-count.ts';
import { findSpeech, type SpeechRegion, speechSeconds } from './speech-regions.ts';

/** Why a clip is refused, or what is wrong with one that is used all the same. Codes never change once released. */
export const CLIP_VERDICTS = {
  silence: { isRefused: true, says: 'There is no speech to be heard. Check the microphone.' },
  music: { isRefused: true, says: 'There is music in the recording. Record without it.' },
  too_noisy: {
    isRefused: true,
    says: 'Noise, or music, is nearly as loud as the voice. Record in a quiet room.',
  },
  clipped: { isRefused: true, says: 'The recording was too loud and is cut off. Turn the microphone down.' },
  several_speakers: { isRefused: true, says: 'More than one person speaks. Record one person only.' },
  too_little_speech: {
    isRefused: true,
    says: 'There is too little speech. Speak for ten seconds or longer.',
  },
  noisy: { isRefused: false, says: 'There is noise behind the voice.' },
  slightly_clipped: { isRefused: false, says: 'The loudest places are cut off.' },
  perhaps_several_speakers: { isRefused: false, says: 'The voice changes as if a second person spoke.' },
  reverberant: { isRefused: false, says: 'The room echoes.' },
  narrow_band: { isRefused: false, says: 'The recording has no high tones, like a telephone call.' },
  short: { isRefused: false, says: 'There is little speech; ten seconds make a better likeness.' },
  long: { isRefused: false, says: 'The recording is long; its densest minute of speech is used.' },
} as const satisfies Record<string, { isRefused: boolean; says: string }>;

export type ClipVerdict = keyof typeof CLIP_VERDICTS;

/** What was found out about a clip. */
export interface ClipJudgement {
  readonly isPassed: boolean;
  /** Worst first; empty for a clip without fault. */
  readonly verdicts: readonly ClipVerdict[];
  readonly measures: ClipMeasures;
  readonly speech: readonly SpeechRegion[];
}

export interface ClipMeasures {
  readonly speechSeconds: number;
  readonly signalToNoiseDb: number;
  /** Share of samples at the very top. */
  readonly clippedShare: number;
  /** Share of the sound in which notes stand still. */
  readonly steadyShare: number;
  readonly bandwidthHz: number;
  /** How far the voices fall into two groups. */
  readonly speakerSpread: number;
  /** Absent when it cannot be told. */
  readonly reverberationSeconds?: number;
}

export interface JudgeOptions {
  /** As measured before any resampling. */
  readonly clippedShare: number;
  readonly durationSeconds: number;
  readonly speechMinSeconds: number;
  /** Longer clips are used in part. */
  readonly usedMaxSeconds: number;
}

// Found with 50 clips of 25 speakers, clean, with noise, cut off, joined in pairs, under music and in rooms.
const NOISY_DB = 15;
const TOO_NOISY_DB = 8;
const SLIGHTLY_CLIPPED = 0.002;
const CLIPPED = 0.02;
const MUSIC_SHARE = 0.025;
const PERHAPS_SEVERAL = 2.8;
const SEVERAL = 3.6;
const REVERBERANT_SECONDS = 0.55;
/** The voice print of 3 seconds is further from that of the whole recording than a telephone line takes it. */
const SHORT_SECONDS = 6;
const NARROW_BAND_HZ = 4000 + BAND_HZ;

/** Judges a clip by what was measured of its frames. */
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
  return { isPassed: !verdicts.some((code) => CLIP_VERDICTS[code].isRefused), verdicts, measures, speech };
}

function verdictsOf(measures: ClipMeasures, options: JudgeOptions): ClipVerdict[] {
  if (measures.speechSeconds === 0) return ['silence'];
  const { signalToNoiseDb: ratio, clippedShare, speakerSpread: spread } = measures;
  const found: Record<ClipVerdict, boolean> = {
    silence: false,
    music: measures.steadyShare >= MUSIC_SHARE,
    too_noisy: ratio < TOO_NOISY_DB,
    clipped: clippedShare >= CLIPPED,
    several_speakers: spread >= SEVERAL,
    too_little_speech: measures.speechSeconds < options.speechMinSeconds,
    noisy: ratio >= TOO_NOISY_DB && ratio < NOISY_DB,
    slightly_clipped: clippedShare >= SLIGHTLY_CLIPPED && clippedShare < CLIPPED,
    perhaps_several_speakers: spread >= PERHAPS_SEVERAL && spread < SEVERAL,
    reverberant: (measures.reverberationSeconds ?? 0) >= REVERBERANT_SECONDS && ratio >= NOISY_DB,
    narrow_band: measures.bandwidthHz < NARROW_BAND_HZ,
    short: measures.speechSeconds >= options.speechMinSeconds && measures.speechSeconds < SHORT_SECONDS,
    long: options.durationSeconds > options.usedMaxSeconds,
  };
  return (Object.keys(CLIP_VERDICTS) as ClipVerdict[]).filter((code) => found[code]);
}

/** The verdicts as one line for people, codes first; empty for a clip without fault. */
export function describeVerdicts(verdicts: readonly ClipVerdict[]): string {
  return verdicts.map((code) => `${code}: ${CLIP_VERDICTS[code].says}`).join(' ');
}
