import { clusterVoices } from './speaker-clusters.ts';
import { joinTexts } from './transcript-text.ts';
import type { SpeakerCount, SpeakerTurn, TranscriptSegment } from './transcription-service.ts';

const WORD_SECONDS_MAX = 0.8;

/** Says who speaks each segment, by the sound of the voices, and joins what one person says in a row. */
export function assignSpeakers(
  heard: readonly TranscriptSegment[],
  count: SpeakerCount | undefined,
): {
  readonly segments: readonly TranscriptSegment[];
  readonly speakerTurns: readonly SpeakerTurn[] | undefined;
} {
  if (count === undefined) return { segments: heard, speakerTurns: undefined };
  const withPrint = heard.filter(({ voicePrint }) => voicePrint !== undefined);
  const voices = clusterVoices(
    withPrint.map((segment) => ({ print: segment.voicePrint!, seconds: spokenSeconds(segment) })),
    count,
  );
  const speakers = new Map(withPrint.map((segment, index) => [segment, voices[index]!]));
  let speaker = 0;
  const segments = heard.map(({ voicePrint: _, ...segment }, index) => {
    // A stretch too short for a voice print belongs to whoever spoke before it.
    speaker = speakers.get(heard[index]!) ?? speaker;
    return { ...segment, speaker };
  });
  return { segments, speakerTurns: toTurns(segments) };
}

/** How long somebody speaks. A word that seems longer reaches into a pause. */
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
