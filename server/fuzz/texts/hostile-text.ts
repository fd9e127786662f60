/** A text that is expensive for a naive front end, in any length. */
export interface HostileText {
  readonly name: string;
  /** Creates the text; its length is `length` characters, or slightly less where elements must be complete. */
  readonly generate: (length: number) => string;
}

export const repeat = (unit: string, length: number) =>
  unit.repeat(Math.ceil(Math.max(0, length) / unit.length)).slice(0, Math.max(0, length));
/** Complete units only. */
export const repeatComplete = (unit: string, length: number) =>
  unit.repeat(Math.max(1, Math.floor(length / unit.length)));
export const surround = (before: string, inner: string, after: string, length: number) =>
  before + repeat(inner, length - before.length - after.length) + after;
/** A unit as it is shown in the name of a text. */
export const quoted = (unit: string) => JSON.stringify(unit).slice(1, -1);
