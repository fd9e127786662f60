import { formatTable } from '../src/cli/table.ts';

/** One line of the table. */
export interface Row {
  readonly what: string;
  readonly value: string;
  readonly target?: Target;
}

export interface Target {
  readonly text: string;
  readonly isMet: boolean;
}

/** Result of a part: table rows, and the raw data. */
export interface PartReport {
  readonly rows: readonly Row[];
  readonly data: unknown;
}

/** An upper limit. */
export function atMost(value: number, limit: number, unit = ''): Target {
  return { text: `at most ${limit}${unit}`, isMet: value <= limit };
}

/** A lower limit. */
export function atLeast(value: number, limit: number, unit = ''): Target {
  return { text: `at least ${limit}${unit}`, isMet: value >= limit };
}

export const ms = (value: number) => `${Math.round(value)} ms`;
export const times = (value: number) => `${value.toFixed(2)} ×`;
export const percent = (share: number, digits = 1) => `${(share * 100).toFixed(digits)} %`;
export const megabytes = (bytes: number) => `${Math.round(bytes / 2 ** 20)} MB`;
/** CPU seconds per second of audio. */
export const cost = (value: number) => `${value.toFixed(3)} CPU s/s`;

/** Renders the rows as an aligned table with the targets. */
export function renderTable(rows: readonly Row[]): string {
  return formatTable(
    ['measure', 'value', 'target', 'met'],
    rows.map(({ what, value, target }) => [what, value, target?.text ?? '', verdict(target)]),
  );
}

function verdict(target: Target | undefined): string {
  if (target === undefined) return '';
  return target.isMet ? 'yes' : 'NO';
}
