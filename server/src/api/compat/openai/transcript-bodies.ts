import { isUnspaced, joinTexts } from '../../../domain/transcription/transcript-text.ts';
import type {
  Transcript,
  TranscriptionEvent,
  TranscriptSegment,
} from '../../../domain/transcription/transcription-service.ts';
import type { ServerEvent } from '../../responses/event-stream.ts';

const CONFIDENCE_MIN = 1e-6;
const LETTERS = 26;

/** The natural logarithm of a confidence from 0 to 1. */
export function logProbabilityOf(confidence: number): number {
  return Math.log(Math.max(confidence, CONFIDENCE_MIN));
}

/** What a body contains in addition to the text. */
export interface BodyContent {
  readonly hasLogprobs: boolean;
  readonly isDiarized: boolean;
}

/** Words in place of tokens, with the logarithm of their confidence. */
function logprobsOf(segments: readonly TranscriptSegment[]) {
  return segments
    .flatMap(({ words }) => words)
    .map(({ text, confidence }) => ({
      token: text,
      logprob: logProbabilityOf(confidence),
      bytes: [...Buffer.from(text)],
    }));
}

/** The duration that is charged for. */
function usageOf({ durationSeconds }: Transcript) {
  return { type: 'duration', seconds: Math.ceil(durationSeconds) };
}

/** The body of `json`. */
export function toJsonBody(transcript: Transcript, { hasLogprobs }: Pick<BodyContent, 'hasLogprobs'>) {
  return {
    text: transcript.text,
    ...(hasLogprobs && { logprobs: logprobsOf(transcript.segments) }),
    usage: usageOf(transcript),
  };
}

/** The body of `diarized_json`: OpenAI names speakers A, B, … */
export function toDiarizedBody(transcript: Transcript) {
  const { segments, durationSeconds } = transcript;
  return {
    task: 'transcribe',
    duration: durationSeconds,
    text: joinTexts(segments),
    segments: segments.map((segment, index) => ({
      type: 'transcript.text.segment',
      ...toSegment(segment, index),
    })),
    usage: usageOf(transcript),
  };
}

function toSegment(segment: TranscriptSegment, index: number) {
  return {
    id: `seg_${index}`,
    start: segment.startSeconds,
    end: segment.endSeconds,
    text: segment.text,
    speaker: speakerName(segment.speaker ?? 0),
  };
}

/** A to Z, then AA, AB, … */
function speakerName(index: number): string {
  const letter = String.fromCharCode('A'.charCodeAt(0) + (index % LETTERS));
  return index < LETTERS ? letter : `${speakerName(Math.floor(index / LETTERS) - 1)}${letter}`;
}

/** The events of a streamed transcription. Concatenated, the deltas are the text. */
export async function* toTranscriptEvents(
  events: AsyncIterable<TranscriptionEvent>,
  { hasLogprobs, isDiarized }: BodyContent,
): AsyncGenerator<ServerEvent> {
  const toEvent = (type: string, data: object): ServerEvent => ({ event: type, data: { type, ...data } });
  let hasText = false;
  for await (const event of events) {
    if (event.type === 'segment') {
      const text = event.segment.text.trim();
      if (text === '') continue;
      const gap = hasText && !isUnspaced(event.segment.language) ? ' ' : '';
      hasText = true;
      yield toEvent('transcript.text.delta', {
        delta: gap + text,
        ...(hasLogprobs && { logprobs: logprobsOf([event.segment]) }),
      });
    } else if (event.type === 'finished') {
      const { transcript } = event;
      // Speakers are known at the end only.
      if (isDiarized) {
        for (const [index, segment] of transcript.segments.entries()) {
          yield toEvent('transcript.text.segment', toSegment(segment, index));
        }
      }
      yield toEvent('transcript.text.done', {
        text: joinTexts(transcript.segments),
        ...(hasLogprobs && { logprobs: logprobsOf(transcript.segments) }),
        usage: usageOf(transcript),
      });
    }
  }
}
