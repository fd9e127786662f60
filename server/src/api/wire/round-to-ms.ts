/** Seconds in whole milliseconds, as times are on the wire. */
export function roundToMs(seconds: number): number {
  return Math.round(seconds * 1000) / 1000;
}
