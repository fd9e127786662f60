import { clusterSpeakers } from './speaker-clusters.ts';
import { joinTexts } from './transcript-text.ts';
import type { SpeakerCount, SpeakerTurn, TranscriptSegment } from './transcription-service.ts';

const WORD_SECONDS_MAX = 0.8;

/** Diarization: assigns a speaker to each segment by its speaker embedding and joins consecutive segments of a speaker. */
export function assignSpeakers(
  transcribed: readonly TranscriptSegment[],
  count: SpeakerCount | undefined,
): {
  readonly segments: readonly TranscriptSegment[];
  readonly speakerTurns: readonly SpeakerTurn[] | undefined;
} {
  if (count === undefined) return { segments: transcribed, speakerTurns: undefined };
  const embedded = transcribed.filter(({ speakerEmbedding }) => speakerEmbedding !== undefined);
  const clusters = clusterSpeakers(
    embedded.map((segment) => ({ embedding: segment.speakerEmbedding!, seconds: spokenSeconds(segment) })),
    count,
  );
  const speakers = new Map(embedded.map((segment, index) => [segment, clusters[index]!]));
  let speaker = 0;
  const segments = transcribed.map(({ speakerEmbedding: _, ...segment }, index) => {
    // A segment that is too short for an embedding is assigned to the speaker before it.
    speaker = speakers.get(transcribed[index]!) ?? speaker;
    return { ...segment, speaker };
  });
  return { segments, speakerTurns: toTurns(segments) };
}

/** Duration of speech. Word durations are capped, since the times of a longer word include a pause. */
function spokenSeconds({ words }: TranscriptSegment): number {
  return words.reduce(
    (sum, { startSeconds, endSeconds }) => sum + Math.min(endSeconds - startSeconds, WORD_SECONDS_MAX),
    0,
  );
}

function toTurns(segments: readonly (TranscriptSegment & { readonly speaker: number })[]): SpeakerTurn[] {
  const turns: (TranscriptSegment & { readonly speaker: number })[][] = [];
  for (const segment of segments) {
    const current = turns.at(-1);
    if (current?.[0]?.speaker === segment.speaker) current.push(segment);
    else turns.push([segment]);
  }
  return turns.map((turn) => ({
    speaker: turn[0]!.speaker,
    text: joinTexts(turn),
    startSeconds: turn[0]!.startSeconds,
    endSeconds: turn.at(-1)!.endSeconds,
  }));
}
