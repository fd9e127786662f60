import type { Caption, CaptionWord } from '../../domain/captions/caption.ts';
import { writeCaptionFile } from '../../domain/captions/caption-file.ts';
import { makeCaptions } from '../../domain/captions/caption-maker.ts';
import { isUnspaced } from '../../domain/transcription/transcript-text.ts';
import type { Transcript } from '../../domain/transcription/transcription-service.ts';
import {
  contentOf,
  speakerName,
  type TranscriptFormat,
  type TranscriptWish,
  toTranscriptBody,
} from '../schemas/transcript.ts';

/** A transcript as the body of an answer. */
export interface TranscriptAnswer {
  readonly contentType: string;
  readonly body: string | object;
}

/** The media types of the formats, and what else clients call them. JSON is what everything else gets. */
const MEDIA_TYPES: Readonly<Record<string, TranscriptFormat>> = {
  'application/json': 'json',
  'text/plain': 'text',
  'text/vtt': 'vtt',
  'application/x-subrip': 'srt',
  'text/srt': 'srt',
};

/** The format a client asks for: by name, else by the first known media type it accepts. */
export function chooseFormat(
  named: TranscriptFormat | undefined,
  accept: string | undefined,
): TranscriptFormat {
  if (named !== undefined) return named;
  const types = (accept ?? '').split(',').map((part) => part.split(';')[0]!.trim().toLowerCase());
  return types.map((type) => MEDIA_TYPES[type]).find((format) => format !== undefined) ?? 'json';
}

/** Whether the client wants to be told while the work goes on. */
export function wantsEvents(accept: string | undefined): boolean {
  return /\btext\/event-stream\b/i.test(accept ?? '');
}

/** Writes a transcript down. */
export function writeTranscript(
  transcript: Transcript,
  wish: TranscriptWish,
  requestId: string,
): TranscriptAnswer {
  switch (wish.format) {
    case 'text':
      return { contentType: 'text/plain; charset=utf-8', body: transcript.text };
    case 'srt':
      return {
        contentType: 'application/x-subrip; charset=utf-8',
        body: writeCaptionFile('application/x-subrip', captionsOf(transcript)),
      };
    case 'vtt':
      return {
        contentType: 'text/vtt; charset=utf-8',
        body: writeCaptionFile('text/vtt', captionsOf(transcript)),
      };
    default:
      return {
        contentType: 'application/json; charset=utf-8',
        body: toTranscriptBody(transcript, { requestId, ...contentOf(wish) }),
      };
  }
}

function captionsOf(transcript: Transcript): Caption[] {
  return makeCaptions(captionWords(transcript), transcript.durationSeconds);
}

function* captionWords({ segments }: Transcript): Generator<CaptionWord> {
  const isDialogue = new Set(segments.map(({ speaker }) => speaker)).size > 1;
  for (const { words, language, speaker } of segments) {
    for (const { text, startSeconds, endSeconds } of words) {
      yield {
        text,
        startSeconds,
        endSeconds,
        ...(isUnspaced(language) && { isGlued: true }),
        ...(isDialogue && speaker !== undefined && { speaker: speakerName(speaker) }),
      };
    }
  }
}
