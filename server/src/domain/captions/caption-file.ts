import type { Caption } from './caption.ts';

/** How captions are written down. The key is the media type that a client asks for. */
export const CAPTION_FORMATS = {
  'text/vtt': { header: 'WEBVTT\n\n', write: writeVtt },
  'application/x-subrip': { header: '', write: writeSubRip },
} as const satisfies Record<string, CaptionFormat>;

export type CaptionMediaType = keyof typeof CAPTION_FORMATS;

export interface CaptionFormat {
  /** What the file begins with. */
  readonly header: string;
  /** One caption; `number` counts from 1. The file is the header and all captions, in order. */
  write(caption: Caption, number: number): string;
}

/** A whole caption file. */
export function writeCaptionFile(type: CaptionMediaType, captions: readonly Caption[]): string {
  const { header, write } = CAPTION_FORMATS[type];
  return header + captions.map((caption, index) => write(caption, index + 1)).join('');
}

/** WebVTT, https://www.w3.org/TR/webvtt1/. */
function writeVtt({ lines, speaker, startSeconds, endSeconds }: Caption): string {
  const voice = speaker === undefined ? '' : `<v ${escapeVtt(speaker)}>`;
  const text = voice + lines.map(escapeVtt).join('\n');
  return `${clock(startSeconds, '.')} --> ${clock(endSeconds, '.')}\n${text}\n\n`;
}

function writeSubRip({ lines, speaker, startSeconds, endSeconds }: Caption, number: number): string {
  const voice = speaker === undefined ? '' : `${speaker}: `;
  // An arrow alone tells a reader of the format that a new caption begins.
  const text = (voice + lines.join('\n')).replaceAll('-->', '→');
  return `${number}\n${clock(startSeconds, ',')} --> ${clock(endSeconds, ',')}\n${text}\n\n`;
}

function escapeVtt(text: string): string {
  return text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;');
}

function clock(seconds: number, point: '.' | ','): string {
  const totalMs = Math.max(0, Math.round(seconds * 1000));
  const part = (divisor: number, modulus: number, digits: number) =>
    String(Math.floor(totalMs / divisor) % modulus).padStart(digits, '0');
  const hours = String(Math.floor(totalMs / 3_600_000)).padStart(2, '0');
  return `${hours}:${part(60_000, 60, 2)}:${part(1000, 60, 2)}${point}${part(1, 1000, 3)}`;
}
