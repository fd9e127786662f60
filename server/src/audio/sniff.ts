/** What a file holds, as far as its first bytes tell. */
export type SniffedAudio =
  | 'wav'
  | 'mp3'
  | 'aac'
  | 'flac'
  | 'ogg/opus'
  | 'ogg/vorbis'
  | 'webm'
  | 'mp4'
  | 'aiff';

/** How many bytes are enough to tell. */
export const SNIFF_BYTES = 64;

/** Tells container and codec from a file's first bytes. Undefined for what is no audio we know. */
export function sniffAudio(bytes: Uint8Array): SniffedAudio | undefined {
  const has = (text: string, offset: number) => hasAscii(bytes, text, offset);
  if ((has('RIFF', 0) || has('RF64', 0) || has('BW64', 0)) && has('WAVE', 8)) return 'wav';
  if (has('FORM', 0) && (has('AIFF', 8) || has('AIFC', 8))) return 'aiff';
  if (has('fLaC', 0)) return 'flac';
  if (has('OggS', 0)) return sniffOgg(bytes);
  if (has('ftyp', 4)) return 'mp4';
  if (bytes[0] === 0x1a && bytes[1] === 0x45 && bytes[2] === 0xdf && bytes[3] === 0xa3) {
    return indexOfAscii(bytes.subarray(0, SNIFF_BYTES), 'webm') === -1 ? undefined : 'webm';
  }
  return has('ID3', 0) ? 'mp3' : sniffMpeg(bytes);
}

function sniffOgg(bytes: Uint8Array): SniffedAudio | undefined {
  const packetOffset = 27 + (bytes[26] ?? 0);
  if (hasAscii(bytes, 'OpusHead', packetOffset)) return 'ogg/opus';
  return hasAscii(bytes, '\x01vorbis', packetOffset) ? 'ogg/vorbis' : undefined;
}

/** MPEG frames start with eleven set bits; layer 0 marks AAC in ADTS, and layers III to I are MP3 and its kin. */
function sniffMpeg(bytes: Uint8Array): SniffedAudio | undefined {
  const [first = 0, second = 0, third = 0] = bytes;
  if (bytes.length < 4 || first !== 0xff || (second & 0xe0) !== 0xe0) return undefined;
  const version = (second >> 3) & 3;
  const layer = (second >> 1) & 3;
  if (layer === 0) return (second & 0xf0) === 0xf0 ? 'aac' : undefined;
  const bitrateIndex = third >> 4;
  const rateIndex = (third >> 2) & 3;
  if (version === 1 || bitrateIndex === 0 || bitrateIndex === 15 || rateIndex === 3) return undefined;
  return 'mp3';
}

function hasAscii(bytes: Uint8Array, text: string, offset: number): boolean {
  for (let i = 0; i < text.length; i++) {
    if (bytes[offset + i] !== text.charCodeAt(i)) return false;
  }
  return true;
}

function indexOfAscii(bytes: Uint8Array, text: string): number {
  for (let offset = 0; offset + text.length <= bytes.length; offset++) {
    if (hasAscii(bytes, text, offset)) return offset;
  }
  return -1;
}
