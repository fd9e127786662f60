import { deflateSync } from 'node:zlib';
import { languageName } from '../../../domain/transcription/language-hint.ts';
import type { Transcript, TranscriptSegment } from '../../../domain/transcription/transcription-service.ts';
import { logProbabilityOf } from './transcript-bodies.ts';

/** Whisper decodes windows of 30 s; its segments name the first frame of 10 ms of their window. */
const WINDOW_SECONDS = 30;
const FRAMES_PER_SECOND = 100;

function windowOf({ startSeconds }: TranscriptSegment): number {
  return Math.floor(startSeconds / WINDOW_SECONDS);
}

/** The compression ratio of the text of every window, as Whisper computes it: high for repeated text. */
function compressionRatios(segments: readonly TranscriptSegment[]): ReadonlyMap<number, number> {
  const texts = new Map<number, string>();
  for (const segment of segments) {
    const window = windowOf(segment);
    texts.set(window, `${texts.get(window) ?? ''}${segment.text}`);
  }
  return new Map([...texts].map(([window, text]) => [window, compressionRatio(text)]));
}

function compressionRatio(text: string): number {
  const bytes = Buffer.from(text);
  return bytes.length === 0 ? 0 : bytes.length / deflateSync(bytes).length;
}

/** The body of `verbose_json`. */
export function toVerbose(
  { text, durationSeconds, language, segments }: Transcript,
  granularities: readonly unknown[],
) {
  const ratios = compressionRatios(segments);
  return {
    task: 'transcribe',
    language: language === undefined ? null : languageName(language).toLowerCase(),
    duration: durationSeconds,
    text,
    ...(granularities.includes('word') && {
      words: segments
        .flatMap(({ words }) => words)
        .map((word) => ({ word: word.text, start: word.startSeconds, end: word.endSeconds })),
    }),
    segments: segments.map((segment, id) => ({
      id,
      seek: windowOf(segment) * WINDOW_SECONDS * FRAMES_PER_SECOND,
      start: segment.startSeconds,
      end: segment.endSeconds,
      text: segment.text,
      // The tokens of our engines are not those of Whisper.
      tokens: [],
      temperature: 0,
      avg_logprob: logProbabilityOf(segment.confidence),
      compression_ratio: ratios.get(windowOf(segment)) ?? 0,
      // Segments without speech are removed before transcription.
      no_speech_prob: 0,
    })),
  };
}
