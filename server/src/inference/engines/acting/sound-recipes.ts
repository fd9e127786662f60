import type { VocalSound } from '../../../domain/engines/vocal-sound.ts';

/**
 * One stretch of a sound: the shape of the mouth, given by a phoneme that every engine knows, and what the
 * voice does in it. Pairs are the values at its start and at its end.
 */
export interface Phone {
  readonly symbol: string;
  readonly seconds: number;
  /** Semitones from the middle of the voice; absent: only breath. */
  readonly pitch?: readonly [number, number];
  readonly levelDb: readonly [number, number];
  /** Breath in a voiced stretch, from 0 to 1. */
  readonly breath?: number;
  /** Depth of a trembling of the pitch in semitones. */
  readonly tremor?: number;
}

type Pair = readonly [number, number];

const gap = (seconds: number): Phone => ({ symbol: ' ', seconds, levelDb: [-80, -80] });
const air = (symbol: string, seconds: number, levelDb: Pair): Phone => ({ symbol, seconds, levelDb });
const voice = (
  symbol: string,
  seconds: number,
  pitch: Pair,
  levelDb: Pair,
  more: Pick<Phone, 'breath' | 'tremor'> = {},
): Phone => ({ symbol, seconds, pitch, levelDb, ...more });

/** `count` times what `phonesOf` makes of the number of the turn. */
const turns = (count: number, phonesOf: (turn: number) => readonly Phone[]): Phone[] =>
  Array.from({ length: count }, (_, turn) => phonesOf(turn)).flat();

/** What each sound is made of. Audience laughter is the laugh of many voices, see `AUDIENCE`. */
export const SOUND_RECIPES: Readonly<Record<Exclude<VocalSound, 'audience-laughter'>, readonly Phone[]>> = {
  laugh: [
    air('h', 0.1, [-16, -8]),
    ...turns(5, (turn) => [
      voice('ɑ', 0.1, [9 - 1.6 * turn, 6 - 1.6 * turn], [0 - 1.6 * turn, -5 - 1.6 * turn], { breath: 0.15 }),
      air('h', 0.075, [-11 - turn, -9 - turn]),
    ]),
    air('h', 0.2, [-12, -30]),
  ],
  chuckle: [
    air('h', 0.075, [-20, -14]),
    ...turns(4, (turn) => [
      voice('ə', 0.075, [3 - turn, 1 - turn], [-6 - turn, -10 - turn], { breath: 0.35 }),
      air('h', 0.075, [-16 - turn, -18 - turn]),
    ]),
  ],
  sob: [
    ...turns(2, (turn) => [
      air('h', 0.1, [-22, -10]),
      gap(0.05),
      air('h', 0.1, [-20, -10]),
      voice('ʌ', 0.18, [7 - turn, 2 - turn], [-6, -14], { breath: 0.65, tremor: 0.8 }),
      air('h', 0.12, [-12, -24]),
      gap(0.1),
    ]),
    air('h', 0.3, [-12, -32]),
  ],
  cry: [
    voice('ɑ', 0.55, [6, 9], [-6, 2], { breath: 0.1, tremor: 0.9 }),
    voice('ɑ', 0.55, [9, 2], [2, -8], { breath: 0.2, tremor: 1.2 }),
    air('h', 0.1, [-20, -8]),
    gap(0.05),
    air('h', 0.12, [-20, -8]),
    voice('ɑ', 0.6, [8, 0], [1, -14], { breath: 0.25, tremor: 1.2 }),
  ],
  sigh: [
    air('h', 0.15, [-24, -10]),
    voice('ə', 0.25, [0, -3], [-6, -10], { breath: 0.85 }),
    air('ə', 0.35, [-8, -16]),
    air('h', 0.25, [-14, -34]),
  ],
  groan: [
    voice('ə', 0.25, [-1, 0], [-10, -3], { breath: 0.2 }),
    voice('ʊ', 0.5, [0, -4], [-3, -7], { breath: 0.25, tremor: 0.3 }),
    voice('ʊ', 0.25, [-4, -7], [-7, -22], { breath: 0.5 }),
  ],
  pant: turns(4, (turn) => [
    air('h', 0.175, [-6 - turn, -16]),
    gap(0.05),
    air('ɪ', 0.125, [-20, -10 - turn]),
    gap(0.025),
  ]),
  gasp: [air('h', 0.1, [-26, -12]), air('ʌ', 0.2, [-12, -2]), gap(0.1)],
  yawn: [
    air('ɪ', 0.3, [-30, -16]),
    air('ɑ', 0.4, [-16, -10]),
    voice('ɑ', 0.4, [2, 5], [-10, -4], { breath: 0.35 }),
    voice('ɔ', 0.6, [5, -3], [-4, -10], { breath: 0.35 }),
    voice('ə', 0.2, [-3, -6], [-10, -20], { breath: 0.6 }),
    air('h', 0.25, [-16, -34]),
  ],
  snore: turns(2, () => [
    voice('ɹ', 0.3, [-17, -15], [-18, -6], { breath: 0.5, tremor: 1.5 }),
    voice('ɡ', 0.35, [-15, -18], [-6, -12], { breath: 0.5, tremor: 1.5 }),
    gap(0.15),
    air('h', 0.5, [-16, -30]),
    gap(0.2),
  ]),
  'clear-throat': [
    voice('ə', 0.1, [-6, -8], [-8, -4], { breath: 0.75, tremor: 2 }),
    air('h', 0.1, [-6, -8]),
    voice('ɡ', 0.1, [-7, -9], [-4, -4], { breath: 0.7, tremor: 2 }),
    air('h', 0.15, [-8, -24]),
  ],
  inhale: [air('h', 0.15, [-30, -16]), air('ɪ', 0.3, [-16, -10]), gap(0.05)],
  exhale: [air('h', 0.15, [-16, -8]), air('ɑ', 0.35, [-9, -22]), air('h', 0.1, [-24, -40])],
  cough: turns(2, (turn) => [
    gap(0.05),
    air('k', 0.05, [0, 2]),
    voice('ʌ', 0.05, [-2, -4], [0 - turn, -4 - turn], { breath: 0.7 }),
    air('ʌ', 0.15, [2 - 2 * turn, -18]),
    gap(0.075),
  ]),
  'lip-smack': [gap(0.05), air('p', 0.05, [-4, -6]), air('t', 0.025, [-8, -24]), gap(0.05)],
  tsk: turns(2, () => [gap(0.025), air('t', 0.05, [0, -2]), air('s', 0.025, [-6, -20]), gap(0.2)]),
  moan: [
    voice('m', 0.3, [-1, 1], [-14, -8], { breath: 0.4 }),
    voice('m', 0.45, [1, 2], [-8, -7], { breath: 0.45, tremor: 0.4 }),
    voice('m', 0.35, [1, -4], [-7, -24], { breath: 0.5 }),
  ],
};

/** How many laugh in an audience, how far apart they begin, and how much of each is heard from afar. */
export const AUDIENCE = { voices: 7, spreadSeconds: 0.9, gain: 0.4 } as const;
