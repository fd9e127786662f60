import type { SpeakerTurn, TranscriptSegment } from './transcription-service.ts';

const UNSPACED = new Set(['zh', 'ja', 'th', 'lo', 'my', 'km', 'bo', 'yue']);

/** Whether a language is written without spaces between words. */
export function isUnspaced(language: string): boolean {
  return UNSPACED.has(language);
}

/** Joins texts with or without a space, as their language is written. */
export function joinTexts(
  parts: readonly { readonly text: string; readonly language: string | undefined }[],
): string {
  let joined = '';
  for (const { text, language } of parts) {
    const trimmed = text.trim();
    if (trimmed === '') continue;
    const gap = joined === '' || (language !== undefined && UNSPACED.has(language)) ? '' : ' ';
    joined += gap + trimmed;
  }
  return joined;
}

/** The text of a recording, with speaker tags when it has several speakers. */
export function transcriptText(
  segments: readonly TranscriptSegment[],
  turns: readonly SpeakerTurn[] | undefined,
): string {
  const isDialogue = turns !== undefined && new Set(turns.map(({ speaker }) => speaker)).size > 1;
  if (!isDialogue) return joinTexts(segments);
  return turns.map(({ speaker, text }) => `<|speaker:${speaker}|>${text}`).join('');
}

/** The language with the most text; undefined when there is none. */
export function mainLanguage(segments: readonly TranscriptSegment[]): string | undefined {
  const lengths = new Map<string, number>();
  for (const { language, text } of segments) {
    lengths.set(language, (lengths.get(language) ?? 0) + text.length);
  }
  return [...lengths].sort(([, left], [, right]) => right - left)[0]?.[0];
}
