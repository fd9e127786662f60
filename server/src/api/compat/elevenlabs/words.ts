import type {
  TranscriptSegment,
  TranscriptWord,
} from '../../../domain/transcription/transcription-service.ts';

/** A word, or what stands between two, as ElevenLabs' clients know it. */
export interface ElevenLabsWord {
  readonly text: string;
  readonly type: 'word' | 'spacing';
  readonly start: number;
  readonly end: number;
  readonly speaker_id: string | null;
  readonly logprob: number;
}

/** The words of a text with what stands between them; joined, they are the text up to its last word. */
export function toElevenLabsWords(
  text: string,
  segments: readonly Pick<TranscriptSegment, 'words' | 'speaker'>[],
): ElevenLabsWord[] {
  const found: ElevenLabsWord[] = [];
  let place = 0;
  for (const { words, speaker } of segments) {
    const speakerId = speaker === undefined ? null : `speaker_${speaker}`;
    for (const word of words) {
      const spoken = word.text.trim();
      const start = text.indexOf(spoken, place);
      if (spoken === '' || start < 0) continue;
      const between = text.slice(place, start);
      if (between !== '') found.push(toSpacing(between, found.at(-1), word, speakerId));
      found.push(toWord(spoken, word, speakerId));
      place = start + spoken.length;
    }
  }
  return found;
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
