import type { VocalSound } from '../../../domain/engines/vocal-sound.ts';

/**
 * One segment of a vocal sound: a phoneme that every engine has, which sets the vocal tract, and the source
 * parameters. Pairs are the values at the start and at the end.
 */
export interface Phone {
  readonly symbol: string;
  readonly seconds: number;
  /** Semitones from the median pitch of the voice; absent: unvoiced. */
  readonly pitch?: readonly [number, number];
  readonly levelDb: readonly [number, number];
  /** Breathiness of a voiced segment, from 0 to 1. */
  readonly breath?: number;
  /** Depth of the pitch tremor in semitones. */
  readonly tremor?: number;
}

type Pair = readonly [number, number];

const gap = (seconds: number): Phone => ({ symbol: ' ', seconds, levelDb: [-80, -80] });
const unvoiced = (symbol: string, seconds: number, levelDb: Pair): Phone => ({ symbol, seconds, levelDb });
const voiced = (
  symbol: string,
  seconds: number,
  pitch: Pair,
  levelDb: Pair,
  more: Pick<Phone, 'breath' | 'tremor'> = {},
): Phone => ({ symbol, seconds, pitch, levelDb, ...more });

/** `phonesOf` called `count` times with the index, concatenated. */
const repeated = (count: number, phonesOf: (index: number) => readonly Phone[]): Phone[] =>
  Array.from({ length: count }, (_, index) => phonesOf(index)).flat();

/** Recipe of each vocal sound. Audience laughter is the laugh of several voices, see `AUDIENCE`. */
export const VOCAL_SOUND_RECIPES: Readonly<
  Record<Exclude<VocalSound, 'audience-laughter'>, readonly Phone[]>
> = {
  laugh: [
    unvoiced('h', 0.1, [-16, -8]),
    ...repeated(5, (turn) => [
      voiced('ɑ', 0.1, [9 - 1.6 * turn, 6 - 1.6 * turn], [0 - 1.6 * turn, -5 - 1.6 * turn], { breath: 0.15 }),
      unvoiced('h', 0.075, [-11 - turn, -9 - turn]),
    ]),
    unvoiced('h', 0.2, [-12, -30]),
  ],
  chuckle: [
    unvoiced('h', 0.075, [-20, -14]),
    ...repeated(4, (turn) => [
      voiced('ə', 0.075, [3 - turn, 1 - turn], [-6 - turn, -10 - turn], { breath: 0.35 }),
      unvoiced('h', 0.075, [-16 - turn, -18 - turn]),
    ]),
  ],
  sob: [
    ...repeated(2, (turn) => [
      unvoiced('h', 0.1, [-22, -10]),
      gap(0.05),
      unvoiced('h', 0.1, [-20, -10]),
      voiced('ʌ', 0.18, [7 - turn, 2 - turn], [-6, -14], { breath: 0.65, tremor: 0.8 }),
      unvoiced('h', 0.12, [-12, -24]),
      gap(0.1),
    ]),
    unvoiced('h', 0.3, [-12, -32]),
  ],
  cry: [
    voiced('ɑ', 0.55, [6, 9], [-6, 2], { breath: 0.1, tremor: 0.9 }),
    voiced('ɑ', 0.55, [9, 2], [2, -8], { breath: 0.2, tremor: 1.2 }),
    unvoiced('h', 0.1, [-20, -8]),
    gap(0.05),
    unvoiced('h', 0.12, [-20, -8]),
    voiced('ɑ', 0.6, [8, 0], [1, -14], { breath: 0.25, tremor: 1.2 }),
  ],
  sigh: [
    unvoiced('h', 0.15, [-24, -10]),
    voiced('ə', 0.25, [0, -3], [-6, -10], { breath: 0.85 }),
    unvoiced('ə', 0.35, [-8, -16]),
    unvoiced('h', 0.25, [-14, -34]),
  ],
  groan: [
    voiced('ə', 0.25, [-1, 0], [-10, -3], { breath: 0.2 }),
    voiced('ʊ', 0.5, [0, -4], [-3, -7], { breath: 0.25, tremor: 0.3 }),
    voiced('ʊ', 0.25, [-4, -7], [-7, -22], { breath: 0.5 }),
  ],
  pant: repeated(4, (turn) => [
    unvoiced('h', 0.175, [-6 - turn, -16]),
    gap(0.05),
    unvoiced('ɪ', 0.125, [-20, -10 - turn]),
    gap(0.025),
  ]),
  gasp: [unvoiced('h', 0.1, [-26, -12]), unvoiced('ʌ', 0.2, [-12, -2]), gap(0.1)],
  yawn: [
    unvoiced('ɪ', 0.3, [-30, -16]),
    unvoiced('ɑ', 0.4, [-16, -10]),
    voiced('ɑ', 0.4, [2, 5], [-10, -4], { breath: 0.35 }),
    voiced('ɔ', 0.6, [5, -3], [-4, -10], { breath: 0.35 }),
    voiced('ə', 0.2, [-3, -6], [-10, -20], { breath: 0.6 }),
    unvoiced('h', 0.25, [-16, -34]),
  ],
  snore: repeated(2, () => [
    voiced('ɹ', 0.3, [-17, -15], [-18, -6], { breath: 0.5, tremor: 1.5 }),
    voiced('ɡ', 0.35, [-15, -18], [-6, -12], { breath: 0.5, tremor: 1.5 }),
    gap(0.15),
    unvoiced('h', 0.5, [-16, -30]),
    gap(0.2),
  ]),
  'clear-throat': [
    voiced('ə', 0.1, [-6, -8], [-8, -4], { breath: 0.75, tremor: 2 }),
    unvoiced('h', 0.1, [-6, -8]),
    voiced('ɡ', 0.1, [-7, -9], [-4, -4], { breath: 0.7, tremor: 2 }),
    unvoiced('h', 0.15, [-8, -24]),
  ],
  inhale: [unvoiced('h', 0.15, [-30, -16]), unvoiced('ɪ', 0.3, [-16, -10]), gap(0.05)],
  exhale: [unvoiced('h', 0.15, [-16, -8]), unvoiced('ɑ', 0.35, [-9, -22]), unvoiced('h', 0.1, [-24, -40])],
  cough: repeated(2, (turn) => [
    gap(0.05),
    unvoiced('k', 0.05, [0, 2]),
    voiced('ʌ', 0.05, [-2, -4], [0 - turn, -4 - turn], { breath: 0.7 }),
    unvoiced('ʌ', 0.15, [2 - 2 * turn, -18]),
    gap(0.075),
  ]),
  'lip-smack': [gap(0.05), unvoiced('p', 0.05, [-4, -6]), unvoiced('t', 0.025, [-8, -24]), gap(0.05)],
  tsk: repeated(2, () => [
    gap(0.025),
    unvoiced('t', 0.05, [0, -2]),
    unvoiced('s', 0.025, [-6, -20]),
    gap(0.2),
  ]),
  moan: [
    voiced('m', 0.3, [-1, 1], [-14, -8], { breath: 0.4 }),
    voiced('m', 0.45, [1, 2], [-8, -7], { breath: 0.45, tremor: 0.4 }),
    voiced('m', 0.35, [1, -4], [-7, -24], { breath: 0.5 }),
  ],
};

/** Number of voices in an audience, range of their delays, and gain of each. */
export const AUDIENCE = { voices: 7, spreadSeconds: 0.9, gain: 0.4 } as const;
