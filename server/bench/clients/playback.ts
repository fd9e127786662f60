/** Audio received at one time. */
export interface Arrival {
  readonly atMs: number;
  readonly audioSeconds: number;
}

/** Result of a simulated playback. */
export interface Playback {
  /** Number of underruns before the end. */
  readonly underruns: number;
  /** Total duration of the underruns. */
  readonly stalledSeconds: number;
  /** Minimum of the buffered audio at an arrival; negative after an underrun. */
  readonly smallestLeadSeconds: number;
}

/** Simulates a player without pre-buffering: it starts at the given time, plays in real time and stalls on underrun. */
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
