import type {
  TranscriptSegment,
  TranscriptWord,
} from '../../../domain/transcription/transcription-service.ts';

/** A word, or the text between two words, in ElevenLabs' format. */
export interface ElevenLabsWord {
  readonly text: string;
  readonly type: 'word' | 'spacing';
  readonly start: number;
  readonly end: number;
  readonly speaker_id: string | null;
  readonly logprob: number;
}

/** The words of a text and the spacing between them. Concatenated they are the text up to its last word. */
export function toElevenLabsWords(
  text: string,
  segments: readonly Pick<TranscriptSegment, 'words' | 'speaker'>[],
): ElevenLabsWord[] {
  const result: ElevenLabsWord[] = [];
  let offset = 0;
  for (const { words, speaker } of segments) {
    const speakerId = speaker === undefined ? null : `speaker_${speaker}`;
    for (const word of words) {
      const trimmed = word.text.trim();
      const start = text.indexOf(trimmed, offset);
      if (trimmed === '' || start < 0) continue;
      const between = text.slice(offset, start);
      if (between !== '') result.push(toSpacing(between, result.at(-1), word, speakerId));
      result.push(toWord(trimmed, word, speakerId));
      offset = start + trimmed.length;
    }
  }
  return result;
}

function toWord(text: string, word: TranscriptWord, speakerId: string | null): ElevenLabsWord {
  return {
    text,
    type: 'word',
    start: word.startSeconds,
    end: word.endSeconds,
    speaker_id: speakerId,
    logprob: Math.log(Math.max(word.confidence, Number.EPSILON)),
  };
}

function toSpacing(
  text: string,
  before: ElevenLabsWord | undefined,
  after: TranscriptWord,
  speakerId: string | null,
): ElevenLabsWord {
  const start = before?.end ?? 0;
  return {
    text,
    type: 'spacing',
    start,
    end: Math.max(start, after.startSeconds),
    speaker_id: speakerId,
    logprob: 0,
  };
}
