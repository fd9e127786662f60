import type { Caption, CaptionWord } from '../../domain/captions/caption.ts';
import { buildCaptions } from '../../domain/captions/caption-builder.ts';
import { writeCaptionFile } from '../../domain/captions/caption-file.ts';
import type { TranscriptView } from '../../domain/transcription/job-store.ts';
import { isUnspaced } from '../../domain/transcription/transcript-text.ts';
import type { Transcript } from '../../domain/transcription/transcription-service.ts';
import {
  speakerName,
  type TranscriptFormat,
  toTranscriptBody,
  transcriptContentOf,
} from '../schemas/transcription/transcript.ts';

/** A transcript as a response body. */
export interface TranscriptResponse {
  readonly contentType: string;
  readonly body: string | object;
}

/** Formats by media type, with aliases in use. Default: JSON. */
const MEDIA_TYPES: Readonly<Record<string, TranscriptFormat>> = {
  'application/json': 'json',
  'text/plain': 'text',
  'text/vtt': 'vtt',
  'application/x-subrip': 'srt',
  'text/srt': 'srt',
};

/** The requested format: by name, else the first known media type of `Accept`. */
export function chooseFormat(
  named: TranscriptFormat | undefined,
  accept: string | undefined,
): TranscriptFormat {
  if (named !== undefined) return named;
  const types = (accept ?? '').split(',').map((part) => part.split(';')[0]!.trim().toLowerCase());
  const known = types.find((type) => Object.hasOwn(MEDIA_TYPES, type));
  return known === undefined ? 'json' : MEDIA_TYPES[known]!;
}

/** Whether the client requests server-sent events. */
export function wantsEvents(accept: string | undefined): boolean {
  return /\btext\/event-stream\b/i.test(accept ?? '');
}

/** Converts a transcript to the requested format. */
export function writeTranscript(
  transcript: Transcript,
  options: TranscriptView,
  requestId: string,
): TranscriptResponse {
  switch (options.format) {
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
        body: toTranscriptBody(transcript, { requestId, ...transcriptContentOf(options) }),
      };
  }
}

function captionsOf(transcript: Transcript): Caption[] {
  return buildCaptions(captionWords(transcript), transcript.durationSeconds);
}

function* captionWords({ segments }: Transcript): Generator<CaptionWord> {
  const isDialogue = new Set(segments.map(({ speaker }) => speaker)).size > 1;
  for (const { words, language, speaker } of segments) {
    for (const { text, startSeconds, endSeconds } of words) {
      yield {
        text,
        startSeconds,
        endSeconds,
        ...(isUnspaced(language) && { joinsPrevious: true }),
        ...(isDialogue && speaker !== undefined && { speaker: speakerName(speaker) }),
      };
    }
  }
}
