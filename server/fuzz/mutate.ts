import type { Random } from './random.ts';
import { HOSTILE_TEXTS } from './texts/hostile-texts.ts';

/** Lengths of hostile texts. Most are short, so that a run has many cases. */
const TEXT_LENGTHS = [20, 200, 200, 2000, 2000, 20_000, 200_000];

export function hostileText(random: Random): string {
  return random.pick(HOSTILE_TEXTS).generate(random.pick(TEXT_LENGTHS));
}

const NAMES = [
  '__proto__',
  'constructor',
  'toString',
  '',
  ' ',
  'a'.repeat(300),
  '\0',
  'é',
  '👩‍👧',
  '../../etc/passwd',
];
const STRINGS = [
  ...[
    '',
    ' ',
    '\0',
    'null',
    'NaN',
    '0',
    '-1',
    '1e999',
    'true',
    '\ud800',
    "'; --",
    '%00',
    '\r\n',
    '💥'.repeat(50),
  ],
  ...[
    'a'.repeat(101),
    'a'.repeat(5000),
    '9'.repeat(400),
    '../x',
    'http://127.0.0.1:1/',
    '<speak>',
    '<|speaker:7|>Hi',
  ],
];
const NUMBERS = [
  0,
  -0,
  -1,
  1,
  0.5,
  1e-300,
  1e308,
  2 ** 31,
  2 ** 32,
  2 ** 53,
  -(2 ** 63),
  16_021,
  44_101,
  1_000_001,
];

/** A value of any type. */
export function hostileValue(random: Random): unknown {
  switch (random.int(9)) {
    case 0:
      return null;
    case 1:
      return random.chance(0.5);
    case 2:
      return random.pick(NUMBERS);
    case 3:
      return random.pick(STRINGS);
    case 4:
      return hostileText(random);
    case 5:
      return Array.from({ length: random.pick([0, 1, 3, 100, 2000]) }, (_, index) =>
        random.chance(0.9) ? `name ${index}` : random.pick(NUMBERS),
      );
    case 6:
      return nested(random.pick([2, 20, 200]), random.chance(0.5));
    case 7:
      return Object.fromEntries(
        Array.from({ length: random.pick([0, 1, 50, 1000]) }, (_, index) => [`key ${index}`, index]),
      );
    default:
      return JSON.parse(`{${JSON.stringify(random.pick(NAMES))}: {"a": 1}}`);
  }
}

function nested(depth: number, isArray: boolean): unknown {
  let value: unknown = 1;
  for (let level = 0; level < depth; level++) value = isArray ? [value] : { a: value };
  return value;
}

/** Changes up to three places of a value; about one in five values is unchanged. */
export function mutateValue(random: Random, value: unknown): unknown {
  let mutated = value;
  for (let times = random.pick([0, 1, 1, 2, 3]); times > 0; times--) mutated = mutateOnce(random, mutated);
  return mutated;
}

function mutateOnce(random: Random, value: unknown): unknown {
  const isContainer = typeof value === 'object' && value !== null && !(value instanceof Uint8Array);
  if (!isContainer || random.chance(0.15)) return mutateLeaf(random, value);
  if (Array.isArray(value)) {
    const copy = [...value];
    const at = random.int(copy.length + 1);
    if (random.chance(0.3)) copy.splice(at, 1);
    else if (random.chance(0.4)) copy.splice(at, 0, hostileValue(random));
    else copy[at] = mutateOnce(random, copy[at]);
    return copy;
  }
  const copy: Record<string, unknown> = { ...(value as Record<string, unknown>) };
  const keys = Object.keys(copy);
  const key = random.pick([...keys, ...(keys.length === 0 ? ['a'] : [])]);
  if (random.chance(0.12)) delete copy[key];
  else if (random.chance(0.1)) copy[random.pick(NAMES)] = hostileValue(random);
  else copy[key] = mutateOnce(random, copy[key]);
  return copy;
}

function mutateLeaf(random: Random, value: unknown): unknown {
  if (typeof value === 'string' && random.chance(0.5)) return mutateString(random, value);
  if (typeof value === 'number' && random.chance(0.5)) return value * random.pick([-1, 0, 1e6, 1.5]);
  if (value instanceof Uint8Array && random.chance(0.7)) return mutateBytes(random, value);
  return hostileValue(random);
}

function mutateString(random: Random, value: string): string {
  const at = random.int(value.length + 1);
  switch (random.int(4)) {
    case 0:
      return value.slice(0, at);
    case 1:
      return value.slice(0, at) + random.pick(STRINGS) + value.slice(at);
    case 2:
      return value.repeat(random.pick([2, 10, 100])).slice(0, 200_001);
    default:
      return value + hostileText(random);
  }
}

/** Flips, removes, repeats, inserts or truncates bytes. */
export function mutateBytes(random: Random, bytes: Uint8Array): Buffer {
  let mutated = Buffer.from(bytes);
  for (let times = 1 + random.int(4); times > 0; times--) {
    const at = random.int(mutated.length + 1);
    const length = random.pick([1, 1, 2, 4, 16, 256]);
    switch (random.int(6)) {
      case 0:
        if (at < mutated.length) mutated[at] = (mutated[at] ?? 0) ^ (1 << random.int(8));
        break;
      case 1:
        mutated = mutated.subarray(0, at);
        break;
      case 2:
        mutated = Buffer.concat([mutated.subarray(0, at), mutated.subarray(at + length)]);
        break;
      case 3:
        mutated = Buffer.concat([mutated.subarray(0, at + length), mutated.subarray(at)]);
        break;
      case 4:
        mutated = Buffer.concat([mutated.subarray(0, at), random.bytes(length), mutated.subarray(at)]);
        break;
      default:
        mutated.fill(random.pick([0, 0xff, 0x7f, 0x80]), at, Math.min(mutated.length, at + length));
    }
  }
  return mutated;
}
