import type { Prosody } from '../piece.ts';
import { SsmlError } from './ssml-error.ts';

type Attributes = ReadonlyMap<string, string>;

/** Values of the named rates (factors), pitches and volumes, relative to the voice's own. */
const RATES: Readonly<Record<string, number>> = {
  'x-slow': 0.6,
  slow: 0.8,
  medium: 1,
  fast: 1.25,
  'x-fast': 1.6,
  default: 1,
};
const PITCHES_SEMITONES: Readonly<Record<string, number>> = {
  'x-low': -6,
  low: -3,
  medium: 0,
  high: 3,
  'x-high': 6,
  default: 0,
};
const VOLUMES_DB: Readonly<Record<string, number>> = {
  silent: -100,
  'x-soft': -12,
  soft: -6,
  medium: 0,
  loud: 6,
  'x-loud': 12,
  default: 0,
};
const BREAK_SECONDS: Readonly<Record<string, number>> = {
  none: 0,
  'x-weak': 0.15,
  weak: 0.3,
  medium: 0.5,
  strong: 0.8,
  'x-strong': 1.2,
};
const EMPHASES: Readonly<Record<string, Prosody['emphasis'] | 'none'>> = {
  none: 'none',
  reduced: 'reduced',
  moderate: 'moderate',
  strong: 'strong',
};

const RATE_MIN = 0.25;
const RATE_MAX = 4;
const PITCH_SEMITONES_MAX = 24;
const VOLUME_DB_MIN = -100;
const VOLUME_DB_MAX = 20;
/** Reference for pitches in hertz, because the voice is not known here: the average of the voices. */
const REFERENCE_PITCH_HZ = 165;

/** The prosody within a `prosody` element, relative to the enclosing one. Throws for an invalid value. */
export function applyProsody(attributes: Attributes, enclosing: Prosody | undefined, at: number): Prosody {
  const rate = attributes.get('rate');
  const pitch = attributes.get('pitch');
  const volume = attributes.get('volume');
  return {
    ...enclosing,
    ...(rate !== undefined && {
      rate: clamp((enclosing?.rate ?? 1) * parseRate(rate, at), RATE_MIN, RATE_MAX),
    }),
    ...(pitch !== undefined && {
      pitchSemitones: clamp(
        (enclosing?.pitchSemitones ?? 0) + parsePitch(pitch, at),
        -PITCH_SEMITONES_MAX,
        PITCH_SEMITONES_MAX,
      ),
    }),
    ...(volume !== undefined && {
      volumeDb: clamp((enclosing?.volumeDb ?? 0) + parseVolume(volume, at), VOLUME_DB_MIN, VOLUME_DB_MAX),
    }),
  };
}

/** The prosody within an `emphasis` element; `none` resets an enclosing emphasis. */
export function applyEmphasis(
  attributes: Attributes,
  enclosing: Prosody | undefined,
  at: number,
): Prosody | undefined {
  const level = named(EMPHASES, attributes.get('level') ?? 'moderate', 'level', at);
  if (level !== 'none') return { ...enclosing, emphasis: level! };
  const { emphasis: _, ...rest } = enclosing ?? {};
  return Object.keys(rest).length > 0 ? rest : undefined;
}

/** The duration of a `break` element. */
export function breakSeconds(
  attributes: Attributes,
  { at, secondsMax }: { at: number; secondsMax: number },
): number {
  const time = attributes.get('time');
  if (time === undefined) return named(BREAK_SECONDS, attributes.get('strength') ?? 'medium', 'strength', at);
  const match = /^\+?(\d+(?:\.\d*)?|\.\d+)(ms|s)$/.exec(time.trim());
  if (!match) throw createInvalidAttributeError('time', time, 'a time such as 300ms or 1.5s', at);
  const seconds = Number(match[1]) / (match[2] === 'ms' ? 1000 : 1);
  if (seconds > secondsMax) throw new SsmlError(`A break may last at most ${secondsMax} s`, at);
  return seconds;
}

/** A name, a factor (`1.2`), a percentage of the rate (`120%`) or a change of it (`+20%`). */
function parseRate(written: string, at: number): number {
  const value = written.trim();
  if (Object.hasOwn(RATES, value)) return RATES[value]!;
  const match = /^([+-]?)(\d+(?:\.\d*)?|\.\d+)(%?)$/.exec(value);
  if (!match || (match[1] !== '' && match[3] === ''))
    throw createInvalidAttributeError('rate', written, 'a name, a number or a percentage', at);
  const number = Number(match[2]) / (match[3] === '%' ? 100 : 1);
  const rate = match[1] === '' ? number : 1 + (match[1] === '+' ? number : -number);
  if (rate <= 0) throw createInvalidAttributeError('rate', written, 'a rate above zero', at);
  return rate;
}

/** A name, hertz (`+10Hz`, `200Hz`), semitones (`-2st`) or a change in percent (`+10%`). */
function parsePitch(written: string, at: number): number {
  const value = written.trim();
  if (Object.hasOwn(PITCHES_SEMITONES, value)) return PITCHES_SEMITONES[value]!;
  const match = /^([+-]?)(\d+(?:\.\d*)?|\.\d+)(Hz|st|%)$/i.exec(value);
  const unit = match?.[3]?.toLowerCase();
  if (!match || (match[1] === '' && unit !== 'hz'))
    throw createInvalidAttributeError(
      'pitch',
      written,
      'a name, a change in Hz, st or %, or a number of Hz',
      at,
    );
  const size = Number(match[2]);
  const change = match[1] === '-' ? -size : size;
  if (unit === 'st') return change;
  const ratio =
    unit === '%'
      ? 1 + change / 100
      : match[1] === ''
        ? size / REFERENCE_PITCH_HZ
        : 1 + change / REFERENCE_PITCH_HZ;
  if (ratio <= 0) throw createInvalidAttributeError('pitch', written, 'a pitch above zero', at);
  return 12 * Math.log2(ratio);
}

/** A name, decibels (`+6dB`), a number from 0 to 100 (100 is the voice's own), or a change of it (`-20`, `+10%`). */
function parseVolume(written: string, at: number): number {
  const value = written.trim();
  if (Object.hasOwn(VOLUMES_DB, value)) return VOLUMES_DB[value]!;
  const decibels = /^([+-](?:\d+(?:\.\d*)?|\.\d+))dB$/i.exec(value);
  if (decibels) return Number(decibels[1]);
  const match = /^([+-]?)(\d+(?:\.\d*)?|\.\d+)(%?)$/.exec(value);
  if (!match)
    throw createInvalidAttributeError(
      'volume',
      written,
      'a name, a change in dB, or a number from 0 to 100',
      at,
    );
  const size = Number(match[2]) / 100;
  const factor = match[1] === '' ? size : 1 + (match[1] === '+' ? size : -size);
  return factor <= 0 ? VOLUME_DB_MIN : 20 * Math.log10(factor);
}

function named<Value>(
  table: Readonly<Record<string, Value>>,
  written: string,
  attribute: string,
  at: number,
): Value {
  const value = written.trim();
  if (Object.hasOwn(table, value)) return table[value]!;
  throw createInvalidAttributeError(attribute, written, `one of ${Object.keys(table).join(', ')}`, at);
}

function createInvalidAttributeError(
  attribute: string,
  written: string,
  expected: string,
  at: number,
): SsmlError {
  return new SsmlError(
    `${attribute}=${JSON.stringify(written.slice(0, 40))} is invalid: expected ${expected}`,
    at,
  );
}

function clamp(value: number, min: number, max: number): number {
  return Math.min(Math.max(value, min), max);
}
