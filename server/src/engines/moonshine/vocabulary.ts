import { readFile } from 'node:fs/promises';

const BYTE_TOKEN = /^<0x([0-9A-F]{2})>$/;

/** The text of each token, in UTF-8. The file is the LLaMA vocabulary: lines of tokens in Base64. */
export async function loadVocabulary(path: string): Promise<readonly Uint8Array[]> {
  const lines = Buffer.from(await readFile(path, 'latin1'), 'base64')
    .toString('utf8')
    .split('\n');
  return lines.map((token) => {
    const byte = BYTE_TOKEN.exec(token);
    if (byte !== null) return Uint8Array.of(Number.parseInt(byte[1]!, 16));
    return Buffer.from(token.replaceAll('▁', ' '), 'utf8');
  });
}
