/**
 * A voice this much too high or too low by a long talk is corrected behind the engine; less is within what two talks
 * of a person differ by, and correcting costs a little of the sound and of the machine.
 */
const TOLERANCE = 0.02;
/** Beyond this a voice would no longer sound like one. */
const FACTOR_MAX = 1.25;

/** What is done behind the engine about a pitch that should be multiplied by this; undefined for nothing. */
export function pitchCorrection(factor: number): number | undefined {
  if (Math.abs(factor - 1) <= TOLERANCE) return undefined;
  return Math.min(FACTOR_MAX, Math.max(1 / FACTOR_MAX, factor));
}
