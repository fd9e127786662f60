import { z } from 'zod';
import type { TranscriptView } from '../../../domain/transcription/job-store.ts';
import { languageName } from '../../../domain/transcription/language-hint.ts';
import type { Transcript, TranscriptSegment } from '../../../domain/transcription/transcription-service.ts';

const seconds = z.number().min(0);
const confidence = z.number().min(0).max(1).describe('Confidence of the model.');

const channel = z
  .int()
  .min(0)
  .optional()
  .describe('Index of the channel, from 0; only with `channels` `split`.');

const WordSchema = z
  .object({ text: z.string(), start: seconds, end: seconds, confidence, channel })
  .meta({ id: 'TranscriptWord', description: 'A word with its punctuation. Times are in seconds.' });

const PhraseSchema = z
  .object({
    text: z.string(),
    start: seconds,
    end: seconds,
    confidence,
    language_code: z.string(),
    speaker: z.string().optional().describe('Only `transcribe-1-pro`.'),
    channel,
    words: z.array(WordSchema),
  })
  .meta({ id: 'TranscriptPhrase', description: 'Speech between two pauses.' });

export const SpeakerTurnSchema = z
  .object({ speaker: z.string(), text: z.string(), start: seconds, end: seconds })
  .meta({ id: 'SpeakerTurn' });

export const TranscriptSchema = z
  .object({
    text: z.string(),
    duration: seconds.describe('Length of the recording in seconds.'),
    segments: z.array(WordSchema).describe('The words. Empty when `ignore_timestamps` is true.'),
    language_code: z.string().nullable().describe('ISO 639-1. Null without speech.'),
    language: z.string().nullable().describe('Its English name.'),
    speaker_turns: z.array(SpeakerTurnSchema).optional().describe('Only `transcribe-1-pro`.'),
    request_id: z.string(),
    phrases: z.array(PhraseSchema).optional().describe('Only in the format `verbose`.'),
  })
  .meta({ id: 'Transcript' });

export type TranscriptBody = z.output<typeof TranscriptSchema>;
export type PhraseBody = z.output<typeof PhraseSchema>;

/** The response formats of a transcript. */
export const TRANSCRIPT_FORMATS = [
  'json',
  'verbose',
  'text',
  'srt',
  'vtt',
] as const satisfies readonly TranscriptView['format'][];
export type TranscriptFormat = (typeof TRANSCRIPT_FORMATS)[number];

/** The optional parts of a JSON transcript. */
export interface TranscriptContent {
  readonly hasWords: boolean;
  readonly hasPhrases: boolean;
}

export function transcriptContentOf({ format, ignoreTimestamps }: TranscriptView): TranscriptContent {
  const hasPhrases = format === 'verbose';
  return { hasWords: hasPhrases || !ignoreTimestamps, hasPhrases };
}

/** A transcript as JSON. */
export function toTranscriptBody(
  transcript: Transcript,
  content: TranscriptContent & { readonly requestId: string },
): TranscriptBody {
  const { text, language, segments, speakerTurns } = transcript;
  return {
    text,
    duration: round(transcript.durationSeconds),
    segments: content.hasWords ? segments.flatMap(toWordBodies) : [],
    language_code: language ?? null,
    language: language === undefined ? null : languageName(language),
    ...(speakerTurns && {
      speaker_turns: speakerTurns.map((turn) => ({
        speaker: speakerName(turn.speaker),
        text: turn.text,
        start: round(turn.startSeconds),
        end: round(turn.endSeconds),
      })),
    }),
    request_id: content.requestId,
    ...(content.hasPhrases && { phrases: segments.map(toPhraseBody) }),
  };
}

/** A segment with its words. */
export function toPhraseBody(segment: TranscriptSegment): PhraseBody {
  return {
    text: segment.text,
    start: round(segment.startSeconds),
    end: round(segment.endSeconds),
    confidence: round(segment.confidence),
    language_code: segment.language,
    ...(segment.speaker !== undefined && { speaker: speakerName(segment.speaker) }),
    ...(segment.channel !== undefined && { channel: segment.channel }),
    words: toWordBodies(segment),
  };
}

function toWordBodies({ words, channel: index }: TranscriptSegment) {
  return words.map((word) => ({
    text: word.text,
    start: round(word.startSeconds),
    end: round(word.endSeconds),
    confidence: round(word.confidence),
    ...(index !== undefined && { channel: index }),
  }));
}

/** The name of a speaker on the wire. */
export function speakerName(speaker: number): string {
  return `speaker:${speaker}`;
}

/** Rounds to milliseconds, the precision of all times here. */
function round(value: number): number {
  return Math.round(value * 1000) / 1000;
}
