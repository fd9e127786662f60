import { createHash, randomBytes } from 'node:crypto';

const PREFIX_PATTERN = /^(mynah_[0-9a-z]{10})_[0-9a-zA-Z]{32}$/;
const LOWER = '0123456789abcdefghijklmnopqrstuvwxyz';
const ALL = `${LOWER}ABCDEFGHIJKLMNOPQRSTUVWXYZ`;

export interface NewKey {
  readonly key: string;
  readonly prefix: string;
  readonly hash: string;
}

/** Creates a key such as `mynah_4f0…_Xy…`: a public prefix for lookup and a secret of 190 random bits. */
export function generateKey(): NewKey {
  const prefix = `mynah_${randomText(LOWER, 10)}`;
  const key = `${prefix}_${randomText(ALL, 32)}`;
  return { key, prefix, hash: hashKey(key) };
}

/** The public prefix of a key. Undefined for text that is not in the format of a key. */
export function prefixOf(key: string): string | undefined {
  return PREFIX_PATTERN.exec(key)?.[1];
}

/** Hash for storage. One round of SHA-256 suffices, because a key has 190 random bits. */
export function hashKey(key: string): string {
  return createHash('sha256').update(key).digest('hex');
}

function randomText(alphabet: string, length: number): string {
  // Rejection sampling: bytes above the last multiple of the alphabet size would bias the result.
  const limit = 256 - (256 % alphabet.length);
  let text = '';
  while (text.length < length) {
    for (const byte of randomBytes(length)) {
      if (byte < limit && text.length < length) text += alphabet[byte % alphabet.length];
    }
  }
  return text;
}
