/** A stream's next step of work, as those who choose see it. */
export interface Candidate {
  /** When its listener runs dry, or came, when nothing was heard yet. */
  readonly dueAtMs: number;
  /** What the step will take, about. */
  readonly stepMs: number;
  /** Nothing of it was heard yet: nobody's playback breaks off, but somebody waits for its first sound. */
  readonly isNew: boolean;
  /** Settles who goes first when all else is equal. */
  readonly arrival: number;
}

/**
 * Whose step comes next: a new stream's, as long as everybody who listens can still be served in time after it,
 * else that of the listener who runs dry first. So a newcomer hears its first sound at once, and no number of
 * newcomers makes those stutter who were there before.
 */
export function mostUrgent<T extends Candidate>(candidates: Iterable<T>, nowMs: number): T | undefined {
  const heard: T[] = [];
  let newcomer: T | undefined;
  for (const candidate of candidates) {
    if (!candidate.isNew) heard.push(candidate);
    else if (newcomer === undefined || compare(candidate, newcomer) < 0) newcomer = candidate;
  }
  heard.sort(compare);
  if (newcomer === undefined) return heard[0];
  return canWait(heard, newcomer.stepMs, nowMs) ? newcomer : heard[0];
}

/** Whether each listener's next step would still be in time after a newcomer's, and after one more as long. */
function canWait(heard: readonly Candidate[], newcomerMs: number, nowMs: number): boolean {
  let doneAtMs = nowMs + 2 * newcomerMs;
  return heard.every(({ dueAtMs, stepMs }) => {
    doneAtMs += stepMs;
    return doneAtMs <= dueAtMs;
  });
}

function compare(a: Candidate, b: Candidate): number {
  return a.dueAtMs - b.dueAtMs || a.arrival - b.arrival;
}
