/** Audio that came in at one moment. */
export interface Arrival {
  readonly atMs: number;
  readonly audioSeconds: number;
}

/** What a listener would have heard. */
export interface Playback {
  /** How often the player ran dry before the end. */
  readonly underruns: number;
  /** Silence it had to insert, in seconds. */
  readonly stalledSeconds: number;
  /** The least audio that was ever left when more came, in seconds; below zero when it ran dry. */
  readonly smallestLeadSeconds: number;
}

/**
 * Plays a stream as a player without any buffering would: it starts at the given moment with what is there
 * by then, plays in real time, and waits whenever it has played all that has come.
 */
export function simulatePlayback(arrivals: readonly Arrival[], startAtMs: number): Playback {
  let underruns = 0;
  let stalledSeconds = 0;
  let smallestLeadSeconds = Number.POSITIVE_INFINITY;
  let receivedSeconds = 0;
  for (const { atMs, audioSeconds } of arrivals) {
    if (atMs > startAtMs) {
      const playedSeconds = (atMs - startAtMs) / 1000 - stalledSeconds;
      const leadSeconds = receivedSeconds - playedSeconds;
      smallestLeadSeconds = Math.min(smallestLeadSeconds, leadSeconds);
      if (leadSeconds < 0) {
        underruns++;
        stalledSeconds -= leadSeconds;
      }
    }
    receivedSeconds += audioSeconds;
  }
  return { underruns, stalledSeconds, smallestLeadSeconds };
}
