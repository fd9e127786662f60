import type { Caption } from './caption.ts';

/** Caption file formats by media type. */
export const CAPTION_FORMATS = {
  'text/vtt': { header: 'WEBVTT\n\n', write: writeVtt },
  'application/x-subrip': { header: '', write: writeSubRip },
} as const satisfies Record<string, CaptionFormat>;

export type CaptionMediaType = keyof typeof CAPTION_FORMATS;

export interface CaptionFormat {
  /** Start of the file. */
  readonly header: string;
  /** Serializes one caption; `number` counts from 1. A file is the header and all captions, in order. */
  write(caption: Caption, number: number): string;
}

/** Serializes a complete caption file. */
export function writeCaptionFile(type: CaptionMediaType, captions: readonly Caption[]): string {
  const { header, write } = CAPTION_FORMATS[type];
  return header + captions.map((caption, index) => write(caption, index + 1)).join('');
}

/** WebVTT, https://www.w3.org/TR/webvtt1/. */
function writeVtt({ lines, speaker, startSeconds, endSeconds }: Caption): string {
  const voice = speaker === undefined ? '' : `<v ${escapeVtt(speaker)}>`;
  const text = voice + lines.map(escapeVtt).join('\n');
  return `${formatTime(startSeconds, '.')} --> ${formatTime(endSeconds, '.')}\n${text}\n\n`;
}

function writeSubRip({ lines, speaker, startSeconds, endSeconds }: Caption, number: number): string {
  const voice = speaker === undefined ? '' : `${speaker}: `;
  // Parsers take an arrow in the text for a new caption.
  const text = (voice + lines.join('\n')).replaceAll('-->', '→');
  return `${number}\n${formatTime(startSeconds, ',')} --> ${formatTime(endSeconds, ',')}\n${text}\n\n`;
}

function escapeVtt(text: string): string {
  return text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;');
}

function formatTime(seconds: number, point: '.' | ','): string {
  const totalMs = Math.max(0, Math.round(seconds * 1000));
  const part = (divisor: number, modulus: number, digits: number) =>
    String(Math.floor(totalMs / divisor) % modulus).padStart(digits, '0');
  const hours = String(Math.floor(totalMs / 3_600_000)).padStart(2, '0');
  return `${hours}:${part(60_000, 60, 2)}:${part(1000, 60, 2)}${point}${part(1, 1000, 3)}`;
}
