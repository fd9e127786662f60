/** The next step of a stream, as input of the scheduler. */
export interface StepCandidate {
  /** Time of the next buffer underrun of the client, or time of arrival before the first audio. */
  readonly dueAtMs: number;
  /** Estimated duration of the step. */
  readonly stepMs: number;
  /** No audio of the stream was sent yet: it cannot underrun, but the client waits for its first audio. */
  readonly awaitsFirstAudio: boolean;
  readonly accountId: string;
  /** Tie-breaker: order of arrival. */
  readonly arrival: number;
}

export interface SchedulingContext {
  readonly nowMs: number;
  /** Order in which accounts were served last; negative: not served yet. The lowest comes first. */
  readonly lastServed: (accountId: string) => number;
}

/**
 * Selects the next step: that of a new stream if every playing stream can still meet its due time after it,
 * otherwise that of the playing stream with the earliest due time. New streams thus start early, and no number of
 * them causes an underrun of a playing stream. Among new streams, the account that was served the longest time ago
 * comes first. It does not wait for playing streams of an account that has more streams here: one account cannot
 * delay the others by its number of streams.
 */
export function selectNextStep<T extends StepCandidate>(
  candidates: Iterable<T>,
  { nowMs, lastServed }: SchedulingContext,
): T | undefined {
  const playing: T[] = [];
  const newStreams = new Map<string, T>();
  const counts = new Map<string, number>();
  for (const candidate of candidates) {
    const { accountId, awaitsFirstAudio } = candidate;
    if (awaitsFirstAudio) {
      const earlier = newStreams.get(accountId);
      if (earlier === undefined || compare(candidate, earlier) < 0) newStreams.set(accountId, candidate);
    } else {
      playing.push(candidate);
      counts.set(accountId, (counts.get(accountId) ?? 0) + 1);
    }
  }
  playing.sort(compare);
  const inTurn = [...newStreams.values()].sort(
    (a, b) => lastServed(a.accountId) - lastServed(b.accountId) || compare(a, b),
  );
  const playingOf = ({ accountId }: T) => counts.get(accountId) ?? 0;
  /** More streams are relevant for an account that has more itself: it has to wait if one with fewer has to. */
  let waitsFrom = Number.POSITIVE_INFINITY;
  for (const newStream of inTurn) {
    // With the new stream, an account has one more. Its own playing streams are relevant too.
    const ownCount = playingOf(newStream) + 1;
    if (ownCount >= waitsFrom) continue;
    const relevant = playing.filter(
      (stream) => stream.accountId === newStream.accountId || playingOf(stream) <= ownCount,
    );
    if (canWait(relevant, newStream.stepMs, nowMs)) return newStream;
    waitsFrom = ownCount;
  }
  return playing[0];
}

/** Whether every playing stream meets its due time after the step of a new stream and one more of the same length. */
function canWait(playing: readonly StepCandidate[], newStreamMs: number, nowMs: number): boolean {
  let doneAtMs = nowMs + 2 * newStreamMs;
  return playing.every(({ dueAtMs, stepMs }) => {
    doneAtMs += stepMs;
    return doneAtMs <= dueAtMs;
  });
}

function compare(a: StepCandidate, b: StepCandidate): number {
  return a.dueAtMs - b.dueAtMs || a.arrival - b.arrival;
}
