/** The container and codec of a file, as detected from its first bytes. */
export type SniffedAudio =
  | 'wav'
  | 'mp3'
  | 'aac'
  | 'flac'
  | 'ogg/opus'
  | 'ogg/vorbis'
  /** Ogg with another codec. */
  | 'ogg'
  /** Also Matroska, of which WebM is a subset. */
  | 'webm'
  | 'mp4'
  | 'aiff'
  | 'caf'
  | 'amr'
  | 'asf'
  | 'au';

/** The media type of each format. */
export const SNIFFED_MEDIA_TYPES: Readonly<Record<SniffedAudio, string>> = {
  wav: 'audio/wav',
  mp3: 'audio/mpeg',
  aac: 'audio/aac',
  flac: 'audio/flac',
  'ogg/opus': 'audio/ogg',
  'ogg/vorbis': 'audio/ogg',
  ogg: 'audio/ogg',
  webm: 'audio/webm',
  mp4: 'audio/mp4',
  aiff: 'audio/aiff',
  caf: 'audio/x-caf',
  amr: 'audio/amr',
  asf: 'audio/x-ms-wma',
  au: 'audio/basic',
};

/** The number of bytes that `sniffAudio` needs. */
export const SNIFF_BYTES = 64;

/** Detects container and codec from the first bytes of a file. Undefined for anything but known audio formats. */
export function sniffAudio(bytes: Uint8Array): SniffedAudio | undefined {
  const has = (text: string, offset: number) => hasAscii(bytes, text, offset);
  if ((has('RIFF', 0) || has('RF64', 0) || has('BW64', 0)) && has('WAVE', 8)) return 'wav';
  if (has('FORM', 0) && (has('AIFF', 8) || has('AIFC', 8))) return 'aiff';
  if (has('fLaC', 0)) return 'flac';
  if (has('OggS', 0)) return sniffOgg(bytes);
  if (has('ftyp', 4)) return 'mp4';
  if (bytes[0] === 0x1a && bytes[1] === 0x45 && bytes[2] === 0xdf && bytes[3] === 0xa3) {
    const isMatroska = ['webm', 'matroska'].some(
      (name) => indexOfAscii(bytes.subarray(0, SNIFF_BYTES), name) !== -1,
    );
    return isMatroska ? 'webm' : undefined;
  }
  if (has('caff', 0)) return 'caf';
  if (has('#!AMR', 0)) return 'amr';
  if (has('\x30\x26\xb2\x75\x8e\x66\xcf\x11', 0)) return 'asf';
  if (has('.snd', 0)) return 'au';
  return has('ID3', 0) ? 'mp3' : sniffMpeg(bytes);
}

/** The size of the ID3 tag at the start of these bytes; 0 when there is none. */
export function id3TagBytes(bytes: Uint8Array): number {
  if (bytes.length < 10 || !hasAscii(bytes, 'ID3', 0)) return 0;
  const [size3 = 0, size2 = 0, size1 = 0, size0 = 0] = bytes.subarray(6, 10);
  // Seven bits per byte ("synchsafe"), so that no size contains a frame sync code.
  return 10 + (((size3 & 0x7f) << 21) | ((size2 & 0x7f) << 14) | ((size1 & 0x7f) << 7) | (size0 & 0x7f));
}

function sniffOgg(bytes: Uint8Array): SniffedAudio {
  const packetOffset = 27 + (bytes[26] ?? 0);
  if (hasAscii(bytes, 'OpusHead', packetOffset)) return 'ogg/opus';
  return hasAscii(bytes, '\x01vorbis', packetOffset) ? 'ogg/vorbis' : 'ogg';
}

/** MPEG frames start with eleven set bits. Layer 0 is AAC in ADTS; layers I to III are reported as MP3. */
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
