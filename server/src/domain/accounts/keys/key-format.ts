import { createHash, randomBytes } from 'node:crypto';

const PREFIX_PATTERN = /^(mynah_[0-9a-z]{10})_[0-9a-zA-Z]{32}$/;
const LOWER = '0123456789abcdefghijklmnopqrstuvwxyz';
const ALL = `${LOWER}ABCDEFGHIJKLMNOPQRSTUVWXYZ`;

export interface NewKey {
  readonly key: string;
  readonly prefix: string;
  readonly hash: string;
}

/** Makes a key such as `mynah_4f0…_Xy…`: a public prefix to find it by, and 190 bits nobody can guess. */
export function generateKey(): NewKey {
  const prefix = `mynah_${randomText(LOWER, 10)}`;
  const key = `${prefix}_${randomText(ALL, 32)}`;
  return { key, prefix, hash: hashKey(key) };
}

/** The public part of a key, or undefined when the text cannot be one of our keys. */
export function prefixOf(key: string): string | undefined {
  return PREFIX_PATTERN.exec(key)?.[1];
}

/** A key has so many random bits that one round of SHA-256 is enough to store it. */
export function hashKey(key: string): string {
  return createHash('sha256').update(key).digest('hex');
}

function randomText(alphabet: string, length: number): string {
  // Bytes beyond the last full round are dropped, since they would favour the first letters.
  const limit = 256 - (256 % alphabet.length);
  let text = '';
  while (text.length < length) {
    for (const byte of randomBytes(length)) {
      if (byte < limit && text.length < length) text += alphabet[byte % alphabet.length];
    }
  }
  return text;
}
