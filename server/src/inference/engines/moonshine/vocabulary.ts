import { readFile } from 'node:fs/promises';
import { TokenBytes } from '../seq2seq/token-bytes.ts';

const BYTE_TOKEN = /^<0x([0-9A-F]{2})>$/;

/** The text of each token, in UTF-8. The file is the LLaMA vocabulary: lines of tokens in Base64. */
export async function loadVocabulary(path: string): Promise<TokenBytes> {
  const lines = Buffer.from(await readFile(path, 'latin1'), 'base64')
    .toString('utf8')
    .split('\n');
  const tokens = lines.map((token) => {
    const byte = BYTE_TOKEN.exec(token);
    if (byte !== null) return Uint8Array.of(Number.parseInt(byte[1]!, 16));
    return Buffer.from(token.replaceAll('▁', ' '), 'utf8');
  });
  return new TokenBytes(tokens);
}
