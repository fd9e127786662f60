/** A phrase with its times in seconds. */
export interface CaptionPhrase {
  readonly text: string;
  readonly start: number;
  readonly end: number;
  readonly speaker?: string | undefined;
}

function formatStamp(seconds: number, separator: string): string {
  const ms = Math.max(0, Math.round(seconds * 1000));
  const pad = (value: number, size: number) => String(value).padStart(size, '0');
  const clock = [Math.floor(ms / 3_600_000), Math.floor(ms / 60_000) % 60, Math.floor(ms / 1000) % 60];
  return `${clock.map((value) => pad(value, 2)).join(':')}${separator}${pad(ms % 1000, 3)}`;
}

const lineOf = ({ text, speaker }: CaptionPhrase) => (speaker ? `${speaker}: ${text}` : text);

/** `-->` and markup would change the meaning of a WebVTT cue. */
const escapeCue = (text: string) =>
  text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;');

export function toSrt(phrases: readonly CaptionPhrase[]): string {
  return phrases
    .map(
      (phrase, index) =>
        `${index + 1}\n${formatStamp(phrase.start, ',')} --> ${formatStamp(phrase.end, ',')}\n${lineOf(phrase)}\n`,
    )
    .join('\n');
}

export function toVtt(phrases: readonly CaptionPhrase[]): string {
  const cues = phrases.map(
    (phrase) =>
      `${formatStamp(phrase.start, '.')} --> ${formatStamp(phrase.end, '.')}\n${escapeCue(lineOf(phrase))}\n`,
  );
  return `WEBVTT\n\n${cues.join('\n')}`;
}

export function toText(phrases: readonly CaptionPhrase[]): string {
  return `${phrases.map(lineOf).join('\n')}\n`;
}
